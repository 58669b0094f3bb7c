"""Reading in batches: handed in, collected by whoever is there, and what a batch could not read is read one by one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import InvalidInput, ModelUnavailable, SpendLimitReached
from graphmem.inference.scripted import ScriptedModel, ScriptedReply
from graphmem.ingest.accept import NewEpisode
from graphmem.memory import Memory
from graphmem.model import JobState
from graphmem.ports import BatchProgress, ModelAnswer, ModelRequest, StopReason
from tests.clocks import SetClock
from tests.ingest.by_model.answers import JUNE
from tests.ingest.by_model.test_extractor import chat

COUNT = 12


def told(count: int = COUNT, session_id: str | None = None) -> list[NewEpisode]:
    return [
        NewEpisode(
            text=f"I work at Firm{chr(65 + n)}.",
            episode_id=f"e{n}",
            speaker=f"P{chr(65 + n)}",
            session_id=session_id,
            said_at=JUNE + timedelta(minutes=n),
        )
        for n in range(count)
    ]


class Slow(ScriptedModel):
    """A model whose batches end when they are told to; `forgets` them on demand, and counts calls that are none of a batch's."""

    is_ended = True

    def __init__(self, replies: object = chat) -> None:
        super().__init__(replies)  # type: ignore[arg-type]
        self.singles = 0

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.singles += 1
        return await super().complete(request)

    async def submit(self, requests: Mapping[str, ModelRequest]) -> str:
        before = self.singles
        batch_id = await super().submit(requests)  # which asks one by one
        self.singles = before
        return batch_id

    async def poll(self, batch_id: str) -> BatchProgress:
        progress = await super().poll(batch_id)
        return progress if self.is_ended else BatchProgress(is_ended=False, waiting=1)


async def believed(memory: Memory) -> int:
    return len(await memory.facts(at=JUNE + timedelta(hours=1), relation="WORKS_AT"))


async def test_what_waits_is_read_in_one_batch_and_no_call_is_made(tmp_path: Path) -> None:
    model = Slow()
    async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
        kept = await memory.add_episodes(told(), wait=False)
        assert (kept.accepted, kept.waiting, model.requests) == (COUNT, COUNT, [])

        report = await memory.read_in_batches(poll_s=0)

        assert (report.submitted, report.answered, report.left) == (COUNT, COUNT, 0)
        assert model.singles == 0
        assert await believed(memory) == COUNT
        assert (await memory.count_jobs())[JobState.DONE] == COUNT
        assert await memory.verify() == []


async def test_messages_of_a_session_share_a_request_of_the_batch(tmp_path: Path) -> None:
    model = Slow()
    async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
        await memory.add_episodes(told(session_id="s"), wait=False)
        await memory.read_in_batches(poll_s=0)

        assert len(model.requests) < COUNT / 2
        assert await believed(memory) == COUNT


async def test_a_process_that_was_killed_while_a_batch_is_under_way_is_no_loss(tmp_path: Path) -> None:
    model = Slow()
    model.is_ended = False
    clock = SetClock(JUNE)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    async with await Memory.open(tmp_path / "m.db", model=model, clock=clock) as memory:
        await memory.add_episodes(told(), wait=False)
        with pytest.raises(KeyboardInterrupt):
            await memory.read_in_batches(poll_s=0, progress=die)
    async with await Memory.open(tmp_path / "m.db", model=model, clock=clock) as memory:
        (job, *_) = await memory.jobs()
        assert job.reason.startswith("in batch ")
        assert await memory.run_jobs() == 0
        model.is_ended = True
        asked = len(model.requests)

        report = await memory.read_in_batches(poll_s=0)

        assert (report.submitted, report.answered) == (0, COUNT)
        assert len(model.requests) == asked
        assert await believed(memory) == COUNT


async def test_what_a_batch_could_not_read_is_read_one_by_one(tmp_path: Path) -> None:
    tried: set[str] = set()

    def reply(request: ModelRequest) -> ScriptedReply:
        message = request.prompt.rpartition("<message ")[2]
        if message in tried:
            return chat(request)
        tried.add(message)
        if "FirmA" in message:
            return ModelUnavailable("expired")
        if "FirmB" in message:
            return ModelAnswer(text="", stop=StopReason.MAX_TOKENS)
        return "no JSON" if "FirmC" in message else chat(request)

    model = Slow(reply)
    async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
        await memory.add_episodes(told(), wait=False)

        report = await memory.read_in_batches(poll_s=0)

        assert (report.answered, report.left) == (COUNT - 3, 3)
        assert model.singles == 3
        assert await believed(memory) == COUNT


async def test_a_batch_that_the_provider_has_forgotten_frees_its_jobs(tmp_path: Path) -> None:
    model = Slow()
    async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
        await memory.add_episodes(told(3), wait=False)
        model.is_ended = False

        def forget(*_: object) -> None:
            model._batches.clear()
            model.is_ended = True

        report = await memory.read_in_batches(poll_s=0, progress=forget)

        assert (report.answered, report.left) == (0, 3)
        assert await believed(memory) == 3


async def test_a_batch_that_never_ends_is_given_up_after_a_day(tmp_path: Path) -> None:
    model, clock = Slow(), SetClock(JUNE)
    model.is_ended = False

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    async with await Memory.open(tmp_path / "m.db", model=model, clock=clock) as memory:
        await memory.add_episodes(told(2), wait=False)
        with pytest.raises(KeyboardInterrupt):
            await memory.read_in_batches(poll_s=0, progress=die)
        clock.tick(timedelta(hours=26))
        assert await memory.run_jobs() == 2
        assert await believed(memory) == 2


async def test_telling_again_what_is_in_a_batch_does_not_wait_for_it(tmp_path: Path) -> None:
    model = Slow()
    model.is_ended = False

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
        await memory.add_episodes(told(2), wait=False)
        with pytest.raises(KeyboardInterrupt):
            await memory.read_in_batches(poll_s=0, progress=die)

        again = await memory.add_episodes(told(2))

        assert (again.repeated, model.singles) == (2, 0)


async def test_stored_episodes_can_be_read_again_in_a_batch(tmp_path: Path) -> None:
    clock = SetClock(JUNE)
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        await memory.add_episodes(told(3))
    model = Slow(lambda _: '{"entities": [], "facts": []}')
    async with await Memory.open(tmp_path / "m.db", model=model, clock=clock) as memory:
        assert await memory.reextract(wait=False) == 3
        report = await memory.read_in_batches(poll_s=0)
        assert (report.answered, model.singles) == (3, 0)
        assert await believed(memory) == 0


async def test_a_batch_that_cannot_be_paid_leaves_everything_queued(tmp_path: Path) -> None:
    class Poor(Slow):
        async def submit(self, requests: Mapping[str, ModelRequest]) -> str:
            raise SpendLimitReached("$5 are spent")

    async with await Memory.open(tmp_path / "m.db", model=Poor(), clock=SetClock(JUNE)) as memory:
        await memory.add_episodes(told(4), wait=False)
        with pytest.raises(SpendLimitReached):
            await memory.read_in_batches(poll_s=0)
        assert (await memory.count_jobs())[JobState.QUEUED] == 4


async def test_only_a_model_that_takes_batches_can_read_in_them(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db") as memory:
        with pytest.raises(InvalidInput, match="batches"):
            await memory.read_in_batches()
