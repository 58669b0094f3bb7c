"""What a scope lets see: the four comparisons, filters, several groups, selections and order."""

from __future__ import annotations

import pytest

from graphmem.errors import InvalidInput
from graphmem.model import Filter, Scope, Source, Window
from graphmem.ports import Store
from graphmem.timeline.instants import MAX, MIN

from .build import GROUP, changes, claim, closed, entity, episode, fact, scope, told, version

WORKS = fact("f-1", "a", "WORKS_AT", "x")


async def holding(store: Store, *versions: object, facts: tuple[object, ...] = (WORKS,)) -> None:
    entities = tuple(entity(e) for e in "abcxyz")
    await store.commit([changes(10, entities=entities, facts=facts, versions=versions)])


async def seen(store: Store, in_scope: Scope, **selection: object) -> list[str]:
    found = await store.versions_in_scope(in_scope, **selection)  # type: ignore[arg-type]
    return [v.version_id for v in found]


@pytest.mark.parametrize("selection", [{}, {"subjects": ["a"], "relations": ["WORKS_AT"]}, {"fact_ids": ["f-1"]}])
@pytest.mark.parametrize(
    ("moment", "certain", "possible"),
    [
        *((99, False, False), (100, False, True), (199, False, True), (200, True, True)),
        *((299, True, True), (300, False, True), (399, False, True), (400, False, False)),
    ],
)
async def test_certain_and_possible_bounds_are_half_open(
    store: Store, selection: dict[str, object], moment: int, certain: bool, possible: bool
) -> None:
    await holding(store, version("v", WORKS, valid_at=200, invalid_at=300, created_at=10, start_lo=100, end_hi=400))

    assert bool(await seen(store, scope(at=moment), **selection)) is certain
    assert bool(await seen(store, scope(at=moment, possible=True), **selection)) is possible


@pytest.mark.parametrize(
    ("start", "until", "overlaps"),
    [(0, 200, False), (0, 201, True), (200, 300, True), (299, 300, True), (300, 500, False), (MIN, MAX, True)],
)
async def test_a_window_sees_what_overlaps_it(store: Store, start: int, until: int, overlaps: bool) -> None:
    await holding(store, version("v", WORKS, valid_at=200, invalid_at=300, created_at=10))

    window = Scope(group_ids=(GROUP,), window=Window(start=start, until=until))

    assert bool(await seen(store, window)) is overlaps


async def test_an_open_end_reaches_to_the_end_of_time(store: Store) -> None:
    await holding(store, version("v", WORKS, valid_at=MIN, created_at=10))

    for moment in (MIN, 0, MAX - 1):
        assert await seen(store, scope(at=moment)) == ["v"]


async def test_an_undated_past_is_seen_by_possible_reads_only(store: Store) -> None:
    await holding(store, version("v", WORKS, valid_at=None, invalid_at=300, created_at=10))

    assert await seen(store, scope()) == []
    assert await seen(store, scope(at=299)) == []
    assert await seen(store, scope(at=299, possible=True)) == ["v"]
    assert await seen(store, scope(at=300, possible=True)) == []


async def test_a_version_is_known_from_its_creation_until_it_expires(store: Store) -> None:
    await holding(store, version("old", WORKS, valid_at=1, created_at=10))
    await store.commit(
        [changes(20, based_on=10, expire=("old",), versions=(version("new", WORKS, valid_at=2, created_at=20),))]
    )

    by_moment = {tau: await seen(store, scope(at=5, known_at=tau)) for tau in (9, 10, 19, 20, MAX - 1)}

    assert by_moment == {9: [], 10: ["old"], 19: ["old"], 20: ["new"], MAX - 1: ["new"]}
    assert await seen(store, scope(at=5)) == ["new"]


async def test_a_read_as_of_an_earlier_time_never_changes(store: Store) -> None:
    row = version("v-0", WORKS, valid_at=1, created_at=10)
    await holding(store, row)
    views = {10: await store.versions_in_scope(scope(known_at=10))}
    for n in range(1, 6):
        tau = 10 + 10 * n
        newer = version(f"v-{n}", WORKS, valid_at=n + 1, created_at=tau)
        await store.commit([changes(tau, based_on=tau - 10, expire=(f"v-{n - 1}",), versions=(newer,))])
        views[tau] = await store.versions_in_scope(scope(known_at=tau))
        for known_at, before in views.items():
            now = await store.versions_in_scope(scope(known_at=known_at))
            # The one thing that shows later is that a version expired later.
            assert [closed(v, MAX) for v in now] == [closed(v, MAX) for v in before]


