"""Reads asked for in one turn of an event loop go to their thread together: the way there costs more than many of them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

__all__ = ["AskedTogether", "Read"]

T = TypeVar("T")
Read: TypeAlias = Callable[[sqlite3.Connection], Callable[[], None]]
"""Reads, on the thread of the connection; what it returns hands the answer over, on the thread of the event loop."""


class AskedTogether:
    """Collects reads until the event loop has run what was ready, then sends them off as one."""

    def __init__(self, send: Callable[[Sequence[Read]], asyncio.Future[list[Callable[[], None]]]]) -> None:
        self._send = send
        self._asked: dict[asyncio.AbstractEventLoop, list[_Waiting]] = {}

    async def read(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """What `act` returns or raises. Raises what sending raises."""
        loop = asyncio.get_running_loop()
        asked = self._asked.setdefault(loop, [])
        answer: asyncio.Future[T] = loop.create_future()
        asked.append(_Asked(act=act, answer=answer))
        if len(asked) == 1:
            loop.call_soon(self._send_all, loop)
        return await answer

    def _send_all(self, loop: asyncio.AbstractEventLoop) -> None:
        asked = self._asked.pop(loop)

        def hand_over(sent: asyncio.Future[list[Callable[[], None]]]) -> None:
            error = sent.exception()
            if error is not None:
                _fail(asked, error)
                return
            for give in sent.result():
                give()

        try:
            self._send(asked).add_done_callback(hand_over)
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            _fail(asked, error)


class _Waiting(Protocol):
    def __call__(self, connection: sqlite3.Connection) -> Callable[[], None]: ...

    def fail(self, error: BaseException) -> None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked(Generic[T]):
    """One read, and who waits for it if anybody still does."""

    act: Callable[[sqlite3.Connection], T]
    answer: asyncio.Future[T]

    def __call__(self, connection: sqlite3.Connection) -> Callable[[], None]:
        try:
            value = self.act(connection)
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            failure = error
            return lambda: self.fail(failure)
        return lambda: self._give(value)

    def _give(self, value: T) -> None:
        if not self.answer.done():
            self.answer.set_result(value)

    def fail(self, error: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


def _fail(asked: Sequence[_Waiting], error: BaseException) -> None:
    for one in asked:
        one.fail(error)
