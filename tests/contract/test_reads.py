"""Episodes, entities, names, support, changes and groups: what is read, and in which order."""

from __future__ import annotations

import pytest

from graphmem.errors import InvalidInput
from graphmem.model import Erasure, Filter, Name, Source, Tombstone
from graphmem.ports import GroupState, Store
from graphmem.timeline.instants import MAX, MIN

from .build import GROUP, changes, claim, closed, entity, episode, fact, name, told, version

WORKS = fact("f-1", "a", "WORKS_AT", "x")


async def test_things_come_in_the_order_asked_for_each_once(store: Store) -> None:
    first, second = told(1, tau=10), told(2, "Bob", "WORKS_AT", "Globex", tau=20, based_on=10)
    await store.accept([first.episode, second.episode], 1)
    await store.commit([first.changes, second.changes])

    assert await store.episodes(GROUP, ["ep-2", "ep-X", "ep-1", "ep-2"]) == [second.episode, first.episode]
    assert await store.entities(GROUP, ["e-Bob", "e-X", "e-Alice", "e-Bob"]) == [second.subject, first.subject]
    wanted = [second.fact.fact_id, "f-X", first.fact.fact_id, second.fact.fact_id]
    assert await store.facts(GROUP, wanted) == [second.fact, first.fact]
    assert await store.episodes(GROUP, []) == []


async def test_the_newest_episodes_come_oldest_first(store: Store) -> None:
    said = {"a": 30, "b": 10, "c": 20, "d": 20, "e": 40}
    await store.accept([episode(i, said_at=at) for i, at in said.items()], 1)

    async def recent(limit: int, **rest: object) -> str:
        found = await store.recent_episodes([GROUP], limit=limit, **rest)  # type: ignore[arg-type]
        return "".join(e.episode_id for e in found)

    assert await recent(10) == "bcdae"
    assert await recent(2) == "ae"
    assert await recent(3) == "dae"
    assert await recent(0) == ""
    assert await recent(10, before=30) == "bcd"
    assert await recent(2, before=20) == "b"
    with pytest.raises(InvalidInput):
        await recent(-1)


async def test_an_episode_at_the_end_of_time_is_recent(store: Store) -> None:
    await store.accept([episode("a", said_at=MAX, learned_at=5), episode("b", said_at=MIN, learned_at=5)], 1)

    assert [e.episode_id for e in await store.recent_episodes([GROUP], limit=5)] == ["b", "a"]


async def test_recent_episodes_are_those_learned_and_matching(store: Store) -> None:
    await store.accept(
        [
            episode("a", said_at=1, learned_at=50, session_id="s"),
            episode("b", said_at=2, learned_at=60, source=Source.TEXT),
            episode("c", said_at=3, learned_at=50, session_id="s", metadata={"k": "v"}, speaker="Ann"),
        ],
        1,
    )

    async def recent(**rest: object) -> list[str]:
        found = await store.recent_episodes([GROUP], limit=2, **rest)  # type: ignore[arg-type]
        return [e.episode_id for e in found]

    assert await recent() == ["b", "c"]
    assert await recent(known_at=59) == ["a", "c"]
    assert await recent(known_at=60) == ["b", "c"]
    assert await recent(known_at=49) == []
    assert await recent(filter=Filter(session_id="s")) == ["a", "c"]
    assert await recent(filter=Filter(source=Source.TEXT)) == ["b"]
    assert await recent(filter=Filter(metadata={"k": "v"}, speaker="Ann")) == ["c"]
    assert await recent(filter=Filter(metadata={"k": "w"})) == []


async def test_recent_episodes_of_several_groups_are_mixed_by_time(store: Store) -> None:
    await store.accept(
        [
            episode("a1", said_at=10),
            episode("b1", said_at=10, group_id="bob"),
            episode("a2", said_at=5),
            episode("b2", said_at=20, group_id="bob"),
            episode("c1", said_at=99, group_id="cid"),
        ],
        1,
    )

    found = await store.recent_episodes([GROUP, "bob"], limit=3)

    assert [e.episode_id for e in found] == ["a1", "b1", "b2"]


