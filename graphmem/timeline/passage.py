"""A text on its way through the time rules: where it stands in time, what surrounds a place in it, and what was read there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from graphmem.timeline import spans
from graphmem.timeline.phrases import Tense
from graphmem.timeline.spans import Span

__all__ = ["Passage", "Reading", "SpanOfYear", "in_year"]

SpanOfYear = Callable[[int], Span]
"""Makes the same unit in another year; ValueError where that year has none (29 February)."""

_LOOK_BACK = 28
_LEAP_CYCLE = 8
_WORD_BEFORE = re.compile(r"([a-z]+)(?:\.?,? ?|-)$")
_WORD_AFTER = re.compile(r" ([a-z]{2,})(?![\w'])")
_FUNCTION_WORD_LIST = (
    "and or but nor so yet he she it we you they who which that this there here when while where because since before after "
    "until till as if than then with without at to for from by on in of over is was are were has have had will would can "
    "could did do does not never my your his her its our their the an all just also too again only still already now "
    "through onwards onward around about"
)
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_SAME_LENGTH = {ord(upper): upper.lower() for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_SAME_LENGTH |= {ord("’"): "'", ord("‘"): "'", ord("–"): "-", ord("—"): "-", ord("‐"): "-", ord("‑"): "-"}
_SAME_LENGTH = _SAME_LENGTH | {ord(blank): " " for blank in "\t\u00a0\u2007\u2009\u202f"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What was read at one place: a unit of time, up to `end` in the text."""

    span: Span
    end: int
    window: Span | None = None
    """The stretch meant, where it differs from the unit: the evening of a day, the years up to now."""
    of_year: SpanOfYear | None = None
    """Given if the words leave the year open."""
    is_fuzzy: bool = False
    is_rolling: bool = False
    """Counted back or on from the moment of speaking ("the past week")."""
    is_relative: bool = False
    """Said from the moment of speaking ("last week", "yesterday", "two days ago")."""

    @property
    def meant(self) -> Span:
        return self.window or self.span


def in_year(of_year: SpanOfYear, year: int) -> Span | None:
    """The unit in a year; None where that year has none."""
    if not 1 <= year <= 9998:
        return None
    try:
        return of_year(year)
    except ValueError:
        return None


class Passage:
    """A text with the moment it was said at. `low` is its lower case, letter for letter of the same length."""

    def __init__(self, text: str, said_at: datetime, zone: tzinfo, tense: Tense, *, southern: bool) -> None:
        self.text = text
        self.low = text.translate(_SAME_LENGTH)
        self.said_at = said_at
        self.zone = zone
        self.now = said_at.replace(tzinfo=None)
        self.today: date = self.now.date()
        self.tense = tense
        self.southern = southern
        self.units: dict[int, Reading | None] = {}
        self.terms: dict[int, Reading | None] = {}
        self.depth = 0
        self.first = len(text) - len(text.lstrip())
        self.last = len(text.rstrip(" \t\n.,;:!?\"')"))

    def local(self, moment: datetime) -> datetime:
        """The wall-clock time of an aware moment in the passage's zone."""
        try:
            return moment.astimezone(self.zone).replace(tzinfo=None)
        except OverflowError:
            return moment.replace(tzinfo=None)

    def later(self, delta: timedelta) -> datetime:
        """The wall clock so much real time later; the clocks may have been changed in between."""
        try:
            return self.local(self.said_at.astimezone(UTC) + delta)
        except OverflowError:
            return spans.add(self.now, delta)

    def before(self, at: int) -> str:
        """The few characters before a place."""
        return self.low[max(0, at - _LOOK_BACK) : at]

    def word_before(self, at: int) -> str:
        """The word before a place; empty where a sentence or a bracket ends there."""
        found = _WORD_BEFORE.search(self.before(at))
        return found[1] if found else ""

    def is_whole(self, at: int, end: int) -> bool:
        """Whether the passage is nothing but what stands from `at` to `end`."""
        return at <= self.first and end >= self.last

    def has_noun_after(self, end: int) -> bool:
        """Whether what ends there only modifies the next word: "the summer concert", "a Christmas card"."""
        following = _WORD_AFTER.match(self.text, end)
        return following is not None and following[1] not in _FUNCTION_WORDS

    def is_capital(self, at: int) -> bool:
        return self.text[at : at + 1].isupper()

    def in_open_year(self, of_year: SpanOfYear) -> Span | None:
        """The unit in the year the tense points at: the last begun, the next not over, or the nearer of both."""
        past = self._first_that(of_year, range(self.now.year, self.now.year - _LEAP_CYCLE - 1, -1), self._has_begun)
        coming = self._first_that(of_year, range(self.now.year - 1, self.now.year + _LEAP_CYCLE + 1), self._is_not_over)
        if self.tense is Tense.UNKNOWN and past and coming:
            return min(past, coming, key=self._distance)
        return (coming or past) if self.tense is Tense.FUTURE else (past or coming)

    def _has_begun(self, span: Span) -> bool:
        return span.lo <= self.now

    def _is_not_over(self, span: Span) -> bool:
        return span.hi > self.now

    def _distance(self, span: Span) -> timedelta:
        return max(span.lo - self.now, self.now - span.hi, timedelta(0))

    @staticmethod
    def _first_that(of_year: SpanOfYear, years: range, holds: Callable[[Span], bool]) -> Span | None:
        spans_ = (in_year(of_year, year) for year in years)
        return next((span for span in spans_ if span and holds(span)), None)

    def open_year(self, of_year: SpanOfYear, end: int) -> Reading | None:
        """A reading of a unit without a year."""
        span = self.in_open_year(of_year)
        return None if span is None else Reading(span=span, end=end, of_year=of_year)
