"""How commands end: exit codes, one clear line for what is wrong, nothing of it on standard output."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import Graphmem
from tests.documents import ROOT


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("facts --at yesterdayish", 2, "yesterdayish"),
        ("facts --at 2026-02-30", 2, "2026-02-30"),
        ("facts --at 2026-01-01 --from 2025-01-01", 2, "not both"),
        ("facts --from 2026-01-01 --to 2025-01-01", 2, "end"),
        ("facts --bogus", 2, "--bogus"),
        ("facts --limit 0", 2, "limit"),
        ("--tz -12:00 facts --at 9999-12-31T23:00", 2, "years 1 to 9999"),
        ("facts --group a/b", 3, "--group"),
        ("facts --tz Mars/Olympus", 3, "--tz"),
        ("facts --meta colour", 2, "KEY=VALUE"),
        ("--format yaml facts", 2, "yaml"),
        ("--db ftp://x facts", 3, "ftp://"),
        (f"--db {'x' * 300}.db facts", 2, "too long"),
        ("--db nowhere/m.db add hello", 2, "no folder nowhere"),
        ("--db memory.db/m.db add hello", 2, "no folder memory.db"),
        ("--group a --group b add hello", 2, "--group once"),
        ("add ''", 2, "empty"),
        ("add '{' --source json", 2, "JSON"),
        ("add hello --source email", 2, "email"),
        ("tiemline Alice", 2, "'timeline'"),
        ("config", 2, "command"),
        ("jobs frobnicate", 2, "frobnicate"),
        ("timeline", 2, "'entity'"),
        ("why f_0123", 1, "f_0123"),
        ("why 'Alice works at Umbra'", 1, "nearest is 'Alice works at"),
        ("history f_0123", 1, "f_0123"),
        ("correct 'Alice works at Acme'", 2, "correction needs"),
        ("retract", 2, "exactly one"),
        ("erase --entity Alice", 2, "--yes"),
        ("erase", 2, "exactly one"),
        ("erase --yes", 2, "exactly one"),
        ("erase --entity Alice --fact f_0123 --yes", 2, "exactly one"),
        ("erase --entity Zaphod --yes", 1, "Zaphod"),
        ("jobs list --state lost", 2, "lost"),
        ("jobs show nothing", 1, "nothing"),
        ("jobs retry nothing", 1, "nothing"),
        ("backup memory.db", 2, "memory.db"),
        ("import nowhere.jsonl", 2, "nowhere.jsonl"),
        ("search globex --in attic", 2, "attic"),
        ("diff 2026-01-01 2025-01-01", 2, "later"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(told: Graphmem, line: str, code: int, words: str) -> None:
    ended = told(line)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("graphmem: ")
    assert words in ended.err


def test_with_json_an_error_is_data_too(told: Graphmem) -> None:
    error = json.loads(told("--json facts --at yesterdayish").err)
    assert (error["version"], error["kind"], error["error"], error["exit"]) == (1, "error", "InvalidTime", 2)


def test_a_file_of_another_kind_is_refused_and_left_alone(graphmem: Graphmem, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE customer (name TEXT)")
    connection.close()
    before = other.read_bytes()
    refused = graphmem("--db other.db facts")
    assert (refused.code, refused.out) == (1, "")
    assert "other.db" in refused.err
    assert other.read_bytes() == before


def test_an_interrupt_ends_with_130(told: Graphmem, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphmem.cli.session.Session.run", interrupted)
    ended = told("facts")
    assert (ended.code, ended.out) == (130, "")
    assert "interrupted" in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_an_output_that_is_full_ends_in_one_line(told: Graphmem, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "graphmem", "facts"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (ended.returncode, ended.stderr) == (1, "graphmem: the output cannot be written: No space left on device\n")


def test_an_interrupt_while_the_command_is_being_loaded_leaves_no_traceback(tmp_path: Path) -> None:
    program = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "graphmem.cli.app":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from graphmem.cli import main
main()
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (130, "")


def test_a_group_that_holds_nothing_is_named_and_so_is_a_name_that_nothing_has(told: Graphmem) -> None:
    for line in ("facts", "'where does Alice work'", "search globex", "timeline Alice", "context globex --json"):
        ended = told(f"--group typo {line}")
        assert ended.code == 4
        assert "Group 'typo' holds nothing." in ended.out
    for line in ("facts Alcie", "facts --subject Alcie", "timeline Alcie"):
        assert "Nothing is known by the name 'Alcie'." in told(line).out
    assert "known by the name" not in told("facts Alice --at 2020-01-01").out


def test_where_two_groups_are_read_the_empty_one_alone_is_named(told: Graphmem) -> None:
    shown = told("--group default --group typo facts Alcie").out
    assert "Group 'typo' holds nothing.\nNothing is known by the name 'Alcie'.\n" in shown


def test_a_letter_that_the_terminal_cannot_write_is_shown_by_its_number(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "graphmem", "--db", "none-\u00fc.db", "facts"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "none-\\xfc.db" in ended.stderr


def test_no_arguments_show_the_help(graphmem: Graphmem) -> None:
    assert graphmem("") == graphmem("--help")


def test_help_names_every_command_and_the_exit_codes(graphmem: Graphmem) -> None:
    shown = graphmem("--help")
    assert shown.code == 0
    commands = "ask add import facts timeline history diff why search jobs groups retract correct erase backup doctor demo config"
    for name in commands.split():
        assert f"\n  {name} " in shown.out
    assert "4 no" in shown.out


def test_every_command_explains_itself(graphmem: Graphmem) -> None:
    for name in ("ask", "add", "import", "facts", "erase", "jobs", "jobs list", "config show"):
        shown = graphmem(f"{name} --help")
        assert shown.code == 0
        assert "Usage: graphmem" in shown.out
