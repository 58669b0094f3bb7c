"""A store that fails now and then, or dies between two calls: told again, everything is there once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import StoreFull, StoreUnavailable
from graphmem.ingest.fate import MAX_ATTEMPTS
from graphmem.memory import Memory
from graphmem.model import Episode, JobState
from graphmem.ports import Extraction, ExtractionContext
from tests.cases.table import case
from tests.clocks import SetClock, day
from tests.faults.stores import Conflicts, Crash, CrashAt, Flaky, failing_store
from tests.faults.turns import GROUP, check_whole, graph_of, turns

LEASE = timedelta(seconds=61)
SHORT = 3


async def undisturbed(tmp_path: Path, count: int) -> dict[str, object]:
    async with await Memory.open(tmp_path / "calm.db", clock=SetClock(day("2026-06-01"))) as memory:
        await memory.add_episodes(turns(count))
        return await graph_of(memory)


async def tell_through(path: Path, seed: int, count: int) -> None:
    """Tell turns one by one, each until it is acknowledged; a lease that a failure left behind runs out meanwhile."""
    clock, flaky = SetClock(day("2026-06-01")), Flaky(seed)
    async with await Memory.open(failing_store(path, flaky), clock=clock) as memory:
        flaky.is_on = True
        for new in turns(count):
            for _ in range(100):
                try:
                    await memory.add_episodes([new])
                except StoreUnavailable:
                    clock.tick(LEASE)
                else:
                    break
        flaky.is_on = False


@case("F-S02")
@pytest.mark.parametrize("seed", range(3))
async def test_a_store_that_fails_and_loses_answers_loses_and_doubles_nothing(tmp_path: Path, seed: int) -> None:
    await tell_through(tmp_path / "m.db", seed, 25)
    async with await Memory.open(tmp_path / "m.db") as memory:
        await check_whole(memory, 25)
        assert await graph_of(memory) == await undisturbed(tmp_path, 25)


@pytest.mark.parametrize("error", [StoreUnavailable, StoreFull])
async def test_a_store_that_keeps_failing_costs_an_episode_no_attempts_and_no_wait(
    tmp_path: Path, error: type[StoreUnavailable | StoreFull]
) -> None:
    left = [3 * MAX_ATTEMPTS]

    def fail(operation: str, is_done: bool) -> None:
        if operation == "commit" and not is_done and left[0]:
            left[0] -= 1
            raise error("not now")

    async with await Memory.open(failing_store(tmp_path / "m.db", fail), clock=SetClock(day("2026-06-01"))) as memory:
        for new in turns(1):
            while left[0]:
                with pytest.raises(error):
                    await memory.add_episodes([new])
                [job] = await memory._store.jobs()
                assert (job.state, job.attempts) == (JobState.QUEUED, 0)
                assert "not now" in job.reason
            await memory.add_episodes([new])
        await check_whole(memory, 1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
async def test_five_hundred_episodes_survive_a_failing_store(tmp_path: Path, seed: int) -> None:
    await tell_through(tmp_path / "m.db", seed, 500)
    async with await Memory.open(tmp_path / "m.db") as memory:
        await check_whole(memory, 500)


@case("F-K02b", "F-K02c", "F-K02h", "F-K02i", "F-K02j")
async def test_a_crash_between_any_two_store_calls_leaves_the_same_graph(tmp_path: Path) -> None:
    calm = await undisturbed(tmp_path, SHORT)
    border = 1
    while await crashed_at(tmp_path / f"{border}.db", border):
        async with await Memory.open(tmp_path / f"{border}.db", clock=SetClock(day("2026-06-01") + LEASE)) as memory:
            await memory.add_episodes(turns(SHORT))
            await check_whole(memory, SHORT)
            assert await graph_of(memory) == calm, f"crash at border {border}"
        border += 3
    assert border > 10


async def crashed_at(path: Path, border: int) -> bool:
    crash = CrashAt(border)
    memory = await Memory.open(failing_store(path, crash), clock=SetClock(day("2026-06-01")))
    crash.is_on = True
    try:
        await memory.add_episodes(turns(SHORT), batch=2)
    except Crash:
        return True
    finally:
        crash.is_on = False
        await memory.close()
    return False


class PaidExtractor:
    """Counts its calls, each of which gives another answer and costs something."""

    def __init__(self) -> None:
        self.calls = 0

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        self.calls += 1
        return Extraction(calls=1, notes=(f"answer {self.calls}",))


@case("Q-029")
async def test_an_answer_that_was_paid_for_is_not_bought_again_when_the_commit_fails(tmp_path: Path) -> None:
    extractor = PaidExtractor()
    async with await Memory.open(failing_store(tmp_path / "m.db", Conflicts(3)), extractor=extractor) as memory:
        await memory.add_episode("I work at Acme.")
    assert extractor.calls == 1


@case("F-L08")
async def test_a_crash_after_the_answer_was_recorded_resumes_from_it(tmp_path: Path) -> None:
    clock, extractor = SetClock(day("2026-06-01")), PaidExtractor()
    memory = await Memory.open(failing_store(tmp_path / "m.db", AtCommit()), clock=clock, extractor=extractor)
    with pytest.raises(Crash):
        await memory.add_episode("I work at Acme.", episode_id="e1", group_id=GROUP)
    await memory.close()
    clock.tick(LEASE)
    async with await Memory.open(tmp_path / "m.db", clock=clock, extractor=extractor) as memory:
        receipt = await memory.add_episode("I work at Acme.", episode_id="e1", group_id=GROUP)
    assert extractor.calls == 1
    assert receipt.ignored == ("answer 1",)
    assert receipt.state is JobState.DONE


class AtCommit:
    """Crashes before anything is committed."""

    def __call__(self, operation: str, is_done: bool) -> None:
        if operation == "commit":
            raise Crash


@case("F-S03")
async def test_a_store_that_cannot_be_reached_refuses_instead_of_acknowledging(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        await Memory.open(tmp_path / "no such folder" / "m.db")
