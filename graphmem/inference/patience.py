"""Trying again: within a time limit of our own, however long a provider asks us to wait."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from graphmem.errors import ModelUnavailable, RateLimited

__all__ = ["RETRY_AFTER_CAP_S", "Patience", "retry_after_s"]

RETRY_AFTER_CAP_S = 3_600.0
"""Whatever a provider asks for, work is tried again after an hour: a limit may be lifted before."""

_TOKENS = 8_000
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How long a model is waited for, and how often it is asked again."""

    attempt_s: float = 120.0
    """One attempt, to the last byte of its answer."""
    total_s: float = 300.0
    """All attempts with the waits between."""
    attempts: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    """Where a provider asks for a longer wait, the error goes to the caller at once: its job comes back later."""

    def for_tokens(self, most: int) -> Patience:
        """As long again for every further 8,000 tokens an answer may have."""
        factor = max(1.0, most / _TOKENS)
        return replace(self, attempt_s=self.attempt_s * factor, total_s=self.total_s * factor)

    async def carry(self, name: str, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """What the attempt gives. A ModelUnavailable is tried again with full jitter; other errors pass.

        Raises ModelUnavailable when attempts or time are used up, also for one that hangs; `name` is the model in its message.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.total_s
        for number in range(1, self.attempts + 1):
            try:
                return await self._one(name, attempt, deadline - loop.time())
            except ModelUnavailable as error:
                wait_s = self._wait_s(number, error)
                if number == self.attempts or wait_s > self.longest_wait_s or loop.time() + wait_s >= deadline:
                    raise
            await asyncio.sleep(wait_s)
        raise ModelUnavailable(f"{name} was asked with no attempts allowed")

    async def _one(self, name: str, attempt: Callable[[], Awaitable[_T]], left_s: float) -> _T:
        allowed_s = min(self.attempt_s, left_s)
        scope = asyncio.timeout(allowed_s)
        try:
            async with scope:
                return await attempt()
        except TimeoutError as error:
            if not scope.expired():  # a timeout of a layer below, which that layer should have named
                raise ModelUnavailable(f"{name} timed out") from error
            raise ModelUnavailable(f"{name} did not answer within {allowed_s:.0f} s") from error

    def _wait_s(self, number: int, error: ModelUnavailable) -> float:
        """Jitter keeps callers that failed together from coming back together."""
        backoff_s = random.uniform(0, min(self.longest_wait_s, self.first_wait_s * 2**number))
        return max(backoff_s, error.retry_after_s) if isinstance(error, RateLimited) else backoff_s


def retry_after_s(header: str | None) -> float:
    """The seconds of a retry-after header, at most an hour; 0 for a date or anything else.

    >>> retry_after_s("86400"), retry_after_s("0.5"), retry_after_s("soon"), retry_after_s("nan")
    (3600.0, 0.5, 0.0, 0.0)
    """
    try:
        seconds = float(header or "")
    except ValueError:
        return 0.0
    return min(seconds, RETRY_AFTER_CAP_S) if seconds > 0 else 0.0
