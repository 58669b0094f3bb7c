"""The threads and connections of one SQLite file: one writer, a few readers, each connection on one thread at a time."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from graphmem.errors import StoreUnavailable
from graphmem.side_by_side import at_once
from graphmem.stores.sqlite_errors import translated
from graphmem.stores.sqlite_log import check_log, name_write
from graphmem.stores.sqlite_schema import check_schema, ensure_schema

__all__ = ["Connections"]

T = TypeVar("T")
Act = Callable[[sqlite3.Connection], T]

_READERS = 4
_PATIENCE_S = 10.0
_CACHED_STATEMENTS = 256


class Connections:
    """Runs whole transactions on threads of its own, so that a cancelled await leaves none open.

    Connections are opened when first needed and checked to be a store of this schema. Not usable after a fork: SQLite's locks
    and the threads stay behind, and StoreUnavailable says so.
    """

    def __init__(self, path: Path, *, patience_s: float = _PATIENCE_S) -> None:
        self.path = path
        self._patience_s = patience_s
        self._pid = os.getpid()
        self._is_closed = False
        self._writing = ThreadPoolExecutor(1, "graphmem-write")
        self._reading = ThreadPoolExecutor(_READERS, "graphmem-read")
        self._searching = ThreadPoolExecutor(1, "graphmem-search")
        self._own = threading.local()
        self._open: list[sqlite3.Connection] = []

    async def ensure_schema(self, then: Act[None]) -> None:
        """Create or migrate the schema, or find that the file holds something else; `then` outside any transaction."""
        await self._on(self._writing, lambda: self._ensure_schema(then))

    async def read(self, act: Act[T]) -> T:
        """Run `act` on one consistent snapshot."""
        if (inside := self._inside()) is not None:
            return act(inside)
        return await self._on(self._reading, lambda: self._transact(self._reader(), "BEGIN", act))

    async def search(self, act: Act[T]) -> T:
        """As `read`, always on the same connection: what it keeps from one search to the next is kept once."""
        if (inside := self._inside()) is not None:
            return act(inside)
        return await self._on(self._searching, lambda: self._transact(self._reader(), "BEGIN", act))

    async def at_one_moment(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Run `work` on one consistent snapshot, which all it reads and searches is of; it waits for nothing else."""

        def act(connection: sqlite3.Connection) -> T:
            outer, self._own.inside = self._inside(), connection
            try:
                return at_once(work())
            finally:
                self._own.inside = outer

        return await self.search(act)

    async def write(self, act: Act[T]) -> T:
        """Run `act` in one write transaction: all of it on the disk when this returns, nothing of it after an error."""
        return await self._on(self._writing, lambda: self._write(act))

    async def write_then(self, act: Act[T], after: Act[None]) -> T:
        """As `write`, then `after` outside any transaction, with nobody writing in between from this process."""
        return await self._on(self._writing, lambda: self._write_then(act, after))

    async def apart(self, act: Act[T]) -> T:
        """Run `act` on a connection of its own, outside any transaction, while readers and the writer go on."""
        return await self._on(self._reading, lambda: self._apart(act))

    async def close(self) -> None:
        """Wait for what is under way, then close every connection; twice is a no-op."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._pid == os.getpid():
            await asyncio.to_thread(self._shut)

    async def _on(self, threads: ThreadPoolExecutor, act: Callable[[], T]) -> T:
        if self._is_closed:
            raise StoreUnavailable(f"{self.path}: this store was closed; open it again")
        if self._pid != os.getpid():
            raise StoreUnavailable(f"{self.path} was opened before this process was forked: open it again here")
        return await asyncio.get_running_loop().run_in_executor(threads, self._translated, act)

    def _translated(self, act: Callable[[], T]) -> T:
        with translated(self.path):
            return act()

    def _inside(self) -> sqlite3.Connection | None:
        """The connection of the snapshot that this thread is at work on (`at_one_moment`)."""
        inside: sqlite3.Connection | None = getattr(self._own, "inside", None)
        return inside

    def _transact(self, connection: sqlite3.Connection, begin: str, act: Act[T]) -> T:
        connection.execute(begin)
        try:
            result = act(connection)
            connection.execute("COMMIT")
        finally:
            # A failed COMMIT may leave the transaction open, and some errors have ended it already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return result

    def _write(self, act: Act[T]) -> T:
        def checked(connection: sqlite3.Connection) -> T:
            # A newer graphmem may have migrated the file since it was opened.
            check_schema(connection, self.path)
            changes = connection.total_changes
            result = act(connection)
            if connection.total_changes != changes:
                name_write(connection)
            return result

        return self._transact(self._writer(), "BEGIN IMMEDIATE", checked)

    def _write_then(self, act: Act[T], after: Act[None]) -> T:
        result = self._write(act)
        after(self._writer())
        return result

    def _ensure_schema(self, then: Act[None]) -> None:
        check_log(self.path, self._wal)
        with closing(self._connect(mode="rwc")) as connection:
            ensure_schema(connection, self.path, self._patience_s)
            then(connection)

    def _apart(self, act: Act[T]) -> T:
        with closing(self._connect(mode="rw")) as connection:
            check_schema(connection, self.path)
            return act(connection)

    def _writer(self) -> sqlite3.Connection:
        return self._opened("writer", query_only=False)

    def _reader(self) -> sqlite3.Connection:
        return self._opened("reader", query_only=True)

    def _opened(self, kind: str, *, query_only: bool) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._own, kind, None)
        if connection is None:
            connection = self._connect(mode="rw")
            try:
                check_schema(connection, self.path)
                connection.execute(f"PRAGMA query_only = {query_only:d}")
            except BaseException:
                connection.close()
                raise
            setattr(self._own, kind, connection)
            self._open.append(connection)
        return connection

    def _connect(self, *, mode: str) -> sqlite3.Connection:
        # A folder that takes no files cannot hold the WAL's index; where nobody has one open, the file alone is the store.
        is_sealed = self.path.exists() and not self._wal.exists() and not os.access(self.path.parent, os.W_OK)
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?" + ("mode=ro&immutable=1" if is_sealed else f"mode={mode}"),
            uri=True,
            timeout=self._patience_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_CACHED_STATEMENTS,
        )
        connection.row_factory = sqlite3.Row
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def _wal(self) -> Path:
        return self.path.with_name(self.path.name + "-wal")

    def _shut(self) -> None:
        self._reading.shutdown()
        self._searching.shutdown()
        self._writing.shutdown()
        with translated(self.path):
            while self._open:
                self._open.pop().close()


_PRAGMAS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -8192",
    "PRAGMA cell_size_check = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA journal_size_limit = 67108864",
)
