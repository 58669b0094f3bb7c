"""How many calls go out side by side: fewer when the provider is short of breath, more again when it is not."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

__all__ = ["Headroom", "Limiter"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Headroom:
    """What a provider says may still be asked before its limits are filled up again; None: it does not say."""

    requests: int | None = None
    tokens: int | None = None

    @classmethod
    def of_headers(cls, headers: Mapping[str, str]) -> Headroom:
        """The headroom in the rate headers of Anthropic's or OpenAI's protocol; names in small letters.

        >>> Headroom.of_headers({"anthropic-ratelimit-requests-remaining": "3", "retry-after": "1"}).requests
        3
        """
        requests = _least(headers, "anthropic-ratelimit-requests-remaining", "x-ratelimit-remaining-requests")
        tokens = _least(
            headers,
            "anthropic-ratelimit-tokens-remaining",
            "anthropic-ratelimit-input-tokens-remaining",
            "anthropic-ratelimit-output-tokens-remaining",
            "x-ratelimit-remaining-tokens",
        )
        return cls(requests=requests, tokens=tokens)


def _least(headers: Mapping[str, str], *names: str) -> int | None:
    found = [headers.get(name, "") for name in names]
    counts = [int(count) for count in found if count.isascii() and count.isdigit() and len(count) < 16]
    return min(counts, default=None)


class Limiter:
    """Lets at most `width` calls out at once; the width follows what the provider says and does.

    A call that went well widens it by one each round, an overload halves it, and the rate headers cap it at what may still
    be asked. It is never below one: the single call then finds out when there is room again.
    """

    def __init__(self, *, start: int = 4, most: int = 16) -> None:
        self._most = max(1, most)
        self._width = float(min(max(1, start), self._most))
        self._out = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def width(self) -> int:
        """How many calls may be out at once."""
        return int(self._width)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        while self._out >= self.width:
            await self._woken()
        self._out += 1
        try:
            yield
        finally:
            self._out -= 1
            self._wake()

    async def _woken(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            elif not waiter.cancelled():  # woken and cancelled at once: the place goes to the next
                self._wake()
            raise

    def _wake(self) -> None:
        free = self.width - self._out
        while free > 0 and self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():  # one that was cancelled just now takes no place
                waiter.set_result(None)
                free -= 1

    def went_well(self, headroom: Headroom, *, tokens: int) -> None:
        """An answer came, at so many tokens: widen, up to what may still be asked."""
        self._width = min(self._most, self._width + 1 / self._width)
        room = [self._most]
        if headroom.requests is not None:
            room.append(headroom.requests)
        if headroom.tokens is not None and tokens > 0:
            room.append(headroom.tokens // tokens)
        self._width = max(1.0, min(self._width, *room))
        self._wake()

    def was_overloaded(self) -> None:
        """The provider refused for now: halve."""
        self._width = max(1.0, self._width / 2)
