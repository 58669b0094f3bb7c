"""The second stream, top to bottom: question → scope → lanes → fuse → rerank → hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.embedding import embed_texts
from graphmem.errors import EmbedderMismatch, GraphmemError, ModelError
from graphmem.model import Scope
from graphmem.ports import (
    Edge,
    Embedder,
    EmbeddingModel,
    Floats,
    PairScorer,
    SearchTarget,
    Store,
    TextKind,
    TextSearch,
    VectorSearch,
)
from graphmem.retrieve.fusion import Ranked, Ranking, fused, with_lanes
from graphmem.retrieve.lanes import (
    KEY_FACTS,
    by_centrality,
    by_distance,
    by_key,
    by_meaning,
    by_mentions,
    by_walk,
    by_words,
    named,
    ranking_of,
    seeds_of,
)
from graphmem.retrieve.neighbourhood import Neighbourhood, Node, walked
from graphmem.retrieve.recipes import FULL, Lane, Recipe, Rerank
from graphmem.retrieve.relevance import relevant, with_cosines
from graphmem.retrieve.rerank import by_late_interaction, by_reading_pairs
from graphmem.retrieve.said_when import time_named
from graphmem.retrieve.search import Contents, Findings, contents_of, fetched, turns_of
from graphmem.retrieve.talk import Talk
from graphmem.retrieve.variety import varied
from graphmem.side_by_side import side_by_side
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
    asked_at: datetime | None = None
    """When it is asked, in the asker's zone: what "two weeks ago" counts from. None: the text names no time."""

    @property
    def depth(self) -> int:
        """How many hits of each lane are fused: no fewer than are wanted."""
        return max(self.recipe.depth, self.limit)

    @property
    def vector_depth(self) -> int:
        return max(self.recipe.vector_depth(len(self.targets)), self.limit)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Question:
    """The text as the lanes read it."""

    words: tuple[str, ...]
    vector: Floats | None = None
    model: EmbeddingModel | None = None
    """Whose vector."""
    tokens: Floats | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """What words and vectors find."""

    rankings: Sequence[Ranking]
    seeds: Mapping[Node, float] | None = None
    """Where a walk begins; None: there is none."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The hits in their last order, and what was read of them for it."""

    hits: Sequence[Ranked]
    is_anew: bool = False
    """Whether they are ranked anew, by how near they are to the text."""
    notes: tuple[str, ...] = ()
    """What could not be done."""
    known: Contents = field(default_factory=Contents)


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
        try:
            return await self._run(search, question)
        except EmbedderMismatch as error:  # somebody made the vectors anew since the memory was opened
            wordy = _Question(words=question.words, notes=(*question.notes, _without_vectors(error)))
            return await self._run(search, wordy)

    async def _run(self, search: Search, question: _Question) -> Findings:
        if search.recipe.rerank is Rerank.CROSS_ENCODER:
            return await self._steps(search, question)  # a model is asked in between
        return await self.store.at_one_moment(lambda: self._steps(search, question))

    async def _steps(self, search: Search, question: _Question) -> Findings:
        async with side_by_side() as reads:
            waiting = reads.create_task(self._waiting(search, question))
            found = reads.create_task(self._found(search, question))
        rankings, neighbourhood = await self._beyond(search, question, found.result())
        pool, ranked_by = await self._fuse(search, rankings, neighbourhood)
        ranking = await self._rerank(search, question, pool, ranked_by)
        ranked = ranking.hits if ranking.is_anew else with_cosines(ranking.hits, ranked_by)
        best = relevant(ranked, ranked_by, search.recipe.reranked if ranking.is_anew else search.recipe.by_vector)
        if search.recipe.diversity:
            best = await varied(self.store, best, search.recipe.diversity, search.limit)
        best = with_lanes(best[: search.limit], ranked_by)
        hits = await fetched(self.store, search.scope, best, ranking.known, neighbours=search.neighbours)
        notes = (*question.notes, *waiting.result(), *ranking.notes)
        return Findings(hits, recipe=search.recipe.name, notes=notes)

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
            return _Question(words=words, notes=(_without_vectors(error),))
        tokens = embedded.tokens[0] if embedded.tokens else None
        return _Question(words=words, vector=embedded.vectors[0], model=self.embedder.model, tokens=tokens)

    async def _waiting(self, search: Search, question: _Question) -> tuple[str, ...]:
        """A note of what has no vectors yet."""
        if question.vector is None:
            return ()
        waiting = await self.store.count_unembedded(search.scope.group_ids)
        items = (
            "1 item waits for its vector: it was"
            if waiting == 1
            else f"{waiting:,} items wait for their vectors: they were"
        )
        note = f"{items} found by words and graph alone."
        return (note,) if waiting else ()

    # ---- lanes

    async def _found(self, search: Search, question: _Question) -> _Found:
        """What words and vectors find, and where a walk begins: all that is asked of the question alone."""
        recipe = search.recipe
        searches: list[TextSearch | VectorSearch] = []
        if Lane.KEYWORD in recipe.lanes:
            searches += by_words(question.words, _depths(search, search.depth))
        if Lane.VECTOR in recipe.lanes and question.vector is not None:
            searches += by_meaning(question.vector, question.model, _depths(search, search.vector_depth))
        is_walked = _is_about_facts(search) and (Lane.WALK in recipe.lanes or bool(recipe.signals))
        beginning = [named(question.words)] if is_walked and not search.centre else []
        hits = await self.store.search_all([*searches, *beginning], search.scope)
        rankings = [ranking_of(one, found) for one, found in zip(searches, hits, strict=False)]
        if not is_walked:
            return _Found(rankings=rankings)
        seeds = dict.fromkeys(search.centre, 1.0) if search.centre else seeds_of(hits[-1])
        return _Found(rankings=rankings, seeds=seeds)

    async def _beyond(
        self, search: Search, question: _Question, found: _Found
    ) -> tuple[list[Ranking], Neighbourhood | None]:
        """What the lanes found, and what the graph leads to from there: facts around, and the episodes behind the best facts."""
        recipe, rankings = search.recipe, found.rankings
        is_keyed = Lane.KEY in recipe.lanes and SearchTarget.EPISODE in search.targets
        # A far store is asked for episodes along with the walk, which only adds to what its facts score: the best facts with it
        # are among the best without it and those it met.
        is_ahead = is_keyed and self.store.is_far
        best = _best_facts(rankings, recipe) if is_ahead else []
        async with side_by_side() as reads:
            walk = None if found.seeds is None else reads.create_task(self._walked(search, found.seeds, is_ahead))
            known = reads.create_task(self._edges_of(search, best))
        neighbourhood = None if walk is None else walk.result()
        if neighbourhood is not None and Lane.WALK in recipe.lanes:
            rankings = [*rankings, *by_walk(question.words, neighbourhood, search.depth)]
        if is_keyed:
            best = _best_facts(rankings, recipe)
            met = () if neighbourhood is None else neighbourhood.edges
            edges = [*known.result(), *met] if is_ahead else await self._edges_of(search, best)
            rankings = [*rankings, *by_key(best, edges)]
        return list(rankings), neighbourhood

    async def _walked(self, search: Search, seeds: Mapping[Node, float], with_episodes: bool) -> Neighbourhood:
        return await walked(self.store, search.scope, seeds, with_episodes=with_episodes)

    async def _edges_of(self, search: Search, facts: Sequence[Ranked]) -> Sequence[Edge]:
        return await self.store.edges_of(search.scope, [hit.key for hit in facts]) if facts else ()

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
    ) -> _Ranking:
        """The best of the pool, ranked anew where the recipe says so and it can be done."""
        recipe = search.recipe
        best = list(pool[: max(recipe.rerank_depth, search.limit)])
        if recipe.rerank is Rerank.MAXSIM and question.tokens is not None:
            return await self._by_late_interaction(search, question.tokens, best, rankings)
        if recipe.rerank is Rerank.CROSS_ENCODER:
            if self.scorer is None:
                return _Ranking(best, notes=("There is no cross-encoder: the hits stand in the order of the lanes.",))
            try:
                return _Ranking(await by_reading_pairs(self.store, self.scorer, search.text, best), is_anew=True)
            except ModelError as error:
                return _Ranking(best, notes=(f"The hits stand in the order of the lanes: {error}.",))
        return _Ranking(best)

    async def _by_late_interaction(
        self, search: Search, tokens: Floats, pool: Sequence[Ranked], rankings: Sequence[Ranking]
    ) -> _Ranking:
        keys = [hit.key for hit in pool]
        others = [key for key in keys if key.target is not SearchTarget.EPISODE] if self.store.is_far else []
        async with side_by_side() as reads:
            nearest = reads.create_task(self.store.nearest_tokens(keys, tokens))
            turns = reads.create_task(turns_of(self.store, search.scope, keys))
            ahead = reads.create_task(contents_of(self.store, search.scope, others))
        known = ahead.result().joined(Contents(turns=turns.result()))
        if not nearest.result():  # none of them has vectors yet
            return _Ranking(pool, known=known)
        words = [ranking for ranking in rankings if ranking.lane is Lane.KEYWORD]
        talk = Talk(turns=turns.result())
        named = None if search.asked_at is None else time_named(search.text, search.asked_at)
        hits = by_late_interaction(search.recipe, search.text, pool, words, nearest.result(), talk, named)
        return _Ranking(hits, is_anew=True, known=known)


def _without_vectors(error: GraphmemError) -> str:
    return f"Without vectors, by words and graph alone: {error}."


def _best_facts(rankings: Sequence[Ranking], recipe: Recipe) -> list[Ranked]:
    """The facts that are keys to their episodes."""
    facts = [ranking for ranking in rankings if ranking.target is SearchTarget.FACT]
    return fused(facts, recipe.lanes, limit=KEY_FACTS)


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
