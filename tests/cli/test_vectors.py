"""search --explain and reembed through the command line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from graphmem.inference import embedders
from graphmem.inference.scripted import HashingEmbedder
from graphmem.ports import Embedder
from tests.cli.calls import Graphmem


@pytest.fixture
def doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--embedder NAME` is a double of that name."""

    def opened(name: str) -> Embedder | None:
        return None if name == "none" else HashingEmbedder(name=name)

    monkeypatch.setattr(embedders, "open_embedder", opened)


def test_an_explained_search_shows_lanes_ranks_and_scores(told: Graphmem, doubles: None) -> None:
    assert told("--embedder one reembed").out == "Made 7 vectors.\n"

    shown = told("--embedder one search --explain 'who works at Globex'").out.splitlines()
    assert shown[0].split() == ["score", "near", "seen", "by", "kind", "text"]
    assert "keyword #1" in shown[1]
    assert "vector #1" in shown[1]
    assert "walk #" in "".join(shown)

    report = json.loads(told("--embedder one search 'who works at Globex' --json").out)
    assert report["recipe"] == "full"
    assert report["notes"] == []
    assert {k: report["rows"][0]["lanes"][0][k] for k in ("lane", "rank")} == {"lane": "keyword", "rank": 1}


def test_without_an_embedder_the_tool_says_so(told: Graphmem) -> None:
    assert "There is no embedder" in told("search globex --explain").out
    assert json.loads(told("search globex --json").out)["notes"] != []
    assert "--embedder local" in told("reembed").err


def test_an_embedder_that_is_away_holds_nothing_up_and_the_tool_says_so(told: Graphmem) -> None:
    away = "--embedder http://127.0.0.1:9/v1#m"
    assert told(f"{away} add 'I like chess.' --speaker Alice").code == 0

    found = told(f"{away} search chess")
    assert "Alice: I like chess." in found.out
    assert "cannot be reached" in found.out
    assert "cannot be reached" in told(f"{away} reembed").err
    assert "cannot be reached" in told(f"{away} doctor").out


def test_vectors_of_another_model_are_a_clear_error_until_they_are_made_anew(told: Graphmem, doubles: None) -> None:
    assert told("--embedder one reembed").code == 0

    refused = told("--embedder two search globex")
    assert refused.code != 0
    assert "graphmem reembed" in refused.err

    assert told("--embedder two reembed").out == "Made 7 vectors.\n"
    assert told("--embedder two reembed").out == "Made 0 vectors.\n"
    assert told("--embedder two search globex").code == 0


def test_a_recipe_a_minimum_and_neighbours_are_options(told: Graphmem) -> None:
    assert "cross-encoder" in told("search globex --recipe best").err
    assert told("search globex --centre Nobody").code != 0
    assert json.loads(told("search globex --centre Alice --recipe graph --json").out)["recipe"] == "graph"
    rows = json.loads(told("search 'I work at Acme' --in episode --neighbours 1 --json").out)["rows"]
    assert [turn["text"] for turn in rows[0]["after"]] == ["I joined Globex at the start of May."]


def test_a_minimum_leaves_out_what_is_less_near(told: Graphmem, doubles: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told("--embedder one reembed").code == 0
    searched = "--embedder one search 'Alice works at Globex' --in fact"

    assert told(searched).code == 0
    assert told(f"{searched} --minimum 1.5").code == 4
    monkeypatch.setenv("GRAPHMEM_MINIMUM", "1.5")
    assert told(searched).code == 4
    assert told(f"{searched} --minimum 0.1").code == 0
    monkeypatch.setenv("GRAPHMEM_MINIMUM", "near")
    assert "GRAPHMEM_MINIMUM" in told(searched).err


def waiting(graphmem: Graphmem) -> list[str]:
    notes = json.loads(graphmem("--embedder one search x --json").out)["notes"]
    return [note for note in notes if "wait" in note]


WRITING = (
    "add 'Bob works at Initech.' --speaker Bob",
    "add 'Bob lives in Graz.' --no-wait",
    "jobs run",
    "import chat.jsonl --start 2026-06-05",
    "correct 'Alice works at Globex' --object Umbra",
    "retract 'Bob works at Initech'",
    "erase --entity Acme --yes",
)


def test_no_command_that_writes_leaves_a_text_without_its_vector(told: Graphmem, doubles: None) -> None:
    Path("chat.jsonl").write_text('{"id": "m1", "speaker": "Cid", "text": "I live in Oslo."}\n')
    assert told("--embedder one reembed").code == 0

    for line in WRITING:
        called = told(f"--embedder one {line}")
        assert called.code == 0, (line, called.err)
        if "--no-wait" not in line:
            assert waiting(told) == [], line

    assert told("add 'Cid likes tea.'").code == 0
    assert len(waiting(told)) == 1
    assert told("--embedder one reembed").code == 0
    assert waiting(told) == []


def test_vectors_may_be_kept_in_8_bits(told: Graphmem, doubles: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_VECTORS", "int8")
    assert told("--embedder one reembed").out == "Made 7 vectors.\n"
    assert told("--embedder one search globex --recipe vectors").code == 0
    with sqlite3.connect("memory.db") as connection:
        assert {length for (length,) in connection.execute("SELECT length(vector) FROM vector")} == {64 + 4}
    connection.close()
    assert "float32 or int8" in told("--vectors int4 search globex").err


def test_the_recipe_of_the_settings_is_searched_with(told: Graphmem) -> None:
    Path("graphmem.toml").write_text('recipe = "words"\n')
    assert json.loads(told("search globex --json").out)["recipe"] == "words"
    assert json.loads(told("search globex --json --recipe rrf").out)["recipe"] == "rrf"
    shown = told("config show").out
    for name in ("recipe", "minimum", "vectors", "reranker", "embedder"):
        assert name in shown


def test_a_context_is_searched_by_meaning_too(told: Graphmem, doubles: None) -> None:
    assert told("--embedder one reembed").code == 0
    assert json.loads(told("--embedder one context 'Where does Alice work?' --json").out)["notes"] == []
    assert "There is no embedder" in told("context 'Where does Alice work?' --json").out


def test_a_question_without_an_exact_answer_shows_what_is_nearest(told: Graphmem, doubles: None) -> None:
    assert told("--embedder one reembed").code == 0
    for embedder in ("one", "none"):
        called = told(f"--embedder {embedder} 'what is the mood at Globex' --json")
        report = json.loads(called.out)
        assert (called.code, report["is_known"], report["values"]) == (4, False, [])
        assert "which may not answer it" in report["answer"]
        assert report["nearby_facts"][0]["text"] == "Alice works at Globex"
        assert report["nearby_turns"][0]["text"] == "I joined Globex at the start of May."
