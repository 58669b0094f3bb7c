"""A proxy before a Bolt server that cuts a connection once a commit went through, so that its answer is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

__all__ = ["CuttingProxy", "cutting_proxy"]

_COMMIT = bytes.fromhex("0002b0120000")
"""One chunk with the message COMMIT, and the end of the message."""


class CuttingProxy:
    """Passes everything on, except the answers of commits it is told to cut."""

    def __init__(self, port: int) -> None:
        self.cuts = 0
        """How many commits are still to lose their answer."""
        self.was_cut = 0
        self._server_port = port
        self._open: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        down = asyncio.create_task(self._pass(server_reader, writer))
        try:
            while data := await reader.read(65_536):
                is_cut = self.cuts > 0 and _COMMIT in data
                if is_cut:
                    self.cuts -= 1
                    self.was_cut += 1
                    down.cancel()
                    await asyncio.sleep(0)
                server_writer.write(data)
                await server_writer.drain()
                if is_cut:
                    await server_reader.read(65_536)
                    break
        except ConnectionError:
            return
        finally:
            down.cancel()
            for end in (writer, server_writer):
                end.close()
                with suppress(ConnectionError, asyncio.CancelledError):
                    await end.wait_closed()

    @staticmethod
    async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()

    async def settle(self) -> None:
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)


@asynccontextmanager
async def cutting_proxy(server_port: int) -> AsyncIterator[tuple[CuttingProxy, int]]:
    """A proxy before the server at this port of the loopback interface, and the proxy's own port."""
    proxy = CuttingProxy(server_port)
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        yield proxy, listening.sockets[0].getsockname()[1]
    finally:
        listening.close()
        await proxy.settle()
