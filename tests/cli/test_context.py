"""`graphmem context` through the command line."""

from __future__ import annotations

import json

from tests.cli.calls import Graphmem


def test_context_prints_the_block(graphmem: Graphmem) -> None:
    graphmem('add "I work at Acme." --speaker Alice --said-at 2025-02-10')
    shown = graphmem('context "Where does Alice work?" --asked-at 2026-06-10')
    assert shown.code == 0
    assert "[p1] Alice works at Acme | known from 10 February 2025" in shown.out
    assert '<recalled on="10 June 2026">' in shown.out


def test_context_completes_a_follow_up_and_speaks_json(graphmem: Graphmem) -> None:
    graphmem('add "Bob works at Acme." --speaker Alice --said-at 2025-02-10')
    told = graphmem('context "What about Bob?" --turn "Where does Alice work?" --json')
    block = json.loads(told.out)
    assert block["question"] == "Where does Bob work?"
    assert "[answer] Acme" in block["turn"]
    assert block["tokens"] > 0


def test_context_says_when_there_is_nothing(told: Graphmem) -> None:
    assert told('context "Where does Alice work?" --known-at 2020-01-01').code == 4


def test_a_budget_too_small_is_refused(told: Graphmem) -> None:
    refused = told('context "hello" --budget 5')
    assert refused.code == 2
    assert "budget_tokens=5 is too small" in refused.err
