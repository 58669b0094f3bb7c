"""Instants: integer microseconds since 1970-01-01T00:00Z, with a sentinel for either open end (R1, R2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from graphmem.errors import InvalidTime

__all__ = ["DAY", "MAX", "MICROSECOND", "MIN", "SECOND", "Instant", "to_datetime", "to_instant"]

Instant: TypeAlias = int

SECOND = 1_000_000
DAY = 86_400 * SECOND
"""Lengths between instants; a local day may be an hour longer or shorter."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MIN: Instant = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // MICROSECOND
MAX: Instant = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // MICROSECOND


def to_instant(moment: datetime) -> Instant:
    """The instant of an aware datetime.

    Raises InvalidTime for a naive one, and for what is no datetime: dates often come as text, which is not guessed at. Moments
    whose UTC form leaves the years 1 to 9999 become MIN or MAX.
    """
    if not isinstance(moment, datetime):
        raise InvalidTime(f"a moment must be an aware datetime, not {moment!r:.60}")
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidTime(f"{moment!r} has no time zone: give an aware datetime, for example with tzinfo=UTC")
    return max(MIN, min(MAX, (moment - _EPOCH) // MICROSECOND))


def to_datetime(instant: Instant) -> datetime | None:
    """The aware UTC datetime of an instant; None for an open end."""
    if instant <= MIN or instant >= MAX:
        return None
    return _EPOCH + timedelta(microseconds=instant)
