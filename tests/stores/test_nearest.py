"""Vectors of a group in memory: portions, growth, sign bits, and following the file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.model import Erasure, Scope, Tombstone
from graphmem.ports import EmbeddingModel, Floats, ItemKey, ItemVector, SearchTarget
from graphmem.stores import sqlite_vector_cache, sqlite_vectors
from graphmem.stores.nearest import ExactVectors, GroupVectors, SignVectors, cosines, unit_rows
from graphmem.stores.sqlite import SqliteStore
from graphmem.stores.sqlite_vector_cache import VectorCache
from graphmem.stores.vector_coding import best_cosines, packed_tokens
from graphmem.timeline.instants import MIN
from tests.contract.build import GROUP, episode

MODEL = EmbeddingModel(name="m", dimension=64)


def clustered(count: int, seed: int, dimension: int = 64) -> Floats:
    """Vectors around common centres, as those of texts are."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((40, dimension))
    rows = centres[random.integers(0, 40, count)] + 0.6 * random.standard_normal((count, dimension))
    return unit_rows(rows.astype(np.float32))


def cpu_elsewhere(work: Callable[[], object]) -> float:
    """Seconds that other threads worked for each second that this one did, in the best of some rounds.

    Threads that an earlier test set going wait in their loop a while, and count in the rounds before they sleep.
    """
    rounds = []
    for _ in range(5):
        time.sleep(0.1)
        here, everywhere = time.thread_time(), time.process_time()
        for _ in range(20):
            work()
        here, everywhere = time.thread_time() - here, time.process_time() - everywhere
        rounds.append((everywhere - here) / here)
    return min(rounds)


def keys(numbers: Iterable[int]) -> list[ItemKey]:
    return [ItemKey("g", SearchTarget.FACT, str(number)) for number in numbers]


def order_of(vectors: GroupVectors, query: Floats, depth: int) -> list[int]:
    return [int(at) for positions, _ in vectors.nearest(query, depth) for at in positions]


@given(count=st.integers(1, 60), depth=st.integers(1, 70), seed=st.integers(0, 20), levels=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_portions_hold_everything_once_and_never_part_equals(count: int, depth: int, seed: int, levels: int) -> None:
    rows = np.random.default_rng(seed).integers(0, levels, (count, 3)).astype(np.float32)
    vectors = ExactVectors(3)
    vectors.append(keys(range(count)), list(range(count)), rows)
    portions = [scores for _, scores in vectors.nearest(rows[0], depth)]

    assert sorted(order_of(vectors, rows[0], depth)) == list(range(count))
    for before, after in pairwise(portions):
        assert before is not None
        assert after is not None
        assert before.min() > after.max()


@pytest.mark.parametrize("kind", [lambda: ExactVectors(64), SignVectors])
def test_adding_one_by_one_is_adding_at_once(kind: type[SignVectors]) -> None:
    rows = clustered(30, seed=1)
    at_once, one_by_one = kind(), kind()
    at_once.append(keys(range(30)), list(range(30)), rows)
    for n in range(30):
        one_by_one.append(keys([n]), [n], rows[n : n + 1])

    assert order_of(one_by_one, rows[7], 5) == order_of(at_once, rows[7], 5)
    assert one_by_one.keys == at_once.keys
    assert one_by_one.numbers == at_once.numbers


def test_the_nearest_by_sign_bits_hold_the_nearest() -> None:
    rows = clustered(5_000, seed=2, dimension=384)
    signs = SignVectors()
    signs.append(keys(range(5_000)), list(range(5_000)), rows)
    found = wanted = 0
    for n in range(0, 5_000, 250):
        best = set(np.argsort(-(rows @ rows[n]))[:20].tolist())
        first, _ = next(iter(signs.nearest(rows[n], 500)))
        found += len(best & set(first.tolist()))
        wanted += len(best)

    assert found / wanted >= 0.98


async def fill(store: SqliteStore, rows: Floats, *, first: int = 0) -> None:
    ids = [f"ep-{n:05d}" for n in range(first, first + len(rows))]
    await store.accept([episode(i, said_at=first + n) for n, i in enumerate(ids)], 1)
    keys = [ItemKey(group_id=GROUP, target=SearchTarget.EPISODE, item_id=i) for i in ids]
    await store.put_vectors(MODEL, [ItemVector(key=k, vector=v) for k, v in zip(keys, rows, strict=True)])


async def nearest(store: SqliteStore, query: Floats, limit: int = 20) -> list[tuple[str, float]]:
    hits = await store.search_vector(SearchTarget.EPISODE, query, Scope(group_ids=(GROUP,)), limit=limit)
    return [(hit.item_id, hit.score) for hit in hits]


async def test_a_group_beyond_the_exact_size_is_scored_exactly_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_vectors, "_RESCORED", 250)
    store, rows = SqliteStore(tmp_path / "m.db"), clustered(700, seed=3)
    store._searches.vectors = VectorCache(exact_up_to=300)
    exact = SqliteStore(tmp_path / "m.db")
    await store.ensure_schema()
    await store.start_vectors(MODEL)
    for first in range(0, 700, 250):  # it grows past the size while it is searched
        await fill(store, rows[first : first + 250], first=first)
        assert len(await nearest(store, rows[0])) == 20

    same = total = 0
    for n in range(0, 700, 50):
        wanted, found = dict(await nearest(exact, rows[n])), dict(await nearest(store, rows[n]))
        same += len(wanted.keys() & found.keys())
        total += len(wanted)
        assert all(found[i] == pytest.approx(wanted[i], abs=1e-5) for i in wanted.keys() & found.keys())
    assert same / total >= 0.98
    await store.close()
    await exact.close()


