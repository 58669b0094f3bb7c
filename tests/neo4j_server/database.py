"""What tests do to the database past the store."""

from __future__ import annotations

from graphmem.stores.neo4j_settings import neo4j_settings

__all__ = ["empty", "run"]

_EMPTY = (
    "MATCH (n:Entity|Episode|Fact|Claim|Retraction|Group|Job|Name|Commit|Tombstone|Relation) DETACH DELETE n",
    "MATCH (m:Meta {id: 'graphmem'}) SET m.seq = 0",
    "MATCH (m:Meta {id: 'vectors'}) DELETE m",
)


def empty(url: str) -> None:
    """Delete everything graphmem keeps in the database but its schema."""
    run(url, *_EMPTY)


def run(url: str, *statements: str) -> None:
    from neo4j import GraphDatabase  # an extra

    settings = neo4j_settings(url)
    auth = (settings.user, settings.password) if settings.password else None
    with GraphDatabase.driver(settings.url, auth=auth, notifications_min_severity="OFF") as driver:
        for statement in statements:
            driver.execute_query(statement, database_=settings.database)
