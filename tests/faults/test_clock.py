"""Clocks that stand still, run backwards or jump: transaction times rise all the same."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.timeline.instants import to_datetime
from tests.cases.table import case
from tests.clocks import SetClock, day


async def tell(memory: Memory, number: int) -> int:
    """The transaction time of one more employer."""
    claim = NewClaim(subject="Alice", relation="WORKS_AT", object=f"Firm {number}")
    receipt = await memory.add_claims([claim], said_at=day("2025-01-01") + timedelta(days=number))
    assert receipt.tau is not None
    return receipt.tau


def rises(taus: list[int]) -> bool:
    return all(a < b for a, b in pairwise(taus))


@case("F-T01")
async def test_a_clock_that_is_set_back_inverts_nothing_and_changes_no_earlier_answer(tmp_path: Path) -> None:
    clock = SetClock(day("2026-01-01"))
    draw = random.Random(1)
    taus: list[int] = []
    then: list[tuple[str, datetime | None, datetime | None]] = []
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        for number in range(25):
            taus.append(await tell(memory, number))
            if number == 10:
                then = await seen(memory, taus[-1])
            clock.tick(timedelta(minutes=draw.uniform(-60, 59)))
        assert rises(taus)
        assert await seen(memory, taus[10]) == then


@case("F-T02")
async def test_a_clock_that_jumped_ahead_and_back_hides_no_later_fact(tmp_path: Path) -> None:
    clock = SetClock(day("2026-01-01"))
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        await tell(memory, 0)
        clock.set(day("2036-01-01"))
        await tell(memory, 1)
        clock.set(day("2026-01-02"))
        await tell(memory, 2)
        found = await memory.facts(subject="Alice", during=(None, None))
        assert [f.object.name for f in found] == ["Firm 0", "Firm 1", "Firm 2"]
        ahead = [f for f in found if f.created_at is not None and f.created_at > clock.now()]
        assert {f.object.name for f in ahead} >= {"Firm 1", "Firm 2"}


@case("F-T03")
async def test_two_writers_with_skewed_clocks_are_ordered_by_the_store(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fast, slow = SetClock(day("2026-01-01") + timedelta(minutes=5)), SetClock(day("2026-01-01") - timedelta(minutes=5))
    taus = []
    async with await Memory.open(path, clock=fast) as one, await Memory.open(path, clock=slow) as other:
        for number in range(20):
            taus.append(await tell((one, other)[number % 2], number))
            fast.tick()
            slow.tick()
    assert rises(taus)


@case("F-T04")
async def test_under_a_frozen_clock_every_write_has_a_transaction_time_of_its_own(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db", clock=SetClock(day("2026-01-01"))) as memory:
        assert rises([await tell(memory, number) for number in range(60)])


async def seen(memory: Memory, tau: int) -> list[tuple[str, datetime | None, datetime | None]]:
    found = await memory.facts(subject="Alice", during=(None, None), known_at=to_datetime(tau))
    return [(f.text, f.valid_at, f.invalid_at) for f in found]
