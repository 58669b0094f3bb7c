"""Making a store ready, its settings, and closing it."""

from __future__ import annotations

import asyncio

import pytest

from graphmem.errors import InvalidGroup, StoreUnavailable
from graphmem.model import Filter
from graphmem.ports import Store
from graphmem.stores import open_store
from graphmem.timeline.claims import Relation, Rivalry, Sensitivity

from .build import episode, scope, told


async def test_making_the_schema_twice_changes_nothing(store: Store) -> None:
    await store.accept([episode("ep-1")], 1)
    before = await store.digest(), await store.secret()

    await store.ensure_schema()

    assert (await store.digest(), await store.secret()) == before


async def test_many_at_once_may_make_the_schema(store_url: str) -> None:
    stores = [open_store(store_url) for _ in range(4)]

    await asyncio.gather(*(store.ensure_schema() for store in stores))

    secrets = {await store.secret() for store in stores}
    assert len(secrets) == 1
    for store in stores:
        await store.close()


async def test_the_secret_is_32_bytes_and_stays(store: Store, store_url: str) -> None:
    secret = await store.secret()
    again = open_store(store_url)

    assert len(secret) == 32
    assert await again.secret() == secret
    await again.close()


async def test_what_was_acknowledged_is_there_after_reopening(store: Store, store_url: str) -> None:
    first = told(1, tau=10)
    await store.accept([first.episode], 1)
    await store.commit([first.changes])
    digest = await store.digest()
    await store.close()

    again = open_store(store_url)

    assert await again.digest() == digest
    assert await again.versions_in_scope(scope()) == [first.version]
    await again.close()


async def test_another_open_store_sees_a_commit_at_once(store: Store, store_url: str) -> None:
    other = open_store(store_url)
    for number in range(1, 6):
        await store.accept([episode(f"ep-{number}")], number)
        assert (await other.group("ann")).episodes == number
    await other.close()


async def test_closing_twice_is_a_no_op_and_other_calls_raise(store: Store) -> None:
    await store.close()
    await store.close()

    with pytest.raises(StoreUnavailable):
        await store.groups()
    with pytest.raises(StoreUnavailable):
        await store.accept([episode("ep-1")], 1)
    with pytest.raises(StoreUnavailable):
        await store.ensure_schema()


async def test_declared_relations_are_ordered_by_name_and_replaced_by_name(store: Store) -> None:
    likes = Relation(name="LIKES", phrase="{subject} likes {object}")
    boss = Relation(name="BOSS_OF", rivalry=Rivalry.BOTH, sensitivity=Sensitivity.FINANCE)
    assert await store.relations() == []

    await store.put_relations([likes, boss])
    assert await store.relations() == [boss, likes]

    sworn = Relation(name="LIKES", rivalry=Rivalry.SUBJ, symmetric=True, event=True, timeless=True)
    await store.put_relations([sworn])
    assert await store.relations() == [boss, sworn]


async def test_an_empty_list_of_groups_is_refused(store: Store) -> None:
    with pytest.raises(InvalidGroup):
        await store.recent_episodes([], limit=1)
    with pytest.raises(InvalidGroup):
        await store.entities_named([], ["alice"])
    with pytest.raises(InvalidGroup):
        await store.list_names([])
    with pytest.raises(InvalidGroup):
        await store.changed_between([], 0, 1)
    with pytest.raises(InvalidGroup):
        await store.jobs(group_ids=[])
    with pytest.raises(InvalidGroup):
        await store.count_jobs([])


async def test_an_empty_store_answers_with_nothing(store: Store) -> None:
    assert await store.groups() == []
    assert await store.jobs() == []
    assert await store.next_run_at() is None
    assert await store.episodes("ann", ["ep-1"]) == []
    assert await store.entities("ann", ["e-1"]) == []
    assert await store.facts("ann", ["f-1"]) == []
    assert await store.claims("ann") == []
    assert await store.versions_in_scope(scope()) == []
    assert await store.versions_of("ann", ["f-1"]) == []
    assert await store.support_of("ann", ["v-1"], 1) == []
    assert await store.mentions_of("ann", ["e-1"]) == []
    assert await store.names_of("ann", ["e-1"]) == []
    assert await store.recent_episodes(["ann"], limit=5, filter=Filter(session_id="s")) == []
    assert await store.tombstones("ann") == []
    assert await store.verify() == []
