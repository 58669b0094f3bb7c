"""Benchmarks on Neo4j: the stories as on SQLite, and both stores measured side by side, in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.performance.__main__ import main as measure
from benchmarks.performance.crowds import NOW, YEAR_AGO, crowd
from benchmarks.performance.exchanges import in_a_row
from benchmarks.stories.__main__ import main as tell_stories

SET = Path(__file__).parent / "stories"
SAME = ("questions", "right", "left_out", "by_difficulty", "by_type")


@pytest.mark.neo4j
@pytest.mark.parametrize("flags", [("--claims", "gold", "--questions", "probe"), ()], ids=["gold", "own"])
def test_the_stories_come_out_on_neo4j_as_on_sqlite(neo4j_url: str, tmp_path: Path, flags: tuple[str, ...]) -> None:
    reports: list[dict[str, object]] = []
    for number, store in enumerate(([], ["--store", neo4j_url])):
        report = tmp_path / f"{number}.json"
        assert tell_stories([str(SET), "--json", str(report), *flags, *store]) == 0
        reports.append(json.loads(report.read_text(encoding="utf-8")))

    assert [reports[1][key] for key in SAME] == [reports[0][key] for key in SAME]


@pytest.mark.neo4j
def test_both_stores_are_measured_side_by_side(
    neo4j_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    sizes = "--facts 100 --uneven-groups 2 --small-groups 2 --imported 10 --hub 20 --repeats 1"
    flags = ["--store", "sqlite,neo4j", "--neo4j", neo4j_url, "--folder", str(tmp_path), "--json", str(report)]
    assert measure([*flags, *sizes.split()]) == 0

    figures = json.loads(report.read_text(encoding="utf-8"))["side_by_side"]
    assert set(figures) == {"sqlite", "neo4j"}
    for store in figures.values():
        assert set(store["search"]) == {"100", "2 uneven groups", "2 groups of 100"}
        for searched in store["search"].values():
            assert searched["least_recall_of_a_group"] == 1.0
            assert 0 < searched["vector_ms"]["p50"] <= searched["vector_ms"]["p95"]
        assert store["load"]["100"]["facts_per_s"] > 0
        assert store["import_facts_per_s"] > 0
        assert store["hub_walk_ms"]["p50"] > 0
    assert figures["neo4j"]["episode"]["100"]["apply_round_trips"] <= 3
    assert 0 < figures["neo4j"]["whole_search"]["rounds_in_a_row"] <= figures["neo4j"]["whole_search"]["round_trips"]
    assert figures["sqlite"]["episode"]["100"]["apply_round_trips"] is None
    assert figures["sqlite"]["bytes_per_fact"] > 0
    assert "goal on Neo4j" in capsys.readouterr().out


def test_exchanges_side_by_side_count_once() -> None:
    assert in_a_row([]) == 0
    assert in_a_row([(0.0, 3.0), (0.5, 1.0), (1.5, 2.0)]) == 2
    assert in_a_row([(0.0, 1.0), (1.0, 2.0), (2.5, 3.0)]) == 3


def test_a_crowd_knows_what_an_exact_search_finds() -> None:
    one = crowd("g", 500, seed=1)
    found = one.nearest(one.vectors[7], NOW, 500)

    assert len(found) == int((one.moved_at > NOW).sum())
    assert (found[0] == "fact-0000007") == bool(one.moved_at[7] > NOW)
    assert len(one.nearest(one.vectors[7], YEAR_AGO, 500)) < 500
