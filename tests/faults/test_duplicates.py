"""The same thing told again: late, changed, in one call, out of order."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import IdempotencyConflict
from graphmem.ingest.accept import NewEpisode
from graphmem.memory import Memory
from graphmem.model import JobState
from graphmem.ports import Verdict
from tests.cases.table import case
from tests.clocks import SetClock, day
from tests.faults.turns import GROUP, graph_of, turns


@case("F-D02")
async def test_a_used_id_with_another_text_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db") as memory:
        await memory.add_episode("I work at Acme.", episode_id="e1", speaker="Alice")
        before = await memory.digest()
        with pytest.raises(IdempotencyConflict):
            await memory.add_episode("I work at Globex.", episode_id="e1", speaker="Alice")
        assert await memory.digest() == before


@case("F-D03")
async def test_the_same_words_at_another_time_are_a_second_episode_of_the_same_fact(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db") as memory:
        for said in ("2026-01-02", "2026-02-03"):
            await memory.add_episode("I work at Acme.", speaker="Alice", said_at=day(said))
        [fact] = await memory.facts(subject="Alice")
        assert len(fact.episode_ids) == 2
        assert fact.last_confirmed_at == day("2026-02-03")


@case("F-D05")
async def test_an_import_told_again_a_month_later_adds_nothing(tmp_path: Path) -> None:
    clock = SetClock(day("2026-05-01"))
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        await memory.add_episodes(turns(20))
    clock.tick(timedelta(days=30))
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        before = await memory.digest()
        report = await memory.add_episodes(turns(20))
        assert (report.accepted, report.repeated) == (0, 20)
        assert await memory.digest() == before


@case("F-D06")
async def test_an_episode_twice_in_one_call_is_one(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db") as memory:
        new = NewEpisode(text="I work at Acme.", episode_id="e1", speaker="Alice")
        report = await memory.add_episodes([new, new])
        assert (report.accepted, report.repeated) == (1, 1)
        assert (await memory.count_jobs())[JobState.DONE] == 1


@case("F-D07")
async def test_old_news_told_again_does_not_come_back(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db") as memory:
        old = {"text": "I work at Acme.", "episode_id": "e1", "speaker": "Alice", "said_at": day("2025-02-10")}
        await memory.add_episode(**old)  # type: ignore[arg-type]
        await memory.add_episode(
            "I joined Globex in May 2026.", episode_id="e2", speaker="Alice", said_at=day("2026-06-03")
        )
        before = await memory.digest()
        receipt = await memory.add_episode(**old)  # type: ignore[arg-type]
        assert receipt.verdict is Verdict.SAME
        assert await memory.digest() == before
        assert [f.object.name for f in await memory.facts(subject="Alice", at=day("2026-07-01"))] == ["Globex"]


@case("Q-031")
async def test_every_accepted_episode_is_in_exactly_one_state(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db") as memory:
        await memory.add_episodes(turns(15))
        await memory.add_episode("waiting", group_id=GROUP, wait=False)
        counts = await memory.count_jobs(group_ids=GROUP)
        assert set(counts) == set(JobState)
        assert sum(counts.values()) == 16
        assert (await graph_of(memory))["wrong"] == []
