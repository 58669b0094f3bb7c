"""Stores: where a memory is kept."""

from __future__ import annotations

import importlib
from pathlib import Path

from graphmem.errors import ConfigError
from graphmem.ports import Store
from graphmem.stores.sqlite import SqliteStore

__all__ = ["open_store"]

_NEO4J = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_MEMORY = ":memory:"


def open_store(url: str) -> Store:
    """The store that a URL names. Nothing is read or written before its first call; `ensure_schema` makes it ready.

    `memory.db`, `~/memory.db` or `sqlite:///memory.db` (four slashes for an absolute path): a SQLite file.
    `:memory:` or `sqlite://`: a private file that goes when the store is closed.
    `neo4j://…`, `neo4j+s://…`, `bolt://…`: a Neo4j server; needs the extra `neo4j`.

    Raises ConfigError for anything else, and where the extra is missing.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _file(url)
    if scheme == "sqlite":
        return _file(_path_of(url, rest))
    if scheme in _NEO4J:
        return _neo4j(url)
    raise ConfigError(f"no store is reached by {scheme + separator!r}: use a path, sqlite:///path or neo4j://host:7687")


def _path_of(url: str, rest: str) -> str:
    if not rest:
        return _MEMORY
    if not rest.startswith("/"):
        raise ConfigError(f"{url!r} names a host; a file is sqlite:///path, with three slashes or, if absolute, four")
    return rest[1:]


def _file(path: str) -> Store:
    if path == _MEMORY:
        return SqliteStore.temporary()
    if not path or "\0" in path:
        raise ConfigError(f"{path!r} is no path of a store: give one such as 'memory.db'")
    return SqliteStore(Path(path).expanduser())


def _neo4j(url: str) -> Store:
    try:
        module = importlib.import_module("graphmem.stores.neo4j")
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"a Neo4j store needs the extra: pip install 'graphmem[neo4j]' ({error.name} is missing)"
        ) from error
    store: Store = module.open_neo4j(url)
    return store
