"""Reading episodes, entities, facts, claims and versions from Neo4j."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from neo4j import Record

from graphmem.model import Entity, Episode, Fact, FactVersion, Filter, Name, Scope, StoredClaim, Support, Tombstone
from graphmem.ports import Edge, GroupState, ItemKey, SearchTarget, Telling, TimelineRead, Turn, WholeVersion
from graphmem.stores.neo4j_connections import Connections
from graphmem.stores.neo4j_rows import (
    Value,
    claim_of,
    decoded,
    entity_of,
    episode_of,
    fact_of,
    filter_values,
    name_of,
    refuse_nul,
    scope_values,
    tombstone_of,
    version_of,
)
from graphmem.stores.neo4j_times import NEVER, OPEN, bound_text, instant_of
from graphmem.stores.promises import as_asked
from graphmem.timeline.claims import FactKey
from graphmem.timeline.instants import MAX, Instant

__all__ = [
    "Selection",
    "changed_between",
    "claims",
    "edges_around",
    "edges_of",
    "entities",
    "entities_named",
    "episodes",
    "facts",
    "group",
    "groups",
    "list_names",
    "mentions_of",
    "names_of",
    "read_timelines",
    "recent_episodes",
    "support_of",
    "tombstones",
    "turns",
    "versions_in_scope",
    "versions_of",
    "whole_versions",
]

T = TypeVar("T")

_NO_LIMIT = 2**62


async def read_timelines(
    connections: Connections,
    group_id: str,
    *,
    facts: Sequence[FactKey],
    subjects: Sequence[tuple[str, str]],
    objects: Sequence[tuple[str, str]],
) -> TimelineRead:
    [found] = await connections.read(
        "read_timelines",
        group_id=group_id,
        facts=[[key.subject, key.relation, key.object] for key in facts],
        subjects=[list(pair) for pair in subjects],
        objects=[list(pair) for pair in objects],
        never=NEVER,
        open=OPEN,
    )
    support = [
        Support(version_id=version_id, claim_id=link["claim_id"], created_at=instant_of(link["created_at"]))
        for version_id, links in found["support"]
        for link in links
    ]
    return TimelineRead(
        tau=instant_of(found["tau"]),
        claims=sorted(decoded(claim_of, found["claims"]), key=lambda claim: claim.claim.claim_id),
        versions=sorted(decoded(version_of, found["versions"]), key=lambda version: version.version_id),
        support=sorted(support, key=lambda link: (link.version_id, link.claim_id)),
    )


async def claims(
    connections: Connections,
    group_id: str,
    *,
    claim_ids: Sequence[str] | None,
    episode_ids: Sequence[str] | None,
    fact_ids: Sequence[str] | None,
    entity_ids: Sequence[str] | None,
    relation: str | None,
) -> list[StoredClaim]:
    if claim_ids is not None:
        statement = "claims_by_id"
    elif episode_ids is not None:
        statement = "claims_by_episode"
    elif fact_ids is not None:
        statement = "claims_by_fact"
    elif entity_ids is not None:
        statement = "claims_by_entity"
    else:
        statement = "claims_by_group"
    found = await connections.read(
        statement,
        group_id=group_id,
        claim_ids=_once(claim_ids),
        episode_ids=_once(episode_ids),
        fact_ids=_once(fact_ids),
        entity_ids=_once(entity_ids),
        relation=relation,
    )
    return decoded(claim_of, (row["claim"] for row in found))


async def groups(connections: Connections) -> list[GroupState]:
    known = [str(row["group_id"]) for row in await connections.read("all_groups")]
    return [state for state in await _counted(connections, known) if state.episodes or state.entities or state.facts]


async def group(connections: Connections, group_id: str) -> GroupState:
    [state] = await _counted(connections, [group_id])
    return state


async def episodes(connections: Connections, group_id: str, episode_ids: Sequence[str]) -> list[Episode]:
    found = await connections.read_rows("episodes", group_id=group_id, ids=_once(episode_ids))
    return as_asked(episode_ids, decoded(episode_of, (row["episode"] for row in found)), lambda e: e.episode_id)


async def recent_episodes(
    connections: Connections,
    group_ids: Sequence[str],
    *,
    limit: int,
    before: Instant | None,
    known_at: Instant | None,
    wanted: Filter,
) -> list[Episode]:
    found = await connections.read(
        "recent_episodes",
        group_ids=list(group_ids),
        limit=limit,
        before=bound_text(MAX + 1 if before is None else before),
        known_at=bound_text(MAX + 1 if known_at is None else known_at),
        **filter_values(wanted),
    )
    return decoded(episode_of, (row["episode"] for row in reversed(found)))


async def turns(connections: Connections, scope: Scope, keys: Sequence[ItemKey]) -> dict[ItemKey, Turn]:
    found = await connections.read_rows("turns", keys=_pairs(scope, SearchTarget.EPISODE, keys), **scope_values(scope))
    episodes = decoded(episode_of, (row["episode"] for row in found))
    return {
        ItemKey(episode.group_id, SearchTarget.EPISODE, episode.episode_id): Turn.of(
            episode, row["before"], row["after"]
        )
        for row, episode in zip(found, episodes, strict=True)
    }


async def entities(connections: Connections, group_id: str, entity_ids: Sequence[str]) -> list[Entity]:
    found = await connections.read_rows("entities", group_id=group_id, ids=_once(entity_ids))
    return as_asked(entity_ids, decoded(entity_of, (row["entity"] for row in found)), lambda e: e.entity_id)


async def entities_named(connections: Connections, group_ids: Sequence[str], keys: Sequence[str]) -> list[Name]:
    return decoded(name_of, await connections.read("entities_named", group_ids=list(group_ids), keys=_once(keys)))


async def names_of(connections: Connections, group_id: str, entity_ids: Sequence[str]) -> list[Name]:
    return decoded(name_of, await connections.read("names_of", group_id=group_id, entity_ids=_once(entity_ids)))


async def list_names(connections: Connections, group_ids: Sequence[str], limit: int) -> list[Name]:
    return decoded(name_of, await connections.read("list_names", group_ids=list(group_ids), limit=limit))


async def facts(connections: Connections, group_id: str, fact_ids: Sequence[str]) -> list[Fact]:
    found = await connections.read_rows("facts", group_id=group_id, ids=_once(fact_ids))
    return as_asked(fact_ids, decoded(fact_of, (row["fact"] for row in found)), lambda f: f.fact_id)


async def mentions_of(connections: Connections, group_id: str, entity_ids: Sequence[str]) -> list[tuple[str, str]]:
    found = await connections.read("mentions_of", group_id=group_id, entity_ids=_once(entity_ids))
    return [(row["episode_id"], row["entity_id"]) for row in found]


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Which versions of a scope are asked for; None means any."""

    subjects: Sequence[str] | None = None
    relations: Sequence[str] | None = None
    objects: Sequence[str] | None = None
    touching: Sequence[str] | None = None
    fact_ids: Sequence[str] | None = None

    @property
    def statement(self) -> str:
        """The statement that comes to the versions by the narrowest index; it tests the rest of the selection too."""
        if self.fact_ids is not None:
            return "versions_by_fact"
        if self.subjects is not None:
            return "versions_by_subject" if self.relations is None else "versions_by_subject_relation"
        if self.objects is not None:
            return "versions_by_object"
        return "versions_by_group" if self.touching is None else "versions_touching"


