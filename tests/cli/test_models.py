"""The command with a language model: what it reads, what it costs, and how it stops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem.testing import replies
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.fake_openai import FakeOpenAI
from tests.cli.calls import Graphmem

TOLD = 'add "Miren moved over to Hoffmann\'s in spring." --speaker Alice --said-at 2026-06-03'
ANSWER = json.dumps(
    {
        "entities": [
            {"n": 0, "name": "Miren", "kind": "person", "words": "", "also": ""},
            {"n": 1, "name": "Hoffmann's", "kind": "thing", "words": "", "also": ""},
        ],
        "facts": [
            {
                "message": 0,
                "kind": "HOLD",
                "subject": 0,
                "relation": "WORKS_AT",
                "object": 1,
                "quote": "Miren moved over to Hoffmann's in spring",
                "sentence": "Miren works at Hoffmann's",
                "at": "",
                "start": "in spring",
                "end": "",
                "tense": "past",
                "certainty": "stated",
                "says": "",
            }
        ],
    }
)


def test_what_is_told_is_read_by_the_model_and_its_cost_is_said(
    graphmem: Graphmem, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("anthropic", reason="needs the extra `anthropic`")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    with FakeAnthropic(ANSWER) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        told = graphmem(f"--model anthropic:claude-haiku-5-5 {TOLD}")
        assert told.code == 0, told.err
        assert len(server.requests) == 1
    assert "1 call to anthropic:claude-haiku-5-5" in told.err
    assert "$0.0" in told.err
    assert "Miren works at Hoffmann's" in graphmem("facts").out


def test_an_answer_given_before_is_not_paid_for_again(graphmem: Graphmem, tmp_path: Path) -> None:
    (tmp_path / "graphmem.toml").write_text('model_cache = "answers"')
    with FakeOpenAI(ANSWER) as server:
        for db in ("one.db", "two.db"):
            told = graphmem(f"--db {db} --model openai:{server.base_url}#local-model {TOLD}")
            assert told.code == 0, told.err
        assert len(server.requests) == 1
    assert "1 answered from the cache" in told.err
    assert "$0.0000" in told.err


@pytest.mark.parametrize(
    ("option", "reply", "code", "words"),
    [
        ("--max-cost 0.0000001", ANSWER, 1, "limit of $0.00"),
        ("", replies.spend_limit_reached(), 1, "spend limit"),
        ("", replies.not_authorized(), 3, "Check the key"),
    ],
)
def test_a_model_that_is_halted_stops_the_work_and_the_job_stays_queued(
    graphmem: Graphmem, monkeypatch: pytest.MonkeyPatch, option: str, reply: replies.Reply | str, code: int, words: str
) -> None:
    pytest.importorskip("anthropic", reason="needs the extra `anthropic`")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    model = "--model anthropic:claude-haiku-5-5"
    with FakeAnthropic(ANSWER) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        server.then(reply)
        stopped = graphmem(f"{model} {option} {TOLD}")
        assert (stopped.code, words in stopped.err) == (code, True), stopped.err
        (job,) = json.loads(graphmem("jobs --json").out)["rows"]
        assert job["state"] == "queued"
        server.then()
        assert graphmem(f"{model} jobs run").code == 0
    assert "Miren works at Hoffmann's" in graphmem("facts").out


def test_a_command_that_only_looks_opens_no_model(told: Graphmem) -> None:
    assert told("--model anthropic:claude-nowhere facts").code == 0


def test_a_dry_run_of_an_import_says_about_what_it_would_cost_and_asks_nothing(
    graphmem: Graphmem, tmp_path: Path
) -> None:
    lines = [
        {"role": "user", "content": f"On day {n} I moved desks again.", "created_at": "2026-06-03T10:00:00Z"}
        for n in range(400)
    ]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, lines)))
    model = "--model anthropic:claude-haiku-5-5"
    plan = json.loads(graphmem(f"{model} import chat.jsonl --dry-run --json").out)
    assert plan["episodes"] == 400
    assert 1 <= plan["calls"] <= 400
    assert 0 < plan["cost_usd"] < 1
    assert "the model would be asked about" in graphmem(f"{model} import chat.jsonl --dry-run").out
    assert "calls" not in json.loads(graphmem("import chat.jsonl --dry-run --json").out)
