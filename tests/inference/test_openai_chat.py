"""Models behind OpenAI's chat protocol: what is sent, what small servers refuse, and which error each failure is."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from graphmem.errors import (
    AnswerTruncated,
    ConfigError,
    ModelError,
    ModelMisconfigured,
    ModelNotAuthorized,
    ModelRefused,
    ModelUnavailable,
    PromptTooLong,
    RateLimited,
    SpendLimitReached,
)
from graphmem.inference.openai_chat import OpenAICompatibleModel
from graphmem.ports import LanguageModel, ModelUsage
from graphmem.testing import replies
from graphmem.testing.fake_openai import FakeOpenAI
from graphmem.testing.replies import BreaksOff, Fails, Hangs, Reply, Says, SaysHtml
from tests.inference.requests import QUICK, SCHEMA, request_of


def of(server: FakeOpenAI, **options: str) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(server.base_url, "local-model", patience=QUICK, **options)


async def test_a_request_is_one_call_bound_to_its_schema(chat: FakeOpenAI) -> None:
    model: LanguageModel = of(chat, key=" secret\n")
    chat.then(Says(text='{"name": "Alice"}', output_tokens=5, thinking_tokens=2))
    answer = await model.complete(request_of(schema=SCHEMA))
    assert answer.whole_text() == '{"name": "Alice"}'
    assert answer.usage == ModelUsage(input_tokens=6, output_tokens=7, thinking_tokens=2)
    (asked,) = chat.requests
    assert asked.body == {
        "model": "local-model",
        "max_tokens": 1_000,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
        },
        "messages": [{"role": "system", "content": "Read."}, {"role": "user", "content": "Alice works at Acme."}],
    }
    assert asked.headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("formats", "kinds"),
    [
        (("json_object",), ["json_schema", "json_object", "json_object"]),
        ((), ["json_schema", "json_object", None, None]),
    ],
)
async def test_where_a_format_is_refused_the_schema_goes_into_the_prompt_from_then_on(
    formats: tuple[str, ...], kinds: list[str | None]
) -> None:
    with FakeOpenAI("{}", formats=formats) as server:
        model = of(server)
        for _ in range(2):
            await model.complete(request_of(schema=SCHEMA))
        found = [asked.body.get("response_format", {}) for asked in server.requests]
        assert [form.get("type") for form in found] == kinds  # type: ignore[attr-defined]
        assert '"required": ["name"]' in server.requests[-1].system


async def test_requests_side_by_side_skip_no_format() -> None:
    with FakeOpenAI("{}", formats=("json_object",)) as server:
        model = of(server)
        await asyncio.gather(*(model.complete(request_of(schema=SCHEMA)) for _ in range(8)))
        await model.complete(request_of(schema=SCHEMA))
        assert server.requests[-1].body["response_format"] == {"type": "json_object"}


async def test_a_model_that_wants_the_other_word_for_the_limit_gets_it(chat: FakeOpenAI) -> None:
    chat.then(replies.invalid_request("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."))
    model = of(chat)
    for _ in range(2):
        await model.complete(request_of())
    assert ["max_completion_tokens" in asked.body for asked in chat.requests] == [False, True, True]


@pytest.mark.parametrize(
    "failure",
    [
        replies.overloaded(),
        replies.server_error(503),
        replies.rate_limited(),
        SaysHtml(),
        SaysHtml(status=502),
        BreaksOff(),
        BreaksOff(share=0.0),
    ],
    ids=repr,
)
async def test_a_failure_that_passes_is_tried_again(chat: FakeOpenAI, failure: Reply) -> None:
    chat.then(failure, failure)
    assert (await of(chat).complete(request_of())).text == '{"name": "Alice"}'
    chat.then(*[failure] * 9)
    with pytest.raises(ModelUnavailable):
        await of(chat).complete(request_of())
    assert len(chat.requests) == 6


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (replies.insufficient_quota(), SpendLimitReached),
        (replies.payment_required(), SpendLimitReached),
        (replies.not_authorized(), ModelNotAuthorized),
        (replies.permission_denied(), ModelNotAuthorized),
        (replies.model_not_found(), ModelMisconfigured),
        (replies.invalid_request("n_predict must be positive"), ModelMisconfigured),
        (replies.request_too_large(), PromptTooLong),
        (Fails(status=400, kind="invalid_request_error", code="context_length_exceeded"), PromptTooLong),
        (Fails(status=400, kind="exceed_context_size_error"), PromptTooLong),
        (replies.rate_limited(86_400), RateLimited),
    ],
    ids=repr,
)
async def test_what_does_not_pass_is_asked_once(chat: FakeOpenAI, failure: Reply, error: type[ModelError]) -> None:
    chat.then(failure)
    with pytest.raises(error):
        await of(chat).complete(request_of())
    assert len(chat.requests) == 1


async def test_an_answer_that_is_cut_or_refused_is_not_read(chat: FakeOpenAI) -> None:
    chat.then(replies.truncated('{"na'), replies.refuses(text="no"))
    with pytest.raises(AnswerTruncated):
        (await of(chat).complete(request_of())).whole_text()
    with pytest.raises(ModelRefused):
        (await of(chat).complete(request_of())).whole_text()


async def test_a_server_that_hangs_is_given_up_in_time(chat: FakeOpenAI) -> None:
    chat.then(*[Hangs()] * 9)
    hurried = replace(QUICK, attempt_s=0.3, total_s=0.8)
    model = OpenAICompatibleModel(chat.base_url, "local-model", patience=hurried)
    began = time.monotonic()
    with pytest.raises(ModelUnavailable):
        await model.complete(request_of())
    assert time.monotonic() - began < 10


async def test_a_server_that_is_away_is_unavailable() -> None:
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await OpenAICompatibleModel("http://127.0.0.1:9/v1", "m", patience=QUICK).complete(request_of())


async def test_the_rate_headers_cap_how_many_calls_are_out() -> None:
    with FakeOpenAI("yes", headers={"x-ratelimit-remaining-requests": "1"}) as server:
        model = of(server)
        assert model.concurrency == 4
        await model.complete(request_of())
        assert model.concurrency == 1


async def test_health_tells_whether_the_model_is_listed(chat: FakeOpenAI) -> None:
    assert (await of(chat).health()).is_well
    other = await OpenAICompatibleModel(chat.base_url, "other", patience=QUICK).health()
    assert (other.is_well, other.words) == (None, "not listed; there are local-model")
    with FakeOpenAI(models=("a", "b")) as several:
        assert (await OpenAICompatibleModel(several.base_url, "c", patience=QUICK).health()).is_well is False


@pytest.mark.parametrize(("url", "model"), [("ftp://h/v1", "m"), ("http://h/v1", ""), ("", "m")])
def test_an_endpoint_is_named_with_its_model(url: str, model: str) -> None:
    with pytest.raises(ConfigError, match="#MODEL"):
        OpenAICompatibleModel(url, model)