async def test_one_key_may_name_several_entities_and_one_entity_have_several_keys(store: Store) -> None:
    names = (name("Bob", "e-1"), name("Bob", "e-2"), name("Robert Hale", "e-1"), name("ÄRGER", "e-3"))
    await store.commit([changes(10, entities=tuple(entity(f"e-{n}") for n in (1, 2, 3)), names=names)])

    assert await store.entities_named([GROUP], ["robert hale", "bob", "bob"]) == [names[0], names[1], names[2]]
    assert await store.entities_named([GROUP], ["arger"]) == [names[3]]
    assert await store.entities_named([GROUP], ["Bob", "rob", "%", ""]) == []
    assert await store.names_of(GROUP, ["e-2", "e-1"]) == [names[0], names[2], names[1]]
    assert await store.list_names([GROUP]) == [names[3], names[0], names[1], names[2]]
    assert await store.list_names([GROUP], limit=2) == [names[3], names[0]]


async def test_mentions_are_pairs_in_order(store: Store) -> None:
    await store.accept([episode("ep-2"), episode("ep-1")], 1)
    pairs = (("ep-2", "e-1"), ("ep-1", "e-2"), ("ep-1", "e-1"), ("ep-1", "e-1"))
    await store.commit([changes(10, entities=(entity("e-1"), entity("e-2")), mentions=pairs)])

    assert await store.mentions_of(GROUP, ["e-2", "e-1"]) == [("ep-1", "e-1"), ("ep-1", "e-2"), ("ep-2", "e-1")]
    assert await store.mentions_of(GROUP, ["e-2"]) == [("ep-1", "e-2")]


async def test_all_versions_of_a_fact_are_ordered_by_creation_and_start(store: Store) -> None:
    rows = (
        version("d", WORKS, valid_at=1, created_at=9),
        version("c", WORKS, valid_at=None, invalid_at=9, created_at=10),
        version("b", WORKS, valid_at=1, created_at=10),
        version("a", WORKS, valid_at=2, created_at=10),
    )
    await store.commit([changes(10, entities=(entity("a"), entity("x")), facts=(WORKS,), versions=rows[::-1])])
    await store.commit([changes(20, based_on=10, expire=("d",))])

    assert await store.versions_of(GROUP, ["f-1", "f-1"]) == [closed(rows[0], 20), *rows[1:]]


async def test_support_is_ordered_by_version_and_testimony(store: Store) -> None:
    said = [claim(f"c-{n}", WORKS, tau=10, ref=-n) for n in range(4)]
    rows = (version("v-1", WORKS, valid_at=1, created_at=10), version("v-2", WORKS, valid_at=2, created_at=10))
    links = (("v-2", "c-0"), ("v-1", "c-1"), ("v-1", "c-2"), ("v-2", "c-3"))
    await store.commit(
        [
            changes(
                10,
                entities=(entity("a"), entity("x")),
                facts=(WORKS,),
                claims=tuple(said),
                versions=rows,
                support=links,
            )
        ]
    )

    found = await store.support_of(GROUP, ["v-2", "v-1", "v-2"], MAX - 1)

    assert found == [("v-1", said[2]), ("v-1", said[1]), ("v-2", said[3]), ("v-2", said[0])]
    assert await store.support_of(GROUP, ["v-1"], 9) == []


