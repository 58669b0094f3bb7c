"""SIGKILL at any moment: what was accepted is kept once and whole, and the import can be told again to its end."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.fate import MAX_ATTEMPTS
from graphmem.memory import ImportReport, Memory
from graphmem.model import Episode, JobState
from graphmem.ports import Extraction, ExtractionContext
from tests.cases.table import case
from tests.faults.processes import LaterClock, new_queue, run_all, started
from tests.faults.turns import GROUP, check_whole, graph_of, turn, turns

TURNS = 60
BATCH = 6


async def imported(path: Path, count: int = TURNS, said: Callable[[ImportReport], None] | None = None) -> None:
    async with await Memory.open(path) as memory:
        await memory.add_episodes(turns(count), batch=BATCH, progress=said)


def import_in_child(path: Path, acknowledged: Queue[object]) -> None:
    acknowledged.put("ready")
    asyncio.run(imported(path, said=lambda report: acknowledged.put(report.accepted + report.repeated)))


def resumed(path: Path, acknowledged: int) -> dict[str, object]:
    """The graph after the import was told again, when the leases of the dead have ended."""

    async def resume() -> dict[str, object]:
        async with await Memory.open(path, clock=LaterClock()) as memory:
            kept = await memory.episodes([turn(n).episode_id or "" for n in range(acknowledged)], group_id=GROUP)
            assert len(kept) == acknowledged, "what was acknowledged is lost"
            await memory.add_episodes(turns(TURNS), batch=BATCH)
            await memory.run_jobs()
            await check_whole(memory, TURNS)
            return await graph_of(memory)

    return asyncio.run(resume())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], float]:
    """The graph of an import that nothing disturbs, and how long it takes in seconds."""
    path = tmp_path_factory.mktemp("undisturbed") / "m.db"
    acknowledged = new_queue()
    with started(import_in_child, path, acknowledged) as child:
        acknowledged.get()
        began = time.monotonic()
        child.join(60)
        seconds = time.monotonic() - began
    return resumed(path, TURNS), seconds


def kill_in_mid_import(path: Path, delay_s: float) -> tuple[int, bool]:
    """How many turns were acknowledged until then, and whether the import was still going on."""
    acknowledged = new_queue()
    told = 0
    with started(import_in_child, path, acknowledged) as child:
        acknowledged.get()
        child.join(delay_s)
        child.kill()
        child.join()
    while not acknowledged.empty():
        told = max(told, int(str(acknowledged.get())))
    return told, child.exitcode == -signal.SIGKILL


def kill_again_and_again(tmp_path: Path, kills: int, undisturbed: tuple[dict[str, object], float]) -> None:
    graph, seconds = undisturbed
    draw = random.Random(kills)
    killed = 0
    for attempt in range(20 * kills):
        path = tmp_path / f"{attempt}.db"
        told = 0
        for _ in range(draw.choice((1, 1, 2))):
            acknowledged, was_killed = kill_in_mid_import(path, draw.uniform(0, seconds))
            told = max(told, acknowledged)
            killed += was_killed
        assert resumed(path, told) == graph
        if killed >= kills:
            return
    raise AssertionError(f"only {killed} of {kills} imports could be killed")


def test_a_killed_import_is_resumed_without_loss_halves_or_doubles(
    tmp_path: Path, undisturbed: tuple[dict[str, object], float]
) -> None:
    kill_again_and_again(tmp_path, 8, undisturbed)


@pytest.mark.soak
def test_a_hundred_killed_imports_are_resumed_without_loss_halves_or_doubles(
    tmp_path: Path, undisturbed: tuple[dict[str, object], float]
) -> None:
    kill_again_and_again(tmp_path, 100, undisturbed)


# ---- death at any statement, also inside a transaction


class DyingConnection(sqlite3.Connection):
    """Ends the process at the n-th statement of all connections."""

    left = -1

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        self.set_trace_callback(self._count)

    def _count(self, _: str) -> None:
        DyingConnection.left -= 1
        if DyingConnection.left == 0:
            os._exit(137)


def import_until_statement(path: Path, statement: int, counted: Queue[object]) -> None:
    connect = sqlite3.connect
    DyingConnection.left = statement
    sqlite3.connect = lambda *given, **named: connect(*given, factory=DyingConnection, **named)  # type: ignore[assignment]
    asyncio.run(imported(path, SHORT))
    counted.put(-DyingConnection.left)


SHORT = 7


def graph_after_death(path: Path, statement: int) -> dict[str, object]:
    """The graph of an import that died at a statement, told again. How many there are differs a little from run to run."""
    counted = new_queue()
    with started(import_until_statement, path, statement, counted) as child:
        child.join(60)
        assert child.exitcode in (0, 137)

    async def resume() -> dict[str, object]:
        async with await Memory.open(path, clock=LaterClock()) as memory:
            await memory.add_episodes(turns(SHORT), batch=BATCH)
            await check_whole(memory, SHORT)
            return await graph_of(memory)

    return asyncio.run(resume())


def statements_of_an_import(path: Path) -> int:
    counted = new_queue()
    run_all((import_until_statement, (path, 0, counted)))
    return int(str(counted.get()))


def graphs_after_deaths(tmp_path: Path, step: int) -> None:
    total = statements_of_an_import(tmp_path / "undisturbed.db")

    async def undisturbed() -> dict[str, object]:
        async with await Memory.open(tmp_path / "undisturbed.db") as memory:
            return await graph_of(memory)

    graph = asyncio.run(undisturbed())
    for statement in range(1, total * 9 // 10, step):
        assert graph_after_death(tmp_path / f"{statement}.db", statement) == graph, f"death at statement {statement}"


@case("F-K02b", "F-K02c", "F-K02d", "F-K02h", "F-K02i", "F-K02j")
def test_death_at_any_statement_leaves_the_same_graph(tmp_path: Path) -> None:
    total = statements_of_an_import(tmp_path / "counted.db")
    graphs_after_deaths(tmp_path, total // 7)


@pytest.mark.soak
def test_death_at_every_third_statement_leaves_the_same_graph(tmp_path: Path) -> None:
    graphs_after_deaths(tmp_path, 3)


# ---- readers beside a dying writer


def read_in_child(path: Path, found: Queue[object], seconds: float) -> None:
    async def read() -> int:
        torn = 0
        until = time.monotonic() + seconds
        async with await Memory.open(path) as memory:
            while time.monotonic() < until:
                jobs = await memory.jobs(group_ids=GROUP, states=[JobState.DONE])
                claims = {c.episode_id for c in await memory.claims(group_id=GROUP)}
                told = [j.job_id for j in jobs if j.receipt is not None and '"claims":0' not in j.receipt]
                torn += sum(job_id not in claims for job_id in told)
        return torn

    found.put(asyncio.run(read()))


@case("F-K07")
def test_readers_see_no_torn_episode_while_the_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    asyncio.run(imported(path, 0))
    found = new_queue()
    with started(read_in_child, path, found, 2.0) as one, started(read_in_child, path, found, 2.0) as other:
        draw = random.Random(7)
        for _ in range(4):
            kill_in_mid_import(path, draw.uniform(0.05, 0.4))
        one.join(60)
        other.join(60)
        assert (one.exitcode, other.exitcode) == (0, 0)
    assert [found.get(), found.get()] == [0, 0]


# ---- an episode that kills its worker every time


class DeadlyExtractor:
    """Dies of one text and reads nothing in the others."""

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        if "poison" in episode.text:
            os._exit(137)
        return Extraction()


def work_in_child(path: Path, restarts: int) -> None:
    async def work() -> None:
        clock = LaterClock(restarts * timedelta(seconds=61))
        async with await Memory.open(path, clock=clock, extractor=DeadlyExtractor()) as memory:
            if restarts == 0:
                await memory.add_episodes(notes(), batch=51)
            await memory.run_jobs()

    asyncio.run(work())


def notes() -> list[NewEpisode]:
    texts = [f"note {number}" for number in range(50)]
    return [NewEpisode(text=text, episode_id=text.replace(" ", "-")) for text in [*texts[:17], "poison", *texts[17:]]]


@case("F-K08", "Q-007")
def test_an_episode_that_kills_its_worker_is_quarantined_and_the_others_are_done(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    deaths = 0
    for restarts in range(10):
        with started(work_in_child, path, restarts) as child:
            child.join(60)
            if child.exitcode == 0:
                break
            deaths += 1

    async def look() -> None:
        async with await Memory.open(path) as memory:
            jobs = await memory.count_jobs()
            assert (jobs[JobState.DONE], jobs[JobState.QUARANTINED]) == (50, 1)
            [poison] = await memory.jobs(states=[JobState.QUARANTINED])
            assert poison.job_id == "poison"
            [episode] = await memory.episodes(["poison"])
            assert episode.text == "poison"

    asyncio.run(look())
    assert deaths == MAX_ATTEMPTS
