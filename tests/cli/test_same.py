"""merge, unmerge, merges and reextract through the command line."""

from __future__ import annotations

import json

from tests.cli.calls import Graphmem


def test_two_names_are_merged_listed_and_told_apart_again(told: Graphmem) -> None:
    assert told('add "I live in Oslo." --speaker "A. Larsen" --said-at 2026-06-04').code == 0
    before = told("facts").out

    done = json.loads(told("merge Alice 'A. Larsen' --reason 'same badge' --json").out)
    merge_id = done["merge_id"]
    assert told("facts").out != before
    assert merge_id in told("merges").out

    assert "Told apart" in told(f"unmerge {merge_id}").out
    assert told("facts").out == before
    assert told("merges --json").code == 0


def test_a_merge_of_nobody_says_so(told: Graphmem) -> None:
    refused = told("merge Nobody Noone")
    assert refused.code == 1
    assert "no entity 'Nobody'" in refused.err


def test_reading_again_says_how_many(told: Graphmem) -> None:
    before = told("facts").out
    read = told("reextract --since 2000-01-01")
    assert read.code == 0
    assert read.out.startswith("Read ")
    assert told("facts").out == before
    assert told("reextract --where nonsense").code == 2
