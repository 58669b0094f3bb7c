"""History is never rewritten: the schema itself refuses every update but the one that closes an open row (I14)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.stores import open_store
from graphmem.timeline.instants import MAX
from tests.contract.build import changes, told


@pytest.fixture
async def raw(tmp_path: Path) -> sqlite3.Connection:
    path = tmp_path / "memory.db"
    store, first = open_store(str(path)), told(1, tau=10)
    await store.ensure_schema()
    await store.accept([first.episode], 1)
    await store.commit([first.changes])
    await store.close()
    return sqlite3.connect(path, isolation_level=None)


@pytest.fixture
def connection(raw: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    with closing(raw):
        yield raw


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info ({table})")]


@pytest.mark.parametrize("table", ["fact_version", "support"])
def test_an_open_row_can_be_closed_once(connection: sqlite3.Connection, table: str) -> None:
    connection.execute(f"UPDATE {table} SET expired_at = 20")

    for again in (30, MAX, 20):
        with pytest.raises(sqlite3.IntegrityError, match="closed once"):
            connection.execute(f"UPDATE {table} SET expired_at = ?", [again])


@pytest.mark.parametrize("table", ["fact_version", "support"])
def test_closing_leaves_every_other_field_alone(connection: sqlite3.Connection, table: str) -> None:
    others = [name for name in columns(connection, table) if name != "expired_at"]

    for name in others:
        [value] = connection.execute(f"SELECT {name} FROM {table}").fetchone()
        other = f"{value}x" if isinstance(value, str) else (value or 0) + 1
        with pytest.raises(sqlite3.IntegrityError, match="never rewritten"):
            connection.execute(f"UPDATE {table} SET expired_at = 20, {name} = ?", [other])
        with pytest.raises(sqlite3.IntegrityError, match="never rewritten"):
            connection.execute(f"UPDATE {table} SET {name} = ?", [other])
    assert len(others) >= 4


@pytest.mark.parametrize("name", ["fact_no", "group_id", "fact_id", "subject", "relation", "object"])
def test_what_a_fact_states_is_never_updated(connection: sqlite3.Connection, name: str) -> None:
    [value] = connection.execute(f"SELECT {name} FROM fact").fetchone()
    other = f"{value}x" if isinstance(value, str) else value + 1
    with pytest.raises(sqlite3.IntegrityError, match="never rewritten"):
        connection.execute(f"UPDATE fact SET {name} = ?", [other])


@pytest.mark.parametrize("table", ["claim", "episode"])
def test_claims_and_episodes_are_never_updated(connection: sqlite3.Connection, table: str) -> None:
    for name in columns(connection, table):
        with pytest.raises(sqlite3.IntegrityError, match="never rewritten"):
            connection.execute(f"UPDATE {table} SET {name} = {name}")


async def test_the_store_updates_nothing_but_ends(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store, first = open_store(str(path)), told(1, tau=10)
    await store.ensure_schema()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE audit (what TEXT, before INTEGER, after INTEGER);
            CREATE TRIGGER audit_version AFTER UPDATE ON fact_version
            BEGIN INSERT INTO audit VALUES ('version', old.expired_at, new.expired_at); END;
            CREATE TRIGGER audit_support AFTER UPDATE ON support
            BEGIN INSERT INTO audit VALUES ('support', old.expired_at, new.expired_at); END;
            """
        )
    await store.accept([first.episode], 1)
    await store.commit([first.changes])
    await store.commit([changes(20, based_on=10, expire=("v-1",), unsupport=(("v-1", "c-1"),))])
    await store.close()

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM audit").fetchall() == [("version", MAX, 20), ("support", MAX, 20)]
