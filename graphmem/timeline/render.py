"""Times in English words, as exact as they were said: "early May 2026", "since 2015", never a made-up midnight (R7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from graphmem.timeline import spans
from graphmem.timeline.calendar import day_begun, local_time
from graphmem.timeline.day_names import day_name, month_name
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MAX, MIN, Instant
from graphmem.timeline.spans import Part, Span, Step

__all__ = [
    "render_duration",
    "render_granule",
    "render_moment",
    "render_since",
    "render_span",
    "render_until",
]

_CLOCK_UNITS = frozenset({Unit.INSTANT, Unit.MINUTE, Unit.HOUR})
_HALF_DAY_US = 43_200_000_000
_HOUR_US = 3_600_000_000


def render_granule(granule: Granule, zone: tzinfo, *, southern: bool = False) -> str:
    """A granule as people say it, in the unit it was said in; one cut short by other testimony by its edges.

    >>> from graphmem.timeline.calendar import month, zone_of
    >>> render_granule(month(2026, 5, zone_of("Europe/Lisbon")), zone_of("Europe/Lisbon"))
    'May 2026'
    """
    if granule.lo <= MIN:
        return (
            "always" if granule.hi <= MIN else "any time" if granule.hi >= MAX else f"before {_edge(granule.hi, zone)}"
        )
    if granule.hi >= MAX:
        return f"{_edge(granule.lo, zone)} or later"
    if granule.unit in _CLOCK_UNITS or granule.lo == granule.hi:
        return render_moment(granule.lo, zone)
    days = _Days.of(granule, zone)
    if days is None:
        return _within_day(granule, zone)
    return _named(days, granule.unit, southern=southern) or days.by_edges()


def render_moment(instant: Instant, zone: tzinfo) -> str:
    """A moment to the minute, "14:30 on 22 October 2025"; a midnight as its day alone, an open end as "always" or "open"."""
    local = local_time(instant, zone)
    if local is None:
        return "always" if instant <= MIN else "open"
    if _is_midnight(local):
        return day_name(local.date())
    return f"{local:%H:%M} on {day_name(local.date())}"


def render_since(granule: Granule, zone: tzinfo, *, southern: bool = False) -> str:
    """A start: "since May 2026", "always", "since before 2020"."""
    name = render_granule(granule, zone, southern=southern)
    return name if granule.lo <= MIN >= granule.hi else f"since {name}"


def render_until(granule: Granule, zone: tzinfo, *, southern: bool = False) -> str:
    """An end: "until May 2026" (May included)."""
    return f"until {render_granule(granule, zone, southern=southern)}"


def render_span(start: Granule | None, end: Granule | None, zone: tzinfo, *, southern: bool = False) -> str:
    """From a start to an end: "from 2015 to 2018", "since May 2026", "until 2020"; within one unit: "in May 2024".

    An end that is None is open, an unknown start gives no words; both: the empty string.
    """
    if start is None:
        return "" if end is None else render_until(end, zone, southern=southern)
    if end is None or end.lo >= MAX:
        return render_since(start, zone, southern=southern)
    if (start.lo, start.hi) == (end.lo, end.hi):
        return _within(start, render_granule(start, zone, southern=southern))
    last = render_granule(end, zone, southern=southern)
    if start.hi <= MIN:
        return f"always until {last}"
    return f"from {render_granule(start, zone, southern=southern)} to {last}"


def _within(granule: Granule, name: str) -> str:
    if name.startswith(("before", "between", "around", "any time", "always")) or name.endswith("or later"):
        return name
    if granule.unit in _CLOCK_UNITS:
        return f"at {name}"
    return f"on {name}" if granule.unit is Unit.DAY else f"in the {name}" if name.startswith("week") else f"in {name}"


# Days


def _is_midnight(local: datetime) -> bool:
    return local.hour == local.minute == 0


def _within_day(granule: Granule, zone: tzinfo) -> str:
    """A stretch shorter than a day: "between 14:30 and 16:00 on 4 May 2026"; from or to midnight by its other side."""
    first, last = local_time(granule.lo, zone), local_time(granule.hi, zone)
    if first is None or last is None or last - first < timedelta(minutes=1):
        return render_moment(granule.lo, zone)
    if first.date() == last.date() and not _is_midnight(first):
        return f"between {first:%H:%M} and {render_moment(granule.hi, zone)}"
    if first.date() == last.date():
        return f"before {render_moment(granule.hi, zone)}"
    if _is_midnight(last) and last - first < timedelta(days=1):
        return f"after {render_moment(granule.lo, zone)}"
    return f"between {render_moment(granule.lo, zone)} and {render_moment(granule.hi, zone)}"


def _edge(instant: Instant, zone: tzinfo) -> str:
    """An open granule's known side, as coarse as it is."""
    local = local_time(instant, zone)
    on = local.date() if local is not None and _is_midnight(local) else day_begun(instant)
    if on is None or on.day != 1:
        return render_moment(instant, zone)
    return str(on.year) if on.month == 1 else month_name(on)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Days:
    """Whole days from `first` to before `after`."""

    first: date
    after: date

    @classmethod
    def of(cls, granule: Granule, zone: tzinfo) -> _Days | None:
        """The days of a granule, cut in this zone or in another; None if it begins or ends within a day."""
        days = granule.hi - granule.lo
        if granule.unit is Unit.FUZZY and days < 2 * _HALF_DAY_US - 2 * _HOUR_US:
            return None
        first, after = _local_days(granule, zone) or _days_elsewhere(granule) or _days_by_middle(granule, zone)
        return cls(first=first, after=after) if first and after and first < after else None

    @property
    def last(self) -> date:
        return self.after - timedelta(days=1)

    def are(self, span: Span) -> bool:
        return spans.midnight(self.first) == span.lo and spans.midnight(self.after) == span.hi

    def by_edges(self) -> str:
        if (self.first.month, self.first.day, self.after.month, self.after.day) == (1, 1, 1, 1):
            return f"between {self.first.year} and {self.last.year}"
        if self.first.day == self.after.day == 1:
            return f"between {month_name(self.first)} and {month_name(self.last)}"
        if self.first == self.last:
            return day_name(self.first)
        return f"between {day_name(self.first)} and {day_name(self.last)}"


