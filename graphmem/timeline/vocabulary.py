"""English words for time, as patterns and as numbers. Patterns are for lower-case text."""

from __future__ import annotations

from graphmem.timeline.numerals import AMOUNT_WORDS, YEAR, year_of
from graphmem.timeline.spans import Step

__all__ = [
    "AMOUNT_FIRST",
    "CUES",
    "DAY_PART",
    "DIGIT",
    "END",
    "MONTH",
    "MONTH_WORDS",
    "SEASON",
    "SEASON_WORDS",
    "SHIFT",
    "SHIFT_WORDS",
    "STEP",
    "WEEKDAY",
    "WEEKDAY_NAMES",
    "WEEKDAY_WORDS",
    "YEARISH",
    "any_of",
    "month_of",
    "step_of",
    "way_of",
    "weekday_of",
    "words",
    "year_meant",
]


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def any_of(names: list[str]) -> str:
    """A pattern for any of the names, longest first."""
    return "(?:" + "|".join(sorted(names, key=len, reverse=True)) + ")"


def _name_or_short(names: list[str]) -> str:
    """A pattern for names, the short ones with their full stop if there is one."""
    short = [name for name in names if len(name) < 6 and name not in ("march", "april", "may", "june", "july")]
    return rf"(?:{any_of(short)}(?![a-z])\.?|{any_of([name for name in names if name not in short])}(?![a-z]))"


def _numbered(names: str, *, first: int) -> dict[str, int]:
    """Numbers of names and of their first three letters."""
    numbers = {name: number for number, name in enumerate(names.split(), start=first)}
    return numbers | {name[:3]: number for name, number in numbers.items()}


_MONTHS = _numbered(
    "january february march april may june july august september october november december", first=1
) | {"sept": 9}
_WEEKDAYS = _numbered("monday tuesday wednesday thursday friday saturday sunday", first=0)
WEEKDAY_NAMES = frozenset(name for name in _WEEKDAYS if name.endswith("day"))
_WEEKDAYS |= {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
_STEP_NAMES = {"min": "minute", "hr": "hour", "wk": "week", "yr": "year", "centurie": "century"}
_WAYS = {"last": -1, "past": -1, "previous": -1, "this past": -1, "this": 0, "current": 0, "same": 0}
_YEAR_WAYS = {"last year": -1, "the previous year": -1, "this year": 0, "the same year": 0}

DIGIT = "#"
"""Stands for any digit among the words a rule can begin with."""

MONTH = _name_or_short(list(_MONTHS))
MONTH_WORDS = " ".join(_MONTHS)
WEEKDAY = _name_or_short(list(_WEEKDAYS))
WEEKDAY_WORDS = " ".join(_WEEKDAYS)
SEASON = "(?:spring|summer|autumn|fall|winter)(?![a-z])"
SEASON_WORDS = "spring summer autumn fall winter"
DAY_PART = "(?:morning|afternoon|evening|night)"
STEP = "(?:second|minute|min|hour|hr|day|weekend|week|wk|fortnight|month|quarter|year|yr|decade|centurie|century)s?(?![a-z])"
SHIFT = "(?:last|past|previous|this past|this coming|this|current|next|coming|upcoming|following)"
SHIFT_WORDS = "last past previous this current next coming upcoming following"
YEARISH = rf"(?:{YEAR}|(?:last|this|next|the previous|the same|the following|the coming) year)"
"""A year by its number, or counted from now."""

END = r"(?!\w)"
AMOUNT_FIRST = f"{DIGIT} {' '.join(sorted(AMOUNT_WORDS))}"
"""What an amount can begin with."""

CUES = words(
    "in since until till til during throughout early mid late last next past all before after by around about between "
    "starting beginning ending through over of back ago circa and to from for on or within thru this every"
)
"""Words before which a month or a weekday is one, and no name."""


def month_of(name: str) -> int:
    return _MONTHS[name.rstrip(".")]


def weekday_of(name: str) -> int:
    """Monday is 0."""
    return _WEEKDAYS[name.rstrip(".")]


def step_of(name: str) -> Step:
    singular = name.rstrip("s")
    return Step(_STEP_NAMES.get(singular, singular))


def way_of(shift: str) -> int:
    """Which way SHIFT points: -1 back, 0 here, 1 on."""
    return _WAYS.get(shift, 1)


def year_meant(year: str, this_year: int) -> int:
    """The year that YEARISH matched."""
    return this_year + _YEAR_WAYS.get(year, 1) if year.endswith("year") else year_of(year)
