"""What becomes of a job whose episode could not be read: tried again, set aside, or queued until somebody acts."""

from __future__ import annotations

import random
from dataclasses import dataclass

from graphmem.errors import (
    AnswerTruncated,
    InvalidInput,
    MalformedAnswer,
    ModelHalted,
    ModelRefused,
    ModelUnavailable,
    PromptTooLong,
)
from graphmem.ingest.extract import Failed
from graphmem.model import JobState
from graphmem.timeline.instants import SECOND, Instant

__all__ = ["MAX_ATTEMPTS", "Fate", "fate_of"]

MAX_ATTEMPTS = 5
_MAX_MALFORMED = 3
_RETRY_BASE_S = 1.0
_RETRY_CAP_S = 300.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Fate:
    """The next state of a job."""

    state: JobState
    reason: str
    run_after: Instant | None = None
    starts_over: bool = False
    """Its attempts are counted from nothing: they failed for a reason that has nothing to do with the episode."""


def fate_of(failed: Failed, now: Instant) -> Fate:
    """What becomes of the job. What may pass is tried again, with full jitter; what cannot pass is set aside.

    A model that cannot be reached never costs a job its attempts; a model that is halted leaves it queued.
    """
    error, job = failed.error, failed.job
    reason = f"{type(error).__name__}: {error}"
    match error:
        case ModelHalted():
            return Fate(state=JobState.QUEUED, reason=reason, run_after=now, starts_over=True)
        case ModelRefused():
            return Fate(state=JobState.QUARANTINED, reason=f"refusal: {error}")
        case AnswerTruncated() | PromptTooLong():
            return Fate(state=JobState.QUARANTINED, reason=f"truncated: {error}")
        case InvalidInput():
            return Fate(state=JobState.QUARANTINED, reason=reason)
        case MalformedAnswer() if job.attempts >= _MAX_MALFORMED:
            return Fate(state=JobState.QUARANTINED, reason=reason)
        case ModelUnavailable():
            is_last = job.attempts >= MAX_ATTEMPTS
            return Fate(state=JobState.RETRYING, reason=reason, run_after=_later(failed, now), starts_over=is_last)
        case _ if job.attempts >= MAX_ATTEMPTS:
            return Fate(state=JobState.QUARANTINED, reason=reason)
        case _:
            return Fate(state=JobState.RETRYING, reason=reason, run_after=_later(failed, now))


def _later(failed: Failed, now: Instant) -> Instant:
    """After a wait that doubles with every attempt, spread over its whole length; never before the provider allows it."""
    wait_s = random.uniform(0, min(_RETRY_CAP_S, _RETRY_BASE_S * 2**failed.job.attempts))
    return now + int(max(wait_s, getattr(failed.error, "retry_after_s", 0.0)) * SECOND)
