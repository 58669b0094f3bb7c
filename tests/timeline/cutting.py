"""Claims cut into timelines all at once: what the fold, which follows the seats of one claim, is held to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graphmem.timeline import Claim, Relation
from graphmem.timeline.rivalry import Seat, fact_of, seats_of


def cut_timelines(claims: Iterable[Claim], relation: Relation) -> list[list[Claim]]:
    """The claims of one relation, cut into its timelines; they and the claims in them keep the order in which they come."""
    said = [(claim, seats_of(fact_of(claim, relation), relation)) for claim in claims]
    component = _Components()
    for _, seats in said:
        component.join(seats)
    timelines: defaultdict[Seat, list[Claim]] = defaultdict(list)
    for claim, seats in said:
        timelines[component.of(seats[0])].append(claim)
    return list(timelines.values())


class _Components:
    """Seats joined into components, each known by one of its seats (union by path halving)."""

    def __init__(self) -> None:
        self._parent: dict[Seat, Seat] = {}

    def of(self, seat: Seat) -> Seat:
        parent = self._parent
        while parent[seat] != seat:
            parent[seat] = parent[parent[seat]]
            seat = parent[seat]
        return seat

    def join(self, seats: Iterable[Seat]) -> None:
        first: Seat | None = None
        for seat in seats:
            self._parent.setdefault(seat, seat)
            if first is None:
                first = self.of(seat)
            else:
                self._parent[self.of(seat)] = first
