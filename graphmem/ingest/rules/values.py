"""Objects that are values: numbers, prices, amounts, and dates, which are named by their ISO day."""

from __future__ import annotations

from datetime import datetime

from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.plain import PlainClause
from graphmem.ingest.rules.who import Meant
from graphmem.ingest.rules.words import words
from graphmem.timeline.expressions import find_times
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import to_datetime
from graphmem.timeline.phrases import Tense

__all__ = ["LITERAL_TYPES", "VALUE_TYPES", "day_named", "iso_day", "tidy_value"]

VALUE_TYPES = frozenset(
    "money number amount percent version dotted release release_no date email phone telephone price countword weight dose".split()
)
"""Types of slots that hold values."""
LITERAL_TYPES = VALUE_TYPES | frozenset(
    "title words state status level role diet language game condition treatment drug word street headship vaccine".split()
)
"""Types of slots that are kept as they are said: nothing but themselves is meant."""

_FINE = (Unit.INSTANT, Unit.MINUTE, Unit.HOUR, Unit.DAY)


def day_named(clause: PlainClause, words_of_slot: str, said_at: datetime, *, moved: bool = False) -> Meant | None:
    """The day that a date slot names, as "2025-09-22"; a month as "2025-09"; None when it names no such thing.

    `moved`: something is put off to this day, so that of "from 12 June to 14 June" the second is meant.
    """
    found = clause.times_in(words_of_slot)
    if not found:
        return None
    text = clause.times[found[0]].text
    if moved and text.lower().startswith("from ") and " to " in text:
        text = text.rpartition(" to ")[2]
    again = find_times(text, said_at, tense=Tense.FUTURE)
    granule = again[0].granule if again else None
    if granule is None:
        return None
    name = iso_day(granule, said_at)
    return Meant(names=(name,)) if name is not None else None


def iso_day(granule: Granule, said_at: datetime) -> str | None:
    """The day of a granule as "2025-09-22", a month as "2025-09"; None for anything coarser."""
    moment = to_datetime(granule.lo)
    if moment is None:
        return None
    day = moment.astimezone(said_at.tzinfo)
    if granule.unit in _FINE:
        return day.date().isoformat()
    return f"{day:%Y-%m}" if granule.unit is Unit.MONTH else None


def tidy_value(spoken: str, kind: str) -> str:
    """A value as it is kept: number words in digits, no article."""
    value = without_determiner(spoken).strip(" .,")
    if kind in ("number", "amount", "countword"):
        first, _, rest = value.partition(" ")
        number = _number(first)
        return value if number is None else f"{number} {rest}".strip()
    if kind == "release_no":
        return value.split()[-1]
    if kind == "role" and value.lower() in words().lists["role"]:
        return value.lower()
    return value.lower() if kind == "status" else value


def _number(word: str) -> int | None:
    total = 0
    for part in word.lower().split("-"):
        if part not in words().numbers:
            return None
        total += words().numbers[part]
    return total
