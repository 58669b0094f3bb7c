"""The fake model servers, asked over a socket without any client of a provider."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import numpy as np
import pytest

from graphmem.inference.openai_compatible import OpenAICompatibleEmbedder
from graphmem.ports import TextKind
from graphmem.testing import replies
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.fake_openai import FakeOpenAI
from graphmem.testing.replies import Hangs, Says, SaysHtml
from graphmem.testing.schema_rules import faults_of_schema

BODY = {"model": "claude-haiku-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "who works at Acme"}]}
NAMED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic("hello") as running:
        yield running


def ask(
    url: str, path: str, body: object | None = None, *, headers: dict[str, str] | None = None
) -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        content = None if body is None else json.dumps(body)
        sent = {"x-api-key": "any"} if headers is None else headers
        connection.request("GET" if body is None else "POST", path, content, sent)
        response = connection.getresponse()
        return response.status, response.read(), {name.lower(): value for name, value in response.getheaders()}
    finally:
        connection.close()


def error_of(url: str, body: object) -> tuple[int, str]:
    status, raw, _ = ask(url, "/v1/messages", body)
    return status, json.loads(raw)["error"]["type"]


def test_it_answers_by_its_script_and_keeps_what_it_was_asked(server: FakeAnthropic) -> None:
    server.then("first", Says(text="second", headers={"x-extra": "yes"}))
    answers = [ask(server.url, "/v1/messages", BODY) for _ in range(3)]
    assert [json.loads(raw)["content"][0]["text"] for _, raw, _ in answers] == ["first", "second", "hello"]
    assert answers[1][2]["x-extra"] == "yes"
    assert [asked.prompt for asked in server.requests] == ["who works at Acme"] * 3
    assert server.requests[0].prompt_tokens == 4


def test_a_script_is_one_reply_for_ever_a_row_of_them_or_a_function() -> None:
    with FakeAnthropic(["one", "two"]) as row, FakeAnthropic(lambda asked: asked.prompt.upper()) as function:
        said = [json.loads(ask(row.url, "/v1/messages", BODY)[1])["content"][0]["text"] for _ in range(3)]
        assert said == ["one", "two", "two"]
        assert b"WHO WORKS AT ACME" in ask(function.url, "/v1/messages", BODY)[1]
    with pytest.raises(ValueError, match="without a reply"):
        FakeAnthropic([])


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"temperature": 0}, 400),
        ({"tool_choice": {"type": "tool", "name": "x"}}, 400),
        ({"model": "claude-sonnet-5-5", "thinking": {"type": "disabled"}}, 400),
        ({"max_tokens": None}, 400),
        ({"model": "claude-1"}, 404),
        ({"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}}, 400),
    ],
)
def test_it_refuses_what_the_api_refuses(server: FakeAnthropic, change: dict[str, object], status: int) -> None:
    assert error_of(server.url, {**BODY, **change})[0] == status
    assert error_of(server.url, {**BODY, "temperature": 1})[1] == "invalid_request_error"
    assert ask(server.url, "/v1/messages", BODY, headers={})[0] == 401


def test_a_stream_gives_the_same_text_in_pieces(server: FakeAnthropic) -> None:
    server.then("x" * 50)
    _, raw, headers = ask(server.url, "/v1/messages", {**BODY, "stream": True})
    assert headers["content-type"] == "text/event-stream"
    events = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]
    kinds = [event["type"] for event in events]
    assert (kinds[0], kinds[-1]) == ("message_start", "message_stop")
    pieces = [event["delta"]["text"] for event in events if event["type"] == "content_block_delta"]
    assert pieces == ["x" * 20, "x" * 20, "x" * 10]


def test_counting_tokens_and_listing_models_ask_nothing_of_the_script(server: FakeAnthropic) -> None:
    assert json.loads(ask(server.url, "/v1/messages/count_tokens", BODY)[1]) == {"input_tokens": 4}
    listed = json.loads(ask(server.url, "/v1/models")[1])["data"]
    assert listed[0]["id"] == "claude-haiku-5-5"
    assert ask(server.url, "/v1/models/claude-1")[0] == 404
    assert ask(server.url, "/v1/elsewhere")[0] == 404
    assert server.requests == []
    assert server.paths[0] == "POST /v1/messages/count_tokens"


def test_stopping_lets_go_of_whoever_hangs() -> None:
    with FakeAnthropic(Hangs()) as server, ThreadPoolExecutor() as pool:
        hanging = pool.submit(ask, server.url, "/v1/messages", BODY)
        while not server.requests:
            time.sleep(0.01)
        server.stopping.set()
        assert isinstance(hanging.exception(timeout=5), http.client.HTTPException | OSError)


def test_a_server_leaves_no_thread_behind_and_has_no_address_when_it_is_not_entered() -> None:
    before = threading.active_count()
    server = FakeAnthropic()
    for _ in range(3):
        with server:
            ask(server.url, "/v1/models")
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
    with pytest.raises(RuntimeError, match="enter it first"):
        server.url  # noqa: B018


# ---- the limits of schemas


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({**NAMED, "additionalProperties": True}, "additionalProperties must be false"),
        ({**NAMED, "properties": {"a": {"type": "array", "items": {"type": "string"}, "minItems": 2}}}, "minItems"),
        ({**NAMED, "properties": {"a": {"type": "string", "pattern": "x"}}}, "a: pattern is not supported"),
        ({**NAMED, "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"$ref": "#/$defs/n"}}}, "recursion"),
        ({**NAMED, "properties": {f"a{n}": {"type": "string"} for n in range(26)}, "required": []}, "26 optional"),
        (
            {
                **NAMED,
                "properties": {f"a{n}": {"anyOf": [{"type": "string"}, {"type": "null"}]} for n in range(17)},
                "required": [f"a{n}" for n in range(17)],
            },
            "17 parameters of several types",
        ),
    ],
)
def test_a_schema_beyond_the_limits_is_named(schema: dict[str, object], fault: str) -> None:
    assert any(fault in found for found in faults_of_schema(schema))


def test_a_schema_within_the_limits_is_taken() -> None:
    nested = {**NAMED, "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/n"}}}, "$defs": {"n": NAMED}}
    assert faults_of_schema(nested) == []


# ---- the OpenAI-compatible one


async def test_it_embeds_too_the_same_text_the_same_way() -> None:
    with FakeOpenAI(dimension=16) as server:
        embedder = OpenAICompatibleEmbedder(server.base_url, "any")
        vectors = await embedder.embed(["tea", "coffee", "tea"], TextKind.DOCUMENT)
        assert vectors.shape == (3, 16)
        assert np.array_equal(vectors[0], vectors[2])
        assert not np.allclose(vectors[0], vectors[1])
        assert server.embedded == ["tea", "coffee", "tea"]


def test_it_lists_its_models_and_knows_no_other_page() -> None:
    with FakeOpenAI(SaysHtml()) as server:
        assert json.loads(ask(server.url, "/v1/models")[1])["data"][0]["id"] == "local-model"
        assert ask(server.url, "/v2/models")[0] == 404
        server.then(replies.overloaded())
        body = {"model": "local-model", "messages": []}
        assert ask(server.url, "/v1/chat/completions", body)[0] == 529
        assert ask(server.url, "/v1/chat/completions", body)[1].startswith(b"<html>")
        assert ask(server.url, "/v1/chat/completions", {**body, "model": "other"})[0] == 404
