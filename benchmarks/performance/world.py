"""Invented facts in any number: people with employers, homes and likings, each with its day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from graphmem import EntityKind, Granule, Kind, NewEpisode, Unit
from graphmem.model import Statement
from graphmem.timeline.instants import to_instant

__all__ = ["FACTS_A_PERSON", "FIRST_DAY", "GROUP", "episodes_of", "messages", "new_fact", "person", "word"]

GROUP = "performance"
FIRST_DAY = datetime(2015, 1, 1, tzinfo=UTC)
FACTS_A_PERSON = 10
_SYLLABLES = ("ba", "do", "fe", "gi", "ka", "lu", "ma", "ne", "ro", "su", "ta", "vi", "zo")
_RELATIONS = (
    "WORKS_AT",
    "WORKS_AT",
    "WORKS_AT",
    "LIVES_IN",
    "LIVES_IN",
    "LIKES",
    "LIKES",
    "LIKES",
    "OWNS",
    "MEMBER_OF",
)


def person(number: int) -> str:
    """A full name; every number has its own."""
    return f"{word(number * 7 + 3)} {word(number + 101)}"


def word(number: int) -> str:
    """A word of four syllables; every number below 28,561 has its own."""
    syllables = []
    for _ in range(4):
        number, place = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return "".join(syllables).capitalize()


def new_fact(number: int) -> Statement:
    """The fact of this number: ten in a row are about one person."""
    who, which = divmod(number, FACTS_A_PERSON)
    relation = _RELATIONS[which]
    day = FIRST_DAY + timedelta(days=(number * 37) % 3_650)
    return Statement(
        kind=Kind.HOLD,
        subject=person(who),
        relation=relation,
        object=f"{word(number * 11 + 5)} {relation.split('_')[0].capitalize()}",
        subject_kind=EntityKind.PERSON,
        start=Granule(lo=to_instant(day), hi=to_instant(day + timedelta(days=1)), unit=Unit.DAY),
    )


def episodes_of(facts: range, *, facts_an_episode: int, group_id: str = GROUP) -> Iterator[NewEpisode]:
    """Episodes that state these facts, each in the words of its facts."""
    for first in range(facts.start, facts.stop, facts_an_episode):
        statements = tuple(new_fact(n) for n in range(first, min(first + facts_an_episode, facts.stop)))
        yield NewEpisode(
            text=" ".join(f"{s.subject} {s.relation.lower()} {s.object}." for s in statements),
            group_id=group_id,
            episode_id=f"facts-{first}",
            said_at=FIRST_DAY + timedelta(days=4_000, seconds=first),
            statements=statements,
        )


def messages(count: int) -> Iterator[NewEpisode]:
    """Chat messages for the rules to read."""
    for number in range(count):
        yield NewEpisode(
            text=f"I work at {word(number * 5)} since March 2021. My sister moved to {word(number)} last week, it rains a lot.",
            group_id="messages",
            episode_id=f"message-{number}",
            speaker=person(number % 50),
            said_at=FIRST_DAY + timedelta(days=4_000, minutes=number),
        )
