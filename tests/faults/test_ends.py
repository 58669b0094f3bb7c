"""How a worker may end other than by SIGKILL: asked to twice, out of memory, or because the disk does not take a sync."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from graphmem.errors import GraphmemError
from graphmem.ingest.accept import NewEpisode
from graphmem.memory import Memory
from graphmem.model import JobState
from tests.cases.table import case
from tests.documents import ROOT
from tests.faults.processes import LaterClock, new_queue, started
from tests.faults.turns import GROUP, check_whole, graph_of, turn, turns

TURNS = 40
ROOM_BYTES = 192 * 1024 * 1024
LARGE_BYTES = 10 * 1024 * 1024
SYNCS = 25
"""The first of them succeed: so many the store takes to be made and to be told a few turns."""


# ---- asked to end twice


class SlowClock:
    """A caller's clock that takes its time, so that a signal comes in mid-work."""

    def now(self) -> object:
        time.sleep(0.02)
        return LaterClock().now()


def import_slowly(path: Path, ready: Queue[object]) -> None:
    async def act() -> None:
        async with await Memory.open(path, clock=SlowClock()) as memory:  # type: ignore[arg-type]
            ready.put("ready")
            await memory.add_episodes(turns(TURNS), batch=4)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell started in the background
    asyncio.run(act())


async def whole_after(path: Path) -> dict[str, object]:
    """The graph when the import was told again to its end, checked."""
    async with await Memory.open(path, clock=LaterClock()) as memory:
        assert await memory.verify() == []
        await memory.add_episodes(turns(TURNS))
        await memory.run_jobs()
        await check_whole(memory, TURNS)
        return await graph_of(memory)


@case("F-K12")
@pytest.mark.parametrize(
    "twice", [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGINT)], ids=["SIGTERM", "SIGINT"]
)
async def test_a_second_signal_ends_a_worker_at_once_and_loses_nothing(
    tmp_path: Path, twice: tuple[signal.Signals, ...]
) -> None:
    path, ready = tmp_path / "m.db", new_queue()
    with started(import_slowly, path, ready) as child:
        ready.get(timeout=60)
        child.join(0.4)
        for one in twice:
            with suppress(ProcessLookupError):  # the first was enough
                os.kill(child.pid or 0, one)
            child.join(0.05)
        child.join(5)
        assert child.exitcode is not None, "it goes on"
        assert child.exitcode != 0, "it had come to its end before it was asked to"
    undisturbed = tmp_path / "undisturbed.db"
    assert await whole_after(path) == await whole_after(undisturbed)


# ---- out of memory


def tell_a_large_text(path: Path, said: Queue[object]) -> None:
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + ROOM_BYTES, resource.RLIM_INFINITY))
    sentence = "Alice met Bob in Lisbon and they work at Acme. "
    text = (sentence * (LARGE_BYTES // len(sentence) + 1))[:LARGE_BYTES]

    async def act() -> str:
        async with await Memory.open(path) as memory:
            await memory.add_episodes([turn(0)])
            try:
                receipt = await memory.add_episode(text, group_id=GROUP, episode_id="large")
            except (GraphmemError, MemoryError) as error:
                return type(error).__name__
            return receipt.state.value

    said.put(asyncio.run(act()))


@case("F-K13")
@pytest.mark.soak
def test_a_text_for_which_there_is_no_memory_takes_nothing_else_with_it(tmp_path: Path) -> None:
    path, said = tmp_path / "m.db", new_queue()
    with started(tell_a_large_text, path, said) as child:
        child.join(240)

    async def look() -> None:
        async with await Memory.open(path, clock=LaterClock()) as memory:
            assert await memory.verify() == []
            await memory.add_episodes([turn(1), turn(2)])
            (large,) = await memory.jobs(job_ids="large") or (None,)
            assert large is None or large.state in (JobState.QUEUED, JobState.RUNNING, JobState.RETRYING, *_FINAL)
            for number in range(3):
                (job,) = await memory.jobs(job_ids=turn(number).episode_id or "")
                assert job.state is JobState.DONE

    asyncio.run(look())


_FINAL = (JobState.DONE, JobState.QUARANTINED)


# ---- a disk that does not take a sync

_TELLS = f"""
import asyncio, json, sys
from pathlib import Path
from graphmem.errors import StoreError
from graphmem.memory import Memory
from tests.faults.turns import turn

async def act(path):
    async with await Memory.open(path) as memory:
        for number in range({TURNS}):
            try:
                await memory.add_episodes([turn(number)])
            except StoreError as error:
                print(json.dumps([number, type(error).__name__]), flush=True)
                return

asyncio.run(act(Path(sys.argv[1])))
"""


@case("F-K10")
@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
def test_nothing_is_acknowledged_after_a_sync_that_failed(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    command = ["strace", "-f", "-o", "/dev/null", "-e", f"inject=fsync,fdatasync:error=EIO:when={SYNCS}+"]
    ran = subprocess.run(
        [*command, sys.executable, "-c", _TELLS, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "ptrace" in ran.stderr:
        pytest.skip("this process may trace no other")
    acknowledged, error = json.loads(ran.stdout)
    assert 0 < acknowledged < TURNS
    assert error == "StoreUnavailable"

    async def look() -> None:
        async with await Memory.open(path, clock=LaterClock()) as memory:
            assert await memory.verify() == []
            kept = await memory.episodes([turn(n).episode_id or "" for n in range(acknowledged)], group_id=GROUP)
            assert len(kept) == acknowledged
        await whole_after(path)

    asyncio.run(look())


# ---- more is accepted than anybody works off


@case("Q-002")
async def test_a_long_queue_that_nobody_works_off_loses_nothing_it_called_accepted(tmp_path: Path) -> None:
    path, count = tmp_path / "m.db", 1_200
    async with await Memory.open(path) as memory:
        report = await memory.add_episodes(
            (NewEpisode(text=f"Turn {n}.", episode_id=f"e{n}") for n in range(count)), wait=False
        )
        assert (report.accepted, report.waiting) == (count, count)
    async with await Memory.open(path) as memory:  # nothing of it was in the other process's memory only
        assert (await memory.count_jobs())[JobState.QUEUED] == count
        await memory.run_jobs()
        assert (await memory.count_jobs())[JobState.DONE] == count
