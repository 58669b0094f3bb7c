"""Two groups with the same names and ids and a canary in one: no path leads across."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from graphmem.errors import GraphmemError
from graphmem.model import Erasure, JobOutcome, JobState, Retraction, Tombstone
from graphmem.ports import SearchTarget, Store
from graphmem.terms import terms
from graphmem.timeline.claims import FactKey
from graphmem.timeline.instants import MAX, MIN

from .build import changes, claim, entity, episode, fact, name, scope, version

MINE, THEIRS = "acme_1", "acmeX1"
CANARY = "CANARYB77"


async def fill(store: Store, group_id: str, word: str) -> None:
    """The same ids in every group; every text carries the group's own word."""
    tom, salary = (
        entity("e-tom", f"Tom {word}", group_id=group_id),
        entity("e-sal", f"salary {word}", group_id=group_id),
    )
    earns = fact("f-1", "e-tom", "EARNS", "e-sal", f"Tom earns {word}", group_id=group_id)
    said = claim("c-1", earns, tau=10, episode_id="ep-1")
    await store.accept([episode("ep-1", f"Tom earns {word}", group_id=group_id, session_id="s", speaker=word)], 1)
    await store.commit(
        [
            changes(
                10,
                group_id=group_id,
                entities=(tom, salary),
                names=(
                    name("Tom", "e-tom", group_id=group_id, episode_id="ep-1"),
                    name(word, "e-sal", group_id=group_id),
                ),
                mentions=(("ep-1", "e-tom"),),
                facts=(earns,),
                claims=(said,),
                versions=(version("v-1", earns, valid_at=1, created_at=10),),
                support=(("v-1", "c-1"),),
            )
        ]
    )


@pytest.fixture
async def shared(store: Store) -> Store:
    await fill(store, MINE, "grey")
    await fill(store, THEIRS, CANARY)
    await store.erase(
        Erasure(
            group_id=THEIRS,
            based_on=10,
            tau=20,
            tombstones=(Tombstone(group_id=THEIRS, target_id=CANARY, kind="fact", tau=20),),
        )
    )
    return store


READS: dict[str, Callable[[Store], Awaitable[object]]] = {
    "jobs": lambda s: s.jobs(group_ids=[MINE]),
    "count_jobs": lambda s: s.count_jobs([MINE]),
    "lease": lambda s: s.lease(owner="w", now=5, until=9, limit=9, group_id=MINE),
    "next_run_at": lambda s: s.next_run_at(MINE),
    "read_timelines": lambda s: s.read_timelines(
        MINE,
        facts=[FactKey(subject="e-tom", relation="EARNS", object="e-sal")],
        subjects=[("EARNS", "e-tom")],
        objects=[("EARNS", "e-sal")],
    ),
    "claims": lambda s: s.claims(MINE),
    "claims by id": lambda s: s.claims(MINE, claim_ids=["c-1"]),
    "claims by entity": lambda s: s.claims(MINE, entity_ids=["e-tom", "e-sal"]),
    "group": lambda s: s.group(MINE),
    "episodes": lambda s: s.episodes(MINE, ["ep-1"]),
    "recent_episodes": lambda s: s.recent_episodes([MINE], limit=9),
    "entities": lambda s: s.entities(MINE, ["e-tom", "e-sal"]),
    "entities_named": lambda s: s.entities_named([MINE], ["tom", CANARY.lower()]),
    "names_of": lambda s: s.names_of(MINE, ["e-tom", "e-sal"]),
    "list_names": lambda s: s.list_names([MINE]),
    "facts": lambda s: s.facts(MINE, ["f-1"]),
    "mentions_of": lambda s: s.mentions_of(MINE, ["e-tom"]),
    "versions": lambda s: s.versions_in_scope(scope(MINE)),
    "versions by subject": lambda s: s.versions_in_scope(scope(MINE), subjects=["e-tom"]),
    "versions by slot": lambda s: s.versions_in_scope(scope(MINE), subjects=["e-tom"], relations=["EARNS"]),
    "versions by object": lambda s: s.versions_in_scope(scope(MINE), objects=["e-sal"]),
    "versions by object and relation": lambda s: s.versions_in_scope(
        scope(MINE), objects=["e-sal"], relations=["EARNS"]
    ),
    "versions touching": lambda s: s.versions_in_scope(scope(MINE), touching=["e-tom", "e-sal"]),
    "versions by fact": lambda s: s.versions_in_scope(scope(MINE), fact_ids=["f-1"]),
    "versions_of": lambda s: s.versions_of(MINE, ["f-1"]),
    "support_of": lambda s: s.support_of(MINE, ["v-1"], MAX - 1),
    "changed_between": lambda s: s.changed_between([MINE], MIN, MAX),
    "tombstones": lambda s: s.tombstones(MINE),
    **{
        f"search {target.value}": lambda s, target=target: s.search_text(  # type: ignore[misc]
            target, terms(f"tom salary earns {CANARY}"), scope(MINE), limit=9
        )
        for target in SearchTarget
    },
}


