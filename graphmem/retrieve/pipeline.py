"""The second stream, top to bottom: question → scope → lanes → fuse → rerank → hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.embedding import embed_texts
from graphmem.errors import ModelError
from graphmem.model import Scope
from graphmem.ports import Embedder, Floats, PairScorer, SearchTarget, Store, TextKind
from graphmem.retrieve.fusion import Ranked, Ranking, fused, with_lanes
from graphmem.retrieve.lanes import (
    KEY_FACTS,
    around,
    by_centrality,
    by_distance,
    by_key,
    by_meaning,
    by_mentions,
    by_walk,
    by_words,
)
from graphmem.retrieve.neighbourhood import Neighbourhood, Node
from graphmem.retrieve.recipes import FULL, Lane, Recipe, Rerank
from graphmem.retrieve.relevance import relevant, with_cosines
from graphmem.retrieve.rerank import by_late_interaction, by_reading_pairs
from graphmem.retrieve.search import Findings, fetched
from graphmem.retrieve.variety import varied
from graphmem.terms import terms

__all__ = ["Retrieval", "Search"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """One search."""

    text: str
    scope: Scope
    targets: tuple[SearchTarget, ...]
    recipe: Recipe
    limit: int
    neighbours: int = 0
    centre: tuple[Node, ...] = ()
    """Where the graph is walked from; empty: what the text names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Question:
    """The text as the lanes read it."""

    words: tuple[str, ...]
    vector: Floats | None = None
    tokens: Floats | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrieval:
    """The steps of the stream over one store."""

    store: Store
    embedder: Embedder | None = None
    scorer: PairScorer | None = None
    recipe: Recipe = FULL
    """How a search finds and ranks unless told otherwise."""

    async def search(self, search: Search) -> Findings:
        """What the scope holds for a text, best first; empty when nothing matches.

        A lane that cannot run is left out and named in the notes; a store that fails raises.
        """
        question = await self._read(search)
        if not question.words and question.vector is None:
            return Findings(recipe=search.recipe.name, notes=question.notes)
        found, neighbourhood = await self._lanes(search, question)
        pool, rankings = await self._fuse(search, found, neighbourhood)
        ranked, notes, is_reranked = await self._rerank(search, question, pool, rankings)
        if not is_reranked:
            ranked = with_cosines(ranked, rankings)
        best = relevant(ranked, rankings, search.recipe.reranked if is_reranked else search.recipe.by_vector)
        if search.recipe.diversity:
            best = await varied(self.store, best, search.recipe.diversity, search.limit)
        best = with_lanes(best[: search.limit], rankings)
        hits = await fetched(self.store, search.scope, best, neighbours=search.neighbours)
        return Findings(hits, recipe=search.recipe.name, notes=(*question.notes, *notes))

    # ---- question

    async def _read(self, search: Search) -> _Question:
        words = tuple(terms(search.text))
        if Lane.VECTOR not in search.recipe.lanes or not search.text.strip():
            return _Question(words=words)
        if self.embedder is None:
            return _Question(words=words, notes=("There is no embedder: the search went by words and graph alone.",))
        try:
            embedded = await embed_texts(self.embedder, [search.text], TextKind.QUERY)
        except ModelError as error:
            return _Question(words=words, notes=(f"Without vectors, by words and graph alone: {error}.",))
        waiting = await self.store.count_unembedded(search.scope.group_ids)
        notes = (f"{waiting:,} items wait for their vectors: they were found by words and graph alone.",)
        return _Question(
            words=words,
            vector=embedded.vectors[0],
            tokens=embedded.tokens[0] if embedded.tokens else None,
            notes=notes if waiting else (),
        )

    # ---- lanes

    async def _lanes(self, search: Search, question: _Question) -> tuple[list[Ranking], Neighbourhood | None]:
        recipe, scope, words = search.recipe, search.scope, question.words
        found: list[Ranking] = []
        if Lane.KEYWORD in recipe.lanes:
            found += await by_words(self.store, words, scope, _depths(search, recipe.depth))
        if Lane.VECTOR in recipe.lanes and question.vector is not None:
            depths = _depths(search, recipe.vector_depth(len(search.targets)))
            found += await by_meaning(self.store, question.vector, scope, depths)
        neighbourhood = None
        if _is_about_facts(search) and (Lane.WALK in recipe.lanes or recipe.signals):
            neighbourhood = await around(self.store, words, scope, search.centre)
            if Lane.WALK in recipe.lanes:
                found += await by_walk(self.store, words, neighbourhood, recipe.depth)
        if Lane.KEY in recipe.lanes and SearchTarget.EPISODE in search.targets:
            facts = [ranking for ranking in found if ranking.target is SearchTarget.FACT]
            found += await by_key(self.store, scope, fused(facts, recipe.lanes, limit=KEY_FACTS))
        return found, neighbourhood

    # ---- fuse

    async def _fuse(
        self, search: Search, found: Sequence[Ranking], around: Neighbourhood | None
    ) -> tuple[list[Ranked], Sequence[Ranking]]:
        """What was found of the targets in one order, and the rankings that it comes from."""
        recipe = search.recipe
        wanted = [ranking for ranking in found if ranking.target in search.targets]
        if not recipe.signals:
            return fused(wanted, recipe.lanes, limit=max(recipe.rerank_depth, search.limit)), wanted
        pool = fused(wanted, recipe.lanes)
        signals: list[Ranking] = []
        if Lane.DISTANCE in recipe.signals and around is not None:
            signals += by_distance(around, pool)
        if Lane.PAGERANK in recipe.signals and around is not None:
            signals += by_centrality(around, pool)
        if Lane.MENTIONS in recipe.signals:
            signals += await by_mentions(self.store, search.scope, pool)
        rankings = [*wanted, *signals]
        return fused(rankings, {**recipe.lanes, **recipe.signals}), rankings

    # ---- rerank

    async def _rerank(
        self, search: Search, question: _Question, pool: Sequence[Ranked], rankings: Sequence[Ranking]
    ) -> tuple[list[Ranked], tuple[str, ...], bool]:
        """The best of the pool, what could not be done, and whether they are ranked anew."""
        recipe = search.recipe
        best = list(pool[: max(recipe.rerank_depth, search.limit)])
        if recipe.rerank is Rerank.MAXSIM and question.tokens is not None:
            words = [ranking for ranking in rankings if ranking.lane is Lane.KEYWORD]
            ranked = await by_late_interaction(
                self.store, search.scope, recipe, search.text, question.tokens, best, words
            )
            return ranked, (), True
        if recipe.rerank is Rerank.CROSS_ENCODER:
            if self.scorer is None:
                return best, ("There is no cross-encoder: the hits stand in the order of the lanes.",), False
            try:
                return await by_reading_pairs(self.store, self.scorer, search.text, best), (), True
            except ModelError as error:
                return best, (f"The hits stand in the order of the lanes: {error}.",), False
        return best, (), False


def _depths(search: Search, depth: int) -> dict[SearchTarget, int]:
    """How deep the lanes look for each kind of thing; for facts less deep where they are only keys to their episodes."""
    depths = dict.fromkeys(search.targets, depth)
    if _is_about_facts(search):
        depths.setdefault(SearchTarget.FACT, min(depth, 2 * KEY_FACTS))
    return depths


def _is_about_facts(search: Search) -> bool:
    """Whether facts are looked for, as hits or as keys to episodes."""
    is_key = Lane.KEY in search.recipe.lanes and SearchTarget.EPISODE in search.targets
    return is_key or SearchTarget.FACT in search.targets
