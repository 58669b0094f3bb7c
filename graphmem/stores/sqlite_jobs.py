"""Accepting episodes and the job table, on one connection inside a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphmem.errors import InvalidInput, LeaseLost, NotFound
from graphmem.groups import check_group
from graphmem.model import Episode, Job, JobOutcome, JobState
from graphmem.ports import Acceptance, SearchTarget, Verdict
from graphmem.stores.promises import check_may_move, starts_over
from graphmem.stores.search_text import episode_terms
from graphmem.stores.sqlite_rows import decoded, episode_row, job_of, job_row
from graphmem.stores.sqlite_statements import first, listed_or_none, rows, run, run_many
from graphmem.stores.sqlite_texts import put_texts
from graphmem.timeline.instants import Instant

__all__ = ["accept", "count_jobs", "extend", "finish", "jobs", "lease", "next_run_at"]


def accept(
    connection: sqlite3.Connection, episodes: Sequence[Episode], now: Instant, answers: Mapping[str, str]
) -> list[Acceptance]:
    return [_accept_one(connection, episode, now, answers.get(episode.episode_id)) for episode in episodes]


def _accept_one(connection: sqlite3.Connection, episode: Episode, now: Instant, answer: str | None) -> Acceptance:
    check_group(episode.group_id)
    if "\0" in episode.episode_id:
        raise InvalidInput("an episode id must not hold a NUL character")
    key = {"group_id": episode.group_id, "episode_id": episode.episode_id}
    if first(connection, "erased_episode", **key):
        return Acceptance(episode_id=episode.episode_id, verdict=Verdict.ERASED, job=None)
    met = first(connection, "episode_digest", **key)
    if met is None:
        job = _keep(connection, episode, now, answer)
        return Acceptance(episode_id=episode.episode_id, verdict=Verdict.NEW, job=job)
    verdict = Verdict.SAME if met["digest"] == episode.digest else Verdict.CONFLICT
    job = _job(connection, episode.group_id, episode.episode_id)
    return Acceptance(episode_id=episode.episode_id, verdict=verdict, job=job)


def _keep(connection: sqlite3.Connection, episode: Episode, now: Instant, answer: str | None) -> Job:
    [kept] = rows(connection, "put_episode", **episode_row(episode))
    put_texts(connection, SearchTarget.EPISODE, episode.group_id, {kept["seq"]: episode_terms(episode)})
    job = Job(
        job_id=episode.episode_id,
        group_id=episode.group_id,
        seq=kept["seq"],
        run_after=now,
        answer=answer,
        accepted_at=now,
    )
    run(connection, "put_job", **job_row(job))
    return job


def lease(
    connection: sqlite3.Connection, *, owner: str, now: Instant, until: Instant, limit: int, group_id: str | None
) -> list[Job]:
    if group_id is None:
        waiting = first(connection, "ready_group", now=now)
        if waiting is None:
            return []
        group_id = str(waiting["group_id"])
    ready = decoded(job_of, rows(connection, "ready_jobs", group_id=group_id, now=now, limit=limit))
    if not ready:
        return []
    [bumped] = rows(connection, "next_fence", group_id=group_id)
    leased = [
        replace(
            job,
            state=JobState.RUNNING,
            attempts=job.attempts + 1,
            fence=bumped["fence"],
            owner=owner,
            run_after=until,
        )
        for job in ready
    ]
    run_many(connection, "move_job", [job_row(job) for job in leased])
    return leased


def extend(connection: sqlite3.Connection, *, group_id: str, fence: int, until: Instant) -> None:
    leased = decoded(job_of, rows(connection, "leased_jobs", group_id=group_id, fence=fence))
    if not leased:
        raise LeaseLost(f"no job of group {group_id!r} runs under lease {fence}: another worker has it, or it is done")
    run_many(connection, "move_job", [job_row(replace(job, run_after=until)) for job in leased])


def finish(connection: sqlite3.Connection, outcome: JobOutcome) -> None:
    job = _job(connection, outcome.group_id, outcome.job_id)
    check_may_move(job, outcome)
    moved = replace(
        job,
        state=outcome.state,
        reason=outcome.reason,
        run_after=job.run_after if outcome.run_after is None else outcome.run_after,
        answer=job.answer if outcome.answer is None else outcome.answer,
        receipt=job.receipt if outcome.receipt is None else outcome.receipt,
        owner=job.owner if outcome.state is JobState.RUNNING else "",
        attempts=0 if starts_over(outcome) else job.attempts,
    )
    run(connection, "move_job", **job_row(moved))


def jobs(
    connection: sqlite3.Connection,
    *,
    group_ids: Sequence[str] | None,
    states: Sequence[JobState] | None,
    job_ids: Sequence[str] | None,
    limit: int,
) -> list[Job]:
    name = "jobs" if job_ids is None else "jobs_by_id"
    found = rows(
        connection,
        name,
        group_ids=listed_or_none(group_ids),
        states=listed_or_none(states),
        job_ids=listed_or_none(job_ids),
        limit=limit,
    )
    return decoded(job_of, found)


def count_jobs(connection: sqlite3.Connection, group_ids: Sequence[str] | None) -> Mapping[JobState, int]:
    found = rows(connection, "count_jobs", group_ids=listed_or_none(group_ids))
    counts = {row["state"]: row["jobs"] for row in found}
    return {state: counts.get(state.value, 0) for state in JobState}


def next_run_at(connection: sqlite3.Connection, group_id: str | None) -> Instant | None:
    if group_id is None:
        [found] = rows(connection, "next_run_at")
    else:
        [found] = rows(connection, "next_run_at_of_group", group_id=group_id)
    run_after: Instant | None = found["run_after"]
    return run_after


def _job(connection: sqlite3.Connection, group_id: str, job_id: str) -> Job:
    found = first(connection, "job", group_id=group_id, job_id=job_id)
    if found is None:
        raise NotFound(f"group {group_id!r} has no job {job_id!r}")
    [job] = decoded(job_of, [found])
    return job
