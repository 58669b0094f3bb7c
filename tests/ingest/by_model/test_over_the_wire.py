"""A memory that reads by Claude's real client over a socket: every kind of failure ends in a job that says why, and none is lost."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import ModelHalted
from graphmem.inference.anthropic import AnthropicModel
from graphmem.inference.patience import Patience
from graphmem.memory import Memory
from graphmem.model import JobState
from graphmem.testing import replies
from graphmem.testing.fake_anthropic import FakeAnthropic
from tests.clocks import SetClock
from tests.ingest.by_model.answers import ACME, JUNE

pytest.importorskip("anthropic", reason="needs the extra `anthropic`")

ONCE = Patience(attempt_s=0.5, total_s=1.0, attempts=1)
FAILURES = {
    "overloaded": (replies.overloaded(), JobState.RETRYING),
    "rate limited for a day": (replies.rate_limited(86_400), JobState.RETRYING),
    "refused": (replies.refuses("bio"), JobState.QUARANTINED),
    "too long": (replies.prompt_too_long(), JobState.QUARANTINED),
    "server error": (replies.server_error(), JobState.RETRYING),
    "a gateway's page": (replies.SaysHtml(), JobState.RETRYING),
    "hangs": (replies.Hangs(seconds=2), JobState.RETRYING),
    "prose": ("I'm sorry, but I can't help with that.", JobState.RETRYING),
}


def model_of(server: FakeAnthropic) -> AnthropicModel:
    return AnthropicModel("claude-haiku-5-5", key="test", base_url=server.url, patience=ONCE)


@pytest.mark.parametrize(("reply", "state"), FAILURES.values(), ids=FAILURES)
async def test_a_failure_ends_in_a_job_that_says_why_and_the_episode_is_found(
    tmp_path: Path, reply: str | replies.Reply, state: JobState
) -> None:
    with FakeAnthropic(ACME) as server:
        server.then(*[reply] * (2 if isinstance(reply, str) else 1))
        model, clock = model_of(server), SetClock(JUNE)
        async with await Memory.open(tmp_path / "m.db", model=model, clock=clock, fallback="rules") as memory:
            receipt = await memory.add_episode("I work at Acme.", speaker="Ann", said_at=JUNE)

            assert receipt.state is state
            assert receipt.reason
            assert [f.text for f in await memory.facts(at=JUNE)] == ["Ann works at Acme"]
            assert {c.origin for c in await memory.claims()} == {"rules"}
            clock.tick(timedelta(days=1))
            await memory.run_jobs()
            assert (await memory.count_jobs())[JobState.DONE] == (1 if state is JobState.RETRYING else 0)
            assert [f.text for f in await memory.facts(at=JUNE)] == ["Ann works at Acme"]
        await model.aclose()


async def test_a_cut_answer_is_asked_for_with_twice_the_room(tmp_path: Path) -> None:
    with FakeAnthropic(ACME) as server:
        server.then(replies.truncated(ACME[:-30]))
        model = model_of(server)
        async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
            receipt = await memory.add_episode("I work at Acme.", speaker="Ann", said_at=JUNE)

            assert (receipt.state, receipt.calls) == (JobState.DONE, 2)
            assert receipt.tokens > 0
        await model.aclose()


async def test_a_spend_limit_stops_the_work_and_leaves_the_job_queued(tmp_path: Path) -> None:
    with FakeAnthropic(replies.spend_limit_reached()) as server:
        model = model_of(server)
        async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
            with pytest.raises(ModelHalted):
                await memory.add_episode("I work at Acme.", speaker="Ann", said_at=JUNE)
            assert (await memory.count_jobs())[JobState.QUEUED] == 1
        await model.aclose()


async def test_the_prompt_is_cached_and_its_tokens_are_counted_whole(tmp_path: Path) -> None:
    with FakeAnthropic(ACME) as server:
        model = model_of(server)
        async with await Memory.open(tmp_path / "m.db", model=model, clock=SetClock(JUNE)) as memory:
            tokens = [
                (await memory.add_episode("I work at Acme.", speaker="Ann", said_at=JUNE + timedelta(minutes=n))).tokens
                for n in range(2)
            ]
            assert min(tokens) > 500
            first, second = server.requests
            assert first.system == second.system
        await model.aclose()
