"""The embedded store: one SQLite file, its write-ahead log beside it, no server."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from graphmem.errors import ConfigError, ReadOnlyStore
from graphmem.groups import checked_groups
from graphmem.model import (
    Changes,
    Entity,
    Episode,
    Erasure,
    Fact,
    FactVersion,
    Filter,
    Job,
    JobOutcome,
    JobState,
    Name,
    Scope,
    StoredClaim,
    Tombstone,
)
from graphmem.ports import (
    Acceptance,
    Edge,
    EmbeddingModel,
    Floats,
    GroupState,
    Hits,
    ItemKey,
    ItemVector,
    SearchTarget,
    TextSearch,
    TimelineRead,
    Turn,
    VectorForm,
    VectorSearch,
    WholeVersion,
)
from graphmem.stores import (
    sqlite_commit,
    sqlite_digest,
    sqlite_erase,
    sqlite_jobs,
    sqlite_reads,
    sqlite_verify,
    sqlite_waiting,
)
from graphmem.stores.promises import check_limit
from graphmem.stores.sqlite_backup import backup
from graphmem.stores.sqlite_connections import Connections
from graphmem.stores.sqlite_records import SqliteRecords
from graphmem.stores.sqlite_rows import decoded, relation_of, relation_row
from graphmem.stores.sqlite_statements import rows, run_many
from graphmem.timeline.claims import FactKey, Relation
from graphmem.timeline.instants import Instant

if TYPE_CHECKING:
    from graphmem.stores.sqlite_searches import Searches

__all__ = ["SqliteStore"]

T = TypeVar("T")

_OLDEST_SQLITE = (3, 37, 0)
"""The first with STRICT tables."""


class SqliteStore:
    """A `graphmem.ports.Store` in one file.

    Several processes may use the file at once, each with a store of its own. Acknowledged writes are on the disk (WAL,
    synchronous FULL). In a folder that takes no files, a store that nobody has open for writing can be read.
    """

    def __init__(self, path: Path, *, vectors: VectorForm = VectorForm.FLOAT32) -> None:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise ConfigError(f"SQLite {sqlite3.sqlite_version} is too old for a store: it needs 3.37 or newer")
        self._connections = Connections(path)
        self._vector_form = vectors
        self._folder: TemporaryDirectory[str] | None = None

    @classmethod
    def temporary(cls, *, vectors: VectorForm = VectorForm.FLOAT32) -> SqliteStore:
        """A store in a private folder that goes when the store is closed."""
        folder = TemporaryDirectory(prefix="graphmem-")
        store = cls(Path(folder.name) / "memory.db", vectors=vectors)
        store._folder = folder
        return store

    @property
    def is_far(self) -> bool:
        return False

    async def ensure_schema(self) -> None:
        await self._connections.ensure_schema(sqlite_erase.finish_scrub)

    async def close(self) -> None:
        await self._connections.close()
        if self._folder is not None:
            self._folder.cleanup()

    @cached_property
    def _searches(self) -> Searches:
        from graphmem.stores.sqlite_searches import Searches  # here: it imports numpy, which few commands need

        return Searches(self._connections, self._vector_form)

    # ---- settings

    async def secret(self) -> bytes:
        [found] = await self._connections.read(lambda c: rows(c, "secret"))
        return bytes(found["value"])

    async def relations(self) -> Sequence[Relation]:
        return await self._connections.read(lambda c: decoded(relation_of, rows(c, "relations")))

    async def put_relations(self, relations: Sequence[Relation]) -> None:
        wanted = [relation_row(relation) for relation in relations]
        await self._connections.write(lambda c: run_many(c, "put_relation", wanted))

    # ---- accept and jobs

    async def accept(
        self, episodes: Sequence[Episode], now: Instant, answers: Mapping[str, str] | None = None
    ) -> Sequence[Acceptance]:
        return await self._connections.write(lambda c: sqlite_jobs.accept(c, episodes, now, answers or {}))

    async def lease(
        self, *, owner: str, now: Instant, until: Instant, limit: int, group_id: str | None = None
    ) -> Sequence[Job]:
        check_limit(limit)
        return await self._connections.write(
            lambda c: sqlite_jobs.lease(c, owner=owner, now=now, until=until, limit=limit, group_id=group_id)
        )

    async def extend(self, *, group_id: str, fence: int, until: Instant) -> None:
        await self._connections.write(lambda c: sqlite_jobs.extend(c, group_id=group_id, fence=fence, until=until))

    async def finish(self, outcome: JobOutcome) -> None:
        await self._connections.write(lambda c: sqlite_jobs.finish(c, outcome))

    async def jobs(
        self,
        *,
        group_ids: Sequence[str] | None = None,
        states: Sequence[JobState] | None = None,
        job_ids: Sequence[str] | None = None,
        limit: int = 1_000,
    ) -> Sequence[Job]:
        check_limit(limit)
        groups = None if group_ids is None else checked_groups(group_ids)
        return await self._connections.read(
            lambda c: sqlite_jobs.jobs(c, group_ids=groups, states=states, job_ids=job_ids, limit=limit)
        )

    async def count_jobs(self, group_ids: Sequence[str] | None = None) -> Mapping[JobState, int]:
        groups = None if group_ids is None else checked_groups(group_ids)
        return await self._connections.read(lambda c: sqlite_jobs.count_jobs(c, groups))

    async def next_run_at(self, group_id: str | None = None) -> Instant | None:
        return await self._connections.read(lambda c: sqlite_jobs.next_run_at(c, group_id))

    # ---- writing

    async def commit(self, changes: Sequence[Changes]) -> None:
        await self._connections.write(lambda c: sqlite_commit.commit(c, changes))

    async def erase(self, erasure: Erasure) -> None:
        def erase(connection: sqlite3.Connection) -> None:
            sqlite_erase.erase(connection, erasure)
            sqlite_erase.merge_indexes(connection)

        await self._connections.write_then(erase, sqlite_erase.rewrite_file)

    async def scrub(self) -> None:
        await self._connections.write_then(sqlite_erase.merge_indexes, sqlite_erase.rewrite_file)

    # ---- reading for the fold

    async def read_timelines(
        self,
        group_id: str,
        *,
        facts: Sequence[FactKey] = (),
        subjects: Sequence[tuple[str, str]] = (),
        objects: Sequence[tuple[str, str]] = (),
    ) -> TimelineRead:
        return await self._connections.read(
            lambda c: sqlite_reads.read_timelines(c, group_id, facts=facts, subjects=subjects, objects=objects)
        )

    async def claims(
        self,
        group_id: str,
        *,
        claim_ids: Sequence[str] | None = None,
        episode_ids: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        entity_ids: Sequence[str] | None = None,
        relation: str | None = None,
    ) -> Sequence[StoredClaim]:
        return await self._connections.read(
            lambda c: sqlite_reads.claims(
                c,
                group_id,
                claim_ids=claim_ids,
                episode_ids=episode_ids,
                fact_ids=fact_ids,
                entity_ids=entity_ids,
                relation=relation,
            )
        )

    # ---- reading

    async def groups(self) -> Sequence[GroupState]:
        return await self._connections.read(sqlite_reads.groups)

    async def group(self, group_id: str) -> GroupState:
        return await self._connections.read(lambda c: sqlite_reads.group(c, group_id))

    async def episodes(self, group_id: str, episode_ids: Sequence[str]) -> Sequence[Episode]:
        return await self._connections.read(lambda c: sqlite_reads.episodes(c, group_id, episode_ids))

    async def recent_episodes(
        self,
        group_ids: Sequence[str],
        *,
        limit: int,
        before: Instant | None = None,
        known_at: Instant | None = None,
        filter: Filter | None = None,
    ) -> Sequence[Episode]:
        check_limit(limit)
        groups = checked_groups(group_ids)
        wanted = Filter() if filter is None else filter
        return await self._connections.read(
            lambda c: sqlite_reads.recent_episodes(
                c, groups, limit=limit, before=before, known_at=known_at, wanted=wanted
            )
        )

    async def turns(self, scope: Scope, keys: Sequence[ItemKey]) -> Mapping[ItemKey, Turn]:
        return await self._searches.turns(scope, keys)

    async def entities(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Entity]:
        return await self._connections.read(lambda c: sqlite_reads.entities(c, group_id, entity_ids))

    async def entities_named(self, group_ids: Sequence[str], keys: Sequence[str]) -> Sequence[Name]:
        groups = checked_groups(group_ids)
        return await self._connections.read(lambda c: sqlite_reads.entities_named(c, groups, keys))

    async def names_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Name]:
        return await self._connections.read(lambda c: sqlite_reads.names_of(c, group_id, entity_ids))

    async def list_names(self, group_ids: Sequence[str], *, limit: int = 100_000) -> Sequence[Name]:
        check_limit(limit)
        groups = checked_groups(group_ids)
        return await self._connections.read(lambda c: sqlite_reads.list_names(c, groups, limit))

    async def facts(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[Fact]:
        return await self._connections.read(lambda c: sqlite_reads.facts(c, group_id, fact_ids))

    async def mentions_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        return await self._connections.read(lambda c: sqlite_reads.mentions_of(c, group_id, entity_ids))

    async def versions_in_scope(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[FactVersion]:
        check_limit(limit)
        selection = sqlite_reads.Selection(
            subjects=subjects, relations=relations, objects=objects, touching=touching, fact_ids=fact_ids
        )
        return await self._connections.read(lambda c: sqlite_reads.versions_in_scope(c, scope, selection, limit))

    async def whole_versions(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[WholeVersion]:
        check_limit(limit)
        selection = sqlite_reads.Selection(
            subjects=subjects, relations=relations, objects=objects, touching=touching, fact_ids=fact_ids
        )
        return await self._connections.read(lambda c: sqlite_reads.whole_versions(c, scope, selection, limit))

    async def edges_of(self, scope: Scope, keys: Sequence[ItemKey]) -> Sequence[Edge]:
        return await self._connections.read(lambda c: sqlite_reads.edges_of(c, scope, keys))

    async def edges_around(
        self, scope: Scope, keys: Sequence[ItemKey], *, limit: int, enough: int, with_episodes: bool = True
    ) -> tuple[Sequence[Edge], Sequence[Edge]]:
        check_limit(limit)
        return await self._connections.read(
            lambda c: sqlite_reads.edges_around(c, scope, keys, limit=limit, enough=enough, with_episodes=with_episodes)
        )

    async def versions_of(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[FactVersion]:
        return await self._connections.read(lambda c: sqlite_reads.versions_of(c, group_id, fact_ids))

    async def support_of(
        self, group_id: str, version_ids: Sequence[str], known_at: Instant
    ) -> Sequence[tuple[str, StoredClaim]]:
        return await self._connections.read(lambda c: sqlite_reads.support_at(c, group_id, version_ids, known_at))

    async def changed_between(self, group_ids: Sequence[str], after: Instant, until: Instant) -> Sequence[FactVersion]:
        groups = checked_groups(group_ids)
        return await self._connections.read(lambda c: sqlite_reads.changed_between(c, groups, after, until))

    async def tombstones(self, group_id: str, target_ids: Sequence[str] | None = None) -> Sequence[Tombstone]:
        return await self._connections.read(lambda c: sqlite_reads.tombstones(c, group_id, target_ids))

    async def at_one_moment(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        return await self._connections.at_one_moment(work)

    async def search_text(self, target: SearchTarget, terms: Sequence[str], scope: Scope, *, limit: int) -> Hits:
        [hits] = await self.search_all([TextSearch(target=target, terms=terms, limit=limit)], scope)
        return hits

    async def search_all(self, searches: Sequence[TextSearch | VectorSearch], scope: Scope) -> Sequence[Hits]:
        for search in searches:
            check_limit(search.limit)
        return await self._searches.all(searches, scope)

    # ---- vectors

    async def embedding_model(self) -> EmbeddingModel | None:
        return await self._connections.read(sqlite_waiting.embedding_model)

    async def start_vectors(self, model: EmbeddingModel) -> None:
        await self._connections.write(lambda c: sqlite_waiting.start_vectors(c, model))

    async def unembedded(self, *, limit: int, group_ids: Sequence[str] | None = None) -> Sequence[ItemKey]:
        check_limit(limit)
        groups = None if group_ids is None else checked_groups(group_ids)
        return await self._connections.read(lambda c: sqlite_waiting.unembedded(c, limit, groups))

    async def count_unembedded(self, group_ids: Sequence[str] | None = None) -> int:
        groups = None if group_ids is None else checked_groups(group_ids)
        return await self._connections.read(lambda c: sqlite_waiting.count_unembedded(c, groups))

    async def put_vectors(self, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
        await self._searches.put_vectors(model, vectors)

    async def search_vector(self, target: SearchTarget, vector: Floats, scope: Scope, *, limit: int) -> Hits:
        [hits] = await self.search_all([VectorSearch(target=target, vector=vector, limit=limit)], scope)
        return hits

    async def vectors_of(self, target: SearchTarget, group_id: str, item_ids: Sequence[str]) -> Mapping[str, Floats]:
        return await self._searches.vectors_of(target, group_id, item_ids)

    async def nearest_tokens(self, keys: Sequence[ItemKey], question: Floats) -> Mapping[ItemKey, Floats]:
        return await self._searches.nearest_tokens(keys, question)

    # ---- upkeep

    async def verify(self) -> Sequence[str]:
        found = await self._connections.read(sqlite_verify.wrongs)
        try:
            return [*found, *await self._connections.write(sqlite_verify.broken_indexes)]
        except ReadOnlyStore:
            # The check of the indexes' inside counts as a write; what reading can find was found.
            return found

    async def backup(self, target: Path) -> None:
        await self._connections.apart(lambda c: backup(c, target))

    def records(self) -> SqliteRecords:
        """What a copy of the whole memory reads and writes."""
        return SqliteRecords(self._connections)

    async def digest(self) -> str:
        return await self._connections.read(sqlite_digest.digest)
