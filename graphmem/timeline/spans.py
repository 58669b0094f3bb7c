"""Calendar units as spans of local wall-clock time, and their arithmetic. No time zones here; `calendar` cuts the spans in one.

Everything stays within the years 1 to 9999: a span that would leave them is clamped, and may become empty.
"""

from __future__ import annotations

import calendar as _days
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from graphmem.timeline.granules import Unit

__all__ = [
    "CLOCK_STEPS",
    "SEASON_MONTHS",
    "Part",
    "Span",
    "Step",
    "add",
    "century",
    "day",
    "day_part",
    "days",
    "decade",
    "half",
    "length_of",
    "midnight",
    "moment",
    "month",
    "move",
    "part_of",
    "quarter",
    "season",
    "span_around",
    "week",
    "weekend",
    "year",
]

SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month of each season of the north; the south is six months on."""


_MIDNIGHT = time()
_BEGINNING, _END = datetime.min, datetime.max  # noqa: DTZ901 - local time has no zone


class Step(StrEnum):
    """Units people count in."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    FORTNIGHT = "fortnight"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


class Part(StrEnum):
    """Parts of a unit as people name them."""

    EARLY = "early"
    START = "start"
    MID = "mid"
    LATE = "late"
    END = "end"


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """Local time from `lo` (included) to `hi` (excluded), both naive, with the unit it was said in."""

    lo: datetime
    hi: datetime
    unit: Unit


_LENGTHS = {
    Step.SECOND: timedelta(seconds=1),
    Step.MINUTE: timedelta(minutes=1),
    Step.HOUR: timedelta(hours=1),
    Step.DAY: timedelta(days=1),
    Step.WEEKEND: timedelta(days=7),
    Step.WEEK: timedelta(days=7),
    Step.FORTNIGHT: timedelta(days=14),
}
CLOCK_STEPS = frozenset({Step.SECOND, Step.MINUTE, Step.HOUR})
"""Steps of real time, whatever the clocks do."""

_MONTHS = {Step.MONTH: 1, Step.QUARTER: 3, Step.YEAR: 12, Step.DECADE: 120, Step.CENTURY: 1200}


