"""Vectors of groups kept in memory: loaded when first searched, following what other processes write."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from graphmem.ports import EmbeddingModel, ItemKey, SearchTarget
from graphmem.resources import query
from graphmem.stores.nearest import ExactVectors, GroupVectors, SignVectors
from graphmem.stores.sqlite_search_cache import Snapshot
from graphmem.stores.sqlite_statements import first
from graphmem.stores.token_cache import TokenCache
from graphmem.stores.vector_coding import unpacked_vectors

__all__ = ["EXACT_UP_TO", "VectorCache"]

EXACT_UP_TO = 100_000
"""Vectors of one group that are kept whole in memory; beyond, one bit a number."""

_BYTES_HELD = 512 * 1024**2
_BYTES_AN_ENTRY = 1_000
_PORTION = 10_000


@dataclass(kw_only=True, slots=True)
class _Entry:
    model: EmbeddingModel
    last_no: int
    removed: int
    vectors: GroupVectors
    held: int = 0
    """Its share of what the cache holds."""


class VectorCache:
    """Holds what was searched last, up to half a gigabyte; at least the group in hand."""

    def __init__(self, *, exact_up_to: int = EXACT_UP_TO, bytes_held: int = _BYTES_HELD) -> None:
        self._exact_up_to = exact_up_to
        self._bytes_held = bytes_held
        self._entries: OrderedDict[tuple[SearchTarget, str], _Entry] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()
        self.tokens = TokenCache()

    def group(
        self,
        connection: sqlite3.Connection,
        kept: Snapshot,
        target: SearchTarget,
        group_id: str,
        model: EmbeddingModel,
    ) -> GroupVectors:
        """The vectors of a group as they stand in the connection's snapshot, or newer."""
        key = (target, group_id)
        with self._lock:
            entry = self._entries.get(key) if key in kept.followed else None
            if entry is not None:
                self._entries.move_to_end(key)
                return entry.vectors
        vectors = self._followed(connection, key, model)
        kept.followed.add(key)
        return vectors

    def _followed(
        self, connection: sqlite3.Connection, key: tuple[SearchTarget, str], model: EmbeddingModel
    ) -> GroupVectors:
        target, group_id = key
        state = first(connection, "vector_state", target=target.value, group_id=group_id)
        last_no = (state["last_no"] if state is not None else None) or 0
        removed = (state["removed"] if state is not None else None) or 0
        with self._lock:
            entry = self._entries.pop(key, None)
            self._held -= 0 if entry is None else entry.held
            if entry is not None and (entry.model != model or entry.removed < removed):
                entry = None
                self.tokens.clear()
            if entry is None:
                entry = _Entry(model=model, last_no=0, removed=removed, vectors=ExactVectors(model.dimension))
            if entry.last_no < last_no or not entry.held:
                self._read_on(connection, key, entry)
                entry.held = _BYTES_AN_ENTRY + entry.vectors.bytes_held
            self._held += entry.held
            self._entries[key] = entry
            self._make_room()
            return entry.vectors

    def _read_on(self, connection: sqlite3.Connection, key: tuple[SearchTarget, str], entry: _Entry) -> None:
        target, group_id = key
        new: dict[str, str | int] = {"target": target.value, "group_id": group_id, "after": entry.last_no}
        found = connection.execute(query("sql", "vectors"), new)
        portion = found.fetchmany(_PORTION)
        count = len(portion) if len(portion) < _PORTION else _counted(connection, new)
        if isinstance(entry.vectors, ExactVectors):
            if len(entry.vectors.keys) + count > self._exact_up_to:
                entry.vectors = _signs_of(entry.vectors)
            else:
                entry.vectors.reserve(count)
        while portion:
            numbers = [row["vector_no"] for row in portion]
            keys = [ItemKey(group_id, target, row["item_id"]) for row in portion]
            rows = unpacked_vectors([row["vector"] for row in portion], entry.model.dimension)
            entry.vectors.append(keys, numbers, rows)
            entry.last_no = numbers[-1]
            portion = found.fetchmany(_PORTION)

    def _make_room(self) -> None:
        while self._held > self._bytes_held and len(self._entries) > 1:
            _, dropped = self._entries.popitem(last=False)
            self._held -= dropped.held


def _counted(connection: sqlite3.Connection, new: Mapping[str, str | int]) -> int:
    [found] = connection.execute(query("sql", "count_vectors"), new).fetchall()
    return int(found["vectors"])


def _signs_of(vectors: ExactVectors) -> SignVectors:
    signs = SignVectors()
    if vectors.keys:
        signs.append(vectors.keys, vectors.numbers, vectors.rows)
    return signs
