"""Files that ship inside the package: statements, prompts, tables."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from graphmem.errors import ResourceMissing

__all__ = ["listed", "prompt", "query", "read"]

Dialect = Literal["sql", "cypher"]


@cache
def read(path: str) -> str:
    """The text of a file of the package, for example "relations.toml". Raises ResourceMissing."""
    resource = _found(path)
    if resource is None:
        raise ResourceMissing(f"{path!r} is not in the graphmem package: reinstall it")
    return resource.read_text(encoding="utf-8")


@cache
def listed(folder: str, suffix: str) -> tuple[str, ...]:
    """Paths of the files of a package folder whose names end so, in order. Raises ResourceMissing for no such folder."""
    place = files("graphmem").joinpath(folder)
    if not place.is_dir():
        raise ResourceMissing(f"{folder!r} is not in the graphmem package: reinstall it")
    return tuple(sorted(f"{folder}/{f.name}" for f in place.iterdir() if f.name.endswith(suffix)))


@cache
def query(dialect: Dialect, name: str) -> str:
    """The statement `name` of a store, from graphmem/sql or cypher; the file's name is the operation's."""
    return read(f"{dialect}/{name}.{dialect}")


@cache
def prompt(name: str) -> str:
    """The text of a prompt, from graphmem/prompts; raises ResourceMissing."""
    return read(f"prompts/{name}.md")


def _found(path: str) -> Traversable | None:
    package = files("graphmem").joinpath(path)
    if package.is_file():
        return package
    # In a checkout cypher/ lies beside the package; the wheel has it inside.
    beside = Path(__file__).parent.parent / path
    return beside if path.startswith("cypher/") and beside.is_file() else None
