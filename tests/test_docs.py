"""README and docs do what they say: every block runs, every printed line is compared."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer

from graphmem.cli.app import app
from tests.cli.calls import Graphmem, graphmem_in
from tests.documents import ROOT, Block, blocks_of, pages

LINK = re.compile(r"\[[^\]]+\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.fixture
def graphmem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graphmem:
    for name in ("GRAPHMEM_DB", "GRAPHMEM_GROUP", "GRAPHMEM_TZ"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    return graphmem_in(monkeypatch)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_block_of_a_page_does_what_it_says(page: Path, graphmem: Graphmem) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page):
        where = f"{page.name}:{block.line}"
        if block.language == "console":
            check_console(block, where, graphmem)
        elif block.language == "python":
            exec(compile(block.text, where, "exec"), names)
        elif block.language == "toml":
            tomllib.loads(block.text)
        else:  # cypher blocks are run by tests/stores/test_neo4j_docs.py
            assert block.language in ("sh", "cypher"), f"{where}: a block of {block.language!r} is run by no test"
            assert block.language == "cypher" or page.name in ("README.md", "neo4j.md"), (
                f"{where}: only what needs a server or a network is not run"
            )


def check_console(block: Block, where: str, graphmem: Graphmem) -> None:
    """Run the commands after "$ " and compare what they print; "..." stands for anything."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        program, _, arguments = command.partition(" ")
        if program == "cat":
            Path(arguments).write_text(expected, encoding="utf-8")
            continue
        assert program == "graphmem", f"{where}: {command!r} cannot be run"
        called = graphmem(arguments)
        printed = called.out + called.err
        assert doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS), (
            f"{where}: {command}\n{printed}"
        )


def test_the_two_commands_of_the_readme_exist() -> None:
    commands = [block.text.strip() for block in blocks_of(ROOT / "README.md") if block.language == "sh"]
    assert commands == ["python3 run.py demo", "python3 run.py test"]
    usage = subprocess.run([sys.executable, "run.py", "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(command in usage.stderr for command in commands)


def test_the_page_of_the_command_line_names_every_command_and_option() -> None:
    command = typer.main.get_command(app)
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    names = [name for name, one in command.commands.items() if not one.hidden]
    options = [one.opts[0] for one in command.params if not one.is_eager and "completion" not in one.opts[0]]
    assert [name for name in names if f"`{name}`" not in page and f"`{name} show`" not in page] == []
    shortened = {"--quiet": "-q", "--verbose": "-v"}
    assert [name for name in options if f"`{shortened.get(name, name)}" not in page] == []


def test_a_wrong_command_of_run_py_shows_its_use() -> None:
    wrong = subprocess.run([sys.executable, "run.py", "tset"], cwd=ROOT, capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_the_ci_script_runs_the_readme_s_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert '"$python" run.py test' in script
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert broken == []


def modules_with_examples() -> list[str]:
    paths = sorted((ROOT / "graphmem").rglob("*.py"))
    named = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in paths
        if ">>> " in path.read_text(encoding="utf-8")
    ]
    return [name.removesuffix(".__init__") for name in named]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
