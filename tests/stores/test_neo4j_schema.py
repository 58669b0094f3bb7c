"""The schema on a server: made once, by many at a time, and looked at before anything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from graphmem.errors import SchemaMismatch, SchemaTooNew
from graphmem.stores import open_store
from tests.contract.build import GROUP, episode, told
from tests.neo4j_server.database import run

pytest.importorskip("neo4j", reason="needs the neo4j extra")

from graphmem.stores import neo4j_schema
from graphmem.stores.neo4j import Neo4jStore, open_neo4j

pytestmark = pytest.mark.neo4j

INDEX = "graphmem_version_fact"
MADE = "CREATE INDEX graphmem_version_fact IF NOT EXISTS FOR ()-[n:FACT]-() ON (n.group_id, n.fact_id, n.expired_at)"


@pytest.fixture
async def store(neo4j_url: str) -> AsyncIterator[Neo4jStore]:
    opened = open_neo4j(neo4j_url)
    await opened.ensure_schema()
    yield opened
    await opened.close()
    run(neo4j_url, f"DROP INDEX {INDEX} IF EXISTS", "DROP INDEX another IF EXISTS", MADE, "CALL db.awaitIndexes(60)")


async def first_call(url: str) -> None:
    """A call on a store that was only just opened."""
    later = open_neo4j(url)
    try:
        await later.groups()
    finally:
        await later.close()


async def test_many_processes_may_make_the_schema_at_once(store: Neo4jStore, neo4j_url: str) -> None:
    run(neo4j_url, "MATCH (m:Meta) DELETE m", f"DROP INDEX {INDEX}", "DROP INDEX graphmem_fact_text")
    stores = [open_neo4j(neo4j_url) for _ in range(4)]

    await asyncio.gather(*(s.ensure_schema() for s in stores))

    secrets = {await s.secret() for s in stores}
    [acceptance] = await stores[0].accept([episode("ep-1")], 1)
    assert len(secrets) == 1
    assert acceptance.job is not None
    assert acceptance.job.seq == 1
    for opened in stores:
        await opened.close()


async def test_a_missing_index_is_named_and_made_again(store: Neo4jStore, neo4j_url: str) -> None:
    run(neo4j_url, f"DROP INDEX {INDEX}")

    with pytest.raises(SchemaMismatch, match=INDEX):
        await first_call(neo4j_url)

    await store.ensure_schema()
    await first_call(neo4j_url)


async def test_an_index_of_another_kind_under_our_name_is_refused(store: Neo4jStore, neo4j_url: str) -> None:
    run(neo4j_url, f"DROP INDEX {INDEX}", f"CREATE INDEX {INDEX} FOR ()-[n:FACT]-() ON (n.group_id, n.fact_id)")

    with pytest.raises(SchemaMismatch, match=f"DROP INDEX {INDEX}"):
        await first_call(neo4j_url)
    with pytest.raises(SchemaMismatch, match=f"DROP INDEX {INDEX}"):
        await store.ensure_schema()


async def test_an_index_that_stands_in_the_way_of_ours_is_noticed(store: Neo4jStore, neo4j_url: str) -> None:
    # "IF NOT EXISTS" is satisfied with an index of another name on the same properties, and makes none.
    run(neo4j_url, f"DROP INDEX {INDEX}", MADE.replace(INDEX, "another"))

    with pytest.raises(SchemaMismatch, match=INDEX):
        await store.ensure_schema()


async def test_a_database_without_the_schema_says_how_to_make_it(store: Neo4jStore, neo4j_url: str) -> None:
    run(neo4j_url, "MATCH (m:Meta {id: 'graphmem'}) SET m:Hidden REMOVE m:Meta")
    try:
        with pytest.raises(SchemaMismatch, match="ensure_schema"):
            await first_call(neo4j_url)
    finally:
        run(neo4j_url, "MATCH (m:Hidden) SET m:Meta REMOVE m:Hidden")


async def test_the_nodes_of_another_program_are_left_alone(store: Neo4jStore, neo4j_url: str) -> None:
    run(neo4j_url, "MATCH (m:Meta) DELETE m", "CREATE (:Entity {uuid: 'theirs'})")
    theirs = open_store(neo4j_url)

    with pytest.raises(SchemaMismatch, match="Entity"):
        await theirs.ensure_schema()

    await theirs.close()
    run(neo4j_url, "MATCH (n:Entity) DELETE n")
    await store.ensure_schema()


async def test_a_database_of_the_schema_before_is_migrated_and_its_claims_stay(
    store: Neo4jStore, neo4j_url: str
) -> None:
    said = told(1, tau=10)
    await store.accept([said.episode], 1)
    await store.commit([said.changes])
    run(neo4j_url, "MATCH (m:Meta {id: 'graphmem'}) SET m.schema = 1", "MATCH (c:Claim) REMOVE c.told_by")

    with pytest.raises(SchemaMismatch, match="ensure_schema"):
        await first_call(neo4j_url)
    await store.ensure_schema()

    later = open_neo4j(neo4j_url)
    assert [(c.claim.claim_id, c.told_by) for c in await later.claims(GROUP)] == [("c-1", None)]
    assert await later.verify() == []
    await later.close()


async def test_a_newer_schema_is_left_alone(store: Neo4jStore, neo4j_url: str) -> None:
    run(neo4j_url, "MATCH (m:Meta {id: 'graphmem'}) SET m.schema = 99")
    try:
        with pytest.raises(SchemaTooNew, match="upgrade graphmem"):
            await store.ensure_schema()
        with pytest.raises(SchemaTooNew):
            await first_call(neo4j_url)
    finally:
        run(neo4j_url, f"MATCH (m:Meta {{id: 'graphmem'}}) SET m.schema = {len(neo4j_schema.MIGRATIONS)}")


async def test_a_server_that_is_too_old_is_told_so(
    store: Neo4jStore, neo4j_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_schema, "OLDEST", (9999, 1))

    with pytest.raises(SchemaMismatch, match=r"needs 9999\.1 or newer"):
        await first_call(neo4j_url)
