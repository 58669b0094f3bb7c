"""An erasure that is cut short: all of it or nothing happened, and the next opening leaves no byte of what is gone."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from graphmem.errors import StoreUnavailable
from graphmem.memory import Memory
from graphmem.stores.sqlite import SqliteStore
from graphmem.stores.sqlite_connections import Connections
from tests.cases.table import case
from tests.faults.processes import new_queue, started
from tests.faults.turns import START

CANARY = "Zelphindrake"
TOLD = 60


def bytes_left(folder: Path) -> int:
    return sum(file.read_bytes().lower().count(CANARY.lower().encode()) for file in folder.iterdir())


async def tell(path: Path) -> None:
    async with await Memory.open(path) as memory:
        for n in range(TOLD):
            text = f"I moved to {CANARY}ville and like {CANARY}s." if n % 3 == 0 else f"I work at Firm{n}."
            await memory.add_episode(text, speaker=f"Ann {n}", said_at=START + timedelta(hours=n))


class DyingConnection(sqlite3.Connection):
    """Ends the process before the first statement with certain words, of those that erase."""

    words = ""
    has_erased = False

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        self.set_trace_callback(self._look_at)

    def _look_at(self, statement: str) -> None:
        if DyingConnection.words and "'unscrubbed'" in statement:
            DyingConnection.has_erased = True  # in a transaction that is still open
        if DyingConnection.has_erased and DyingConnection.words in statement:
            os._exit(137)


def erase_until(path: Path, words: str, said: Queue[object]) -> None:
    connect = sqlite3.connect
    sqlite3.connect = lambda *given, **named: connect(*given, factory=DyingConnection, **named)  # type: ignore[assignment]

    async def act() -> None:
        async with await Memory.open(path) as memory:
            DyingConnection.words = words
            await memory.erase(entity=f"{CANARY}ville")
            said.put("done")

    asyncio.run(act())


async def look(path: Path) -> bool:
    """Whether what was to be erased is gone; the file is looked at while it is open, and when it is closed."""
    async with await Memory.open(path) as memory:
        assert await memory.verify() == []
        told = [e for e in await memory.recent(limit=TOLD) if CANARY in e.text]
        assert len(told) in (0, TOLD // 3)
        assert len(await memory.recent(limit=TOLD)) == TOLD - TOLD // 3 + len(told)
        assert bool(await memory.entities(f"{CANARY}ville")) == bool(told)
        if not told:
            assert bytes_left(path.parent) == 0
    if not told:
        assert bytes_left(path.parent) == 0
        assert free_pages(path) == 0, "the file was not written anew: keys may stand in its gaps"
    return not told


def free_pages(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA freelist_count").fetchone()[0])


STEPS = {
    "VALUES ('unscrubbed'": False,
    "COMMIT": False,
    "VACUUM": True,
    "wal_checkpoint": True,
    "DELETE FROM setting": True,
}
"""What the process dies at, and whether the content is gone by then."""


@case("F-K04", "V-026")
@pytest.mark.parametrize("words", STEPS)
def test_an_erasure_that_is_killed_at_any_step_is_whole_or_not_begun(tmp_path: Path, words: str) -> None:
    path, said = tmp_path / "m.db", new_queue()
    asyncio.run(tell(path))
    with started(erase_until, path, words, said) as child:
        child.join(60)
        assert child.exitcode == 137
    assert said.empty(), "it was called done"
    assert asyncio.run(look(path)) is STEPS[words]


@case("V-025")
async def test_an_erasure_that_a_reader_held_up_is_finished_by_the_next_opening(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    await tell(path)
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM episode").fetchone()
    store = SqliteStore(path)
    store._connections = Connections(path, patience_s=0.1)
    async with await Memory.open(store) as memory:
        with pytest.raises(StoreUnavailable, match="open the store again"):
            await memory.erase(entity=f"{CANARY}ville")
    assert bytes_left(tmp_path) > 0
    async with await Memory.open(path):  # the reader still holds it: nothing to be done, and no error
        assert bytes_left(tmp_path) > 0
    reader.close()
    assert await look(path)