@pytest.mark.parametrize("path", READS)
async def test_a_read_of_one_group_shows_nothing_of_another(shared: Store, path: str) -> None:
    shown = repr(await READS[path](shared))

    assert CANARY.lower() not in shown.lower()
    assert THEIRS not in shown


@pytest.mark.parametrize("target", SearchTarget)
async def test_the_other_groups_word_finds_nothing(shared: Store, target: SearchTarget) -> None:
    assert not await shared.search_text(target, terms(CANARY), scope(MINE), limit=9)
    assert len(await shared.search_text(target, terms(CANARY), scope(THEIRS), limit=9)) >= 1


@pytest.mark.parametrize("group_id", ["acme_", "ACME_1", "acme-1", "acme", "acme_1' OR '1'='1", "*", "%", "b\ud800"])
async def test_a_group_id_is_compared_exactly(shared: Store, group_id: str) -> None:
    try:
        found = [
            *await shared.versions_in_scope(scope(group_id)),
            *await shared.search_text(SearchTarget.EPISODE, terms("tom"), scope(group_id), limit=9),
            *await shared.claims(group_id),
            *await shared.episodes(group_id, ["ep-1"]),
        ]
    except GraphmemError:
        found = []
    assert found == []


async def test_writes_to_one_group_leave_the_other_as_it_was(shared: Store) -> None:
    async def theirs() -> list[object]:
        return [
            await shared.claims(THEIRS),
            await shared.versions_of(THEIRS, ["f-1"]),
            await shared.support_of(THEIRS, ["v-1"], MAX - 1),
            await shared.jobs(group_ids=[THEIRS]),
            await shared.names_of(THEIRS, ["e-tom", "e-sal"]),
            await shared.group(THEIRS),
        ]

    before = await theirs()
    [job] = await shared.lease(owner="w", now=5, until=9, limit=9, group_id=MINE)
    withdrawn = Retraction(retraction_id="r", group_id=MINE, claim_ids=("c-1",), tau=30)
    await shared.commit(
        [
            changes(
                30,
                based_on=10,
                group_id=MINE,
                expire=("v-1",),
                unsupport=(("v-1", "c-1"),),
                retractions=(withdrawn,),
                job=JobOutcome(job_id="ep-1", group_id=MINE, fence=job.fence, state=JobState.DONE),
            )
        ]
    )
    assert await theirs() == before

    await shared.erase(Erasure(group_id=MINE, based_on=30, tau=40, tombstones=(), whole_group=True))
    assert await theirs() == before
    assert len(await shared.search_text(SearchTarget.FACT, terms("tom"), scope(THEIRS), limit=9)) == 1


async def test_an_id_used_in_one_group_is_free_in_another(store: Store) -> None:
    for group_id in ("a", "A", "a_", "a-"):
        await fill(store, group_id, f"word{group_id}")

    assert [g.group_id for g in await store.groups()] == ["A", "a", "a-", "a_"]
    assert await store.verify() == []


async def test_a_small_group_gets_its_hits_beside_a_large_one(store: Store) -> None:
    many = [episode(f"ep-{n}", "amber amber amber", group_id="large") for n in range(300)]
    await store.accept([*many, episode("ep-0", "amber among very many other words", group_id="small")], 1)

    hits = await store.search_text(SearchTarget.EPISODE, terms("amber"), scope("small"), limit=10)

    assert [(h.item_id, h.group_id, h.rank) for h in hits] == [("ep-0", "small", 1)]
