"""Fusing rankings: reciprocal ranks, ties, variety."""

from __future__ import annotations

import pytest

from graphmem.ports import Hits, ItemKey, SearchTarget
from graphmem.retrieve.fusion import LaneRank, Ranked, Ranking, diversified, fused, with_lanes
from graphmem.retrieve.recipes import FULL, RECIPES, Lane, recipe_of


def key(item_id: str) -> ItemKey:
    return ItemKey(group_id="g", target=SearchTarget.FACT, item_id=item_id)


def ranking(lane: Lane, *item_ids: str) -> Ranking:
    hits = Hits(keys=[key(item_id) for item_id in item_ids], scores=[10.0 - n for n in range(len(item_ids))])
    return Ranking(lane=lane, target=SearchTarget.FACT, hits=hits)


WEIGHTS = {Lane.KEYWORD: 1.0, Lane.VECTOR: 1.0, Lane.WALK: 0.5}


def test_what_two_lanes_see_stands_before_what_one_sees_first() -> None:
    found = fused([ranking(Lane.KEYWORD, "a", "b"), ranking(Lane.VECTOR, "c", "b")], WEIGHTS)

    assert [hit.key.item_id for hit in found] == ["b", "a", "c"]
    assert found[0].score == pytest.approx(2 / 62)


def test_a_lane_counts_by_its_weight() -> None:
    found = fused([ranking(Lane.WALK, "a"), ranking(Lane.KEYWORD, "b")], WEIGHTS)

    assert [(hit.key.item_id, hit.score) for hit in found] == [
        ("b", pytest.approx(1 / 61)),
        ("a", pytest.approx(0.5 / 61)),
    ]


def test_every_hit_says_which_lanes_saw_it_and_at_which_rank() -> None:
    rankings = [ranking(Lane.KEYWORD, "a", "b"), ranking(Lane.VECTOR, "b")]
    found = with_lanes(fused(rankings, WEIGHTS), rankings)

    by_id = {hit.key.item_id: hit for hit in found}
    assert by_id["a"].lanes == (LaneRank(lane=Lane.KEYWORD, rank=1, score=10.0),)
    assert by_id["b"].lanes == (
        LaneRank(lane=Lane.KEYWORD, rank=2, score=9.0),
        LaneRank(lane=Lane.VECTOR, rank=1, score=10.0),
    )
    assert [hit.score for hit in found] == [hit.score for hit in fused(rankings, WEIGHTS)]


def test_equal_scores_stand_in_the_order_of_their_keys() -> None:
    one = fused([ranking(Lane.KEYWORD, "b"), ranking(Lane.VECTOR, "a")], WEIGHTS)
    other = fused([ranking(Lane.VECTOR, "a"), ranking(Lane.KEYWORD, "b")], WEIGHTS)

    assert [hit.key.item_id for hit in one] == [hit.key.item_id for hit in other] == ["a", "b"]


def test_nothing_found_fuses_to_nothing() -> None:
    assert fused([], WEIGHTS) == []
    assert diversified([], lambda one, other: 1.0, 0.5, 3) == []


def test_variety_passes_over_what_is_like_a_hit_before() -> None:
    ranked = [Ranked(key=key(i), score=s, lanes=()) for i, s in (("a", 1.0), ("a2", 0.9), ("b", 0.5), ("c", 0.0))]

    def likeness(one: ItemKey, other: ItemKey) -> float:
        return float(one.item_id[0] == other.item_id[0])

    def order(diversity: float) -> list[str]:
        return [hit.key.item_id for hit in diversified(ranked, likeness, diversity, 3)]

    assert order(0.0) == ["a", "a2", "b"]
    assert order(0.5) == ["a", "b", "c"]


def test_recipes_are_named_values() -> None:
    assert recipe_of("full") is recipe_of(FULL) is FULL
    assert all(recipe.name == name for name, recipe in RECIPES.items())


def test_a_part_of_what_a_search_found_keeps_its_ranks() -> None:
    hits = ranking(Lane.KEYWORD, "a", "b", "c").hits

    assert [(hit.item_id, hit.rank, hit.score) for hit in hits[1:]] == [("b", 2, 9.0), ("c", 3, 8.0)]
    assert (hits[-1].item_id, hits[-1].rank) == ("c", 3)
    assert [hit.rank for hit in hits] == [1, 2, 3]