_Edges = tuple[date | None, date | None]


def _local_days(granule: Granule, zone: tzinfo) -> _Edges | None:
    first, after = local_time(granule.lo, zone), local_time(granule.hi, zone)
    is_whole = first is not None and after is not None and _is_midnight(first) and _is_midnight(after)
    return (first.date(), after.date()) if first and after and is_whole else None


def _days_elsewhere(granule: Granule) -> _Edges | None:
    first, after = day_begun(granule.lo), day_begun(granule.hi)
    beside_days = (granule.hi - granule.lo) % (2 * _HALF_DAY_US)
    is_one_zone = (
        min(beside_days, 2 * _HALF_DAY_US - beside_days) <= _HOUR_US
    )  # its clocks may have been changed between
    return (first, after) if first and after and is_one_zone else None


def _days_by_middle(granule: Granule, zone: tzinfo) -> _Edges:
    first, after = (local_time(edge + _HALF_DAY_US, zone) for edge in (granule.lo, granule.hi))
    return first and first.date(), after and after.date()


def _named(days: _Days, unit: Unit, *, southern: bool) -> str | None:
    """The name of the unit these days are, the one it was said in first; None if they are none that has a name."""
    names = {
        Unit.DAY: _as_day,
        Unit.WEEK: _as_week,
        Unit.MONTH: _as_month,
        Unit.QUARTER: _as_quarter,
        Unit.HALF: _as_half,
        Unit.YEAR: _as_year,
        Unit.DECADE: _as_decade,
        Unit.CENTURY: _as_century,
    }
    if unit is Unit.SEASON:
        return _as_season(days, southern=southern)
    if unit in names and (name := names[unit](days)):
        return name
    if unit is Unit.WEEK:
        return None
    tried = (_as_month, _as_year, _as_decade, _as_weekend, _as_part, _as_around)
    return next((name for attempt in tried if (name := attempt(days))), None)


def _as_day(days: _Days) -> str | None:
    return day_name(days.first) if days.last == days.first else None


