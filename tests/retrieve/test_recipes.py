"""What each part of a recipe does to the order: variety, a centre, mentions, PageRank, and how near hits must be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import numpy as np
import pytest

from graphmem.errors import NotFound
from graphmem.inference.scripted import HashingEmbedder, OverlapScorer
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.ports import EmbeddingModel, Floats, Hits, ItemKey, SearchTarget, TextKind
from graphmem.retrieve.fusion import Ranked, Ranking
from graphmem.retrieve.neighbourhood import HUB_DEGREE
from graphmem.retrieve.recipes import FULL, RECIPES, Lane, Recipe, Relevance, Rerank, recipe_of, with_minimum
from graphmem.retrieve.relevance import relevant, with_cosines

DAY = datetime(2025, 3, 3, 9, tzinfo=UTC)
WORDS = MappingProxyType({Lane.KEYWORD: 1.0})
DRINKERS = ("Ann", "Bob", "Cid")


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    async with await Memory.open(":memory:") as opened:
        await likes_tea(opened, *DRINKERS)
        yield opened


async def likes_tea(memory: Memory, *names: str, days_later: int = 0) -> None:
    for name in names:
        said_at = DAY + timedelta(days=days_later)
        await memory.add_claims([NewClaim(subject=name, relation="LIKES", object="tea")], said_at=said_at)


async def order(memory: Memory, recipe: Recipe | str, centre: str | None = None) -> list[str]:
    """Who likes tea, in the order in which a search finds them."""
    found = await memory.search("likes tea", targets=[SearchTarget.FACT], recipe=recipe, centre=centre)
    facts = [hit.facts[0].fact for hit in found]
    names = {e.entity_id: e.name for name in DRINKERS for e in await memory.entities(name)}
    return [names[fact.subject] for fact in facts if fact.text.endswith("likes tea")]


def signalling(lane: Lane) -> Recipe:
    return Recipe(name="signal", lanes=WORDS, signals=MappingProxyType({lane: 3.0}))


@pytest.mark.parametrize("centre", DRINKERS)
async def test_what_is_near_a_centre_stands_first(memory: Memory, centre: str) -> None:
    before = (await order(memory, "words", centre)).index(centre)
    assert (await order(memory, signalling(Lane.DISTANCE), centre))[0] == centre
    assert (await order(memory, "graph", centre)).index(centre) in range(max(1, before))


async def test_a_walk_does_not_go_through_a_hub_but_may_begin_there(memory: Memory) -> None:
    crowd = [NewClaim(subject=f"P{number}", relation="LIVES_IN", object="Graz") for number in range(HUB_DEGREE + 1)]
    ann = [("Ann", "LIVES_IN", "Graz"), ("Ann", "KNOWS", "Bea"), ("Bea", "LIKES", "chess")]
    await memory.add_claims([*crowd, *(NewClaim(subject=s, relation=r, object=o) for s, r, o in ann)], said_at=DAY)

    async def walked(text: str) -> set[str]:
        recipe = Recipe(name="walk", lanes=MappingProxyType({Lane.WALK: 1.0}))
        found = await memory.search(text, targets=[SearchTarget.FACT], recipe=recipe, limit=1_000)
        return {hit.facts[0].text for hit in found}

    from_ann = await walked("Ann")
    assert {"Ann lives in Graz", "Ann knows Bea", "Bea likes chess", "Bob likes tea"} <= from_ann
    assert not any(text.endswith("Graz") for text in from_ann - {"Ann lives in Graz"})
    assert len(await walked("Graz")) > HUB_DEGREE


async def test_a_centre_that_is_not_there_is_named(memory: Memory) -> None:
    with pytest.raises(NotFound, match="Zed"):
        await memory.search("tea", centre="Zed")


async def test_what_is_said_more_often_stands_before_what_is_said_once(memory: Memory) -> None:
    last = (await order(memory, "words"))[-1]
    await likes_tea(memory, last, last, days_later=1)

    assert (await order(memory, signalling(Lane.MENTIONS)))[0] == last
    assert Lane.MENTIONS in RECIPES["graph"].signals


async def test_what_stands_in_the_middle_of_the_graph_stands_first_by_pagerank(memory: Memory) -> None:
    last = (await order(memory, "words"))[-1]
    for name in ("Dan", "Eve", "Fay"):
        await memory.add_claims([NewClaim(subject=name, relation="KNOWS", object=last)], said_at=DAY)

    assert (await order(memory, signalling(Lane.PAGERANK), "tea"))[0] == last
    assert Lane.PAGERANK in RECIPES["graph"].signals


async def test_signals_are_among_the_lanes_of_a_hit(memory: Memory) -> None:
    found = await memory.search("Ann likes tea", targets=[SearchTarget.FACT], recipe="graph")
    seen = {lane.lane: lane.rank for lane in found[0].lanes}
    assert seen.keys() == {Lane.KEYWORD, Lane.WALK, Lane.DISTANCE, Lane.MENTIONS, Lane.PAGERANK}
    assert all(rank >= 1 for rank in seen.values())


# Variety


class PlacedEmbedder:
    """Gives the texts that hold a word the place of that word, and all others another one."""

    model = EmbeddingModel(name="placed", dimension=3)

    def __init__(self, **places: tuple[float, float, float]) -> None:
        self._places = places

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        rows = [next((p for word, p in self._places.items() if word in text), (0.0, 0.0, 1.0)) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), 3)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(("diversity", "first"), [(0.0, ["violin", "fiddle"]), (0.6, ["violin", "opera"])])
async def test_variety_goes_by_vectors_where_no_word_is_shared(diversity: float, first: list[str]) -> None:
    embedder = PlacedEmbedder(music=(1, 0.1, 0), violin=(1, 0.1, 0), fiddle=(1, 0.12, 0), opera=(0.7, -0.7, 0))
    recipe = Recipe(name="mmr", lanes=MappingProxyType({Lane.VECTOR: 1.0}), diversity=diversity)
    async with await Memory.open(":memory:", embedder=embedder) as memory:
        for text in ("violin", "fiddle", "opera"):
            await memory.add_episode(text, said_at=DAY)
        found = await memory.search("music", recipe=recipe, targets=[SearchTarget.EPISODE], limit=2)

    assert [hit.episode.text for hit in found if hit.episode] == first


async def test_without_vectors_variety_goes_by_words() -> None:
    recipe = Recipe(name="mmr", lanes=WORDS, diversity=0.6)
    async with await Memory.open(":memory:") as memory:
        for text in ("green tea in the morning", "green tea in the morning again", "tea with Bob"):
            await memory.add_episode(text, said_at=DAY)
        found = await memory.search("green tea", recipe=recipe, targets=[SearchTarget.EPISODE], limit=2)

    assert "tea with Bob" in [hit.episode.text for hit in found if hit.episode]


# How near hits must be


def hit(item_id: str, nearness: float | None) -> Ranked:
    return Ranked(ItemKey("g", SearchTarget.FACT, item_id), 1.0, (), nearness)


HITS = [hit("a", 0.9), hit("b", 0.5), hit("c", None), hit("d", 0.2)]
WALKED = [Ranking(lane=Lane.WALK, target=SearchTarget.FACT, hits=Hits(keys=[hit("d", None).key], scores=[1.0]))]
STRICT = Relevance(hit=0.4, best=0.6, is_scaled=False)


def kept(hits: list[Ranked], rankings: list[Ranking], wanted: Relevance = STRICT) -> str:
    return "".join(one.key.item_id for one in relevant(hits, rankings, wanted))


def test_what_is_not_near_enough_stays_out_and_what_has_no_vector_stays() -> None:
    assert kept(HITS, []) == "abc"
    assert kept(HITS, [], replace(STRICT, hit=0.95)) == "c"
    assert kept(HITS, [], Relevance()) == "abcd"


def test_when_even_the_nearest_is_not_near_nothing_is_relevant() -> None:
    assert kept(HITS[1:], []) == "c"


def test_of_few_candidates_less_is_asked_than_of_many() -> None:
    wanted = Relevance(hit=0.3, best=0.4)
    few = [hit("a", 0.2)]
    many = [*few, *(hit(f"x{n}", 0.1) for n in range(300))]
    assert relevant(few, [], wanted) == few
    assert relevant(many, [], wanted) == []
    assert relevant(few, [], replace(wanted, is_scaled=False)) == []


def test_what_a_walk_came_to_stays_unless_the_caller_says_otherwise() -> None:
    assert kept(HITS, WALKED) == "abcd"
    assert kept(HITS, WALKED, with_minimum(FULL, 0.3).reranked) == "abc"
    assert kept(HITS[1:], WALKED, with_minimum(FULL, -1.0).by_vector) == "bcd"


def test_where_nothing_ranks_anew_the_cosine_tells_how_near_a_hit_is() -> None:
    seen = Ranking(lane=Lane.VECTOR, target=SearchTarget.FACT, hits=Hits(keys=[HITS[0].key], scores=[0.8]))
    assert [one.nearness for one in with_cosines(HITS[:2], [seen])] == [0.8, None]


def test_a_recipe_takes_another_minimum() -> None:
    changed = with_minimum(FULL, 0.7)
    assert changed.reranked == changed.by_vector == Relevance(hit=0.7, spares_walked=False, is_scaled=False)
    assert changed.lanes == FULL.lanes


async def test_hits_say_how_near_they_are_by_who_judged_last() -> None:
    async with await Memory.open(":memory:", embedder=HashingEmbedder(), reranker=OverlapScorer()) as memory:
        await memory.add_episode("green tea, please", said_at=DAY)

        async def nearness(recipe: Recipe | str) -> float | None:
            (found,) = await memory.search("green tea", recipe=recipe, targets=[SearchTarget.EPISODE])
            return found.nearness

        assert await nearness("full") == pytest.approx(1.0, abs=0.02)
        assert 0 < (await nearness("vectors") or 0) < 1
        assert await nearness("cross-encoder") == 1.0
        assert await nearness("words") is None


@pytest.mark.parametrize("recipe", ["full", "vectors", "rrf", "diverse"])
async def test_a_question_about_something_else_finds_nothing_in_vectors(recipe: str) -> None:
    async with await Memory.open(":memory:", embedder=HashingEmbedder(dimension=512)) as memory:
        for text in ("Ann drinks green tea every morning.", "Bob lives in a small house near the sea."):
            await memory.add_episode(text, said_at=DAY)

        assert await memory.search("quantum chromodynamics lattice simulations", recipe=recipe) == []
        assert await memory.search("green tea every morning", recipe=recipe) != []


def test_every_recipe_that_ranks_by_vectors_has_a_minimum() -> None:
    for recipe in RECIPES.values():
        if Lane.VECTOR in recipe.lanes:
            assert recipe.by_vector.hit > -1
        if recipe.rerank is Rerank.MAXSIM:
            assert recipe.reranked.hit > -1


async def test_a_memory_is_opened_with_the_recipe_of_its_searches() -> None:
    async with await Memory.open(":memory:", recipe="words") as memory:
        await memory.add_episode("green tea", said_at=DAY)
        assert (await memory.search("tea")).recipe == recipe_of("words").name
        assert (await memory.search("tea", recipe="full")).recipe == "full"
