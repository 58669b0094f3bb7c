"""Recipes: how a search finds and ranks, as named values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from graphmem.errors import InvalidQuery

__all__ = ["FULL", "RECIPES", "Lane", "Recipe", "Rerank", "recipe_of"]


class Lane(StrEnum):
    """Where a hit comes from."""

    KEYWORD = "keyword"
    """Its words, by BM25."""
    VECTOR = "vector"
    """Its meaning, by cosine."""
    WALK = "walk"
    """Facts around what the question names."""
    KEY = "key"
    """Episodes that a found fact rests on."""
    DISTANCE = "distance"
    """Of the facts found: how near they are to what the question names."""
    MENTIONS = "mentions"
    """Of the facts found: how many episodes say them."""
    PAGERANK = "pagerank"
    """Of the facts found: how central they are, seen from what the question names."""


class Rerank(StrEnum):
    """Who has the last word."""

    NONE = "none"
    MAXSIM = "maxsim"
    """Late interaction: for every token of the question the nearest token of the text."""
    CROSS_ENCODER = "cross-encoder"


def _no_lanes() -> Mapping[Lane, float]:
    return MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How a search finds and ranks. A lane that cannot run (no embedder) is left out, and the search says so."""

    name: str
    lanes: Mapping[Lane, float]
    """What finds, each with its weight in the fusion."""
    signals: Mapping[Lane, float] = field(default_factory=_no_lanes)
    """What ranks the facts that were found once more: DISTANCE, MENTIONS, PAGERANK."""
    depth: int = 100
    """How many hits of each lane are fused; the lane of vectors goes as deep as the reranking does."""
    rerank: Rerank = Rerank.NONE
    rerank_depth: int = 400
    """How many of the best are ranked anew; a group with fewer texts is ranked anew as a whole."""
    word_share: float = 0.0
    """What a hit's rank by words adds to its reranked score, at most."""
    share_before: float = 0.0
    """How much the score of the turn before counts for a turn (late interaction only)."""
    share_after: float = 0.0
    diversity: float = 0.0
    """0: the best first; towards 1: rather what is unlike the hits before it (MMR)."""
    minimum: float = 0.0
    """Hits below this reranked score are left out, but for facts that a walk came to: they may share no word with the text."""

    @property
    def vector_depth(self) -> int:
        """How many hits of the lane of vectors are fused."""
        return self.depth if self.rerank is Rerank.NONE else max(self.depth, self.rerank_depth)


_FOUND_BY = MappingProxyType({Lane.KEYWORD: 1.0, Lane.VECTOR: 1.0, Lane.WALK: 0.5, Lane.KEY: 0.5})

FULL = Recipe(
    name="full",
    lanes=_FOUND_BY,
    rerank=Rerank.MAXSIM,
    depth=200,
    word_share=0.15,
    share_before=0.3,
    share_after=0.2,
    minimum=0.3,
)
"""What a search does unless told otherwise. Tuned with MiniLM on development conversations of LoCoMo only: shares on 26 to 43,
the minimum on half the questions of 26, 30 and 41, where no evidence among the first 20 scored below 0.35; the best hit of
eight questions about something else scored 0.17 to 0.47, so some of those still come. Other models may want other numbers."""

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            FULL,
            Recipe(name="words", lanes=MappingProxyType({Lane.KEYWORD: 1.0})),
            Recipe(name="vectors", lanes=MappingProxyType({Lane.VECTOR: 1.0})),
            Recipe(name="rrf", lanes=MappingProxyType({Lane.KEYWORD: 1.0, Lane.VECTOR: 1.0})),
            Recipe(name="diverse", lanes=_FOUND_BY, rerank=Rerank.MAXSIM, diversity=0.3),
            Recipe(
                name="graph",
                lanes=_FOUND_BY,
                signals=MappingProxyType({Lane.DISTANCE: 0.5, Lane.MENTIONS: 0.25, Lane.PAGERANK: 0.5}),
            ),
            Recipe(name="cross-encoder", lanes=_FOUND_BY, rerank=Rerank.CROSS_ENCODER, rerank_depth=50),
        )
    }
)


def recipe_of(recipe: Recipe | str) -> Recipe:
    """The recipe itself, or the one of this name. Raises InvalidQuery."""
    if isinstance(recipe, Recipe):
        return recipe
    if recipe not in RECIPES:
        raise InvalidQuery(f"no recipe {recipe!r}: there are {', '.join(RECIPES)}")
    return RECIPES[recipe]
