"""Every way in which Claude's provider fails: which error it is, after how many calls, and never after long."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.errors import (
    AnswerTruncated,
    ConfigError,
    MalformedAnswer,
    ModelError,
    ModelHalted,
    ModelMisconfigured,
    ModelNotAuthorized,
    ModelRefused,
    ModelUnavailable,
    PromptTooLong,
    RateLimited,
    SpendLimitReached,
)
from graphmem.inference.patience import RETRY_AFTER_CAP_S
from graphmem.testing import replies
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.replies import BreaksOff, Fails, Hangs, Reply, SaysHtml
from tests.inference.requests import QUICK, SCHEMA, request_of

pytest.importorskip("anthropic", reason="needs the extra `anthropic`")

from graphmem.inference.anthropic import STREAM_FROM_TOKENS, AnthropicModel

SHORT, LONG = 1_000, STREAM_FROM_TOKENS + 1
PASSING = [
    replies.overloaded(),
    replies.server_error(500),
    replies.server_error(503),
    replies.rate_limited(),
    replies.rate_limited(0.01),
    Fails(status=429, kind="rate_limit_error", message="growing too fast", code="ramp_limit_exceeded"),
    Fails(status=408, kind="timeout_error"),
    SaysHtml(),
    SaysHtml(status=502),
    BreaksOff(text="half of it"),
    BreaksOff(text="half of it", share=0.0),
]
LASTING: list[tuple[Reply, type[ModelError]]] = [
    (replies.spend_limit_reached(), SpendLimitReached),
    (replies.spend_limit_reached("contract_spend_limit_reached"), SpendLimitReached),
    (replies.payment_required(), SpendLimitReached),
    (replies.invalid_request("Your credit balance is too low to access the API"), SpendLimitReached),
    (replies.not_authorized(), ModelNotAuthorized),
    (replies.permission_denied(), ModelNotAuthorized),
    (replies.model_not_found(), ModelMisconfigured),
    (replies.invalid_request(), ModelMisconfigured),
    (replies.prompt_too_long(), PromptTooLong),
    (replies.request_too_large(), PromptTooLong),
]


@pytest.mark.parametrize("most", [SHORT, LONG], ids=["whole", "streamed"])
@pytest.mark.parametrize("failure", PASSING, ids=repr)
async def test_a_failure_that_passes_is_tried_again_and_forgotten(
    claude: AnthropicModel, server: FakeAnthropic, failure: Reply, most: int
) -> None:
    server.then(failure, failure)
    assert (await claude.complete(request_of(most=most))).text == '{"name": "Alice"}'
    assert len(server.requests) == 3


@pytest.mark.parametrize("failure", PASSING, ids=repr)
async def test_a_failure_that_does_not_pass_is_given_up_after_three_calls(
    claude: AnthropicModel, server: FakeAnthropic, failure: Reply
) -> None:
    server.then(*[failure] * 9)
    with pytest.raises(ModelUnavailable):
        await claude.complete(request_of())
    assert len(server.requests) == 3


@pytest.mark.parametrize("most", [SHORT, LONG], ids=["whole", "streamed"])
@pytest.mark.parametrize(("failure", "error"), LASTING, ids=repr)
async def test_what_never_passes_is_asked_once(
    claude: AnthropicModel, server: FakeAnthropic, failure: Reply, error: type[ModelError], most: int
) -> None:
    server.then(failure)
    with pytest.raises(error, match="anthropic:claude-haiku-5-5"):
        await claude.complete(request_of(most=most))
    assert len(server.requests) == 1
    assert issubclass(error, ModelHalted) != (error is PromptTooLong)


async def test_an_error_in_the_midst_of_a_stream_is_tried_again(claude: AnthropicModel, server: FakeAnthropic) -> None:
    server.then(Fails(status=200, kind="overloaded_error", message="Overloaded"))
    server.then(Fails(status=200, kind="rate_limit_error", message="Too many requests"))
    assert (await claude.complete(request_of(most=LONG))).text == '{"name": "Alice"}'
    assert len(server.requests) == 3


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.7])
async def test_a_stream_that_is_cut_is_never_taken_for_an_answer(
    claude: AnthropicModel, server: FakeAnthropic, share: float
) -> None:
    server.then(BreaksOff(text="Alice works at Acme, and Bob at Globex since May.", share=share))
    assert (await claude.complete(request_of(most=LONG))).text == '{"name": "Alice"}'


async def test_a_model_that_hangs_is_given_up_in_time(server: FakeAnthropic) -> None:
    server.then(*[Hangs()] * 9)
    hurried = replace(QUICK, attempt_s=0.3, total_s=0.8)
    claude = AnthropicModel("claude-haiku-5-5", key="test", base_url=server.url, patience=hurried)
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match="did not answer within"):
        await claude.complete(request_of())
    assert time.monotonic() - began < 10
    assert 1 <= len(server.requests) <= 3
    await claude.aclose()


async def test_a_wait_of_a_day_is_not_waited_for(claude: AnthropicModel, server: FakeAnthropic) -> None:
    server.then(replies.rate_limited(86_400))
    began = time.monotonic()
    with pytest.raises(RateLimited) as caught:
        await claude.complete(request_of())
    assert time.monotonic() - began < 10
    assert caught.value.retry_after_s == RETRY_AFTER_CAP_S
    assert len(server.requests) == 1


async def test_a_provider_that_is_away_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    claude = AnthropicModel("claude-haiku-5-5", key="test", base_url="http://127.0.0.1:9", patience=QUICK)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await claude.complete(request_of())
    await claude.aclose()


async def test_without_a_key_the_error_names_the_variable(
    server: FakeAnthropic, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    claude = AnthropicModel("claude-haiku-5-5", base_url=server.url, patience=QUICK)
    with pytest.raises(ModelNotAuthorized, match="ANTHROPIC_API_KEY"):
        await claude.complete(request_of())
    assert server.requests == []
    await claude.aclose()
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "nothing here"))
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        AnthropicModel("claude-haiku-5-5", base_url=server.url)


@pytest.mark.parametrize("most", [SHORT, LONG], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (replies.truncated('{"name": "Ali'), AnswerTruncated),
        (replies.refuses("bio"), ModelRefused),
        (replies.refuses("cyber", text="I cannot help with that."), ModelRefused),
        (replies.Says(text="{", stop="model_context_window_exceeded"), PromptTooLong),
    ],
    ids=repr,
)
async def test_an_answer_that_is_not_whole_comes_back_with_its_usage_and_is_not_read(
    claude: AnthropicModel, server: FakeAnthropic, reply: Reply, error: type[ModelError], most: int
) -> None:
    server.then(reply)
    answer = await claude.complete(request_of(most=most, schema=SCHEMA))
    assert answer.usage.output_tokens >= 1
    with pytest.raises(error):
        answer.whole_text()
    assert len(server.requests) == 1


async def test_a_refusal_names_its_category(claude: AnthropicModel, server: FakeAnthropic) -> None:
    server.then(replies.refuses("bio"))
    with pytest.raises(ModelRefused, match="bio") as caught:
        (await claude.complete(request_of())).whole_text()
    assert caught.value.category == "bio"
    assert not isinstance(caught.value, MalformedAnswer)


@pytest.mark.parametrize("words", ["thinking: disabled is not supported", "output_config.effort: unknown"])
async def test_a_model_that_cannot_be_told_how_to_think_is_asked_without(
    claude: AnthropicModel, server: FakeAnthropic, words: str
) -> None:
    server.then(replies.invalid_request(words))
    for _ in range(2):
        await claude.complete(request_of())
    bodies = [asked.body for asked in server.requests]
    assert ["thinking" in body for body in bodies] == [True, False, False]
    assert ["output_config" in body for body in bodies] == [True, False, False]


async def test_no_error_holds_words_of_the_prompt(claude: AnthropicModel, server: FakeAnthropic) -> None:
    failures: list[Callable[[], Fails]] = [replies.overloaded, replies.not_authorized, replies.request_too_large]
    for failure in failures:
        server.then(*[failure()] * 3)
        with pytest.raises(ModelError) as caught:
            await claude.complete(request_of("the canary sings"))
        assert "canary" not in str(caught.value)
        server.then()
