"""Stores that fail on purpose, wrapped around a real one."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

from graphmem.errors import CommitConflict, StoreUnavailable
from graphmem.ports import Store
from graphmem.stores import open_store

WRITES = frozenset({"accept", "lease", "extend", "finish", "commit"})

Fail = Callable[[str, bool], None]
"""Called with the operation before it, and again (True) after it; raises to fail it."""


class FailingStore:
    """A store whose calls fail before or after they are done."""

    def __init__(self, store: Store, fail: Fail) -> None:
        self._store = store
        self._fail = fail

    def __getattr__(self, name: str) -> object:
        call: Callable[..., Awaitable[object]] = getattr(self._store, name)
        if name == "close" or not callable(call):
            return call

        async def failing(*given: object, **named: object) -> object:
            self._fail(name, False)
            result = await call(*given, **named)
            self._fail(name, True)
            return result

        return failing


def failing_store(path: Path, fail: Fail) -> Store:
    return cast(Store, FailingStore(open_store(str(path)), fail))


class Flaky:
    """Fails some writes before they reach the disk, and loses the answer of some that did."""

    def __init__(self, seed: int, *, before: float = 0.3, after: float = 0.1) -> None:
        self._draw = random.Random(seed)
        self._before = before
        self._after = after
        self.is_on = False

    def __call__(self, operation: str, is_done: bool) -> None:
        if self.is_on and operation in WRITES and self._draw.random() < (self._after if is_done else self._before):
            raise StoreUnavailable("the connection was lost" if is_done else "try again")


class Crash(BaseException):
    """Stands for the death of the process: nothing in the engine may catch it."""


class CrashAt:
    """Crashes at the n-th border between two store calls, counting both sides of each."""

    def __init__(self, border: int) -> None:
        self._left = border
        self.is_on = False
        self.borders = 0

    def __call__(self, operation: str, is_done: bool) -> None:
        if not self.is_on:
            return
        self.borders += 1
        self._left -= 1
        if self._left == 0:
            raise Crash


class Conflicts:
    """Refuses the first commits as if somebody had been faster."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, operation: str, is_done: bool) -> None:
        if operation == "commit" and not is_done and self.left:
            self.left -= 1
            raise CommitConflict("somebody was faster")
