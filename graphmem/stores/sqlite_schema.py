"""The schema of a store file: is it ours, which version, and how it comes to be."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from graphmem.errors import SchemaMismatch, SchemaTooNew, StoreUnavailable
from graphmem.resources import read
from graphmem.stores.sqlite_statements import run
from graphmem.stores.sqlite_terms import group_mark, marked_terms, term_count

__all__ = ["APPLICATION_ID", "MIGRATIONS", "check_schema", "ensure_schema"]

APPLICATION_ID = 0x676D656D
"""Bytes 68 to 71 of the file: "gmem"."""

MIGRATIONS = (
    "0001_schema",
    "0002_vectors",
    "0003_terms_by_group",
    "0004_reworded_facts",
    "0005_told_by",
    "0006_texts_counted",
)
"""In order; a file's `user_version` is how many of them it has had."""

_PAUSE_S = 0.02


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Do nothing if the file is a store of this schema. Raises SchemaMismatch or SchemaTooNew; reads only."""
    done = _migrations_done(connection, path)
    if done < len(MIGRATIONS):
        raise SchemaMismatch(
            f"{path} holds schema {done}, this graphmem needs {len(MIGRATIONS)}: call ensure_schema() first"
        )


def ensure_schema(connection: sqlite3.Connection, path: Path, patience_s: float) -> None:
    """Create or migrate the schema, each migration in one transaction with its number; many processes may try at once."""
    if _migrations_done(connection, path) == len(MIGRATIONS):
        return
    _switch_to_wal(connection, path, patience_s)
    connection.create_function("marked_terms", 2, marked_terms, deterministic=True)
    connection.create_function("group_mark", 1, group_mark, deterministic=True)
    connection.create_function("term_count", 1, term_count, deterministic=True)
    for number, migration in enumerate(MIGRATIONS, start=1):
        _migrate(connection, path, number, migration)


def _migrations_done(connection: sqlite3.Connection, path: Path) -> int:
    """How many migrations the file has had, read at one moment: another process may be making the file just now."""
    if connection.in_transaction:
        return _migrations_seen(connection, path)
    connection.execute("BEGIN")
    try:
        return _migrations_seen(connection, path)
    finally:
        connection.execute("ROLLBACK")


def _migrations_seen(connection: sqlite3.Connection, path: Path) -> int:
    application = _pragma(connection, "application_id")
    done = _pragma(connection, "user_version")
    if application == APPLICATION_ID:
        if done > len(MIGRATIONS):
            raise SchemaTooNew(f"{path} holds schema {done}, this graphmem knows {len(MIGRATIONS)}: upgrade graphmem")
        return done
    is_empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if application != 0 or done != 0 or not is_empty:
        raise SchemaMismatch(f"{path} is the SQLite file of another program: choose another path; it was left as it is")
    return 0


def _migrate(connection: sqlite3.Connection, path: Path, number: int, migration: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again under the lock: another process may have been first.
        if _migrations_done(connection, path) < number:
            for statement in _statements(read(f"sql/migrations/{migration}.sql")):
                connection.execute(statement)
            if number == 1:
                run(connection, "put_secret", value=secrets.token_bytes(32))
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _switch_to_wal(connection: sqlite3.Connection, path: Path, patience_s: float) -> None:
    # SQLite does not wait for the lock of this switch, whatever the busy timeout.
    give_up_at = time.monotonic() + patience_s
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up_at:
                raise
            time.sleep(_PAUSE_S)
            continue
        if mode != "wal":
            raise StoreUnavailable(f"{path}: no write-ahead log can be kept there: put the store on a local disk")
        return


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
