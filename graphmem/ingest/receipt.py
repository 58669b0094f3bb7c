"""The receipt of an episode: what its claims added, closed and re-dated, what was left out and why, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from graphmem.ingest.fold_state import FoldDiff
from graphmem.model import Job, JobState
from graphmem.ports import Verdict
from graphmem.timeline.instants import Instant

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["Receipt", "Redating", "receipt_from", "redatings", "waiting_receipt"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Redating:
    """A fact that stays with other dates: the version that was closed and those that took its place."""

    fact_id: str
    closed: str
    opened: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What became of one episode. `state` says whether that is final."""

    episode_id: str
    group_id: str
    verdict: Verdict
    """NEW, or SAME for a retry: then the rest tells what the first call did."""
    state: JobState
    tau: Instant | None = None
    """Transaction time of its claims; None: none were written."""
    claims: int = 0
    added: tuple[str, ...] = ()
    """Ids of facts that have versions now and had none before."""
    closed: tuple[str, ...] = ()
    """Ids of facts that are believed no more, as after a NEVER."""
    redated: tuple[Redating, ...] = ()
    ignored: tuple[str, ...] = ()
    """What was left out and why, one sentence each, without personal text."""
    reason: str = ""
    """Why it is retrying or quarantined."""
    calls: int = 0
    """Calls to a model."""
    tokens: int = 0


@cache
def _form() -> TypeAdapter[Receipt]:
    from pydantic import TypeAdapter  # here: it takes long to import, and a memory that is only read can do without

    return TypeAdapter(Receipt)


def redatings(
    diff: FoldDiff, known_before: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Redating, ...]]:
    """(added, closed, redated) of one diff; `known_before`: facts that had a version before it."""
    opened: dict[str, list[str]] = {}
    for version in diff.versions:
        opened.setdefault(version.fact_id, []).append(version.version_id)
    gone = {v.fact_id: v.version_id for v in diff.expire}
    added = tuple(f for f in opened if f not in gone and f not in known_before)
    closed = tuple(f for f in gone if f not in opened)
    redated = tuple(
        Redating(fact_id=f, closed=gone.get(f, ""), opened=tuple(ids)) for f, ids in opened.items() if f not in added
    )
    return added, closed, redated


def to_json(receipt: Receipt) -> str:
    return _form().dump_json(receipt).decode()


def receipt_from(job: Job, verdict: Verdict) -> Receipt:
    """The receipt of a job as it stands."""
    if job.receipt is None:
        return waiting_receipt(job, verdict)
    return replace(_form().validate_json(job.receipt), verdict=verdict, state=job.state, reason=job.reason)


def waiting_receipt(job: Job, verdict: Verdict) -> Receipt:
    return Receipt(episode_id=job.job_id, group_id=job.group_id, verdict=verdict, state=job.state, reason=job.reason)


def merged_notes(*notes: Sequence[str]) -> tuple[str, ...]:
    """All notes in order, each once."""
    return tuple(dict.fromkeys(note for some in notes for note in some))
