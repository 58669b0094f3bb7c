"""A made-up world of people who change jobs and homes: what is told of it, and questions whose answers are known."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from graphmem.timeline.day_names import day_name

__all__ = ["FACTS_A_PERSON", "Fact", "Question", "World", "world_of"]

SEED = 20260601
FACTS_A_PERSON = 5
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_FIRST_DAY = datetime(2021, 1, 4, 9, tzinfo=UTC)
_LATE = timedelta(days=60)
_FIRST = "Ann Ben Cleo Dan Eva Finn Gina Hugo Iris Jon".split()
_LAST = "Berg Falk Holm Lund Moss Nygaard Quist Ravn Strand Vik".split()
_FIRMS = "Acme Globex Initech Umbra Hooli Vandelay Wayland Tyrell Cyberdyne Soylent Aperture Oscorp".split()
_TOWNS = "Oslo Bergen Lisbon Porto Vienna Graz Lyon Nantes Turin Genoa Ghent Leiden".split()


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """What one sentence says: where somebody works or lives, from a day on, perhaps until another."""

    person: str
    relation: str
    """WORKS_AT or LIVES_IN; of each somebody has one at a time."""
    place: str
    sentence: str
    """As it is told."""
    said_at: datetime
    since: datetime
    until: datetime | None = None
    """Where the sentence itself says the end."""
    when: tuple[str, str] = ("", "")
    """Its words for the start and the end."""

    @property
    def statement(self) -> str:
        """Without its dates."""
        return f"{self.person} {'works at' if self.relation == 'WORKS_AT' else 'lives in'} {self.place}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """Where somebody works or lives now, or did on a day."""

    text: str
    person: str
    relation: str
    right: str
    at: datetime | None = None
    """None: now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """What is told, in this order, and what is asked afterwards."""

    facts: tuple[Fact, ...]
    questions: tuple[Question, ...]


def world_of(facts: int) -> World:
    """So many facts (five a person), told in the order in which they were said; the same every time."""
    drawing = random.Random(SEED)
    told: list[Fact] = []
    asked: list[Question] = []
    for number in range(facts // FACTS_A_PERSON):
        person = _person(number)
        jobs = _spells(drawing, drawing.sample(_FIRMS, 3))
        homes = _spells(drawing, drawing.sample(_TOWNS, 2))
        told += _jobs_told(person, jobs, number)
        told += [_plain(person, "LIVES_IN", place, since) for place, since in homes]
        asked += _questions(person, "WORKS_AT", jobs, drawing)
        asked += _questions(person, "LIVES_IN", homes, drawing)
    told.sort(key=lambda fact: (fact.said_at, fact.sentence))
    return World(facts=tuple(told), questions=tuple(asked))


def _person(number: int) -> str:
    generation = number // (len(_FIRST) * len(_LAST))
    name = f"{_FIRST[number % len(_FIRST)]} {_LAST[number // len(_FIRST) % len(_LAST)]}"
    return name + "son" * generation


def _spells(drawing: random.Random, places: Sequence[str]) -> list[tuple[str, datetime]]:
    """Where somebody was from when on; at least half a year each."""
    spells, day = [], _FIRST_DAY + timedelta(days=drawing.randrange(200))
    for place in places:
        spells.append((place, day))
        day += timedelta(days=180 + drawing.randrange(300))
    return spells


def _jobs_told(person: str, jobs: Sequence[tuple[str, datetime]], number: int) -> Iterator[Fact]:
    """On the day; of every fourth person the second job is told late, of every other fourth the third one.

    The second then as a spell that is over, when the third is known already; the third as one that began some time ago.
    """
    for place, (firm, since) in enumerate(jobs):
        if number % 4 == 0 and place == 1:
            until = jobs[2][1]
            when = (f"from {day_name(since)}", f"until {day_name(until)}")
            yield Fact(
                person=person,
                relation="WORKS_AT",
                place=firm,
                sentence=f"{person} worked at {firm} {when[0]} {when[1]}.",
                said_at=until + _LATE,
                since=since,
                until=until,
                when=when,
            )
        elif number % 4 == 2 and place == 2:
            when = (f"since {day_name(since)}", "")
            yield Fact(
                person=person,
                relation="WORKS_AT",
                place=firm,
                sentence=f"{person} has worked at {firm} {when[0]}.",
                said_at=since + _LATE,
                since=since,
                when=when,
            )
        else:
            yield _plain(person, "WORKS_AT", firm, since)


def _plain(person: str, relation: str, place: str, since: datetime) -> Fact:
    verb = "works at" if relation == "WORKS_AT" else "lives in"
    return Fact(
        person=person,
        relation=relation,
        place=place,
        sentence=f"{person} {verb} {place}.",
        said_at=since,
        since=since,
    )


def _questions(
    person: str, relation: str, spells: Sequence[tuple[str, datetime]], drawing: random.Random
) -> Iterator[Question]:
    """One of now, and one of a day within an earlier spell."""
    work = relation == "WORKS_AT"
    yield Question(
        text=f"Where does {person} {'work' if work else 'live'}?",
        person=person,
        relation=relation,
        right=spells[-1][0],
    )
    (place, since), (_, until) = drawing.choice(list(pairwise(spells)))
    day = (since + (until - since) / 2).replace(hour=12, minute=0)
    yield Question(
        text=f"Where did {person} {'work' if work else 'live'} on {day_name(day)}?",
        person=person,
        relation=relation,
        right=place,
        at=day,
    )
