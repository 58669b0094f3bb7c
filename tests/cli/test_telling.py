"""add, import, correct, retract, erase through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import Graphmem

MESSAGES = (
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "I work at Acme.", "created_at": "2025-02-10T09:00:00Z"},
    {"role": "assistant", "content": "Good to know!", "created_at": "2025-02-10T09:00:10Z"},
    {"role": "user", "content": "I joined Globex at the start of May.", "created_at": "2026-06-03T09:00:00Z"},
)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in MESSAGES))
    return path


def counts(out: str) -> dict[str, object]:
    report = json.loads(out)
    return {key: report[key] for key in ("accepted", "repeated", "done", "facts")}


def test_a_receipt_says_what_was_added_and_re_dated(graphmem: Graphmem) -> None:
    graphmem('add "I work at Acme." --speaker Alice --said-at 2025-02-10')
    shown = graphmem('add "I joined Globex at the start of May." --speaker Alice --said-at 2026-06-03')
    assert shown.out.splitlines() == [
        "Kept; 1 claim read in it.",
        "  new: Alice works at Globex (since early May 2026)",
        "  re-dated: Alice works at Acme (known from 10 February 2025 until 1 May 2026)",
    ]


def test_a_text_without_facts_is_kept_too(graphmem: Graphmem) -> None:
    assert graphmem('add "Hm."').out == "Kept; no claims read in it.\n"
    assert graphmem("search hm").code == 0


def test_a_saying_of_nobody_asks_for_its_speaker(graphmem: Graphmem) -> None:
    shown = graphmem('add "I work at Acme."').out
    assert shown == 'Kept; no claims read in it.\nNobody was named who says it: --speaker NAME tells who "I" is.\n'
    assert "--speaker" not in graphmem('add "I work at Acme." --speaker Alice').out


def test_a_receipt_shows_of_a_fact_only_what_is_new(graphmem: Graphmem) -> None:
    graphmem('add "I worked at Acme from 2010 to 2012." --speaker Al --said-at 2025-02-10')
    shown = graphmem('add "I worked at Acme from 2018 to 2020." --speaker Al --said-at 2025-02-11').out
    assert "(2018 until 2020)" in shown
    assert "2010" not in shown


def test_metadata_speaker_and_session_are_kept_and_filter(graphmem: Graphmem) -> None:
    graphmem('add "I work at Acme." --speaker Alice --session s1 --meta app=chat --said-at 2025-02-10')
    assert graphmem("facts --session s1 --speaker Alice --meta app=chat").code == 0
    assert graphmem("facts --session s2").code == 4
    assert graphmem("facts --meta app=mail").code == 4


def test_with_no_wait_the_work_is_left_for_jobs_run(graphmem: Graphmem) -> None:
    kept = json.loads(graphmem('add "I work at Acme." --speaker Alice --no-wait --json').out)
    assert kept["state"] in ("queued", "running", "done")
    assert graphmem("jobs run").code == 0
    assert graphmem("jobs").out == "No jobs to show.\n"
    assert "Alice works at Acme" in graphmem("facts").out


def test_an_import_tells_what_it_did_and_doing_it_again_changes_nothing(graphmem: Graphmem, chat: Path) -> None:
    first = graphmem("import chat.jsonl --speaker user=Alice --json")
    assert first.code == 0
    assert counts(first.out) == {"accepted": 3, "repeated": 0, "done": 3, "facts": 2}
    assert json.loads(first.out)["skipped"] == {"role system": 1}
    before = graphmem("facts --from 2020 --json").out
    again = graphmem("import chat.jsonl --speaker user=Alice --json")
    assert counts(again.out) == {"accepted": 0, "repeated": 3, "done": 0, "facts": 0}
    assert graphmem("facts --from 2020 --json").out == before


def test_a_file_that_grew_adds_only_what_is_new(graphmem: Graphmem, chat: Path) -> None:
    graphmem("import chat.jsonl --speaker user=Alice")
    with chat.open("a") as file:
        file.write(
            json.dumps({"role": "user", "content": "I live in Oslo.", "created_at": "2026-06-04T09:00:00Z"}) + "\n"
        )
    assert counts(graphmem("import chat.jsonl --speaker user=Alice --json").out)["accepted"] == 1


def test_an_import_may_come_from_standard_input(graphmem: Graphmem, chat: Path) -> None:
    assert counts(graphmem("import - --speaker user=Alice --json", stdin=chat.read_bytes()).out)["accepted"] == 3


def test_a_dry_run_counts_and_writes_nothing(graphmem: Graphmem, chat: Path, tmp_path: Path) -> None:
    shown = graphmem("import chat.jsonl --dry-run")
    assert shown.out.startswith("3 episodes, said from 09:00 on 10 February 2025 to 09:00 on 3 June 2026")
    assert not (tmp_path / "memory.db").exists()


def test_an_import_that_breaks_off_keeps_what_came_before_and_ends_with_five(graphmem: Graphmem, chat: Path) -> None:
    with chat.open("a") as file:
        file.write("{broken\n")
    ended = graphmem("import chat.jsonl --speaker user=Alice --json")
    assert ended.code == 5
    assert counts(ended.out)["accepted"] == 3
    assert "line 5" in ended.err


def test_an_import_of_a_file_that_is_not_there_makes_no_memory(graphmem: Graphmem, tmp_path: Path) -> None:
    assert graphmem("import nowhere.jsonl").code == 2
    assert not (tmp_path / "memory.db").exists()


def test_an_import_of_which_nothing_can_be_read_is_wrong_use(graphmem: Graphmem, tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00.")
    ended = graphmem("import model.pkl")
    assert (ended.code, ended.out) == (2, "")
    assert "line 1" in ended.err


def test_a_correction_replaces_the_object_and_the_past_view_stays(told: Graphmem) -> None:
    assert told("correct 'Alice works at Globex' --object Initech").code == 0
    assert told("'where does Alice work'").out.startswith("Initech")
    history = json.loads(told("history 'Alice works at Acme' --json").out)["rows"]
    assert [row["expired_at"] is None for row in history].count(True) == 1


def test_a_retraction_reopens_what_had_ended(told: Graphmem) -> None:
    assert told("retract 'Alice works at Globex'").out == "Withdrew 1 claim.\n"
    assert told("'where does Alice work'").out.startswith("Acme")


def test_an_erasure_leaves_nothing_to_find(told: Graphmem, tmp_path: Path) -> None:
    assert told("erase --entity Globex --yes").code == 0
    assert told("'where does Alice work'").out.startswith("Acme")
    assert told("search globex").code == 4
    assert b"Globex" not in b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))


def test_groups_are_walled_off_and_reads_may_name_several(graphmem: Graphmem) -> None:
    graphmem('--group a add "I work at Acme." --speaker Alice --said-at 2025-02-10')
    graphmem('--group b add "I work at Umbra." --speaker Bob --said-at 2025-02-10')
    assert graphmem("facts").code == 4
    assert "Umbra" not in graphmem("facts --group a").out
    both = json.loads(graphmem("facts --group a --group b --json").out)["rows"]
    assert {row["group_id"] for row in both} == {"a", "b"}
    assert [row["group_id"] for row in json.loads(graphmem("groups --json").out)["rows"]] == ["a", "b"]
