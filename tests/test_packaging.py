"""The wheel: what it holds, and that it works away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.documents import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def test_the_wheel_holds_the_whole_package(names: set[str]) -> None:
    files = (path for path in (ROOT / "graphmem").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert {str(path.relative_to(ROOT)) for path in files} <= names
    assert {"graphmem/py.typed", "graphmem/relations.toml"} <= names
    assert any(name.startswith("graphmem/sql/migrations/") for name in names)


def test_cypher_ships_inside_the_package_and_holds_no_python(names: set[str]) -> None:
    cypher = {name for name in names if name.startswith("graphmem/cypher/")}
    assert cypher == {
        f"graphmem/cypher/{p.relative_to(ROOT / 'cypher')}" for p in (ROOT / "cypher").rglob("*") if p.is_file()
    }
    assert cypher
    assert not any(name.endswith(".py") for name in cypher)


def test_nothing_else_ships(names: set[str]) -> None:
    assert {name.split("/")[0] for name in names} == {"graphmem", "graphmem-0.1.0.dist-info"}
    assert not any("__pycache__" in name for name in names)


def test_the_wheel_names_its_command_licence_and_extras(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        points = opened.read("graphmem-0.1.0.dist-info/entry_points.txt").decode()
        metadata = opened.read("graphmem-0.1.0.dist-info/METADATA").decode()
        licence = opened.read("graphmem-0.1.0.dist-info/licenses/LICENSE").decode()
    assert "graphmem = graphmem.cli:main" in points
    assert "Apache License" in licence
    for extra in ("anthropic", "neo4j", "local", "sentence-transformers", "test"):
        assert f"Provides-Extra: {extra}" in metadata


def test_the_unpacked_wheel_answers_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(site)
    environment = {**os.environ, "PYTHONPATH": str(site), "GRAPHMEM_DB": "m.db", "TZ": "UTC"}

    def graphmem(*arguments: str) -> str:
        command = [sys.executable, "-m", "graphmem", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout

    graphmem("add", "I work at Acme.", "--speaker", "Alice", "--said-at", "2025-02-10")
    assert graphmem("where did Alice work in March 2025").startswith("Acme")
    where = "import graphmem; print(graphmem.__file__)"
    printed = subprocess.run(
        [sys.executable, "-c", where], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert printed.stdout.startswith(str(site))
