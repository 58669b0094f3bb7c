"""Whatever a provider sends is an answer or one of our errors."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import ModelError, ModelUnavailable
from graphmem.inference.anthropic_wire import parsed_answer, parsed_batch, parsed_health, parsed_result
from graphmem.inference.openai_chat import OpenAICompatibleModel
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.fake_openai import FakeOpenAI
from graphmem.testing.replies import SaysHtml
from tests.inference.requests import QUICK, request_of

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "model": "claude-haiku-5-5",
    "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "hello"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 2, "cache_read_input_tokens": None, "output_tokens_details": None},
}
LINE = {"custom_id": "a", "result": {"type": "succeeded", "message": MESSAGE}}
COMPLETION = {
    "id": "c",
    "model": "m",
    "choices": [{"message": {"content": "hello", "refusal": None}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}
ODD = (None, 0, -1, 1e308, "", "x", [], {}, True, "\ud800", [[]], {"a": None})


def mutations(content: object, seed: int, count: int) -> Iterator[object]:
    """Copies in which one place at a time holds something odd, or nothing."""
    dice = random.Random(seed)
    for _ in range(count):
        copy = json.loads(json.dumps(content))
        node = copy
        while isinstance(node, dict | list) and node:
            key = dice.choice(list(node)) if isinstance(node, dict) else dice.randrange(len(node))
            below = node[key]
            if dice.random() < 0.4 or not isinstance(below, dict | list) or not below:
                if dice.random() < 0.2:
                    del node[key]
                else:
                    node[key] = dice.choice(ODD)
                break
            node = below
        yield copy


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (MESSAGE, lambda text: parsed_answer(text, "r")),
        (LINE, lambda text: parsed_result(text, "m")),
        ({"id": "b", "processing_status": "ended", "request_counts": {"processing": 1}}, parsed_batch),
        ({"lifecycle": "active", "retires_at": "2027-01-01T00:00:00Z", "max_input_tokens": 9}, parsed_health),
    ],
)
def test_a_body_with_something_odd_in_it_is_read_or_refused(content: object, read: Callable[[str], object]) -> None:
    refused = 0
    for mutated in mutations(content, seed=7, count=200):
        try:
            read(json.dumps(mutated))
        except ModelUnavailable:
            refused += 1
    assert 0 < refused < 200


@settings(max_examples=60)
@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_any_other_text_is_refused(text: str) -> None:
    for read in (lambda t: parsed_answer(t, ""), lambda t: parsed_result(t, ""), parsed_batch):
        with pytest.raises(ModelUnavailable):
            read(text)


def test_half_a_surrogate_pair_costs_a_character_and_not_the_answer() -> None:
    body = json.dumps({**MESSAGE, "content": [{"type": "text", "text": "Alice\ud800 works"}]})
    assert parsed_answer(body, "").text == "Alice? works"


@pytest.mark.parametrize("count", [None, -5, 1e400, "many", True])
def test_an_answer_is_not_lost_for_its_bill(count: object) -> None:
    body = json.dumps({**MESSAGE, "usage": {"input_tokens": count, "output_tokens": 2}})
    answer = parsed_answer(body, "")
    assert (answer.text, answer.usage.output_tokens) == ("hello", 2)
    assert 0 <= answer.usage.input_tokens <= 1
    assert parsed_answer(json.dumps({k: v for k, v in MESSAGE.items() if k != "usage"}), "").text == "hello"


async def test_a_body_of_the_other_protocol_is_read_or_refused_too() -> None:
    read = refused = 0
    with FakeOpenAI() as server:
        hurried = OpenAICompatibleModel(server.base_url, "local-model", patience=replace(QUICK, attempts=1))
        for mutated in mutations(COMPLETION, seed=3, count=80):
            server.then(SaysHtml(body=json.dumps(mutated), content_type="application/json"))
            try:
                await hurried.complete(request_of())
                read += 1
            except ModelError:
                refused += 1
        parts = {"choices": [{"message": {"content": [{"type": "text", "text": "in "}, {"text": "parts"}]}}]}
        server.then(SaysHtml(body=json.dumps(parts), content_type="application/json"))
        assert (await hurried.complete(request_of())).text == "in parts"
    assert read > 0
    assert refused > 0


@pytest.mark.parametrize(
    "body",
    [
        "",
        "data: not json\n\n",
        "event: message_start\ndata: {}\n\n",
        "event: message_start\ndata: [1]\n\n",
        'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 3}\n\n',
        'event: message_stop\ndata: {"type": "message_stop"}\n\n',
        'event: error\ndata: {"type": "error"}\n\n',
        "event: ping\ndata: {}\n\n",
        '{"type": "message"}',
    ],
)
async def test_a_stream_of_something_else_is_unavailable(body: str) -> None:
    pytest.importorskip("anthropic", reason="needs the extra `anthropic`")
    from graphmem.inference.anthropic import STREAM_FROM_TOKENS, AnthropicModel

    with FakeAnthropic(SaysHtml(body=body, content_type="text/event-stream")) as server:
        claude = AnthropicModel("claude-haiku-5-5", key="test", base_url=server.url, patience=QUICK)
        with pytest.raises(ModelUnavailable):
            await claude.complete(request_of(most=STREAM_FROM_TOKENS + 1))
        await claude.aclose()
