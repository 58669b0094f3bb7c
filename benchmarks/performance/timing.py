"""Times of repeated operations and what is reported of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, cast

from graphmem.ports import Store

__all__ = ["Stopwatch", "TimedStore", "quantile_ms", "shown_spread", "spread_ms", "timed_store"]


class Stopwatch:
    """Seconds of every run of a block."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    @contextmanager
    def lap(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds.append(time.perf_counter() - began)


def quantile_ms(seconds: Sequence[float], share: float) -> float:
    """The given quantile in milliseconds, to the microsecond; nearest rank."""
    ranked = sorted(seconds)
    return round(ranked[min(len(ranked) - 1, int(share * len(ranked)))] * 1_000, 3)


def spread_ms(seconds: Sequence[float]) -> dict[str, float]:
    return {"p50": quantile_ms(seconds, 0.5), "p95": quantile_ms(seconds, 0.95)}


def shown_spread(spread: Mapping[str, float]) -> str:
    """Median and 95th percentile as a table shows them."""
    return f"{spread['p50']:.2f} / {spread['p95']:.2f}"


class _Call(Protocol):
    async def __call__(self, *given: object, **named: object) -> object: ...


class TimedStore:
    """A store that notes when each call of another began and ended; `timed_store` gives it its type."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_at_one_moment = False
        self.calls: list[tuple[str, float, float]] = []
        """(operation, began, ended), in seconds of one clock, in order of their ends; none inside `at_one_moment`."""

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self._store, name)
        return self._timed(name, cast(_Call, found)) if callable(found) else found

    def _timed(self, name: str, call: _Call) -> _Call:

        async def timed(*given: object, **named: object) -> object:
            if self._is_at_one_moment:
                return await call(*given, **named)
            self._is_at_one_moment = name == "at_one_moment"
            began = time.perf_counter()
            try:
                return await call(*given, **named)
            finally:
                self._is_at_one_moment = False
                self.calls.append((name, began, time.perf_counter()))

        return timed

    def seconds_of(self, operation: str) -> float:
        """How long the last such call took."""
        return next(ended - began for name, began, ended in reversed(self.calls) if name == operation)

    def seconds_after(self, first: str, last: str) -> float:
        """From the end of the last `first` to the end of the last `last`."""
        began = next(ended for name, _, ended in reversed(self.calls) if name == first)
        return next(ended for name, _, ended in reversed(self.calls) if name == last) - began


def timed_store(store: Store) -> tuple[Store, TimedStore]:
    """The same object twice: as the store it acts for, and as what it notes."""
    timed = TimedStore(store)
    return cast(Store, timed), timed
