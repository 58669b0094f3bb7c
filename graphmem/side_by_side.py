"""Doing what does not depend on one another at the same time."""

from __future__ import annotations

from asyncio import TaskGroup
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["side_by_side"]


@asynccontextmanager
async def side_by_side() -> AsyncIterator[TaskGroup]:
    """A group of tasks, all of them done when the block ends; when one fails the others are cancelled.

    Raises the first error as it is, not in a group: who catches ModelError or StoreError finds it.
    """
    try:
        async with TaskGroup() as tasks:
            yield tasks
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from failed
