"""Turns of talk, and questions with the turns that hold their answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphmem.timeline.day_names import day_name

__all__ = ["Haystack", "Question", "Split", "Turn"]


class Split(StrEnum):
    """What a question may be used for: tuning, or a figure that is reported as it is."""

    DEVELOPMENT = "development"
    HELD_OUT = "held_out"


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One message."""

    turn_id: str
    session_id: str
    speaker: str
    said_at: datetime
    text: str

    @property
    def line(self) -> str:
        """As a flat index holds it: "Ann, 8 May 2023: text"."""
        return f"{self.speaker}, {day_name(self.said_at)}: {self.text}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One question with the turns that hold its answer."""

    question_id: str
    text: str
    kind: str
    """Of the set's own kinds."""
    evidence: tuple[str, ...]
    """Ids of turns, at least one."""
    asked_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Haystack:
    """Turns of one memory, and what is asked about them."""

    haystack_id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    split: Split = Split.HELD_OUT

    @property
    def said_until(self) -> datetime:
        """When the last turn was said: then a question is asked that has no date of its own."""
        return max(turn.said_at for turn in self.turns)
