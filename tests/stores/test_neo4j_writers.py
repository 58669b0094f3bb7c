"""Many writers at once: every commit is made once, in an order that the group's times tell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from graphmem.errors import CommitConflict
from graphmem.model import FactVersion
from graphmem.ports import Store, Verdict
from graphmem.stores import open_store
from graphmem.timeline.instants import MAX
from tests.contract.build import changes, episode, told, version

pytestmark = pytest.mark.neo4j

WRITERS = 8


@pytest.fixture
async def stores(neo4j_url: str) -> AsyncIterator[list[Store]]:
    """One store a writer, as in processes of their own."""
    opened = [open_store(neo4j_url) for _ in range(WRITERS)]
    await opened[0].ensure_schema()
    yield opened
    for store in opened:
        await store.close()


async def append(store: Store, group_id: str, writer: int, count: int) -> None:
    """Put a newer version in place of the open one, `count` times, as a fold does: read, decide, commit, redo if refused."""
    slot = told(0, group_id=group_id, tau=1)
    for number in range(count):
        while True:
            read = await store.read_timelines(group_id, facts=[slot.fact.key])
            tau = max(read.tau, 0) + 1
            row = version(f"v-{writer}-{number}", slot.fact, valid_at=tau, created_at=tau)
            open_ids = tuple(v.version_id for v in read.versions)
            try:
                await store.commit(
                    [changes(tau, based_on=read.tau, group_id=group_id, expire=open_ids, versions=(row,))]
                )
            except CommitConflict:
                continue
            break


async def begin(store: Store, group_id: str) -> None:
    first = told(0, group_id=group_id, tau=1)
    await store.accept([first.episode], 1)
    await store.commit([replace(first.changes, versions=(), support=())])


def check_chain(versions: list[FactVersion], length: int) -> None:
    """Each version ends, for the memory, when the next one begins."""
    assert len(versions) == length
    ends = [v.expired_at for v in versions]
    assert ends == [*(v.created_at for v in versions[1:]), MAX]


async def test_of_eight_writers_at_one_fact_none_is_lost_and_none_is_doubled(stores: list[Store]) -> None:
    await begin(stores[0], "hot")

    await asyncio.gather(*(append(store, "hot", n, 5) for n, store in enumerate(stores)))

    fact_id = told(0, group_id="hot", tau=1).fact.fact_id
    check_chain(list(await stores[0].versions_of("hot", [fact_id])), WRITERS * 5)


async def test_writers_at_many_groups_do_not_stand_in_each_others_way(stores: list[Store]) -> None:
    groups = [f"g{n}" for n in range(50)]
    await asyncio.gather(*(begin(stores[n % WRITERS], group) for n, group in enumerate(groups)))

    async def work(writer: int) -> None:
        for group in groups[writer::WRITERS]:
            await append(stores[writer], group, writer, 2)

    await asyncio.gather(*(work(n) for n in range(WRITERS)))

    for group in groups:
        fact_id = told(0, group_id=group, tau=1).fact.fact_id
        check_chain(list(await stores[0].versions_of(group, [fact_id])), 2)


async def test_an_episode_offered_by_all_at_once_is_new_once(stores: list[Store]) -> None:
    accepted = await asyncio.gather(*(store.accept([episode("ep-1"), episode("ep-2")], 1) for store in stores))

    verdicts = [one.verdict for some in accepted for one in some]
    assert verdicts.count(Verdict.NEW) == 2
    assert verdicts.count(Verdict.SAME) == 2 * WRITERS - 2
    assert [job.seq for job in await stores[0].jobs()] == [1, 2]


async def test_a_group_is_leased_by_one_of_all_who_ask(stores: list[Store]) -> None:
    await stores[0].accept([episode(f"ep-{n}") for n in range(4)], 1)

    leased = await asyncio.gather(
        *(store.lease(owner=str(n), now=2, until=9, limit=4) for n, store in enumerate(stores))
    )

    assert sorted(len(jobs) for jobs in leased) == [0] * (WRITERS - 1) + [4]
