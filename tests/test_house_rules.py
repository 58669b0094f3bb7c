"""House rules that a reader would otherwise have to check."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.documents import ROOT, pages

PATHS = sorted((ROOT / "graphmem").rglob("*.py"))
SWEEPING_NAMES = {"utils", "util", "helpers", "manager", "common", "data", "info", "misc"}
TABLE_LESS = {"__init__", "__main__"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_keeps_the_house_rules(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree) or not text, "it says what it is about"
    assert path.stem not in SWEEPING_NAMES, "its name says one thing"
    assert not re.search(r"\b(?:TODO|FIXME|XXX)\b", text), "nothing is left undone in it"
    assert not re.search(r"noqa(?!: [A-Z]+\d+)", text), "it silences named rules only"
    assert public_any_in(tree) == [], "no public signature holds Any"
    has_public = any(
        isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_"
        for node in tree.body
    )
    if has_public and path.stem not in TABLE_LESS:
        assert "__all__" in text, "its public names are a list"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_date_speaks_the_language_of_the_machine(path: Path) -> None:
    """What is written is English and is read again as such, wherever a program has set its locale."""
    asks_the_locale = re.compile(r"%[-0]?[aAbBpcxX]\b|\bcalendar\.(?:month|day)_(?:name|abbr)\b")
    code = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith('"""')]
    assert not [line for line in code if asks_the_locale.search(line)]


def public_any_in(tree: ast.Module) -> list[str]:
    """Public functions and methods with Any in their signature."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
            annotations = [argument.annotation for argument in (*node.args.args, *node.args.kwonlyargs)] + [
                node.returns
            ]
            names = {n.id for a in annotations if a is not None for n in ast.walk(a) if isinstance(n, ast.Name)}
            if "Any" in names:
                found.append(node.name)
    return found


def test_no_file_names_a_place_on_somebody_s_machine() -> None:
    shipped = [
        *PATHS,
        *pages(),
        *sorted((ROOT / "graphmem").rglob("*.sql")),
        *sorted((ROOT / "graphmem").rglob("*.toml")),
    ]
    place = re.compile(r"/(?:home|Users|root|work)/\w+")
    assert [str(path) for path in shipped if place.search(path.read_text(encoding="utf-8"))] == []
