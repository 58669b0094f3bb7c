"""The queries that docs/neo4j.md shows are taken by the server and answer what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.memory import Memory
from graphmem.stores.neo4j_settings import neo4j_settings
from tests.clocks import day
from tests.documents import blocks_of

neo4j = pytest.importorskip("neo4j", reason="needs the neo4j extra")

PAGE = Path(__file__).parents[2] / "docs" / "neo4j.md"


@pytest.mark.neo4j
async def test_the_queries_of_the_page_find_alices_employers(neo4j_url: str) -> None:
    async with await Memory.open(neo4j_url) as memory:
        await memory.add_episode("I work at Acme.", speaker="Alice", said_at=day("2025-02-10"))
        await memory.add_episode("I joined Globex at the start of May.", speaker="Alice", said_at=day("2026-06-03"))
    settings = neo4j_settings(neo4j_url)
    auth = (settings.user, settings.password) if settings.password else None
    queries = [block.text for block in blocks_of(PAGE) if block.language == "cypher"]
    assert queries
    with neo4j.GraphDatabase.driver(settings.url, auth=auth, notifications_min_severity="OFF") as driver:
        found = [driver.execute_query(query).records for query in queries]
    assert [record["employer.name"] for record in found[0]] == ["Acme", "Acme", "Globex"]
    assert all(records for records in found)
