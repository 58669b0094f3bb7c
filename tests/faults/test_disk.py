"""Full and read-only disks: a typed error, and what was acknowledged is there."""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from graphmem.errors import ReadOnlyStore, StoreError, StoreFull
from graphmem.memory import Memory
from tests.cases.table import case
from tests.faults.processes import LaterClock, new_queue, started
from tests.faults.turns import GROUP, check_whole, turn, turns

LIMIT_BYTES = 700_000
NOBODY = 65_534


def import_until_full(path: Path, told: Queue[object]) -> None:
    """Tells how many turns were acknowledged, and by what the import was stopped."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, resource.RLIM_INFINITY))

    async def fill() -> tuple[int, str]:
        number = 0
        async with await Memory.open(path) as memory:
            try:
                while True:
                    await memory.add_episodes([turn(number)])
                    number += 1
            except StoreError as error:
                return number, type(error).__name__
            finally:
                with suppress(StoreFull):
                    await memory.verify()

    told.put(asyncio.run(fill()))


@case("F-R01", "F-R04")
def test_a_full_disk_stops_an_import_with_an_error_of_ours_and_keeps_what_was_told(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    told = new_queue()
    with started(import_until_full, path, told) as child:
        acknowledged, stopped_by = told.get(timeout=60)  # type: ignore[misc]
        child.join(60)
    assert stopped_by == StoreFull.__name__

    async def resume() -> None:
        async with await Memory.open(path, clock=LaterClock()) as memory:
            kept = await memory.episodes([turn(n).episode_id or "" for n in range(acknowledged)], group_id=GROUP)
            assert len(kept) == acknowledged
            assert await memory.verify() == []
            await memory.add_episodes(turns(acknowledged + 5))
            await check_whole(memory, acknowledged + 5)

    asyncio.run(resume())


def erase_on_a_full_disk(path: Path, told: Queue[object]) -> None:
    size = sum(p.stat().st_size for p in path.parent.glob(f"{path.name}*"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size // 4, resource.RLIM_INFINITY))

    async def erase() -> str:
        async with await Memory.open(path) as memory:
            try:
                await memory.erase(group_id=GROUP, whole_group=True)
            except StoreError as error:
                return type(error).__name__
            return "done"

    told.put(asyncio.run(erase()))


@case("F-R03")
def test_an_erasure_that_finds_no_room_is_not_called_done_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def fill() -> None:
        async with await Memory.open(path) as memory:
            await memory.add_episodes(turns(60))

    asyncio.run(fill())
    told = new_queue()
    with started(erase_on_a_full_disk, path, told) as child:
        said = told.get(timeout=60)
        child.join(60)

    async def look() -> None:
        async with await Memory.open(path) as memory:
            assert await memory.verify() == []
            if said == "done":
                assert await memory.count_jobs(group_ids=GROUP) == dict.fromkeys(await memory.count_jobs(), 0)
            else:
                await check_whole(memory, 60)

    asyncio.run(look())


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that everybody may look into, also somebody without rights."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def read_and_write_as_nobody(path: Path, told: Queue[object]) -> None:
    if os.geteuid() == 0:
        os.setuid(NOBODY)

    async def try_both() -> tuple[list[str], str]:
        async with await Memory.open(path) as memory:
            found = [fact.text for fact in await memory.facts(subject="Alice", during=(None, None))]
            try:
                await memory.add_episode("I work at Globex.", speaker="Alice")
            except StoreError as error:
                return found, type(error).__name__
            return found, "written"

    told.put(asyncio.run(try_both()))


@case("F-S06")
def test_a_store_that_takes_no_writes_can_be_read(shared_folder: Path) -> None:
    path = shared_folder / "m.db"

    async def fill() -> None:
        async with await Memory.open(path) as memory:
            await memory.add_episode("I work at Acme.", speaker="Alice")

    asyncio.run(fill())
    path.chmod(0o444)
    shared_folder.chmod(0o555)
    told = new_queue()
    try:
        with started(read_and_write_as_nobody, path, told) as child:
            assert told.get(timeout=60) == (["Alice works at Acme"], ReadOnlyStore.__name__)
            child.join(60)
    finally:
        shared_folder.chmod(0o755)
