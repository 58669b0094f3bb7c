"""timeline, history, diff, why, search, jobs, backup, doctor, config through the command line."""

from __future__ import annotations

import json
from pathlib import Path

from graphmem.testing.fake_openai import FakeOpenAI
from tests.cli.calls import Graphmem


def test_a_timeline_is_in_order_of_valid_time(told: Graphmem) -> None:
    rows = json.loads(told("timeline alice --json").out)["rows"]
    assert [row["object"] for row in rows] == ["Acme", "Globex"]


def test_a_timeline_of_somebody_unknown_ends_with_four(told: Graphmem) -> None:
    assert told("timeline Zaphod").code == 4


def test_a_history_shows_what_was_believed_and_until_when(told: Graphmem) -> None:
    before, after = json.loads(told("history 'alice works at acme.' --json").out)["rows"]
    assert (before["invalid_at"], before["expired_at"]) == (None, after["created_at"])
    assert (after["invalid_at"], after["expired_at"]) == ("2026-05-01T00:00:00Z", None)


def test_a_diff_shows_both_sides(told: Graphmem) -> None:
    rows = json.loads(told("diff 2020-01-01 --json").out)["rows"]
    assert {(row["change"], row["believed"]) for row in rows} == {("added", "after")}
    assert told("diff 2020-01-01 2020-01-02").out.startswith("Nothing changed.")


def test_why_shows_the_sentence(told: Graphmem) -> None:
    (row,) = json.loads(told("why 'Alice works at Globex' --json").out)["rows"]
    assert (row["sentence"], row["speaker"]) == ("I joined Globex at the start of May", "Alice")
    assert row["said_at"] == "2026-06-03T00:00:00Z"


def test_a_fact_may_be_named_by_its_id(told: Graphmem) -> None:
    (row,) = json.loads(told("facts --json").out)["rows"]
    assert "Globex" in told(f"why {row['fact_id']}").out


def test_a_fact_of_the_undated_past_may_be_named_by_its_sentence(graphmem: Graphmem) -> None:
    assert graphmem('add "I used to work at Acme." --speaker Al --said-at 2025-02-10').code == 0
    assert "I used to work at Acme" in graphmem('why "Al works at Acme"').out


def test_search_finds_facts_episodes_and_entities(told: Graphmem) -> None:
    rows = json.loads(told("search globex --in fact --in episode --in entity --json").out)["rows"]
    assert {row["target"] for row in rows} == {"fact", "episode", "entity"}
    assert told("search xyzzy").code == 4


def test_jobs_are_listed_shown_and_dropped(told: Graphmem) -> None:
    rows = json.loads(told("jobs list --state done --json").out)["rows"]
    assert [row["state"] for row in rows] == ["done", "done"]
    assert "I work at Acme." in told(f"jobs show {rows[0]['job_id']}").out


def test_a_backup_is_a_memory_of_its_own(told: Graphmem, tmp_path: Path) -> None:
    assert told("backup copy.db").out == "Copied to copy.db.\n"
    assert told("--db copy.db facts").out == told("facts").out


def test_a_doctor_finds_all_well(told: Graphmem) -> None:
    shown = told("doctor --json")
    assert shown.code == 0
    checks = {row["check"]: row["is_well"] for row in json.loads(shown.out)["rows"]}
    assert checks["sqlite full text (FTS5)"] is True
    assert checks["memory memory.db"] is True


def test_a_doctor_says_when_the_memory_is_no_memory(graphmem: Graphmem, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"not a database" * 100)
    shown = graphmem("doctor --json")
    assert shown.code == 1
    assert [row["check"] for row in json.loads(shown.out)["rows"] if row["is_well"] is False] == ["memory memory.db"]


def test_config_show_names_the_origin_of_each_setting(graphmem: Graphmem, tmp_path: Path) -> None:
    (tmp_path / "graphmem.toml").write_text('group = "team"\n')
    rows = {row["name"]: row for row in json.loads(graphmem("--tz Asia/Tokyo config show --json").out)["rows"]}
    assert (rows["db"]["value"], rows["db"]["origin"]) == ("memory.db", "environment")
    assert (rows["group"]["value"], rows["group"]["origin"]) == ("team", "file")
    assert (rows["tz"]["value"], rows["tz"]["origin"]) == ("Asia/Tokyo", "flag")


def test_a_doctor_asks_the_provider_for_the_configured_model(graphmem: Graphmem) -> None:
    with FakeOpenAI(models=("local-model", "larger-model")) as server:
        for name, is_well, code in (("local-model", True, 0), ("other", False, 1)):
            shown = graphmem(f"--model openai:{server.base_url}#{name} doctor --json")
            (row,) = (row for row in json.loads(shown.out)["rows"] if row["check"].startswith("model "))
            assert (row["is_well"], shown.code) == (is_well, code)
        assert server.requests == []
    shown = graphmem("--model nothing doctor --json")
    assert shown.code == 1
    assert "anthropic:claude-haiku-5-5" in shown.out
