"""Verify, backup and digest, as far as every store has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.errors import InvalidInput
from graphmem.model import JobOutcome, JobState, Retraction
from graphmem.ports import Store
from graphmem.stores import open_store
from graphmem.timeline.claims import Relation, Rivalry

from .build import GROUP, changes, claim, entity, episode, fact, name, told, version

WORKS = fact("f-1", "a", "WORKS_AT", "x")
ENDS = (entity("a"), entity("x"), entity("y"))


async def supported(store: Store, *rows: object, facts: tuple[object, ...], based_on: int) -> None:
    """Commit facts with versions that each rest on a claim."""
    claims = tuple(claim(f"c-{v.version_id}", next(f for f in facts if f.fact_id == v.fact_id), tau=1) for v in rows)  # type: ignore[attr-defined]
    links = tuple((v.version_id, f"c-{v.version_id}") for v in rows)  # type: ignore[attr-defined]
    await store.commit(
        [changes(based_on + 1, based_on=based_on, facts=facts, claims=claims, versions=rows, support=links)]
    )


async def test_a_store_that_was_only_written_by_commits_is_well(store: Store) -> None:
    first, second = told(1, tau=10), told(2, "Bob", tau=20, based_on=10)
    await store.accept([first.episode, second.episode, episode("ep-9", group_id="bob")], 1)
    await store.commit([first.changes, second.changes])
    withdrawn = Retraction(retraction_id="r", group_id=GROUP, claim_ids=("c-1",), tau=30)
    await store.commit(
        [changes(30, based_on=20, expire=("v-1",), unsupport=(("v-1", "c-1"),), retractions=(withdrawn,))]
    )

    assert await store.verify() == []


async def test_a_believed_version_without_a_claim_is_reported(store: Store) -> None:
    row = version("v-1", WORKS, valid_at=1, created_at=10)
    await store.commit([changes(10, entities=ENDS, facts=(WORKS,), versions=(row,))])

    [sentence] = await store.verify()

    assert "v-1" in sentence
    assert GROUP in sentence


@pytest.mark.parametrize(
    ("relation", "ends", "reported"),
    [
        (Relation(name="R"), ("a", "x", "a", "y"), False),
        (Relation(name="R", rivalry=Rivalry.SUBJ), ("a", "x", "a", "y"), True),
        (Relation(name="R", rivalry=Rivalry.SUBJ), ("a", "x", "y", "x"), False),
        (Relation(name="R", rivalry=Rivalry.BOTH), ("a", "x", "y", "x"), True),
        (Relation(name="R", rivalry=Rivalry.BOTH), ("a", "x", "x", "y"), False),
        (Relation(name="R", rivalry=Rivalry.BOTH, symmetric=True), ("a", "x", "x", "y"), True),
        (Relation(name="R", rivalry=Rivalry.SUBJ, symmetric=True), ("a", "y", "x", "y"), True),
    ],
)
async def test_rivals_that_overlap_are_reported(
    store: Store, relation: Relation, ends: tuple[str, str, str, str], reported: bool
) -> None:
    facts = (fact("f-1", ends[0], "R", ends[1]), fact("f-2", ends[2], "R", ends[3]))
    await store.put_relations([relation])
    await store.commit([changes(10, entities=ENDS)])
    await supported(
        store,
        version("v-1", facts[0], valid_at=1, invalid_at=5, created_at=10),
        version("v-2", facts[1], valid_at=4, created_at=10),
        facts=facts,
        based_on=10,
    )

    wrong = await store.verify()

    assert bool(wrong) is reported
    assert all("v-1" in sentence and "v-2" in sentence for sentence in wrong)


async def test_rivals_that_touch_or_are_no_longer_believed_are_well(store: Store) -> None:
    facts = (fact("f-1", "a", "WORKS_AT", "x"), fact("f-2", "a", "WORKS_AT", "y"))
    await store.commit([changes(10, entities=ENDS)])
    await supported(
        store,
        version("v-1", facts[0], valid_at=1, invalid_at=5, created_at=10),
        version("v-2", facts[1], valid_at=5, created_at=10),
        version("v-3", facts[1], valid_at=1, created_at=9, expired_at=10),
        version("v-4", facts[1], valid_at=None, invalid_at=5, created_at=10),
        facts=facts,
        based_on=10,
    )

    assert await store.verify() == []


async def test_two_versions_of_one_fact_that_overlap_are_reported(store: Store) -> None:
    likes = fact("f-1", "a", "LIKES", "x")
    await store.commit([changes(10, entities=ENDS)])
    rows = (version("v-1", likes, valid_at=1, created_at=10), version("v-2", likes, valid_at=2, created_at=10))
    await supported(store, *rows, facts=(likes,), based_on=10)

    [sentence] = await store.verify()

    assert "v-1" in sentence
    assert "v-2" in sentence


async def test_equal_histories_have_equal_digests_whatever_the_order_inside_a_commit(
    store: Store, tmp_path: Path
) -> None:
    other = open_store(str(tmp_path / "other.db"))
    await other.ensure_schema()
    names = (name("A", "a"), name("X", "x"))
    for kept, order in ((store, 1), (other, -1)):
        await kept.accept([episode("ep-1", metadata=dict([("k", "1"), ("l", "2")][::order]))], 1)
        await kept.commit([changes(10, entities=ENDS[::order], names=names[::order])])

    assert await store.digest() == await other.digest()
    await other.close()


async def test_every_write_changes_the_digest(store: Store) -> None:
    first = told(1, tau=10)
    withdrawn = Retraction(retraction_id="r", group_id=GROUP, claim_ids=("c-1",), tau=30)
    digests = [await store.digest()]
    await store.accept([first.episode], 1)
    digests.append(await store.digest())
    await store.lease(owner="w", now=5, until=9, limit=1)
    digests.append(await store.digest())
    await store.finish(JobOutcome(job_id="ep-1", group_id=GROUP, fence=1, state=JobState.DONE))
    digests.append(await store.digest())
    await store.commit([first.changes])
    digests.append(await store.digest())
    await store.commit([changes(20, based_on=10, kind="upkeep", note="x")])
    digests.append(await store.digest())
    await store.commit([changes(30, based_on=20, expire=("v-1",), retractions=(withdrawn,))])
    digests.append(await store.digest())
    await store.put_relations([Relation(name="R")])
    digests.append(await store.digest())

    assert len(set(digests)) == len(digests)


async def test_a_backup_overwrites_nothing(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "taken"
    target.write_text("mine")

    with pytest.raises(InvalidInput):
        await store.backup(target)

    assert target.read_text() == "mine"