SLOTS = (
    fact("f-ax", "a", "WORKS_AT", "x"),
    fact("f-ay", "a", "WORKS_AT", "y"),
    fact("f-bx", "b", "WORKS_AT", "x"),
    fact("f-al", "a", "LIKES", "b"),
    fact("f-bl", "b", "LIKES", "a"),
)


@pytest.fixture
async def slots(store: Store) -> Store:
    versions = [version(f"v-{n}", of, valid_at=10 - n, created_at=10) for n, of in enumerate(SLOTS)]
    await holding(store, *versions, facts=SLOTS)
    return store


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({}, [4, 3, 2, 1, 0]),
        ({"limit": 2}, [4, 3]),
        ({"limit": 0}, []),
        ({"subjects": ["a"]}, [3, 1, 0]),
        ({"subjects": ["a", "b", "a"], "limit": 3}, [4, 3, 2]),
        ({"subjects": ["a"], "relations": ["WORKS_AT", "WORKS_AT"]}, [1, 0]),
        ({"subjects": ["a", "b"], "relations": ["WORKS_AT", "LIKES"], "objects": ["x", "a"]}, [4, 2, 0]),
        ({"relations": ["LIKES"]}, [4, 3]),
        ({"objects": ["x"]}, [2, 0]),
        ({"objects": ["a", "b"], "relations": ["LIKES"]}, [4, 3]),
        ({"touching": ["b"]}, [4, 3, 2]),
        ({"touching": ["b"], "relations": ["WORKS_AT"]}, [2]),
        ({"touching": ["a"], "objects": ["x"]}, [0]),
        ({"touching": ["b"], "subjects": ["a"]}, [3]),
        ({"touching": ["b"], "objects": ["x"], "relations": ["WORKS_AT"]}, [2]),
        ({"touching": ["b"], "subjects": ["a"], "relations": ["LIKES"]}, [3]),
        ({"fact_ids": ["f-bx", "f-ax", "f-??"]}, [2, 0]),
        ({"fact_ids": ["f-bx", "f-ax"], "subjects": ["b"]}, [2]),
        ({"fact_ids": ["f-bx", "f-ax"], "objects": ["x"], "relations": ["WORKS_AT"], "touching": ["a"]}, [0]),
        ({"subjects": []}, []),
        ({"relations": []}, []),
        ({"objects": []}, []),
        ({"touching": []}, []),
        ({"fact_ids": []}, []),
        ({"subjects": ["A"]}, []),
        ({"relations": ["works_at"]}, []),
    ],
)
async def test_versions_match_every_selection_given(
    slots: Store, selection: dict[str, object], expected: list[int]
) -> None:
    for possible in (False, True):
        assert await seen(slots, scope(possible=possible), **selection) == [f"v-{n}" for n in expected]


async def test_a_negative_limit_is_refused(slots: Store) -> None:
    with pytest.raises(InvalidInput):
        await slots.versions_in_scope(scope(), limit=-1)


async def test_versions_are_ordered_by_start_then_slot_then_creation(store: Store) -> None:
    facts = (
        fact("f-1", "b", "R", "x"),
        fact("f-2", "a", "S", "y"),
        fact("f-3", "a", "R", "y"),
        fact("f-4", "a", "R", "x"),
    )
    rows = (
        version("undated-b", facts[0], valid_at=None, invalid_at=50, created_at=10),
        version("undated-a", facts[2], valid_at=None, invalid_at=50, created_at=10),
        version("1-bRx", facts[0], valid_at=1, created_at=10),
        version("1-aSy", facts[1], valid_at=1, created_at=10),
        version("1-aRy", facts[2], valid_at=1, created_at=10),
        version("1-aRx-z", facts[3], valid_at=1, created_at=10),
        version("1-aRx-a", facts[3], valid_at=1, created_at=10),
        version("1-aRx-older", facts[3], valid_at=1, created_at=9),
        version("0", facts[1], valid_at=0, created_at=10),
    )
    await holding(store, *rows, facts=facts)

    in_order = await seen(store, scope(possible=True))

    assert in_order == [
        *("undated-a", "undated-b", "0"),
        *("1-aRx-older", "1-aRx-a", "1-aRx-z", "1-aRy", "1-bRx", "1-aSy"),
    ]
    assert await seen(store, scope(possible=True), subjects=["a", "b"]) == in_order


