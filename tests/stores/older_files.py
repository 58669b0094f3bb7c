"""Store files as older versions of graphmem left them: what each migration did is taken back."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from graphmem.resources import read
from graphmem.stores.sqlite_schema import MIGRATIONS
from graphmem.stores.sqlite_terms import group_mark

__all__ = ["taken_back"]

_MADE = re.compile(r"^CREATE (?:VIRTUAL )?(TABLE|TRIGGER|INDEX|VIEW) (\w+)", re.MULTILINE)
_TEXTS = (("fact", "fact_no"), ("entity", "entity_no"), ("episode", "seq"))


def taken_back(path: Path, number: int) -> None:
    """Make the file one of schema `number`, with what it holds."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for later in range(len(MIGRATIONS), number, -1):
            _TAKE_BACK[later](connection)
        connection.execute(f"PRAGMA user_version = {number}")


def _without_vectors(connection: sqlite3.Connection) -> None:
    for kind, name in reversed(_MADE.findall(_script(2))):
        connection.execute(f"DROP {kind} IF EXISTS {name}")
        connection.execute("DELETE FROM sqlite_stat1 WHERE ? IN (tbl, idx)", (name,))


def _without_marks(connection: sqlite3.Connection) -> None:
    for table, number in _TEXTS:
        found = connection.execute(
            f"SELECT t.rowid, t.terms, i.group_id FROM {table}_text t JOIN {table} i ON i.{number} = t.rowid"
        )
        plain = [(terms.replace(group_mark(group_id), ""), row_no) for row_no, terms, group_id in found.fetchall()]
        connection.executemany(f"UPDATE {table}_text SET terms = ? WHERE rowid = ?", plain)


def _with_facts_never_reworded(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TRIGGER fact_is_immutable")
    [trigger] = re.findall(r"CREATE TRIGGER fact_is_immutable .*?END;", _script(1), re.DOTALL)
    connection.execute(trigger)


def _without_tellers(connection: sqlite3.Connection) -> None:
    connection.execute("DROP VIEW supporting_episode")
    connection.execute("ALTER TABLE claim DROP COLUMN told_by")
    [view] = re.findall(r"CREATE VIEW supporting_episode .*?;", _script(1), re.DOTALL)
    connection.execute(view)


def _without_counts(connection: sqlite3.Connection) -> None:
    for kind, name in reversed(_MADE.findall(_script(6))):
        connection.execute(f"DROP {kind} {name}")
    connection.execute("DELETE FROM sqlite_stat1 WHERE tbl = 'group_texts'")


def _script(number: int) -> str:
    return read(f"sql/migrations/{MIGRATIONS[number - 1]}.sql")


_TAKE_BACK: dict[int, Callable[[sqlite3.Connection], None]] = {
    2: _without_vectors,
    3: _without_marks,
    4: _with_facts_never_reworded,
    5: _without_tellers,
    6: _without_counts,
}
