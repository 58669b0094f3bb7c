"""What the time words of a raw turn denote: "on Friday" is another day for whoever reads the turn later."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.model import Episode
from graphmem.retrieve.fact_dates import date_words, day_words
from graphmem.timeline.calendar import zone_of
from graphmem.timeline.expressions import TimeExpression, find_times
from graphmem.timeline.granules import Unit
from graphmem.timeline.instants import to_datetime

__all__ = ["turn_times"]

_MOST = 4
_READ = 2_000
_YEAR = re.compile(r"\d{4}")
_CLOCK_UNITS = frozenset([Unit.INSTANT, Unit.MINUTE, Unit.HOUR])


def turn_times(episode: Episode, zone: str) -> str:
    """ "on Friday = 13 June 2025; in May = May 2024": those that name no year themselves; "" where there are none."""
    said_at = to_datetime(episode.said_at)
    if said_at is None:
        return ""
    found = find_times(episode.text[:_READ], said_at.astimezone(zone_of(episode.zone)))
    said_on = day_words(episode.said_at, zone)
    meant = dict(_meant(found, zone))
    return "; ".join([f"{words} = {date}" for words, date in meant.items() if date != said_on][:_MOST])


def _meant(found: list[TimeExpression], zone: str) -> Iterator[tuple[str, str]]:
    for one in found:
        if one.granule is None or one.granule.unit in _CLOCK_UNITS or _YEAR.search(one.text):
            continue
        date = date_words(one.granule, zone)
        yield one.text, date if one.until is None else f"{date} to {date_words(one.until, zone)}"
