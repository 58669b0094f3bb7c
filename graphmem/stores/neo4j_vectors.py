"""Vectors on Neo4j: writing them, what waits for one, and the nearest inside a scope."""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from neo4j import Record

from graphmem.model import Scope
from graphmem.ports import EmbeddingModel, Floats, Hits, ItemKey, ItemVector, SearchTarget, VectorSearch
from graphmem.side_by_side import side_by_side
from graphmem.stores.hits import best_of
from graphmem.stores.neo4j_connections import Connections, Transaction
from graphmem.stores.neo4j_rows import Properties, Value, scope_values
from graphmem.stores.promises import other_embedder
from graphmem.stores.vector_coding import (
    best_cosines,
    checked_query,
    checked_tokens,
    checked_vectors,
    packed_tokens,
)

__all__ = [
    "Remembered",
    "count_unembedded",
    "embedding_model",
    "nearest_tokens",
    "put_vectors",
    "search_vectors",
    "start_vectors",
    "unembedded",
    "vectors_of",
]

EXACT_UP_TO = 200
"""Items of the groups asked that are compared one by one, about 10 µs each; beyond, the index is asked, which costs as much."""
EXACT_UP_TO_5 = 5_000
"""Before 2026.02 the index knows no groups, and most of what it finds for a small one is of others."""

_CANDIDATES = 400
"""The index knows vectors by their signs and reads three times as many as it is asked for, to compare those exactly: up to 1,200
in a group all, and of more than 0.99 of the nearest 20; with half of them 0.96 in groups of a few thousand."""
_CANDIDATES_A_HIT = 8
_SURE = 3
"""What is among the first third of the candidates is surely the nearest; behind, the signs begin to tell."""
_MORE = 4
_MOST = 6_400
_SPARE, _SPARE_5 = 1.5, 4
"""So many times as many as are wanted are scored exactly: before 2026.02 the index ranks by what it made of the vectors."""
_DECIMALS = 6
"""Scores are rounded as in the other store: equal vectors get equal scores."""

_COUNTED_FOR_S = 60.0
_COUNTS_KEPT = 10_000

_PLURALS = {SearchTarget.ENTITY: "entities", SearchTarget.EPISODE: "episodes", SearchTarget.FACT: "facts"}


async def embedding_model(connections: Connections) -> EmbeddingModel | None:
    return _model_of(await connections.read("embedding_model"))


async def start_vectors(connections: Connections, model: EmbeddingModel) -> None:
    """The vectors of another model go in many transactions; until they are gone, none is found and none is kept."""
    found = await connections.read("embedding_model")
    if found and found[0]["is_ready"] and _model_of(found) == model:
        return
    await _put_model(connections, model, is_ready=False)
    for target in SearchTarget:
        await connections.sweep(f"forget_{target}_vectors")
    await _put_model(connections, model, is_ready=True)


async def unembedded(connections: Connections, limit: int, group_ids: Sequence[str] | None) -> list[ItemKey]:
    if await embedding_model(connections) is None or not limit:
        return []
    keys: list[ItemKey] = []
    for target, plural in _PLURALS.items():
        if group_ids is None:
            found = await connections.read(f"unembedded_{plural}", limit=limit)
        else:
            found = await connections.read(f"unembedded_{plural}_of_groups", limit=limit, group_ids=list(group_ids))
        keys += [ItemKey(group_id=row["group_id"], target=target, item_id=row["id"]) for row in found]
    return sorted(keys)[:limit]


async def count_unembedded(connections: Connections, group_ids: Sequence[str] | None) -> int:
    if group_ids is None:
        found = await connections.read("count_unembedded")
    else:
        found = await connections.read("count_unembedded_of_groups", group_ids=list(group_ids))
    return int(found[0]["items"]) if found else 0


