"""What every store promises in the same words: what it refuses, when a job may move on, in which order it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from graphmem.errors import EmbedderMismatch, InvalidInput, LeaseLost
from graphmem.model import Job, JobOutcome, JobState
from graphmem.ports import EmbeddingModel

__all__ = ["as_asked", "check_limit", "check_may_move", "other_embedder", "starts_over"]

T = TypeVar("T")


def check_limit(limit: int | None) -> None:
    """Raises InvalidInput for a negative limit."""
    if limit is not None and limit < 0:
        raise InvalidInput(f"a limit must not be negative: {limit}")


def check_may_move(job: Job, outcome: JobOutcome) -> None:
    """Raises LeaseLost or InvalidInput where the job as it stands may not move on so."""
    if outcome.fence is None:
        if outcome.state is JobState.RUNNING:
            raise InvalidInput(f"job {job.job_id!r} can be made to run by leasing it only")
        if job.state is JobState.RUNNING:
            raise LeaseLost(f"job {job.job_id!r} is running: wait until its lease ends")
        if job.state is JobState.DONE and outcome.state is not JobState.QUEUED:
            raise LeaseLost(f"job {job.job_id!r} is done: it can only be queued again")
    elif job.state is not JobState.RUNNING or job.fence != outcome.fence:
        raise LeaseLost(f"job {job.job_id!r} no longer runs under lease {outcome.fence}")


def starts_over(outcome: JobOutcome) -> bool:
    """Whether a job is queued anew from outside, its attempts forgotten."""
    return outcome.fence is None and outcome.state is JobState.QUEUED


def as_asked(ids: Sequence[str], found: Iterable[T], id_of: Callable[[T], str]) -> list[T]:
    """What was found in the order of the ids asked for, each once."""
    by_id = {id_of(item): item for item in found}
    return [by_id[item_id] for item_id in dict.fromkeys(ids) if item_id in by_id]


def other_embedder(kept: EmbeddingModel | None, given: EmbeddingModel) -> EmbedderMismatch:
    """The error for vectors of another model than the store keeps."""
    if kept is None:
        return EmbedderMismatch(f"the store keeps no vectors yet: start them with {given.name!r} first")
    return EmbedderMismatch(
        f"the store keeps vectors of {kept.name!r} ({kept.dimension} dimensions), not of {given.name!r} "
        f"({given.dimension}): use that embedder, or make the vectors anew"
    )
