"""The shared store: one database of a Neo4j server, for teams and clusters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from graphmem.errors import InvalidInput
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
    VectorSearch,
    WholeVersion,
)
from graphmem.side_by_side import side_by_side
from graphmem.stores import (
    neo4j_commit,
    neo4j_digest,
    neo4j_erase,
    neo4j_jobs,
    neo4j_reads,
    neo4j_schema,
    neo4j_search,
    neo4j_vectors,
    neo4j_verify,
)
from graphmem.stores.neo4j_connections import Connections, Transaction
from graphmem.stores.neo4j_records import Neo4jRecords
from graphmem.stores.neo4j_rows import decoded, relation_of, relation_row
from graphmem.stores.neo4j_settings import Neo4jSettings, neo4j_settings
from graphmem.stores.promises import check_limit
from graphmem.timeline.claims import FactKey, Relation
from graphmem.timeline.instants import Instant

__all__ = ["Neo4jStore", "open_neo4j"]

T = TypeVar("T")


def open_neo4j(url: str) -> Neo4jStore:
    """The store at `bolt://user:password@host:7687/database` (see `neo4j_settings`); nothing is asked of the server yet."""
    return Neo4jStore(neo4j_settings(url))


class Neo4jStore:
    """A `graphmem.ports.Store` on a Neo4j server.

    Several processes may use the database at once, each with a store of its own. A store is used in one event loop.
    """

    def __init__(self, settings: Neo4jSettings) -> None:
        self._connections = Connections(settings)
        self._remembered = neo4j_vectors.Remembered()
        self._is_checked = False
        self._checking = asyncio.Lock()

    @property
    def is_far(self) -> bool:
        return True

    async def ensure_schema(self) -> None:
        await neo4j_schema.ensure_schema(self._connections)
        self._is_checked = True

    async def close(self) -> None:
        await self._connections.close()

    # ---- settings

    async def secret(self) -> bytes:
        [found] = await (await self._ready()).read("secret")
        return bytes.fromhex(found["secret"])

    async def relations(self) -> Sequence[Relation]:
        found = await (await self._ready()).read("relations")
        return decoded(relation_of, (row["relation"] for row in found))

    async def put_relations(self, relations: Sequence[Relation]) -> None:
        wanted = [relation_row(relation) for relation in relations]

        async def act(transaction: Transaction) -> None:
            await transaction.run("put_relation", relations=wanted)

        await (await self._ready()).write(act)

    # ---- accept and jobs

    async def accept(
        self, episodes: Sequence[Episode], now: Instant, answers: Mapping[str, str] | None = None
    ) -> Sequence[Acceptance]:
        return await neo4j_jobs.accept(await self._ready(), episodes, now, answers or {})

    async def lease(
        self, *, owner: str, now: Instant, until: Instant, limit: int, group_id: str | None = None
    ) -> Sequence[Job]:
        check_limit(limit)
        return await neo4j_jobs.lease(
            await self._ready(), owner=owner, now=now, until=until, limit=limit, group_id=group_id
        )

    async def extend(self, *, group_id: str, fence: int, until: Instant) -> None:
        await neo4j_jobs.extend(await self._ready(), group_id=group_id, fence=fence, until=until)

    async def finish(self, outcome: JobOutcome) -> None:
        await neo4j_jobs.finish(await self._ready(), outcome)

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
        return await neo4j_jobs.jobs(await self._ready(), group_ids=groups, states=states, job_ids=job_ids, limit=limit)

    async def count_jobs(self, group_ids: Sequence[str] | None = None) -> Mapping[JobState, int]:
        groups = None if group_ids is None else checked_groups(group_ids)
        return await neo4j_jobs.count_jobs(await self._ready(), groups)

    async def next_run_at(self, group_id: str | None = None) -> Instant | None:
        return await neo4j_jobs.next_run_at(await self._ready(), group_id)

    # ---- writing

    async def commit(self, changes: Sequence[Changes]) -> None:
        await neo4j_commit.commit(await self._ready(), changes)

    async def erase(self, erasure: Erasure) -> None:
        await neo4j_erase.erase(await self._ready(), erasure)
        await self.scrub()

    async def scrub(self) -> None:
        """Ask the server for a checkpoint where its edition has one, so that old transaction logs can go.

        Neo4j overwrites freed records and merges its indexes in its own time; logs go by its retention setting.
        """
        connections = await self._ready()
        if await connections.read("has_checkpoint"):
            await connections.define("CALL db.checkpoint()")

    # ---- reading for the fold

    async def read_timelines(
        self,
        group_id: str,
        *,
        facts: Sequence[FactKey] = (),
        subjects: Sequence[tuple[str, str]] = (),
        objects: Sequence[tuple[str, str]] = (),
    ) -> TimelineRead:
        return await neo4j_reads.read_timelines(
            await self._ready(), group_id, facts=facts, subjects=subjects, objects=objects
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
        return await neo4j_reads.claims(
            await self._ready(),
            group_id,
            claim_ids=claim_ids,
            episode_ids=episode_ids,
            fact_ids=fact_ids,
            entity_ids=entity_ids,
            relation=relation,
        )

    # ---- reading

    async def groups(self) -> Sequence[GroupState]:
        return await neo4j_reads.groups(await self._ready())

    async def group(self, group_id: str) -> GroupState:
        return await neo4j_reads.group(await self._ready(), group_id)

    async def episodes(self, group_id: str, episode_ids: Sequence[str]) -> Sequence[Episode]:
        return await neo4j_reads.episodes(await self._ready(), group_id, episode_ids)

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
        return await neo4j_reads.recent_episodes(
            await self._ready(), groups, limit=limit, before=before, known_at=known_at, wanted=wanted
        )

    async def turns(self, scope: Scope, keys: Sequence[ItemKey]) -> Mapping[ItemKey, Turn]:
        return await neo4j_reads.turns(await self._ready(), scope, keys)

    async def entities(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Entity]:
        return await neo4j_reads.entities(await self._ready(), group_id, entity_ids)

    async def entities_named(self, group_ids: Sequence[str], keys: Sequence[str]) -> Sequence[Name]:
        groups = checked_groups(group_ids)
        return await neo4j_reads.entities_named(await self._ready(), groups, keys)

    async def names_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Name]:
        return await neo4j_reads.names_of(await self._ready(), group_id, entity_ids)

    async def list_names(self, group_ids: Sequence[str], *, limit: int = 100_000) -> Sequence[Name]:
        check_limit(limit)
        groups = checked_groups(group_ids)
        return await neo4j_reads.list_names(await self._ready(), groups, limit)

    async def facts(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[Fact]:
        return await neo4j_reads.facts(await self._ready(), group_id, fact_ids)

    async def mentions_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        return await neo4j_reads.mentions_of(await self._ready(), group_id, entity_ids)

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
        selection = neo4j_reads.Selection(
            subjects=subjects, relations=relations, objects=objects, touching=touching, fact_ids=fact_ids
        )
        return await neo4j_reads.versions_in_scope(await self._ready(), scope, selection, limit)

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
        selection = neo4j_reads.Selection(
            subjects=subjects, relations=relations, objects=objects, touching=touching, fact_ids=fact_ids
        )
        return await neo4j_reads.whole_versions(await self._ready(), scope, selection, limit)

    async def edges_of(self, scope: Scope, keys: Sequence[ItemKey]) -> Sequence[Edge]:
        return await neo4j_reads.edges_of(await self._ready(), scope, keys)

    async def edges_around(
        self, scope: Scope, keys: Sequence[ItemKey], *, limit: int, enough: int, with_episodes: bool = True
    ) -> tuple[Sequence[Edge], Sequence[Edge]]:
        check_limit(limit)
        return await neo4j_reads.edges_around(
            await self._ready(), scope, keys, limit=limit, enough=enough, with_episodes=with_episodes
        )

    async def versions_of(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[FactVersion]:
        return await neo4j_reads.versions_of(await self._ready(), group_id, fact_ids)

    async def support_of(
        self, group_id: str, version_ids: Sequence[str], known_at: Instant
    ) -> Sequence[tuple[str, StoredClaim]]:
        return await neo4j_reads.support_of(await self._ready(), group_id, version_ids, known_at)

    async def changed_between(self, group_ids: Sequence[str], after: Instant, until: Instant) -> Sequence[FactVersion]:
        groups = checked_groups(group_ids)
        return await neo4j_reads.changed_between(await self._ready(), groups, after, until)

    async def tombstones(self, group_id: str, target_ids: Sequence[str] | None = None) -> Sequence[Tombstone]:
        return await neo4j_reads.tombstones(await self._ready(), group_id, target_ids)

    async def at_one_moment(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Each read is of a moment of its own: a server keeps no snapshot for several."""
        return await work()

    async def search_text(self, target: SearchTarget, terms: Sequence[str], scope: Scope, *, limit: int) -> Hits:
        [hits] = await self.search_all([TextSearch(target=target, terms=terms, limit=limit)], scope)
        return hits

    async def search_all(self, searches: Sequence[TextSearch | VectorSearch], scope: Scope) -> Sequence[Hits]:
        for search in searches:
            check_limit(search.limit)
        connections = await self._ready()
        by_vector = [search for search in searches if isinstance(search, VectorSearch)]
        async with side_by_side() as asked:
            near = asked.create_task(neo4j_vectors.search_vectors(connections, self._remembered, by_vector, scope))
            said = [
                asked.create_task(
                    neo4j_search.search_text(connections, search.target, search.terms, scope, search.limit)
                )
                for search in searches
                if isinstance(search, TextSearch)
            ]
        of_vectors, of_words = iter(near.result()), iter(said)
        return [next(of_words).result() if isinstance(search, TextSearch) else next(of_vectors) for search in searches]

    # ---- vectors

    async def embedding_model(self) -> EmbeddingModel | None:
        return await neo4j_vectors.embedding_model(await self._ready())

    async def start_vectors(self, model: EmbeddingModel) -> None:
        await neo4j_vectors.start_vectors(await self._ready(), model)

    async def unembedded(self, *, limit: int, group_ids: Sequence[str] | None = None) -> Sequence[ItemKey]:
        check_limit(limit)
        groups = None if group_ids is None else checked_groups(group_ids)
        return await neo4j_vectors.unembedded(await self._ready(), limit, groups)

    async def count_unembedded(self, group_ids: Sequence[str] | None = None) -> int:
        groups = None if group_ids is None else checked_groups(group_ids)
        return await neo4j_vectors.count_unembedded(await self._ready(), groups)

    async def put_vectors(self, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
        await neo4j_vectors.put_vectors(await self._ready(), model, vectors)

    async def search_vector(self, target: SearchTarget, vector: Floats, scope: Scope, *, limit: int) -> Hits:
        """Exact in groups of up to 2,000 items (5,000 before 2026.02); beyond, by the server's index: 98 of 100 are found."""
        [hits] = await self.search_all([VectorSearch(target=target, vector=vector, limit=limit)], scope)
        return hits

    async def vectors_of(self, target: SearchTarget, group_id: str, item_ids: Sequence[str]) -> Mapping[str, Floats]:
        return await neo4j_vectors.vectors_of(await self._ready(), target, group_id, item_ids)

    async def nearest_tokens(self, keys: Sequence[ItemKey], question: Floats) -> Mapping[ItemKey, Floats]:
        return await neo4j_vectors.nearest_tokens(await self._ready(), keys, question)

    # ---- upkeep

    async def verify(self) -> Sequence[str]:
        return await neo4j_verify.wrongs(await self._ready())

    async def backup(self, target: Path) -> None:
        """Always raises InvalidInput: a server's files are not ours to copy."""
        raise InvalidInput(
            f"a Neo4j store is not copied into the file {str(target)!r}: copy the memory with "
            f"`graphmem copy {self._connections.settings.url} {target}`, or the database with `neo4j-admin database dump`"
        )

    def records(self) -> Neo4jRecords:
        """What a copy of the whole memory reads and writes."""
        return Neo4jRecords(self._ready)

    async def digest(self) -> str:
        return await neo4j_digest.digest(await self._ready())

    async def _ready(self) -> Connections:
        """The connections, once the server and the schema were looked at."""
        if not self._is_checked:
            async with self._checking:
                if not self._is_checked:
                    await neo4j_schema.check_schema(self._connections)
                    self._is_checked = True
        return self._connections
