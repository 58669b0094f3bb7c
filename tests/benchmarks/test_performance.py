"""The performance benchmark: a run in small."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.performance.__main__ import main
from benchmarks.performance.timing import quantile_ms
from benchmarks.performance.world import episodes_of, person


def test_a_run_in_small_reports_every_figure(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    plot = tmp_path / "plot.svg"
    flags = ["--facts", "100", "--versions", "1000", "--repeats", "3", "--folder", str(tmp_path)]
    searches = ["--searched", "100,200", "--groups", "3", "--vectors", "300", "--turns", "4", "--plot", str(plot)]
    assert main([*flags, *searches, "--json", str(report)]) == 0
    figures = json.loads(report.read_text())["sqlite"]
    for key in ("apply_ms", "accept_ms", "lease_ms"):
        spread = figures["episode"][key]
        assert 0 < spread["p50"] <= spread["p95"]
    assert set(figures["fold_ms"]) == {"10", "100", "1000"}
    assert 0 < figures["point_read_ms"]["p50"] <= figures["point_read_ms"]["p95"]
    for key in ("import_facts_per_s", "bytes_per_fact", "memory_mb", "rules_messages_per_s"):
        assert figures[key] > 0
    assert min(figures["rules_alone_messages_per_s"].values()) > 0
    assert figures["versions"] == 1_000
    assert set(figures["search_ms"]) == {"100", "200"}
    assert set(figures["search_by_size"]["200"]["lane_ms"]) == {"keyword", "vector", "walk", "rerank"}
    assert figures["groups"]["ratio"] > 0
    assert figures["recall_at_20"] == {"300": 1.0}
    assert "default search" in plot.read_text()


def test_every_person_has_a_name_of_their_own() -> None:
    assert len({person(number) for number in range(20_000)}) == 20_000


def test_facts_are_shared_out_over_episodes_without_rest_or_repeat() -> None:
    told = list(episodes_of(range(23), facts_an_episode=5))
    assert [len(new.statements or ()) for new in told] == [5, 5, 5, 5, 3]
    assert len({new.episode_id for new in told}) == 5


def test_a_quantile_is_a_measured_time() -> None:
    assert quantile_ms([0.001, 0.002, 0.003], 0.5) == 2.0
    assert quantile_ms([0.001], 0.95) == 1.0
