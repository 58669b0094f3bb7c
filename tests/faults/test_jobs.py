"""The life of a job: leases of the dead and the slow, retries, quarantine, shutdown."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import Busy, MalformedAnswer, ModelUnavailable
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.fate import MAX_ATTEMPTS
from graphmem.memory import Memory
from graphmem.model import EntityKind, Episode, Job, JobState, Statement
from graphmem.ports import Extraction, ExtractionContext, SearchTarget
from graphmem.stores import open_store
from graphmem.timeline.claims import Kind
from graphmem.timeline.instants import to_instant
from tests.cases.table import case
from tests.clocks import SetClock, day
from tests.faults.processes import started

NOON = day("2026-06-01T12:00")


class Scripted:
    """Reads one statement in each text, or fails as it is told; `release` holds it up until it is set."""

    def __init__(self) -> None:
        self.failures: dict[str, Exception] = {}
        self.release = asyncio.Event()
        self.release.set()
        self.reading = asyncio.Event()

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        self.reading.set()
        await self.release.wait()
        if episode.text in self.failures:
            raise self.failures[episode.text]
        statement = Statement(
            kind=Kind.HOLD,
            subject="Alice",
            relation="LIKES",
            object=episode.text,
            subject_kind=EntityKind.PERSON,
        )
        return Extraction(statements=(statement,))


async def only_job(memory: Memory) -> Job:
    [job] = await memory.jobs()
    return job


async def lease_and_die(path: Path, clock: SetClock) -> None:
    """What a worker leaves behind that died with a job in hand."""
    store = open_store(str(path))
    now = to_instant(clock.now())
    [job] = await store.lease(owner="dead", now=now, until=now + 60_000_000, limit=1)
    assert job.state is JobState.RUNNING
    await store.close()


async def test_a_job_of_a_dead_worker_is_taken_up_when_its_lease_has_ended(tmp_path: Path) -> None:
    path, clock = tmp_path / "m.db", SetClock(NOON)
    async with await Memory.open(path, clock=clock, extractor=Scripted()) as memory:
        await memory.add_episode("tea", episode_id="e1", wait=False)
    async with await Memory.open(path, clock=clock, extractor=Scripted()) as memory:
        if (await only_job(memory)).state is JobState.QUEUED:
            await lease_and_die(path, clock)
        clock.tick(timedelta(seconds=59))
        assert await memory.run_jobs() == 0
        clock.tick(timedelta(seconds=2))
        await memory.run_jobs()
        assert (await only_job(memory)).state is JobState.DONE


@case("Q-011")
async def test_the_late_commit_of_a_worker_that_overslept_its_lease_is_refused(tmp_path: Path) -> None:
    path, clock = tmp_path / "m.db", SetClock(NOON)
    sleepy, awake = Scripted(), Scripted()
    sleepy.release.clear()
    async with (
        await Memory.open(path, clock=clock, extractor=sleepy) as one,
        await Memory.open(path, clock=clock, extractor=awake) as other,
    ):
        telling = asyncio.create_task(one.add_episode("tea", episode_id="e1"))
        await sleepy.reading.wait()
        clock.tick(timedelta(seconds=61))
        receipt = await other.add_episode("tea", episode_id="e1")
        assert receipt.state is JobState.DONE
        sleepy.release.set()
        assert (await telling).state is JobState.DONE
        assert len(await other.claims()) == 1


@case("Q-003")
async def test_every_state_of_a_job_can_be_asked_for_and_survives_a_restart(tmp_path: Path) -> None:
    path, clock, extractor = tmp_path / "m.db", SetClock(NOON), Scripted()
    extractor.failures = {"later": ModelUnavailable("busy"), "bad": MalformedAnswer("no JSON")}
    async with await Memory.open(path, clock=clock, extractor=extractor) as memory:
        for text in ("tea", "later", "bad", "given up"):
            await memory.add_episode(text, episode_id=text.replace(" ", "-"))
        for _ in range(MAX_ATTEMPTS):
            clock.tick(timedelta(minutes=1))
            await memory.run_jobs(group_id="default")
    async with await Memory.open(path, clock=clock, extractor=extractor) as memory:
        states = {job.job_id: job.state for job in await memory.jobs()}
        assert states["tea"] is JobState.DONE
        assert states["bad"] is JobState.QUARANTINED
        [bad] = await memory.jobs(states=[JobState.QUARANTINED], job_ids=["bad"])
        assert bad.reason == "MalformedAnswer: no JSON"
        assert bad.attempts <= MAX_ATTEMPTS


@case("Q-004")
async def test_a_call_that_waited_long_enough_says_that_the_job_goes_on(tmp_path: Path) -> None:
    extractor = Scripted()
    extractor.release.clear()
    async with await Memory.open(tmp_path / "m.db", extractor=extractor) as memory:
        with pytest.raises(Busy, match=r"'e1'.*goes on"):
            await memory.add_episode("tea", episode_id="e1", timeout_s=0.05)
        extractor.release.set()
        receipt = await memory.add_episode("tea", episode_id="e1")
        assert receipt.state is JobState.DONE


def accept_and_die(path: Path) -> None:
    async def accept() -> None:
        memory = await Memory.open(path)
        await memory.add_episode("I work at Acme.", speaker="Alice", episode_id="e1", wait=False)
        os._exit(1)

    asyncio.run(accept())


@case("Q-005")
def test_what_a_dead_caller_had_accepted_is_done_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with started(accept_and_die, path) as child:
        child.join(60)

    async def take_up() -> None:
        async with await Memory.open(path, clock=SetClock(day("2100-01-01"))) as memory:
            await memory.run_jobs()
            assert (await only_job(memory)).state is JobState.DONE

    asyncio.run(take_up())


def exit_without_closing(path: Path) -> None:
    async def tell() -> None:
        memory = await Memory.open(path)
        await memory.add_episode("I work at Acme.", speaker="Alice", episode_id="e1")

    asyncio.run(tell())


@case("Q-027")
def test_an_interpreter_that_exits_without_closing_hangs_not_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with started(exit_without_closing, path) as child:
        child.join(30)
        assert child.exitcode == 0

    async def look() -> None:
        async with await Memory.open(path) as memory:
            assert (await only_job(memory)).state is JobState.DONE

    asyncio.run(look())


# ---- retries


async def failed_once(memory: Memory, clock: SetClock) -> float:
    """Seconds until the failed job is tried again."""
    receipt = await memory.add_episode("tea", episode_id="e1")
    assert receipt.state is JobState.RETRYING
    return ((await only_job(memory)).run_after - to_instant(clock.now())) / 1_000_000


@case("Q-012")
async def test_a_server_that_names_its_pause_is_not_asked_before_it_is_over(tmp_path: Path) -> None:
    clock, extractor = SetClock(NOON), Scripted()
    failure = ModelUnavailable("too many requests")
    failure.retry_after_s = 7.0  # type: ignore[attr-defined]
    extractor.failures = {"tea": failure}
    async with await Memory.open(tmp_path / "m.db", clock=clock, extractor=extractor) as memory:
        assert await failed_once(memory, clock) >= 7.0


@case("Q-013")
async def test_pauses_are_spread_over_their_whole_length(tmp_path: Path) -> None:
    clock, extractor = SetClock(NOON), Scripted()
    extractor.failures = {f"tea {n}": ModelUnavailable("busy") for n in range(60)}
    async with await Memory.open(tmp_path / "m.db", clock=clock, extractor=extractor) as memory:
        await memory.add_episodes([NewEpisode(text=text) for text in extractor.failures])
        pauses = [(job.run_after - to_instant(NOON)) / 1_000_000 for job in await memory.jobs()]
    assert len(pauses) == 60
    assert 0 <= min(pauses) < 0.5
    assert 1.5 < max(pauses) <= 2.0


@case("Q-014")
async def test_what_failed_for_a_while_is_done_later_and_once(tmp_path: Path) -> None:
    clock, extractor = SetClock(NOON), Scripted()
    extractor.failures = {"tea": ModelUnavailable("reset by peer")}
    async with await Memory.open(tmp_path / "m.db", clock=clock, extractor=extractor) as memory:
        await failed_once(memory, clock)
        extractor.failures.clear()
        clock.tick(timedelta(minutes=10))
        await memory.run_jobs()
        assert (await only_job(memory)).state is JobState.DONE
        assert len(await memory.claims()) == 1


@case("Q-017", "F-L09")
async def test_answers_that_cannot_be_read_are_asked_for_twice_more_and_no_oftener(tmp_path: Path) -> None:
    clock, extractor = SetClock(NOON), Scripted()
    extractor.failures = {"tea": MalformedAnswer("no JSON")}
    async with await Memory.open(tmp_path / "m.db", clock=clock, extractor=extractor) as memory:
        await failed_once(memory, clock)
        for _ in range(5):
            clock.tick(timedelta(minutes=10))
            await memory.run_jobs()
        job = await only_job(memory)
        assert (job.state, job.attempts) == (JobState.QUARANTINED, 3)


# ---- quarantine


async def poisoned(path: Path, extractor: Scripted, clock: SetClock, good: int, bad: int) -> Memory:
    """A memory told `good` good episodes and `bad` bad ones, tried until nothing is left to try."""
    texts = [f"tea {n}" for n in range(good)] + [f"poison {n}" for n in range(bad)]
    extractor.failures = {text: MalformedAnswer("no JSON") for text in texts if text.startswith("poison")}
    memory = await Memory.open(path, clock=clock, extractor=extractor)
    order = sorted(texts, key=lambda text: hash((text[-1], text)) % 97)
    await memory.add_episodes([NewEpisode(text=text, episode_id=text.replace(" ", "-")) for text in order])
    for _ in range(MAX_ATTEMPTS):
        clock.tick(timedelta(minutes=10))
        await memory.run_jobs()
    return memory


@case("Q-024", "F-L02")
async def test_a_tenth_of_poison_is_set_aside_and_the_rest_is_done(tmp_path: Path) -> None:
    memory = await poisoned(tmp_path / "m.db", Scripted(), SetClock(NOON), 90, 10)
    counts = await memory.count_jobs()
    assert (counts[JobState.DONE], counts[JobState.QUARANTINED], sum(counts.values())) == (90, 10, 100)
    assert len(await memory.claims()) == 90
    await memory.close()


@case("Q-021", "Q-022")
async def test_quarantined_jobs_can_be_listed_read_retried_and_dropped(tmp_path: Path) -> None:
    extractor, clock = Scripted(), SetClock(NOON)
    memory = await poisoned(tmp_path / "m.db", extractor, clock, 2, 3)
    aside = await memory.jobs(states=[JobState.QUARANTINED])
    assert len(aside) == 3
    assert all("poison" not in job.reason and job.reason for job in aside)
    assert [e.text for e in await memory.episodes([job.job_id for job in aside])] == [
        job.job_id.replace("-", " ") for job in aside
    ]
    await memory.drop_job(aside[0].job_id)
    extractor.failures.clear()
    for job in aside[1:]:
        await memory.retry_job(job.job_id)
    await memory.run_jobs()
    counts = await memory.count_jobs()
    assert (counts[JobState.DONE], counts[JobState.DROPPED], counts[JobState.QUARANTINED]) == (4, 1, 0)
    taus = {claim.episode_id: claim.tau for claim in await memory.claims()}
    assert taus[aside[1].job_id] < taus[aside[2].job_id]
    assert len(taus) == 4
    await memory.close()


@case("Q-023")
async def test_the_text_of_a_quarantined_episode_is_found_by_search(tmp_path: Path) -> None:
    memory = await poisoned(tmp_path / "m.db", Scripted(), SetClock(NOON), 0, 1)
    [found] = await memory.search("poison", targets=[SearchTarget.EPISODE])
    assert found.episode is not None
    assert found.episode.text == "poison 0"
    await memory.close()


class ErasesMeanwhile:
    """Erases one of the episodes while another is read; `error`: what then becomes of the reading."""

    def __init__(self, calls: int, error: Exception | None) -> None:
        self.calls = calls
        self.error = error
        self.memory: Memory | None = None

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        if self.memory is not None and episode.episode_id == "gone":
            memory, self.memory = self.memory, None
            await memory.erase(episode_id="gone")
            if self.error is not None:
                raise self.error
        statement = Statement(kind=Kind.HOLD, subject="Alice", relation="LIKES", object=episode.text)
        return Extraction(statements=(statement,), calls=self.calls)


@pytest.mark.parametrize("calls", [0, 1], ids=["by rules", "by a model, whose answer is recorded"])
@pytest.mark.parametrize("error", [None, MalformedAnswer("no JSON"), ModelUnavailable("away")], ids=repr)
async def test_an_episode_that_is_erased_while_it_is_read_takes_no_other_with_it(
    tmp_path: Path, calls: int, error: Exception | None
) -> None:
    extractor = ErasesMeanwhile(calls, error)
    async with await Memory.open(tmp_path / "m.db", extractor=extractor) as memory:
        extractor.memory = memory
        await memory.add_episodes(
            [NewEpisode(text=text, episode_id=text) for text in ("tea", "gone", "chess")], wait=False
        )
        await memory.run_jobs()
        assert {job.job_id: job.state for job in await memory.jobs()} == {"tea": JobState.DONE, "chess": JobState.DONE}
        assert {fact.object.name for fact in await memory.facts()} == {"tea", "chess"}
        assert await memory.verify() == []
