"""The public names are a list, and the package is held to it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

import graphmem
from tests.documents import ROOT, blocks_of, pages

SOURCE = ast.parse((ROOT / "graphmem" / "__init__.py").read_text(encoding="utf-8"))


def test_the_names_for_type_checkers_are_those_promised() -> None:
    (guarded,) = (node for node in SOURCE.body if isinstance(node, ast.If))
    imported = {
        alias.name: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == graphmem._MODULE_OF
    assert sorted(imported) == graphmem.__all__ == dir(graphmem)


@pytest.mark.parametrize("name", graphmem.__all__)
def test_a_public_name_is_there_and_explained(name: str) -> None:
    found = getattr(graphmem, name)
    assert found.__name__ == name
    assert found.__doc__ is not None
    assert found.__doc__.strip().endswith((".", "\n", "]", "'"))
    assert not found.__doc__.startswith(f"{name}(")


@pytest.mark.parametrize("name", graphmem.__all__)
def test_a_public_name_stands_in_an_example_that_runs(name: str) -> None:
    shown = "".join(block.text for page in pages() for block in blocks_of(page) if block.language == "python")
    assert re.search(rf"\b{name}\b", shown)


def test_no_other_name_is_public() -> None:
    with pytest.raises(AttributeError, match="no public name 'Store'"):
        graphmem.Store  # noqa: B018
    assert (
        not {name for name in vars(graphmem) if name[0] != "_"}
        - set(graphmem.__all__)
        - submodules()
        - {
            "annotations",
            "import_module",
            "TYPE_CHECKING",
        }
    )


def submodules() -> set[str]:
    return {path.stem for path in (ROOT / "graphmem").iterdir()}


HEAVY = ("pydantic", "numpy", "networkx", "rapidfuzz", "rank_bm25", "rich", "snowballstemmer")


@pytest.mark.parametrize(
    ("imported", "unneeded"),
    [
        ("graphmem, graphmem.cli", (*HEAVY, "sqlite3", "asyncio", "graphmem.timeline")),
        ("graphmem.memory", (*HEAVY, "graphmem.ingest.rules", "graphmem.retrieve.question")),
    ],
)
def test_an_import_brings_nothing_heavy_that_it_can_do_without(imported: str, unneeded: tuple[str, ...]) -> None:
    script = f"import sys, {imported}; print([name for name in {unneeded!r} if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"
