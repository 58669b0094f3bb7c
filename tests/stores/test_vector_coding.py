"""Vectors as bytes: what 8 bits lose, and that both forms stand side by side in one file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from graphmem.errors import ConfigError, StoreCorrupt
from graphmem.inference.scripted import HashingEmbedder
from graphmem.memory import Memory
from graphmem.model import Scope
from graphmem.ports import EmbeddingModel, Floats, ItemKey, ItemVector, SearchTarget, VectorForm
from graphmem.stores import open_store
from graphmem.stores.vector_coding import packed_vector, unpacked_vectors
from tests.contract.build import GROUP, episode

DIMENSION = 384
MODEL = EmbeddingModel(name="drawn", dimension=DIMENSION)


def drawn(count: int, seed: int) -> Floats:
    """Vectors around some centres, as those of texts lie."""
    draw = np.random.default_rng(seed)
    rows = draw.standard_normal((40, DIMENSION))[draw.integers(0, 40, count)] + draw.standard_normal((count, DIMENSION))
    vectors: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return vectors


def nearest(vectors: Floats, query: Floats) -> set[int]:
    return set(np.argsort(-(vectors @ query), kind="stable")[:20].tolist())


def test_of_the_nearest_20_vectors_99_in_100_are_found_in_8_bits() -> None:
    vectors, queries = drawn(5_000, 1), drawn(50, 2)
    kept = unpacked_vectors([packed_vector(row, VectorForm.INT8) for row in vectors], DIMENSION)

    found = [len(nearest(vectors, query) & nearest(kept, query)) / 20 for query in queries]

    assert np.mean(found) >= 0.98
    assert np.abs((kept * vectors).sum(axis=1) - 1).max() < 3e-3


def test_8_bits_take_a_quarter_of_the_bytes() -> None:
    (vector,) = drawn(1, 3)
    assert [len(packed_vector(vector, form)) for form in VectorForm] == [4 * DIMENSION, DIMENSION + 4]


@pytest.mark.parametrize("dimension", [1, 2, 3, 64])
def test_each_vector_tells_its_form(dimension: int) -> None:
    vectors = np.random.default_rng(dimension).standard_normal((4, dimension)).astype(np.float32)
    vectors[3] = 0
    forms = [VectorForm.FLOAT32, VectorForm.INT8, VectorForm.FLOAT32, VectorForm.INT8]

    read = unpacked_vectors([packed_vector(row, form) for row, form in zip(vectors, forms, strict=True)], dimension)

    assert np.array_equal(read[[0, 2, 3]], vectors[[0, 2, 3]])
    assert np.abs(read[1] - vectors[1]).max() <= np.abs(vectors[1]).max() / 250
    assert unpacked_vectors([], dimension).shape == (0, dimension)


async def test_a_store_that_keeps_8_bits_finds_what_another_finds(tmp_path: Path) -> None:
    vectors, queries = drawn(600, 4), drawn(10, 5)
    found: list[list[set[str]]] = []
    sizes = []
    for form in VectorForm:
        store = open_store(str(tmp_path / f"{form}.db"), vectors=form)
        await store.ensure_schema()
        await store.start_vectors(MODEL)
        await store.accept([episode(f"ep-{n}") for n in range(len(vectors))], 1)
        keys = [ItemKey(group_id=GROUP, target=SearchTarget.EPISODE, item_id=f"ep-{n}") for n in range(len(vectors))]
        await store.put_vectors(MODEL, [ItemVector(key=k, vector=v) for k, v in zip(keys, vectors, strict=True)])
        scope = Scope(group_ids=(GROUP,))
        hits = [await store.search_vector(SearchTarget.EPISODE, query, scope, limit=20) for query in queries]
        found.append([{hit.item_id for hit in some} for some in hits])
        await store.close()
        sizes.append((tmp_path / f"{form}.db").stat().st_size)

    assert np.mean([len(one & other) / 20 for one, other in zip(*found, strict=True)]) >= 0.98
    assert sizes[1] < sizes[0] - 600 * 2 * DIMENSION


async def test_a_memory_goes_from_one_form_to_the_other_and_back(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    for form, text in (("float32", "I work at Acme."), ("int8", "I live in Oslo."), (VectorForm.FLOAT32, "I am tall.")):
        async with await Memory.open(path, embedder=HashingEmbedder(), vectors=form) as memory:
            await memory.add_episode(text, speaker="Ann")
            for word in text.removesuffix(".").split()[-1:]:
                found = await memory.search(word, recipe="vectors", targets=[SearchTarget.EPISODE])
                assert found[0].episode is not None
                assert found[0].episode.text == text


async def test_a_form_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="float32"):
        await Memory.open(tmp_path / "memory.db", vectors="int4")
    with pytest.raises(ConfigError, match="Neo4j"):
        open_store("neo4j://localhost", vectors=VectorForm.INT8)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vector SET vector = substr(vector, 1, 20)",
        "UPDATE vector SET vector = x''",
        "UPDATE vector_tokens SET tokens = substr(tokens, 1, 50)",
    ],
)
async def test_a_vector_of_another_length_is_reported_and_never_a_foreign_error(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "m.db"
    async with await Memory.open(path, embedder=HashingEmbedder()) as memory:
        await memory.add_episode("I work at Acme.", speaker="Ann", episode_id="e1")
    with sqlite3.connect(path) as connection:
        connection.execute(damage)
    connection.close()
    async with await Memory.open(path, embedder=HashingEmbedder()) as memory:
        assert "group 'default': the vector of episode 'e1' is damaged" in await memory.verify()
        with pytest.raises(StoreCorrupt):
            await memory.search("work")
