"""Accepting episodes and the job table on Neo4j.

Whatever moves a job takes the lock of its group first, so what is read after that stays as it is until the commit. A call has an
id of its own, kept with the jobs it writes: when an answer is lost and the driver tries again, the call knows its own work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from graphmem.errors import LeaseLost, NotFound
from graphmem.groups import check_group
from graphmem.model import Episode, Job, JobOutcome, JobState
from graphmem.ports import Acceptance, Verdict
from graphmem.stores.neo4j_connections import Connections, Transaction
from graphmem.stores.neo4j_rows import Properties, Value, decoded, episode_row, job_of, job_row, refuse_nul
from graphmem.stores.neo4j_times import NEVER, bound_text, instant_of, instant_text
from graphmem.stores.promises import check_may_move, starts_over
from graphmem.timeline.instants import Instant

__all__ = [
    "accept",
    "count_jobs",
    "extend",
    "finish",
    "jobs",
    "lease",
    "moved_values",
    "new_call",
    "next_run_at",
]

_Key = tuple[str, str]


def new_call() -> str:
    """The id of one call, made before its first attempt."""
    return uuid4().hex


async def accept(
    connections: Connections, episodes: Sequence[Episode], now: Instant, answers: Mapping[str, str]
) -> list[Acceptance]:
    for episode in episodes:
        check_group(episode.group_id)
        refuse_nul([episode.episode_id])
    if not episodes:
        return []
    call = new_call()

    async def act(transaction: Transaction) -> list[Acceptance]:
        first = {_key(episode): episode for episode in reversed(episodes)}
        asked = [{"group_id": group_id, "id": episode_id} for group_id, episode_id in first]
        [found] = await transaction.rows("offered_episodes", episodes=asked)
        seq = int(found["seq"])
        met = _met(found["offered"], call)
        new: dict[_Key, _Met] = {}
        for episode in episodes:
            key = _key(episode)
            if key not in met and key not in new:
                seq += 1
                job = _queued(episode, seq, now, answers.get(episode.episode_id))
                new[key] = _Met(digest=episode.digest, job=job, is_new=True)
        if new:
            rows = [
                {"episode": episode_row(first[key], it.job.seq), "job": job_row(it.job, call)}
                for key, it in new.items()
                if it.job is not None
            ]
            await transaction.run("put_episode", rows=rows, seq=seq, never=NEVER)
        return _verdicts(episodes, met | new)

    return await connections.write(act)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Met:
    """What is stored under an id; without a job: it was erased."""

    digest: bytes = b""
    job: Job | None = None
    is_new: bool = False


def _key(episode: Episode) -> _Key:
    return episode.group_id, episode.episode_id


def _met(offered: Iterable[Properties], call: str) -> dict[_Key, _Met]:
    met: dict[_Key, _Met] = {}
    for row in offered:
        key = (str(row["group_id"]), str(row["id"]))
        if row["erased"]:
            met[key] = _Met()
        elif row["job"] is not None:
            [(job, writer)] = decoded(_with_call, [row["job"]])
            met[key] = _Met(digest=bytes.fromhex(str(row["digest"])), job=job, is_new=writer == call)
    return met


def _verdicts(episodes: Sequence[Episode], met: Mapping[_Key, _Met]) -> list[Acceptance]:
    answered: set[_Key] = set()
    verdicts: list[Acceptance] = []
    for episode in episodes:
        key = _key(episode)
        it = met[key]
        if it.job is None:
            verdict = Verdict.ERASED
        elif it.is_new and key not in answered:
            verdict = Verdict.NEW
        else:
            verdict = Verdict.SAME if it.digest == episode.digest else Verdict.CONFLICT
        answered.add(key)
        verdicts.append(Acceptance(episode_id=episode.episode_id, verdict=verdict, job=it.job))
    return verdicts


def _queued(episode: Episode, seq: int, now: Instant, answer: str | None) -> Job:
    return Job(
        job_id=episode.episode_id,
        group_id=episode.group_id,
        seq=seq,
        run_after=now,
        accepted_at=now,
        answer=answer,
    )


async def lease(
    connections: Connections, *, owner: str, now: Instant, until: Instant, limit: int, group_id: str | None
) -> list[Job]:
    call = new_call()
    values: dict[str, Value] = {
        "owner": owner,
        "now": bound_text(now),
        "until": instant_text(until),
        "limit": limit,
        "call": call,
        "never": NEVER,
    }
    if not limit:
        return []
    if group_id is None:
        ready = await connections.read("ready_group", now=bound_text(now))
    else:
        # Asked before anything is written: most polls find nothing.
        ready = await connections.read("has_ready_job", group_id=group_id, now=bound_text(now))
    if not ready or ready[0]["group_id"] is None:
        return []
    wanted = str(ready[0]["group_id"])

    async def act(transaction: Transaction) -> list[Job]:
        if transaction.attempt > 1:
            ours = await transaction.rows("leased_by_call", group_id=wanted, until=instant_text(until), call=call)
            if ours:
                return decoded(job_of, (row["job"] for row in ours))
        return decoded(job_of, (row["job"] for row in await transaction.rows("lease_jobs", group_id=wanted, **values)))

    return await connections.write(act)


async def extend(connections: Connections, *, group_id: str, fence: int, until: Instant) -> None:
    async def act(transaction: Transaction) -> int:
        found = await transaction.rows("extend_lease", group_id=group_id, fence=fence, until=instant_text(until))
        return int(found[0]["extended"]) if found else 0

    if not await connections.write(act):
        raise LeaseLost(f"no job of group {group_id!r} runs under lease {fence}: another worker has it, or it is done")


async def finish(connections: Connections, outcome: JobOutcome) -> None:
    call = new_call()

    async def act(transaction: Transaction) -> None:
        found = await transaction.rows("lock_job", group_id=outcome.group_id, job_id=outcome.job_id)
        if not found:
            raise NotFound(f"group {outcome.group_id!r} has no job {outcome.job_id!r}")
        [(job, writer)] = decoded(_with_call, [found[0]["job"]])
        if writer == call:
            return
        check_may_move(job, outcome)
        values = moved_values(outcome, call)
        await transaction.run("move_job", group_id=outcome.group_id, job_id=outcome.job_id, values=values)

    await connections.write(act)


def moved_values(outcome: JobOutcome, call: str) -> Properties:
    """The properties that change when a job moves on."""
    values: dict[str, Value] = {"state": outcome.state.value, "reason": outcome.reason, "call": call}
    if outcome.run_after is not None:
        values["run_after"] = instant_text(outcome.run_after)
    if outcome.answer is not None:
        values["answer"] = outcome.answer
    if outcome.receipt is not None:
        values["receipt"] = outcome.receipt
    if outcome.state is not JobState.RUNNING:
        values["owner"] = ""
    if starts_over(outcome):
        values["attempts"] = 0
    return values


async def jobs(
    connections: Connections,
    *,
    group_ids: Sequence[str] | None,
    states: Sequence[JobState] | None,
    job_ids: Sequence[str] | None,
    limit: int,
) -> list[Job]:
    wanted_states = None if states is None else [state.value for state in states]
    if job_ids is not None:
        found = await connections.read(
            "jobs_by_id",
            job_ids=list(dict.fromkeys(job_ids)),
            group_ids=group_ids,
            states=wanted_states,
            limit=limit,
        )
    elif group_ids is not None:
        found = await connections.read("jobs_by_group", group_ids=group_ids, states=wanted_states, limit=limit)
    else:
        found = await connections.read("jobs", states=wanted_states, limit=limit)
    return decoded(job_of, (row["job"] for row in found))


async def count_jobs(connections: Connections, group_ids: Sequence[str] | None) -> Mapping[JobState, int]:
    states = [state.value for state in JobState]
    if group_ids is None:
        found = await connections.read("count_jobs", states=states)
    else:
        found = await connections.read("count_jobs_of_groups", states=states, group_ids=group_ids)
    counts = {row["state"]: int(row["jobs"]) for row in found}
    return {state: counts.get(state.value, 0) for state in JobState}


async def next_run_at(connections: Connections, group_id: str | None) -> Instant | None:
    if group_id is None:
        [found] = await connections.read("next_run_at")
    else:
        [found] = await connections.read("next_run_at_of_group", group_id=group_id)
    return None if found["run_after"] is None else instant_of(found["run_after"])


def _with_call(row: Properties) -> tuple[Job, str]:
    return job_of(row), str(row["call"])
