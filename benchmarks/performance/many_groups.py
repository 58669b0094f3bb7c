"""What a search costs beside very many other groups, and what is found where vectors are known by their signs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.performance.crowds import NOW, crowd, load, write_batches
from benchmarks.performance.timing import spread_ms
from benchmarks.performance.word_vectors import WordVectors
from graphmem import Memory
from graphmem.ingest.embed import Embedding
from graphmem.ports import SearchTarget
from graphmem.stores import open_store

__all__ = ["GroupFigures", "SignFigures", "measure_groups", "measure_signs"]

_FACTS = 100
"""In each group."""
_ASKED = 100
"""So many of the groups have vectors and are searched."""
_WARM_UP = 3
_LIMIT = 20
_SEED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupFigures:
    """Searches with the default recipe in groups of 100 facts, embedding apart."""

    groups: int
    search_ms: dict[str, float]
    """In groups drawn at random, none searched before."""
    again_ms: dict[str, float]
    """In the same groups a second time, for something else."""
    lone_ms: dict[str, float]
    """In the only group of a store, over and over; in turns with the others."""
    lone_first_ms: dict[str, float]
    """In such groups, each the only one of a store where nothing but an empty group was searched before."""
    open_ms: float
    """Opening the file of the many."""
    first_ms: float
    """The first search after that."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SignFigures:
    """Vectors beyond the size up to which they are compared one by one."""

    vectors: int
    recall_at_20: float
    search_ms: dict[str, float]


async def measure_groups(folder: Path, groups: int, progress: Callable[[str], None]) -> GroupFigures:
    """Build a store of so many groups and one of a single group, and search in both."""
    asked = random.Random(_SEED).sample(range(groups), min(groups, _ASKED))
    many, lone = folder / "groups.db", folder / "lone.db"
    await _build(many, range(groups), asked, progress)
    await _build(lone, range(1), [0], progress)
    embedder = WordVectors()
    began = time.perf_counter()
    async with (
        await Memory.open(many, embedder=embedder) as memory,
        await Memory.open(lone, embedder=embedder) as small,
    ):
        open_ms = round((time.perf_counter() - began) / 2 * 1_000, 3)
        first = await _seconds(memory, embedder, asked[0], 0)
        for number in range(_WARM_UP):
            await _seconds(small, embedder, 0, number)
        fresh, again, alone = list[float](), list[float](), list[float]()
        for number, group in enumerate(asked[1:] or asked):
            fresh.append(await _seconds(memory, embedder, group, number))
            alone.append(await _seconds(small, embedder, 0, number))
            again.append(await _seconds(memory, embedder, group, number + 1))
        alone_first = [
            await _first_of_its_own(folder / f"own-{number}.db", groups + number, embedder, progress)
            for number in range(len(fresh))
        ]
    return GroupFigures(
        groups=groups,
        search_ms=spread_ms(fresh),
        again_ms=spread_ms(again),
        lone_ms=spread_ms(alone),
        lone_first_ms=spread_ms(alone_first),
        open_ms=open_ms,
        first_ms=round(first * 1_000, 3),
    )


async def _first_of_its_own(path: Path, group: int, embedder: WordVectors, progress: Callable[[str], None]) -> float:
    """Seconds of the first search of a group that has a store to itself, once the store is open and at work."""
    await _build(path, [group], [group], progress)
    async with await Memory.open(path, embedder=embedder) as memory:
        await memory.search("anything", group_ids="nobody")
        return await _seconds(memory, embedder, group, group)


async def measure_signs(path: Path, vectors: int, repeats: int, progress: Callable[[str], None]) -> SignFigures:
    """Write one group of so many vectors and compare what is found with the nearest of all, one by one."""
    one = crowd("signs", vectors, seed=_SEED)
    store = open_store(str(path))
    await store.ensure_schema()
    try:
        await load(store, [one], progress)
        found = wanted = 0
        seconds: list[float] = []
        for number in range(repeats):
            question = one.question(number)
            began = time.perf_counter()
            hits = await store.search_vector(SearchTarget.FACT, question, one.scope(NOW), limit=_LIMIT)
            seconds.append(time.perf_counter() - began)
            nearest = set(one.nearest(question, NOW, _LIMIT))
            found += len(nearest & {hit.item_id for hit in hits})
            wanted += len(nearest)
    finally:
        await store.close()
    return SignFigures(vectors=vectors, recall_at_20=round(found / wanted, 4), search_ms=spread_ms(seconds[1:]))


async def _build(path: Path, groups: Sequence[int], asked: Sequence[int], progress: Callable[[str], None]) -> None:
    """Write the groups; those that are asked get the vectors of their facts and entities."""
    embedder, wanted = WordVectors(), frozenset(asked)
    store = open_store(str(path))
    await store.ensure_schema()
    try:
        await store.start_vectors(embedder.model)
        for number in groups:
            await write_batches(store, crowd(_name(number), _FACTS, seed=number))
            if number in wanted:
                await Embedding(store=store, embedder=embedder).embed_waiting(group_ids=[_name(number)])
            progress(f"{number:,} of {len(groups):,} groups")
    finally:
        await store.close()


async def _seconds(memory: Memory, embedder: WordVectors, group: int, number: int) -> float:
    """One search for a thing that somebody likes, with all it does but for the embedding of its words."""
    words = f"Does Person {number % 10} like thing n{number % _FACTS}?"
    embedding, began = embedder.seconds, time.perf_counter()
    found = await memory.search(words, group_ids=_name(group))
    seconds = time.perf_counter() - began - (embedder.seconds - embedding)
    if not found:
        raise RuntimeError(f"nothing found in {_name(group)}: the store is not as it was built")
    return seconds


def _name(group: int) -> str:
    return f"group-{group}"
