"""search --explain and reembed through the command line."""

from __future__ import annotations

import json

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
    assert shown[0].split() == ["score", "seen", "by", "kind", "text"]
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
    assert told("search globex --minimum 5").code == 4
    rows = json.loads(told("search 'I work at Acme' --in episode --neighbours 1 --json").out)["rows"]
    assert [turn["text"] for turn in rows[0]["after"]] == ["I joined Globex at the start of May."]
