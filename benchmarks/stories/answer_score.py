"""Whether an answer is right: by its words, or by the span of time it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from benchmarks.stories.loading import GoldClaim, Span, StoryQuestion
from benchmarks.stories.spelling import answer_key, plain

__all__ = ["Reply", "is_right", "is_right_in_words"]

_NO_ANSWER = frozenset({"", "unknown", "no answer", "none", "i dont know"})
_DAY = timedelta(days=1)
_UNITS = {"h": _DAY / 24, "d": _DAY, "w": 7 * _DAY, "m": 30.44 * _DAY, "y": 365.25 * _DAY}
_TOLERANCE = 0.51


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the memory answered; no values: it is not known."""

    values: tuple[str, ...] = ()
    granules: tuple[Span, ...] = ()
    """For dates: the spans in which they lie."""
    elapsed: tuple[timedelta, timedelta] | None = None
    """For lengths of time: at least and at most."""


def is_right(question: StoryQuestion, reply: Reply, claims: Sequence[GoldClaim]) -> bool:
    """Whether the reply says what the question's answers say; `claims` are the story's."""
    return (
        is_right_in_words(question, reply.values)
        or (question.granule is not None and _is_right_date(question.granule, reply.granules, claims))
        or (bool(question.durations) and _is_right_length(question.durations, reply.elapsed))
    )


def is_right_in_words(question: StoryQuestion, values: Sequence[str]) -> bool:
    """A set must be met whole and alone, a history in its order; without answers only no answer is right."""
    given = [answer_key(value) for value in values if plain(value) not in _NO_ANSWER]
    if question.type == "abstain":
        return not given
    wanted = [{answer_key(alias) for alias in aliases} for aliases in question.answers]
    if len(given) != len(wanted):
        return False
    if question.type == "history":
        return all(value in aliases for value, aliases in zip(given, wanted, strict=True))
    for value in given:
        met = next((aliases for aliases in wanted if value in aliases), None)
        if met is None:
            return False
        wanted.remove(met)
    return True


def _is_right_date(wanted: Span, granules: Sequence[Span], claims: Sequence[GoldClaim]) -> bool:
    """The wanted granule itself, or a narrower one where the wanted one was said."""
    if len(granules) != 1:
        return False
    if granules[0] == wanted:
        return True
    said = any(wanted in (claim.start, claim.end) for claim in claims)
    return said and _lies_in(granules[0], wanted)


def _lies_in(inner: Span, outer: Span) -> bool:
    (lo, hi), (outer_lo, outer_hi) = inner, outer
    begins_inside = outer_lo is None or (lo is not None and outer_lo <= lo)
    ends_inside = outer_hi is None or (hi is not None and hi <= outer_hi)
    return begins_inside and ends_inside


def _is_right_length(durations: Sequence[str], elapsed: tuple[timedelta, timedelta] | None) -> bool:
    if elapsed is None:
        return False
    shortest, longest = elapsed
    for duration in durations:
        unit = _UNITS[duration[-1]]
        length, slack = float(duration[:-1]) * unit, _TOLERANCE * unit
        if not shortest - slack <= length <= longest + slack:
            return False
    return True
