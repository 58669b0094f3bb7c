"""The content of a SQLite store, read in the order that `Store.digest` hashes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import TypeVar

from graphmem.resources import query
from graphmem.stores.content_digest import Content, content_digest
from graphmem.stores.sqlite_rows import (
    claim_of,
    decoded,
    entity_of,
    episode_of,
    fact_of,
    job_of,
    name_of,
    relation_of,
    support_of,
    tombstone_of,
    version_of,
)

__all__ = ["digest"]

T = TypeVar("T")


def digest(connection: sqlite3.Connection) -> str:
    def each(statement: str, make: Callable[[sqlite3.Row], T]) -> Iterator[T]:
        for row in connection.execute(query("sql", statement)):
            yield from decoded(make, [row])

    return content_digest(
        Content(
            relations=each("relations", relation_of),
            receipts=each("all_tx", lambda row: (row["group_id"], row["tau"], row["kind"], row["note"])),
            taus=each("all_taus", lambda row: (row["group_id"], row["tau"])),
            episodes=each("all_episodes", episode_of),
            jobs=each("all_jobs", job_of),
            entities=each("all_entities", entity_of),
            names=each("all_names", name_of),
            mentions=each("all_mentions", lambda row: (row["group_id"], row["entity_id"], row["episode_id"])),
            facts=each("all_facts", fact_of),
            claims=each("all_claims", claim_of),
            retractions=each(
                "all_retractions", lambda row: (row["group_id"], row["retraction_id"], row["tau"], row["reason"])
            ),
            withdrawals=each("all_withdrawals", lambda row: (row["group_id"], row["retraction_id"], row["claim_id"])),
            versions=each("all_versions", version_of),
            support=each("all_support", lambda row: (row["group_id"], support_of(row))),
            tombstones=each("all_tombstones", tombstone_of),
        )
    )
