"""The job table: leases, fencing, exclusivity of a group, and how jobs move on."""

from __future__ import annotations

import pytest

from graphmem.errors import InvalidInput, LeaseLost, NotFound
from graphmem.model import Job, JobOutcome, JobState
from graphmem.ports import Store

from .build import GROUP, episode


async def accept(store: Store, *ids: str, now: int = 10, group_id: str = GROUP) -> None:
    await store.accept([episode(i, group_id=group_id) for i in ids], now)


async def lease(
    store: Store, now: int = 20, until: int = 50, limit: int = 10, group_id: str | None = None
) -> list[Job]:
    return list(await store.lease(owner="w1", now=now, until=until, limit=limit, group_id=group_id))


def outcome(
    job_id: str, state: JobState, *, fence: int | None = None, group_id: str = GROUP, **rest: object
) -> JobOutcome:
    return JobOutcome(job_id=job_id, group_id=group_id, fence=fence, state=state, **rest)  # type: ignore[arg-type]


async def only(store: Store, job_id: str, group_id: str = GROUP) -> Job:
    [job] = await store.jobs(group_ids=[group_id], job_ids=[job_id])
    return job


async def test_a_lease_takes_jobs_in_order_of_acceptance_under_one_fence(store: Store) -> None:
    await accept(store, "c", "a", "b")

    jobs = await lease(store, limit=2)

    assert [job.job_id for job in jobs] == ["c", "a"]
    assert {(job.state, job.attempts, job.fence, job.owner, job.run_after) for job in jobs} == {
        (JobState.RUNNING, 1, 1, "w1", 50)
    }
    assert await store.jobs(states=[JobState.RUNNING]) == jobs
    assert (await only(store, "b")).state is JobState.QUEUED


async def test_nothing_is_leased_when_nothing_is_ready(store: Store) -> None:
    assert await lease(store) == []
    await accept(store, "a", now=30)
    assert await lease(store, now=29) == []
    assert await lease(store, now=30, limit=0) == []
    assert [job.job_id for job in await lease(store, now=30)] == ["a"]


async def test_a_group_with_a_live_lease_gives_none(store: Store) -> None:
    await accept(store, "a", "b")
    await lease(store, limit=1, until=50)

    assert await lease(store, now=49) == []
    assert await lease(store, now=49, group_id=GROUP) == []


async def test_a_lease_that_ended_is_taken_over_with_a_higher_fence(store: Store) -> None:
    await accept(store, "a", "b")
    await lease(store, limit=1, until=50)

    jobs = await lease(store, now=50, until=90)

    assert [(job.job_id, job.attempts, job.fence) for job in jobs] == [("a", 2, 2), ("b", 1, 2)]


async def test_groups_run_side_by_side_with_fences_of_their_own(store: Store) -> None:
    await accept(store, "a1", "a2")
    await accept(store, "b1", group_id="bob")

    [first] = await lease(store, limit=1)
    [second] = await lease(store, limit=1)

    assert (first.group_id, first.fence, second.group_id, second.fence) == (GROUP, 1, "bob", 1)
    assert await lease(store) == []


async def test_the_group_that_waited_longest_is_taken(store: Store) -> None:
    await accept(store, "late", now=15)
    await accept(store, "early", now=5, group_id="bob")
    await accept(store, "same", now=5, group_id="cid")

    assert [job.job_id for job in await lease(store)] == ["early"]
    assert [job.job_id for job in await lease(store)] == ["same"]
    assert [job.job_id for job in await lease(store)] == ["late"]


async def test_a_named_group_is_taken_though_another_waits_longer(store: Store) -> None:
    await accept(store, "early", now=5, group_id="bob")
    await accept(store, "late", now=15)

    assert [job.job_id for job in await lease(store, group_id=GROUP)] == ["late"]
    assert await lease(store, group_id="nobody") == []


