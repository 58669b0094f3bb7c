"""Searching vectors on Neo4j where the index is asked: what it finds is what comparing all of them finds."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pytest

from graphmem.model import Entity, EntityKind, Fact
from graphmem.ports import Floats, ItemKey, ItemVector, SearchTarget, Store
from graphmem.resources import query
from graphmem.stores import neo4j_vectors, open_store
from graphmem.stores.neo4j_rows import scope_values
from graphmem.stores.neo4j_settings import neo4j_settings
from tests.contract.build import GROUP, changes, episode, scope, version
from tests.stores.drawn import MODEL, drawn
from tests.stores.test_neo4j_search import rows_of

neo4j = pytest.importorskip("neo4j", reason="needs the neo4j extra")
pytestmark = pytest.mark.neo4j

LIMIT = 10
OLD, NEW = 200, 3_800
"""One in twenty was learned early: the tenth of them is about the two hundredth of all."""
FACTS = 60


@pytest.fixture
async def store(neo4j_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    for name in ("EXACT_UP_TO", "EXACT_UP_TO_5"):
        monkeypatch.setattr(neo4j_vectors, name, 0)
    opened = open_store(neo4j_url)
    await opened.ensure_schema()
    await opened.start_vectors(MODEL)
    yield opened
    await opened.close()


def item(item_id: str, vector: Floats, target: SearchTarget = SearchTarget.EPISODE) -> ItemVector:
    return ItemVector(key=ItemKey(group_id=GROUP, target=target, item_id=item_id), vector=vector)


async def test_the_nearest_of_few_visible_ones_among_many_are_found(store: Store) -> None:
    vectors = drawn(OLD + NEW, 1)
    ids = [f"ep-{number}" for number in range(OLD + NEW)]
    await store.accept([episode(i, "amber") for i in ids[:OLD]], 1)
    await store.accept([episode(i, "amber", learned_at=9) for i in ids[OLD:]], 1)
    await store.put_vectors(MODEL, [item(i, vector) for i, vector in zip(ids, vectors, strict=True)])

    met, questions = 0, drawn(20, 2)
    for question in questions:
        hits = await store.search_vector(SearchTarget.EPISODE, question, scope(known_at=5), limit=LIMIT)
        nearest = np.argsort(-(vectors[:OLD] @ question), kind="stable")[:LIMIT].tolist()
        met += len({hit.item_id for hit in hits} & {f"ep-{number}" for number in nearest})

    assert met / (LIMIT * len(questions)) >= 0.98


# The index holds no vector of zeros, whose cosine to any other is 0.
async def test_a_vector_of_zeros_is_nearer_than_one_that_points_away(store: Store) -> None:
    ids = [f"ep-{number}" for number in range(LIMIT + 5)]
    away = -np.abs(drawn(len(ids), 3))
    away[7] = 0
    await store.accept([episode(i, "amber") for i in ids], 1)
    await store.put_vectors(MODEL, [item(i, vector) for i, vector in zip(ids, away, strict=True)])

    hits = await store.search_vector(SearchTarget.EPISODE, np.ones(MODEL.dimension, np.float32), scope(), limit=3)

    assert (hits[0].item_id, hits[0].score) == ("ep-7", 0)
    assert [hit.item_id for hit in hits[1:]] == [ids[n] for n in np.argsort(-away.sum(axis=1), kind="stable")[1:3]]


# All candidates looked into, and sent, were half of the time of a search.
async def test_of_the_candidates_only_those_wanted_are_looked_into(store: Store, neo4j_url: str) -> None:
    ends = [Entity(entity_id=i, group_id=GROUP, name=i, kind=EntityKind.THING, created_at=10) for i in ("e-1", "e-2")]
    facts = [
        Fact(fact_id=f"f-{n}", group_id=GROUP, subject="e-1", relation="LIKES", object="e-2", text="she likes tea")
        for n in range(FACTS)
    ]
    versions = tuple(version(f"v-{fact.fact_id}", fact, valid_at=5, created_at=10) for fact in facts)
    await store.commit([changes(10, entities=tuple(ends), facts=tuple(facts), versions=versions)])
    vectors = drawn(FACTS, 4)
    given = [item(fact.fact_id, vector, SearchTarget.FACT) for fact, vector in zip(facts, vectors, strict=True)]
    await store.put_vectors(MODEL, given)

    settings = neo4j_settings(neo4j_url)
    auth = (settings.user, settings.password) if settings.password else None
    asked = {**scope_values(scope()), "vector": vectors[0].tolist(), "candidates": FACTS, "limit": 5}
    with neo4j.GraphDatabase.driver(settings.url, auth=auth, notifications_min_severity="OFF") as driver:
        is_old = driver.execute_query(query("cypher", "server_version")).records[0]["version"].startswith("5.")
        for name in ("nearest_facts_5" if is_old else "nearest_facts", "scan_facts"):
            found = driver.execute_query(profiled(query("cypher", name)), input=asked)

            assert found.records[0]["hits"][0]["item_id"] == "f-0"
            assert 0 < sum(rows_of(found.summary.profile, "FACT(group_id, fact_id, expired_at)")) <= 5


def profiled(statement: str) -> str:
    """`PROFILE` stands behind the name of the language, if there is one."""
    head, language, body = statement.rpartition("CYPHER 25\n")
    return f"{head}{language}PROFILE {body}"
