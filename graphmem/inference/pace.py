"""The pace of calls to one model: so many at once as its provider bears, each tried again while there is patience."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from graphmem.errors import ModelUnavailable
from graphmem.inference.limiter import Headroom, Limiter
from graphmem.inference.patience import Patience
from graphmem.ports import ModelAnswer, ModelRequest

__all__ = ["Pace", "Replied"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Replied:
    """What one call brought: the answer, and the headers it came with, names in small letters."""

    answer: ModelAnswer
    headers: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """Carries the calls to a model, which `name` stands for in messages."""

    name: str
    patience: Patience
    limiter: Limiter

    async def answer(self, request: ModelRequest, attempt: Callable[[float], Awaitable[Replied]]) -> ModelAnswer:
        """What an attempt, given its seconds, answers in the end. A ModelUnavailable is tried again; other errors pass."""
        patience = self.patience.for_tokens(request.max_output_tokens)
        async with self.limiter.slot():
            return await patience.carry(self.name, lambda: self._one(attempt, patience.attempt_s))

    async def _one(self, attempt: Callable[[float], Awaitable[Replied]], timeout_s: float) -> ModelAnswer:
        try:
            replied = await attempt(timeout_s)
        except ModelUnavailable:
            self.limiter.was_overloaded()
            raise
        self.limiter.went_well(Headroom.of_headers(replied.headers), tokens=replied.answer.usage.total_tokens)
        return replied.answer
