"""Trying again when somebody committed to the group in between."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from graphmem.errors import CommitConflict

__all__ = ["redo"]

TRIES = 50

_T = TypeVar("_T")


async def redo(act: Callable[[], Awaitable[_T]]) -> _T:
    """Act, and again after a short wait, with jitter, on CommitConflict; raises the last one."""
    for attempt in range(TRIES - 1):
        try:
            return await act()
        except CommitConflict:
            await asyncio.sleep(random.uniform(0, 0.002 * 2 ** min(attempt, 6)))
    return await act()
