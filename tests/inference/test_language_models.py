"""Models by name, what is known of each, and prices of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.errors import ConfigError, ModelMisconfigured, ModelUnavailable, NotFound
from graphmem.inference.language_models import ModelName, facts_of, model_health, open_model, parse_model
from graphmem.inference.meter import Meter
from graphmem.inference.model_table import FREE, model_table
from graphmem.inference.scripted import ScriptedModel
from graphmem.ports import BatchModel, ModelAnswer
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.fake_openai import FakeOpenAI
from tests.inference.requests import request_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rules", None),
        ("anthropic:claude-haiku-5-5", ModelName(model="claude-haiku-5-5")),
        ("openai:http://localhost:8080/v1#qwen", ModelName(model="qwen", url="http://localhost:8080/v1")),
        ("https://host.example/v1#a#b", ModelName(model="a#b", url="https://host.example/v1")),
    ],
)
def test_a_name_means_a_model(name: str, expected: ModelName | None) -> None:
    assert parse_model(name) == expected


@pytest.mark.parametrize(
    "name", ["", "claude", "anthropic:", "openai:gpt-5", "openai:http://h/v1", "http:///v1#m", "http://[::1/v1#m"]
)
def test_what_names_no_model_is_refused_with_what_does(name: str) -> None:
    with pytest.raises(ConfigError, match="openai:https://HOST/v1#MODEL"):
        open_model(name)


def test_a_name_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
        parse_model("openai:http://ann:canary@host.example/v1#m")
    assert "canary" not in str(caught.value)


def test_the_rules_are_no_model() -> None:
    assert open_model("rules") is None


async def test_an_endpoint_is_opened_with_a_meter_and_a_cache(
    chat: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    meter = Meter(max_cost_usd=0.0)
    name = f"openai:{chat.base_url}#local-model"
    model = open_model(name, meter=meter, cache=tmp_path / "answers", estimates=tmp_path / "tokens.json")
    assert model is not None
    assert model.name == name
    for _ in range(2):
        assert (await model.complete(request_of())).text == '{"name": "Alice"}'
    await model.aclose()
    assert (meter.total.calls, meter.total.cached, meter.total.cost_usd) == (1, 1, 0.0)
    assert chat.requests[0].headers["authorization"] == "Bearer secret"
    assert (tmp_path / "tokens.json").is_file()


async def test_claude_is_opened_by_the_environment_and_takes_batches(
    server: FakeAnthropic, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("anthropic", reason="needs the extra `anthropic`")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret\n")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    meter = Meter()
    model = open_model("anthropic:claude-haiku-5-5", meter=meter)
    assert isinstance(model, BatchModel)
    await model.complete(request_of(stage="extract"))
    await model.aclose()
    assert meter.stages["extract"].calls == 1
    assert meter.total.cost_usd > 0


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "anthropic", None)
    with pytest.raises(ConfigError, match=r"pip install 'graphmem\[anthropic\]'"):
        open_model("anthropic:claude-haiku-5-5")


async def test_health_is_asked_of_the_provider(server: FakeAnthropic, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic", reason="needs the extra `anthropic`")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    assert await model_health("rules") is None
    health = await model_health("anthropic:claude-haiku-5-5")
    assert health is not None
    assert health.is_well
    with pytest.raises(ModelMisconfigured):
        await model_health("anthropic:claude-nowhere")


# ---- the table


def test_an_unknown_model_is_priced_like_the_dearest() -> None:
    table = model_table()
    unknown = table.facts_of("claude-next-1")
    assert not unknown.is_known
    assert unknown.thinking is None
    assert unknown.prices.output == max(facts.prices.output for facts in table.known.values())
    assert unknown.min_cached_tokens == max(facts.min_cached_tokens for facts in table.known.values())


@pytest.mark.parametrize(
    ("url", "is_free"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:8080/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://192.168.1.5/v1", True),
        ("http://gpu.local/v1", True),
        ("http://ollama:11434/v1", True),
        ("https://api.example.com/v1", False),
        ("https://8.8.8.8/v1", False),
    ],
)
def test_a_model_of_one_s_own_costs_nothing(url: str, is_free: bool) -> None:
    assert (facts_of(ModelName(model="qwen", url=url), model_table()).prices == FREE) == is_free


def test_a_file_of_prices_is_laid_over_the_table(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        'as_of = 2027-01-01\n[models."gpt-x"]\ninput = 1.0\noutput = 2.0\n[models.claude-haiku-5-5]\ninput = 0.2\noutput = 1\n'
    )
    table = model_table(path)
    assert table.as_of.year == 2027
    assert table.facts_of("gpt-x").prices.output == 2.0
    assert table.facts_of("claude-haiku-5-5").prices.input == 0.2
    assert table.facts_of("claude-opus-5-5").prices.input == 4.0


@pytest.mark.parametrize("text", ["models = 3", "[models.x]\ninput = -1\noutput = 1", "[models.x]\ninptu = 1", "]["])
def test_a_file_of_prices_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"prices\.toml"):
        model_table(path)


# ---- the double


async def test_a_scripted_model_gives_its_replies_in_order_and_says_when_they_are_over() -> None:
    model = ScriptedModel(["one", ModelUnavailable("away"), ModelAnswer(text="three")])
    assert (await model.complete(request_of())).text == "one"
    with pytest.raises(ModelUnavailable):
        await model.complete(request_of())
    assert (await model.complete(request_of())).text == "three"
    with pytest.raises(ModelMisconfigured, match="request 4"):
        await model.complete(request_of())
    assert len(model.requests) == 4


async def test_a_scripted_model_can_be_down_and_takes_batches() -> None:
    model = ScriptedModel(lambda request: request.prompt.upper())
    model.is_down = True
    with pytest.raises(ModelUnavailable):
        await model.complete(request_of())
    batch_id = await model.submit({"a": request_of("x")})
    assert (await model.poll(batch_id)).failed == 1
    with pytest.raises(NotFound):
        await model.poll("nowhere")
    model.is_down = False
    batch_id = await model.submit({"a": request_of("x"), "b": request_of("y")})
    found = {result.custom_id: result.outcome async for result in model.results(batch_id)}
    assert {name: outcome.text for name, outcome in found.items()} == {"a": "X", "b": "Y"}  # type: ignore[union-attr]
