"""Walls: where trusted rows keep untrusted facts out (R34)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphmem.timeline.claims import Relation
from graphmem.timeline.cover import Cover, Stretch
from graphmem.timeline.instants import Instant
from graphmem.timeline.rivalry import Fact, Seat, seats_of

__all__ = ["Wall", "Walls"]


class Wall(NamedTuple):
    """The time that trusted claims give to a fact: closed to its rivals as far as it is possible, to itself where certain."""

    fact: Fact
    possible: Stretch
    certain: Stretch | None
    """None: undated past (R5)."""


class Walls:
    """The walls of a relation, to be asked for those around one fact."""

    def __init__(self, walls: Iterable[Wall], relation: Relation) -> None:
        self._relation = relation
        self._by_seat: defaultdict[Seat, list[Wall]] = defaultdict(list)
        self._walled: set[Fact] = set()
        self._possible: dict[Seat, Cover] = {}
        for wall in walls:
            self._walled.add(wall.fact)
            for seat in seats_of(wall.fact, relation):
                self._by_seat[seat].append(wall)

    def around(self, fact: Fact) -> tuple[Cover, ...]:
        """The time that an untrusted row of the fact must keep out of."""
        if not self._walled:
            return ()
        if fact not in self._walled:
            return tuple(self._possible_at(seat) for seat in seats_of(fact, self._relation) if seat in self._by_seat)
        closed = [wall.certain if wall.fact == fact else wall.possible for wall in self._touching(fact)]
        return (Cover(stretch for stretch in closed if stretch is not None),)

    def allow_undated_past(self, fact: Fact, until: Instant) -> bool:
        """Whether nothing trusted is known of the fact itself, nor of a rival at a possible time before `until`."""
        return fact not in self._walled and all(wall.possible[0] >= until for wall in self._touching(fact))

    def _possible_at(self, seat: Seat) -> Cover:
        if seat not in self._possible:
            self._possible[seat] = Cover(wall.possible for wall in self._by_seat[seat])
        return self._possible[seat]

    def _touching(self, fact: Fact) -> Iterator[Wall]:
        for seat in seats_of(fact, self._relation):
            yield from self._by_seat.get(seat, ())
