"""What searches keep between them: whatever others write, a warm store finds what one opened anew finds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.model import Erasure, Filter, Scope, Tombstone
from graphmem.ports import EmbeddingModel, Floats, ItemKey, ItemVector, SearchTarget
from graphmem.stores.sqlite import SqliteStore
from graphmem.stores.sqlite_search_cache import Postings, Snapshot
from graphmem.stores.sqlite_terms import marked_term, marked_terms
from graphmem.stores.token_cache import TokenCache
from graphmem.stores.vector_coding import packed_tokens
from graphmem.terms import terms
from graphmem.timeline.instants import MIN
from tests.contract.build import GROUP, changes, entity, episode, fact, name, scope, version
from tests.stores.older_files import taken_back

MODEL = EmbeddingModel(name="m", dimension=8)
WORDS = ("tea", "coffee", "milk", "rain")
OPEN, NARROW = scope(), scope(filter=Filter(session_id="s1"))


class World:
    """A file, the store that writes it, and one that only searches, all the while."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writer, self.warm = SqliteStore(path), SqliteStore(path)
        self.loop = asyncio.new_event_loop()
        self.told = 0
        self.tau = MIN
        self.run(self.writer.ensure_schema())
        self.run(self.writer.start_vectors(MODEL))
        self.run(self.writer.commit([changes(**self.step(), entities=(entity("a"), entity("x")))]))

    def run(self, call: object) -> object:
        return self.loop.run_until_complete(call)  # type: ignore[arg-type]

    def close(self) -> None:
        self.run(self.writer.close())
        self.run(self.warm.close())
        self.loop.close()

    def step(self) -> dict[str, int]:
        """The times of the next commit."""
        based_on, self.tau = self.tau, max(self.tau, 0) + 10
        return {"tau": self.tau, "based_on": based_on}

    # ---- writing

    def tell(self, word: str) -> None:
        self.told += 1
        said = episode(f"ep-{self.told}", f"{word} {self.told}", said_at=self.told, session_id=f"s{self.told % 2}")
        self.run(self.writer.accept([said], 1))

    def learn(self, word: str) -> None:
        self.told += 1
        of = fact(f"f-{self.told}", "a", f"R{self.told}", "x", f"{word} or {self.told}")
        names = (name(f"{word} {self.told}", "a"),)
        row = version(f"v-{self.told}", of, valid_at=1, created_at=max(self.tau, 0) + 10)
        self.run(self.writer.commit([changes(**self.step(), facts=(of,), versions=(row,), names=names)]))

    def embed(self, word: str) -> None:
        keys = self.run(self.writer.unembedded(limit=3))
        vectors = [
            ItemVector(key=key, vector=vector(key), tokens=np.stack([vector(key), vector(key, 1)])) for key in keys
        ]  # type: ignore[attr-defined]
        self.run(self.writer.put_vectors(MODEL, vectors))

    def expire(self, word: str) -> None:
        open_ = [v for v in self.run(self.writer.versions_in_scope(OPEN)) if v.created_at < self.tau + 10]  # type: ignore[attr-defined]
        if open_:
            self.run(self.writer.commit([changes(**self.step(), expire=(open_[0].version_id,))]))

    def erase(self, word: str) -> None:
        episodes = self.run(self.writer.recent_episodes([GROUP], limit=1))
        for one in episodes:  # type: ignore[attr-defined]
            at = self.step()
            stone = Tombstone(group_id=GROUP, target_id=one.episode_id, kind="episode", tau=at["tau"])
            self.run(
                self.writer.erase(Erasure(group_id=GROUP, **at, tombstones=(stone,), episode_ids=(one.episode_id,)))
            )

    # ---- searching

    def found(self, store: SqliteStore) -> dict[str, object]:
        """What every kind of search gives, now and in a narrower scope."""
        question = vector(ItemKey(GROUP, SearchTarget.EPISODE, "ep-1"))
        everything: dict[str, object] = {}
        for where_name, where in (("open", OPEN), ("narrow", NARROW)):
            for target in SearchTarget:
                words = self.run(store.search_text(target, terms("tea rain or"), where, limit=20))
                near = self.run(store.search_vector(target, question, where, limit=20))
                everything[f"{where_name} {target} words"] = [(h.item_id, h.score) for h in words]  # type: ignore[attr-defined]
                everything[f"{where_name} {target} near"] = [(h.item_id, h.score) for h in near]  # type: ignore[attr-defined]
            keys = [ItemKey(GROUP, SearchTarget.EPISODE, f"ep-{n}") for n in range(1, self.told + 1)]
            everything[f"{where_name} around"] = self.run(store.turns(where, keys))
            tokens = self.run(store.nearest_tokens(keys, question[None, :]))
            everything["tokens"] = {i: round(float(cosines[0]), 4) for i, cosines in tokens.items()}  # type: ignore[attr-defined]
        return everything


