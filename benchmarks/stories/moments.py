"""Between datetimes and the instants in which the public API speaks: microseconds since 1970 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from benchmarks.stories.loading import Span
from graphmem import Granule, Window

__all__ = ["instant_of", "span_of", "window_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_ALL_TIME = Window()


def instant_of(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def window_of(span: Span) -> Window:
    start, until = span
    return Window(
        start=_ALL_TIME.start if start is None else instant_of(start),
        until=_ALL_TIME.until if until is None else instant_of(until),
    )


def span_of(granule: Granule) -> Span:
    return _moment_of(granule.lo), _moment_of(granule.hi)


def _moment_of(instant: int) -> datetime | None:
    """None for an open end."""
    if _ALL_TIME.start < instant < _ALL_TIME.until:
        return _EPOCH + instant * _MICROSECOND
    return None