async def versions_in_scope(
    connections: Connections, scope: Scope, selection: Selection, limit: int | None
) -> list[FactVersion]:
    found = await _in_scope(connections, scope, selection, limit, is_whole=False)
    return decoded(version_of, (row["version"] for row in found))


async def whole_versions(
    connections: Connections, scope: Scope, selection: Selection, limit: int | None
) -> list[WholeVersion]:
    found = await _in_scope(connections, scope, selection, limit, is_whole=True)
    versions = decoded(version_of, (row["version"] for row in found))
    facts = decoded(fact_of, (row["told"]["fact"] for row in found))
    subjects = decoded(entity_of, (row["told"]["subject"] for row in found))
    objects = decoded(entity_of, (row["told"]["object"] for row in found))
    support = [tuple(Telling(instant_of(ref), i, by) for ref, i, by in row["told"]["support"]) for row in found]
    return [
        WholeVersion(version=version, fact=fact, subject=subject, object=obj, support=links)
        for version, fact, subject, obj, links in zip(versions, facts, subjects, objects, support, strict=True)
    ]


async def _in_scope(
    connections: Connections, scope: Scope, selection: Selection, limit: int | None, *, is_whole: bool
) -> list[Record]:
    values: dict[str, Value] = {
        "subjects": _once(selection.subjects),
        "relations": _once(selection.relations),
        "objects": _once(selection.objects),
        "touching": _once(selection.touching),
        "fact_ids": _once(selection.fact_ids),
        "limit": _NO_LIMIT if limit is None else limit,
        "is_whole": is_whole,
    }
    return await connections.read_rows(selection.statement, **values, **scope_values(scope))


