"""Answers given before cost nothing, and no answer is given for another request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.errors import InvalidPath, ModelUnavailable
from graphmem.inference.answer_cache import CachedModel, request_hash
from graphmem.inference.meter import Meter
from graphmem.inference.metering import MeteredModel
from graphmem.inference.model_table import model_table
from graphmem.inference.scripted import ScriptedModel
from graphmem.ports import Effort, ModelAnswer, ModelUsage, StopReason
from tests.inference.requests import SCHEMA, request_of

FACTS = model_table().facts_of("claude-haiku-5-5")


async def test_a_run_that_was_broken_off_asks_only_for_the_rest(tmp_path: Path) -> None:
    requests = [request_of(f"{n}") for n in range(10)]
    first = ScriptedModel([*[f"answer {n}" for n in range(6)], ModelUnavailable("power cut")])
    for request in requests[:6]:
        await CachedModel(first, tmp_path).complete(request)
    with pytest.raises(ModelUnavailable):
        await CachedModel(first, tmp_path).complete(requests[6])
    second = ScriptedModel(lambda request: f"answer {request.prompt}")
    answers = [await CachedModel(second, tmp_path).complete(request) for request in requests]
    assert [answer.text for answer in answers] == [f"answer {n}" for n in range(10)]
    assert [answer.is_cached for answer in answers] == [True] * 6 + [False] * 4
    assert [asked.prompt for asked in second.requests] == ["6", "7", "8", "9"]


async def test_what_is_cached_is_counted_and_costs_nothing_even_at_the_limit(tmp_path: Path) -> None:
    answer = ModelAnswer(text="{}", usage=ModelUsage(input_tokens=100, output_tokens=1_000))
    for limit in (0.01, 0.0):
        meter = Meter(max_cost_usd=limit)
        model = MeteredModel(ScriptedModel(lambda request: answer), facts=FACTS, meter=meter)
        assert (await CachedModel(model, tmp_path, meter=meter).complete(request_of())).usage == answer.usage
        assert (meter.total.calls, meter.total.cached) == ((1, 0) if limit else (0, 1))
        assert (meter.total.cost_usd > 0) == (limit > 0)


async def test_an_answer_that_was_cut_off_or_refused_is_not_kept(tmp_path: Path) -> None:
    for stop in (StopReason.MAX_TOKENS, StopReason.REFUSAL, StopReason.CONTEXT_EXCEEDED):
        scripted = ScriptedModel([ModelAnswer(text="", stop=stop)])
        await CachedModel(scripted, tmp_path).complete(request_of())
    assert list(tmp_path.rglob("*.json")) == []


def test_whatever_can_change_the_answer_changes_the_hash() -> None:
    base = request_of()
    others = [
        replace(base, system="Other."),
        replace(base, prompt="Other."),
        replace(base, schema=SCHEMA),
        replace(base, schema_name="other"),
        replace(base, max_output_tokens=7),
        replace(base, effort=Effort.HIGH),
        replace(base, attempt=2),
        replace(base, system=base.system + base.prompt, prompt=""),
    ]
    hashes = [request_hash("m", base), request_hash("n", base), *(request_hash("m", other) for other in others)]
    assert len(set(hashes)) == len(hashes)
    assert request_hash("m", replace(base, stage="resolve")) == request_hash("m", base)


async def test_a_file_that_cannot_be_read_is_asked_for_anew(tmp_path: Path) -> None:
    model = CachedModel(ScriptedModel(["first", "second"]), tmp_path)
    await model.complete(request_of())
    (path,) = tmp_path.rglob("*.json")
    path.write_text('{"text": "fir')
    assert (await model.complete(request_of())).text == "second"
    assert (await model.complete(request_of())).is_cached


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidPath, match="file"):
        await CachedModel(ScriptedModel(["x"]), tmp_path / "file").complete(request_of())
