"""Batches of Claude: handed in, polled, read in any order, and gone on with by another process."""

from __future__ import annotations

import pytest

from graphmem.errors import (
    InvalidInput,
    ModelError,
    ModelMisconfigured,
    ModelRefused,
    ModelUnavailable,
    NotFound,
)
from graphmem.ports import BatchModel, BatchProgress, ModelAnswer
from graphmem.testing import replies
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.replies import Asked, Hangs, Reply
from tests.inference.requests import QUICK, SCHEMA, request_of

pytest.importorskip("anthropic", reason="needs the extra `anthropic`")

from graphmem.inference.anthropic import AnthropicModel

REQUESTS = {name: request_of(f"about {name}", schema=SCHEMA) for name in ("ep-1", "ep-2", "ep-3", "ep-4")}


def about(asked: Asked) -> str | Reply:
    if "ep-2" in asked.prompt:
        return replies.overloaded()
    if "ep-3" in asked.prompt:
        return Hangs()  # never came to: the batch expired
    return replies.refuses("bio") if "ep-4" in asked.prompt else asked.prompt


@pytest.fixture
def server() -> object:
    with FakeAnthropic(about, polls=1) as running:
        yield running


def of(server: FakeAnthropic) -> AnthropicModel:
    return AnthropicModel("claude-haiku-5-5", key="test", base_url=server.url, patience=QUICK)


async def outcomes(model: BatchModel, batch_id: str) -> dict[str, ModelAnswer | ModelError]:
    return {result.custom_id: result.outcome async for result in model.results(batch_id)}


async def test_a_batch_is_polled_until_it_has_ended_and_each_request_has_its_outcome(
    claude: AnthropicModel, server: FakeAnthropic
) -> None:
    batch_id = await claude.submit(REQUESTS)
    progress = [await claude.poll(batch_id) for _ in range(3)]
    assert progress == [
        BatchProgress(is_ended=False, waiting=4),
        BatchProgress(is_ended=True, answered=2, failed=2),
        BatchProgress(is_ended=True, answered=2, failed=2),
    ]
    found = await outcomes(claude, batch_id)
    assert sorted(found) == sorted(REQUESTS)
    first, refused = found["ep-1"], found["ep-4"]
    assert isinstance(first, ModelAnswer)
    assert isinstance(refused, ModelAnswer)
    assert first.text == "about ep-1"
    with pytest.raises(ModelRefused):
        refused.whole_text()
    assert isinstance(found["ep-2"], ModelUnavailable)
    assert isinstance(found["ep-3"], ModelUnavailable)
    assert "hand it in anew" in str(found["ep-3"])


async def test_a_request_of_a_batch_is_what_it_would_be_alone(claude: AnthropicModel, server: FakeAnthropic) -> None:
    batch_id = await claude.submit({"one": REQUESTS["ep-1"]})
    while not (await claude.poll(batch_id)).is_ended:
        pass
    await claude.complete(REQUESTS["ep-1"])
    in_batch, alone = server.requests
    assert in_batch.body == alone.body


async def test_another_process_goes_on_with_a_batch_by_its_id(claude: AnthropicModel, server: FakeAnthropic) -> None:
    batch_id = await claude.submit(REQUESTS)
    await claude.poll(batch_id)
    another = of(server)
    assert (await another.poll(batch_id)).is_ended
    once, again = await outcomes(another, batch_id), await outcomes(another, batch_id)
    assert once["ep-1"] == again["ep-1"]
    assert [repr(once[name]) for name in REQUESTS] == [repr(again[name]) for name in REQUESTS]
    assert len(server.requests) == len(REQUESTS)
    await another.aclose()


async def test_results_before_the_end_are_unavailable_and_an_unknown_batch_is_not_found(
    claude: AnthropicModel,
) -> None:
    batch_id = await claude.submit(REQUESTS)
    with pytest.raises(ModelUnavailable, match="has not ended"):
        await outcomes(claude, batch_id)
    with pytest.raises(NotFound, match="msgbatch_nowhere"):
        await claude.poll("msgbatch_nowhere")
    with pytest.raises(NotFound, match="msgbatch_nowhere"):
        await outcomes(claude, "msgbatch_nowhere")


@pytest.mark.parametrize("custom_id", ["", "a b", "ä", "x" * 65])
async def test_an_id_that_cannot_be_one_is_refused_before_anything_is_sent(
    claude: AnthropicModel, server: FakeAnthropic, custom_id: str
) -> None:
    with pytest.raises(InvalidInput):
        await claude.submit({custom_id: request_of()})
    with pytest.raises(InvalidInput, match="1 to 100,000"):
        await claude.submit({})
    assert server.paths == []


async def test_an_unusable_request_of_a_batch_fails_alone() -> None:
    with FakeAnthropic("yes") as server:
        claude = of(server)
        bad = request_of(schema={"type": "object", "properties": {}})
        batch_id = await claude.submit({"good": request_of(), "bad": bad})
        found = await outcomes(claude, batch_id)
        assert isinstance(found["good"], ModelAnswer)
        assert isinstance(found["bad"], ModelMisconfigured)
        await claude.aclose()
