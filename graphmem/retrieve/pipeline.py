"""The second stream, top to bottom: question → scope → lanes → fuse → rerank → hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.embedding import embed_texts
from graphmem.errors import ModelError
from graphmem.model import Scope
from graphmem.ports import Embedder, Floats, ItemKey, PairScorer, SearchTarget, Store, TextKind
from graphmem.retrieve.fusion import Ranked, Ranking, diversified, fused
from graphmem.retrieve.lanes import (
    around,
    by_centrality,
    by_distance,
    by_key,
    by_meaning,
    by_mentions,
    by_walk,
    by_words,
)
from graphmem.retrieve.neighbourhood import Neighbourhood
from graphmem.retrieve.recipes import Lane, Recipe, Rerank
from graphmem.retrieve.rerank import by_late_interaction, by_reading_pairs, read_texts
from graphmem.retrieve.search import Findings, fetched
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
    minimum: float | None = None
    """Hits that score less are left out; None: what the recipe says, where it ranks anew."""
    neighbours: int = 0


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

    async def search(self, search: Search) -> Findings:
        """What the scope holds for a text, best first; empty when nothing matches.

        A lane that cannot run is left out and named in the notes; a store that fails raises.
        """
        question = await self._read(search)
        if not question.words and question.vector is None:
            return Findings(recipe=search.recipe.name, notes=question.notes)
        found, neighbourhood = await self._lanes(search, question)
        pool = await self._fuse(search, found, neighbourhood)
        ranked, notes, minimum = await self._rerank(search, question, pool)
        best = [hit for hit in ranked if hit.score >= minimum or _is_walked(search, hit)]
        if search.recipe.diversity:
            best = await self._vary(search, best)
        hits = await fetched(self.store, search.scope, best[: search.limit], neighbours=search.neighbours)
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
        targets = _searched(search)
        found: list[Ranking] = []
        if Lane.KEYWORD in recipe.lanes:
            found += await by_words(self.store, words, scope, targets, recipe.depth)
        if Lane.VECTOR in recipe.lanes and question.vector is not None:
            found += await by_meaning(self.store, question.vector, scope, targets, recipe.vector_depth)
        neighbourhood = None
        if SearchTarget.FACT in targets and (Lane.WALK in recipe.lanes or recipe.signals):
            neighbourhood = await around(self.store, words, scope)
            if Lane.WALK in recipe.lanes:
                found += await by_walk(self.store, words, neighbourhood, recipe.depth)
        if Lane.KEY in recipe.lanes and SearchTarget.EPISODE in search.targets:
            facts = [ranking for ranking in found if ranking.target is SearchTarget.FACT]
            found += await by_key(self.store, scope, fused(facts, recipe.lanes))
        return found, neighbourhood

    # ---- fuse

    async def _fuse(self, search: Search, found: Sequence[Ranking], around: Neighbourhood | None) -> list[Ranked]:
        recipe = search.recipe
        wanted = [ranking for ranking in found if ranking.target in search.targets]
        pool = fused(wanted, recipe.lanes)
        if not recipe.signals:
            return pool
        signals: list[Ranking] = []
        if Lane.DISTANCE in recipe.signals and around is not None:
            signals += by_distance(around, pool)
        if Lane.PAGERANK in recipe.signals and around is not None:
            signals += by_centrality(around, pool)
        if Lane.MENTIONS in recipe.signals:
            signals += await by_mentions(self.store, search.scope, pool)
        return fused([*wanted, *signals], {**recipe.lanes, **recipe.signals})

    # ---- rerank

    async def _rerank(
        self, search: Search, question: _Question, pool: Sequence[Ranked]
    ) -> tuple[list[Ranked], tuple[str, ...], float]:
        """The best of the pool ranked anew, what could not be done, and the score that a hit must have."""
        recipe = search.recipe
        best = list(pool[: max(recipe.rerank_depth, search.limit)])
        fused_minimum = 0.0 if search.minimum is None else search.minimum
        minimum = recipe.minimum if search.minimum is None else search.minimum
        if recipe.rerank is Rerank.MAXSIM and question.tokens is not None:
            anew = await by_late_interaction(self.store, search.scope, recipe, question.tokens, best)
            return anew, (), minimum
        if recipe.rerank is Rerank.CROSS_ENCODER:
            if self.scorer is None:
                return best, ("There is no cross-encoder: the hits stand in the order of the lanes.",), fused_minimum
            try:
                return await by_reading_pairs(self.store, self.scorer, search.text, best), (), minimum
            except ModelError as error:
                return best, (f"The hits stand in the order of the lanes: {error}.",), fused_minimum
        return best, (), fused_minimum

    async def _vary(self, search: Search, ranked: Sequence[Ranked]) -> list[Ranked]:
        """MMR over the terms of the texts."""
        best = ranked[: 4 * search.limit]
        words = {key: set(terms(text)) for key, text in (await read_texts(self.store, [h.key for h in best])).items()}

        def likeness(one: ItemKey, other: ItemKey) -> float:
            a, b = words.get(one, set()), words.get(other, set())
            return len(a & b) / (len(a | b) or 1)

        return diversified(best, likeness, search.recipe.diversity, search.limit)


def _is_walked(search: Search, hit: Ranked) -> bool:
    """Whether a walk came to it, and no minimum of the caller's says otherwise."""
    return search.minimum is None and hit.rank_in(Lane.WALK) is not None


def _searched(search: Search) -> tuple[SearchTarget, ...]:
    """What the lanes look at: facts too where they are keys to their episodes."""
    is_key = Lane.KEY in search.recipe.lanes and SearchTarget.EPISODE in search.targets
    return tuple(dict.fromkeys((*search.targets, *((SearchTarget.FACT,) if is_key else ()))))
