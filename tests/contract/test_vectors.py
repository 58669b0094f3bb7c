"""Vectors: of which model, what waits for one, and the nearest inside the scope. A store without them fails here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from graphmem.errors import EmbedderMismatch, InvalidInput, SchemaMismatch
from graphmem.model import Erasure, Filter, Scope, Tombstone
from graphmem.ports import (
    EmbeddingModel,
    Floats,
    ItemKey,
    ItemVector,
    SearchTarget,
    Store,
    TextSearch,
    VectorSearch,
)
from graphmem.stores import open_store
from graphmem.timeline.instants import MIN

from .build import GROUP, changes, claim, entity, episode, fact, name, scope, told, version

MODEL = EmbeddingModel(name="test", dimension=4)
OTHER = EmbeddingModel(name="test", dimension=3)


def vector(*numbers: float) -> Floats:
    return np.array(numbers, dtype=np.float32)


def key(target: SearchTarget, item_id: str, group_id: str = GROUP) -> ItemKey:
    return ItemKey(group_id=group_id, target=target, item_id=item_id)


async def put(store: Store, *pairs: tuple[ItemKey, Floats]) -> None:
    await store.put_vectors(MODEL, [ItemVector(key=of, vector=given) for of, given in pairs])


async def nearest(
    store: Store, target: SearchTarget, to: Floats, where: Scope | None = None, limit: int = 50
) -> list[str]:
    hits = await store.search_vector(target, to, where or scope(), limit=limit)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.item_id for hit in hits]


async def tell_episodes(store: Store, vectors: Sequence[Floats], **about: object) -> None:
    """Episodes ep-0, ep-1, … with these vectors."""
    await store.accept([episode(f"ep-{n}", f"text {n}", **about) for n in range(len(vectors))], 1)  # type: ignore[arg-type]
    await put(store, *((key(SearchTarget.EPISODE, f"ep-{n}"), v) for n, v in enumerate(vectors)))


async def test_before_a_model_is_named_nothing_waits_and_nothing_is_found(store: Store) -> None:
    await store.accept([episode("ep-1")], 1)

    assert await store.embedding_model() is None
    assert (await store.unembedded(limit=9), await store.count_unembedded()) == ([], 0)
    assert await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0, 0)) == []
    with pytest.raises(EmbedderMismatch):
        await put(store, (key(SearchTarget.EPISODE, "ep-1"), vector(1, 0, 0, 0)))


async def test_what_is_there_and_what_comes_waits_for_a_vector(store: Store) -> None:
    first, second = told(1, tau=10), told(2, "Bob", tau=20, based_on=10)
    await store.accept([first.episode], 1)
    await store.commit([first.changes])
    await store.start_vectors(MODEL)
    await store.accept([second.episode, episode("ep-9", group_id="bob")], 2)
    await store.commit([second.changes])

    waiting = await store.unembedded(limit=50)

    assert waiting == sorted(waiting)
    assert {(k.group_id, k.target.value, k.item_id) for k in waiting} == {
        *((GROUP, "entity", i) for i in ("e-Alice", "e-Bob", "e-Acme")),
        *((GROUP, "fact", i) for i in (first.fact.fact_id, second.fact.fact_id)),
        *((GROUP, "episode", i) for i in ("ep-1", "ep-2")),
        ("bob", "episode", "ep-9"),
    }
    assert await store.unembedded(limit=50, group_ids=["bob"]) == [key(SearchTarget.EPISODE, "ep-9", "bob")]
    assert (await store.count_unembedded(), await store.count_unembedded(["bob"])) == (8, 1)
    assert await store.unembedded(limit=2) == waiting[:2]

    await put(store, *((k, vector(1, 0, 0, 0)) for k in waiting[:5]))
    assert await store.unembedded(limit=50) == waiting[5:]


async def test_the_nearest_come_first_with_their_cosine(store: Store) -> None:
    await store.start_vectors(MODEL)
    await tell_episodes(store, [vector(1, 0, 0, 0), vector(3, 4, 0, 0), vector(-2, 0, 0, 0), vector(0, 0, 0, 0)])

    hits = await store.search_vector(SearchTarget.EPISODE, vector(2, 0, 0, 0), scope(), limit=50)

    assert [(hit.item_id, pytest.approx(hit.score, abs=1e-5)) for hit in hits] == [
        ("ep-0", 1.0),
        ("ep-1", 0.6),
        ("ep-3", 0.0),
        ("ep-2", -1.0),
    ]
    assert await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0, 0), limit=2) == ["ep-0", "ep-1"]
    assert await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0, 0), limit=0) == []
    assert await nearest(store, SearchTarget.FACT, vector(1, 0, 0, 0)) == []


async def test_equal_vectors_are_ordered_by_id_whatever_the_limit(store: Store) -> None:
    await store.start_vectors(MODEL)
    same = vector(0.3, 0.1, 0.7, 0.2)
    await tell_episodes(store, [same] * 9)

    for limit in (1, 2, 5, 9):
        in_order = await nearest(store, SearchTarget.EPISODE, vector(1, 2, 3, 4), limit=limit)
        assert in_order == [f"ep-{n}" for n in range(limit)]


async def test_a_vector_put_again_takes_the_place_of_the_first(store: Store) -> None:
    await store.start_vectors(MODEL)
    await tell_episodes(store, [vector(1, 0, 0, 0), vector(0, 1, 0, 0)])
    assert await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0, 0), limit=1) == ["ep-0"]

    await put(store, (key(SearchTarget.EPISODE, "ep-0"), vector(0, 0, 1, 0)))

    assert await nearest(store, SearchTarget.EPISODE, vector(0, 0, 1, 0), limit=1) == ["ep-0"]
    assert len(await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0, 0))) == 2


async def test_the_scope_is_part_of_the_search_and_starves_nothing(store: Store) -> None:
    """The one visible item lies behind a hundred nearer ones that are not."""
    await store.start_vectors(MODEL)
    near, far = vector(1, 0, 0, 0), vector(-1, 0.5, 0, 0)
    await tell_episodes(store, [near] * 100, learned_at=5, session_id="a")
    await store.accept([episode("late", learned_at=9, session_id="b"), episode("theirs", group_id="bob")], 1)
    await put(store, (key(SearchTarget.EPISODE, "late"), far), (key(SearchTarget.EPISODE, "theirs", "bob"), near))

    in_b = Scope(group_ids=(GROUP,), filter=Filter(session_id="b"))
    assert await nearest(store, SearchTarget.EPISODE, near, in_b, limit=1) == ["late"]
    assert "late" not in await nearest(store, SearchTarget.EPISODE, near, scope(known_at=8), limit=1_000)
    assert await nearest(store, SearchTarget.EPISODE, near, scope("bob"), limit=5) == ["theirs"]
    both = await store.search_vector(SearchTarget.EPISODE, near, scope(GROUP, "bob"), limit=1_000)
    assert len(both) == 102


async def test_a_fact_is_near_only_while_it_holds_and_is_believed(store: Store) -> None:
    await store.start_vectors(MODEL)
    of = fact("f-1", "a", "R", "x")
    rows = (
        version("v-1", of, valid_at=100, invalid_at=200, created_at=10, expired_at=20),
        version("v-2", of, valid_at=100, invalid_at=150, created_at=20, start_lo=90, end_hi=170),
    )
    await store.accept([episode("ep-1", session_id="s")], 1)
    said = claim("c-1", of, tau=10, episode_id="ep-1")
    await store.commit(
        [changes(10, entities=(entity("a"), entity("x")), facts=(of,), claims=(said,), versions=rows[:1])]
    )
    await store.commit([changes(20, based_on=10, versions=rows[1:], support=(("v-2", "c-1"),))])
    await put(store, (key(SearchTarget.FACT, "f-1"), vector(1, 0, 0, 0)))

    async def seen(**where: object) -> bool:
        return bool(await nearest(store, SearchTarget.FACT, vector(1, 0, 0, 0), scope(**where)))  # type: ignore[arg-type]

    assert await seen(at=120)
    assert not await seen(at=160)
    assert await seen(at=160, possible=True)
    assert await seen(at=160, known_at=15)
    assert not await seen(at=99)
    assert not await seen(at=120, known_at=9)
    assert await seen(at=120, filter=Filter(session_id="s"))
    assert not await seen(at=120, filter=Filter(session_id="t"))


async def test_another_store_of_the_same_memory_sees_what_is_put_and_what_is_erased(
    store: Store, store_url: str
) -> None:
    await store.start_vectors(MODEL)
    other = open_store(store_url)
    for n in range(4):
        await store.accept([episode(f"ep-{n}")], 1)
        await put(store, (key(SearchTarget.EPISODE, f"ep-{n}"), vector(1, n, 0, 0)))
        assert len(await nearest(other, SearchTarget.EPISODE, vector(1, 0, 0, 0))) == n + 1
    await store.erase(erasure_of("ep-0"))
    assert await nearest(other, SearchTarget.EPISODE, vector(1, 0, 0, 0)) == ["ep-1", "ep-2", "ep-3"]
    await other.close()


def erasure_of(episode_id: str, tau: int = 50, **rest: object) -> Erasure:
    stone = Tombstone(group_id=GROUP, target_id=episode_id, kind="episode", tau=tau)
    given: dict[str, object] = {"based_on": MIN, "episode_ids": (episode_id,), **rest}
    return Erasure(group_id=GROUP, tau=tau, tombstones=(stone,), **given)  # type: ignore[arg-type]


async def test_what_is_erased_takes_its_vector_along(store: Store) -> None:
    await store.start_vectors(MODEL)
    first = told(1, tau=10)
    await store.accept([first.episode], 1)
    await store.commit([first.changes])
    waiting = await store.unembedded(limit=50)
    await put(store, *((k, vector(1, 0, 0, 0)) for k in waiting))

    await store.erase(
        erasure_of(
            "ep-1",
            based_on=10,
            claim_ids=("c-1",),
            entity_ids=("e-Alice", "e-Acme"),
            dropped=(first.fact.fact_id,),
        )
    )

    for target in SearchTarget:
        assert await nearest(store, target, vector(1, 0, 0, 0)) == []
    assert await store.count_unembedded() == 0
    assert await store.verify() == []


async def test_a_whole_group_takes_its_vectors_along(store: Store) -> None:
    await store.start_vectors(MODEL)
    await tell_episodes(store, [vector(1, 0, 0, 0)])
    await store.accept([episode("ep-w")], 1)

    await store.erase(Erasure(group_id=GROUP, based_on=MIN, tau=5, tombstones=(), whole_group=True))

    assert await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0, 0)) == []
    assert await store.count_unembedded() == 0


async def test_a_renamed_entity_waits_for_a_new_vector(store: Store) -> None:
    await store.start_vectors(MODEL)
    bob = entity("e-1", "Bob", created_at=10)
    await store.commit([changes(10, entities=(bob,), names=(name("Bob", "e-1"),))])
    await put(store, (key(SearchTarget.ENTITY, "e-1"), vector(1, 0, 0, 0)))

    renamed = entity("e-1", "Robert", created_at=10)
    await store.erase(
        Erasure(group_id=GROUP, based_on=10, tau=20, tombstones=(), renamed=(renamed,), names=(("bob", "e-1"),))
    )

    assert await nearest(store, SearchTarget.ENTITY, vector(1, 0, 0, 0)) == []
    assert await store.unembedded(limit=5) == [key(SearchTarget.ENTITY, "e-1")]


async def test_an_entity_that_is_given_the_name_it_has_keeps_its_vector(store: Store) -> None:
    await store.start_vectors(MODEL)
    bob = entity("e-1", "Bob", created_at=10)
    await store.commit([changes(10, entities=(bob,), names=(name("Bob", "e-1"),))])
    await put(store, (key(SearchTarget.ENTITY, "e-1"), vector(1, 0, 0, 0)))

    await store.erase(Erasure(group_id=GROUP, based_on=10, tau=20, tombstones=(), renamed=(bob,)))

    assert await store.unembedded(limit=5) == []


async def test_vectors_of_what_is_gone_are_passed_over(store: Store) -> None:
    await store.start_vectors(MODEL)

    await put(store, (key(SearchTarget.FACT, "f-none"), vector(1, 0, 0, 0)))

    assert await nearest(store, SearchTarget.FACT, vector(1, 0, 0, 0)) == []


async def test_another_model_is_refused_and_nothing_changes(store: Store) -> None:
    await store.start_vectors(MODEL)
    await tell_episodes(store, [vector(1, 0, 0, 0)])
    digest = await store.digest()

    for model in (OTHER, EmbeddingModel(name="another", dimension=4)):
        with pytest.raises(EmbedderMismatch) as refused:
            await store.put_vectors(model, [])
        assert isinstance(refused.value, SchemaMismatch)
    with pytest.raises(InvalidInput):
        await store.search_vector(SearchTarget.EPISODE, vector(1, 0, 0), scope(), limit=1)

    assert await store.embedding_model() == MODEL
    assert await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0, 0)) == ["ep-0"]
    assert await store.digest() == digest


@pytest.mark.parametrize("wrong", [vector(1, 0, 0), vector(1, 0, 0, float("nan")), vector(float("inf"), 0, 0, 0)])
async def test_a_vector_that_cannot_be_one_is_refused(store: Store, wrong: Floats) -> None:
    await store.start_vectors(MODEL)
    await store.accept([episode("ep-0"), episode("ep-1")], 1)

    with pytest.raises(InvalidInput):
        await put(
            store,
            (key(SearchTarget.EPISODE, "ep-0"), vector(1, 0, 0, 0)),
            (key(SearchTarget.EPISODE, "ep-1"), wrong),
        )

    assert await store.count_unembedded() == 2


async def test_a_new_model_takes_all_vectors_away_and_the_same_again_none(store: Store) -> None:
    await store.start_vectors(MODEL)
    await tell_episodes(store, [vector(1, 0, 0, 0), vector(0, 1, 0, 0)])

    await store.start_vectors(MODEL)
    assert await store.count_unembedded() == 0

    await store.start_vectors(OTHER)
    assert await store.embedding_model() == OTHER
    assert await store.count_unembedded() == 2
    assert not await store.search_vector(SearchTarget.EPISODE, vector(1, 0, 0), scope(), limit=5)
    await store.put_vectors(OTHER, [ItemVector(key=key(SearchTarget.EPISODE, "ep-1"), vector=vector(1, 0, 0))])
    assert await nearest(store, SearchTarget.EPISODE, vector(1, 0, 0)) == ["ep-1"]


async def test_vectors_are_no_content(store: Store) -> None:
    await store.accept([episode("ep-0")], 1)
    digest = await store.digest()

    await store.start_vectors(MODEL)
    await put(store, (key(SearchTarget.EPISODE, "ep-0"), vector(1, 0, 0, 0)))

    assert await store.digest() == digest


async def test_the_vectors_of_items_are_given_back(store: Store) -> None:
    await store.start_vectors(MODEL)
    await store.accept([episode("ep-9", group_id="bob")], 1)
    await tell_episodes(store, [vector(1, 0, 0, 0), vector(0.6, 0, -0.8, 0)])

    found = await store.vectors_of(SearchTarget.EPISODE, GROUP, ["ep-1", "ep-0", "ep-9", "ep-x"])

    assert {item_id: row.tolist() for item_id, row in found.items()} == {
        "ep-0": pytest.approx([1, 0, 0, 0]),
        "ep-1": pytest.approx([0.6, 0, -0.8, 0], abs=1e-6),
    }
    assert await store.vectors_of(SearchTarget.EPISODE, "bob", ["ep-0", "ep-9"]) == {}
    assert await store.vectors_of(SearchTarget.FACT, GROUP, []) == {}


async def test_the_nearest_token_of_each_item_is_told_for_each_token_of_a_question(store: Store) -> None:
    await store.start_vectors(MODEL)
    await store.accept([episode(f"ep-{n}") for n in range(3)], 1)
    rows = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], dtype=np.float32)
    given = [rows, np.empty((0, 4), dtype=np.float32), None]
    await store.put_vectors(
        MODEL,
        [
            ItemVector(key=key(SearchTarget.EPISODE, f"ep-{n}"), vector=vector(1, 0, 0, 0), tokens=tokens)
            for n, tokens in enumerate(given)
        ],
    )
    question = np.array([[0.6, 0.8, 0, 0], [0, 0, 1, 0], [-1, 0, 0, 0]], dtype=np.float32)

    asked = [key(SearchTarget.EPISODE, f"ep-{n}") for n in (0, 1, 2, 9, 0)]

    found = await store.nearest_tokens([*asked, key(SearchTarget.FACT, "ep-0")], question)

    assert {one: pytest.approx(best.tolist(), abs=0.01) for one, best in found.items()} == {asked[0]: [0.8, 0.0, 0.0]}
    assert await store.nearest_tokens([ItemKey("bob", SearchTarget.EPISODE, "ep-0")], question) == {}
    assert await store.nearest_tokens([], question) == {}
    with pytest.raises(InvalidInput):
        await store.nearest_tokens(asked, question[:, :3])


async def test_the_nearest_tokens_of_things_of_every_kind_and_group_are_told_at_once(store: Store) -> None:
    await store.start_vectors(MODEL)
    keys = [ItemKey(group_id, SearchTarget.EPISODE, "ep-0") for group_id in (GROUP, "bob")]
    await store.accept([episode("ep-0", group_id=group_id) for group_id in (GROUP, "bob")], 1)
    one = told(1, "Tea", tau=5)
    await store.accept([one.episode], 4)
    await store.commit([one.changes])
    keys.append(key(SearchTarget.FACT, one.fact.fact_id))
    rows = np.eye(4, dtype=np.float32)[:3, None]
    await store.put_vectors(
        MODEL,
        [
            ItemVector(key=item, vector=vector(1, 0, 0, 0), tokens=tokens)
            for item, tokens in zip(keys, rows, strict=True)
        ],
    )

    found = await store.nearest_tokens(keys, np.eye(4, dtype=np.float32)[:1])

    assert {item: round(float(best[0]), 2) for item, best in found.items()} == {keys[0]: 1, keys[1]: 0, keys[2]: 0}


async def test_an_episode_knows_its_neighbours_in_its_session_and_scope(store: Store) -> None:
    await store.accept(
        [
            episode("ep-1", said_at=1, session_id="s", learned_at=1),
            episode("ep-3", said_at=3, session_id="s", learned_at=1),
            episode("ep-2", said_at=2, session_id="s", learned_at=9, speaker="Ann"),
            episode("ep-4", said_at=3, session_id="s", learned_at=1),
            episode("ep-x", said_at=2, session_id="t", learned_at=1),
            episode("ep-y", said_at=2, learned_at=1),
            episode("ep-z", said_at=3, learned_at=1),
            episode("ep-b", said_at=2, session_id="s", group_id="bob", learned_at=1),
        ],
        1,
    )

    async def around(episode_id: str, where: Scope) -> tuple[str | None, str | None]:
        asked = key(SearchTarget.EPISODE, episode_id)
        turn = (await store.turns(where, [asked]))[asked]
        assert [turn.episode] == await store.episodes(GROUP, [episode_id])
        before, after = (None if beside is None else beside.item_id for beside in turn[1:])
        return before, after

    assert await around("ep-2", scope()) == ("ep-1", "ep-3")
    assert await around("ep-3", scope()) == ("ep-2", "ep-4")
    assert await around("ep-3", scope(known_at=5)) == ("ep-1", "ep-4")
    assert await around("ep-3", scope(filter=Filter(speaker="Ann"))) == ("ep-2", None)
    assert await around("ep-x", scope()) == (None, None)
    assert await around("ep-y", scope()) == (None, "ep-z")
    assert await store.turns(scope(), [key(SearchTarget.EPISODE, "ep-none"), key(SearchTarget.FACT, "ep-1")]) == {}


async def test_turns_of_several_groups_are_read_at_once_but_not_of_groups_outside_the_scope(store: Store) -> None:
    await store.accept([episode("ep-1", group_id=group_id) for group_id in (GROUP, "bob", "eve")], 1)
    keys = [ItemKey(group_id, SearchTarget.EPISODE, "ep-1") for group_id in (GROUP, "bob", "eve")]

    await store.turns(scope("eve"), keys)
    found = await store.turns(scope(GROUP, "bob"), [*keys, keys[0]])

    assert {one: (turn.episode.group_id, turn.before, turn.after) for one, turn in found.items()} == {
        keys[0]: (GROUP, None, None),
        keys[1]: ("bob", None, None),
    }


async def test_several_searches_at_once_give_what_each_gives_alone(store: Store) -> None:
    await store.start_vectors(MODEL)
    for number, text in enumerate(("Tea", "Rain", "Tea and rain"), start=1):
        one = told(number, text, tau=number * 10, based_on=(number - 1) * 10 or MIN)
        await store.accept([one.episode], number)
        await store.commit([one.changes])
        await store.put_vectors(
            MODEL, [ItemVector(key=key(SearchTarget.FACT, one.fact.fact_id), vector=vector(1, number, 0, 0))]
        )
    searches = [
        *(TextSearch(target=target, terms=["tea", "rain"], limit=2) for target in SearchTarget),
        VectorSearch(target=SearchTarget.FACT, vector=vector(1, 3, 0, 0), limit=2),
        VectorSearch(target=SearchTarget.EPISODE, vector=vector(1, 3, 0, 0), limit=2),
        TextSearch(target=SearchTarget.FACT, terms=[], limit=2),
    ]

    together = await store.search_all(searches, scope())

    alone = [
        await store.search_text(one.target, one.terms, scope(), limit=one.limit)
        if isinstance(one, TextSearch)
        else await store.search_vector(one.target, one.vector, scope(), limit=one.limit)
        for one in searches
    ]
    assert [list(hits) for hits in together] == [list(hits) for hits in alone]
    assert [len(hits) for hits in together] == [2, 2, 2, 2, 0, 0]
    assert await store.search_all([], scope()) == []
    with pytest.raises(InvalidInput):
        await store.search_all([*searches, TextSearch(target=SearchTarget.FACT, terms=["tea"], limit=-1)], scope())


async def test_a_search_with_a_vector_of_another_model_is_refused_whoever_changed_the_model(
    store: Store, store_url: str
) -> None:
    def asked(model: EmbeddingModel) -> list[VectorSearch]:
        return [VectorSearch(target=SearchTarget.EPISODE, vector=vector(1, 0, 0, 0), limit=5, model=model)]

    same_size = replace(MODEL, name="another")
    await store.start_vectors(MODEL)
    await tell_episodes(store, [vector(1, 0, 0, 0)])
    assert [len(hits) for hits in await store.search_all(asked(MODEL), scope())] == [1]
    with pytest.raises(EmbedderMismatch, match="another"):
        await store.search_all(asked(same_size), scope())

    other = open_store(store_url)
    await other.start_vectors(same_size)
    with pytest.raises(EmbedderMismatch, match="another"):
        await store.search_all(asked(MODEL), scope())
    assert [len(hits) for hits in await store.search_all(asked(same_size), scope())] == [0]
    await other.close()
