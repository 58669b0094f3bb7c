"""Granules: a stated bound as a span with the unit it was said in, never a made-up instant (R3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphmem.errors import InvalidTime
from graphmem.timeline.instants import MIN, Instant

__all__ = ["ALWAYS", "Granule", "Unit"]


class Unit(StrEnum):
    """The unit a bound was said in, finest first. FUZZY: the words give no unit ("around 2015")."""

    INSTANT = "instant"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    QUARTER = "quarter"
    HALF = "half"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"
    FUZZY = "fuzzy"


@dataclass(frozen=True, kw_only=True, slots=True)
class Granule:
    """The span [lo, hi) in which a bound lies, with its unit. An open side is MIN or MAX.

    `lo == hi`: the bound is exactly there, as where one fact cuts another, or at MIN for "always" (R4).
    """

    lo: Instant
    hi: Instant
    unit: Unit = Unit.FUZZY

    def __post_init__(self) -> None:
        if not isinstance(self.lo, int) or not isinstance(self.hi, int):
            raise InvalidTime(
                f"a bound is made of instants (see `to_instant`), not of {self.lo!a:.60} and {self.hi!a:.60}"
            )
        if self.lo > self.hi:
            raise InvalidTime(f"a bound must not end before it begins: [{self.lo}, {self.hi}) µs")

    def contains(self, other: Granule) -> bool:
        return self.lo <= other.lo and other.hi <= self.hi

    def overlaps(self, other: Granule) -> bool:
        return self.lo < other.hi and other.lo < self.hi


ALWAYS = Granule(lo=MIN, hi=MIN, unit=Unit.INSTANT)
"""The start of "has always": certain without a beginning (R4)."""
