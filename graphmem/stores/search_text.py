"""What is searched of facts, entities and episodes: the same terms in every store."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.item_texts import said_on
from graphmem.model import Episode, Fact
from graphmem.terms import indexed_words
from graphmem.timeline.day_names import WEEKDAYS, day_name

__all__ = ["MAX_QUERY_TERMS", "entity_terms", "episode_terms", "fact_terms", "query_terms"]

MAX_QUERY_TERMS = 256
"""Distinct terms of one search that count; the rest of a longer text is not looked at."""


def fact_terms(fact: Fact) -> str:
    """The terms of a fact, blank between them: those of its sentence."""
    return indexed_words(fact.text)


def entity_terms(name: str, spellings: Iterable[str]) -> str:
    """The terms of an entity: those of its name and of every other spelling, each spelling once."""
    return indexed_words("\n".join(dict.fromkeys((name, *spellings))))


def episode_terms(episode: Episode) -> str:
    """The terms of an episode: its speaker, the day it was said in its zone ("3 March 2025, Monday") and its text."""
    return indexed_words("\n".join((episode.speaker or "", _day(episode), episode.text)))


def query_terms(terms: Iterable[str]) -> list[str]:
    """The terms of a search that count: each once, at most MAX_QUERY_TERMS."""
    return list(dict.fromkeys(term for term in terms if term))[:MAX_QUERY_TERMS]


def _day(episode: Episode) -> str:
    day = said_on(episode)
    return "" if day is None else f"{day_name(day)}, {WEEKDAYS[day.weekday()]}"
