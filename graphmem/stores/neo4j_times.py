"""Instants as Neo4j keeps them: text of fixed width in UTC, so that it is read by people and compared as it stands."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache

from graphmem.timeline.instants import MAX, MICROSECOND, MIN, Instant

__all__ = ["NEVER", "OPEN", "UNDATED", "bound_text", "instant_of", "instant_text"]

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - only the difference counts
_BEFORE_ALL = ""
_AFTER_ALL = "A"
UNDATED = "undated"
"""An undated past. It sorts after every instant, so reads of the certain bounds never see it."""


@lru_cache(maxsize=65_536)
def instant_text(instant: Instant) -> str:
    """Such as 2026-05-01T00:00:00.000000Z; 27 characters.

    >>> instant_text(0)
    '1970-01-01T00:00:00.000000Z'
    """
    return (_EPOCH + timedelta(microseconds=instant)).isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=65_536)
def instant_of(text: str) -> Instant:
    """The instant of such a text. Raises ValueError for any other."""
    return (datetime.fromisoformat(text.removesuffix("Z")) - _EPOCH) // MICROSECOND


def bound_text(instant: Instant) -> str:
    """The end of a range that is compared and never stored; it may lie beyond MIN and MAX."""
    if instant < MIN:
        return _BEFORE_ALL
    return instant_text(instant) if instant <= MAX else _AFTER_ALL


OPEN = instant_text(MAX)
NEVER = instant_text(MIN)
