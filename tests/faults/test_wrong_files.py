"""Files that are no store, or not the one they seem: a clear error, and the file stays as it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graphmem.errors import SchemaMismatch, SchemaTooNew, StoreCorrupt, StoreError
from graphmem.memory import Memory
from tests.cases.table import case


async def told(path: Path, text: str = "I work at Acme.") -> None:
    async with await Memory.open(path) as memory:
        await memory.add_episode(text, speaker="Alice")


def on_the_file(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


async def refused(path: Path, error: type[StoreError]) -> None:
    before = path.read_bytes()
    with pytest.raises(error):
        await Memory.open(path)
    assert path.read_bytes() == before


@case("F-X10")
async def test_a_text_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("Dear diary, today I worked at Acme. " * 140)
    await refused(path, SchemaMismatch)


@case("F-X11")
async def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    await told(path)
    async with await Memory.open(path) as memory:
        assert await memory.verify() == []


@case("F-X12")
async def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    await told(path)
    on_the_file(path, "PRAGMA user_version = 99")
    await refused(path, SchemaTooNew)


@case("F-X13")
async def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    on_the_file(path, "CREATE TABLE recipes (name TEXT)")
    await refused(path, SchemaMismatch)


@case("F-S05", "F-X16")
@pytest.mark.parametrize("damage", ["DROP TABLE fact_text", "DELETE FROM fact_text"])
async def test_a_lost_search_index_is_reported(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "memory.db"
    await told(path)
    on_the_file(path, damage)
    async with await Memory.open(path) as memory:
        try:
            assert await memory.verify() != []
        except StoreCorrupt:
            with pytest.raises(StoreCorrupt):
                await memory.search("Acme")
