"""Running the statements of graphmem/sql: named files, named parameters, lists as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from graphmem.errors import InvalidInput
from graphmem.resources import query

__all__ = [
    "Parameters",
    "Value",
    "first",
    "listed",
    "listed_or_none",
    "mapped",
    "numbered",
    "plain_cursor",
    "rows",
    "run",
    "run_many",
]

Value: TypeAlias = str | int | float | bytes | None
Parameters: TypeAlias = Mapping[str, Value]


def rows(connection: sqlite3.Connection, name: str, /, **parameters: Value) -> list[sqlite3.Row]:
    """Every row of the statement `name`."""
    return connection.execute(query("sql", name), parameters).fetchall()


def plain_cursor(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """A cursor whose rows are tuples, in the order of the columns: cheaper, where a statement gives many."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor


def first(connection: sqlite3.Connection, name: str, /, **parameters: Value) -> sqlite3.Row | None:
    """The first row of the statement `name`; None if there is none."""
    found = rows(connection, name, **parameters)
    return found[0] if found else None


def run(connection: sqlite3.Connection, name: str, /, **parameters: Value) -> int:
    """Run the statement `name`; how many rows it wrote."""
    return connection.execute(query("sql", name), parameters).rowcount


def run_many(connection: sqlite3.Connection, name: str, many: Sequence[Parameters]) -> int:
    """Run the statement `name` once for each set of parameters; how many rows were written in all."""
    return connection.executemany(query("sql", name), many).rowcount if many else 0


def listed(values: Iterable[str | tuple[str, ...]]) -> str:
    """A list parameter: what `json_each` reads, each value once. Raises InvalidInput for a NUL, at which SQLite would cut it."""
    return _without_nul(json.dumps(list(dict.fromkeys(values)), ensure_ascii=False))


def numbered(numbers: Iterable[int]) -> str:
    """A list parameter of whole numbers."""
    return f"[{','.join(map(str, numbers))}]"


def listed_or_none(values: Iterable[str] | None) -> str | None:
    """A list parameter that means "any" when it is None."""
    return None if values is None else listed(values)


def mapped(values: Mapping[str, str]) -> str:
    """A mapping of strings as JSON, equal for equal mappings. Raises InvalidInput for a NUL."""
    return _without_nul(json.dumps(dict(values), ensure_ascii=False, sort_keys=True))


def _without_nul(text: str) -> str:
    if "\\u0000" in text:
        raise InvalidInput("ids, names and metadata must not hold a NUL character")
    return text
