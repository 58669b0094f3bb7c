"""Single calendar units: dates, periods, times counted from now, and clock times on a day."""

from __future__ import annotations

from graphmem.timeline import hours
from graphmem.timeline.passage import Passage, Reading
from graphmem.timeline.rules import RuleBook

__all__ = ["UNIT_WORDS", "read_unit"]

_RULES = RuleBook(hours.DAYS, hours.RULES)

UNIT_WORDS = _RULES.words
"""The words a unit can begin with; `vocabulary.DIGIT` for digits."""


def read_unit(passage: Passage, at: int) -> Reading | None:
    """The longest unit that begins at a place; None if there is none."""
    if at not in passage.units:
        best = _RULES.longest(passage, at)
        passage.units[at] = best and hours.with_clock(passage, best)
    return passage.units[at]
