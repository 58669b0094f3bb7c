"""The content of a Neo4j store, read in the order that `Store.digest` hashes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from neo4j import Record

from graphmem.model import Support, Tombstone
from graphmem.stores.content_digest import Content, content_digest
from graphmem.stores.neo4j_connections import Connections
from graphmem.stores.neo4j_pages import pages
from graphmem.stores.neo4j_reads import tombstones
from graphmem.stores.neo4j_records import receipt_of, rests_of, retraction_of
from graphmem.stores.neo4j_rows import (
    claim_of,
    decoded,
    entity_of,
    episode_of,
    fact_of,
    job_of,
    name_of,
    relation_of,
    version_of,
)
from graphmem.stores.neo4j_times import instant_of
from graphmem.timeline.instants import MIN, Instant

__all__ = ["digest"]

T = TypeVar("T")


async def digest(connections: Connections) -> str:
    known = await connections.read("all_taus")
    groups = [str(row["group_id"]) for row in known]
    taus = [(str(row["group_id"]), instant_of(row["tau"])) for row in known]

    async def each(name: str, make: Callable[[str, Record], Sequence[T]], after: str | int = "") -> list[T]:
        return [
            item
            for group_id in groups
            async for row in pages(connections, name, group_id, after=after)
            for item in make(group_id, row)
        ]

    return content_digest(
        Content(
            relations=decoded(relation_of, (row["relation"] for row in await connections.read("relations"))),
            receipts=await each("receipts", _receipt),
            taus=[pair for pair in taus if pair[1] > MIN],
            episodes=await each("episodes", lambda _, row: decoded(episode_of, [row["item"]]), 0),
            jobs=await each("episodes", lambda _, row: decoded(job_of, [row["job"]]), 0),
            entities=await each("entities", lambda _, row: decoded(entity_of, [row["item"]])),
            names=await each("names", lambda _, row: decoded(name_of, row["items"])),
            mentions=await each("mentions", lambda group, row: [(group, row["key"], i) for i in row["items"]]),
            facts=await each("facts", lambda _, row: decoded(fact_of, [row["item"]])),
            claims=await each("claims", lambda _, row: decoded(claim_of, [row["item"]])),
            retractions=await each("retractions", _retraction),
            withdrawals=await each(
                "retractions", lambda group, row: [(group, row["key"], c) for c in row["claim_ids"]]
            ),
            versions=await each("versions", lambda _, row: decoded(version_of, [row["item"]])),
            support=await each("support", _support),
            tombstones=[stone for group_id in groups for stone in await _tombstones(connections, group_id)],
        )
    )


def _receipt(group_id: str, row: Record) -> list[tuple[str, Instant, str, str]]:
    receipt = receipt_of(row)
    return [(group_id, receipt.tau, receipt.kind, receipt.note)]


def _retraction(group_id: str, row: Record) -> list[tuple[str, str, Instant, str]]:
    retraction = retraction_of(group_id, row)
    return [(group_id, retraction.retraction_id, retraction.tau, retraction.reason)]


def _support(group_id: str, row: Record) -> list[tuple[str, Support]]:
    return [(group_id, link) for link in rests_of(row).links]


async def _tombstones(connections: Connections, group_id: str) -> list[Tombstone]:
    found = await tombstones(connections, group_id, None)
    return sorted(found, key=lambda stone: (stone.kind, stone.target_id))
