"""Searching a store file, with what searches keep between them. Apart from the store: numpy takes long to import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphmem.model import Hit, Scope
from graphmem.ports import Adjacent, EmbeddingModel, Floats, ItemVector, SearchTarget, VectorForm
from graphmem.stores import sqlite_reads, sqlite_search, sqlite_vectors
from graphmem.stores.sqlite_connections import Connections
from graphmem.stores.sqlite_search_cache import SearchCache
from graphmem.stores.sqlite_vector_cache import VectorCache

__all__ = ["Searches"]


class Searches:
    """The part of a `graphmem.ports.Store` that ranks."""

    def __init__(self, connections: Connections, form: VectorForm, vectors: VectorCache | None = None) -> None:
        self._connections = connections
        self._form = form
        self._kept = SearchCache()
        self.vectors = vectors or VectorCache()

    async def text(self, target: SearchTarget, terms: Sequence[str], scope: Scope, limit: int) -> Sequence[Hit]:
        return await self._connections.search(
            lambda c: sqlite_search.search_text(c, self._kept, target, terms, scope, limit)
        )

    async def vector(self, target: SearchTarget, vector: Floats, scope: Scope, limit: int) -> Sequence[Hit]:
        return await self._connections.search(
            lambda c: sqlite_vectors.search_vector(c, self._kept, self.vectors, target, vector, scope, limit)
        )

    async def nearest_tokens(
        self, target: SearchTarget, group_id: str, item_ids: Sequence[str], question: Floats
    ) -> Mapping[str, Floats]:
        return await self._connections.search(
            lambda c: sqlite_vectors.nearest_tokens(c, self._kept, self.vectors, target, group_id, item_ids, question)
        )

    async def adjacent_episodes(
        self, scope: Scope, group_id: str, episode_ids: Sequence[str]
    ) -> Mapping[str, Adjacent]:
        return await self._connections.search(
            lambda c: sqlite_reads.adjacent_episodes(c, self._kept.of(c), scope, group_id, episode_ids)
        )

    async def vectors_of(self, target: SearchTarget, group_id: str, item_ids: Sequence[str]) -> Mapping[str, Floats]:
        return await self._connections.read(lambda c: sqlite_vectors.vectors_of(c, target, group_id, item_ids))

    async def put_vectors(self, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
        await self._connections.write(lambda c: sqlite_vectors.put_vectors(c, model, vectors, self._form))
