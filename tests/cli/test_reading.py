"""Reading by a model through the command line: in batches, with the rules standing in, and again with a better one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem.testing import replies
from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.fake_openai import FakeOpenAI
from tests.cli.calls import Graphmem
from tests.cli.test_models import ANSWER, TOLD

CHAT = "\n".join(
    json.dumps({"role": "Alice", "content": text, "created_at": f"2026-06-0{n}T09:00:00Z"})
    for n, text in enumerate(("Miren moved over to Hoffmann's in spring.", "Nothing new.", "See you."), start=1)
)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic", reason="needs the extra `anthropic`")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")


def test_an_import_is_read_in_batches(
    graphmem: Graphmem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: None
) -> None:
    (tmp_path / "chat.jsonl").write_text(CHAT)
    with FakeAnthropic(ANSWER) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        told = graphmem("--model anthropic:claude-haiku-5-5 import chat.jsonl --batches")
        assert told.code == 0, told.err
        again = graphmem("--model anthropic:claude-haiku-5-5 import chat.jsonl --batches")
        assert again.code == 0, again.err
    assert told.out.split() == ["episodes", "accepted", "3", "done", "3", "new", "facts", "1"]
    assert "1 call" in told.err
    assert "Miren works at Hoffmann's" in graphmem("facts").out


def test_the_rules_stand_in_and_the_jobs_say_why(graphmem: Graphmem) -> None:
    with FakeOpenAI(replies.refuses("bio")) as server:
        model = f"--model openai:{server.base_url}#local-model"
        told = graphmem(f'{model} --fallback rules add "I work at Acme." --speaker Bo --said-at 2026-06-03')
    assert told.code == 1
    assert "refusal" in told.out
    assert "Bo works at Acme" in graphmem("facts").out
    assert "refusal" in graphmem("jobs").out


def test_what_was_read_by_the_rules_is_read_again_by_a_model(graphmem: Graphmem) -> None:
    assert graphmem(TOLD).code == 0
    before = graphmem("facts").out
    with FakeOpenAI(ANSWER) as server:
        read = graphmem(f"--model openai:{server.base_url}#local-model reextract --since 2026-06-01")
        assert read.code == 0, read.err
    assert "Read 1 episode again." in read.out
    assert "Miren works at Hoffmann's" not in before
    assert "Miren works at Hoffmann's" in graphmem("facts").out


def test_an_unknown_fallback_is_a_wrong_setting(graphmem: Graphmem) -> None:
    refused = graphmem(f"--fallback magic {TOLD}")
    assert refused.code == 3
    assert "rules" in refused.err
