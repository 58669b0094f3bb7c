"""Groups of facts with vectors and two years of history, written in batches, and what an exact search finds in them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from benchmarks.performance.world import word
from graphmem import Entity, EntityKind, Granule, Kind, Unit
from graphmem.model import Changes, Fact, FactVersion, Scope, StoredClaim, Window
from graphmem.ports import EmbeddingModel, Floats, ItemKey, ItemVector, SearchTarget, Store
from graphmem.terms import terms
from graphmem.timeline.claims import Claim
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant

__all__ = ["BATCH", "MODEL", "NOW", "YEAR_AGO", "Crowd", "Load", "crowd", "load", "write_batches"]

MODEL = EmbeddingModel(name="invented", dimension=384)
NOW = to_instant(datetime(2026, 1, 1, tzinfo=UTC))
YEAR_AGO = to_instant(datetime(2025, 1, 1, tzinfo=UTC))
BATCH = 1_000
"""Facts a transaction."""

_DAY = to_instant(datetime(2026, 1, 2, tzinfo=UTC)) - NOW
_HISTORY_DAYS = 730
_RE_DATED = 0.4
"""The share of facts that ended, each believed to go on until the memory heard of its end."""
_TOPICS = 200
_SPREAD = 0.6
_PEOPLE = 0.1
"""People a fact."""
_VOCABULARY = 5_000
"""Words, each as rare as its number says: the first is in every third fact, the last in one of four thousand."""
_LEAST_WORDS, _MOST_WORDS = 4, 9
"""Of a fact, beside who likes what."""
_ASKED_WORDS = 3
_WRITERS = 4
"""So many groups are written at the same time; the batches of one follow one another."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Crowd:
    """The facts of one group: their vectors, and when each was learned, began and was heard to have ended."""

    group_id: str
    vectors: Floats
    created_at: NDArray[np.int64]
    valid_at: NDArray[np.int64]
    moved_at: NDArray[np.int64]
    """MAX for a fact that goes on."""
    words: NDArray[np.int64]
    """A row a fact; 0: none."""

    def __len__(self) -> int:
        return len(self.vectors)

    def scope(self, at: Instant) -> Scope:
        """What was so at a moment, as known then."""
        return Scope(group_ids=(self.group_id,), window=Window.at(at), known_at=at)

    def question(self, number: int) -> Floats:
        """A vector near one of the facts."""
        near = self.vectors[number * 7_919 % len(self)]
        drawn = np.random.default_rng(number).standard_normal(len(near)).astype(np.float32)
        return _unit(near + 0.5 * drawn / np.linalg.norm(drawn))

    def text(self, number: int) -> str:
        """The words of one fact."""
        return " ".join(word(rank) for rank in self.words[number].tolist() if rank)

    def asked_terms(self, number: int) -> tuple[str, ...]:
        """Terms of one of the facts: what it likes, which no other does, and words of others too."""
        asked = number * 7_919 % len(self)
        return tuple(terms(" ".join((f"n{asked}", *self.text(asked).split()[:_ASKED_WORDS]))))

    def nearest(self, question: Floats, at: Instant, limit: int) -> list[str]:
        """Ids of the best of all that were so at a moment, as known then; compared one by one."""
        so = (self.created_at <= at) & (self.valid_at <= at) & (at < self.moved_at)
        seen = np.flatnonzero(so)
        best = np.argsort(-(self.vectors[seen] @ question), kind="stable")[:limit]
        return [_fact_id(number) for number in seen[best].tolist()]


def crowd(group_id: str, facts: int, seed: int) -> Crowd:
    draw = np.random.default_rng(seed)
    noise = _unit(draw.standard_normal((facts, MODEL.dimension)).astype(np.float32))
    created = NOW - draw.integers(1, _HISTORY_DAYS, facts) * _DAY
    is_over = draw.random(facts) < _RE_DATED
    moved = np.where(is_over, created + (draw.random(facts) * (NOW - created)).astype(np.int64) + 1, MAX)
    return Crowd(
        group_id=group_id,
        vectors=_unit(_topics()[draw.integers(0, _TOPICS, facts)] + _SPREAD * noise),
        created_at=created,
        valid_at=created - draw.integers(0, 200, facts) * _DAY,
        moved_at=moved,
        words=_words(draw, facts),
    )


