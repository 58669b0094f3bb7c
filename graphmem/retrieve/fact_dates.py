"""When a fact was true, in words as exact as they were said; for answers and for the fact block (R7)."""

from __future__ import annotations

from datetime import UTC

from graphmem.model import FactVersion
from graphmem.timeline.calendar import zone_of
from graphmem.timeline.granules import ALWAYS, Granule
from graphmem.timeline.instants import MAX, MIN, Instant, to_datetime, to_instant
from graphmem.timeline.render import render_granule, render_moment

__all__ = ["date_words", "day_words", "version_dates"]


def version_dates(version: FactVersion, zone: str) -> str:
    """ "since May 2026", "early 2019 until March 2021", "known from 3 June 2026", "some time before 2024"."""
    if version.valid_at is None:
        ended = date_words(version.end, zone) if version.end_stated else day_words(version.invalid_at, zone)
        return f"some time before {ended}"
    if version.start_stated and version.end_stated and version.start == version.end:
        return date_words(version.start, zone)
    stated = version.start_stated
    begins = date_words(version.start, zone) if stated else f"known from {day_words(version.valid_at, zone)}"
    if version.invalid_at >= MAX:
        return f"since {begins}" if stated and version.start != ALWAYS else begins
    ends = date_words(version.end, zone) if version.end_stated else day_words(version.invalid_at, zone)
    return f"{begins} until {ends}"


def day_words(instant: Instant, zone: str) -> str:
    """The local day of an instant."""
    moment = to_datetime(instant)
    if moment is None or not 1 < moment.year < 9999:  # a local day may not exist there
        return render_moment(instant, UTC)
    local = moment.astimezone(zone_of(zone))
    return render_moment(to_instant(local.replace(hour=0, minute=0, second=0, microsecond=0)), zone_of(zone))


def date_words(granule: Granule, zone: str) -> str:
    """A stated date; "always" for what has no beginning."""
    if granule.lo <= MIN and granule.hi <= MIN + 1:
        return "always"
    return render_granule(granule, zone_of(zone))
