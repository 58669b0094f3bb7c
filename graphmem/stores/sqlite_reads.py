"""Reading episodes, entities, facts, claims and versions, on one connection inside one snapshot."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from graphmem.model import Entity, Episode, Fact, FactVersion, Filter, Name, Scope, StoredClaim, Tombstone
from graphmem.ports import Edge, GroupState, ItemKey, SearchTarget, Telling, TimelineRead, Turn, WholeVersion
from graphmem.stores.promises import as_asked
from graphmem.stores.sqlite_commit import group_tau
from graphmem.stores.sqlite_rows import (
    claim_of,
    decoded,
    entity_of,
    episode_of,
    fact_of,
    filter_row,
    name_of,
    scope_row,
    support_of,
    tombstone_of,
    version_of,
)
from graphmem.stores.sqlite_search_cache import Snapshot
from graphmem.stores.sqlite_statements import listed, listed_or_none, rows
from graphmem.timeline.claims import FactKey
from graphmem.timeline.instants import MAX, MIN, Instant

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
    "support_at",
    "tombstones",
    "turns",
    "versions_in_scope",
    "versions_of",
    "whole_versions",
]

T = TypeVar("T")


def groups(connection: sqlite3.Connection) -> list[GroupState]:
    return [group(connection, row["group_id"]) for row in rows(connection, "all_groups")]


def group(connection: sqlite3.Connection, group_id: str) -> GroupState:
    [counts] = rows(connection, "group_counts", group_id=group_id)
    return GroupState(**dict(counts))


def episodes(connection: sqlite3.Connection, group_id: str, episode_ids: Sequence[str]) -> list[Episode]:
    found = rows(connection, "episodes", group_id=group_id, episode_ids=listed(episode_ids))
    return as_asked(episode_ids, decoded(episode_of, found), lambda episode: episode.episode_id)


def entities(connection: sqlite3.Connection, group_id: str, entity_ids: Sequence[str]) -> list[Entity]:
    found = rows(connection, "entities", group_id=group_id, entity_ids=listed(entity_ids))
    return as_asked(entity_ids, decoded(entity_of, found), lambda entity: entity.entity_id)


def facts(connection: sqlite3.Connection, group_id: str, fact_ids: Sequence[str]) -> list[Fact]:
    found = rows(connection, "facts", group_id=group_id, fact_ids=listed(fact_ids))
    return as_asked(fact_ids, decoded(fact_of, found), lambda fact: fact.fact_id)


def recent_episodes(
    connection: sqlite3.Connection,
    group_ids: Iterable[str],
    *,
    limit: int,
    before: Instant | None,
    known_at: Instant | None,
    wanted: Filter,
) -> list[Episode]:
    found = [
        row
        for group_id in group_ids
        for row in rows(
            connection,
            "recent_episodes",
            group_id=group_id,
            # One past MAX: an episode said at the end of time is before no given moment, but is recent.
            before=MAX + 1 if before is None else before,
            known_at=MAX if known_at is None else known_at,
            limit=limit,
            **filter_row(wanted),
        )
    ]
    newest = sorted(found, key=lambda row: (row["said_at"], row["seq"]))[-limit:] if limit else []
    return decoded(episode_of, newest)


def turns(connection: sqlite3.Connection, kept: Snapshot, scope: Scope, keys: Sequence[ItemKey]) -> dict[ItemKey, Turn]:
    known = kept.turns(scope)
    wanted = [key for key in keys if key.group_id in scope.group_ids]
    missing = [key for key in wanted if key not in known]
    if missing:
        for group_id, ids in _by_group(scope, SearchTarget.EPISODE, missing):
            found = rows(
                connection,
                "turns",
                group_id=group_id,
                episode_ids=listed(ids),
                known_at=scope.known_at,
                **filter_row(scope.filter),
            )
            for row, episode in zip(found, decoded(episode_of, found), strict=True):
                key = ItemKey(group_id, SearchTarget.EPISODE, episode.episode_id)
                known[key] = Turn.of(episode, row["before"], row["after"])
    return {key: known[key] for key in wanted if key in known}


def entities_named(connection: sqlite3.Connection, group_ids: Sequence[str], keys: Sequence[str]) -> list[Name]:
    return decoded(name_of, rows(connection, "entities_named", group_ids=listed(group_ids), keys=listed(keys)))


def names_of(connection: sqlite3.Connection, group_id: str, entity_ids: Sequence[str]) -> list[Name]:
    return decoded(name_of, rows(connection, "names_of", group_id=group_id, entity_ids=listed(entity_ids)))


def list_names(connection: sqlite3.Connection, group_ids: Sequence[str], limit: int) -> list[Name]:
    return decoded(name_of, rows(connection, "list_names", group_ids=listed(group_ids), limit=limit))


def mentions_of(connection: sqlite3.Connection, group_id: str, entity_ids: Sequence[str]) -> list[tuple[str, str]]:
    found = rows(connection, "mentions_of", group_id=group_id, entity_ids=listed(entity_ids))
    return [(row["episode_id"], row["entity_id"]) for row in found]


def read_timelines(
    connection: sqlite3.Connection,
    group_id: str,
    *,
    facts: Sequence[FactKey],
    subjects: Sequence[tuple[str, str]],
    objects: Sequence[tuple[str, str]],
) -> TimelineRead:
    claims = rows(
        connection,
        "timeline_claims",
        group_id=group_id,
        facts=listed((key.subject, key.relation, key.object) for key in facts),
        subjects=listed(subjects),
        objects=listed(objects),
    )
    fact_ids = listed(dict.fromkeys(row["fact_id"] for row in claims))
    versions = rows(connection, "open_versions", group_id=group_id, fact_ids=fact_ids)
    version_ids = listed(row["version_id"] for row in versions)
    support = rows(connection, "open_support_of", group_id=group_id, version_ids=version_ids)
    return TimelineRead(
        tau=group_tau(connection, group_id),
        claims=decoded(claim_of, claims),
        versions=decoded(version_of, versions),
        support=decoded(support_of, support),
    )


def claims(
    connection: sqlite3.Connection,
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
    found = rows(
        connection,
        statement,
        group_id=group_id,
        claim_ids=listed_or_none(claim_ids),
        episode_ids=listed_or_none(episode_ids),
        fact_ids=listed_or_none(fact_ids),
        entity_ids=listed_or_none(entity_ids),
        relation=relation,
    )
    return decoded(claim_of, found)


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
            return "versions_by_object" if self.relations is None else "versions_by_object_relation"
        return "versions_by_group" if self.touching is None else "versions_touching"


def versions_in_scope(
    connection: sqlite3.Connection, scope: Scope, selection: Selection, limit: int | None
) -> list[FactVersion]:
    found = [
        row
        for group_id in dict.fromkeys(scope.group_ids)
        for row in rows(
            connection,
            selection.statement,
            group_id=group_id,
            subjects=listed_or_none(selection.subjects),
            relations=listed_or_none(selection.relations),
            objects=listed_or_none(selection.objects),
            touching=listed_or_none(selection.touching),
            fact_ids=listed_or_none(selection.fact_ids),
            limit=-1 if limit is None else limit,
            **scope_row(scope),
        )
    ]
    versions = decoded(version_of, found)
    if len(scope.group_ids) > 1:
        versions.sort(key=_order_in_scope)
    return versions[:limit]


def whole_versions(
    connection: sqlite3.Connection, scope: Scope, selection: Selection, limit: int | None
) -> list[WholeVersion]:
    versions = versions_in_scope(connection, scope, selection, limit)
    by_group: defaultdict[str, list[FactVersion]] = defaultdict(list)
    for version in versions:
        by_group[version.group_id].append(version)
    told = {group_id: _Told.of(connection, group_id, members, scope.known_at) for group_id, members in by_group.items()}
    return [told[version.group_id].whole(version) for version in versions]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Told:
    """What some versions of a group are about, and what supports them."""

    facts: Mapping[str, Fact]
    entities: Mapping[str, Entity]
    support: Mapping[str, Sequence[Telling]]

    @classmethod
    def of(
        cls, connection: sqlite3.Connection, group_id: str, versions: Sequence[FactVersion], known_at: Instant
    ) -> _Told:
        ends = [end for version in versions for end in (version.subject, version.object)]
        ids = listed(version.version_id for version in versions)
        support: defaultdict[str, list[Telling]] = defaultdict(list)
        for row in rows(connection, "support_times", group_id=group_id, version_ids=ids, known_at=known_at):
            support[row["version_id"]].append(Telling(row["ref"], row["episode_id"], row["told_by"]))
        return cls(
            facts={fact.fact_id: fact for fact in facts(connection, group_id, [v.fact_id for v in versions])},
            entities={entity.entity_id: entity for entity in entities(connection, group_id, ends)},
            support=support,
        )

    def whole(self, version: FactVersion) -> WholeVersion:
        return WholeVersion(
            version=version,
            fact=self.facts[version.fact_id],
            subject=self.entities[version.subject],
            object=self.entities[version.object],
            support=tuple(self.support.get(version.version_id, ())),
        )


def edges_of(connection: sqlite3.Connection, scope: Scope, keys: Sequence[ItemKey]) -> list[Edge]:
    values = scope_row(scope)
    return [
        edge
        for group_id, ids in _by_group(scope, SearchTarget.FACT, keys)
        for edge in _edges(rows(connection, "edges_by_fact", group_id=group_id, fact_ids=listed(ids), **values))
    ]


def edges_around(
    connection: sqlite3.Connection,
    scope: Scope,
    keys: Sequence[ItemKey],
    *,
    limit: int,
    enough: int,
    with_episodes: bool,
) -> tuple[list[Edge], list[Edge]]:
    values = {**scope_row(scope), "limit": limit, "with_episodes": with_episodes}

    def touching(wanted: Iterable[tuple[str, Iterable[str]]]) -> list[Edge]:
        return [
            edge
            for group_id, ids in wanted
            for edge in _edges(rows(connection, "edges_touching", group_id=group_id, touching=listed(ids), **values))
        ]

    begin = _by_group(scope, SearchTarget.ENTITY, keys)
    first = touching(begin)
    if len({(edge.group_id, edge.fact_id) for edge in first}) >= enough:
        return first, []
    ends: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for edge in first:
        ends[edge.group_id].update({edge.subject: None, edge.object: None})
    begun = {group_id: set(ids) for group_id, ids in begin}
    beyond = [(group_id, [end for end in met if end not in begun[group_id]]) for group_id, met in ends.items()]
    return first, touching([(group_id, met) for group_id, met in beyond if met])


def _edges(found: Iterable[sqlite3.Row]) -> list[Edge]:
    of_list = cache(lambda listed: tuple(sorted(json.loads(listed))))  # an episode states several facts
    return [
        Edge(group_id, fact_id, subject, obj, text, of_list(episode_ids))
        for group_id, fact_id, subject, obj, text, episode_ids in found
    ]


def _by_group(scope: Scope, target: SearchTarget, keys: Iterable[ItemKey]) -> list[tuple[str, list[str]]]:
    """The ids of these things by group, in order of the groups, without groups that the scope does not name."""
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        if key.target is target and key.group_id in scope.group_ids:
            ids[key.group_id].append(key.item_id)
    return sorted(ids.items())


def versions_of(connection: sqlite3.Connection, group_id: str, fact_ids: Sequence[str]) -> list[FactVersion]:
    return decoded(version_of, rows(connection, "versions_of", group_id=group_id, fact_ids=listed(fact_ids)))


def support_at(
    connection: sqlite3.Connection, group_id: str, version_ids: Sequence[str], known_at: Instant
) -> list[tuple[str, StoredClaim]]:
    ids = listed(dict.fromkeys(version_ids))
    found = rows(connection, "support_of", group_id=group_id, version_ids=ids, known_at=known_at)
    return list(zip((row["version_id"] for row in found), decoded(claim_of, found), strict=True))


def changed_between(
    connection: sqlite3.Connection, group_ids: Iterable[str], after: Instant, until: Instant
) -> list[FactVersion]:
    found = [
        row
        for group_id in group_ids
        for row in rows(connection, "changed_between", group_id=group_id, after=after, until=until)
    ]
    return decoded(version_of, sorted(found, key=lambda row: (row["changed_at"], row["version_id"])))


def tombstones(connection: sqlite3.Connection, group_id: str, target_ids: Sequence[str] | None) -> list[Tombstone]:
    found = rows(connection, "tombstones", group_id=group_id, target_ids=listed_or_none(target_ids))
    return decoded(tombstone_of, found)


def _order_in_scope(version: FactVersion) -> tuple[Instant, str, str, str, Instant, str]:
    valid_at = MIN - 1 if version.valid_at is None else version.valid_at
    return (valid_at, version.relation, version.subject, version.object, version.created_at, version.version_id)
