"""As-of correctness inside the lanes: whatever a lane finds lies within the scope, and nothing better is left out."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.inference.scripted import HashingEmbedder
from graphmem.ingest.new_claims import NewClaim
from graphmem.item_texts import episode_text, fact_text
from graphmem.memory import Memory
from graphmem.model import DatedFact, Episode, Filter
from graphmem.ports import SearchTarget, TextKind
from graphmem.retrieve.recipes import RECIPES, Lane, Recipe
from graphmem.stores.search_text import episode_terms
from graphmem.terms import terms
from tests.clocks import SetClock

T = TypeVar("T")
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
GROUPS = ("ann", "bob")
PEOPLE = ("Ann", "Bob", "Cid")
PLACES = ("Acme", "Globex", "Initech")
DAYS = 24


@dataclass(frozen=True, kw_only=True)
class World:
    """A memory that was told one thing a day, and the loop it lives in."""

    memory: Memory
    embedder: HashingEmbedder
    loop: asyncio.AbstractEventLoop

    def run(self, call: Awaitable[T]) -> T:
        return self.loop.run_until_complete(call)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Where:
    """What one search may see, as a caller says it."""

    group_ids: tuple[str, ...]
    at: datetime | None
    known_at: datetime | None
    filter: Filter

    def given(self) -> dict[str, object]:
        during = None if self.at else (None, None)
        return {
            "group_ids": self.group_ids,
            "at": self.at,
            "during": during,
            "known_at": self.known_at,
            "filter": self.filter,
        }


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    loop = asyncio.new_event_loop()
    embedder = HashingEmbedder(dimension=16)
    memory = loop.run_until_complete(_told(embedder))
    yield World(memory=memory, embedder=embedder, loop=loop)
    loop.run_until_complete(memory.close())
    loop.close()


async def _told(embedder: HashingEmbedder) -> Memory:
    clock = SetClock(BEGIN)
    memory = await Memory.open(":memory:", clock=clock, embedder=embedder)
    for day in range(DAYS):
        clock.tick(timedelta(days=1))
        group_id, person, place = GROUPS[day % 2], PEOPLE[day % 3], PLACES[day // 2 % 3]
        about = {"group_id": group_id, "speaker": person, "session_id": f"s{day % 4}", "metadata": {"k": str(day % 3)}}
        await memory.add_episode(f"I work at {place}.", **about)  # type: ignore[arg-type]
        claim = NewClaim(subject=person, relation="VISITED", object=place, start=clock.now() - timedelta(days=5))
        await memory.add_claims([claim], group_id=group_id)
    return memory


moments = st.sampled_from([None, *(BEGIN + timedelta(days=d) for d in range(-6, DAYS + 2, 4))])
scopes = st.builds(
    Where,
    group_ids=st.sampled_from([("ann",), ("bob",), GROUPS]),
    at=moments,
    known_at=moments,
    filter=st.sampled_from(
        [Filter(), Filter(session_id="s1"), Filter(speaker="Ann"), Filter(metadata={"k": "2"}), Filter(speaker="Zoe")]
    ),
)
questions = st.sampled_from(["where does Ann work", "Globex", "who visited Acme", "Bob at Initech in January 2025"])


def visible_facts(world: World, where: Where) -> list[DatedFact]:
    return world.run(world.memory.facts(**where.given()))  # type: ignore[arg-type]


def visible_episodes(world: World, where: Where) -> list[Episode]:
    known_at = where.known_at or datetime(9999, 1, 1, tzinfo=UTC)
    recent = world.run(world.memory.recent(group_ids=where.group_ids, limit=1_000))
    return [
        e for e in recent if datetime.fromtimestamp(e.learned_at / 1e6, UTC) <= known_at and where.filter.matches(e)
    ]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    where=scopes,
    question=questions,
    recipe=st.sampled_from([name for name in RECIPES if name != "cross-encoder"]),
    limit=st.sampled_from([1, 3, 50]),
)
def test_whatever_a_lane_finds_lies_within_the_scope(
    world: World, where: Where, question: str, recipe: str, limit: int
) -> None:
    found = world.run(
        world.memory.search(question, recipe=recipe, limit=limit, neighbours=2, **where.given())  # type: ignore[arg-type]
    )

    facts = {(f.fact.group_id, f.fact.fact_id, f.version.version_id) for f in visible_facts(world, where)}
    episodes = {(e.group_id, e.episode_id) for e in visible_episodes(world, where)}
    for hit in found:
        assert hit.lanes
        assert hit.group_id in where.group_ids
        if hit.target is SearchTarget.FACT:
            assert hit.facts
            assert {(f.fact.group_id, f.fact.fact_id, f.version.version_id) for f in hit.facts} <= facts
        else:
            seen = [e for e in (hit.episode, *hit.before, *hit.after) if e is not None]
            assert {(e.group_id, e.episode_id) for e in seen} <= episodes


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=scopes, question=questions, recipe=st.sampled_from(["vectors", "rrf", "full"]), limit=st.integers(1, 3))
def test_what_a_full_scan_ranks_first_is_found(
    world: World, where: Where, question: str, recipe: str, limit: int
) -> None:
    wanted = {
        **{(e.group_id, e.episode_id): episode_text(e) for e in visible_episodes(world, where)},
        **{(f.fact.group_id, f.fact.fact_id): fact_text(f.fact) for f in visible_facts(world, where)},
    }
    for target in (SearchTarget.EPISODE, SearchTarget.FACT):
        found = world.run(
            world.memory.search(question, targets=[target], recipe=recipe, limit=50, minimum=-1.0, **where.given())  # type: ignore[arg-type]
        )
        texts = {key: text for key, text in wanted.items() if key[1].startswith("f_") == (target is SearchTarget.FACT)}
        assert bool(found) == bool(texts)
        if not texts:
            continue
        vectors = world.run(world.embedder.embed([question, *texts.values()], TextKind.DOCUMENT))
        scanned = dict(zip(texts, np.round(vectors[1:] @ vectors[0], 5).tolist(), strict=True))
        best = max(scanned.values())
        first = [hit for hit in found if any((s.lane, s.rank) == (Lane.VECTOR, 1) for s in hit.lanes)]
        assert [scanned[hit.group_id, hit.item_id] for hit in first] == [pytest.approx(best, abs=1e-4)]
        if recipe == "vectors":
            top = world.run(
                world.memory.search(
                    question, targets=[target], recipe=recipe, limit=limit, minimum=-1.0, **where.given()
                )  # type: ignore[arg-type]
            )
            assert list(top) == list(found[:limit])


LANES = {
    lane: Recipe(
        name=lane.value, lanes={lane: 1.0} if lane is not Lane.KEY else {Lane.KEYWORD: 1.0, Lane.KEY: 1.0}, depth=1_000
    )
    for lane in (Lane.KEYWORD, Lane.VECTOR, Lane.WALK, Lane.KEY)
}
K1, B = 1.2, 0.75


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=scopes, question=questions, lane=st.sampled_from(list(LANES)))
def test_everything_that_a_lane_ranks_lies_within_the_scope(
    world: World, where: Where, question: str, lane: Lane
) -> None:
    found = world.run(
        world.memory.search(question, recipe=LANES[lane], limit=1_000, minimum=-1.0, **where.given())  # type: ignore[arg-type]
    )

    seen = {(f.fact.group_id, f.fact.fact_id) for f in visible_facts(world, where)}
    seen |= {(e.group_id, e.episode_id) for e in visible_episodes(world, where)}
    assert {(hit.group_id, hit.item_id) for hit in found} <= seen


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=scopes, question=questions)
def test_the_lane_of_words_ranks_as_a_scan_of_the_whole_group_does(world: World, where: Where, question: str) -> None:
    everything = Where(group_ids=GROUPS, at=None, known_at=None, filter=Filter())
    texts = {(e.group_id, e.episode_id): episode_terms(e).split() for e in visible_episodes(world, everything)}
    wanted = set(terms(question))
    scores = {
        key: score
        for group_id in where.group_ids
        for key, score in _bm25({k: t for k, t in texts.items() if k[0] == group_id}, texts, wanted).items()
    }
    visible = {(e.group_id, e.episode_id) for e in visible_episodes(world, where)}

    found = world.run(
        world.memory.search(
            question,
            recipe=LANES[Lane.KEYWORD],
            targets=[SearchTarget.EPISODE],
            limit=1_000,
            minimum=-1.0,
            **where.given(),  # type: ignore[arg-type]
        )
    )

    ranked = {(hit.group_id, hit.item_id): hit.lanes[0].score for hit in found}
    assert ranked == pytest.approx({key: score for key, score in scores.items() if key in visible}, abs=1e-4)
    assert list(ranked.values()) == sorted(ranked.values(), reverse=True)


def _bm25(
    group: dict[tuple[str, str], list[str]], everything: dict[tuple[str, str], list[str]], wanted: set[str]
) -> dict[tuple[str, str], float]:
    """Of the texts of a group that hold any of the terms; the mean length is that of all texts."""
    mean = sum(map(len, everything.values())) / len(everything)
    scores: dict[tuple[str, str], float] = {}
    for term in wanted:
        holding = [key for key, words in group.items() if term in words]
        idf = max(math.log((len(group) - len(holding) + 0.5) / (len(holding) + 0.5)), 0.01)
        for key in holding:
            times, length = group[key].count(term), len(group[key])
            weight = times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))
            scores[key] = scores.get(key, 0.0) + idf * weight
    return scores