async def test_changes_are_the_versions_that_opened_or_closed_in_between(store: Store) -> None:
    one, two = version("b", WORKS, valid_at=1, created_at=10), version("a", WORKS, valid_at=2, created_at=20)
    three = version("c", WORKS, valid_at=3, created_at=20)
    await store.commit([changes(10, entities=(entity("a"), entity("x")), facts=(WORKS,), versions=(one,))])
    await store.commit([changes(20, based_on=10, expire=("b",), versions=(two, three))])

    async def between(after: int, until: int) -> list[str]:
        return [v.version_id for v in await store.changed_between([GROUP], after, until)]

    assert await between(9, 10) == ["b"]
    assert await between(10, 19) == []
    assert await between(10, 20) == ["a", "b", "c"]
    assert await between(MIN, MAX) == ["b", "a", "c"]
    assert await between(20, MAX) == []
    assert await store.changed_between(["bob"], MIN, MAX) == []


async def test_changes_of_several_groups_are_mixed_by_time(store: Store) -> None:
    for n, group_id in ((1, "bob"), (2, "ann"), (3, "cid")):
        item = told(n, tau=10 * n, group_id=group_id)
        await store.accept([item.episode], 1)
        await store.commit([item.changes])

    found = await store.changed_between(["ann", "bob"], MIN, MAX)

    assert [v.version_id for v in found] == ["v-1", "v-2"]


async def test_every_group_with_something_in_it_is_listed_with_its_counts(store: Store) -> None:
    item = told(1, tau=10, group_id="zed")
    await store.accept([item.episode, episode("ep-9", group_id="ann")], 1)
    await store.commit([item.changes])
    await store.commit([changes(20, based_on=10, group_id="zed", expire=("v-1",))])

    assert await store.groups() == [
        GroupState(group_id="ann", tau=MIN, episodes=1),
        GroupState(group_id="zed", tau=20, episodes=1, entities=2, facts=1, versions=1, claims=1),
    ]
    assert await store.group("zed") == (await store.groups())[1]
    assert await store.group("nobody") == GroupState(group_id="nobody", tau=MIN)


async def test_ids_with_a_nul_are_refused(store: Store) -> None:
    await store.commit([changes(10, entities=(entity("a"),), names=(name("a", "a"),))])

    with pytest.raises(InvalidInput):
        await store.entities(GROUP, ["a\0b"])
    with pytest.raises(InvalidInput):
        await store.entities_named([GROUP], ["a\0b"])
    with pytest.raises(InvalidInput):
        await store.recent_episodes([GROUP], limit=1, filter=Filter(metadata={"a\0b": "c"}))


@pytest.mark.parametrize(
    "odd",
    ["a'b", 'a"b', "a;DROP TABLE fact--", "%", "_", "[1]", "{}", "\\", "ü", "日本", "👩‍👩‍👧", " ", "null", "\\u0041"],
)
async def test_a_name_is_a_value_and_never_part_of_a_statement(store: Store, odd: str) -> None:
    others = (entity("e-1"), entity(odd, odd))
    keyed = (name("plain", "e-1"), Name(group_id=GROUP, key=odd, entity_id=odd, spelling=odd))
    await store.commit([changes(10, entities=others, names=keyed)])

    assert await store.entities(GROUP, [odd]) == [others[1]]
    assert await store.entities_named([GROUP], [odd]) == [keyed[1]]
    assert await store.names_of(GROUP, [odd]) == [keyed[1]]


async def test_tombstones_are_ordered_by_time_and_target(store: Store) -> None:
    def stone(target_id: str, tau: int, kind: str = "fact") -> Tombstone:
        return Tombstone(group_id=GROUP, target_id=target_id, kind=kind, tau=tau, reason="asked", digest=b"\x01")

    first, second, third = stone("b", 10), stone("a", 20), stone("a", 20, "entity")
    await store.erase(Erasure(group_id=GROUP, based_on=MIN, tau=10, tombstones=(first,)))
    await store.erase(Erasure(group_id=GROUP, based_on=10, tau=20, tombstones=(second, third, stone("b", 20))))

    assert await store.tombstones(GROUP) == [first, third, second]
    assert await store.tombstones(GROUP, ["b", "c"]) == [first]
    assert await store.tombstones(GROUP, []) == []
    assert await store.tombstones("bob") == []
