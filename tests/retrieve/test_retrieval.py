"""Searching a memory: lanes, recipes, notes, neighbours. The embedder is a double."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from math import nan
from pathlib import Path
from typing import cast

import pytest

from graphmem.errors import InvalidLimit, InvalidQuery
from graphmem.inference.scripted import FailingEmbedder, HashingEmbedder, OverlapScorer
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.ports import SearchTarget
from graphmem.retrieve.recipes import FULL, RECIPES, Lane
from graphmem.retrieve.search import Findings, Found

TURNS = (
    ("Ann", "I work at Acme."),
    ("Bob", "How is the coffee there?"),
    ("Ann", "Terrible, I drink tea."),
    ("Bob", "I live in Oslo."),
    ("Ann", "Dinosaurs are great."),
)
CLAIMS = (("Ann", "WORKS_AT", "Acme"), ("Acme", "LOCATED_IN", "Graz"), ("Bob", "LIVES_IN", "Oslo"))
DAY = datetime(2025, 3, 3, 9, tzinfo=UTC)


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    async with await told(HashingEmbedder()) as opened:
        yield opened


async def told(embedder: HashingEmbedder | None) -> Memory:
    memory = await Memory.open(":memory:", embedder=embedder)
    for n, (speaker, text) in enumerate(TURNS):
        await memory.add_episode(
            text, speaker=speaker, said_at=DAY + timedelta(minutes=n), session_id="s", episode_id=f"t{n}"
        )
    claims = [NewClaim(subject=s, relation=r, object=o) for s, r, o in CLAIMS]
    await memory.add_claims(claims, said_at=DAY + timedelta(days=1))
    return memory


def seen_by(found: Found) -> dict[Lane, int]:
    return {seen.lane: seen.rank for seen in found.lanes}


def texts(found: Findings) -> list[str]:
    return [hit.episode.text if hit.episode else hit.facts[0].text if hit.facts else "" for hit in found]


async def test_every_hit_says_which_lanes_saw_it(memory: Memory) -> None:
    found = await memory.search("where does Ann work", targets=[SearchTarget.FACT])

    assert found.notes == ()
    assert found.recipe == "full"
    assert found[0].facts[0].text == "Ann works at Acme"
    assert seen_by(found[0]) == {Lane.KEYWORD: 1, Lane.VECTOR: 1, Lane.WALK: 1}


@pytest.mark.parametrize("recipe", [name for name in RECIPES if name != "cross-encoder"])
async def test_a_recipe_finds_the_obvious(memory: Memory, recipe: str) -> None:
    found = await memory.search("Where does Bob live?", recipe=recipe)

    assert {"Bob lives in Oslo", "I live in Oslo."} <= set(texts(found)[:3])
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    assert len({(hit.target, hit.item_id) for hit in found}) == len(found)


async def test_an_unknown_recipe_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidQuery, match="full"):
        await memory.search("tea", recipe="best")


async def test_a_walk_finds_what_shares_no_word_with_the_question(memory: Memory) -> None:
    found = await memory.search("Ann", targets=[SearchTarget.FACT], recipe=FULL)

    (graz,) = (hit for hit in found if hit.facts[0].object.name == "Graz")
    assert Lane.WALK in seen_by(graz)
    assert Lane.KEYWORD not in seen_by(graz)


async def test_a_fact_is_a_key_to_the_episode_it_rests_on(memory: Memory) -> None:
    found = await memory.search("Ann works", targets=[SearchTarget.EPISODE])

    (told_it,) = (hit for hit in found if hit.item_id == "t0")
    assert seen_by(told_it)[Lane.KEY] >= 1
    assert all(hit.target is SearchTarget.EPISODE for hit in found)


async def test_the_turns_around_an_episode_come_on_request(memory: Memory) -> None:
    async def around(reach: int) -> tuple[list[str], list[str]]:
        found = await memory.search("tea", targets=[SearchTarget.EPISODE], recipe="words", neighbours=reach)
        return [e.episode_id for e in found[0].before], [e.episode_id for e in found[0].after]

    assert await around(0) == ([], [])
    assert await around(1) == (["t1"], ["t3"])
    assert await around(9) == (["t0", "t1"], ["t3", "t4"])
    with pytest.raises(InvalidLimit):
        await memory.search("tea", neighbours=11)


async def test_a_minimum_keeps_irrelevant_memories_out(memory: Memory) -> None:
    everything = await memory.search("dinosaurs", recipe="full", minimum=-1.0, targets=[SearchTarget.EPISODE])
    relevant = await memory.search("dinosaurs", recipe="full", minimum=0.5, targets=[SearchTarget.EPISODE])

    assert len(everything) > len(relevant) == 1
    assert relevant[0].item_id == "t4"


async def test_entities_are_found_by_words_and_meaning(memory: Memory) -> None:
    found = await memory.search("Acme", targets=[SearchTarget.ENTITY])

    assert found[0].entity is not None
    assert found[0].entity.name == "Acme"
    assert set(seen_by(found[0])) == {Lane.KEYWORD, Lane.VECTOR}


async def test_without_an_embedder_words_and_graph_find_and_the_search_says_so() -> None:
    async with await told(None) as memory:
        found = await memory.search("where does Ann work", targets=[SearchTarget.FACT])

    assert found[0].facts[0].text == "Ann works at Acme"
    assert set(seen_by(found[0])) == {Lane.KEYWORD, Lane.WALK}
    assert "no embedder" in found.notes[0]


async def test_a_question_that_cannot_be_embedded_goes_by_words_and_says_so() -> None:
    embedder = FailingEmbedder()
    embedder.is_down = False
    async with await told(embedder) as memory:
        embedder.is_down = True
        found = await memory.search("where does Ann work", targets=[SearchTarget.FACT])

    assert found[0].facts[0].text == "Ann works at Acme"
    assert "the scripted embedder is down" in found.notes[0]


async def test_a_cross_encoder_has_the_last_word_where_there_is_one() -> None:
    async with await Memory.open(":memory:", embedder=HashingEmbedder(), reranker=OverlapScorer()) as memory:
        for text in ("tea tea tea tea", "green tea from Japan"):
            await memory.add_episode(text, said_at=DAY)
        found = await memory.search("green tea", recipe="cross-encoder", targets=[SearchTarget.EPISODE])

        assert texts(found) == ["green tea from Japan", "tea tea tea tea"]
        assert [hit.score for hit in found] == [1.0, 0.5]
        assert found.notes == ()


async def test_while_nothing_has_a_vector_the_order_of_the_lanes_stands() -> None:
    async with await told(None) as plain:
        in_lanes = await plain.search("tea")
    async with await told(embedder := FailingEmbedder()) as memory:
        embedder.is_down = False
        found = await memory.search("tea")

    assert "wait for their vectors" in found.notes[0]
    assert [(hit.score, hit.lanes) for hit in found] == [(hit.score, hit.lanes) for hit in in_lanes]


class OddScorer:
    """Gives what no cross-encoder should give."""

    def __init__(self, given: Callable[[int], object]) -> None:
        self.given = given

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return cast("Sequence[float]", self.given(len(texts)))


@pytest.mark.parametrize(
    "given",
    [
        lambda count: None,
        lambda count: [0.5],
        lambda count: [nan] * count,
        lambda count: ["a"] * count,
        lambda count: 1 // 0,
    ],
    ids=["nothing", "too few", "nan", "text", "raises"],
)
async def test_what_no_cross_encoder_should_give_leaves_the_order_of_the_lanes(given: Callable[[int], object]) -> None:
    async with await Memory.open(":memory:", reranker=OddScorer(given)) as memory:
        for text in ("tea tea tea tea", "green tea from Japan"):
            await memory.add_episode(text, said_at=DAY)
        found = await memory.search("green tea", recipe="cross-encoder")

        assert len(found) == 2
        assert "order of the lanes: the cross-encoder" in found.notes[-1]


@pytest.mark.parametrize("recipe", RECIPES)
async def test_a_search_gives_as_many_hits_as_are_wanted(recipe: str) -> None:
    deeper = 30
    async with await Memory.open(":memory:", embedder=HashingEmbedder()) as memory:
        for number in range(FULL.depth + deeper):
            await memory.add_episode(f"green tea {number}", said_at=DAY, wait=False)
        await memory.run_jobs()
        await memory.reembed()
        found = await memory.search(
            "green tea", limit=FULL.depth + deeper, recipe=recipe, targets=[SearchTarget.EPISODE]
        )
        assert len(found) == FULL.depth + deeper


async def test_without_a_cross_encoder_the_order_of_the_lanes_stands(memory: Memory) -> None:
    found = await memory.search("tea", recipe="cross-encoder")

    assert "no cross-encoder" in found.notes[0]
    assert "Terrible, I drink tea." in texts(found)


async def test_a_text_without_words_finds_nothing(memory: Memory) -> None:
    assert await memory.search("  ?!  ", recipe="words") == []
    assert await memory.search("   ") == []


async def test_the_same_search_gives_the_same_hits(memory: Memory) -> None:
    for recipe in RECIPES:
        once = await memory.search("Ann drinks tea in Oslo", recipe=recipe)
        assert await memory.search("Ann drinks tea in Oslo", recipe=recipe) == once


async def test_what_is_erased_while_a_search_runs_is_left_out(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    store = memory._store

    async def erased_first(search: Callable[..., Awaitable[object]], *given: object, **named: object) -> object:
        found = await search(*given, **named)
        if not is_erased:
            is_erased.append(True)
            await memory.erase(episode_id="t2")
        return found

    async def apart(work: Callable[[], Awaitable[object]]) -> object:
        return await work()  # as a server does: each read is of a moment of its own

    is_erased: list[bool] = []
    monkeypatch.setattr(store, "search_all", partial(erased_first, store.search_all))
    monkeypatch.setattr(store, "at_one_moment", apart)
    found = await memory.search("tea", targets=[SearchTarget.EPISODE, SearchTarget.FACT], recipe="words")

    assert is_erased
    assert "t2" not in [hit.item_id for hit in found]
    assert all(hit.facts or hit.episode for hit in found)
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))


async def test_vectors_that_another_process_makes_anew_with_another_model_are_not_compared(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        await memory.add_episode("I drink tea.", said_at=DAY)
        assert Lane.VECTOR in seen_by((await memory.search("tea"))[0])
        async with await Memory.open(tmp_path / "m.db", embedder=None) as other:
            await other._store.start_vectors(replace(HashingEmbedder().model, name="another"))

        found = await memory.search("tea")

        assert texts(found) == ["I drink tea."]
        assert set(seen_by(found[0])) == {Lane.KEYWORD}
        assert "another" in found.notes[0]
