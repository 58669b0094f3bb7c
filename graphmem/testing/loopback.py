"""A small HTTP server on loopback that runs in a thread."""

from __future__ import annotations

import json
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

__all__ = ["Exchange", "LoopbackServer"]


class Exchange:
    """One request and the way to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        self.method = handler.command
        self.path, _, self.query = handler.path.partition("?")
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in handler.headers.items()}
        self.raw = handler.rfile.read(int(self.headers.get("content-length", "0")))

    def body(self) -> dict[str, object]:
        """The JSON object that was sent; an empty one where there is none."""
        found = json.loads(self.raw) if self.raw else {}
        return found if isinstance(found, dict) else {}

    def send_json(self, status: int, content: object, headers: Mapping[str, str] | None = None) -> None:
        """Answer with JSON."""
        self.send(status, json.dumps(content).encode(), "application/json", headers)

    def send(
        self,
        status: int,
        content: bytes,
        content_type: str,
        headers: Mapping[str, str] | None = None,
        *,
        share: float = 1.0,
    ) -> None:
        """Answer with these bytes; with a `share` below 1 the connection is cut after so much of them."""
        self._start(status, content_type, {"content-length": str(len(content)), **(headers or {})})
        self._handler.wfile.write(content[: int(len(content) * share)])
        if share < 1.0:
            self.cut()

    def send_events(self, events: Iterable[bytes], headers: Mapping[str, str] | None = None) -> None:
        """Answer with a stream of events, which ends with the connection."""
        self._start(200, "text/event-stream", {"connection": "close", **(headers or {})})
        for event in events:
            self._handler.wfile.write(event)
            self._handler.wfile.flush()
        self._handler.close_connection = True

    def cut(self) -> None:
        """Cut the connection as a broken network does."""
        self._handler.wfile.flush()
        self._handler.close_connection = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)

    def _start(self, status: int, content_type: str, headers: Mapping[str, str]) -> None:
        self._handler.send_response(status)
        self._handler.send_header("content-type", content_type)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is nothing to print about."""


class LoopbackServer(ABC):
    """Serves while it is entered; `url` is then its address."""

    def __init__(self) -> None:
        self._server: _QuietServer | None = None
        self._thread: threading.Thread | None = None
        self.stopping = threading.Event()

    @abstractmethod
    def handle(self, exchange: Exchange) -> None:
        """Answer one request. Called in a thread of its own for each connection."""

    @property
    def url(self) -> str:
        """Its address, such as http://127.0.0.1:40123."""
        if self._server is None:
            raise RuntimeError("the server is not running: enter it first, `with …() as server:`")
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Serve until `stop`."""
        serve = self.handle

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

            def _exchange(self) -> None:
                serve(Exchange(self))

            do_GET = do_POST = do_DELETE = _exchange

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

        self.stopping.clear()
        self._server = _QuietServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop serving and let go of whoever hangs."""
        self.stopping.set()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
        self._server = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