async def put_vectors(connections: Connections, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
    async def act(transaction: Transaction) -> None:
        kept = _model_of(await transaction.rows("embedding_model"))
        if kept != model:
            raise other_embedder(kept, model)
        checked_vectors(model, vectors)
        rows: defaultdict[SearchTarget, list[Properties]] = defaultdict(list)
        for item in sorted({item.key: item for item in vectors}.values(), key=lambda item: item.key):
            rows[item.key.target].append(_row(item))
        for target, some in rows.items():
            await transaction.run(f"put_{target}_vectors", rows=some)

    await connections.write(act)


async def search_vectors(
    connections: Connections, remembered: Remembered, searches: Sequence[VectorSearch], scope: Scope
) -> list[Hits]:
    """The hits of each search, asked at once: of a server whose model is the one remembered, in one round."""
    model = remembered.model
    if searches and model is not None:
        answers = await asyncio.gather(
            _ready_model(connections),
            *(_searched(connections, remembered, search, model, scope) for search in searches),
            return_exceptions=True,  # what a search of vectors of another model fails with says nothing
        )
        failed = [answer for answer in answers if isinstance(answer, BaseException)]
        if answers[0] == model or isinstance(answers[0], BaseException):
            if failed:
                raise failed[0]
            return [answer for answer in answers if isinstance(answer, Hits)]
    if searches:
        model = remembered.model = await _ready_model(connections)
    if model is None:
        return [Hits() for _ in searches]
    return [await _searched(connections, remembered, search, model, scope) for search in searches]


async def _ready_model(connections: Connections) -> _Model | None:
    found = await connections.read("embedding_model")
    model = _model_of(found)
    return None if model is None else _Model(model, bool(found[0]["is_ready"]))


async def _searched(
    connections: Connections, remembered: Remembered, search: VectorSearch, model: _Model, scope: Scope
) -> Hits:
    query = checked_query(model.model, search.vector, search.model)
    if not search.limit or not query.any() or not model.is_ready:
        return Hits()
    asked = _Search(connections, search.target, query, scope, search.limit)
    counts = remembered.counts(search.target, scope.group_ids)
    if counts is None:
        counts = await _counted(connections, remembered, search.target, scope.group_ids)
        found = await asked.run(counts)
    elif remembered.are_old(search.target, scope.group_ids):
        async with side_by_side() as reads:
            reads.create_task(_counted(connections, remembered, search.target, scope.group_ids))
            running = reads.create_task(asked.run(counts))
        found = running.result()
    else:
        found = await asked.run(counts)
    ranked = (
        (-round(row["score"], _DECIMALS), ItemKey(row["group_id"], search.target, row["item_id"])) for row in found
    )
    return best_of(ranked, search.limit)


async def _counted(
    connections: Connections, remembered: Remembered, target: SearchTarget, group_ids: Sequence[str]
) -> Counts:
    [found] = await connections.read("count_vectors", target=target.value, group_ids=list(group_ids))
    counts = Counts(of_groups=int(found["of_groups"]), of_all=int(found["of_all"]))
    remembered.keep_counts(target, group_ids, counts)
    return counts


async def vectors_of(
    connections: Connections, target: SearchTarget, group_id: str, item_ids: Sequence[str]
) -> Mapping[str, Floats]:
    found = await connections.read_rows(
        f"vectors_of_{_PLURALS[target]}", group_id=group_id, ids=list(dict.fromkeys(item_ids))
    )
    return {row["id"]: np.array(row["vector"], dtype=np.float32) for row in found}


async def nearest_tokens(
    connections: Connections, keys: Sequence[ItemKey], question: Floats
) -> Mapping[ItemKey, Floats]:
    by_kind: defaultdict[SearchTarget, list[list[str]]] = defaultdict(list)
    for key in dict.fromkeys(keys):
        by_kind[key.target].append([key.group_id, key.item_id])
    async with side_by_side() as reads:
        kept = reads.create_task(embedding_model(connections))
        found = {
            target: reads.create_task(connections.read_rows(f"vector_tokens_of_{_PLURALS[target]}", keys=pairs))
            for target, pairs in by_kind.items()
        }
    model = kept.result()
    if model is None:
        return {}
    packed = {
        ItemKey(row["group_id"], target, row["id"]): bytes(row["tokens"])
        for target, task in found.items()
        for row in task.result()
        if row["tokens"]
    }
    return await asyncio.to_thread(best_cosines, packed, checked_tokens(model, question))


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """How many items there are: in the groups asked, and in all."""

    of_groups: int
    of_all: int


class _Model(NamedTuple):
    """The model of the vectors, and whether those of another one are all gone."""

    model: EmbeddingModel
    is_ready: bool


class Remembered:
    """What a store remembers so that a search takes one round: the model, and how many items there are.

    Counts choose between two ways to the same hits and need not be exact; the model is looked at again with every search.
    """

    def __init__(self) -> None:
        self.model: _Model | None = None
        self._counts: dict[tuple[SearchTarget, tuple[str, ...]], tuple[float, Counts]] = {}

    def counts(self, target: SearchTarget, group_ids: Sequence[str]) -> Counts | None:
        """The last counts, however old."""
        kept = self._counts.get((target, tuple(group_ids)))
        return None if kept is None else kept[1]

    def are_old(self, target: SearchTarget, group_ids: Sequence[str]) -> bool:
        """Whether it is time to count again."""
        counted_at, _ = self._counts[target, tuple(group_ids)]
        return time.monotonic() - counted_at >= _COUNTED_FOR_S

    def keep_counts(self, target: SearchTarget, group_ids: Sequence[str], counts: Counts) -> None:
        if len(self._counts) >= _COUNTS_KEPT:
            self._counts.clear()
        self._counts[target, tuple(group_ids)] = (time.monotonic(), counts)


class _Search:
    """One search: which statement, and how many candidates until enough are visible."""

    def __init__(self, connections: Connections, target: SearchTarget, query: Floats, scope: Scope, limit: int) -> None:
        self._connections = connections
        self._plural = _PLURALS[target]
        self._limit = limit
        spare = _SPARE if connections.filters_in_index else _SPARE_5
        self._values: dict[str, Value] = {
            **scope_values(scope),
            "vector": query.tolist(),
            "limit": math.ceil(spare * limit),
        }

    async def run(self, counts: Counts) -> list[Record]:
        """The nearest of the visible ones, a few more than are wanted."""
        knows_groups = self._connections.filters_in_index
        is_small = counts.of_groups <= (EXACT_UP_TO if knows_groups else EXACT_UP_TO_5)
        if not is_small and self._limit * _SURE <= _MOST:
            statement = f"nearest_{self._plural}" if knows_groups else f"nearest_{self._plural}_5"
            candidates = max(_CANDIDATES, _CANDIDATES_A_HIT * self._limit)
            if not knows_groups:
                candidates = candidates * counts.of_all // counts.of_groups
            found = await self._from_index(statement, min(candidates, _MOST))
            if found is not None:
                return found
        [scanned] = await self._ask(f"scan_{self._plural}")
        hits: list[Record] = scanned["hits"]
        return hits

    async def _from_index(self, statement: str, candidates: int) -> list[Record] | None:
        """None: too few of it are visible, or so few near that a vector of zeros, which it lacks, may be among the nearest."""
        while True:
            [found] = await self._ask(statement, candidates=candidates)
            hits: list[Record] = found["hits"]
            is_all = found["candidates"] < candidates or candidates >= _MOST
            if len(hits) >= self._limit:
                last = hits[self._limit - 1]
                if is_all or last["place"] * _SURE < candidates:
                    return hits if round(last["score"], _DECIMALS) >= 0 else None
            if is_all:
                return None
            candidates = min(candidates * _MORE, _MOST)

    async def _ask(self, statement: str, **values: Value) -> list[Record]:
        return await self._connections.read(statement, **self._values, **values)


def _row(item: ItemVector) -> Properties:
    return {
        "group_id": item.key.group_id,
        "id": item.key.item_id,
        "vector": item.vector.astype(np.float32).tolist() if item.vector.any() else None,
        "tokens": None if item.tokens is None else packed_tokens(item.tokens),
    }


def _model_of(found: Sequence[Record]) -> EmbeddingModel | None:
    return EmbeddingModel(name=found[0]["model"], dimension=int(found[0]["dimension"])) if found else None


async def _put_model(connections: Connections, model: EmbeddingModel, *, is_ready: bool) -> None:
    async def act(transaction: Transaction) -> None:
        await transaction.run("put_embedding_model", model=model.name, dimension=model.dimension, is_ready=is_ready)

    await connections.write(act)
