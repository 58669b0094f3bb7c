"""Fixtures of the tests marked `neo4j`: one server for the session, an empty store for each test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import pytest

from tests.neo4j_server.database import connected, empty_by
from tests.neo4j_server.find import NoServer, running_server

__all__ = ["emptied", "neo4j_server", "neo4j_url"]

_REQUIRED = "GRAPHMEM_TEST_NEO4J_REQUIRED"


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[str]:
    """The URL of a running server; the tests that need one are skipped, with the reason, where none can be had."""
    if find_spec("neo4j") is None and not os.environ.get(_REQUIRED):
        pytest.skip("needs the neo4j extra")
    try:
        with running_server() as url:
            yield url
    except NoServer as error:
        if os.environ.get(_REQUIRED):
            raise
        pytest.skip(f"no Neo4j server: {error}")


@pytest.fixture(scope="session")
def emptied(neo4j_server: str) -> Iterator[Callable[[], None]]:
    """Empties the database, over one connection for all tests."""
    with connected(neo4j_server) as driver:
        yield lambda: empty_by(driver, neo4j_server)


@pytest.fixture
def neo4j_url(neo4j_server: str, emptied: Callable[[], None]) -> str:
    """The URL of a server whose database holds nothing of graphmem's but, maybe, its schema."""
    emptied()
    return neo4j_server
