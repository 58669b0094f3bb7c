"""Turns of a conversation, a day apart, and what the offline rules read in the last of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from graphmem.ingest.rules import RuleExtractor
from graphmem.model import Episode, Source, Statement
from graphmem.ports import ExtractionContext
from graphmem.timeline.instants import to_instant

__all__ = ["FIRST", "episode_of", "said_in", "tell"]

FIRST = datetime(2026, 6, 3, 12, tzinfo=UTC)
"""When the first turn is said."""


def episode_of(text: str, *, speaker: str | None = "Ann", number: int = 0, source: Source = Source.MESSAGE) -> Episode:
    said_at = to_instant(FIRST + timedelta(days=number))
    return Episode(
        episode_id=f"e{number}",
        group_id="g",
        text=text,
        speaker=speaker,
        source=source,
        said_at=said_at,
        learned_at=said_at,
    )


def tell(*turns: str | tuple[str | None, str], source: Source = Source.MESSAGE) -> Sequence[Statement]:
    """The statements of the last of some turns (speaker, text); a bare text is Ann's."""
    spoken = [("Ann", turn) if isinstance(turn, str) else turn for turn in turns]
    *earlier, last = (
        episode_of(text, speaker=speaker, number=number, source=source) for number, (speaker, text) in enumerate(spoken)
    )
    return RuleExtractor().read(last, ExtractionContext(previous=earlier)).statements


def said_in(statements: Iterable[Statement]) -> list[str]:
    """Kind, subject, relation and object of each."""
    return [f"{s.kind} {s.subject} {s.relation} {s.object}" for s in statements]
