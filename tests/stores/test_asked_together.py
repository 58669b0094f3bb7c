"""Reads asked for at once go to the file together, and each gets its own answer."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from graphmem.errors import InvalidInput, StoreUnavailable
from graphmem.stores.sqlite_connections import Connections


@pytest.fixture
async def connections(tmp_path: Path) -> AsyncIterator[Connections]:
    opened = Connections(tmp_path / "m.db")
    await opened.ensure_schema()
    yield opened
    await opened.close()


def number(given: int, connection: sqlite3.Connection) -> int:
    return given


async def transactions(connections: Connections) -> list[str]:
    """What the connection of searches runs from now on."""
    statements: list[str] = []
    await connections.search(lambda c: c.set_trace_callback(statements.append))
    statements.clear()
    return statements


async def test_what_is_asked_at_once_is_one_transaction(connections: Connections) -> None:
    statements = await transactions(connections)

    answers = await asyncio.gather(*(connections.search(partial(number, n)) for n in range(5)))

    assert answers == list(range(5))
    assert statements == ["BEGIN", "COMMIT"]
    await connections.search(lambda c: None)
    assert statements == ["BEGIN", "COMMIT"] * 2


async def test_one_that_fails_takes_no_other_along(connections: Connections) -> None:
    def refused(connection: sqlite3.Connection) -> None:
        raise InvalidInput("no")

    def broken(connection: sqlite3.Connection) -> None:
        connection.execute("SELECT nothing FROM nowhere")

    found = await asyncio.gather(
        connections.search(refused),
        connections.search(lambda c: c.execute("SELECT 7").fetchone()[0]),
        connections.search(broken),
        connections.search(lambda c: c.in_transaction),
        return_exceptions=True,
    )

    assert [type(one).__name__ for one in found] == ["InvalidInput", "int", "StoreCorrupt", "bool"]
    assert found[1] == 7
    assert found[3] is True
    assert await connections.search(lambda c: c.in_transaction)


async def test_who_no_longer_waits_is_passed_over(connections: Connections) -> None:
    going, kept = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(connection: sqlite3.Connection) -> str:
        loop.call_soon_threadsafe(kept.set)
        assert going.wait(10)
        return "slow"

    given_up = asyncio.create_task(connections.search(slow))
    waiting = asyncio.create_task(connections.search(lambda c: "kept"))
    await kept.wait()
    given_up.cancel()
    await asyncio.sleep(0)
    going.set()

    assert await waiting == "kept"
    assert given_up.cancelled()


async def test_asked_and_closed_in_the_same_turn_fails_clearly(tmp_path: Path) -> None:
    connections = Connections(tmp_path / "m.db")
    await connections.ensure_schema()
    asked = asyncio.create_task(connections.search(lambda c: 1))
    await asyncio.sleep(0)  # it has asked, and nothing was sent yet
    connections._is_closed = True

    with pytest.raises(StoreUnavailable, match="was closed"):
        await asyncio.wait_for(asked, 10)
    connections._is_closed = False
    await connections.close()


async def test_two_event_loops_ask_apart(connections: Connections) -> None:
    def elsewhere(first: int) -> list[int]:
        async def ask() -> list[int]:
            return list(await asyncio.gather(*(connections.search(partial(number, first + n)) for n in range(20))))

        return asyncio.run(ask())

    found = await asyncio.gather(*(asyncio.to_thread(elsewhere, 100 * turn) for turn in range(4)))
    assert found == [[100 * turn + n for n in range(20)] for turn in range(4)]


async def test_reads_of_one_moment_see_one_snapshot(connections: Connections, tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "m.db", isolation_level=None, check_same_thread=False)

    def count(connection: sqlite3.Connection) -> int:
        return int(connection.execute("SELECT count(*) FROM group_state").fetchone()[0])

    def write(connection: sqlite3.Connection) -> int:
        return writer.execute("INSERT INTO group_state (group_id) VALUES ('new')").rowcount

    before, _, after = await asyncio.gather(*(connections.search(act) for act in (count, write, count)))
    writer.close()

    assert (before, after) == (0, 0)
    assert await connections.search(count) == 1
