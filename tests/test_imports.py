"""Imports point one way, and only where outside clients belong."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.documents import ROOT

PACKAGE = ROOT / "graphmem"

# A module imports parts of earlier rows only; parts of one row do not know one another.
ROWS = (
    ("errors",),
    ("timeline", "groups", "resources", "terms", "privacy", "loop_thread", "side_by_side"),
    ("relations", "model", "settings"),
    ("ports", "portable", "item_texts", "ontology"),
    ("embedding", "open_relations", "given"),
    ("ingest", "retrieve", "context", "stores", "inference", "copying"),
    ("memory",),
    ("sync",),
    ("importers", "integrations", "testing"),
    ("cli", "server"),
    ("__main__",),
)
ROW_OF = {part: number for number, row in enumerate(ROWS) for part in row}

# Clients of the outside world, and the only parts that may import each.
CLIENTS = {
    "sqlite3": ("stores", "cli"),  # cli: `doctor` tells which SQLite this is
    "neo4j": ("stores",),
    "anthropic": ("inference",),
    "httpx": ("inference",),
    "openai": ("inference",),
    "onnxruntime": ("inference",),
    "tokenizers": ("inference",),
    "huggingface_hub": ("inference",),
    "sentence_transformers": ("inference",),
    "torch": ("inference",),
    "typer": ("cli",),
    "rich": ("cli",),
    "pydantic": ("settings", "ontology", "ingest", "inference", "cli"),
}


@dataclass(frozen=True, kw_only=True)
class Import:
    """One import of one module."""

    importer: str
    imported: str
    line: int
    is_at_top: bool
    """It runs when the module is imported."""


def modules() -> dict[str, Path]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imports_of(name: str, path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    at_top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno}: imports are written in full"
            targets = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for target in targets:
            yield Import(importer=name, imported=target, line=node.lineno, is_at_top=id(node) in at_top)


def part_of(module: str) -> str:
    return module.split(".")[1]


ALL = [found for name, path in modules().items() for found in imports_of(name, path)]


@pytest.mark.parametrize("part", sorted({part_of(name) for name in modules() if "." in name}))
def test_a_part_imports_earlier_rows_only(part: str) -> None:
    assert part in ROW_OF, f"graphmem/{part} has no row yet: give it one"
    wrong = [
        f"{found.importer}:{found.line} imports {found.imported}"
        for found in ALL
        if found.importer.startswith(f"graphmem.{part}") and part_of(found.importer) == part
        if found.imported.startswith("graphmem.") and part_of(found.imported) != part
        if ROW_OF.get(part_of(found.imported), 0) >= ROW_OF[part]
    ]
    assert wrong == []


@pytest.mark.parametrize("client", CLIENTS)
def test_an_outside_client_is_imported_where_it_belongs(client: str) -> None:
    importers = {part_of(found.importer) for found in ALL if found.imported.split(".")[0] == client}
    assert importers <= set(CLIENTS[client])


def test_no_module_imports_itself_in_a_circle() -> None:
    known = modules()
    arrows: dict[str, set[str]] = {name: set() for name in known}
    for found in ALL:
        target = found.imported if found.imported in known else found.imported.rpartition(".")[0]
        if found.is_at_top and target in known and target != found.importer and target != "graphmem":
            arrows[found.importer].add(target)
    assert circle_in(arrows) == []


def circle_in(arrows: dict[str, set[str]]) -> list[str]:
    """One circle of imports; empty when there is none."""
    finished: set[str] = set()

    def walk(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name not in finished:
            for target in sorted(arrows[name]):
                if circle := walk(target, [*path, name]):
                    return circle
            finished.add(name)
        return []

    return next((circle for name in arrows if (circle := walk(name, []))), [])


def test_a_circle_is_found() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
