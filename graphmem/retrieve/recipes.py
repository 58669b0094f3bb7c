"""Recipes: how a search finds and ranks, as named values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from types import MappingProxyType

from graphmem.errors import InvalidQuery
from graphmem.given import given_as, given_count, given_number
from graphmem.groups import shown

__all__ = ["FULL", "RECIPES", "Lane", "Recipe", "Relevance", "Rerank", "near_only", "recipe_of", "with_minimum"]


MOST_DEPTH = 10_000


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Relevance:
    """How near to the text hits must be, from -1 to 1; numbers hold for one model.

    They are for 200 candidates or more. Of fewer, positive ones ask less: the nearest of a few unrelated texts is less near
    than the nearest of many.
    """

    hit: float = -1.0
    """A hit that is less near stays out."""
    best: float = -1.0
    """When even the nearest is less near, the memory holds nothing about it: all stay out."""
    is_scaled: bool = True
    """Whether fewer candidates ask less."""
    spares_walked: bool = True
    """Facts that a walk came to stay all the same: they may share no word with the text."""

    def __post_init__(self) -> None:
        given_number("hit", self.hit)
        given_number("best", self.best)


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
    """How many hits of each lane are fused; the lane of vectors goes deep enough to fill what is ranked anew."""
    rerank: Rerank = Rerank.NONE
    rerank_depth: int = 200
    """How many of the best are ranked anew; a group with fewer texts is ranked anew as a whole."""
    word_share: float = 0.0
    """What a hit's rank by words adds to its reranked score, at most."""
    words_before: float = 0.0
    """How much a turn takes over of the rank by words of the turn that it replies to; from here on: late interaction only."""
    words_after: float = 0.0
    """The same for the turn that replies to it."""
    share_before: float = 0.0
    """How much the score of the turn that it replies to counts for a turn."""
    share_after: float = 0.0
    """The same for the turn that replies to it."""
    session_share: float = 0.0
    """How much the score of the best turn of its session counts for a turn."""
    speaker_share: float = 0.0
    """What a turn loses when the question names another speaker."""
    instruction_share: float = 0.0
    """What a standing instruction ("always …") gains: it holds for questions that share no word with it."""
    preference_share: float = 0.0
    """What a preference ("I prefer …") gains when advice is asked for."""
    newest_share: float = 0.0
    """What the newest of the best three turns gains, for their order, when the question is about the present."""
    renewed_share: float = 0.0
    """By how much an older turn may score higher than one that renews what it says ("moved to 4 pm" for "at 3 pm") and still
    stand behind it among the best six, when the question is about the present."""
    time_share: float = 0.0
    """What a turn gains that was said in the time that the question names ("two weeks ago"), and less one of days near to it."""
    diversity: float = 0.0
    """0: the best first; towards 1: rather what is unlike the hits before it (MMR)."""
    reranked: Relevance = Relevance()
    """By late interaction (the plain mean of the cosines) or by the cross-encoder's score."""
    by_vector: Relevance = Relevance()
    """By cosine, where nothing ranks anew."""

    def __post_init__(self) -> None:
        for what in ("lanes", "signals"):
            _check_weights(what, getattr(self, what))
        for what in ("depth", "rerank_depth"):
            given_count(what, getattr(self, what), MOST_DEPTH)
        for what in _SHARES:
            given_number(what, getattr(self, what))
        for what, kind in (("rerank", Rerank), ("reranked", Relevance), ("by_vector", Relevance)):
            given_as(kind, what, getattr(self, what))

    def vector_depth(self, kinds: int) -> int:
        """How many hits of the lane of vectors are fused where so many kinds of things are looked for."""
        return self.depth if self.rerank is Rerank.NONE else max(self.depth, self.rerank_depth // max(kinds, 1))


_SHARES = (
    "word_share",
    "words_before",
    "words_after",
    "diversity",
    *(f.name for f in fields(Recipe) if f.name.endswith("_share")),
)


def _check_weights(what: str, weights: object) -> None:
    """Raises InvalidQuery for what is no mapping of lanes, InvalidLimit for a weight that is none."""
    if not isinstance(weights, Mapping) or not all(isinstance(lane, Lane) for lane in weights):
        raise InvalidQuery(f"{what} must be weights by Lane, not {shown(weights)}")
    for lane, weight in weights.items():
        given_number(f"the weight of {lane} in {what}", weight, least=0)


_FOUND_BY = MappingProxyType({Lane.KEYWORD: 1.0, Lane.VECTOR: 1.0, Lane.WALK: 0.5, Lane.KEY: 0.5})

_RERANKED = Relevance(hit=0.22, best=0.34)
_BY_VECTOR = Relevance(hit=0.05, best=0.28)
"""Measured with MiniLM on every third question of LoCoMo's development conversations (296), asked of its own conversation and of
another one; docs/search.md has the figures. Late interaction asks less than those would allow (0.28, 0.38): with them LongMemEval
rebuilt lost 1 point of turns @5 and 2 @20 of its development part, whose turns are longer."""

FULL = Recipe(
    name="full",
    lanes=_FOUND_BY,
    rerank=Rerank.MAXSIM,
    depth=100,
    word_share=0.1,
    words_before=0.5,
    words_after=0.35,
    share_before=0.3,
    share_after=0.2,
    session_share=0.3,
    speaker_share=0.1,
    instruction_share=0.16,
    preference_share=0.04,
    newest_share=0.2,
    renewed_share=0.35,
    time_share=0.2,
    reranked=_RERANKED,
    by_vector=_BY_VECTOR,
)
"""What a search does unless told otherwise. Shares tuned with MiniLM on the development parts of LoCoMo, BEAM and LongMemEval
rebuilt; `python -m benchmarks.ablation` tells what each gives."""

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            FULL,
            Recipe(name="words", lanes=MappingProxyType({Lane.KEYWORD: 1.0})),
            Recipe(name="vectors", by_vector=_BY_VECTOR, lanes=MappingProxyType({Lane.VECTOR: 1.0})),
            Recipe(name="rrf", by_vector=_BY_VECTOR, lanes=MappingProxyType({Lane.KEYWORD: 1.0, Lane.VECTOR: 1.0})),
            replace(FULL, name="diverse", diversity=0.3),
            Recipe(
                name="graph",
                lanes=_FOUND_BY,
                by_vector=_BY_VECTOR,
                signals=MappingProxyType({Lane.DISTANCE: 0.5, Lane.MENTIONS: 0.25, Lane.PAGERANK: 0.5}),
            ),
            Recipe(
                name="cross-encoder",
                lanes=_FOUND_BY,
                rerank=Rerank.CROSS_ENCODER,
                rerank_depth=50,
                by_vector=_BY_VECTOR,
            ),
        )
    }
)


def recipe_of(recipe: Recipe | str) -> Recipe:
    """The recipe itself, or the one of this name. Raises InvalidQuery."""
    if isinstance(recipe, Recipe):
        return recipe
    if not isinstance(recipe, str) or recipe not in RECIPES:
        raise InvalidQuery(f"no recipe {shown(recipe)}: there are {', '.join(RECIPES)}")
    return RECIPES[recipe]


def with_minimum(recipe: Recipe, minimum: float) -> Recipe:
    """The recipe with another nearness that hits must have, whoever judges it."""
    wanted = Relevance(hit=minimum, spares_walked=False, is_scaled=False)
    return replace(recipe, reranked=wanted, by_vector=wanted)


def near_only(recipe: Recipe) -> Recipe:
    """The recipe, but that a fact to which only a walk leads is not spared when it is not near to the text."""
    return replace(
        recipe,
        reranked=replace(recipe.reranked, spares_walked=False),
        by_vector=replace(recipe.by_vector, spares_walked=False),
    )
