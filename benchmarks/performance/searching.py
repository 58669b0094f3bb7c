"""What a search costs with every lane: by the size of a group, and for turns of a conversation with a real embedder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from benchmarks.performance.disk import file_bytes
from benchmarks.performance.timing import spread_ms
from benchmarks.performance.word_vectors import WordVectors
from benchmarks.performance.world import FACTS_A_PERSON, GROUP, episodes_of, messages, person
from graphmem import Memory
from graphmem.inference.embedders import LOCAL, is_local_installed, open_embedder
from graphmem.ports import Embedded, EmbeddingModel, Floats, TextKind, TokenEmbedder
from graphmem.retrieve.recipes import FULL, Lane, Recipe, Rerank

__all__ = ["SearchFigures", "TurnFigures", "measure_searches", "measure_turns"]

_FACTS_AN_EPISODE = 5
_WARM_UP = 5
_BYTES_OF_SCALE = 4
"""Of a token, beside a byte for each of its numbers."""
_MESSAGES = "messages"
_LANES = (Lane.KEYWORD, Lane.VECTOR, Lane.WALK)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFigures:
    """Searches of one group, embedding apart."""

    facts: int
    search_ms: dict[str, float]
    """With the recipe that a search has by default, in a process that searched before."""
    lane_ms: dict[str, float]
    """The median of each lane alone, and of ranking anew: what the whole takes more without it."""
    open_ms: float
    """Opening the file."""
    first_ms: float
    """The first search after opening."""
    bytes_per_fact: float
    """Of the file: the facts, their episodes and entities, and all that finds them."""
    vector_bytes_per_fact: float
    """Of these: the vectors of all three kinds, and of their tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnFigures:
    """Searches among the turns of a conversation with a real embedder."""

    turns: int
    search_ms: dict[str, float]
    embed_ms: dict[str, float]
    whole_ms: dict[str, float]
    token_bytes_per_turn: float


async def measure_searches(path: Path, facts: int, repeats: int, progress: Callable[[str], None]) -> SearchFigures:
    """Import `facts` facts into a new store, make their vectors, open it anew and search so often, each time for another."""
    async with await Memory.open(path) as memory:
        told = episodes_of(range(facts), facts_an_episode=_FACTS_AN_EPISODE)
        await memory.add_episodes(told, progress=lambda report: progress(f"import {report.facts}/{facts} facts"))
    plain_bytes = file_bytes(path)
    async with await Memory.open(path, embedder=WordVectors()) as memory:
        await memory.reembed(progress=lambda done: progress(f"{done.waiting} wait for their vectors"))
    size_bytes = file_bytes(path)
    questions = _questions(facts, repeats + _WARM_UP)
    embedder = WordVectors()
    began = time.perf_counter()
    async with await Memory.open(path, embedder=embedder) as memory:
        open_ms = _ms(time.perf_counter() - began)
        [first] = await _searched(memory, embedder, questions[:1])
        await _searched(memory, embedder, questions[:_WARM_UP])
        whole = await _searched(memory, embedder, questions[_WARM_UP:])
        lane_ms = {
            lane.value: spread_ms(await _searched(memory, embedder, questions[_WARM_UP:], _only(lane)))["p50"]
            for lane in _LANES
        }
        without = await _searched(memory, embedder, questions[_WARM_UP:], replace(FULL, rerank=Rerank.NONE))
    lane_ms["rerank"] = round(spread_ms(whole)["p50"] - spread_ms(without)["p50"], 3)
    return SearchFigures(
        facts=facts,
        search_ms=spread_ms(whole),
        lane_ms=lane_ms,
        open_ms=open_ms,
        first_ms=_ms(first),
        bytes_per_fact=round(size_bytes / facts, 1),
        vector_bytes_per_fact=round((size_bytes - plain_bytes) / facts, 1),
    )


async def measure_turns(path: Path, turns: int, repeats: int, progress: Callable[[str], None]) -> TurnFigures | None:
    """Tell a conversation of so many turns and search it with the local embedder; None where it is not installed."""
    local = open_embedder(LOCAL) if is_local_installed() else None
    if not isinstance(local, TokenEmbedder):
        return None
    embedder = _Timed(local)
    async with await Memory.open(path, embedder=embedder) as memory:
        await memory.add_episodes(messages(turns))
        await memory.reembed(progress=lambda done: progress(f"{done.waiting} wait for their vectors"))
        questions = [f"Where does {person(number * 7 % 50)} work since March?" for number in range(repeats + _WARM_UP)]
        embed: list[float] = []
        search = await _searched(memory, embedder, questions, group_id=_MESSAGES, embed_seconds=embed)
    return TurnFigures(
        turns=turns,
        search_ms=spread_ms(search[_WARM_UP:]),
        embed_ms=spread_ms(embed[_WARM_UP:]),
        whole_ms=spread_ms([one + other for one, other in zip(search, embed, strict=True)][_WARM_UP:]),
        token_bytes_per_turn=await _token_bytes(local, turns),
    )


async def _searched(
    memory: Memory,
    embedder: WordVectors | _Timed,
    questions: Sequence[str],
    recipe: Recipe = FULL,
    *,
    group_id: str = GROUP,
    embed_seconds: list[float] | None = None,
) -> list[float]:
    """Seconds of each search without those of embedding its question."""
    seconds: list[float] = []
    for question in questions:
        before, began = embedder.seconds, time.perf_counter()
        await memory.search(question, group_ids=group_id, recipe=recipe)
        embedding = embedder.seconds - before
        seconds.append(time.perf_counter() - began - embedding)
        if embed_seconds is not None:
            embed_seconds.append(embedding)
    return seconds


def _only(lane: Lane) -> Recipe:
    return Recipe(name=f"{lane.value} alone", lanes=MappingProxyType({lane: 1.0}))


def _questions(facts: int, count: int) -> list[str]:
    """About as many people as there are, one after another."""
    people = max(1, facts // FACTS_A_PERSON)
    return [f"Where does {person(number * 31 % people)} work?" for number in range(count)]


async def _token_bytes(embedder: TokenEmbedder, turns: int) -> float:
    """What the token vectors of a turn take in a store, in the mean."""
    texts = [turn.text for turn in messages(turns)]
    embedded = await embedder.embed_tokens(texts, TextKind.DOCUMENT)
    return round(sum(rows.size + _BYTES_OF_SCALE * len(rows) for rows in embedded.tokens) / turns, 1)


class _Timed:
    """An embedder that notes how long it took."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        self._embedder = embedder
        self.seconds = 0.0

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return (await self.embed_tokens(texts, kind)).vectors

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        began = time.perf_counter()
        try:
            return await self._embedder.embed_tokens(texts, kind)
        finally:
            self.seconds += time.perf_counter() - began


def _ms(seconds: float) -> float:
    return round(seconds * 1_000, 3)
