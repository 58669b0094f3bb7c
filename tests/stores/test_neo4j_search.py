"""Searching words on Neo4j where very many facts are equally good."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphmem.model import Entity, EntityKind, Fact
from graphmem.ports import SearchTarget, Store
from graphmem.resources import query
from graphmem.stores import open_store
from graphmem.stores.neo4j_rows import group_term, scope_values
from graphmem.stores.neo4j_settings import neo4j_settings
from graphmem.terms import terms
from tests.contract.build import GROUP, changes, scope, version

neo4j = pytest.importorskip("neo4j", reason="needs the neo4j extra")
pytestmark = pytest.mark.neo4j

FACTS = 300


async def filled(url: str) -> Store:
    """Facts of the same words, so that a search finds all equally good."""
    store = open_store(url)
    await store.ensure_schema()
    ends = [Entity(entity_id=i, group_id=GROUP, name=i, kind=EntityKind.THING, created_at=10) for i in ("e-1", "e-2")]
    facts = [
        Fact(fact_id=f"f-{n:03}", group_id=GROUP, subject="e-1", relation="LIKES", object="e-2", text="she likes tea")
        for n in reversed(range(FACTS))
    ]
    versions = tuple(version(f"v-{fact.fact_id}", fact, valid_at=5, created_at=10) for fact in facts)
    await store.commit([changes(10, entities=tuple(ends), facts=tuple(facts), versions=versions)])
    return store


async def test_equals_come_in_the_order_of_their_ids_however_many_there_are(neo4j_url: str) -> None:
    store = await filled(neo4j_url)

    hits = await store.search_text(SearchTarget.FACT, terms("tea"), scope(), limit=5)
    await store.close()

    assert [hit.item_id for hit in hits] == [f"f-{n:03}" for n in range(5)]


# All of them looked into, and sent, a word that most of 10,000 facts hold took two seconds.
async def test_of_equals_only_those_wanted_are_looked_into(neo4j_url: str) -> None:
    await (await filled(neo4j_url)).close()
    settings = neo4j_settings(neo4j_url)
    asked = {
        **scope_values(scope()),
        "query": f"+group_term:({group_term(GROUP)})^0 +terms:(tea)",
        "candidates": 2 * FACTS,
        "limit": 5,
    }
    auth = (settings.user, settings.password) if settings.password else None
    with neo4j.GraphDatabase.driver(settings.url, auth=auth, notifications_min_severity="OFF") as driver:
        found = driver.execute_query("PROFILE " + query("cypher", "search_facts"), input=asked)

    assert found.records[0]["candidates"] == FACTS
    assert 0 < sum(rows_of(found.summary.profile, "FACT(group_id, fact_id, expired_at)")) <= 5


def rows_of(plan: dict[str, object], index: str) -> Iterator[int]:
    """Rows that came out of the operators led by an index."""
    if index in plan["args"].get("Details", ""):  # type: ignore[attr-defined]
        yield plan["rows"]  # type: ignore[misc]
    for child in plan.get("children", []):  # type: ignore[attr-defined]
        yield from rows_of(child, index)
