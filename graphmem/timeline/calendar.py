"""Cutting calendar units in a time zone: days, weeks, months and longer as granules of UTC instants.

Weeks start on Monday, seasons are meteorological. Across a change of the clocks a day has 23 or 25 hours.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphmem.errors import InvalidTime
from graphmem.timeline import spans
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MICROSECOND, Instant, to_datetime, to_instant
from graphmem.timeline.spans import Span

__all__ = [
    "cut",
    "day",
    "day_begun",
    "local_time",
    "month",
    "quarter",
    "season",
    "week",
    "year",
    "zone_at",
    "zone_of",
]

_OFFSET = re.compile(r"(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?", re.IGNORECASE)
_BY_LENGTH = frozenset({Unit.INSTANT, Unit.MINUTE, Unit.HOUR})
_DAY_MINUTES = 24 * 60
_FARTHEST_WEST_MINUTES = -11 * 60
"""Not included: New Zealand, 13 hours ahead in summer, has its midnight at the same moment as Samoa, 11 hours behind."""
_ODD_OFFSETS_MINUTES = frozenset({-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765})
"""Of zones that are no whole hours from UTC."""


@lru_cache(maxsize=1024)
def zone_of(name: str) -> tzinfo:
    """The time zone of an IANA name ("Europe/Lisbon") or a fixed offset ("+02:00"); InvalidTime for anything else.

    >>> zone_of("+02:00")
    datetime.timezone(datetime.timedelta(seconds=7200))
    """
    if offset := _OFFSET.fullmatch(name):
        length = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        if length < timedelta(hours=24) and int(offset[3] or 0) < 60:
            return timezone(-length if offset[1] == "-" else length)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidTime(
            f"{name!r} is no time zone: give an IANA name such as 'Europe/Lisbon', or an offset such as '+02:00'"
        ) from error


def zone_at(moment: datetime) -> tzinfo:
    """The time zone of an aware datetime; InvalidTime for a naive one."""
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidTime(f"{moment!r} has no time zone: give an aware datetime, for example with tzinfo=UTC")
    return moment.tzinfo


def local_time(instant: Instant, zone: tzinfo) -> datetime | None:
    """The aware local time of an instant; None for an open end. At the edge of the calendar, where the zone leaves it: in UTC."""
    moment = to_datetime(instant)
    if moment is None:
        return None
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def day_begun(instant: Instant) -> date | None:
    """The day that begins at an instant in a zone where it is midnight then; None where that is in none, and for an open end.

    >>> day_begun(day(date(2026, 5, 1), zone_of("Asia/Tokyo")).lo)
    datetime.date(2026, 5, 1)
    """
    moment = to_datetime(instant)
    if moment is None or moment.second or moment.microsecond:
        return None
    minutes = moment.hour * 60 + moment.minute
    offset = -minutes if -minutes > _FARTHEST_WEST_MINUTES else _DAY_MINUTES - minutes
    if offset % 60 and offset not in _ODD_OFFSETS_MINUTES:
        return None
    return moment.date() + timedelta(days=offset > 0)


def cut(span: Span, zone: tzinfo) -> Granule:
    """The granule of a local span in a zone.

    A moment that the clocks skip counts as they stood before the change; one they pass twice is the earlier.
    """
    lo = to_instant(span.lo.replace(tzinfo=zone))
    is_real_time = span.unit in _BY_LENGTH
    hi = lo + (span.hi - span.lo) // MICROSECOND if is_real_time else to_instant(span.hi.replace(tzinfo=zone))
    # Zones have jumped over whole days (Samoa, 30 December 2011); a granule stays at least an instant long.
    return Granule(lo=lo, hi=max(hi, lo + 1), unit=span.unit)


def day(on: date, zone: tzinfo) -> Granule:
    return cut(spans.day(on), zone)


def week(of: date, zone: tzinfo) -> Granule:
    """The week of a day, from Monday."""
    return cut(spans.week(of), zone)


def month(year_: int, month_: int, zone: tzinfo) -> Granule:
    return cut(spans.month(year_, month_), zone)


def quarter(year_: int, number: int, zone: tzinfo) -> Granule:
    return cut(spans.quarter(year_, number), zone)


def season(name: str, year_: int, zone: tzinfo, *, southern: bool = False) -> Granule:
    """Spring, summer, autumn or winter that begins in a year; `southern`: as named south of the equator."""
    return cut(spans.season(name, year_, southern=southern), zone)


def year(year_: int, zone: tzinfo) -> Granule:
    return cut(spans.year(year_), zone)
