"""What is sent to Claude, what comes back of it, and how many calls are out at once."""

from __future__ import annotations

import asyncio

import pytest

from graphmem.errors import ModelMisconfigured
from graphmem.inference.limiter import Limiter
from graphmem.ports import Effort, LanguageModel, ModelUsage, StopReason
from graphmem.testing import replies
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.replies import Asked, Says
from tests.inference.requests import QUICK, SCHEMA, request_of

pytest.importorskip("anthropic", reason="needs the extra `anthropic`")

from graphmem.inference.anthropic import STREAM_FROM_TOKENS, AnthropicModel


def of(model: str, server: FakeAnthropic) -> AnthropicModel:
    return AnthropicModel(model, key="test", base_url=server.url, patience=QUICK)


async def test_a_request_is_one_call_with_a_cached_prefix_and_a_schema_and_nothing_a_model_refuses(
    claude: AnthropicModel, server: FakeAnthropic
) -> None:
    model: LanguageModel = claude
    answer = await model.complete(request_of(schema=SCHEMA, effort=Effort.MEDIUM))
    assert answer.whole_text() == '{"name": "Alice"}'
    (asked,) = server.requests
    assert asked.body == {
        "model": "claude-haiku-5-5",
        "max_tokens": 1_000,
        "system": [{"type": "text", "text": "Read.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "Alice works at Acme."}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "medium"},
        "thinking": {"type": "disabled"},
    }
    assert "test" in (asked.headers.get("x-api-key") or asked.headers["authorization"])


@pytest.mark.parametrize(
    ("model", "thinking", "has_effort"),
    [
        ("claude-haiku-5-5", {"type": "disabled"}, True),
        ("claude-sonnet-5-5", {"type": "between_tools"}, True),
        ("claude-opus-5-5", None, True),
        ("claude-haiku-4-5", None, False),
        ("claude-next", None, False),
    ],
)
async def test_thinking_is_steered_as_each_model_takes_it(
    model: str, thinking: dict[str, str] | None, has_effort: bool
) -> None:
    with FakeAnthropic("yes", models=(model,)) as server:
        claude = of(model, server)
        assert (await claude.complete(request_of())).text == "yes"
        assert server.requests[0].body.get("thinking") == thinking
        assert ("output_config" in server.requests[0].body) == has_effort
        await claude.aclose()


@pytest.mark.parametrize("most", [1_000, STREAM_FROM_TOKENS + 1], ids=["whole", "streamed"])
async def test_usage_tells_the_cached_prefix_from_the_rest(
    claude: AnthropicModel, server: FakeAnthropic, most: int
) -> None:
    server.then(Says(text="one", thinking_tokens=7, output_tokens=3), Says(text="two"))
    request = request_of("p" * 400, system="s" * 4_000, most=most)
    first, second = [await claude.complete(request) for _ in range(2)]
    assert first.usage == ModelUsage(input_tokens=100, cache_write_tokens=1_000, output_tokens=10, thinking_tokens=7)
    assert second.usage == ModelUsage(input_tokens=100, cache_read_tokens=1_000, output_tokens=1)
    assert first.usage.prompt_tokens == second.usage.prompt_tokens == 1_100
    assert (first.model, first.stop) == ("claude-haiku-5-5", StopReason.END)
    assert first.request_id.startswith("req_")


async def test_a_long_answer_is_streamed_and_comes_back_whole(claude: AnthropicModel, server: FakeAnthropic) -> None:
    text = "Alice works at Acme. " * 500
    server.then(text)
    assert (await claude.complete(request_of(most=64_000))).text == text
    assert server.requests[0].body["stream"] is True


async def test_no_more_is_asked_for_than_the_model_can_write() -> None:
    with FakeAnthropic(models=("claude-next",)) as server:
        claude = of("claude-next", server)
        await claude.complete(request_of(most=100_000))
        assert server.requests[0].body["max_tokens"] == 8_192
        await claude.aclose()


async def test_a_schema_beyond_the_limits_of_the_api_is_refused(claude: AnthropicModel) -> None:
    with pytest.raises(ModelMisconfigured, match="additionalProperties"):
        await claude.complete(request_of(schema={"type": "object", "properties": {}}))


async def test_health_is_what_the_provider_says_of_the_model(server: FakeAnthropic) -> None:
    claude = of("claude-haiku-5-5", server)
    health = await claude.health()
    assert (health.is_well, health.words) == (True, "active, 1,000,000 tokens of prompt")
    await claude.aclose()
    unknown = of("claude-nowhere", server)
    with pytest.raises(ModelMisconfigured, match="claude-nowhere"):
        await unknown.health()
    await unknown.aclose()


# ---- side by side


async def test_calls_side_by_side_are_no_more_than_the_limit() -> None:
    with FakeAnthropic(lambda asked: asked.prompt) as server:
        claude = AnthropicModel(
            "claude-haiku-5-5", key="test", base_url=server.url, patience=QUICK, limiter=Limiter(start=3, most=3)
        )
        answers = await asyncio.gather(*(claude.complete(request_of(f"{n}")) for n in range(30)))
        assert [answer.text for answer in answers] == [f"{n}" for n in range(30)]
        assert server.most_at_once <= 3
        await claude.aclose()


async def test_overload_narrows_and_success_widens_again(claude: AnthropicModel, server: FakeAnthropic) -> None:
    assert claude.concurrency == 4
    server.then(replies.overloaded(), replies.overloaded(), "well")
    await claude.complete(request_of())
    assert claude.concurrency == 2  # 4, halved twice, and one answer
    for _ in range(40):
        await claude.complete(request_of())
    assert claude.concurrency > 4


async def test_an_overload_narrows_also_where_thinking_had_just_been_refused(
    claude: AnthropicModel, server: FakeAnthropic
) -> None:
    server.then(replies.invalid_request("thinking: disabled is not supported"), replies.overloaded(), "well")
    await claude.complete(request_of())
    assert claude.concurrency == 2  # 4, halved, and one answer


async def test_the_rate_headers_cap_how_many_calls_are_out() -> None:
    def script(asked: Asked) -> Says:
        return Says(text="yes", headers={"anthropic-ratelimit-requests-remaining": "2"})

    with FakeAnthropic(script) as server:
        claude = of("claude-haiku-5-5", server)
        await claude.complete(request_of())
        assert claude.concurrency == 2
        server.then(Says(text="yes", headers={"anthropic-ratelimit-input-tokens-remaining": "3"}))
        await claude.complete(request_of())
        assert claude.concurrency == 1
        await claude.aclose()


async def test_a_call_that_is_cancelled_gives_its_place_back() -> None:
    with FakeAnthropic("yes") as server:
        claude = AnthropicModel(
            "claude-haiku-5-5", key="test", base_url=server.url, patience=QUICK, limiter=Limiter(start=1, most=1)
        )
        server.then(replies.Hangs())
        hanging = asyncio.create_task(claude.complete(request_of()))
        waiting = [asyncio.create_task(claude.complete(request_of())) for _ in range(3)]
        await asyncio.sleep(0.1)
        hanging.cancel()
        waiting[0].cancel()
        assert [(await task).text for task in waiting[1:]] == ["yes", "yes"]
        await claude.aclose()


async def test_a_place_that_comes_free_is_not_lost_on_one_who_gave_up_at_the_same_moment() -> None:
    limiter = Limiter(start=1, most=1)
    entered: list[int] = []

    async def call(number: int) -> None:
        async with limiter.slot():
            entered.append(number)

    async with limiter.slot():
        waiting = [asyncio.create_task(call(number)) for number in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
    done = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), timeout=10)
    assert isinstance(done[0], asyncio.CancelledError)
    assert entered == [1, 2]
