"""What an episode, a fact and an entity say as one text: the form that embedders and rerankers read."""

from __future__ import annotations

from datetime import date

from graphmem.model import Entity, Episode, Fact
from graphmem.timeline.calendar import zone_of
from graphmem.timeline.instants import to_datetime

__all__ = ["entity_text", "episode_text", "fact_text", "said_on"]


def episode_text(episode: Episode) -> str:
    """An episode with its speaker: "Alice: I work at Acme.".

    The day is for the search by words: in the text of vectors it makes turns of one day alike (LoCoMo: 2 points @10 less).
    """
    return f"{episode.speaker}: {episode.text}" if episode.speaker else episode.text


def fact_text(fact: Fact) -> str:
    """The sentence of a fact; its dates are no part of it, they differ by version."""
    return fact.text


def entity_text(entity: Entity) -> str:
    """The name of an entity; other spellings are for the search by words."""
    return entity.name


def said_on(episode: Episode) -> date | None:
    """The day an episode was said in its zone; None at the ends of time, where there are no days."""
    moment = to_datetime(episode.said_at)
    if moment is None:
        return None
    try:
        return moment.astimezone(zone_of(episode.zone)).date()
    except OverflowError:
        return moment.date()