@pytest.fixture
async def sourced(store: Store) -> Store:
    """Four facts from four episodes that differ in session, source, speaker and metadata; v-0 has a second source from 20."""
    sources = (
        {"session_id": "s1", "source": Source.MESSAGE, "speaker": "Ann", "metadata": {"k": "1", "l": "x"}},
        {"session_id": "s2", "source": Source.MESSAGE, "speaker": "Bob", "metadata": {"k": "1"}},
        {"session_id": "s1", "source": Source.TEXT, "speaker": "ann", "metadata": {"k": "01"}},
        {},
    )
    await store.accept([episode(f"ep-{n}", **about) for n, about in enumerate(sources)], 1)
    facts = tuple(fact(f"f-{n}", "a", "R", "xyzb"[n]) for n in range(4))
    claims = tuple(claim(f"c-{n}", of, tau=10, episode_id=f"ep-{n}") for n, of in enumerate(facts))
    versions = tuple(version(f"v-{n}", of, valid_at=n, created_at=10) for n, of in enumerate(facts))
    entities = tuple(entity(e) for e in "abxyz")
    links = tuple((f"v-{n}", f"c-{n}") for n in range(4))
    await store.commit([changes(10, entities=entities, facts=facts, claims=claims, versions=versions, support=links)])
    again = claim("c-9", facts[0], tau=20, episode_id="ep-3")
    by_program = claim("c-8", facts[3], tau=20)
    await store.commit([changes(20, based_on=10, claims=(again, by_program), support=(("v-0", "c-9"), ("v-3", "c-8")))])
    return store


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(), [0, 1, 2, 3]),
        (Filter(session_id="s1"), [0, 2]),
        (Filter(source=Source.MESSAGE), [0, 1, 3]),
        (Filter(source=Source.JSON), []),
        (Filter(speaker="Ann"), [0]),
        (Filter(speaker="ANN"), []),
        (Filter(metadata={"k": "1"}), [0, 1]),
        (Filter(metadata={"k": "1", "l": "x"}), [0]),
        (Filter(metadata={"k": "2"}), []),
        (Filter(metadata={"none": ""}), []),
        (Filter(session_id="s1", source=Source.TEXT, speaker="ann", metadata={"k": "01"}), [2]),
        (Filter(session_id="s1", speaker="Bob"), []),
        (Filter(session_id="s%"), []),
    ],
)
@pytest.mark.parametrize("selection", [{}, {"subjects": ["a"]}, {"touching": ["a"]}])
async def test_a_version_counts_when_a_matching_episode_supports_it(
    sourced: Store, wanted: Filter, expected: list[int], selection: dict[str, object]
) -> None:
    assert await seen(sourced, scope(filter=wanted), **selection) == [f"v-{n}" for n in expected]


async def test_a_filter_looks_at_the_support_known_then(sourced: Store) -> None:
    by_ep3 = Filter(source=Source.MESSAGE, metadata={})
    without_session = scope(filter=by_ep3, known_at=19)
    assert await seen(sourced, without_session) == ["v-0", "v-1", "v-3"]

    await sourced.commit([changes(30, based_on=20, unsupport=(("v-0", "c-0"),))])
    ann = Filter(speaker="Ann")
    assert await seen(sourced, scope(filter=ann, known_at=29)) == ["v-0"]
    assert await seen(sourced, scope(filter=ann, known_at=30)) == []


async def test_several_groups_are_read_as_one(store: Store) -> None:
    for n, group_id in enumerate(("ann", "bob", "cid")):
        item = told(n, tau=10, valid_at=5 - n, group_id=group_id)
        await store.accept([item.episode], 1)
        await store.commit([item.changes])

    assert await seen(store, scope("ann", "cid")) == ["v-2", "v-0"]
    assert await seen(store, scope("cid", "ann", "bob", "ann"), limit=2) == ["v-2", "v-1"]
    assert await seen(store, scope("bob", "nobody"), subjects=["e-Alice"]) == ["v-1"]