def vector(key: ItemKey, salt: int = 0) -> Floats:
    seed = sum(map(ord, f"{key.target}{key.item_id}")) * 31 + salt
    drawn = np.random.default_rng(seed).standard_normal(MODEL.dimension).astype(np.float32)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


WRITES: dict[str, Callable[[World, str], None]] = {
    "tell": World.tell,
    "learn": World.learn,
    "embed": World.embed,
    "expire": World.expire,
    "erase": World.erase,
}
writes = st.lists(st.tuples(st.sampled_from(sorted(WRITES)), st.sampled_from(WORDS)), min_size=1, max_size=5)


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Callable[[], World]]:
    made: list[World] = []

    def make() -> World:
        made.append(World(tmp_path / f"{len(made)}.db"))
        return made[-1]

    yield make
    for world in made:
        world.close()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=writes)
def test_a_warm_store_follows_every_write(worlds: Callable[[], World], steps: list[tuple[str, str]]) -> None:
    world = worlds()
    for number in range(3):
        world.tell(WORDS[number])
    for step, word in steps:
        WRITES[step](world, word)
        fresh = SqliteStore(world.path)
        try:
            assert world.found(world.warm) == world.found(fresh)
            assert world.found(world.warm) == world.found(fresh)
        finally:
            world.run(fresh.close())


async def test_how_common_a_word_is_elsewhere_does_not_change_what_a_group_finds(tmp_path: Path) -> None:
    alone, shared = SqliteStore(tmp_path / "alone.db"), SqliteStore(tmp_path / "shared.db")
    mine = [episode(f"ep-{n}", text) for n, text in enumerate(("tea time", "tea party", "rain today", "rain and tea"))]
    for store in (alone, shared):
        await store.ensure_schema()
        await store.accept(mine, 1)
    await shared.accept([episode(f"o-{n}", "rain today", group_id="other") for n in range(40)], 1)

    async def ranked(store: SqliteStore) -> list[str]:
        return [h.item_id for h in await store.search_text(SearchTarget.EPISODE, terms("rain tea"), scope(), limit=9)]

    assert await ranked(shared) == await ranked(alone)
    await alone.close()
    await shared.close()


async def test_files_of_the_schema_before_are_found_by_their_words_after_the_migration(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    store = SqliteStore(path)
    await store.ensure_schema()
    await store.accept([episode("ep-1", "tea time"), episode("ep-1", "tea time", group_id="bob")], 1)
    await store.close()
    taken_back(path, 2)

    migrated = SqliteStore(path)
    await migrated.ensure_schema()
    hits = await migrated.search_text(SearchTarget.EPISODE, ["tea"], Scope(group_ids=(GROUP, "bob")), limit=5)

    assert {(hit.group_id, hit.item_id) for hit in hits} == {(GROUP, "ep-1"), ("bob", "ep-1")}
    assert await migrated.verify() == []
    await migrated.close()


def test_every_term_bears_the_mark_of_its_group() -> None:
    assert marked_terms("ann", "tea time") == f"{marked_term('ann', 'tea')} {marked_term('ann', 'time')}"
    assert marked_terms("ann", "") == ""
    assert marked_term("ann", "tea") != marked_term("bob", "tea")


def test_token_vectors_asked_for_longest_ago_give_way() -> None:
    cache = TokenCache(bytes_held=1_250)
    packed = packed_tokens(np.ones((2, 46), dtype=np.float32))
    cache.keep(dict.fromkeys(range(4), packed))
    assert list(cache.known([1])) == [1]
    cache.keep({9: packed})

    assert sorted(cache.known(range(10))) == [1, 2, 3, 9]
    cache.clear()
    assert cache.known(range(10)) == {}


def test_postings_asked_for_longest_ago_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.stores.sqlite_search_cache._NUMBERS_HELD", 10)
    kept = Snapshot(version=1)
    for term in ("a", "b", "c"):
        kept.keep_postings((SearchTarget.FACT, GROUP), term, Postings(numbers=np.arange(4), weights=np.ones(4)))

    assert [kept.postings((SearchTarget.FACT, GROUP), term) is not None for term in ("a", "b", "c")] == [
        False,
        True,
        True,
    ]


def test_what_a_scope_sees_asked_for_longest_ago_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.stores.sqlite_search_cache._VISIBLE_HELD", 5)
    kept, scope = Snapshot(version=1), Scope(group_ids=("a", "b", "c"))
    places = [(SearchTarget.FACT, group_id) for group_id in ("a", "b", "c")]
    for place in places:
        kept.keep_visible(kept.visible(place, scope), {"one": True, "two": False})

    assert [len(kept.visible(place, scope)) for place in places] == [0, 2, 2]
    assert kept.visible(places[2], scope) == {"one": True, "two": False}
