"""A group too big for one transaction of the server goes in many, and nothing of it or of another group is left or lost."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from graphmem.errors import CommitConflict, StoreUnavailable
from graphmem.model import Erasure, Tombstone
from graphmem.ports import SearchTarget, Store
from graphmem.stores import neo4j_erase, open_store
from graphmem.timeline.instants import MIN, Instant
from tests.contract.build import scope, told

pytestmark = pytest.mark.neo4j

LAST = 5


@pytest.fixture
async def store(neo4j_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """Two groups that say the same; groups of more than three items are too big."""
    monkeypatch.setattr(neo4j_erase, "IN_ONE_UP_TO", 3)
    opened = open_store(neo4j_url)
    await opened.ensure_schema()
    for group_id in ("big", "other"):
        for tau in range(1, LAST + 1):
            one = told(tau, f"S{tau}", group_id=group_id, tau=tau, based_on=tau - 1 or MIN)
            await opened.accept([one.episode], tau)
            await opened.commit([one.changes])
    yield opened
    await opened.close()


def erasure(based_on: Instant) -> Erasure:
    gone = Tombstone(group_id="big", target_id="big", kind="group", tau=based_on + 1)
    return Erasure(group_id="big", based_on=based_on, tau=based_on + 1, tombstones=(gone,), whole_group=True)


async def check_that_one_is_gone(store: Store) -> None:
    state = await store.group("big")
    assert (state.episodes, state.entities, state.facts, state.versions, state.claims) == (0,) * 5
    assert state.tau == LAST + 1
    assert await store.jobs(group_ids=["big"]) == []
    assert await store.list_names(["big"]) == []
    assert [stone.target_id for stone in await store.tombstones("big")] == ["big"]
    kept = await store.group("other")
    assert (kept.episodes, kept.facts, kept.versions, kept.claims) == (LAST,) * 4
    assert len(await store.search_text(SearchTarget.FACT, ["acm"], scope("other"), limit=9)) == LAST
    assert await store.verify() == []


async def test_a_big_group_goes_in_many_transactions(store: Store) -> None:
    await store.erase(erasure(LAST))

    await check_that_one_is_gone(store)


async def test_what_was_broken_off_is_finished_by_erasing_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks(*_: object, **__: object) -> None:
        raise StoreUnavailable("the server went away")

    with monkeypatch.context() as patched:
        patched.setattr(neo4j_erase, "lock_group", breaks)
        with pytest.raises(StoreUnavailable):
            await store.erase(erasure(LAST))
    assert (await store.group("big")).tau == LAST

    await store.erase(erasure(LAST))

    await check_that_one_is_gone(store)


async def test_a_group_that_was_written_meanwhile_stays_whole(store: Store) -> None:
    with pytest.raises(CommitConflict):
        await store.erase(erasure(LAST - 1))

    assert (await store.group("big")).facts == LAST
