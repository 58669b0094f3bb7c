"""Dates and zones as they are typed: a naive date is read in the zone of `--tz`, a bare one means its first instant."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

from graphmem.errors import InvalidTime

__all__ = ["local_zone", "moment_words", "named_zone", "read_length", "read_moment", "utc_text"]

_BARE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_LENGTH = re.compile(r"(\d+)\s*(s|m|h|d)", re.IGNORECASE)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_LOCALTIME = Path("/etc/localtime")


def read_moment(text: str, zone: tzinfo) -> datetime:
    """The aware moment of "now", a year, a month, a day or an ISO date and time. Raises InvalidTime.

    >>> read_moment("2026-04", UTC).isoformat(), read_moment("2026-04-10 14:30+02:00", UTC).isoformat()
    ('2026-04-01T00:00:00+00:00', '2026-04-10T14:30:00+02:00')
    """
    words = text.strip()
    if words.lower() == "now":
        return datetime.now(zone)
    moment = _read(text, words, zone)
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise InvalidTime(f"{text!r} lies outside the years 1 to 9999 in UTC") from None
    return moment


def _read(text: str, words: str, zone: tzinfo) -> datetime:
    try:
        if bare := _BARE.fullmatch(words):
            year, month, day = (int(part or 1) for part in bare.groups())
            return datetime(year, month, day, tzinfo=zone)
        moment = datetime.fromisoformat(words)
    except ValueError as error:
        raise InvalidTime(
            f"{text!r} is no date: write 2026, 2026-04, 2026-04-10, '2026-04-10 14:30' or now ({error})"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def read_length(text: str) -> timedelta:
    """The length of "30s", "5m", "2h" or "1d". Raises InvalidTime.

    >>> read_length("5m")
    datetime.timedelta(seconds=300)
    """
    found = _LENGTH.fullmatch(text.strip())
    if not found:
        raise InvalidTime(f"{text!r} is no length of time: write 30s, 5m, 2h or 1d")
    try:
        return timedelta(**{_UNITS[found[2].lower()]: int(found[1])})
    except OverflowError:
        raise InvalidTime(f"{text!r} is too long") from None


def moment_words(moment: datetime, zone: tzinfo) -> str:
    """A moment in words: "10 April 2026", with the clock where it is no midnight."""
    from graphmem.timeline.instants import to_instant
    from graphmem.timeline.render import render_moment

    return render_moment(to_instant(moment), zone)


def utc_text(moment: datetime | None) -> str | None:
    """A moment as data: ISO in UTC with a Z; None for an open end."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def local_zone() -> tzinfo:
    """The zone of this computer: TZ, else where /etc/localtime points, else the offset of now."""
    for name in (os.environ.get("TZ", "").lstrip(":"), _localtime_name()):
        if name:
            try:
                return named_zone(name)
            except InvalidTime:
                continue
    return datetime.now().astimezone().tzinfo or UTC


def named_zone(name: str) -> tzinfo:
    """The zone of an IANA name or an offset. Raises InvalidTime."""
    from graphmem.timeline.calendar import zone_of

    return zone_of(name)


def _localtime_name() -> str:
    _, found, name = os.path.realpath(_LOCALTIME).partition("zoneinfo/")
    return name if found else ""
