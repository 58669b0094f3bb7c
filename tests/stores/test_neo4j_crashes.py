"""A server that is killed while it is written to: what was acknowledged is there, once, and whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.errors import CommitConflict, StoreUnavailable
from graphmem.ports import Store
from graphmem.stores import open_store
from tests.contract.build import told
from tests.neo4j_server.find import asked_version
from tests.neo4j_server.maven import MavenServer, free_port, missing_tool

pytestmark = pytest.mark.neo4j

WRITERS = 4


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MavenServer]:
    """A server of this test alone, to be killed."""
    version = asked_version()
    if missing := missing_tool(version):
        pytest.skip(f"no server can be started here to be killed: {missing}")
    made = MavenServer(
        home=tmp_path,
        version=version,
        bolt_port=free_port(),
        http_port=free_port(),
        heap="512m",
        page_cache="128m",
        is_short_lived=True,
    )
    made.start()
    yield made
    made.kill()


async def write(store: Store, group_id: str, acknowledged: list[int], stop: asyncio.Event) -> None:
    """One episode with one fact after the other; what a lost answer left open is looked up, as a worker does."""
    number = max(acknowledged, default=0)
    while not stop.is_set():
        try:
            tau = (await store.group(group_id)).tau
            number = max(tau, 0) + 1
            one = told(number, f"S{number}", group_id=group_id, tau=number, based_on=tau)
            await store.accept([one.episode], number)
            await store.commit([one.changes])
        except (StoreUnavailable, CommitConflict):
            await asyncio.sleep(0.2)
        else:
            acknowledged.append(number)


async def check(store: Store, group_id: str, acknowledged: list[int]) -> None:
    state = await store.group(group_id)
    numbers = range(1, state.tau + 1)
    assert set(acknowledged) <= set(numbers), "a commit that was acknowledged is lost"
    assert len(acknowledged) == len(set(acknowledged))
    assert (state.facts, state.versions, state.claims) == (len(numbers),) * 3


@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.soak)])
async def test_nothing_is_lost_or_doubled_when_the_server_is_killed_again_and_again(
    server: MavenServer, kills: int
) -> None:
    store = open_store(f"{server.url}?patience_s=2&timeout_s=2")
    await store.ensure_schema()
    acknowledged: list[list[int]] = [[] for _ in range(WRITERS)]
    stop = asyncio.Event()
    writers = [asyncio.create_task(write(store, f"g{n}", done, stop)) for n, done in enumerate(acknowledged)]

    for _ in range(kills):
        before = sum(map(len, acknowledged))
        while sum(map(len, acknowledged)) < before + 20:  # noqa: ASYNC110 - the writers signal nothing
            await asyncio.sleep(0.1)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
    stop.set()
    await asyncio.gather(*writers)

    for number, done in enumerate(acknowledged):
        await check(store, f"g{number}", done)
    assert await store.verify() == []
    await store.close()
