"""Progress: a bar on a terminal, plain lines elsewhere, nothing when unwanted; never on standard output."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.cli.progress import WorkProgress
from tests.cli.calls import Graphmem
from tests.documents import ROOT

_TURNS = 3_000
"""More than are read before an interruption arrives."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, is_wanted: bool = True) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with WorkProgress("importing \x1b[31mchat", total=200, is_wanted=is_wanted) as progress:
        progress.show(100, "7 episodes")
    return stream.getvalue()


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, Terminal())
    assert "7 episodes" in text
    assert "50%" in text
    assert "\x1b[31mchat" not in text


def test_elsewhere_a_plain_line_comes_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO()) == ""
    monkeypatch.setattr("graphmem.cli.progress.PLAIN_EVERY_S", 0.0)
    assert shown(monkeypatch, io.StringIO()) == "importing \\x1b[31mchat: 50 %, 7 episodes\n"


def test_unwanted_progress_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.cli.progress.PLAIN_EVERY_S", 0.0)
    assert shown(monkeypatch, Terminal(), is_wanted=False) == ""


@pytest.mark.parametrize("flag", ["-q", "--quiet", "--no-progress"])
def test_flags_switch_it_off(graphmem: Graphmem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    monkeypatch.setattr("graphmem.cli.progress.PLAIN_EVERY_S", 0.0)
    (tmp_path / "chat.jsonl").write_text(json.dumps({"content": "I work at Acme.", "ts": "2025-02-10"}) + "\n")
    assert "importing chat.jsonl" in graphmem("import chat.jsonl").err
    assert graphmem(f"import chat.jsonl {flag}").err == ""


def test_an_interrupted_import_ends_with_130_and_goes_on_later(tmp_path: Path) -> None:
    lines = (json.dumps({"content": f"Turn {n}.", "ts": 1_700_000_000 + n}) + "\n" for n in range(_TURNS))
    (tmp_path / "chat.jsonl").write_text("".join(lines))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GRAPHMEM_DB": "m.db", "TZ": "UTC"}
    command = [sys.executable, "-m", "graphmem", "import", "chat.jsonl", "--json"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_take_interruptions,
    ) as running:
        deadline = time.monotonic() + 60
        while not _holds_an_episode(tmp_path / "m.db") and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    finished = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    report = json.loads(finished.stdout)
    assert finished.returncode == 0
    assert report["accepted"] + report["repeated"] == _TURNS


def _take_interruptions() -> None:
    """Interruptions are ignored by what a shell started in the background, and by its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _holds_an_episode(path: Path) -> bool:
    if not path.exists():
        return False
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
        try:
            return connection.execute("SELECT 1 FROM episode LIMIT 1").fetchone() is not None
        except sqlite3.OperationalError:  # the tables are not there yet
            return False