async def test_what_was_searched_longest_ago_gives_way(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "m.db")
    store._searches.vectors = VectorCache(bytes_held=1)
    await store.ensure_schema()
    await store.start_vectors(MODEL)
    await fill(store, clustered(20, seed=4))

    for _ in range(2):
        assert len(await nearest(store, clustered(1, seed=5)[0])) == 20
        hits = await store.search_vector(
            SearchTarget.FACT, clustered(1, seed=5)[0], Scope(group_ids=(GROUP, "bob")), limit=5
        )
        assert not hits
    assert len(store._searches.vectors._entries) == 1
    await store.close()


async def test_what_another_process_adds_is_read_on_and_not_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = SqliteStore(tmp_path / "m.db"), SqliteStore(tmp_path / "m.db")
    await writer.ensure_schema()
    await writer.start_vectors(MODEL)
    rows, read = clustered(40, seed=6), []
    unpacked = sqlite_vector_cache.unpacked_vectors

    def counted(packed: list[bytes], dimension: int) -> Floats:
        read.append(len(packed))
        return unpacked(packed, dimension)

    monkeypatch.setattr(sqlite_vector_cache, "unpacked_vectors", counted)
    await fill(writer, rows[:30])
    assert len(await nearest(reader, rows[0], limit=100)) == 30
    await fill(writer, rows[30:], first=30)
    assert len(await nearest(reader, rows[0], limit=100)) == 40
    assert len(await nearest(reader, rows[0], limit=100)) == 40

    assert read == [30, 10]
    await writer.close()
    await reader.close()


async def test_a_vector_leaves_no_byte_in_the_file_when_its_text_is_erased(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    store = SqliteStore(path)
    await store.ensure_schema()
    await store.start_vectors(MODEL)
    rows = clustered(1, seed=7)
    await fill(store, rows)
    await store.put_vectors(
        MODEL,
        [
            ItemVector(
                key=ItemKey(group_id=GROUP, target=SearchTarget.EPISODE, item_id="ep-00000"),
                vector=rows[0],
                tokens=np.repeat(rows, 200, axis=0),
            )
        ],
    )
    stone = Tombstone(group_id=GROUP, target_id="ep-00000", kind="episode", tau=5)
    await store.erase(Erasure(group_id=GROUP, based_on=MIN, tau=5, tombstones=(stone,), episode_ids=("ep-00000",)))
    await store.close()

    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    packed = rows[0].astype("<f4").tobytes()
    assert packed[:64] not in left
    levels = np.rint(rows[0] / (np.abs(rows[0]).max() / 127)).astype(np.int8).tobytes()
    assert levels not in left


@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, 500])
@pytest.mark.parametrize("dimension", [3, 384, 10_000])
def test_cosines_of_any_number_of_rows_are_those_of_the_whole(count: int, dimension: int) -> None:
    rows, query = clustered(count, 1, dimension), clustered(1, 2, dimension)[0]

    assert np.abs(cosines(rows, query) - rows @ query).max(initial=0.0) < 2e-6


def test_vectors_are_compared_without_threads_that_wait_for_more() -> None:
    rows, query = clustered(10_000, 1, 384), clustered(1, 2, 384)[0]

    assert cpu_elsewhere(lambda: cosines(rows, query)) < 0.3


@pytest.mark.parametrize("asked", [1, 6, 16, 17, 40])
def test_the_nearest_token_of_each_text_is_that_of_all_its_tokens(asked: int) -> None:
    tokens = {number: clustered(1 + number * 7 % 90, number, 64) for number in range(60)}
    question = clustered(asked, 99, 64)

    found = best_cosines({number: packed_tokens(rows) for number, rows in tokens.items()}, question)

    assert list(found) == list(tokens)
    for number, rows in tokens.items():
        assert np.abs(found[number] - (rows @ question.T).max(axis=0)).max() < 0.02


def test_tokens_are_compared_without_threads_that_wait_for_more() -> None:
    texts = {number: packed_tokens(clustered(30, number, 384)) for number in range(50)}

    assert cpu_elsewhere(lambda: best_cosines(texts, clustered(40, 1, 384))) < 0.3
