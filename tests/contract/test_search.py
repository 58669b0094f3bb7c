"""Full-text search: what is found, in which order, and nothing outside the scope."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.errors import InvalidInput
from graphmem.model import Filter, Scope
from graphmem.ports import SearchTarget, Store
from graphmem.terms import terms

from .build import GROUP, changes, claim, day, entity, episode, fact, name, scope, version


async def found(
    store: Store, target: SearchTarget, words: str, where: Scope | None = None, limit: int = 50
) -> list[str]:
    hits = await store.search_text(target, terms(words), where or scope(), limit=limit)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.item_id for hit in hits]


async def tell(store: Store, *texts: str) -> None:
    """Facts f-0, f-1, … with these sentences, true from 1 on, known from 10 on."""
    facts = tuple(fact(f"f-{n}", "a", f"R{n}", "x", text) for n, text in enumerate(texts))
    versions = tuple(version(f"v-{n}", of, valid_at=1, created_at=10) for n, of in enumerate(facts))
    await store.commit([changes(10, entities=(entity("a"), entity("x")), facts=facts, versions=versions)])


async def test_any_of_the_terms_is_enough(store: Store) -> None:
    await tell(store, "Alice paints walls", "Bob climbs rocks", "Cid sleeps")

    assert sorted(await found(store, SearchTarget.FACT, "painting rocks")) == ["f-0", "f-1"]
    assert await found(store, SearchTarget.FACT, "swimming") == []
    assert await found(store, SearchTarget.FACT, "?!") == []
    assert not await store.search_text(SearchTarget.FACT, [], scope(), limit=5)


async def test_more_and_rarer_terms_rank_higher(store: Store) -> None:
    filler = [f"Person{n} works somewhere" for n in range(10)]
    await tell(store, "Alice works somewhere", *filler, "Zed works underwater")

    assert (await found(store, SearchTarget.FACT, "works underwater"))[0] == "f-11"
    assert (await found(store, SearchTarget.FACT, "Alice works"))[0] == "f-0"


async def test_ties_are_ordered_by_id_and_the_limit_keeps_the_best(store: Store) -> None:
    await tell(store, *["the same words"] * 5, "words words and other matters at length, and more")

    in_order = await found(store, SearchTarget.FACT, "same words", limit=5)

    assert in_order == ["f-0", "f-1", "f-2", "f-3", "f-4"]
    assert await found(store, SearchTarget.FACT, "same words", limit=2) == ["f-0", "f-1"]
    assert await found(store, SearchTarget.FACT, "same words", limit=0) == []
    with pytest.raises(InvalidInput):
        await found(store, SearchTarget.FACT, "same", limit=-1)


async def test_the_limit_counts_hits_inside_the_scope(store: Store) -> None:
    await tell(store, *["amber amber amber"] * 30, "one amber stone among many things")
    await store.commit([changes(20, based_on=10, expire=tuple(f"v-{n}" for n in range(30)))])

    assert await found(store, SearchTarget.FACT, "amber", limit=1) == ["f-30"]


async def test_a_fact_is_found_where_a_version_lies_in_the_scope(store: Store) -> None:
    of = fact("f-1", "a", "R", "x", "Alice rows")
    rows = (
        version("v-1", of, valid_at=100, invalid_at=200, created_at=10, start_lo=50, end_hi=250),
        version("v-2", of, valid_at=None, invalid_at=20, created_at=10),
    )
    await store.commit([changes(10, entities=(entity("a"), entity("x")), facts=(of,), versions=rows)])

    async def at(moment: int, **rest: object) -> bool:
        return await found(store, SearchTarget.FACT, "rows", scope(at=moment, **rest)) == ["f-1"]

    assert [await at(t) for t in (99, 100, 199, 200)] == [False, True, True, False]
    assert [await at(t, possible=True) for t in (19, 20, 49, 50, 249, 250)] == [True, False, False, True, True, False]
    assert [await at(150, known_at=t) for t in (9, 10)] == [False, True]


async def test_a_filter_is_part_of_the_search(store: Store) -> None:
    await store.accept([episode("ep-1", session_id="s1"), episode("ep-2", metadata={"k": "v"})], 1)
    facts = (fact("f-1", "a", "R", "x", "Alice rows"), fact("f-2", "a", "R", "y", "Alice rows"))
    claims = tuple(claim(f"c-{n}", of, tau=10, episode_id=f"ep-{n}") for n, of in enumerate(facts, start=1))
    rows = tuple(version(f"v-{n}", of, valid_at=1, created_at=10) for n, of in enumerate(facts, start=1))
    links = (("v-1", "c-1"), ("v-2", "c-2"))
    entities = (entity("a"), entity("x"), entity("y"))
    await store.commit([changes(10, entities=entities, facts=facts, claims=claims, versions=rows, support=links)])

    for wanted, facts_found, episodes_found in (
        (Filter(session_id="s1"), ["f-1"], ["ep-1"]),
        (Filter(metadata={"k": "v"}), ["f-2"], ["ep-2"]),
        (Filter(session_id="s1", metadata={"k": "v"}), [], []),
    ):
        where = scope(filter=wanted)
        assert await found(store, SearchTarget.FACT, "alice", where) == facts_found
        assert await found(store, SearchTarget.EPISODE, "alice", where) == episodes_found


async def test_an_entity_is_found_by_every_spelling_from_its_creation_on(store: Store) -> None:
    bob = entity("e-1", "Robert Hale", created_at=10)
    await store.commit([changes(10, entities=(bob,), names=(name("Robert Hale", "e-1"),))])
    await store.commit([changes(20, based_on=10, names=(name("Bobby", "e-1"),))])

    for words in ("robert", "hale", "Bobby"):
        assert await found(store, SearchTarget.ENTITY, words) == ["e-1"]
    assert await found(store, SearchTarget.ENTITY, "bobby", scope(known_at=9)) == []
    assert await found(store, SearchTarget.ENTITY, "bobby", scope(known_at=10)) == ["e-1"]


async def test_an_entity_is_found_by_its_name_without_a_key_of_it(store: Store) -> None:
    await store.commit([changes(10, entities=(entity("e-1", "Umbra Ltd"),))])

    assert await found(store, SearchTarget.ENTITY, "umbra") == ["e-1"]


async def test_an_episode_is_found_by_text_speaker_and_day_once_learned(store: Store) -> None:
    late = day("2025-03-03") - 1
    await store.accept(
        [
            episode("ep-1", "I like tea", speaker="Zoë Quinn", said_at=late, zone="Europe/Berlin", learned_at=50),
            episode("ep-2", "I like tea", said_at=late, zone="-05:00", learned_at=50),
        ],
        1,
    )

    assert await found(store, SearchTarget.EPISODE, "quinn") == ["ep-1"]
    assert await found(store, SearchTarget.EPISODE, "monday") == ["ep-1"]
    assert await found(store, SearchTarget.EPISODE, "sunday") == ["ep-2"]
    assert sorted(await found(store, SearchTarget.EPISODE, "March")) == ["ep-1", "ep-2"]
    assert await found(store, SearchTarget.EPISODE, "tea", scope(known_at=49)) == []


async def test_a_search_of_several_groups_ranks_them_together(store: Store) -> None:
    for group_id, text in (("ann", "tea"), ("bob", "tea tea tea"), ("cid", "tea tea tea tea")):
        await store.accept([episode(f"ep-{group_id}", text, group_id=group_id)], 1)

    hits = await store.search_text(SearchTarget.EPISODE, ["tea"], scope("ann", "bob"), limit=5)

    assert {(hit.item_id, hit.group_id) for hit in hits} == {("ep-ann", "ann"), ("ep-bob", "bob")}


@pytest.mark.parametrize(
    "words",
    [
        '"tea',
        "tea OR",
        "NOT tea",
        "NEAR(tea, 2)",
        "terms:tea",
        "tea*",
        "^tea",
        "{tea}",
        "-tea +tea",
        "tea AND (",
        "' OR x=x --",
        "tea\0",
        "*",
    ],
)
async def test_a_query_is_words_and_nothing_else(store: Store, words: str) -> None:
    await store.accept([episode("ep-1", "tea"), episode("ep-2", "coffee and or not near terms")], 1)

    hits = await found(store, SearchTarget.EPISODE, words)

    assert ("ep-1" in hits) == ("tea" in words)


@pytest.mark.parametrize("term", ['a"b', '"', "a b", "NEAR", "terms : x", "x*", "(", "", "\\", "ü", "日本"])
async def test_a_term_of_any_signs_breaks_no_query(store: Store, term: str) -> None:
    await store.accept([episode("ep-1", "nothing of that")], 1)

    assert not await store.search_text(SearchTarget.EPISODE, [term, "zzz"], scope(), limit=5)


async def test_scripts_of_every_kind_are_found(store: Store) -> None:
    texts = (
        "Живу в Риге",
        "東京に住んでいます",
        "η Αθήνα",
        "شارع الملك",
        "हिन्दी भाषा",
        "Straße in Köln",
        "main_py v2.3",
    )
    await store.accept([episode(f"ep-{n}", text) for n, text in enumerate(texts)], 1)

    for n, words in enumerate(("риге", "東京", "αθηνα", "الملك", "भाषा", "STRASSE", "main.py")):
        assert await found(store, SearchTarget.EPISODE, words) == [f"ep-{n}"], words


async def test_of_very_many_terms_the_first_256_count(store: Store) -> None:
    await store.accept([episode("ep-1", "last"), episode("ep-2", "x254")], 1)
    many = [f"x{n}" for n in range(255)]

    hits = await store.search_text(SearchTarget.EPISODE, [*many, *many, "last"], scope(), limit=5)
    assert {hit.item_id for hit in hits} == {"ep-1", "ep-2"}

    hits = await store.search_text(SearchTarget.EPISODE, [*many, "one", "last"], scope(), limit=5)
    assert [hit.item_id for hit in hits] == ["ep-2"]


async def test_a_long_text_is_found_by_its_last_word(store: Store) -> None:
    await store.accept([episode("ep-1", "word " * 20_000 + "omega")], 1)

    assert await found(store, SearchTarget.EPISODE, "omega") == ["ep-1"]


async def test_a_group_that_is_not_asked_for_is_never_searched(store: Store) -> None:
    await tell(store, "Alice rows")

    for target in SearchTarget:
        assert await found(store, target, "alice rows a", replace(scope(), group_ids=("ANN", "an"))) == []
    assert GROUP == "ann"
