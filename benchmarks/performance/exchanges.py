"""A proxy before a Bolt server that notes every exchange: what a client waits for, and how often in a row."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

__all__ = ["Exchange", "Exchanges", "in_a_row", "noted_exchanges"]

Exchange = tuple[float, float]
"""When a request left and when the last of its answer came, in seconds of one clock."""


class Exchanges:
    """What went over the connections of a proxy, in order of the requests."""

    def __init__(self) -> None:
        self._noted: list[list[float]] = []
        self.url = ""
        """The server, by way of the proxy."""

    def clear(self) -> None:
        self._noted.clear()

    def during(self, began: float, ended: float) -> list[Exchange]:
        """Those whose request left between two moments."""
        return [(first, last) for first, last in self._noted if began <= first <= ended]

    def begin(self) -> list[float]:
        """A request leaves now; the second number moves on with its answer."""
        now = time.perf_counter()
        self._noted.append([now, now])
        return self._noted[-1]


def in_a_row(exchanges: Sequence[Exchange]) -> int:
    """How many of them, at most, follow one another: those side by side count once.

    >>> in_a_row([(0.0, 1.0), (0.1, 0.9), (1.1, 2.0)])
    2
    """
    count, free_at = 0, float("-inf")
    for began, ended in sorted(exchanges, key=lambda one: one[1]):
        if began >= free_at:
            count, free_at = count + 1, ended
    return count


@asynccontextmanager
async def noted_exchanges(url: str) -> AsyncIterator[Exchanges]:
    """A proxy on the loopback interface before the server of a URL without TLS."""
    parts = urlsplit(url)
    exchanges = Exchanges()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            tasks.add(task)
        await _passed_on(parts.hostname or "localhost", parts.port or 7687, reader, writer, exchanges)

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    login, at, _ = parts.netloc.rpartition("@")
    port = listening.sockets[0].getsockname()[1]
    exchanges.url = urlunsplit(parts._replace(netloc=f"{login}{at}127.0.0.1:{port}"))
    try:
        yield exchanges
    finally:
        listening.close()
        await asyncio.gather(*tasks)  # each ends when its client has closed


async def _passed_on(
    host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, exchanges: Exchanges
) -> None:
    server_reader, server_writer = await asyncio.open_connection(host, port)
    latest: list[float] = []
    has_answer = True

    async def answers() -> None:
        nonlocal has_answer
        while data := await server_reader.read(65_536):
            has_answer = True
            if latest:
                latest[-1:] = [time.perf_counter()]
            writer.write(data)
            await writer.drain()

    back = asyncio.create_task(answers())
    try:
        while data := await reader.read(65_536):
            if has_answer:
                latest, has_answer = exchanges.begin(), False
            server_writer.write(data)
            await server_writer.drain()
    finally:
        back.cancel()
        for end in (writer, server_writer):
            end.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await end.wait_closed()
