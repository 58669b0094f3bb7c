"""Whose vectors a store file keeps, and what waits for one. Apart from the vectors: no numbers are read here."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graphmem.ports import EmbeddingModel, ItemKey, SearchTarget
from graphmem.stores.sqlite_statements import first, listed, listed_or_none, rows, run

__all__ = ["count_unembedded", "embedding_model", "start_vectors", "unembedded"]

_MEND = (
    "forget_all_damaged_vectors",
    "forget_all_stray_vectors",
    "forget_all_stray_vector_tokens",
    "forget_all_stray_waiting",
    "await_all_vectors",
)


def embedding_model(connection: sqlite3.Connection) -> EmbeddingModel | None:
    found = first(connection, "embedding_model")
    return None if found is None else EmbeddingModel(name=found["name"], dimension=found["dimension"])


def start_vectors(connection: sqlite3.Connection, model: EmbeddingModel) -> None:
    """As a store does; of a damaged file of this model, what lost its vector waits for one, and what is left over goes."""
    if embedding_model(connection) == model:
        for statement in _MEND:
            run(connection, statement)
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
