"""Many tasks, cancelled tasks, forks and locks."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.errors import StoreUnavailable
from graphmem.ports import Store
from graphmem.stores import open_store
from graphmem.stores.sqlite import SqliteStore
from graphmem.stores.sqlite_connections import Connections
from graphmem.timeline.instants import MIN
from tests.contract.build import changes, entity, episode, scope, told


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = open_store(str(tmp_path / "memory.db"))
    await opened.ensure_schema()
    yield opened
    await opened.close()


async def test_a_cancelled_write_is_done_whole_or_not_at_all_and_holds_no_lock(store: Store) -> None:
    for number in range(60):
        batch = [episode(f"ep-{number}-{n}", "some words " * 20) for n in range(5)]
        task = asyncio.create_task(store.accept(batch, number))
        await asyncio.sleep(number * 0.0001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    await store.accept([episode("after")], 1)
    jobs = await store.jobs(limit=10_000)
    by_number: dict[str, int] = {}
    for job in jobs:
        number = job.job_id.rpartition("-")[0]
        by_number[number] = by_number.get(number, 0) + 1
    assert by_number.pop("") == 1
    assert set(by_number.values()) <= {5}
    assert await store.verify() == []


async def test_cancelled_reads_leave_the_store_usable(store: Store) -> None:
    await store.accept([episode(f"ep-{n}") for n in range(200)], 1)
    for number in range(40):
        task = asyncio.create_task(store.digest())
        await asyncio.sleep(number * 0.0002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert (await store.group("ann")).episodes == 200
    await store.scrub()


async def test_a_reader_never_sees_half_a_commit(store: Store) -> None:
    done = asyncio.Event()

    async def write() -> None:
        for number in range(40):
            item = told(number, f"Person{number}", tau=number + 1, based_on=number or MIN)
            await store.accept([item.episode], number)
            await store.commit([item.changes])
        done.set()

    async def read() -> int:
        looks = 0
        while not done.is_set():
            state = await store.group("ann")
            assert state.facts == state.claims == state.versions == max(0, state.tau)
            looks += 1
        return looks

    _, *looks = await asyncio.gather(write(), read(), read(), read())
    assert all(looks)


async def test_reads_go_on_while_a_write_waits_for_a_lock(tmp_path: Path, store: Store) -> None:
    first = told(1, tau=10)
    await store.accept([first.episode], 1)
    await store.commit([first.changes])
    with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(store.commit([changes(20, based_on=10, entities=(entity("e-new"),))]))
        for _ in range(20):
            assert await store.versions_in_scope(scope()) == [first.version]
        assert not writing.done()
        other.execute("ROLLBACK")
        await writing
    assert (await store.group("ann")).tau == 20


async def test_a_lock_that_is_held_too_long_makes_the_store_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    store._connections = Connections(path, patience_s=0.1)
    await store.ensure_schema()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.accept([episode("ep-1")], 1)
        other.execute("ROLLBACK")

    await store.accept([episode("ep-1")], 1)
    assert (await store.group("ann")).episodes == 1
    await store.close()


async def test_closing_waits_for_what_is_under_way(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = open_store(str(path))
    await store.ensure_schema()
    writes = [asyncio.create_task(store.accept([episode(f"ep-{n}")], n)) for n in range(10)]
    await asyncio.sleep(0)

    await store.close()
    await asyncio.gather(*writes)

    again = open_store(str(path))
    assert (await again.group("ann")).episodes == 10
    await again.close()


async def test_a_store_serves_one_event_loop_after_another(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "memory.db"))

    def in_a_loop_of_its_own() -> None:
        asyncio.run(store.ensure_schema())
        asyncio.run(store.accept([episode("ep-1")], 1))  # type: ignore[arg-type]

    await asyncio.to_thread(in_a_loop_of_its_own)

    assert (await store.group("ann")).episodes == 1
    await store.close()


@pytest.mark.filterwarnings("ignore:This process")
async def test_a_forked_process_must_open_the_store_itself(tmp_path: Path, store: Store) -> None:
    await store.accept([episode("ep-1")], 1)

    child = os.fork()
    if child == 0:
        code = 1
        try:
            loop = asyncio.new_event_loop()
            asyncio.set_event_loop(loop)
            call = store.groups()
            try:
                call.send(None)  # type: ignore[attr-defined]
            except StoreUnavailable:
                code = 0
        finally:
            os._exit(code)
    _, status = await asyncio.to_thread(os.waitpid, child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    await store.accept([episode("ep-2")], 2)
    assert (await store.group("ann")).episodes == 2
    assert await store.verify() == []
