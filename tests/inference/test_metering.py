"""What calls cost is counted by stage, and a limit is kept before it is passed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import InvalidInput, ModelUnavailable, SpendLimitReached
from graphmem.inference.meter import Meter
from graphmem.inference.metering import MeteredBatchModel, MeteredModel, expected_use, metered
from graphmem.inference.model_table import model_table
from graphmem.inference.scripted import ScriptedModel
from graphmem.inference.token_estimates import TokenEstimates
from graphmem.ports import BatchModel, ModelAnswer, ModelRequest, ModelUsage
from tests.inference.requests import SCHEMA, request_of

HAIKU = model_table().facts_of("claude-haiku-5-5")
USAGE = ModelUsage(input_tokens=1_000, cache_read_tokens=10_000, cache_write_tokens=2_000, output_tokens=400)
USAGE_USD = (1_000 * 0.10 + 10_000 * 0.01 + 2_000 * 0.125 + 400 * 0.50) / 1e6


def said(usage: ModelUsage = USAGE) -> ModelAnswer:
    return ModelAnswer(text="{}", usage=usage)


async def test_calls_tokens_and_cost_are_counted_by_stage_and_altogether() -> None:
    meter = Meter()
    model = MeteredModel(ScriptedModel(lambda request: said()), facts=HAIKU, meter=meter)
    for stage in ("extract", "extract", "resolve"):
        await model.complete(request_of(stage=stage))
    assert {stage: use.calls for stage, use in meter.stages.items()} == {"extract": 2, "resolve": 1}
    assert meter.total.cost_usd == pytest.approx(3 * USAGE_USD)
    assert meter.total.usage.prompt_tokens == 3 * 13_000
    assert meter.total.usage.output_tokens == 1_200


async def test_a_long_prompt_costs_five_times_as_much_where_the_model_says_so() -> None:
    within, over = ModelUsage(input_tokens=100_000), ModelUsage(input_tokens=100_001)
    assert HAIKU.prices.cost_usd(within) == pytest.approx(0.01)
    assert HAIKU.prices.cost_usd(over) == pytest.approx(0.05, rel=1e-4)
    assert HAIKU.prices.cost_usd(within, in_batch=True) == pytest.approx(0.005)


async def test_a_failure_is_counted_and_costs_nothing() -> None:
    meter = Meter(max_cost_usd=0.01)
    model = MeteredModel(ScriptedModel([ModelUnavailable("away"), said()]), facts=HAIKU, meter=meter)
    with pytest.raises(ModelUnavailable):
        await model.complete(request_of())
    assert (meter.total.failed, meter.total.calls, meter.total.cost_usd) == (1, 0, 0.0)
    await model.complete(request_of())


@given(
    limit=st.floats(0, 0.01),
    usages=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 1_000)), max_size=30),
)
def test_a_run_never_costs_more_than_its_limit(limit: float, usages: list[tuple[int, int]]) -> None:
    answers = [said(ModelUsage(cache_write_tokens=prompt, output_tokens=output)) for prompt, output in usages]
    meter = Meter(max_cost_usd=limit)
    model = MeteredModel(ScriptedModel(answers), facts=HAIKU, meter=meter)

    async def run() -> None:
        requests = [model.complete(request_of("p" * 30, system="")) for _ in answers]
        await asyncio.gather(*requests, return_exceptions=True)

    asyncio.run(run())
    assert meter.total.cost_usd <= limit


async def test_the_call_that_could_pass_the_limit_is_not_made() -> None:
    meter = Meter(max_cost_usd=0.001)
    scripted = ScriptedModel(lambda request: said(ModelUsage(output_tokens=1_000)))
    model = MeteredModel(scripted, facts=HAIKU, meter=meter)
    await model.complete(request_of())
    with pytest.raises(SpendLimitReached, match=r"\$0\.0005 is spent.*jobs stay queued"):
        await model.complete(request_of())
    assert len(scripted.requests) == 1


@pytest.mark.parametrize("limit", [-1.0, float("nan")])
def test_a_limit_that_is_none_is_refused(limit: float) -> None:
    with pytest.raises(InvalidInput, match="dollars"):
        Meter(max_cost_usd=limit)


# ---- batches


async def test_a_batch_costs_half_and_is_counted_once_however_often_it_is_read() -> None:
    meter = Meter()
    model = metered(ScriptedModel(lambda request: said()), facts=HAIKU, meter=meter)
    assert isinstance(model, BatchModel)
    batch_id = await model.submit({"a": request_of(stage="extract"), "b": request_of(stage="resolve")})
    assert meter.total.calls == 0
    for _ in range(2):
        assert [result.custom_id async for result in model.results(batch_id)] == ["b", "a"]
    assert {stage: use.calls for stage, use in meter.stages.items()} == {"resolve": 1, "extract": 1}
    assert meter.total.cost_usd == pytest.approx(USAGE_USD)


async def test_money_for_a_batch_is_set_aside_until_it_is_read() -> None:
    meter = Meter(max_cost_usd=0.001)
    scripted = ScriptedModel(lambda request: said(ModelUsage(output_tokens=10)))
    model = MeteredBatchModel(scripted, facts=HAIKU, meter=meter)
    batch_id = await model.submit({f"{n}": request_of() for n in range(3)})
    with pytest.raises(SpendLimitReached, match="set aside"):
        await model.complete(request_of())
    assert [result async for result in model.results(batch_id)] != []
    await model.complete(request_of())


async def test_a_model_without_batches_is_metered_without() -> None:
    class Single:
        name = "single"

        async def complete(self, request: ModelRequest) -> ModelAnswer:
            return said()

        async def aclose(self) -> None:
            """Nothing is held."""

    assert not isinstance(metered(Single(), facts=HAIKU, meter=Meter()), BatchModel)


# ---- estimates


async def test_the_length_of_tokens_is_learned_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "below" / "tokens.json"
    estimates = TokenEstimates(path)
    request = request_of("p" * 3_990, system="")
    answer = said(ModelUsage(input_tokens=2_000, cache_read_tokens=0))
    model = MeteredModel(ScriptedModel(lambda _: answer), facts=HAIKU, meter=Meter(), estimates=estimates)
    assert estimates.tokens("claude-haiku-5-5", 3_500) == 1_000
    for _ in range(200):
        await model.complete(request)
    await model.aclose()
    assert TokenEstimates(path).tokens("claude-haiku-5-5", 4_000) == pytest.approx(2_000, rel=0.02)
    assert TokenEstimates(path).tokens("another", 3_500) == 1_000


def test_an_estimate_counts_the_cached_prefix_once() -> None:
    requests = [request_of("p" * 700, system="s" * 3_500, schema=SCHEMA) for _ in range(100)]
    use = expected_use(requests, facts=HAIKU, estimates=TokenEstimates(), output_tokens=400)
    assert (use.calls, use.usage.cache_write_tokens, use.usage.cache_read_tokens) == (100, 1_000, 99_000)
    assert use.usage.output_tokens == 40_000
    assert 0.020 < use.cost_usd < 0.030
    half = expected_use(requests, facts=HAIKU, estimates=TokenEstimates(), output_tokens=400, in_batch=True)
    assert half.cost_usd == pytest.approx(use.cost_usd / 2)
    old = expected_use(requests, facts=model_table().facts_of("claude-haiku-4-5"), estimates=TokenEstimates())
    assert old.usage.cache_read_tokens == 0
