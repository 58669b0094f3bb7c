"""What a user sees in the first minutes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import Graphmem

ROOT = Path(__file__).resolve().parents[2]


def test_three_commands_give_the_employer_of_a_past_month(graphmem: Graphmem) -> None:
    db = "--db alice.db"
    assert graphmem(f'{db} add "I work at Acme." --speaker Alice --said-at 2025-02-10').code == 0
    assert graphmem(f'{db} add "I joined Globex at the start of May." --speaker Alice --said-at 2026-06-03').code == 0
    answer = graphmem(f'{db} "where did Alice work in April 2026"')
    assert answer.code == 0
    assert answer.out.startswith("Acme")
    assert "as known now" in answer.out


def test_a_bare_question_may_be_written_without_quotes(told: Graphmem) -> None:
    assert told("where did Alice work in April 2026").out.startswith("Acme")


def test_options_may_stand_before_and_behind_a_bare_question(told: Graphmem) -> None:
    question = '"where does Alice work"'
    before, behind = told(f"--at 2026-04-10 {question}"), told(f"{question} --at 2026-04-10")
    assert before.out.startswith("Acme")
    assert behind.out == before.out


def test_what_was_said_later_is_not_known_earlier(told: Graphmem) -> None:
    assert told('"where does Alice work" --known-at 2020-01-01').code == 4


def test_the_question_s_now_can_be_set(told: Graphmem) -> None:
    assert told('"where does Alice work" --asked-at 2026-03-01 --json').out.count('"Acme"') >= 1


def test_verbose_answers_show_who_said_so(told: Graphmem) -> None:
    assert "Alice said on 2026-06-03: I joined Globex at the start of May" in told('-v "where does Alice work"').out


def test_an_answer_that_is_not_known_ends_with_four(told: Graphmem) -> None:
    unknown = told('"where did Zaphod work in 2020"')
    assert unknown.code == 4
    assert unknown.out.startswith("Not known")


def test_text_and_questions_are_read_from_standard_input(graphmem: Graphmem) -> None:
    assert graphmem("add - --speaker Alice --said-at 2025-02-10", stdin=b"I work at Acme.\n").code == 0
    assert graphmem("ask -", stdin=b"where did Alice work in March 2025").out.startswith("Acme")


def test_adding_the_same_id_again_is_a_no_op_and_another_text_a_conflict(graphmem: Graphmem) -> None:
    line = 'add "I work at Acme." --id m1 --speaker Alice --said-at 2025-02-10'
    assert graphmem(line).out.startswith("Kept")
    assert graphmem(line).out.startswith("Known before")
    conflict = graphmem('add "I work at Umbra." --id m1')
    assert conflict.code == 1
    assert "m1" in conflict.err


def test_the_default_memory_is_made_in_the_user_s_data_folder(
    graphmem: Graphmem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GRAPHMEM_DB")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert graphmem('add "I work at Acme." --speaker Alice').code == 0
    assert (tmp_path / "data" / "graphmem" / "memory.db").is_file()


def test_reading_makes_no_memory(graphmem: Graphmem, tmp_path: Path) -> None:
    missing = graphmem("facts")
    assert missing.code == 1
    assert "graphmem add" in missing.err
    assert not (tmp_path / "memory.db").exists()


def test_the_demo_answers_its_questions(graphmem: Graphmem) -> None:
    shown = graphmem("demo --json")
    assert shown.code == 0
    answers = [str(row["answer"]).split(" (")[0] for row in json.loads(shown.out)["rows"]]
    assert answers == ["Acme", "Globex", "Acme", "Oslo", "early May 2026"]


def test_the_demo_stays_in_the_memory_that_is_named_and_is_told_once(graphmem: Graphmem) -> None:
    told = [graphmem("--db story.db demo --json") for _ in range(2)]
    assert told[0].code == 0
    assert told[0].out == told[1].out
    found = graphmem("--db story.db --group demo timeline Alice --json")
    assert len(json.loads(found.out)["rows"]) == 2


def test_the_module_runs_as_a_command_in_a_process_of_its_own(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GRAPHMEM_DB": "m.db", "TZ": "UTC"}
    command = [
        sys.executable,
        "-m",
        "graphmem",
        "add",
        "I work at Acme.",
        "--speaker",
        "Alice",
        "--said-at",
        "2025-02-10",
    ]
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
    assert "new: Alice works at Acme" in told.stdout
