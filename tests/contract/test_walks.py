"""Versions read whole, and as the edges of a walk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphmem.errors import InvalidInput
from graphmem.model import Filter, Scope
from graphmem.ports import Edge, EmbeddingModel, ItemKey, ItemVector, SearchTarget, Store, Telling, WholeVersion
from graphmem.terms import terms
from graphmem.timeline.instants import MAX

from .build import GROUP, changes, claim, entity, episode, fact, scope, version

CHAIN = tuple(fact(f"f-{n}", left, "KNOWS", right) for n, (left, right) in enumerate(["ab", "bc", "cd", "xa"]))
PLENTY = 1_000


def key(item_id: str, target: SearchTarget = SearchTarget.ENTITY, group_id: str = GROUP) -> ItemKey:
    return ItemKey(group_id, target, item_id)


@pytest.fixture
async def chain(store: Store) -> Store:
    """x → a → b → c → d in two groups, each fact from its own episode, learned as its number says; a → b also from ep-9, by
    what Bo is said to say there."""
    for group_id in (GROUP, "bob"):
        facts = [fact(f.fact_id, f.subject, f.relation, f.object, group_id=group_id) for f in CHAIN]
        sources = [episode(f"ep-{n}", group_id=group_id, learned_at=n, speaker=f"S{n}") for n in (0, 1, 2, 3, 9)]
        await store.accept(sources, 9)
        claims = [claim(f"c-{n}", of, tau=10 + n, episode_id=f"ep-{n}") for n, of in enumerate(facts)]
        claims.append(replace(claim("c-9", facts[0], tau=5, episode_id="ep-9"), told_by="Bo"))
        claims.append(claim("c-8", facts[0], tau=7))
        await store.commit(
            [
                changes(
                    20,
                    group_id=group_id,
                    entities=tuple(entity(e, group_id=group_id) for e in "abcdx"),
                    facts=tuple(facts),
                    claims=tuple(claims),
                    versions=tuple(version(f"v-{n}", of, valid_at=10 - n, created_at=20) for n, of in enumerate(facts)),
                    support=(*((f"v-{n}", f"c-{n}") for n in range(4)), ("v-0", "c-9"), ("v-0", "c-8")),
                )
            ]
        )
    return store


async def walk(
    store: Store, begin: str, where: Scope | None = None, *, limit: int = PLENTY, enough: int = PLENTY
) -> tuple[list[str], list[str]]:
    keys = [key(one) for one in begin]
    first, second = await store.edges_around(where or scope(), keys, limit=limit, enough=enough)
    return [edge.fact_id for edge in first], [edge.fact_id for edge in second]


async def test_a_walk_names_the_episodes_behind_its_edges_only_where_they_are_wanted(chain: Store) -> None:
    told = await chain.edges_around(scope(), [key("a")], limit=PLENTY, enough=PLENTY)
    untold = await chain.edges_around(scope(), [key("a")], limit=PLENTY, enough=PLENTY, with_episodes=False)

    assert all(edge.episode_ids for edges in told for edge in edges)
    assert untold == tuple([edge._replace(episode_ids=()) for edge in edges] for edges in told)


async def test_a_walk_takes_two_steps_either_way_in_the_order_of_versions(chain: Store) -> None:
    assert await walk(chain, "a") == (["f-3", "f-0"], ["f-3", "f-1", "f-0"])
    assert await walk(chain, "d") == (["f-2"], ["f-2", "f-1"])
    assert await walk(chain, "ad") == (["f-3", "f-2", "f-0"], ["f-3", "f-2", "f-1", "f-0"])
    assert await walk(chain, "ab") == (["f-3", "f-1", "f-0"], ["f-3", "f-2", "f-1"])


async def test_a_walk_goes_no_further_when_the_first_step_came_to_enough_facts(chain: Store) -> None:
    assert await walk(chain, "a", enough=2) == (["f-3", "f-0"], [])
    assert await walk(chain, "a", enough=3) == (["f-3", "f-0"], ["f-3", "f-1", "f-0"])
    assert await walk(chain, "a", enough=0) == (["f-3", "f-0"], [])
    assert await walk(chain, "", enough=1) == ([], [])
    assert await walk(chain, "q") == ([], [])


async def test_each_step_keeps_the_first_versions_of_each_group(chain: Store) -> None:
    assert await walk(chain, "a", limit=1) == (["f-3"], ["f-3"])
    assert await walk(chain, "a", limit=0) == ([], [])
    keys = [key("a"), key("d", group_id="bob"), key("a", group_id="eve")]

    first, second = await chain.edges_around(scope("eve", "bob", GROUP), keys, limit=1, enough=3)

    assert [(edge.group_id, edge.fact_id) for edge in first] == [(GROUP, "f-3"), ("bob", "f-2")]
    assert [(edge.group_id, edge.fact_id) for edge in second] == [(GROUP, "f-3"), ("bob", "f-2")]
    with pytest.raises(InvalidInput):
        await walk(chain, "a", limit=-1)


async def test_a_walk_stays_in_its_scope(chain: Store) -> None:
    assert await walk(chain, "a", scope("bob")) == ([], [])
    assert await walk(chain, "a", scope(known_at=19)) == ([], [])
    assert await walk(chain, "a", scope(at=9)) == (["f-3"], ["f-3"])
    assert await walk(chain, "a", scope(filter=Filter(speaker="S0"))) == (["f-0"], ["f-0"])
    assert await chain.edges_around(scope(), [key("f-0", SearchTarget.FACT)], limit=9, enough=9) == ([], [])


async def test_an_edge_tells_what_it_is_about_and_the_episodes_behind_it_that_the_scope_sees(chain: Store) -> None:
    facts = [key(of, SearchTarget.FACT, group_id) for of, group_id in [("f-0", "bob"), ("f-0", GROUP), ("f-3", GROUP)]]

    edges = await chain.edges_of(scope(GROUP, "bob"), [*facts, facts[0], key("f-9", SearchTarget.FACT), key("a")])

    of_ab = Edge(GROUP, "f-0", "a", "b", "a knows b", ("ep-0", "ep-9"))
    assert list(edges) == [
        Edge(GROUP, "f-3", "x", "a", "x knows a", ("ep-3",)),
        of_ab,
        of_ab._replace(group_id="bob"),
    ]
    assert await chain.edges_of(scope(filter=Filter(speaker="S9")), facts) == [of_ab._replace(episode_ids=("ep-9",))]
    assert await chain.edges_of(scope("eve"), facts) == []
    assert await chain.edges_of(scope(), []) == []


async def test_an_edge_rests_on_what_supported_it_then(chain: Store) -> None:
    await chain.commit([changes(30, based_on=20, unsupport=(("v-0", "c-0"),))])
    asked = [key("f-0", SearchTarget.FACT)]

    assert [edge.episode_ids for edge in await chain.edges_of(scope(known_at=29), asked)] == [("ep-0", "ep-9")]
    assert [edge.episode_ids for edge in await chain.edges_of(scope(known_at=30), asked)] == [("ep-9",)]


async def test_an_episode_behind_a_fact_that_was_learned_later_is_not_seen(store: Store) -> None:
    of = CHAIN[0]
    await store.accept([episode("ep-0", learned_at=50)], 50)
    said = claim("c-0", of, tau=10, episode_id="ep-0")
    ends = (entity("a"), entity("b"))
    await store.commit(
        [
            changes(
                20,
                entities=ends,
                facts=(of,),
                claims=(said,),
                versions=(version("v-0", of, valid_at=1, created_at=20),),
                support=(("v-0", "c-0"),),
            )
        ]
    )
    asked = [key("f-0", SearchTarget.FACT)]

    assert [edge.episode_ids for edge in await store.edges_of(scope(known_at=49), asked)] == [()]
    assert [edge.episode_ids for edge in await store.edges_of(scope(known_at=50), asked)] == [("ep-0",)]


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"subjects": ["a", "c"]},
        {"subjects": ["a"], "relations": ["KNOWS"]},
        {"objects": ["a", "c"]},
        {"objects": ["a"], "relations": ["KNOWS"]},
        {"touching": ["a"]},
        {"fact_ids": ["f-0", "f-2"]},
        {"limit": 2},
    ],
)
async def test_whole_versions_are_the_versions_in_the_scope_with_all_that_is_told_of_each(
    chain: Store, selection: dict[str, object]
) -> None:
    where = scope("bob", GROUP, known_at=MAX - 1)
    versions = await chain.versions_in_scope(where, **selection)  # type: ignore[arg-type]

    wholes = await chain.whole_versions(where, **selection)  # type: ignore[arg-type]

    assert versions
    assert [whole.version for whole in wholes] == list(versions)
    for whole in wholes:
        assert whole == await told_of(chain, whole)


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"subjects": ["a", "c"]},
        {"subjects": ["a"], "relations": ["KNOWS"]},
        {"objects": ["b", "d"]},
        {"objects": ["b"], "relations": ["KNOWS"]},
        {"touching": ["a"]},
        {"fact_ids": ["f-0", "f-2"]},
    ],
)
async def test_a_speaker_s_facts_are_also_those_told_in_their_name(chain: Store, selection: dict[str, object]) -> None:
    async def seen(**wanted: str) -> list[str]:
        found = await chain.versions_in_scope(scope(filter=Filter(**wanted)), **selection)  # type: ignore[arg-type]
        return [one.fact_id for one in found]

    assert await seen(speaker="Bo") == ["f-0"]
    assert await seen(speaker="S9") == ["f-0"]
    assert await seen(speaker="bo") == []
    assert await seen(speaker="Bo", session_id="other") == []


async def test_searches_and_walks_see_a_speaker_s_facts_told_by_others(chain: Store) -> None:
    bo = scope(filter=Filter(speaker="Bo"))
    near = np.array([1.0, 0.0], dtype=np.float32)
    model = EmbeddingModel(name="test", dimension=2)
    await chain.start_vectors(model)
    facts = [key(f"f-{n}", SearchTarget.FACT) for n in range(4)]
    await chain.put_vectors(model, [ItemVector(key=one, vector=near) for one in facts])

    assert [h.item_id for h in await chain.search_text(SearchTarget.FACT, terms("knows"), bo, limit=9)] == ["f-0"]
    assert [h.item_id for h in await chain.search_vector(SearchTarget.FACT, near, bo, limit=9)] == ["f-0"]
    assert [edge.fact_id for edge in await chain.edges_of(bo, facts)] == ["f-0"]
    assert await walk(chain, "x", bo) == ([], [])
    assert await walk(chain, "b", bo) == (["f-0"], ["f-0"])
    assert not await chain.search_text(SearchTarget.EPISODE, terms("Acme"), bo, limit=9)


async def told_of(store: Store, whole: WholeVersion) -> WholeVersion:
    """The same, read one by one."""
    of = whole.version
    [about] = await store.facts(of.group_id, [of.fact_id])
    [subject] = await store.entities(of.group_id, [of.subject])
    [obj] = await store.entities(of.group_id, [of.object])
    links = await store.support_of(of.group_id, [of.version_id], MAX - 1)
    support = tuple(Telling(said.claim.ref, said.episode_id, said.told_by) for _, said in links)
    return WholeVersion(version=of, fact=about, subject=subject, object=obj, support=support)


async def test_the_support_of_a_whole_version_is_in_the_order_of_its_testimony(chain: Store) -> None:
    [whole] = await chain.whole_versions(scope(), fact_ids=["f-0"])

    assert list(whole.support) == [(5, "ep-9", "Bo"), (7, None, None), (10, "ep-0", None)]
    assert await chain.whole_versions(scope(), fact_ids=["f-9"]) == []
    with pytest.raises(InvalidInput):
        await chain.whole_versions(scope(), limit=-1)