async def edges_of(connections: Connections, scope: Scope, keys: Sequence[ItemKey]) -> list[Edge]:
    pairs = _pairs(scope, SearchTarget.FACT, keys)
    found = await connections.read_rows("edges_by_fact", keys=pairs, **scope_values(scope))
    return _edges(found)


async def edges_around(
    connections: Connections, scope: Scope, keys: Sequence[ItemKey], *, limit: int, enough: int, with_episodes: bool
) -> tuple[list[Edge], list[Edge]]:
    begin: defaultdict[str, list[str]] = defaultdict(list)
    for group_id, entity_id in _pairs(scope, SearchTarget.ENTITY, keys):
        begin[group_id].append(entity_id)
    found = await connections.read_rows(
        "edges_around",
        begin=[[group_id, ids] for group_id, ids in sorted(begin.items())],
        limit=limit,
        enough=enough,
        **scope_values(scope),
    )
    first, second = (_edges(row for row in found if row["step"] == step) for step in (1, 2))
    if not with_episodes:
        first, second = ([edge._replace(episode_ids=()) for edge in edges] for edges in (first, second))
    return first, second


def _edges(found: Iterable[Record]) -> list[Edge]:
    return [
        Edge(row["group_id"], row["fact_id"], row["subject"], row["object"], row["text"], tuple(row["episode_ids"]))
        for row in found
        if row["text"] is not None  # a relationship that somebody planted is of no fact of its group
    ]


async def versions_of(connections: Connections, group_id: str, fact_ids: Sequence[str]) -> list[FactVersion]:
    found = await connections.read("versions_of", group_id=group_id, fact_ids=_once(fact_ids))
    return decoded(version_of, (row["version"] for row in found))


async def support_of(
    connections: Connections, group_id: str, version_ids: Sequence[str], known_at: Instant
) -> list[tuple[str, StoredClaim]]:
    found = await connections.read(
        "support_of", group_id=group_id, version_ids=_once(version_ids), known_at=bound_text(known_at)
    )
    stored = decoded(claim_of, (row["claim"] for row in found))
    return list(zip((row["version_id"] for row in found), stored, strict=True))


async def changed_between(
    connections: Connections, group_ids: Iterable[str], after: Instant, until: Instant
) -> list[FactVersion]:
    found = await connections.read(
        "changed_between",
        group_ids=list(group_ids),
        after=bound_text(after),
        until=bound_text(until),
        open=OPEN,
    )
    return decoded(version_of, (row["version"] for row in found))


async def tombstones(connections: Connections, group_id: str, target_ids: Sequence[str] | None) -> list[Tombstone]:
    found = await connections.read("tombstones", group_id=group_id, target_ids=_once(target_ids))
    return decoded(tombstone_of, (row["tombstone"] for row in found))


async def _counted(connections: Connections, group_ids: Sequence[str]) -> list[GroupState]:
    found = await connections.read("group_counts", group_ids=list(group_ids), never=NEVER)
    return [
        GroupState(
            group_id=row["group_id"],
            tau=instant_of(row["tau"]),
            episodes=row["episodes"],
            entities=row["entities"],
            facts=row["facts"],
            versions=row["versions"],
            claims=row["claims"],
        )
        for row in found
    ]


def _once(ids: Sequence[str] | None) -> list[str] | None:
    if ids is None:
        return None
    refuse_nul(ids)
    return list(dict.fromkeys(ids))


def _pairs(scope: Scope, target: SearchTarget, keys: Iterable[ItemKey]) -> list[list[str]]:
    """(group, id) of these things, each once, without groups that the scope does not name."""
    wanted = dict.fromkeys(key for key in keys if key.target is target and key.group_id in scope.group_ids)
    refuse_nul(part for key in wanted for part in (key.group_id, key.item_id))
    return [[key.group_id, key.item_id] for key in wanted]
