"""Reading claims and timelines for the fold."""

from __future__ import annotations

import pytest

from graphmem.model import Retraction, StoredClaim, Support
from graphmem.ports import Store
from graphmem.timeline.claims import FactKey
from graphmem.timeline.instants import MIN

from .build import GROUP, changes, claim, entity, episode, fact, version

FACTS = (
    fact("f-aw", "a", "WORKS_AT", "x"),
    fact("f-ay", "a", "WORKS_AT", "y"),
    fact("f-bx", "b", "WORKS_AT", "x"),
    fact("f-al", "a", "LIKES", "x"),
    fact("f-xa", "x", "LIKES", "a"),
)
F_AX, F_AY, F_BX, F_AL, F_XA = FACTS


@pytest.fixture
async def filled(store: Store) -> Store:
    """Five facts, one claim each, with `ref` against the order of ids; the first version is expired."""
    await store.accept([episode("ep-1"), episode("ep-2")], 1)
    claims = tuple(
        claim(f"c-{n}", of, tau=10, episode_id=f"ep-{1 + n % 2}", ref=100 - n, seq=n) for n, of in enumerate(FACTS)
    )
    versions = tuple(version(f"v-{n}", of, valid_at=n, created_at=10) for n, of in enumerate(FACTS))
    links = tuple((f"v-{n}", f"c-{n}") for n in range(len(FACTS)))
    entities = tuple(entity(e) for e in "abxy")
    await store.commit([changes(10, entities=entities, facts=FACTS, claims=claims, versions=versions, support=links)])
    withdrawn = Retraction(retraction_id="r", group_id=GROUP, claim_ids=("c-0",), tau=20)
    await store.commit(
        [changes(20, based_on=10, expire=("v-0",), unsupport=(("v-0", "c-0"),), retractions=(withdrawn,))]
    )
    return store


def ids(claims: object) -> list[str]:
    return [c.claim.claim_id for c in claims]  # type: ignore[attr-defined]


async def test_a_timeline_holds_claims_open_versions_and_open_links(filled: Store) -> None:
    read = await filled.read_timelines(GROUP, subjects=[("WORKS_AT", "a")])

    assert read.tau == 20
    assert [(c.claim.claim_id, c.retracted_at == 20) for c in read.claims] == [("c-0", True), ("c-1", False)]
    assert [v.version_id for v in read.versions] == ["v-1"]
    assert read.support == [Support(version_id="v-1", claim_id="c-1", created_at=10)]


async def test_timelines_are_selected_by_fact_by_subject_and_by_object(filled: Store) -> None:
    by_fact = await filled.read_timelines(GROUP, facts=[F_AY.key, FactKey(subject="a", relation="NONE", object="x")])
    by_object = await filled.read_timelines(GROUP, objects=[("WORKS_AT", "x")])
    together = await filled.read_timelines(
        GROUP, facts=[F_XA.key], subjects=[("LIKES", "a"), ("LIKES", "a")], objects=[("LIKES", "x")]
    )

    assert (ids(by_fact.claims), ids(by_object.claims), ids(together.claims)) == (
        ["c-1"],
        ["c-0", "c-2"],
        ["c-3", "c-4"],
    )
    assert [v.version_id for v in together.versions] == ["v-3", "v-4"]


async def test_unknown_keys_give_nothing_but_the_transaction_time(filled: Store) -> None:
    read = await filled.read_timelines(GROUP, subjects=[("WORKS_AT", "nobody"), ("a", "WORKS_AT")])
    assert (read.tau, read.claims, read.versions, read.support) == (20, [], [], [])

    nowhere = await filled.read_timelines("bob", subjects=[("WORKS_AT", "a")])
    assert (nowhere.tau, nowhere.claims) == (MIN, [])

    nothing = await filled.read_timelines(GROUP)
    assert (nothing.tau, nothing.claims) == (20, [])


async def test_claims_are_ordered_by_testimony(filled: Store) -> None:
    assert ids(await filled.claims(GROUP)) == ["c-4", "c-3", "c-2", "c-1", "c-0"]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({"claim_ids": ["c-1", "c-3", "c-X"]}, ["c-3", "c-1"]),
        ({"episode_ids": ["ep-2"]}, ["c-3", "c-1"]),
        ({"fact_ids": ["f-xa", "f-aw"]}, ["c-4", "c-0"]),
        ({"entity_ids": ["b", "y"]}, ["c-2", "c-1"]),
        ({"entity_ids": ["a"]}, ["c-4", "c-3", "c-1", "c-0"]),
        ({"relation": "LIKES"}, ["c-4", "c-3"]),
        ({"entity_ids": ["x"], "relation": "WORKS_AT", "episode_ids": ["ep-1"]}, ["c-2", "c-0"]),
        ({"claim_ids": ["c-0", "c-1"], "fact_ids": ["f-ay"]}, ["c-1"]),
        ({"claim_ids": []}, []),
        ({"entity_ids": []}, []),
        ({"relation": "works_at"}, []),
    ],
)
async def test_claims_match_every_selection_given(
    filled: Store, selection: dict[str, object], expected: list[str]
) -> None:
    found: list[StoredClaim] = list(await filled.claims(GROUP, **selection))  # type: ignore[arg-type]
    assert ids(found) == expected
    assert await filled.claims("bob", **selection) == []  # type: ignore[arg-type]
