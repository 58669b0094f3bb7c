"""A long import takes no more memory than a short one, and says how far it has got."""

from __future__ import annotations

import asyncio
import resource
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from graphmem.memory import ImportReport, Memory
from tests.faults.processes import new_queue, started
from tests.faults.turns import turns

TURNS = 10_000
SETTLED_AFTER = 2_000
GROWTH_MB = 40.0


def import_and_watch(path: Path, told: Queue[object]) -> None:
    """Tells (turns done, peak memory in MB) after every batch, then None."""

    def progress(report: ImportReport) -> None:
        told.put((report.done, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))

    async def watch() -> None:
        async with await Memory.open(path) as memory:
            await memory.add_episodes(turns(TURNS), progress=progress)

    asyncio.run(watch())
    told.put(None)


@pytest.mark.soak
def test_an_import_of_ten_thousand_turns_keeps_memory_flat(tmp_path: Path) -> None:
    told = new_queue()
    seen: list[tuple[int, float]] = []
    with started(import_and_watch, tmp_path / "m.db", told):
        while (step := told.get(timeout=600)) is not None:
            seen.append(step)  # type: ignore[arg-type]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == TURNS
    settled = next(peak for done, peak in seen if done >= SETTLED_AFTER)
    assert seen[-1][1] - settled < GROWTH_MB
