"""How often in a row a search waits for its store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

import pytest

from graphmem import Memory, NewEpisode, SearchTarget
from graphmem.errors import StoreUnavailable
from graphmem.inference.scripted import HashingEmbedder
from graphmem.ports import Store
from graphmem.retrieve.recipes import Lane
from graphmem.retrieve.search import Findings
from graphmem.stores import open_store

QUESTION = "Where do Ann and Bob work, and who likes tea?"
TOLD = (
    *("Ann works at Acme.", "Bob works at Globex.", "Acme is in Paris.", "Globex is in Rome.", "Ann lives in Paris."),
    *("Ann is married to Bob.", "Bob likes tea.", "Ann likes coffee.", "Carla likes tea.", "Carla works at Acme."),
)
Call = Callable[..., Awaitable[object]]


@dataclass
class WaitedFor:
    """A store whose calls all wait until nobody can go on: then those asked side by side are answered together."""

    store: Store
    is_far: bool
    rounds: list[list[str]] = field(default_factory=list)
    _answered: asyncio.Event | None = None

    async def at_one_moment(self, work: Callable[[], Awaitable[object]]) -> object:
        return await work()  # as a server does

    def __getattr__(self, name: str) -> Call:
        call: Call = getattr(self.store, name)

        async def waited(*given: object, **named: object) -> object:
            if self._answered is None:
                self._answered = asyncio.Event()
                self.rounds.append([])
                asyncio.get_running_loop().create_task(self._answer(self._answered))
            self.rounds[-1].append(name)
            await self._answered.wait()
            return await call(*given, **named)

        return waited

    async def _answer(self, answered: asyncio.Event) -> None:
        for _ in range(50):  # until whoever can ask without an answer has asked
            await asyncio.sleep(0)
        self._answered = None
        answered.set()


@pytest.fixture(params=[False, True], ids=["near", "far"])
async def waited_for(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Memory, WaitedFor]]:
    waiting = WaitedFor(open_store(":memory:"), is_far=request.param)
    memory = await Memory.open(cast(Store, waiting), embedder=HashingEmbedder())
    async with memory:
        for group_id in ("ann", "bob"):
            await memory.add_episodes(
                NewEpisode(text=text, group_id=group_id, session_id="s", said_at=datetime(2026, 1, 1 + n, tzinfo=UTC))
                for n, text in enumerate(TOLD)
            )
        await memory.reembed()
        yield memory, waiting


async def rounds_of(waited_for: tuple[Memory, WaitedFor], **how: object) -> tuple[Findings, list[list[str]]]:
    memory, waiting = waited_for
    waiting.rounds.clear()
    found = await memory.search(QUESTION, group_ids=["ann", "bob"], **how)  # type: ignore[arg-type]
    return found, [sorted(calls) for calls in waiting.rounds]


async def test_a_search_waits_three_times_for_a_far_store_and_asks_a_near_one_for_no_more_than_it_needs(
    waited_for: tuple[Memory, WaitedFor],
) -> None:
    found, rounds = await rounds_of(waited_for)

    assert {rank.lane for hit in found for rank in hit.lanes} == {Lane.KEYWORD, Lane.VECTOR, Lane.WALK, Lane.KEY}
    if waited_for[1].is_far:
        beyond, ranking = [["edges_around", "edges_of"]], [["nearest_tokens", "turns", "whole_versions"]]
    else:
        beyond, ranking = [["edges_around"], ["edges_of"]], [["nearest_tokens", "turns"], ["whole_versions"]]
    assert rounds == [["count_unembedded", "search_all"], *beyond, *ranking]


async def test_every_kind_of_thing_at_once_takes_no_more_rounds(waited_for: tuple[Memory, WaitedFor]) -> None:
    found, rounds = await rounds_of(waited_for, targets=tuple(SearchTarget), limit=40)

    assert {hit.target for hit in found} == set(SearchTarget)
    assert len(rounds) == (3 if waited_for[1].is_far else 5)


async def test_what_was_read_to_rank_the_hits_is_not_read_again(waited_for: tuple[Memory, WaitedFor]) -> None:
    found, rounds = await rounds_of(waited_for, targets=[SearchTarget.EPISODE], limit=3, neighbours=2)

    assert [len(hit.before) + len(hit.after) > 0 for hit in found] == [True] * 3
    assert rounds[-1] == ["nearest_tokens", "turns"]


async def test_a_store_that_fails_in_one_of_several_reads_fails_the_search_with_its_own_error(
    waited_for: tuple[Memory, WaitedFor], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, waiting = waited_for

    async def away(*_: object, **__: object) -> object:
        raise StoreUnavailable("away")

    monkeypatch.setattr(waiting.store, "turns", away)

    with pytest.raises(StoreUnavailable, match="away"):
        await memory.search(QUESTION, group_ids="ann")
