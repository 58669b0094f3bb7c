"""Searching a store file, with what searches keep between them. Apart from the store: numpy takes long to import."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from graphmem.model import Scope
from graphmem.ports import (
    EmbeddingModel,
    Floats,
    Hits,
    ItemKey,
    ItemVector,
    SearchTarget,
    TextSearch,
    Turn,
    VectorForm,
    VectorSearch,
)
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

    async def all(self, searches: Sequence[TextSearch | VectorSearch], scope: Scope) -> Sequence[Hits]:
        return await self._connections.search(lambda c: self._found(c, searches, scope))

    def _found(
        self, connection: sqlite3.Connection, searches: Sequence[TextSearch | VectorSearch], scope: Scope
    ) -> list[Hits]:
        kept = self._kept.of(connection)
        return [
            sqlite_search.search_text(connection, kept, search.target, search.terms, scope, search.limit)
            if isinstance(search, TextSearch)
            else sqlite_vectors.search_vector(connection, kept, self.vectors, search, scope)
            for search in searches
        ]

    async def nearest_tokens(self, keys: Sequence[ItemKey], question: Floats) -> Mapping[ItemKey, Floats]:
        return await self._connections.search(
            lambda c: sqlite_vectors.nearest_tokens(c, self._kept.of(c), self.vectors, keys, question)
        )

    async def turns(self, scope: Scope, keys: Sequence[ItemKey]) -> Mapping[ItemKey, Turn]:
        return await self._connections.search(lambda c: sqlite_reads.turns(c, self._kept.of(c), scope, keys))

    async def vectors_of(self, target: SearchTarget, group_id: str, item_ids: Sequence[str]) -> Mapping[str, Floats]:
        return await self._connections.read(lambda c: sqlite_vectors.vectors_of(c, target, group_id, item_ids))

    async def put_vectors(self, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
        await self._connections.write(lambda c: sqlite_vectors.put_vectors(c, model, vectors, self._form))
