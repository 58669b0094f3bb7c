"""The driver of one Neo4j server: whole transactions, tried again when the server or a lock was in the way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TypeAlias, TypeVar

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    NotificationMinimumSeverity,
    Query,
    Record,
)
from neo4j.exceptions import ClientError, DriverError, IncompleteCommit, Neo4jError

from graphmem.errors import StoreUnavailable
from graphmem.resources import query
from graphmem.stores.neo4j_errors import translated
from graphmem.stores.neo4j_rows import Value
from graphmem.stores.neo4j_settings import Neo4jSettings

__all__ = ["Connections", "Transaction"]

T = TypeVar("T")

_USER_AGENT = "graphmem"
_ALL = -1
"""Rows at once; the driver asks for a thousand, and again for the next."""
_FIRST_PAUSE_S = 0.05
"""The driver's own is a second: 20 times what a lock is held for."""
_SLOWER = 1.5
_MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"


class _MadeMeanwhile(Exception):
    """`IF NOT EXISTS` looked before another process had made it."""


class Transaction:
    """One attempt of a write transaction."""

    def __init__(self, transaction: AsyncManagedTransaction, attempt: int) -> None:
        self._transaction = transaction
        self.attempt = attempt
        """From 1; on later ones, what an earlier attempt wrote may be there though its answer was lost."""

    async def rows(self, name: str, **parameters: Value) -> list[Record]:
        """Every row of the statement `name`."""
        result = await self._transaction.run(_statement(name), _input(parameters))
        return [record async for record in result]

    async def run(self, name: str, **parameters: Value) -> None:
        """Run the statement `name` for what it writes."""
        result = await self._transaction.run(_statement(name), _input(parameters))
        await result.consume()


Act: TypeAlias = Callable[[Transaction], Awaitable[T]]


class Connections:
    """A pool of connections to one server, opened when first needed, and used in one event loop.

    Reads see what this store has written, also where another member of a cluster answers (bookmarks).
    """

    def __init__(self, settings: Neo4jSettings) -> None:
        self.settings = settings
        self._driver: AsyncDriver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False
        self.filters_in_index = False
        """Whether the server's vector indexes look for groups themselves (from 2026.02 on); known once the schema was checked."""

    async def read(self, name: str, **parameters: Value) -> list[Record]:
        """Every row of the statement `name`, which only reads: one round trip."""

        async def ask() -> list[Record]:
            async with self._session(READ_ACCESS) as session:
                result = await session.run(Query(_statement(name)), _input(parameters))
                return [record async for record in result]

        return await self._patiently(ask)

    async def read_rows(self, name: str, **parameters: Value) -> list[Record]:
        """Every row of the statement `name`, which hands them over as one list, `rows`: a record costs the driver 50 µs.

        They are mappings, to be read by their names.
        """
        [found] = await self.read(name, **parameters)
        rows: list[Record] = found["rows"]
        return rows

    async def write(self, act: Act[T]) -> T:
        """Run `act` in one write transaction: all of it on the server's disk when this returns, nothing of it after an error.

        It may run more than once, also after an attempt that was written without an answer: `act` must know its own work.
        """
        attempts = 0

        async def attempt(transaction: AsyncManagedTransaction) -> T:
            nonlocal attempts
            attempts += 1
            return await act(Transaction(transaction, attempts))

        return await self._transact(attempt)

    async def define(self, statement: str) -> None:
        """Run one statement of a migration, in a transaction of its own; that another process was first is well."""

        async def attempt(transaction: AsyncManagedTransaction) -> None:
            try:
                result = await transaction.run(statement)
                await result.consume()
            except ClientError as error:
                if error.code == _MADE_MEANWHILE:
                    raise _MadeMeanwhile from error
                raise

        with suppress(_MadeMeanwhile):
            await self._transact(attempt)

    async def sweep(self, name: str, **parameters: Value) -> None:
        """Run the statement `name`, which makes many transactions of its own and may be run again."""
        with translated(self.settings):
            async with self._session() as session:
                result = await session.run(_statement(name), _input(parameters))
                await result.consume()

    async def close(self) -> None:
        """Close every connection; twice is a no-op."""
        self._is_closed = True
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.close()

    async def _transact(self, attempt: Callable[[AsyncManagedTransaction], Awaitable[T]]) -> T:
        async def write() -> T:
            async with self._session() as session:
                # The driver lets BEGIN travel with the first statement in `execute_query` alone: elsewhere it is a round trip.
                begun: AbstractContextManager[None] = getattr(session, "_pipelined_begin", nullcontext())
                with begun:
                    written: T = await session.execute_write(attempt)
                return written

        return await self._until_known(write)

    async def _until_known(self, ask: Callable[[], Awaitable[T]]) -> T:
        """The driver tries again whatever was surely not written; a commit whose answer was lost it leaves to us."""
        give_up_at = asyncio.get_running_loop().time() + self.settings.patience_s
        with translated(self.settings):
            while True:
                try:
                    return await ask()
                except IncompleteCommit:
                    if asyncio.get_running_loop().time() > give_up_at:
                        raise

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """A read outside of a managed transaction, tried again as the driver tries those."""
        give_up_at = asyncio.get_running_loop().time() + self.settings.patience_s
        pause_s = _FIRST_PAUSE_S
        with translated(self.settings):
            while True:
                try:
                    return await ask()
                except (Neo4jError, DriverError) as error:
                    if not error.is_retryable() or asyncio.get_running_loop().time() > give_up_at:
                        raise
                await asyncio.sleep(pause_s)
                pause_s *= _SLOWER

    def _session(self, access_mode: str = WRITE_ACCESS) -> AsyncSession:
        driver = self._open_driver()
        return driver.session(
            database=self.settings.database,
            bookmark_manager=driver.execute_query_bookmark_manager,
            default_access_mode=access_mode,
            fetch_size=_ALL,
        )

    def _open_driver(self) -> AsyncDriver:
        if self._is_closed:
            raise StoreUnavailable(f"{self.settings.url}: this store was closed; open it again")
        loop = asyncio.get_running_loop()
        if self._driver is not None and loop is not self._loop:
            raise StoreUnavailable(f"{self.settings.url} was opened in another event loop: open it again in this one")
        if self._driver is None:
            self._driver = _driver(self.settings)
            self._loop = loop
        return self._driver


def _driver(settings: Neo4jSettings) -> AsyncDriver:
    return AsyncGraphDatabase.driver(
        settings.url,
        auth=(settings.user, settings.password) if settings.password else None,
        user_agent=_USER_AGENT,
        max_connection_pool_size=settings.pool_size,
        connection_timeout=settings.timeout_s,
        connection_acquisition_timeout=settings.timeout_s + settings.patience_s,
        max_transaction_retry_time=settings.patience_s,
        initial_retry_delay=_FIRST_PAUSE_S,
        retry_delay_multiplier=_SLOWER,
        retry_delay_jitter_factor=0.5,
        notifications_min_severity=NotificationMinimumSeverity.OFF,
    )


class _Unshown(dict[str, Value]):
    """Parameters without a text of their own.

    The driver makes that text on every call, for a line of its log that nobody reads: most of the time of sending vectors.
    """

    def __repr__(self) -> str:
        return "<parameters>"


def _input(parameters: Mapping[str, Value]) -> dict[str, Value]:
    # One parameter that holds all: the server makes a plan for every order of magnitude of a text's or a list's length
    # otherwise, and the statement of a commit takes seconds to plan.
    return {"input": _Unshown(parameters)}


def _statement(name: str) -> str:
    return query("cypher", name)
