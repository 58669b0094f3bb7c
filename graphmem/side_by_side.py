"""Doing what does not depend on one another at the same time; or one thing after another, where there is no event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

__all__ = ["at_once", "side_by_side"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Result(Protocol[T_co]):
    """What came of a task, once the block has ended."""

    def result(self) -> T_co: ...


class Tasks(Protocol):
    """What a block does at the same time."""

    def create_task(self, coro: Coroutine[object, object, T], /) -> Result[T]: ...


@asynccontextmanager
async def side_by_side() -> AsyncIterator[Tasks]:
    """A group of tasks, all of them done when the block ends; when one fails the others are cancelled.

    Raises the first error as it is, not in a group: who catches ModelError or StoreError finds it. Inside `at_once` each task is
    done when it is created.
    """
    if not _is_loop_running():
        yield _InTurn()
        return
    try:
        async with asyncio.TaskGroup() as tasks:
            yield tasks
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from failed


def at_once(work: Coroutine[object, object, T]) -> T:
    """What a coroutine returns that never has to wait; on a thread without an event loop. Raises what it raises."""
    try:
        work.send(None)
    except StopIteration as ended:
        value: T = ended.value
        return value
    work.close()
    raise RuntimeError("work that is to be done at once waited for something")


class _InTurn:
    def create_task(self, coro: Coroutine[object, object, T], /) -> _Done[T]:
        return _Done(at_once(coro))


class _Done(Generic[T]):
    def __init__(self, value: T) -> None:
        self._value = value

    def result(self) -> T:
        return self._value


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
