"""The benchmark of extraction, and stories read by models that are scripted or not to be had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.extraction.__main__ import main as extraction
from benchmarks.stories.__main__ import main as stories
from graphmem.testing.fake_openai import FakeOpenAI

SET = Path(__file__).parent / "stories"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, object]]]:
    path = tmp_path_factory.mktemp("extraction") / "out.json"
    assert extraction(["--json", str(path)]) == 0
    loaded: dict[str, list[dict[str, object]]] = json.loads(path.read_text())
    return loaded


def test_calls_do_not_grow_with_the_group(report: dict[str, list[dict[str, object]]]) -> None:
    calls = {(m["message"], m["episode"]): m["calls"] for m in report["messages"]}
    assert {calls[message, episode] for message, episode in calls if "doubtful" not in str(message)} == {1}
    assert {calls[message, episode] for message, episode in calls if "doubtful" in str(message)} == {2}


def test_a_prompt_and_its_context_keep_their_limits(report: dict[str, list[dict[str, object]]]) -> None:
    assert report["faults"] == []
    assert {m["episode"] for m in report["messages"]} == {1, 100}
    assert all(m["facts"] == {"one fact": 1, "forty facts": 40}.get(str(m["message"]), 5) for m in report["messages"])


def test_perfect_answers_give_what_the_gold_claims_give(tmp_path: Path) -> None:
    figures = {}
    for name, flags in (("gold", ["--claims", "gold"]), ("scripted", ["--model", "scripted-gold"])):
        path = tmp_path / f"{name}.json"
        assert stories([str(SET), *flags, "--json", str(path)]) == 0
        figures[name] = json.loads(path.read_text())
    assert figures["gold"]["questions"] > 0
    for key in ("right", "questions", "by_type", "by_difficulty"):
        assert figures["scripted"][key] == figures["gold"][key]
    claims = figures["scripted"]["claims"]
    assert claims["undated"]["matched"] == claims["gold"] == claims["emitted"]
    assert claims["matched"] == claims["gold"] - 1  # no words of the text say the one that "has always" been


def test_without_a_key_claude_is_skipped_and_it_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert stories([str(SET), "--model", "anthropic:claude-haiku-5-5"]) == 0
    assert "ANTHROPIC_API_KEY is not set" in capsys.readouterr().out


def test_a_model_behind_a_url_is_measured_beside_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    with FakeOpenAI('{"entities": [], "facts": []}') as server:
        assert (
            stories([str(SET), "--model", f"{server.base_url}#local-model", "--sample", "1", "--json", str(path)]) == 0
        )
    report = json.loads(path.read_text())
    assert report["model"]["read"] == report["model"]["episodes"] == report["model"]["calls"]
    assert report["claims"]["emitted"] == 0
    assert report["rules"]["claims"]["emitted"] > 0


def test_a_second_run_asks_a_model_nothing_that_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    with FakeOpenAI('{"entities": [], "facts": []}') as server:
        flags = ["--model", f"{server.base_url}#local-model", "--sample", "1", "--cache", str(tmp_path / "answers")]
        assert stories([str(SET), *flags, "--json", str(path)]) == 0
        assert stories([str(SET), *flags, "--json", str(path)]) == 0
        asked = len(server.requests)
    model = json.loads(path.read_text())["model"]
    assert (model["calls"], model["cached"]) == (0, asked)
    assert model["read"] == model["episodes"]
