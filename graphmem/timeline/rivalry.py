"""Rivalry: which facts of a relation exclude one another, said as seats that only one fact can hold at an instant (R20).

Two facts are rivals when they share a seat. That one idea cuts the timelines, finds what breaks a spell and rules the sweep.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from typing import Generic, Protocol, TypeAlias, TypeVar

from graphmem.timeline.claims import Relation, Rivalry

__all__ = ["Fact", "RivalMarks", "Seat", "fact_of", "seats_of"]

Fact: TypeAlias = tuple[str, str]
"""Subject and object; of a symmetric relation in canonical order (R21)."""

Seat: TypeAlias = tuple[str, str]
"""The end of a fact that only one fact can hold at an instant: a side ("" for either) and an entity."""


class _Ends(Protocol):
    @property
    def subject(self) -> str: ...
    @property
    def object(self) -> str: ...


_Mark = TypeVar("_Mark", int, tuple[int, int, str])


def fact_of(ends: _Ends, relation: Relation) -> Fact:
    """The fact that a claim or a row is about, its ends in canonical order."""
    subject, obj = ends.subject, ends.object
    return (obj, subject) if relation.symmetric and obj < subject else (subject, obj)


def seats_of(fact: Fact, relation: Relation) -> tuple[Seat, ...]:
    """The seats a fact holds while it is true. Without rivalry its only seat is itself."""
    subject, obj = fact
    if relation.rivalry is Rivalry.NONE:
        return (fact,)
    if relation.symmetric:
        return (("", subject), ("", obj)) if subject != obj else (("", subject),)
    if relation.rivalry is Rivalry.SUBJ:
        return (("subject", subject),)
    return (("subject", subject), ("object", obj))


class RivalMarks(Generic[_Mark]):
    """Marks (instants, or orders of testimony) set by facts, to be asked for the latest one that a rival set."""

    def __init__(self, marks: Iterable[tuple[_Mark, Fact]], relation: Relation) -> None:
        self._relation = relation
        self._set_at: defaultdict[Seat, list[tuple[_Mark, Fact]]] = defaultdict(list)
        self._sorted: dict[Seat, _SeatMarks[_Mark]] = {}
        if relation.rivalry is not Rivalry.NONE:
            for mark, fact in marks:
                for seat in seats_of(fact, relation):
                    self._set_at[seat].append((mark, fact))

    def latest_before(self, bound: _Mark, fact: Fact) -> _Mark | None:
        """The greatest mark below `bound` that a rival of `fact` set; None if there is none."""
        latest: _Mark | None = None
        for seat in seats_of(fact, self._relation):
            mark = self._at(seat).latest_before(bound, fact) if seat in self._set_at else None
            if mark is not None and (latest is None or latest < mark):
                latest = mark
        return latest

    def _at(self, seat: Seat) -> _SeatMarks[_Mark]:
        if seat not in self._sorted:  # most seats are never asked about
            self._sorted[seat] = _SeatMarks(sorted(self._set_at[seat]))
        return self._sorted[seat]


class _SeatMarks(Generic[_Mark]):
    def __init__(self, entries: list[tuple[_Mark, Fact]]) -> None:
        self._marks: list[_Mark] = [mark for mark, _ in entries]
        self._facts = [fact for _, fact in entries]
        self._earlier_fact: list[int] = []
        """For each entry the nearest earlier one of another fact, -1 for none."""
        for i, fact in enumerate(self._facts):
            same_as_last = i > 0 and self._facts[i - 1] == fact
            self._earlier_fact.append(self._earlier_fact[i - 1] if same_as_last else i - 1)

    def latest_before(self, bound: _Mark, fact: Fact) -> _Mark | None:
        i = bisect_left(self._marks, bound) - 1
        if i >= 0 and self._facts[i] == fact:
            i = self._earlier_fact[i]
        return self._marks[i] if i >= 0 else None
