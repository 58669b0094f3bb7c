"""Stores: where a memory is kept."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from graphmem.errors import ConfigError
from graphmem.ports import Store, VectorForm
from graphmem.stores.sqlite import SqliteStore

__all__ = ["open_store"]

_NEO4J = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_MEMORY = ":memory:"


def open_store(url: str, *, vectors: VectorForm = VectorForm.FLOAT32) -> Store:
    """The store that a URL names. Nothing is read or written before its first call; `ensure_schema` makes it ready.

    `memory.db`, `~/memory.db` or `sqlite:///memory.db` (four slashes for an absolute path): a SQLite file.
    `:memory:` or `sqlite://`: a private file that goes when the store is closed.
    `neo4j://…`, `neo4j+s://…`, `bolt://…`: a Neo4j server; needs the extra `neo4j`.

    `vectors`: how vectors are written to a file from now on; those it holds stay as they are and are read all the same.

    Raises ConfigError for anything else, where the extra is missing, and for a server that is to keep vectors in 8 bits.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _file(url, vectors)
    if scheme == "sqlite":
        return _file(_path_of(url, rest), vectors)
    if scheme in _NEO4J:
        if vectors is not VectorForm.FLOAT32:
            raise ConfigError(
                f"a Neo4j server keeps vectors as float32, not as {vectors}: its index has a setting of its own"
            )
        return _neo4j(url)
    raise ConfigError(f"no store is reached by {scheme + separator!r}: use a path, sqlite:///path or neo4j://host:7687")


def _path_of(url: str, rest: str) -> str:
    if not rest:
        return _MEMORY
    if not rest.startswith("/"):
        raise ConfigError(f"{url!r} names a host; a file is sqlite:///path, with three slashes or, if absolute, four")
    return rest[1:]


def _file(path: str, vectors: VectorForm) -> Store:
    if path == _MEMORY:
        return SqliteStore.temporary(vectors=vectors)
    if not path or "\0" in path:
        raise ConfigError(f"{path!r} is no path of a store: give one such as 'memory.db'")
    return SqliteStore(Path(os.path.expanduser(path)), vectors=vectors)


def _neo4j(url: str) -> Store:
    try:
        module = importlib.import_module("graphmem.stores.neo4j")
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"a Neo4j store needs the extra: pip install 'graphmem[neo4j]' ({error.name} is missing)"
        ) from error
    store: Store = module.open_neo4j(url)
    return store
