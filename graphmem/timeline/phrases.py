"""Time phrases: the time words of a statement as they stand there, and what they say of the fact."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Tense", "TimePhrase", "TimeRole"]


class Tense(StrEnum):
    """Which way time words look that leave the year or the week open ("in April", "on Monday")."""

    PAST = "past"
    """The last one begun."""
    FUTURE = "future"
    """The next one."""
    UNKNOWN = "unknown"
    """The nearest, either way."""


class TimeRole(StrEnum):
    """What time words say of the fact they stand with."""

    AT = "at"
    """It happened, or was so, then ("in May", "from 2015 to 2018")."""
    START = "start"
    """It began then ("since 2020", "joined in May")."""
    END = "end"
    """It ended then ("left in March", "until June")."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TimePhrase:
    """Time words, verbatim, with what they date."""

    text: str
    role: TimeRole = TimeRole.AT
    tense: Tense | None = None
    """Tense of the verb they stand with; None: as the words themselves suggest ("until Friday" looks ahead)."""