def _as_week(days: _Days) -> str | None:
    return f"week of {days.first.isoformat()}" if (days.after - days.first).days == 7 else None


def _as_weekend(days: _Days) -> str | None:
    return f"weekend of {days.first.isoformat()}" if days.are(spans.weekend(days.first)) else None


def _as_month(days: _Days) -> str | None:
    return month_name(days.first) if days.are(spans.month(days.first.year, days.first.month)) else None


def _as_quarter(days: _Days) -> str | None:
    number = (days.first.month + 2) // 3
    return f"Q{number} {days.first.year}" if days.are(spans.quarter(days.first.year, number)) else None


def _as_half(days: _Days) -> str | None:
    number = 1 if days.first.month <= 6 else 2
    if not days.are(spans.half(days.first.year, number)):
        return None
    return f"{'first' if number == 1 else 'second'} half of {days.first.year}"


def _as_year(days: _Days) -> str | None:
    return str(days.first.year) if days.are(spans.year(days.first.year)) else None


def _as_decade(days: _Days) -> str | None:
    return f"the {days.first.year}s" if days.first.year % 10 == 0 and days.are(spans.decade(days.first.year)) else None


def _as_century(days: _Days) -> str | None:
    number = (days.first.year + 99) // 100
    if not days.are(spans.century(number)):
        return None
    suffix = "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"the {number}{suffix} century"


def _as_season(days: _Days, *, southern: bool) -> str | None:
    for name in ("spring", "summer", "autumn", "winter"):
        if days.are(spans.season(name, days.first.year, southern=southern)):
            years = (
                f"{days.first.year}/{days.last.year % 100:02}"
                if days.last.year > days.first.year
                else str(days.first.year)
            )
            return f"{name} {years}"
    return None


def _as_part(days: _Days) -> str | None:
    month = spans.month(days.first.year, days.first.month)
    year = spans.year(days.first.year)
    decade = spans.decade(days.first.year // 10 * 10)
    for whole, name in ((month, month_name(days.first)), (year, str(days.first.year)), (decade, f"{decade.lo.year}s")):
        for part in (Part.EARLY, Part.MID, Part.LATE):
            if days.are(spans.part_of(whole, part)):
                return f"{part} {name}" if whole is not decade else f"the {part} {name}"
    return None


def _as_around(days: _Days) -> str | None:
    middle = days.first + (days.after - days.first) / 2
    for whole, months in ((spans.year(middle.year), 6), (spans.decade(middle.year // 10 * 10), 60)):
        lo, hi = spans.move(whole.lo, -months, Step.MONTH), spans.move(whole.hi, months, Step.MONTH)
        if days.are(Span(lo=lo, hi=hi, unit=Unit.FUZZY)):
            return f"around {middle.year}" if months == 6 else f"around the {whole.lo.year}s"
    return None


# Durations

_DAY_US = 86_400_000_000
_LENGTHS_US = {
    Step.MINUTE: 60_000_000,
    Step.HOUR: 3_600_000_000,
    Step.DAY: _DAY_US,
    Step.WEEK: 7 * _DAY_US,
    Step.MONTH: int(30.44 * _DAY_US),
    Step.YEAR: int(365.25 * _DAY_US),
}
_FROM_US = (
    (Step.YEAR, 24 * _LENGTHS_US[Step.MONTH]),
    (Step.MONTH, 60 * _DAY_US),
    (Step.DAY, 2 * _DAY_US),
    (Step.HOUR, 2 * 3_600_000_000),
)


def render_duration(lo_us: int, hi_us: int, *, step: Step | None = None) -> str:
    """How long something lasted that took between `lo_us` and `hi_us`, by the middle of both: "14 months", "2 years".

    `step`: the unit that was asked for; None: months below two years, days below two months, and so on.
    """
    middle = max(0, (lo_us + hi_us) // 2)
    step = step or next((step for step, least in _FROM_US if middle >= least - least // 50), Step.MINUTE)
    if step not in _LENGTHS_US:
        step = Step.DAY
    count = round(middle / _LENGTHS_US[step])
    return f"{count} {step}" if count == 1 else f"{count} {step}s"
