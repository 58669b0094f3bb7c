"""Vectors of a store file: writing them, what waits for one, and the nearest inside a scope."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from graphmem.errors import EmbedderMismatch
from graphmem.model import Hit, Scope
from graphmem.ports import EmbeddingModel, Floats, ItemKey, ItemVector, SearchTarget
from graphmem.stores.nearest import GroupVectors, cosines, unit_rows
from graphmem.stores.sqlite_rows import scope_row
from graphmem.stores.sqlite_statements import Value, first, listed, listed_or_none, rows, run
from graphmem.stores.sqlite_vector_cache import VectorCache
from graphmem.stores.vector_coding import (
    best_cosines,
    checked_query,
    checked_tokens,
    checked_vectors,
    packed_tokens,
    packed_vector,
    unpacked_vectors,
)

__all__ = [
    "count_unembedded",
    "embedding_model",
    "nearest_tokens",
    "put_vectors",
    "search_vector",
    "start_vectors",
    "unembedded",
]

_VISIBLE = {
    SearchTarget.FACT: "visible_facts",
    SearchTarget.ENTITY: "visible_entities",
    SearchTarget.EPISODE: "visible_episodes",
}
_RESCORED = 1_000
"""Of vectors known by their signs only, so many that are visible are scored exactly before the best are taken.
With 120,000 vectors mixed from MiniLM's this finds 99.9 % of the nearest 20, with 500 it is 97.7 %."""


def embedding_model(connection: sqlite3.Connection) -> EmbeddingModel | None:
    found = first(connection, "embedding_model")
    return None if found is None else EmbeddingModel(name=found["name"], dimension=found["dimension"])


def start_vectors(connection: sqlite3.Connection, model: EmbeddingModel) -> None:
    if embedding_model(connection) == model:
        return
    for statement in ("forget_vectors", "forget_unembedded", "forget_embedding_model"):
        run(connection, statement)
    run(connection, "put_embedding_model", model_name=model.name, dimension=model.dimension)
    run(connection, "await_all_vectors")


def unembedded(connection: sqlite3.Connection, limit: int, group_ids: Sequence[str] | None) -> list[ItemKey]:
    found = rows(connection, "unembedded", group_ids=listed_or_none(group_ids), limit=limit)
    return [
        ItemKey(group_id=row["group_id"], target=SearchTarget(row["target"]), item_id=row["item_id"]) for row in found
    ]


def count_unembedded(connection: sqlite3.Connection, group_ids: Sequence[str] | None) -> int:
    if group_ids is None:
        [found] = rows(connection, "count_all_unembedded")
    else:
        [found] = rows(connection, "count_unembedded", group_ids=listed(group_ids))
    return int(found["items"])


def put_vectors(connection: sqlite3.Connection, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
    kept = embedding_model(connection)
    if kept != model:
        raise EmbedderMismatch(_mismatch(kept, model))
    checked_vectors(model, vectors)
    for item in vectors:
        _put(connection, item)


def _put(connection: sqlite3.Connection, item: ItemVector) -> None:
    key = _row_of(item.key)
    [found] = rows(connection, "is_item", **key)
    if not found["is_there"]:
        return
    run(connection, "forget_vector", **key)
    [put] = rows(connection, "put_vector", **key, vector=packed_vector(item.vector))
    if item.tokens is not None:
        run(connection, "put_vector_tokens", vector_no=put["vector_no"], tokens=packed_tokens(item.tokens))
    run(connection, "embedded", **key)


def _row_of(key: ItemKey) -> dict[str, Value]:
    return {"group_id": key.group_id, "target": key.target.value, "item_id": key.item_id}


def _mismatch(kept: EmbeddingModel | None, given: EmbeddingModel) -> str:
    if kept is None:
        return f"the store keeps no vectors yet: start them with {given.name!r} first"
    return (
        f"the store keeps vectors of {kept.name!r} ({kept.dimension} dimensions), not of {given.name!r} "
        f"({given.dimension}): use that embedder, or make the vectors anew"
    )


def nearest_tokens(
    connection: sqlite3.Connection, target: SearchTarget, group_id: str, item_ids: Sequence[str], question: Floats
) -> Mapping[str, Floats]:
    model = embedding_model(connection)
    if model is None:
        return {}
    found = rows(connection, "vector_tokens", target=target.value, group_id=group_id, item_ids=listed(item_ids))
    packed = {row["item_id"]: row["tokens"] for row in found if row["tokens"]}
    return best_cosines(packed, checked_tokens(model, question))


def search_vector(
    connection: sqlite3.Connection,
    cache: VectorCache,
    target: SearchTarget,
    vector: Floats,
    scope: Scope,
    limit: int,
) -> list[Hit]:
    model = embedding_model(connection)
    if model is None:
        return []
    query = checked_query(model, vector)
    if not limit:
        return []
    found: list[tuple[float, str, str]] = []
    for group_id in dict.fromkeys(scope.group_ids):
        group = cache.group(connection, target, group_id, model)
        found += [
            (-score, item_id, group_id)
            for item_id, score in _visible_nearest(connection, group, query, target, group_id, scope, limit)
        ]
    return [
        Hit(item_id=item_id, group_id=group_id, rank=rank, score=-score)
        for rank, (score, item_id, group_id) in enumerate(sorted(found)[:limit], start=1)
    ]


def _visible_nearest(
    connection: sqlite3.Connection,
    group: GroupVectors,
    query: Floats,
    target: SearchTarget,
    group_id: str,
    scope: Scope,
    limit: int,
) -> Iterator[tuple[str, float]]:
    """Down the ranking until enough of it is visible: the `limit` nearest of the group in the scope, and some beyond."""
    wanted = limit
    left = 0
    for positions, scores in group.nearest(query, 2 * limit):
        ids = [group.ids[position] for position in positions]
        found = rows(connection, _VISIBLE[target], group_id=group_id, item_ids=listed(ids), **scope_row(scope))
        visible = {row["item_id"] for row in found}
        kept = [at for at, item_id in enumerate(ids) if item_id in visible]
        if scores is None:
            wanted = max(limit, _RESCORED)
            scores = np.zeros(len(ids), dtype=np.float32)
            scores[kept] = _exact(connection, [group.numbers[positions[at]] for at in kept], query)
        yield from ((ids[at], float(scores[at])) for at in kept)
        left += len(kept)
        if left >= wanted:
            return


def _exact(connection: sqlite3.Connection, numbers: Sequence[int], query: Floats) -> Floats:
    """Cosines of these vectors, read from the file; a vector that is gone scores lowest."""
    found = rows(connection, "vectors_by_number", numbers=f"[{','.join(map(str, numbers))}]")
    if not found:
        return np.full(len(numbers), -1.0, dtype=np.float32)
    scores = cosines(unit_rows(unpacked_vectors([row["vector"] for row in found], len(query))), query)
    by_number = dict(zip((row["vector_no"] for row in found), scores.tolist(), strict=True))
    return np.array([by_number.get(number, -1.0) for number in numbers], dtype=np.float32)
