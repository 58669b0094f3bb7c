"""Files that are no store, or not the one they seem: a clear error, and the file stays as it is."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
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


async def left_unclosed(path: Path, *, episodes: range) -> tuple[bytes, bytes]:
    """The file and its log as a crash leaves them, after so many more episodes; the store goes on."""
    async with await Memory.open(path) as memory:
        for number in episodes:
            await memory.add_episode(f"I work at {path.stem}{number}.", speaker=f"{path.stem} {number}")
        return path.read_bytes(), log_of(path).read_bytes()


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@case("F-X14")
@pytest.mark.parametrize(
    "is_new", [True, False], ids=["the log of a new store", "the log of a store that was closed before"]
)
async def test_the_log_of_another_store_is_refused_and_both_files_left_alone(tmp_path: Path, is_new: bool) -> None:
    path, other = tmp_path / "mine.db", tmp_path / "other.db"
    await left_unclosed(path, episodes=range(10))
    if not is_new:
        await left_unclosed(other, episodes=range(10))
    _, foreign = await left_unclosed(other, episodes=range(10, 13))
    log_of(path).write_bytes(foreign)

    await refused(path, StoreCorrupt)

    assert log_of(path).read_bytes() == foreign
    log_of(path).unlink()  # as the message says
    async with await Memory.open(path) as memory:
        assert {episode.speaker for episode in await memory.recent(limit=100)} == {f"mine {n}" for n in range(10)}
        assert await memory.verify() == []


@case("F-X15")
async def test_an_old_copy_put_beside_a_newer_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    await left_unclosed(path, episodes=range(10))
    old = path.read_bytes()
    await left_unclosed(path, episodes=range(10, 30))
    whole, newer = await left_unclosed(path, episodes=range(30, 33))
    path.write_bytes(old)
    log_of(path).write_bytes(newer)

    await refused(path, StoreCorrupt)

    path.write_bytes(whole)  # the file that belongs to the log
    async with await Memory.open(path) as memory:
        assert len(await memory.recent(limit=100)) == 33
        assert await memory.verify() == []


@pytest.mark.parametrize("is_held", [False, True], ids=["", "while a reader keeps the log from being begun anew"])
async def test_a_crash_at_any_moment_leaves_a_log_that_is_the_files_own(tmp_path: Path, is_held: bool) -> None:
    path, copy = tmp_path / "mine.db", tmp_path / "copy.db"
    async with await Memory.open(path) as memory:
        with ExitStack() as readers:
            for number in range(24):
                await memory.add_episode(f"I work at Acme{number}.", speaker=f"Ann {number}")
                if number == 8 and is_held:
                    reader = readers.enter_context(closing(sqlite3.connect(path)))
                    reader.execute("BEGIN")
                    reader.execute("SELECT count(*) FROM episode").fetchone()
                if number == 16 and not is_held:
                    await memory.erase(entity="Ann 3")
                if number % 3 == 0:
                    with closing(sqlite3.connect(path, timeout=0)) as other:
                        other.execute(f"PRAGMA wal_checkpoint({'PASSIVE' if number % 2 else 'TRUNCATE'})")
                copy.write_bytes(path.read_bytes())
                log_of(copy).write_bytes(log_of(path).read_bytes())
                async with await Memory.open(copy) as crashed:
                    assert (await crashed.recent(limit=1))[0].speaker == f"Ann {number}"


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