def _words(draw: np.random.Generator, facts: int) -> NDArray[np.int64]:
    ranks = (_VOCABULARY ** draw.random((facts, _MOST_WORDS))).astype(np.int64)
    lengths = draw.integers(_LEAST_WORDS, _MOST_WORDS + 1, facts)
    return np.where(np.arange(_MOST_WORDS) < lengths[:, None], ranks, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """What writing some crowds took."""

    facts: int
    facts_seconds: float
    vectors_seconds: float

    @property
    def facts_per_s(self) -> float:
        return round(self.facts / self.facts_seconds, 1)

    @property
    def vectors_per_s(self) -> float:
        return round(self.facts / self.vectors_seconds, 1)


async def load(store: Store, crowds: Sequence[Crowd], progress: Callable[[str], None]) -> Load:
    """Write the crowds: facts with their entities, claims, versions and support in batches, then the vectors."""
    await store.start_vectors(MODEL)
    total, done = sum(len(one) for one in crowds), 0
    waiting = iter(crowds)

    def told(rows: int) -> None:
        nonlocal done
        done += rows
        progress(f"{done:,} of {total:,} facts")

    async def write() -> None:
        for one in waiting:
            await write_batches(store, one, told)

    began = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(_WRITERS)))
    written = time.perf_counter()
    vectors, done = chain.from_iterable(map(_vectors, crowds)), 0
    while batch := list(islice(vectors, BATCH)):
        await store.put_vectors(MODEL, batch)
        told(len(batch))
    return Load(facts=total, facts_seconds=written - began, vectors_seconds=time.perf_counter() - written)


async def write_batches(store: Store, one: Crowd, progress: Callable[[int], None] = lambda rows: None) -> None:
    """Write the facts of a crowd without their vectors, so many a transaction."""
    tau = MIN
    for rows in _batches(len(one)):
        based_on, tau = tau, max(tau, NOW) + 1
        await store.commit([_changes(one, rows, based_on, tau)])
        progress(len(rows))


def _batches(count: int) -> Iterator[range]:
    for first in range(0, count, BATCH):
        yield range(first, min(first + BATCH, count))


def _changes(one: Crowd, rows: range, based_on: Instant, tau: Instant) -> Changes:
    facts = [_fact(one, number) for number in rows]
    people = dict.fromkeys(fact.subject for fact in facts)
    things = dict.fromkeys(fact.object for fact in facts)
    versions = [v for number, fact in zip(rows, facts, strict=True) for v in _versions(one, number, fact)]
    claims = [_claim(one, number, fact, tau) for number, fact in zip(rows, facts, strict=True)]
    return Changes(
        group_id=one.group_id,
        based_on=based_on,
        tau=tau,
        kind="upkeep",
        entities=tuple(
            Entity(entity_id=name, group_id=one.group_id, name=name, kind=EntityKind.THING, created_at=tau)
            for name in (*people, *things)
        ),
        facts=tuple(facts),
        claims=tuple(claims),
        versions=tuple(versions),
        support=tuple((v.version_id, f"claim-{v.fact_id}") for v in versions),
    )


def _fact_id(number: int) -> str:
    return f"fact-{number:07}"


def _fact(one: Crowd, number: int) -> Fact:
    person = f"Person {int(number % max(1, len(one) * _PEOPLE))}"
    return Fact(
        fact_id=_fact_id(number),
        group_id=one.group_id,
        subject=person,
        relation="LIKES",
        object=f"Thing {number}",
        text=f"{person} likes thing n{number} of {one.text(number)}",
    )


def _claim(one: Crowd, number: int, fact: Fact, tau: Instant) -> StoredClaim:
    said = Claim(
        claim_id=f"claim-{fact.fact_id}",
        kind=Kind.HOLD,
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        ref=int(one.created_at[number]),
    )
    return StoredClaim(claim=said, group_id=one.group_id, fact_id=fact.fact_id, episode_id=None, tau=tau)


def _versions(one: Crowd, number: int, fact: Fact) -> Iterator[FactVersion]:
    """What was believed from the day it was learned, and what is believed since its end was heard of."""
    created, moved = int(one.created_at[number]), int(one.moved_at[number])
    yield _version(one, number, fact, until=MAX, created_at=created, expired_at=moved)
    if moved < MAX:
        yield _version(one, number, fact, until=moved, created_at=moved, expired_at=MAX)


def _version(
    one: Crowd, number: int, fact: Fact, *, until: Instant, created_at: Instant, expired_at: Instant
) -> FactVersion:
    begins = int(one.valid_at[number])
    return FactVersion(
        version_id=f"{fact.fact_id}-{created_at}",
        fact_id=fact.fact_id,
        group_id=one.group_id,
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        valid_at=begins,
        invalid_at=until,
        start=Granule(lo=begins, hi=begins + _DAY, unit=Unit.DAY),
        end=Granule(lo=until, hi=until, unit=Unit.INSTANT),
        start_stated=True,
        end_stated=until < MAX,
        trusted=True,
        created_at=created_at,
        expired_at=expired_at,
    )


def _vectors(one: Crowd) -> Iterator[ItemVector]:
    for number, vector in enumerate(one.vectors):
        key = ItemKey(group_id=one.group_id, target=SearchTarget.FACT, item_id=_fact_id(number))
        yield ItemVector(key=key, vector=vector)


@cache
def _topics() -> Floats:
    return _unit(np.random.default_rng(0).standard_normal((_TOPICS, MODEL.dimension)).astype(np.float32))


def _unit(rows: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(rows, axis=-1, keepdims=True)
    return (rows / lengths).astype(np.float32)