def midnight(on: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(on, _MIDNIGHT)


def add(moment: datetime, delta: timedelta) -> datetime:
    """The moment so much later, or the end of time on that side."""
    try:
        return moment + delta
    except OverflowError:
        return _BEGINNING if delta < timedelta(0) else _END


def _first_of(year_: int, month_: int) -> datetime:
    """The first moment of a month; months beyond 1..12 run over into other years."""
    years, index = divmod(year_ * 12 + month_ - 1, 12)
    if years < 1:
        return _BEGINNING
    if years > 9999:
        return _END
    return midnight(date(years, index + 1, 1))


def move(moment: datetime, count: int, step: Step) -> datetime:
    """The moment `count` steps later; in a shorter month the day becomes its last (31 March - 1 month = 28 February)."""
    if step in _LENGTHS:
        return add(moment, _LENGTHS[step] * count)
    first = _first_of(moment.year, moment.month + count * _MONTHS[step])
    if first in (_BEGINNING, _END):
        return first
    last = _days.monthrange(first.year, first.month)[1]
    return moment.replace(year=first.year, month=first.month, day=min(moment.day, last))


def length_of(step: Step) -> timedelta:
    """How long a second, minute, hour, day, week or fortnight is; longer units have no fixed length."""
    return _LENGTHS[step]


def day(on: date) -> Span:
    return days(on, 1)


def days(first: date, count: int, unit: Unit = Unit.DAY) -> Span:
    lo = midnight(first)
    return Span(lo=lo, hi=add(lo, timedelta(days=count)), unit=unit)


def week(of: date) -> Span:
    """The week of a day, from Monday."""
    lo = add(midnight(of), timedelta(days=-of.weekday()))
    return Span(lo=lo, hi=add(lo, timedelta(days=7)), unit=Unit.WEEK)


def weekend(of: date) -> Span:
    """Saturday and Sunday of the week of a day."""
    return days(add(midnight(of), timedelta(days=5 - of.weekday())), 2, Unit.FUZZY)


def _months(year_: int, month_: int, count: int, unit: Unit) -> Span:
    return Span(lo=_first_of(year_, month_), hi=_first_of(year_, month_ + count), unit=unit)


def month(year_: int, month_: int) -> Span:
    return _months(year_, month_, 1, Unit.MONTH)


def quarter(year_: int, number: int) -> Span:
    return _months(year_, 3 * number - 2, 3, Unit.QUARTER)


def half(year_: int, number: int) -> Span:
    return _months(year_, 6 * number - 5, 6, Unit.HALF)


def season(name: str, year_: int, *, southern: bool = False) -> Span:
    """The meteorological season that begins in that year; the one over New Year bears the year it begins in."""
    return _months(year_, (SEASON_MONTHS[name] + 6 * southern - 1) % 12 + 1, 3, Unit.SEASON)


def year(year_: int) -> Span:
    return _months(year_, 1, 12, Unit.YEAR)


def decade(first_year: int) -> Span:
    return _months(first_year, 1, 120, Unit.DECADE)


def century(number: int) -> Span:
    """The Nth century, from its year 01: the 19th is 1801 to 1900."""
    return _months(number * 100 - 99, 1, 1200, Unit.CENTURY)


def span_around(moment: datetime, step: Step) -> Span:
    """The unit that contains a moment; for a weekend, that of its week."""
    match step:
        case Step.SECOND | Step.MINUTE:
            lo = moment.replace(second=0, microsecond=0)
            return Span(lo=lo, hi=add(lo, timedelta(minutes=1)), unit=Unit.MINUTE)
        case Step.HOUR:
            lo = moment.replace(minute=0, second=0, microsecond=0)
            return Span(lo=lo, hi=add(lo, timedelta(hours=1)), unit=Unit.HOUR)
        case Step.DAY:
            return day(moment)
        case Step.WEEKEND:
            return weekend(moment)
        case Step.WEEK | Step.FORTNIGHT:
            return week(moment)
        case Step.MONTH:
            return month(moment.year, moment.month)
        case Step.QUARTER:
            return quarter(moment.year, (moment.month + 2) // 3)
        case Step.YEAR:
            return year(moment.year)
        case Step.DECADE:
            return decade(moment.year // 10 * 10)
        case Step.CENTURY:
            return century((moment.year + 99) // 100)


_DAY_CUTS = {
    Unit.MONTH: {
        Part.EARLY: (0, 10),
        Part.START: (0, 10),
        Part.MID: (10, 20),
        Part.LATE: (20, None),
        Part.END: (20, None),
    },
    Unit.WEEK: {Part.EARLY: (0, 2), Part.START: (0, 2), Part.MID: (2, 4), Part.LATE: (4, None), Part.END: (4, None)},
}
_MONTH_CUTS = {
    Unit.YEAR: {Part.EARLY: (0, 4), Part.START: (0, 4), Part.MID: (4, 8), Part.LATE: (8, 12), Part.END: (8, 12)},
    Unit.DECADE: {
        Part.EARLY: (0, 48),
        Part.START: (0, 36),
        Part.MID: (36, 84),
        Part.LATE: (72, 120),
        Part.END: (84, 120),
    },
}


def part_of(whole: Span, part: Part) -> Span:
    """The early, middle or late part of a unit: days 1-10, 11-20, 21-end of a month; thirds of a year; else thirds by length.

    The end of a quarter or a half is that of its last month: ten days before it, nobody says "the end of the third quarter".
    """
    if whole.unit in _DAY_CUTS:
        first, last = _DAY_CUTS[whole.unit][part]
        lo = add(whole.lo, timedelta(days=first))
        hi = whole.hi if last is None else add(whole.lo, timedelta(days=last))
    elif whole.unit in _MONTH_CUTS:
        begin, end = _MONTH_CUTS[whole.unit][part]
        lo, hi = move(whole.lo, begin, Step.MONTH), move(whole.lo, end, Step.MONTH)
    elif whole.unit in (Unit.QUARTER, Unit.HALF) and part in (Part.START, Part.END):
        edge = whole.lo if part is Part.START else add(whole.hi, timedelta(days=-1))
        return part_of(month(edge.year, edge.month), part)
    else:
        third = (whole.hi - whole.lo) / 3
        lo, hi = {
            Part.EARLY: (whole.lo, whole.lo + third),
            Part.START: (whole.lo, whole.lo + third),
            Part.MID: (whole.lo + third, whole.hi - third),
            Part.LATE: (whole.hi - third, whole.hi),
            Part.END: (whole.hi - third, whole.hi),
        }[part]
    return Span(lo=lo, hi=hi, unit=Unit.FUZZY)


def moment(at: datetime) -> Span:
    """A minute; or a second, where seconds were said."""
    if at.second:
        return Span(lo=at, hi=add(at, timedelta(seconds=1)), unit=Unit.INSTANT)
    return Span(lo=at, hi=add(at, timedelta(minutes=1)), unit=Unit.MINUTE)


_PART_HOURS = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}


def day_part(whole: Span, part: str) -> Span:
    """The morning, afternoon, evening or night of a day; the night runs to six in the morning."""
    first, last = _PART_HOURS[part]
    lo, hi = add(whole.lo, timedelta(hours=first)), add(whole.lo, timedelta(hours=last))
    return Span(lo=lo, hi=hi, unit=Unit.FUZZY)