async def test_a_job_that_waits_for_a_retry_does_not_hold_up_those_behind_it(store: Store) -> None:
    await accept(store, "a", "b")
    [job] = await lease(store, limit=1)
    await store.finish(outcome("a", JobState.RETRYING, fence=job.fence, run_after=100, reason="timeout"))

    assert [job.job_id for job in await lease(store, now=99, until=100)] == ["b"]
    assert [job.job_id for job in await lease(store, now=100)] == ["a", "b"]


async def test_extending_moves_the_end_of_every_job_under_the_fence(store: Store) -> None:
    await accept(store, "a", "b")
    await lease(store, until=50)

    await store.extend(group_id=GROUP, fence=1, until=80)

    assert {job.run_after for job in await store.jobs()} == {80}
    assert await lease(store, now=60) == []


async def test_extending_a_lost_lease_raises(store: Store) -> None:
    await accept(store, "a")
    await lease(store, until=50)
    await lease(store, now=50, until=90)

    with pytest.raises(LeaseLost):
        await store.extend(group_id=GROUP, fence=1, until=99)
    with pytest.raises(LeaseLost):
        await store.extend(group_id="bob", fence=2, until=99)
    assert (await only(store, "a")).run_after == 90


async def test_a_leased_job_moves_on_under_its_fence(store: Store) -> None:
    await accept(store, "a")
    [job] = await lease(store)

    await store.finish(outcome("a", JobState.RUNNING, fence=job.fence, answer="{}"))
    held = await only(store, "a")
    await store.finish(outcome("a", JobState.QUARANTINED, fence=job.fence, reason="refused", receipt="[]"))
    kept = await only(store, "a")

    assert (held.state, held.answer, held.owner, held.run_after) == (JobState.RUNNING, "{}", "w1", 50)
    assert (kept.state, kept.answer, kept.receipt, kept.owner, kept.reason, kept.attempts) == (
        JobState.QUARANTINED,
        "{}",
        "[]",
        "",
        "refused",
        1,
    )


async def test_a_job_cannot_be_moved_under_a_fence_that_is_not_the_running_one(store: Store) -> None:
    await accept(store, "a", "b")
    await lease(store, limit=1, until=50)
    await lease(store, now=50, until=90, limit=1)

    for job_id, fence in (("a", 1), ("a", 3), ("b", 2), ("b", 0)):
        with pytest.raises(LeaseLost):
            await store.finish(outcome(job_id, JobState.DONE, fence=fence))
    await store.finish(outcome("a", JobState.DONE, fence=2))
    with pytest.raises(LeaseLost):
        await store.finish(outcome("a", JobState.DONE, fence=2))


async def test_a_user_moves_what_waits_but_not_what_runs(store: Store) -> None:
    await accept(store, "a", "b")
    await lease(store, limit=1)

    with pytest.raises(LeaseLost):
        await store.finish(outcome("a", JobState.DROPPED))
    await store.finish(outcome("b", JobState.DROPPED, reason="not wanted"))

    assert (await only(store, "b")).state is JobState.DROPPED
    assert await store.count_jobs() == dict.fromkeys(JobState, 0) | {JobState.RUNNING: 1, JobState.DROPPED: 1}


async def test_a_user_can_only_queue_again_what_is_done(store: Store) -> None:
    await accept(store, "a")
    [job] = await lease(store)
    await store.finish(outcome("a", JobState.DONE, fence=job.fence, receipt="{}"))

    with pytest.raises(LeaseLost):
        await store.finish(outcome("a", JobState.DROPPED))
    await store.finish(outcome("a", JobState.QUEUED, run_after=70))

    again = await only(store, "a")
    assert (again.state, again.attempts, again.run_after, again.receipt) == (JobState.QUEUED, 0, 70, "{}")


