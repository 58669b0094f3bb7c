"""Commits: all or nothing, compare-and-set on the transaction time, references, and what is kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from graphmem.errors import CommitConflict, GraphmemError, InvalidGroup, InvalidInput, LeaseLost, NotFound
from graphmem.model import Changes, EntityKind, Job, JobOutcome, JobState, Retraction, Support
from graphmem.ports import SearchTarget, Store
from graphmem.terms import terms
from graphmem.timeline.claims import Kind
from graphmem.timeline.granules import ALWAYS, Granule, Unit
from graphmem.timeline.instants import MAX, MIN

from .build import GROUP, changes, claim, closed, entity, episode, fact, name, scope, told, version

ALICE, ACME = entity("e-Alice", "Alice", kind=EntityKind.PERSON, created_at=5), entity("e-Acme", "Acme", created_at=5)
WORKS = fact("f-1", "e-Alice", "WORKS_AT", "e-Acme", "Alice works at Acme")
BASE = changes(10, entities=(ALICE, ACME), facts=(WORKS,))


async def refused(store: Store, error: type[GraphmemError], *items: Changes) -> None:
    digest = await store.digest()
    with pytest.raises(error):
        await store.commit(items)
    assert await store.digest() == digest


async def test_everything_of_a_commit_is_read_back(store: Store) -> None:
    first = told(1, tau=10)
    await store.accept([first.episode], 1)

    await store.commit([first.changes])

    assert await store.entities(GROUP, ["e-Acme", "e-Alice"]) == [first.object, first.subject]
    assert await store.facts(GROUP, [first.fact.fact_id]) == [first.fact]
    assert await store.claims(GROUP) == [first.claim]
    assert await store.versions_of(GROUP, [first.fact.fact_id]) == [first.version]
    assert await store.support_of(GROUP, ["v-1"], 10) == [("v-1", first.claim)]
    assert await store.names_of(GROUP, ["e-Alice"]) == [name("Alice", "e-Alice", episode_id="ep-1")]
    assert await store.mentions_of(GROUP, ["e-Alice", "e-Acme"]) == [("ep-1", "e-Acme"), ("ep-1", "e-Alice")]
    state = await store.group(GROUP)
    assert (state.tau, state.episodes, state.entities, state.facts, state.versions, state.claims) == (10, 1, 2, 1, 1, 1)
    assert await store.verify() == []


async def test_every_field_of_a_claim_and_a_version_is_kept(store: Store) -> None:
    said = claim(
        "c-1",
        WORKS,
        tau=10,
        kind=Kind.STOP,
        ref=-7,
        seq=3,
        start=Granule(lo=MIN, hi=MAX, unit=Unit.FUZZY),
        end=Granule(lo=4, hi=9, unit=Unit.SEASON),
        inferred=True,
        trusted=False,
    )
    said = replace(said, phrase="until 夏", quote=(3, 17), told_by="Bo 夏", origin="model/1", tau=9)
    row = replace(
        version("v-1", WORKS, valid_at=MIN, invalid_at=7, created_at=10, end_hi=9),
        start=ALWAYS,
        start_stated=False,
        trusted=False,
    )
    past = version("v-2", WORKS, valid_at=None, invalid_at=MAX, created_at=10, expired_at=12)

    await store.commit([replace(BASE, claims=(said,), versions=(row, past), support=(("v-1", "c-1"),))])

    assert await store.claims(GROUP) == [said]
    assert await store.versions_of(GROUP, ["f-1"]) == [past, row]


async def test_a_commit_based_on_another_time_writes_nothing(store: Store) -> None:
    await store.commit([BASE])

    for based_on in (MIN, 9, 11):
        await refused(store, CommitConflict, changes(20, based_on=based_on, entities=(entity("e-new"),)))


async def test_a_batch_is_written_whole_or_not_at_all(store: Store) -> None:
    first, second = told(1, tau=10), told(2, "Bob", tau=20, based_on=10)
    await store.accept([first.episode, second.episode], 1)

    await refused(store, CommitConflict, first.changes, replace(second.changes, based_on=15))
    await store.commit([first.changes, second.changes])

    assert (await store.group(GROUP)).tau == 20
    assert await store.versions_in_scope(scope()) == [first.version, second.version]


async def test_a_transaction_time_must_rise(store: Store) -> None:
    await store.commit([BASE])

    for tau in (10, 9, MIN):
        await refused(store, InvalidInput, changes(tau, based_on=10))


async def test_a_commit_is_of_one_group(store: Store) -> None:
    await refused(store, InvalidInput, changes(10), changes(11, based_on=10, group_id="bob"))
    await refused(store, InvalidGroup, changes(10, group_id="a b"))


async def test_no_changes_are_no_commit(store: Store) -> None:
    digest = await store.digest()
    await store.commit([])
    assert await store.digest() == digest


async def test_a_receipt_with_nothing_in_it_moves_the_transaction_time(store: Store) -> None:
    await store.commit([changes(10, kind="upkeep", note="looked")])

    assert (await store.group(GROUP)).tau == 10
    assert await store.groups() == []


async def test_what_exists_stays_as_it_is(store: Store) -> None:
    await store.commit([replace(BASE, names=(name("Alice", "e-Alice"),), claims=(claim("c-1", WORKS, tau=10),))])
    before = await store.entities(GROUP, ["e-Alice"]), await store.facts(GROUP, ["f-1"]), await store.claims(GROUP)

    again = changes(
        20,
        based_on=10,
        entities=(replace(ALICE, name="Alicia"),),
        names=(replace(name("Alice", "e-Alice"), spelling="ALICE"),),
        facts=(replace(WORKS, text="other words"),),
        claims=(claim("c-1", WORKS, tau=10),),
    )
    await store.commit([again])

    assert (
        await store.entities(GROUP, ["e-Alice"]),
        await store.facts(GROUP, ["f-1"]),
        await store.claims(GROUP),
    ) == before
    assert await store.names_of(GROUP, ["e-Alice"]) == [name("Alice", "e-Alice")]
    assert not await store.search_text(SearchTarget.FACT, terms("words"), scope(), limit=5)


async def test_another_claim_under_an_id_is_refused(store: Store) -> None:
    said = claim("c-1", WORKS, tau=10)
    await store.commit([replace(BASE, claims=(said,))])

    await refused(store, InvalidInput, changes(20, based_on=10, claims=(replace(said, origin="model"),)))
    await refused(store, InvalidInput, changes(20, based_on=10, claims=(said, claim("c-1", WORKS, tau=11))))


async def test_a_retracted_claim_again_is_the_very_same(store: Store) -> None:
    said = claim("c-1", WORKS, tau=10)
    withdrawn = Retraction(retraction_id="r-1", group_id=GROUP, claim_ids=("c-1",), tau=20, reason="wrong")
    await store.commit([replace(BASE, claims=(said,))])
    await store.commit([changes(20, based_on=10, kind="retract", retractions=(withdrawn,))])

    await store.commit([changes(30, based_on=20, claims=(said,))])

    assert await store.claims(GROUP) == [replace(said, retracted_at=20)]


async def test_the_first_retraction_counts_and_its_id_is_new(store: Store) -> None:
    said = (claim("c-1", WORKS, tau=10), claim("c-2", WORKS, tau=10))
    await store.commit([replace(BASE, claims=said)])
    first = Retraction(retraction_id="r-1", group_id=GROUP, claim_ids=("c-1", "c-2"), tau=20)
    second = Retraction(retraction_id="r-2", group_id=GROUP, claim_ids=("c-2",), tau=30)
    await store.commit([changes(20, based_on=10, retractions=(first,))])
    await store.commit([changes(30, based_on=20, retractions=(second,))])

    assert [c.retracted_at for c in await store.claims(GROUP)] == [20, 20]
    await refused(store, InvalidInput, changes(40, based_on=30, retractions=(replace(second, tau=40),)))


async def test_expiring_closes_a_version_once(store: Store) -> None:
    row = version("v-1", WORKS, valid_at=1, created_at=10)
    await store.commit([replace(BASE, versions=(row,))])

    await store.commit([changes(20, based_on=10, expire=("v-1",))])

    assert await store.versions_of(GROUP, ["f-1"]) == [closed(row, 20)]
    for version_id in ("v-1", "v-0"):
        await refused(store, CommitConflict, changes(30, based_on=20, expire=(version_id,)))
    await refused(store, CommitConflict, changes(30, based_on=20, expire=("v-1", "v-1")))


async def test_a_version_opened_in_a_batch_can_be_closed_later_in_it(store: Store) -> None:
    row = version("v-1", WORKS, valid_at=1, created_at=10)

    await store.commit(
        [
            replace(BASE, versions=(row,), claims=(claim("c-1", WORKS, tau=10),), support=(("v-1", "c-1"),)),
            changes(20, based_on=10, expire=("v-1",), unsupport=(("v-1", "c-1"),)),
        ]
    )

    assert await store.versions_of(GROUP, ["f-1"]) == [closed(row, 20)]
    await refused(
        store,
        CommitConflict,
        changes(30, based_on=20, expire=("v-2",)),
        changes(40, based_on=30, versions=(version("v-2", WORKS, valid_at=1, created_at=40),)),
    )


async def test_a_version_id_is_new(store: Store) -> None:
    row = version("v-1", WORKS, valid_at=1, created_at=10)
    await store.commit([replace(BASE, versions=(row,))])

    await refused(store, InvalidInput, changes(20, based_on=10, versions=(row,)))


@pytest.mark.parametrize(
    ("valid_at", "invalid_at", "created_at", "expired_at"), [(5, 5, 10, MAX), (6, 5, 10, MAX), (1, MAX, 10, 10)]
)
async def test_an_interval_ends_after_it_begins(
    store: Store, valid_at: int, invalid_at: int, created_at: int, expired_at: int
) -> None:
    row = version(
        "v-1", WORKS, valid_at=valid_at, invalid_at=invalid_at, created_at=created_at, expired_at=expired_at, end_hi=MAX
    )
    await refused(store, InvalidInput, replace(BASE, versions=(row,)))


async def test_support_links_open_close_and_open_again(store: Store) -> None:
    link = ("v-1", "c-1")
    said, row = claim("c-1", WORKS, tau=10), version("v-1", WORKS, valid_at=1, created_at=10)
    await store.commit([replace(BASE, claims=(said,), versions=(row,), support=(link,))])

    await refused(store, InvalidInput, changes(20, based_on=10, support=(link,)))
    await store.commit([changes(20, based_on=10, unsupport=(link,))])
    await refused(store, CommitConflict, changes(30, based_on=20, unsupport=(link,)))
    await refused(store, CommitConflict, changes(30, based_on=20, unsupport=(("v-1", "c-2"),)))
    await store.commit([changes(30, based_on=20, support=(link,))])

    held = {tau: await store.support_of(GROUP, ["v-1"], tau) for tau in (9, 10, 19, 20, 29, 30, MAX - 1)}
    linked = [("v-1", said)]
    assert held == {9: [], 10: linked, 19: linked, 20: [], 29: [], 30: linked, MAX - 1: linked}
    read = await store.read_timelines(GROUP, subjects=[("WORKS_AT", "e-Alice")])
    assert read.support == [Support(version_id="v-1", claim_id="c-1", created_at=30)]


@pytest.mark.parametrize(
    "lost",
    [
        {"names": (name("X", "e-X"),)},
        {"names": (name("Alice", "e-Alice", episode_id="ep-X"),)},
        {"mentions": (("ep-X", "e-Alice"),)},
        {"mentions": (("ep-1", "e-X"),)},
        {"facts": (fact("f-2", "e-X", "R", "e-Acme"),)},
        {"facts": (fact("f-2", "e-Alice", "R", "e-X"),)},
        {"claims": (claim("c-1", replace(WORKS, fact_id="f-X"), tau=20),)},
        {"claims": (claim("c-1", WORKS, tau=20, episode_id="ep-X"),)},
        {"versions": (version("v-1", replace(WORKS, fact_id="f-X"), valid_at=1, created_at=20),)},
        {"support": (("v-X", "c-X"),)},
        {"retractions": (Retraction(retraction_id="r", group_id=GROUP, claim_ids=("c-X",), tau=20),)},
    ],
    ids=lambda lost: next(iter(lost)),
)
async def test_what_is_referred_to_must_be_there(store: Store, lost: dict[str, object]) -> None:
    await store.accept([episode("ep-1")], 1)
    await store.commit([BASE])

    await refused(store, CommitConflict, changes(20, based_on=10, **lost))


async def test_what_is_of_another_group_is_not_there(store: Store) -> None:
    await store.commit([BASE])

    await refused(store, CommitConflict, changes(10, group_id="bob", facts=(replace(WORKS, group_id="bob"),)))
    await refused(store, CommitConflict, changes(10, group_id="bob", names=(name("Al", "e-Alice", group_id="bob"),)))


async def leased(store: Store) -> Job:
    await store.accept([episode("ep-1")], 1)
    [job] = await store.lease(owner="w", now=5, until=50, limit=1)
    return job


def done(fence: int | None, job_id: str = "ep-1") -> JobOutcome:
    return JobOutcome(job_id=job_id, group_id=GROUP, fence=fence, state=JobState.DONE, receipt='{"facts": 1}')


async def test_a_commit_finishes_its_job(store: Store) -> None:
    job = await leased(store)

    await store.commit([replace(BASE, job=done(job.fence))])

    [after] = await store.jobs()
    assert (after.state, after.receipt, after.owner) == (JobState.DONE, '{"facts": 1}', "")


async def test_a_commit_under_a_lost_lease_writes_nothing(store: Store) -> None:
    job = await leased(store)
    await store.lease(owner="other", now=50, until=90, limit=1)

    await refused(store, LeaseLost, replace(BASE, job=done(job.fence)))
    await refused(store, NotFound, replace(BASE, job=done(2, job_id="ep-X")))
    await store.commit([replace(BASE, job=done(2))])


async def test_a_job_stays_as_it_was_when_its_commit_conflicts(store: Store) -> None:
    job = await leased(store)

    await refused(store, CommitConflict, replace(BASE, based_on=3, job=done(job.fence)))

    [after] = await store.jobs()
    assert after == job


async def test_of_commits_at_the_same_time_one_wins(store: Store) -> None:
    contenders = [changes(10 + n, entities=(entity(f"e-{n}"),)) for n in range(8)]

    results = await asyncio.gather(*(store.commit([c]) for c in contenders), return_exceptions=True)

    assert sorted(type(r).__name__ for r in results if r is not None) == ["CommitConflict"] * 7
    assert (await store.group(GROUP)).entities == 1


async def test_new_facts_entities_and_names_are_found_at_once(store: Store) -> None:
    row = version("v-1", WORKS, valid_at=1, created_at=10)
    await store.commit([replace(BASE, versions=(row,))])
    await store.commit([changes(20, based_on=10, names=(name("Wonderland", "e-Alice"),))])

    found = {
        words: [hit.item_id for hit in await store.search_text(target, terms(words), scope(), limit=5)]
        for target, words in (
            (SearchTarget.FACT, "works"),
            (SearchTarget.ENTITY, "alice"),
            (SearchTarget.ENTITY, "wonderland"),
        )
    }
    assert found == {"works": ["f-1"], "alice": ["e-Alice"], "wonderland": ["e-Alice"]}
    assert [n.entity_id for n in await store.entities_named([GROUP], ["wonderland"])] == ["e-Alice"]


async def test_a_forgotten_name_no_longer_finds_what_it_named(store: Store) -> None:
    await store.commit([replace(BASE, names=(name("Alice", "e-Alice"), name("Lissy", "e-Alice")))])

    await store.commit([changes(20, based_on=10, forgotten_names=(("lissy", "e-Alice"), ("nobody", "e-Acme")))])

    assert await store.entities_named([GROUP], ["lissy"]) == []
    assert await store.names_of(GROUP, ["e-Alice"]) == [name("Alice", "e-Alice")]
    assert not await store.search_text(SearchTarget.ENTITY, terms("Lissy"), scope(), limit=5)
    assert len(await store.search_text(SearchTarget.ENTITY, terms("Alice"), scope(), limit=5)) == 1
    assert await store.verify() == []


async def test_a_name_may_be_forgotten_and_given_in_one_commit(store: Store) -> None:
    await store.commit([replace(BASE, names=(name("Lissy", "e-Alice"),))])

    moved = changes(20, based_on=10, forgotten_names=(("lissy", "e-Alice"),), names=(name("Lissy", "e-Acme"),))
    await store.commit([moved])

    assert [n.entity_id for n in await store.entities_named([GROUP], ["lissy"])] == ["e-Acme"]
    assert await store.verify() == []
