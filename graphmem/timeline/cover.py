"""Covers: sets of time as sorted disjoint stretches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TypeAlias

from graphmem.timeline.instants import MAX, MIN, Instant

__all__ = ["Cover", "Stretch", "joined"]

Stretch: TypeAlias = tuple[Instant, Instant]
"""The instants [from, to), from < to."""


def joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same instants in order, with stretches that touch or overlap made one."""
    out: list[Stretch] = []
    for lo, hi in sorted(stretches):
        if out and lo <= out[-1][1]:
            if hi > out[-1][1]:
                out[-1] = (out[-1][0], hi)
        else:
            out.append((lo, hi))
    return out


class Cover:
    """A set of time that grows; each question and each addition costs a binary search."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        whole = joined(stretches)
        self._starts = [lo for lo, _ in whole]
        self._ends = [hi for _, hi in whole]

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, lo: Instant, hi: Instant) -> None:
        """Cover [lo, hi) too."""
        first = bisect_left(self._ends, lo)
        last = bisect_right(self._starts, hi)
        if first < last:
            lo = min(lo, self._starts[first])
            hi = max(hi, self._ends[last - 1])
        self._starts[first:last] = [lo]
        self._ends[first:last] = [hi]

    def gaps(self, lo: Instant, hi: Instant) -> list[Stretch]:
        """What is not covered of [lo, hi), in order."""
        out: list[Stretch] = []
        i = bisect_right(self._ends, lo)
        while i < len(self._starts) and self._starts[i] < hi:
            if lo < self._starts[i]:
                out.append((lo, self._starts[i]))
            lo = self._ends[i]
            i += 1
        if lo < hi:
            out.append((lo, hi))
        return out

    def free_until(self, moment: Instant) -> Instant:
        """Until when time is free from `moment` on; `moment` itself where it is covered, MAX for ever."""
        i = bisect_right(self._ends, moment)
        return max(moment, self._starts[i]) if i < len(self._starts) else MAX

    def free_since(self, moment: Instant) -> Instant:
        """Since when the time up to `moment` has been free: the last end of a covered stretch; MIN without one."""
        i = bisect_right(self._ends, moment)
        return self._ends[i - 1] if i else MIN
