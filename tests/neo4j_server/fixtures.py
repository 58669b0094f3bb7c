"""Fixtures of the tests marked `neo4j`: one server for the session, an empty store for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.neo4j_server.find import NoServer, running_server

__all__ = ["neo4j_server", "neo4j_url"]

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


@pytest.fixture
def neo4j_url(neo4j_server: str) -> str:
    """The URL of a server whose database holds nothing of graphmem's but, maybe, its schema."""
    # Imported late: this file is read for every test, the driver is an extra.
    from tests.neo4j_server.database import empty

    empty(neo4j_server)
    return neo4j_server
