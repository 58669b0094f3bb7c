"""Time words that point back: "the same night", "since then", "a week later", read from the last date that was named."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache

from graphmem.ingest.rules.words import words
from graphmem.timeline.day_names import MONTHS, month_name
from graphmem.timeline.expressions import find_times
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import to_datetime
from graphmem.timeline.phrases import Tense

__all__ = ["PointingBack", "date_ahead", "pointing_back", "points_back"]

_NUMBER = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_PART = "day|night|evening|morning|afternoon"
_SAME = rf"(?:on |in )?(?:the |that )(?:very )?same (?:{_PART}|week|month|year|time)|(?:on )?that (?:very )?(?:{_PART})"
_LATER = (
    rf"(?P<count>{'|'.join(_NUMBER)}|\d+) (?P<unit>day|week|month|year)s? later|the (?P<next>day|week|month|year) after"
)
_WORDS = re.compile(
    rf"\b(?:(?P<since>(?:ever )?since then|from then on|since that day)|(?P<same>{_SAME})|{_LATER})(?! (?:as|that|when|than)\b)",
    re.IGNORECASE,
)


_POINTS = re.compile(
    r"\b(?:then on|since then|same|that (?:very )?(?:day|night|evening|morning|afternoon)|later|after)\b"
)
_WORD = re.compile(r"[a-z']+")


def points_back(text: str) -> bool:
    """Whether a text may hold words that point back to a date."""
    return _POINTS.search(text.lower()) is not None


def date_ahead(text: str, words_: str, said_at: datetime) -> Granule | None:
    """The date that time words of a text mean where it tells of nothing past ("from 1 February I am …"); None where it does.

    >>> from datetime import UTC
    >>> date_ahead("The wedding is on 4 July.", "on 4 July", datetime(2026, 6, 3, tzinfo=UTC)).unit is Unit.DAY
    True
    """
    if words_.lower().startswith("since"):
        return None
    if any(word in _pasts() or (word.endswith("ed") and len(word) > 4) for word in _WORD.findall(text.lower())):
        return None
    again = find_times(words_, said_at, tense=Tense.FUTURE)
    return again[0].granule if again else None


@cache
def _pasts() -> frozenset[str]:
    return frozenset(forms[0] for forms in words().irregular.values() if forms and forms[0] not in words().irregular)


class PointingBack:
    """Words that point back, at [start, end), and the explicit words for what they mean."""

    __slots__ = ("end", "start", "text")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start, self.end, self.text = start, end, text


def pointing_back(text: str, last: Granule | None, said_at: datetime) -> list[PointingBack]:
    """The words of a text that point back to the date named last; none when there is no such date.

    >>> from datetime import UTC
    >>> from graphmem.timeline.instants import to_instant
    >>> lo, hi = (to_instant(datetime(2026, 6, day, tzinfo=UTC)) for day in (1, 2))
    >>> monday = Granule(lo=lo, hi=hi, unit=Unit.DAY)
    >>> [p.text for p in pointing_back("She joined a week later", monday, datetime(2026, 7, 1, tzinfo=UTC))]
    ['on 2026-06-08']
    """
    if last is None:
        return []
    day = to_datetime(last.lo)
    if day is None:
        return []
    local = day.astimezone(said_at.tzinfo)
    found = []
    for match in _WORDS.finditer(text):
        explicit = _explicit(match, local, last.unit)
        if explicit is not None:
            found.append(PointingBack(match.start(), match.end(), explicit))
    return found


def _explicit(match: re.Match[str], day: datetime, unit: Unit) -> str | None:
    if match.group("since"):
        return f"since {_named(day, unit)}"
    if match.group("same"):
        return f"on {_named(day, unit)}"
    step = match.group("unit") or match.group("next")
    count = match.group("count") or "1"
    number = int(count) if count.isdigit() else _NUMBER[count.lower()]
    if number > 1000:
        return None
    if step.lower() in ("day", "week"):
        moved = day + timedelta(days=number * (7 if step.lower() == "week" else 1))
        return f"on {moved:%Y-%m-%d}"
    months = number * (12 if step.lower() == "year" else 1) + day.month - 1
    year = day.year + months // 12
    return f"in {MONTHS[months % 12]} {year}" if year <= 9999 else None


def _named(day: datetime, unit: Unit) -> str:
    if unit is Unit.MONTH:
        return month_name(day)
    return f"{day:%Y}" if unit is Unit.YEAR else f"{day:%Y-%m-%d}"
