"""Time words found in a text, and what they denote."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphmem.timeline.calendar import cut
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import Instant
from graphmem.timeline.passage import Passage, Reading

__all__ = ["Operator", "TimeExpression", "expression"]


class Operator(StrEnum):
    """How an expression uses the unit it names. With a clause instead of a unit: how it stands to that event."""

    AT = "at"
    AS_OF = "as of"
    SINCE = "since"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"
    BY = "by"
    RANGE = "range"
    """From one unit to another, both included."""
    ROLLING = "rolling"
    """So much time up to now, or from now on."""
    WHEN = "when"
    WHILE = "while"


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeExpression:
    """Time words of a text, characters [start, end), and what they mean."""

    text: str
    start: int
    end: int
    operator: Operator
    granule: Granule | None = None
    """The unit named: March in "since March"; None for an event."""
    until: Granule | None = None
    """The second unit of a range."""
    window: tuple[Instant, Instant] | None = None
    """The half-open stretch denoted, MIN or MAX where it is open; None for an event."""
    clause: str | None = None
    """The event that dates it, verbatim ("she joined Globex" in "before she joined Globex"); times in it are found too."""
    is_fuzzy: bool = False
    """Said to be inexact: "around 2015", "a few weeks ago"."""


def expression(
    passage: Passage, at: int, end: int, operator: Operator, reading: Reading, window: tuple[Instant, Instant]
) -> TimeExpression:
    """The expression from `at` to `end` that names a reading's unit."""
    return TimeExpression(
        text=passage.text[at:end],
        start=at,
        end=end,
        operator=operator,
        granule=cut(reading.span, passage.zone),
        window=window,
        is_fuzzy=reading.is_fuzzy,
    )
