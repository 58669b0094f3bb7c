"""The page of results, made from saved reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tools.results_page import REPORTS, main, page_of

SHARES = {"at_5": 66.04, "at_10": 75.0, "at_20": 82.0}
SCORE = {"questions": 8, "right": 2}
HEAD = {
    "commit": "abc123",
    "created_at": "2026-11-30T01:00:00+00:00",
    "machine": {"cores": 2, "memory_gb": 23.5, "python": "3.11.7"},
    "arguments": {"limit": None},
}


def save(folder: Path, name: str, keys: Mapping[str, object]) -> None:
    (folder / f"{name}.json").write_text(json.dumps({"benchmark": name, **HEAD, **keys}))


def section(page: str, title: str) -> str:
    return page.partition(title)[2].partition("\n#")[0]


def test_a_table_stands_over_its_command_commit_and_machine(tmp_path: Path) -> None:
    sets = {"development": SHARES, "held_out": {"at_5": 60.0, "at_10": 70.0, "at_20": 80.0}}
    save(
        tmp_path,
        "locomo",
        {
            "recipes": {"bm25": sets, "full": {**sets, "by_category": {"1": sets}}},
            "intervals": {"full": {"held_out": {"at_10": [68.0, 72.5]}}},
            "latency_ms": {"by_recipe": {"full": {"p50": 12.34, "p95": 20.0}}},
            "context_tokens_p50": 1234,
        },
    )
    told = section(page_of(tmp_path), "### LoCoMo")
    assert "| `full` | 66.0 | 75.0 | 82.0 | 60.0 | 70.0 | 80.0 | [68.0, 72.5] |" in told
    assert "| `bm25` | 66.0 | 75.0 | 82.0 | 60.0 | 70.0 | 80.0 | – |" in told
    assert "| 1 multi-hop | 66.0 |" in told
    assert "| `full` | 12.3 / 20.0 |" in told
    assert "`python -m benchmarks.locomo FOLDER/locomo10.json`: commit abc123, 2026-11-30, 2 cores" in told


def test_a_report_that_is_not_there_leaves_the_command_that_makes_it(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    assert page.count("Not measured: there is no report of") == 16
    assert "{{" not in page
    assert "python -m benchmarks.beam FOLDER/beam/100K --json benchmarks/results/beam.json" in section(page, "### BEAM")


def test_what_a_lever_gives_is_seen_by_leaving_it_out(tmp_path: Path) -> None:
    found = {"development": SHARES, "held_out": SHARES}
    levers = {"full": {"fraction": found, "new_over_old": 93.24}, "no words": {"fraction": found, "new_over_old": 60.0}}
    save(tmp_path, "ablation_beam", {"levers": levers})
    save(tmp_path, "ablation_locomo", {"levers": {"full": {"fraction": found}}})
    told = section(page_of(tmp_path), "### What each lever gives")
    assert "| no words | 66.0 | 75.0 | 82.0 | 66.0 | 75.0 | 82.0 | 60.0 |" in told
    assert "| full | 66.0 | 75.0 | 82.0 | 66.0 | 75.0 | 82.0 |\n" in told


def test_both_stores_stand_side_by_side(tmp_path: Path) -> None:
    spread = {"p50": 1.0, "p95": 2.0}
    store = {
        "episode": {"1000": {"apply_ms": spread}},
        "search": {"50 uneven groups": {"vector_ms": spread, "recall_at_20": 0.9985}},
        "load": {"1000": {"facts_per_s": 2_635.0}},
        "bytes_per_fact": 4_322.0,
    }
    save(tmp_path, "side_by_side", {"side_by_side": {"sqlite": {}, "neo4j": store}})
    told = section(page_of(tmp_path), "### A file and a Neo4j server")
    assert "| apply, 1,000 facts | – | 1.0 / 2.0 |" in told
    assert "| by vector, 50 uneven groups | – | 1.0 / 2.0 |" in told
    assert "| 50 uneven groups | 0.999 | – | – |" in told
    assert "| 1,000 facts in batches, facts/s | – | 2,635 |" in told
    assert "| bytes a fact | – | 4,322 |" in told


def test_a_model_stands_beside_the_rules_on_the_same_stories(tmp_path: Path) -> None:
    read = {
        **SCORE,
        "by_difficulty": {"plain": SCORE},
        "claims": {"precision": 0.5, "recall": 0.25},
        "rates": {"invented": 0.125},
        "seconds": 12.0,
    }
    by_rules = {**read, "right": 4, "by_difficulty": {"plain": {**SCORE, "right": 3}}}
    model = {"read": 9, "episodes": 10, "calls": 11, "prompt_tokens": 12_000, "output_tokens": 900, "seconds": 1_234.5}
    save(tmp_path, "stories_model", {**read, "rules": by_rules, "model": model})
    told = section(page_of(tmp_path), "### A small local model")
    assert "| plain questions right | 2 of 8 (25.0 %) | 3 of 8 (37.5 %) |" in told
    assert "| all questions right | 2 of 8 (25.0 %) | 4 of 8 (50.0 %) |" in told
    assert "| claims: recall | 25.0 % | 25.0 % |" in told
    assert "| facts invented | 12.5 % | 12.5 % |" in told
    assert "| messages with a usable answer | 9 of 10 (90.0 %) | all |" in told
    assert "| seconds | 1,234 | 12.0 |" in told
    assert "--sample 40`: commit abc123" in told


def test_a_report_of_a_part_of_the_set_says_so(tmp_path: Path) -> None:
    save(tmp_path, "locomo", {"arguments": {"limit": 2}})
    assert "FOLDER/locomo10.json --limit 2`" in section(page_of(tmp_path), "### LoCoMo")


def test_mistakes_that_were_not_counted_are_left_out(tmp_path: Path) -> None:
    rates = {"duplicate": 0.0, "wrong_speaker": 0.021}
    save(tmp_path, "stories", {**SCORE, "by_difficulty": {"plain": SCORE}, "rates": rates})
    told = section(page_of(tmp_path), "### Mistakes")
    assert "| wrong speaker | 2.1 % |" in told
    assert "invented" not in told.partition("|")[2]
    assert "| plain | 2 of 8 (25.0 %) | – |" in page_of(tmp_path)


def test_every_kind_of_report_becomes_tables(tmp_path: Path) -> None:
    """Reports with nothing but their heads: what a report lacks is a dash, never a failure."""
    names = [path.removesuffix(".json") for path in REPORTS]
    for name in names:
        save(tmp_path, name, {})
    page = page_of(tmp_path)
    assert "Not measured" not in page
    assert page.count("commit abc123") == len(names)  # the rates are not in the report of the stories


def test_answers_are_shown_with_the_models_that_gave_them(tmp_path: Path) -> None:
    accuracy = {"all": {**SCORE, "interval": [10.0, 60.0]}, "by_type": {"multi-session": SCORE}, "abstention": SCORE}
    tokens = {"prompt": 12_000, "output": 300}
    save(
        tmp_path,
        "longmemeval_qa",
        {
            "accuracy": accuracy,
            "reader": {"name": "anthropic:claude-haiku-5-5", "answered_by": ["claude-haiku-5-5"]},
            "tokens": {"reader": tokens},
            "cost_usd": 0.125,
        },
    )
    told = section(page_of(tmp_path), "## Questions answered")
    assert "| all | 2 of 8 (25.0 %) [10.0, 60.0] |" in told
    assert "| reader | anthropic:claude-haiku-5-5 | claude-haiku-5-5 | 12,000 | 300 |" in told
    assert "Cost $0.12;" in told or "Cost $0.13;" in told


@pytest.mark.parametrize("content", ["{", "[]", '{"other": 1}'])
def test_a_file_that_is_no_report_is_wrong_use(tmp_path: Path, content: str) -> None:
    (tmp_path / "beam.json").write_text(content)
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path), "--page", str(tmp_path / "page.md")])
    assert ended.value.code == 2


def test_the_check_fails_where_the_page_is_not_what_the_reports_say(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert main([str(tmp_path), "--page", str(page)]) == 0
    assert main([str(tmp_path), "--page", str(page), "--check"]) == 0
    save(tmp_path, "timephrases", {"ms": {"cases": 4, "right": 3}})
    assert main([str(tmp_path), "--page", str(page), "--check"]) == 1


def test_the_page_in_the_docs_is_what_the_saved_reports_say() -> None:
    assert main(["--check"]) == 0
