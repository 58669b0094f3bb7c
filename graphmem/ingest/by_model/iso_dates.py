"""Dates that a model gives as numbers, where words only point at them: 2026-05, 2026-05-04, 2026-05-01/2026-05-10."""

from __future__ import annotations

import re
from datetime import MAXYEAR, date, datetime, timedelta

from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import to_instant

__all__ = ["iso_granule"]

_PART = r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
_DATE = re.compile(_PART)


def iso_granule(text: str, said_at: datetime) -> Granule | None:
    """The span of a date, cut in the zone of `said_at`; of "A/B" from A to the end of B. None for anything else.

    A clock time is read as the author's, whatever offset stands behind it: models copy offsets without meaning them.
    """
    first, slash, last = text.strip().partition("/")
    begin = _span(first, said_at)
    until = _span(last, said_at) if slash else begin
    if begin is None or until is None or until[1] <= begin[0]:
        return None
    unit = begin[2] if until == begin else Unit.FUZZY
    return Granule(lo=begin[0], hi=until[1], unit=unit)


def _span(text: str, said_at: datetime) -> tuple[int, int, Unit] | None:
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute = (None if part is None else int(part) for part in found.groups())
    try:
        if hour is not None:
            lo = datetime(year or 0, month or 1, day or 1, hour, minute or 0, tzinfo=said_at.tzinfo)
            return to_instant(lo), to_instant(lo + timedelta(minutes=1)), Unit.MINUTE
        return _days(year or 0, month, day, said_at)
    except (ValueError, OverflowError):
        return None


def _days(year: int, month: int | None, day: int | None, said_at: datetime) -> tuple[int, int, Unit] | None:
    if not 1 < year < MAXYEAR:
        return None
    first = date(year, month or 1, day or 1)
    if day is not None:
        following, unit = first + timedelta(days=1), Unit.DAY
    elif month is not None:
        following, unit = (first + timedelta(days=31)).replace(day=1), Unit.MONTH
    else:
        following, unit = date(year + 1, 1, 1), Unit.YEAR
    return _midnight(first, said_at), _midnight(following, said_at), unit


def _midnight(day: date, said_at: datetime) -> int:
    return to_instant(datetime(day.year, day.month, day.day, tzinfo=said_at.tzinfo))
