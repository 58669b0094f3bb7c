"""Looking for what is wrong in a Neo4j store, naming ids and no content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Hashable, Iterable, Iterator

from graphmem.model import FactVersion
from graphmem.relations import builtin_relations
from graphmem.stores.neo4j_connections import Connections
from graphmem.stores.neo4j_pages import pages
from graphmem.stores.neo4j_rows import decoded, entity_of, episode_of, fact_of, name_of, relation_of, version_of
from graphmem.stores.neo4j_times import OPEN
from graphmem.stores.search_text import entity_terms, episode_terms, fact_terms
from graphmem.timeline.claims import Relation, Rivalry
from graphmem.timeline.instants import MAX

__all__ = ["wrongs"]

_REFERENCES = {
    "verify_facts": "fact {id!r} lacks an entity at one of its ends",
    "verify_versions": "version {id!r} has other ends than its fact",
    "verify_claims": "claim {id!r} has other ends than its fact, or lacks its episode",
    "verify_support": "version {id!r} is believed and rests on no claim",
    "verify_jobs": "episode {id!r} has no job",
}


async def wrongs(connections: Connections) -> list[str]:
    declared = decoded(relation_of, (row["relation"] for row in await connections.read("relations")))
    relations = {**builtin_relations(), **{relation.name: relation for relation in declared}}
    return [
        f"group {row['group_id']!r}: {sentence}"
        for row in await connections.read("all_groups")
        async for sentence in _of_group(connections, row["group_id"], relations)
    ]


async def _of_group(connections: Connections, group_id: str, relations: dict[str, Relation]) -> AsyncIterator[str]:
    for statement, sentence in _REFERENCES.items():
        parameters = {"open": OPEN} if statement == "verify_support" else {}
        for row in await connections.read(statement, group_id=group_id, **parameters):
            yield sentence.format(id=row["id"])
    believed = [
        version
        async for row in pages(connections, "versions", group_id)
        for version in decoded(version_of, [row["item"]])
        if version.expired_at == MAX and version.valid_at is not None
    ]
    for sentence in (*_one_fact_overlaps(believed), *_rivals_overlap(believed, relations)):
        yield sentence
    async for sentence in _wrong_texts(connections, group_id):
        yield sentence


def _one_fact_overlaps(believed: Iterable[FactVersion]) -> Iterator[str]:
    for first, second in _overlaps((version.fact_id, version) for version in believed):
        yield f"versions {first!r} and {second!r} of one fact overlap"


def _rivals_overlap(believed: Iterable[FactVersion], relations: dict[str, Relation]) -> Iterator[str]:
    seats = ((seat, version) for version in believed for seat in _seats(version, relations.get(version.relation)))
    for first, second in _overlaps(seats):
        yield f"versions {first!r} and {second!r} exclude one another and overlap"


def _seats(version: FactVersion, relation: Relation | None) -> Iterator[Hashable]:
    """Where only one version may be at a time; either end of a symmetric relation is the same kind of seat."""
    if relation is None or relation.rivalry is Rivalry.NONE:
        return
    if relation.symmetric:
        yield from {(version.relation, version.subject), (version.relation, version.object)}
        return
    yield version.relation, "subject", version.subject
    if relation.rivalry is Rivalry.BOTH:
        yield version.relation, "object", version.object


def _overlaps(seated: Iterable[tuple[Hashable, FactVersion]]) -> Iterator[tuple[str, str]]:
    """Pairs of version ids that overlap in one seat, neighbours in time only."""
    by_seat: defaultdict[Hashable, list[FactVersion]] = defaultdict(list)
    for seat, version in seated:
        by_seat[seat].append(version)
    for versions in by_seat.values():
        versions.sort(key=lambda version: (version.valid_at, version.version_id))
        last = versions[0]
        for version in versions[1:]:
            if version.valid_at is not None and version.valid_at < last.invalid_at:
                first, second = sorted((last.version_id, version.version_id))
                yield first, second
            last = max(last, version, key=lambda one: one.invalid_at)


async def _wrong_texts(connections: Connections, group_id: str) -> AsyncIterator[str]:
    async for row in pages(connections, "facts", group_id):
        [fact] = decoded(fact_of, [row["item"]])
        if row["item"].get("terms") != fact_terms(fact):
            yield f"fact {fact.fact_id!r} is not indexed as it stands"
    async for row in pages(connections, "episodes", group_id, after=0):
        [episode] = decoded(episode_of, [row["item"]])
        if row["item"].get("terms") != episode_terms(episode):
            yield f"episode {episode.episode_id!r} is not indexed as it stands"
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    async for row in pages(connections, "names", group_id):
        for name in decoded(name_of, row["items"]):
            spellings[name.entity_id].append(name.spelling)
    async for row in pages(connections, "entities", group_id):
        [entity] = decoded(entity_of, [row["item"]])
        if row["item"].get("terms") != entity_terms(entity.name, spellings[entity.entity_id]):
            yield f"entity {entity.entity_id!r} is not indexed as it is called"
