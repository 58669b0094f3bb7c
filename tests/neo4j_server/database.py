"""What tests do to the database past the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphmem.stores.neo4j_settings import neo4j_settings

if TYPE_CHECKING:
    from neo4j import Driver

__all__ = ["connected", "empty", "empty_by", "run"]

_EMPTY = (
    "MATCH (n:Entity|Episode|Fact|Claim|Retraction|Group|Job|Name|Commit|Tombstone|Relation) DETACH DELETE n",
    "MATCH (m:Meta {id: 'graphmem'}) SET m.seq = 0",
    "MATCH (m:Meta {id: 'vectors'}) DELETE m",
)


def empty(url: str) -> None:
    """Delete everything graphmem keeps in the database but its schema."""
    with connected(url) as driver:
        empty_by(driver, url)


def empty_by(driver: Driver, url: str) -> None:
    """The same by a connection that is there."""
    for statement in _EMPTY:
        driver.execute_query(statement, database_=neo4j_settings(url).database)


def run(url: str, *statements: str) -> None:
    with connected(url) as driver:
        for statement in statements:
            driver.execute_query(statement, database_=neo4j_settings(url).database)


@contextmanager
def connected(url: str) -> Iterator[Driver]:
    from neo4j import GraphDatabase  # an extra

    settings = neo4j_settings(url)
    auth = (settings.user, settings.password) if settings.password else None
    with GraphDatabase.driver(settings.url, auth=auth, notifications_min_severity="OFF") as driver:
        yield driver
