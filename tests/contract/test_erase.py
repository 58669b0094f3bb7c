"""Erasing: what goes, what stays, and what replaces it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.errors import CommitConflict, GraphmemError, InvalidInput, NotFound
from graphmem.model import Erasure, JobOutcome, JobState, Retraction, Support, Tombstone
from graphmem.ports import GroupState, SearchTarget, Store, Verdict
from graphmem.terms import terms
from graphmem.timeline.instants import MAX, MIN

from .build import GROUP, Told, changes, claim, entity, episode, name, scope, told, version


def stone(target_id: str, kind: str = "episode", tau: int = 100, group_id: str = GROUP) -> Tombstone:
    return Tombstone(group_id=group_id, target_id=target_id, kind=kind, tau=tau, reason="asked", digest=b"\x07")


def erasure(based_on: int, tau: int = 100, group_id: str = GROUP, **rest: object) -> Erasure:
    return Erasure(**{"group_id": group_id, "based_on": based_on, "tau": tau, "tombstones": (), **rest})  # type: ignore[arg-type]


@pytest.fixture
async def two(store: Store) -> tuple[Store, Told, Told]:
    """Alice at Acme by ep-1, Alice at Globex by ep-2; the second closed the first."""
    first = told(1, tau=10)
    second = told(2, "Alice", "WORKS_AT", "Globex", tau=20, based_on=10)
    cut = version("v-1b", first.fact, valid_at=10, invalid_at=20, created_at=20)
    await store.accept([first.episode, second.episode], 1)
    await store.commit([first.changes])
    await store.commit(
        [
            replace(
                second.changes,
                expire=("v-1",),
                unsupport=(("v-1", "c-1"),),
                versions=(cut, second.version),
                support=(("v-1b", "c-1"), ("v-2", "c-2")),
            )
        ]
    )
    return store, first, second


def without_second(first: Told, **rest: object) -> Erasure:
    """Everything of ep-2 gone and the first fact as if ep-2 had never been told."""
    return erasure(
        **{
            "based_on": 20,
            "tombstones": (stone("ep-2"), stone("f-Alice-WORKS_AT-Globex", "fact")),
            "claim_ids": ("c-2",),
            "episode_ids": ("ep-2",),
            "entity_ids": ("e-Globex",),
            "dropped": ("f-Alice-WORKS_AT-Globex",),
            "replayed": (first.fact.fact_id,),
            "versions": (first.version,),
            "support": (Support(version_id="v-1", claim_id="c-1", created_at=10),),
            **rest,
        }
    )


async def refused(store: Store, error: type[GraphmemError], wrong: Erasure) -> None:
    digest = await store.digest()
    with pytest.raises(error):
        await store.erase(wrong)
    assert await store.digest() == digest


async def test_what_stays_is_as_if_the_rest_had_never_been_told(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two

    await store.erase(without_second(first))

    assert await store.versions_of(GROUP, [first.fact.fact_id, "f-Alice-WORKS_AT-Globex"]) == [first.version]
    for known_at in (10, 20, MAX - 1):
        assert await store.versions_in_scope(scope(known_at=known_at)) == [first.version]
    assert await store.support_of(GROUP, ["v-1", "v-1b", "v-2"], 50) == [("v-1", first.claim)]
    assert await store.claims(GROUP) == [first.claim]
    assert await store.episodes(GROUP, ["ep-1", "ep-2"]) == [first.episode]
    assert [e.entity_id for e in await store.entities(GROUP, ["e-Alice", "e-Globex", "e-Acme"])] == [
        "e-Alice",
        "e-Acme",
    ]
    assert await store.mentions_of(GROUP, ["e-Alice", "e-Globex"]) == [("ep-1", "e-Alice")]
    assert [n.key for n in await store.list_names([GROUP])] == ["acme", "alice"]
    assert [job.job_id for job in await store.jobs()] == ["ep-1"]
    assert await store.tombstones(GROUP) == [stone("ep-2"), stone("f-Alice-WORKS_AT-Globex", "fact")]
    assert (await store.group(GROUP)).tau == 100
    assert await store.verify() == []


async def test_nothing_erased_is_found(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two

    await store.erase(without_second(first))

    for target in SearchTarget:
        assert not await store.search_text(target, terms("globex"), scope(), limit=5)
        assert len(await store.search_text(target, terms("acme"), scope(), limit=5)) == 1


async def test_an_erased_job_cannot_be_finished(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    [*_, job] = await store.lease(owner="w", now=5, until=9, limit=5)
    await store.erase(without_second(first))

    ended = JobOutcome(job_id="ep-2", group_id=GROUP, fence=job.fence, state=JobState.DONE)
    with pytest.raises(NotFound):
        await store.finish(ended)
    with pytest.raises(NotFound):
        await store.commit([changes(200, based_on=100, job=ended)])


async def test_erasing_again_is_a_no_op_and_tombstones_keep_their_time(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    await store.erase(without_second(first))
    before = await store.versions_in_scope(scope()), await store.claims(GROUP), await store.list_names([GROUP])

    again = without_second(first, based_on=100, tau=200, tombstones=(stone("ep-2", tau=200), stone("ep-9", tau=200)))
    await store.erase(again)

    assert (
        await store.versions_in_scope(scope()),
        await store.claims(GROUP),
        await store.list_names([GROUP]),
    ) == before
    assert await store.tombstones(GROUP, ["ep-2", "ep-9"]) == [stone("ep-2"), stone("ep-9", tau=200)]


async def test_an_erasure_based_on_another_time_writes_nothing(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two

    await refused(store, CommitConflict, without_second(first, based_on=10))
    await refused(store, InvalidInput, without_second(first, tau=20))


@pytest.mark.parametrize(
    "forgotten",
    [
        {"claim_ids": (), "dropped": (), "entity_ids": ()},
        {"dropped": (), "entity_ids": ("e-Globex",)},
        {"entity_ids": ("e-Alice", "e-Globex")},
        {"replayed": (), "versions": (), "support": (), "claim_ids": ("c-1", "c-2")},
    ],
    ids=["claims of an episode", "a fact of an entity", "an entity of a fact", "a link of a claim"],
)
async def test_nothing_that_stays_may_refer_to_what_is_erased(
    two: tuple[Store, Told, Told], forgotten: dict[str, object]
) -> None:
    store, first, _ = two

    await refused(store, CommitConflict, without_second(first, **forgotten))


async def test_a_name_that_stays_forgets_the_episode_that_taught_it(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    await store.commit([changes(30, based_on=20, names=(name("Ally", "e-Alice", episode_id="ep-2"),))])

    await store.erase(without_second(first, based_on=30))

    assert await store.names_of(GROUP, ["e-Alice"]) == [
        name("Alice", "e-Alice", episode_id="ep-1"),
        name("Ally", "e-Alice"),
    ]


async def test_an_erased_name_is_neither_known_nor_found(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    await store.commit([changes(30, based_on=20, names=(name("Ally", "e-Alice", episode_id="ep-2"),))])

    await store.erase(without_second(first, based_on=30, names=(("ally", "e-Alice"),)))

    assert await store.entities_named([GROUP], ["ally"]) == []
    assert not await store.search_text(SearchTarget.ENTITY, terms("ally"), scope(), limit=5)
    assert await store.search_text(SearchTarget.ENTITY, terms("alice"), scope(), limit=5) != []


async def test_an_entity_takes_the_name_that_stays(store: Store) -> None:
    await store.accept([episode("ep-1"), episode("ep-2")], 1)
    bob = entity("e-1", "Bobby Tables", created_at=10)
    names = (name("Bobby Tables", "e-1", episode_id="ep-1"), name("Robert", "e-1", episode_id="ep-2"))
    await store.commit([changes(10, entities=(bob,), names=names, mentions=(("ep-1", "e-1"), ("ep-2", "e-1")))])

    renamed = replace(bob, name="Robert")
    await store.erase(erasure(10, episode_ids=("ep-1",), names=(("bobby tables", "e-1"),), renamed=(renamed,)))

    assert await store.entities(GROUP, ["e-1"]) == [renamed]
    assert not await store.search_text(SearchTarget.ENTITY, terms("bobby tables"), scope(), limit=5)
    assert [h.item_id for h in await store.search_text(SearchTarget.ENTITY, terms("robert"), scope(), limit=5)] == [
        "e-1"
    ]
    assert await store.verify() == []


async def test_a_fact_that_stays_is_said_with_the_name_that_stays(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    said_anew = replace(first.fact, text="Robert works at Acme")

    await store.erase(without_second(first, renamed=(replace(first.subject, name="Robert"),), reworded=(said_anew,)))

    assert await store.facts(GROUP, [first.fact.fact_id]) == [said_anew]
    assert not await store.search_text(SearchTarget.FACT, terms("alice"), scope(), limit=5)
    found = await store.search_text(SearchTarget.FACT, terms("robert"), scope(), limit=5)
    assert [hit.item_id for hit in found] == [first.fact.fact_id]
    assert await store.verify() == []


async def test_a_retraction_goes_with_the_last_of_its_claims(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    both = Retraction(retraction_id="r-1", group_id=GROUP, claim_ids=("c-1", "c-2"), tau=30, reason="both")
    second = Retraction(retraction_id="r-2", group_id=GROUP, claim_ids=("c-2",), tau=40, reason="second")
    await store.commit([changes(30, based_on=20, retractions=(both,))])
    await store.commit([changes(40, based_on=30, retractions=(second,))])

    await store.erase(without_second(first, based_on=40))

    assert [c.retracted_at for c in await store.claims(GROUP)] == [30]
    # The id is free again: the retraction is gone; the one with a claim left is not.
    await store.commit([changes(200, based_on=100, retractions=(replace(second, claim_ids=("c-1",), tau=200),))])
    with pytest.raises(InvalidInput):
        await store.commit([changes(300, based_on=200, retractions=(replace(both, claim_ids=("c-1",), tau=300),))])


async def test_a_whole_group_goes_but_for_its_tombstones_and_its_times(two: tuple[Store, Told, Told]) -> None:
    store, first, second = two
    await store.lease(owner="w", now=5, until=9, limit=5)
    withdrawn = Retraction(retraction_id="r-1", group_id=GROUP, claim_ids=("c-1",), tau=30)
    await store.commit([changes(30, based_on=20, retractions=(withdrawn,))])
    other = told(7, tau=10, group_id="bob")
    await store.accept([other.episode], 1)
    await store.commit([other.changes])

    await store.erase(erasure(30, whole_group=True, tombstones=(stone(GROUP, "group"), stone("ep-1"))))

    assert await store.groups() == [
        GroupState(group_id="bob", tau=10, episodes=1, entities=2, facts=1, versions=1, claims=1)
    ]
    assert await store.group(GROUP) == GroupState(group_id=GROUP, tau=100)
    assert await store.versions_of(GROUP, [first.fact.fact_id, second.fact.fact_id]) == []
    assert await store.list_names([GROUP]) == []
    assert await store.mentions_of(GROUP, ["e-Alice"]) == []
    assert await store.support_of(GROUP, ["v-1", "v-1b", "v-2"], 15) == []
    assert await store.jobs(group_ids=[GROUP]) == []
    assert await store.tombstones(GROUP) == [stone(GROUP, "group"), stone("ep-1")]
    for target in SearchTarget:
        assert not await store.search_text(target, terms("alice acme globex"), scope(), limit=5)
        assert len(await store.search_text(target, terms("alice"), scope("bob"), limit=5)) == 1
    assert await store.versions_in_scope(scope("bob")) == [other.version]
    assert await store.verify() == []


async def test_an_erased_group_can_begin_anew(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    await store.lease(owner="w", now=5, until=9, limit=5)
    await store.erase(erasure(20, whole_group=True, tombstones=(stone("ep-1"),)))

    verdicts = [a.verdict for a in await store.accept([first.episode, episode("ep-3")], 1)]
    [job] = await store.lease(owner="w", now=5, until=9, limit=5)

    assert verdicts == [Verdict.ERASED, Verdict.NEW]
    assert job.fence == 2
    await store.commit([changes(101, based_on=100, entities=(entity("e-Alice"),))])


async def test_only_the_group_named_is_touched(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    other = told(2, "Alice", "WORKS_AT", "Globex", tau=10, group_id="bob")
    await store.accept([other.episode], 1)
    await store.commit([other.changes])

    await store.erase(without_second(first))

    assert await store.versions_in_scope(scope("bob")) == [other.version]
    assert await store.episodes("bob", ["ep-2"]) == [other.episode]
    assert len(await store.search_text(SearchTarget.FACT, terms("globex"), scope("bob"), limit=5)) == 1
    assert await store.tombstones("bob") == []


async def test_a_replayed_version_may_have_closed_before_now(two: tuple[Store, Told, Told]) -> None:
    store, first, _ = two
    rows = (replace(first.version, expired_at=15), version("v-9", first.fact, valid_at=11, created_at=15))
    links = (
        Support(version_id="v-1", claim_id="c-1", created_at=10, expired_at=15),
        Support(version_id="v-9", claim_id="c-1", created_at=15),
    )

    await store.erase(without_second(first, versions=rows, support=links))

    assert await store.versions_of(GROUP, [first.fact.fact_id]) == list(rows)
    assert [v for v, _ in await store.support_of(GROUP, ["v-1", "v-9"], 14)] == ["v-1"]
    assert [v for v, _ in await store.support_of(GROUP, ["v-1", "v-9"], 15)] == ["v-9"]


async def test_scrubbing_changes_no_content(two: tuple[Store, Told, Told]) -> None:
    store, _, _ = two
    digest = await store.digest()

    await store.scrub()

    assert await store.digest() == digest
    assert len(await store.search_text(SearchTarget.FACT, terms("acme"), scope(), limit=5)) == 1


async def test_an_erasure_of_nothing_leaves_tombstone_and_receipt(store: Store) -> None:
    await store.erase(erasure(MIN, tombstones=(stone("ep-0"),)))

    assert await store.tombstones(GROUP) == [stone("ep-0")]
    assert (await store.group(GROUP)).tau == 100
    with pytest.raises(CommitConflict):
        await store.commit([changes(101, claims=(claim("c", told(1, tau=1).fact, tau=1),))])