async def test_attempts_count_from_zero_when_a_user_queues_a_job_again(store: Store) -> None:
    await accept(store, "a")
    [job] = await lease(store)
    await store.finish(outcome("a", JobState.QUARANTINED, fence=job.fence))
    await store.finish(outcome("a", JobState.QUEUED, run_after=60))

    [again] = await lease(store, now=60, until=99)

    assert (again.attempts, again.fence) == (1, 2)


async def test_a_lease_holder_that_gives_a_job_back_keeps_its_attempts(store: Store) -> None:
    await accept(store, "a")
    [job] = await lease(store)

    await store.finish(outcome("a", JobState.QUEUED, fence=job.fence, run_after=20))

    assert (await only(store, "a")).attempts == 1


async def test_only_a_lease_makes_a_job_run(store: Store) -> None:
    await accept(store, "a")

    with pytest.raises(InvalidInput):
        await store.finish(outcome("a", JobState.RUNNING))


async def test_an_unknown_job_is_not_found(store: Store) -> None:
    await accept(store, "a")

    for job_id, group_id in (("x", GROUP), ("a", "bob")):
        with pytest.raises(NotFound):
            await store.finish(outcome(job_id, JobState.DROPPED, group_id=group_id))
        with pytest.raises(NotFound):
            await store.finish(outcome(job_id, JobState.DONE, fence=1, group_id=group_id))


async def test_jobs_are_listed_by_every_selection_in_order_of_acceptance(store: Store) -> None:
    await accept(store, "b", "a")
    await accept(store, "a", group_id="bob")
    await store.finish(outcome("b", JobState.DROPPED))

    def keys(jobs: object) -> list[tuple[str, str]]:
        return [(job.group_id, job.job_id) for job in jobs]  # type: ignore[attr-defined]

    assert keys(await store.jobs()) == [(GROUP, "b"), (GROUP, "a"), ("bob", "a")]
    assert keys(await store.jobs(limit=2)) == [(GROUP, "b"), (GROUP, "a")]
    assert keys(await store.jobs(group_ids=["bob", "x"])) == [("bob", "a")]
    assert keys(await store.jobs(states=[JobState.DROPPED, JobState.DONE])) == [(GROUP, "b")]
    assert keys(await store.jobs(job_ids=["a"])) == [(GROUP, "a"), ("bob", "a")]
    assert keys(await store.jobs(job_ids=["a", "b"], group_ids=[GROUP], states=[JobState.QUEUED])) == [(GROUP, "a")]
    assert keys(await store.jobs(job_ids=[])) == keys(await store.jobs(states=[])) == []
    with pytest.raises(InvalidInput):
        await store.jobs(limit=-1)


async def test_jobs_are_counted_by_state(store: Store) -> None:
    assert await store.count_jobs() == dict.fromkeys(JobState, 0)
    await accept(store, "a", "b")
    await accept(store, "c", group_id="bob")
    await lease(store, limit=1, group_id=GROUP)

    assert await store.count_jobs() == dict.fromkeys(JobState, 0) | {JobState.RUNNING: 1, JobState.QUEUED: 2}
    assert await store.count_jobs(["bob"]) == dict.fromkeys(JobState, 0) | {JobState.QUEUED: 1}


async def test_the_next_run_is_that_of_waiting_and_running_jobs(store: Store) -> None:
    await accept(store, "a", now=30)
    await accept(store, "b", now=10, group_id="bob")

    assert await store.next_run_at() == 10
    assert await store.next_run_at(GROUP) == 30
    assert await store.next_run_at("nobody") is None

    await lease(store, group_id="bob", until=50)
    assert await store.next_run_at() == 30
    assert await store.next_run_at("bob") == 50
    await store.finish(outcome("b", JobState.DONE, fence=1, group_id="bob"))
    assert await store.next_run_at("bob") is None


async def test_what_happened_to_a_job_does_not_move_the_groups_transaction_time(store: Store) -> None:
    before = (await store.group(GROUP)).tau
    await accept(store, "a")
    await lease(store)

    assert (await store.group(GROUP)).tau == before
