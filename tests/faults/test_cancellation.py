"""Cancelled at any await: the episode is kept whole or not at all, no lease or lock stays behind, the next call works."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from datetime import timedelta
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest

from graphmem.memory import Memory
from graphmem.model import JobState
from tests.cases.table import case
from tests.clocks import SetClock, day
from tests.faults.turns import graph_of, turn

T = TypeVar("T")


class CancelledAt(Generic[T]):
    """Awaits a coroutine and throws a cancellation into it where it waits for the n-th time."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], point: int) -> None:
        self._coroutine = coroutine
        self._left = point
        self.was_reached = False

    def __await__(self) -> Generator[Any, None, T]:
        step: Callable[[], Any] = lambda: self._coroutine.send(None)  # noqa: E731
        while True:
            try:
                future = step()
            except StopIteration as stop:
                result: T = stop.value
                return result
            step = lambda: self._coroutine.send(None)  # noqa: E731
            if self._left == 0:
                self.was_reached = True
                step = lambda: self._coroutine.throw(asyncio.CancelledError())  # noqa: E731
                if future is not None:
                    future._asyncio_future_blocking = False
                    future.cancel()
            else:
                yield future
            self._left -= 1


async def cancel_at(memory: Memory, point: int) -> bool:
    """Whether telling the turn of this number waits so often that it could be cancelled there."""
    new = turn(point)
    telling = CancelledAt(
        memory.add_episode(
            new.text, group_id=new.group_id, episode_id=new.episode_id, speaker=new.speaker, said_at=new.said_at
        ),
        point,
    )
    try:
        await telling
    except asyncio.CancelledError:
        assert telling.was_reached
    return telling.was_reached


@case("F-C10")
async def test_cancelling_a_telling_at_any_await_leaves_nothing_half_and_no_group_stuck(tmp_path: Path) -> None:
    clock = SetClock(day("2026-06-01"))
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        points = 0
        while await cancel_at(memory, points):
            points += 1
            # The clock stands still: a lease left behind would hold the group up for ever.
            await asyncio.wait_for(
                memory.add_episode("Nothing of note.", group_id="chat", said_at=day("2026-01-01")), 10
            )
        assert points >= 3
        counts = await memory.count_jobs(group_ids="chat")
        assert counts[JobState.DONE] == sum(counts.values())
        disturbed = [turn(n) for n in range(points + 1)]
        await memory.add_episodes(disturbed)
        graph = await graph_of(memory)
    async with await Memory.open(tmp_path / "calm.db", clock=clock) as memory:
        await memory.add_episode("Nothing of note.", group_id="chat", said_at=day("2026-01-01"))
        await memory.add_episodes(disturbed)
        calm = await graph_of(memory)
    assert graph["believed"] == calm["believed"]
    assert graph["wrong"] == []


@case("Q-028")
async def test_leaving_the_context_by_an_interrupt_frees_the_file(tmp_path: Path) -> None:
    async def interrupted() -> None:
        async with await Memory.open(tmp_path / "m.db") as memory:
            await memory.add_episode("I work at Acme.", speaker="Alice", wait=False)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await interrupted()
    (tmp_path / "m.db").rename(tmp_path / "moved.db")
    async with await Memory.open(tmp_path / "moved.db") as memory:
        await memory.run_jobs()
        assert (await memory.count_jobs())[JobState.DONE] == 1


async def test_closing_while_a_telling_is_cancelled_finishes_what_is_in_hand(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db")
    telling = asyncio.create_task(memory.add_episode("I work at Acme.", speaker="Alice", episode_id="e1"))
    await asyncio.sleep(0.01)
    telling.cancel()
    await asyncio.wait([telling])
    await memory.close()
    clock = SetClock(day("2026-06-01") + timedelta(days=3_650))
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        counts = await memory.count_jobs()
        assert counts[JobState.RUNNING] == 0
        assert sum(counts.values()) <= 1
