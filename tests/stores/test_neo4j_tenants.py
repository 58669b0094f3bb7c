"""What an attacker or a crowd in another group could do on a graph server only: edges planted by hand, a shared vector index."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pytest

from graphmem.ports import Floats, ItemKey, ItemVector, SearchTarget, Store
from graphmem.retrieve.neighbourhood import Node, walked
from graphmem.stores import neo4j_vectors, open_store
from graphmem.timeline.instants import MIN
from tests.contract.build import episode, scope, told
from tests.neo4j_server.database import run
from tests.stores.drawn import MODEL, drawn

pytestmark = pytest.mark.neo4j

LARGE, SMALL = 600, 20
LIMIT = 10


@pytest.fixture
async def store(neo4j_url: str) -> AsyncIterator[Store]:
    opened = open_store(neo4j_url)
    await opened.ensure_schema()
    yield opened
    await opened.close()


@pytest.mark.parametrize("claimed_group", ["a", "b"])
async def test_an_edge_planted_into_another_group_is_not_walked_to_its_facts(
    store: Store, neo4j_url: str, claimed_group: str
) -> None:
    for group_id, subject, employer in (("a", "Tom", "Acme"), ("b", "Alice", "CANARY")):
        one = told(1, subject, obj=employer, group_id=group_id, tau=1, based_on=MIN)
        await store.accept([one.episode], 1)
        await store.commit([one.changes])
    run(
        neo4j_url,
        "MATCH (tom:Entity {group_id: 'a', name: 'Tom'}), (alice:Entity {group_id: 'b', name: 'Alice'}), ()-[v:FACT]->() "
        "WHERE v.group_id = 'b' CREATE (tom)-[planted:FACT]->(alice) "
        f"SET planted = v {{.*, version_id: 'planted', group_id: '{claimed_group}', subject: tom.id, object: alice.id}}",
    )

    around = await walked(store, scope("a"), {Node("a", "e-Tom"): 1.0})
    ends = [end.entity_id for near in around.facts.values() for end in (near.subject, near.object)]

    assert {key.group_id for key in around.facts} == {"a"}
    assert "CANARY" not in repr([around, await store.entities("a", ends)])


async def fill(store: Store, group_id: str, vectors: Floats) -> None:
    ids = [f"ep-{number}" for number in range(len(vectors))]
    await store.accept([episode(i, "amber", group_id=group_id) for i in ids], 1)
    keys = [ItemKey(group_id=group_id, target=SearchTarget.EPISODE, item_id=i) for i in ids]
    await store.put_vectors(MODEL, [ItemVector(key=key, vector=v) for key, v in zip(keys, vectors, strict=True)])


async def recall(store: Store, group_id: str, vectors: Floats, questions: Floats) -> float:
    """The share of the nearest that a search finds."""
    met = 0
    for question in questions:
        hits = await store.search_vector(SearchTarget.EPISODE, question, scope(group_id), limit=LIMIT)
        assert {hit.group_id for hit in hits} == {group_id}
        nearest = np.argsort(-(vectors @ question), kind="stable")[:LIMIT].tolist()
        met += len({hit.item_id for hit in hits} & {f"ep-{number}" for number in nearest})
    return met / (LIMIT * len(questions))


async def test_a_large_group_and_a_small_one_each_find_their_own_nearest_in_the_shared_index(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("EXACT_UP_TO", "EXACT_UP_TO_5"):
        monkeypatch.setattr(neo4j_vectors, name, SMALL)
    await store.start_vectors(MODEL)
    large, small = drawn(LARGE, 1), drawn(SMALL, 2)
    await fill(store, "large", large)
    await fill(store, "small", small)

    assert await recall(store, "large", large, drawn(20, 3)) >= 0.98
    assert await recall(store, "small", small, drawn(20, 4)) == 1.0
