"""The store under test: every test of this folder runs on every backend."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graphmem.ports import Store
from graphmem.stores import open_store

BACKENDS = ("sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j))


@pytest.fixture(params=BACKENDS)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store of the backend."""
    if request.param == "neo4j":
        return str(request.getfixturevalue("neo4j_url"))
    return f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    opened = open_store(store_url)
    await opened.ensure_schema()
    yield opened
    await opened.close()
