"""A commit whose answer is lost is tried again, and the second time it changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest

from graphmem.model import Erasure, JobOutcome, JobState, Tombstone
from graphmem.ports import Store, Verdict
from graphmem.stores import open_store
from tests.contract.build import GROUP, changes, episode, told
from tests.neo4j_server.cutting import CuttingProxy, cutting_proxy

pytestmark = pytest.mark.neo4j


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A store behind the proxy."""

    store: Store
    proxy: CuttingProxy


@pytest.fixture
async def cut(neo4j_url: str) -> AsyncIterator[Cut]:
    head, _, port = neo4j_url.partition("://")[2].rpartition(":")
    login = head.rpartition("@")[0]
    async with cutting_proxy(int(port)) as (proxy, own_port):
        store = open_store(f"bolt://{login + '@' if login else ''}127.0.0.1:{own_port}")
        await store.ensure_schema()
        yield Cut(store=store, proxy=proxy)
        await store.close()


async def test_an_accepted_episode_is_new_though_the_answer_was_lost(cut: Cut) -> None:
    cut.proxy.cuts = 1

    [acceptance] = await cut.store.accept([episode("ep-1")], 1)

    assert cut.proxy.was_cut == 1
    assert acceptance.verdict is Verdict.NEW
    assert await cut.store.jobs() == [acceptance.job]


async def test_a_lease_is_had_once(cut: Cut) -> None:
    await cut.store.accept([episode("ep-1"), episode("ep-2")], 1)
    cut.proxy.cuts = 1

    jobs = await cut.store.lease(owner="w", now=2, until=9, limit=5)

    assert cut.proxy.was_cut == 1
    assert [(job.job_id, job.attempts, job.fence) for job in jobs] == [("ep-1", 1, 1), ("ep-2", 1, 1)]


async def test_a_commit_is_written_once(cut: Cut) -> None:
    first = told(1, tau=10)
    await cut.store.accept([first.episode], 1)
    [job] = await cut.store.lease(owner="w", now=2, until=9, limit=1)
    done = JobOutcome(job_id=job.job_id, group_id=GROUP, fence=job.fence, state=JobState.DONE)
    cut.proxy.cuts = 1

    await cut.store.commit([replace(first.changes, job=done)])

    assert cut.proxy.was_cut == 1
    assert await cut.store.versions_of(GROUP, [first.fact.fact_id]) == [first.version]
    assert (await cut.store.group(GROUP)).tau == 10
    assert [job.state for job in await cut.store.jobs()] == [JobState.DONE]
    assert await cut.store.verify() == []


async def test_a_job_moves_on_once(cut: Cut) -> None:
    await cut.store.accept([episode("ep-1")], 1)
    [job] = await cut.store.lease(owner="w", now=2, until=9, limit=1)
    cut.proxy.cuts = 1

    await cut.store.finish(
        JobOutcome(job_id="ep-1", group_id=GROUP, fence=job.fence, state=JobState.QUARANTINED, reason="refused")
    )

    assert cut.proxy.was_cut == 1
    assert [job.state for job in await cut.store.jobs()] == [JobState.QUARANTINED]


async def test_an_erasure_is_done_once(cut: Cut) -> None:
    await cut.store.accept([episode("ep-1")], 1)
    gone = Tombstone(group_id=GROUP, target_id="ep-1", kind="episode", tau=10)
    cut.proxy.cuts = 1

    await cut.store.erase(
        Erasure(group_id=GROUP, based_on=changes(10).based_on, tau=10, tombstones=(gone,), episode_ids=("ep-1",))
    )

    assert cut.proxy.was_cut == 1
    assert await cut.store.episodes(GROUP, ["ep-1"]) == []
    assert (await cut.store.group(GROUP)).tau == 10
