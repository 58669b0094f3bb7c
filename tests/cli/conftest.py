"""A folder of its own for every command line under test, without the settings of whoever runs the tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.calls import Graphmem, graphmem_in

FIRST_SESSION = (
    'add "I work at Acme." --speaker Alice --said-at 2025-02-10',
    'add "I joined Globex at the start of May." --speaker Alice --said-at 2026-06-03',
)


@pytest.fixture
def graphmem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graphmem:
    """The command in an empty folder; memory.db there is its memory."""
    for name in ("GRAPHMEM_GROUP", "GRAPHMEM_TZ"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GRAPHMEM_DB", "memory.db")
    monkeypatch.setenv("TZ", "UTC")
    return graphmem_in(monkeypatch)


@pytest.fixture(scope="session")
def base_case(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that was told the base case, to be copied."""
    folder = tmp_path_factory.mktemp("base_case")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        for line in FIRST_SESSION:
            assert graphmem_in(monkeypatch)(f"--db base.db --tz UTC {line}").code == 0
        assert graphmem_in(monkeypatch)("--db base.db backup memory.db").code == 0
    return folder / "memory.db"


@pytest.fixture
def told(graphmem: Graphmem, base_case: Path, tmp_path: Path) -> Graphmem:
    """The command with the base case told."""
    shutil.copy(base_case, tmp_path / "memory.db")
    return graphmem
