"""Timelines: the claims that can bear on one another, the unit that is folded, and what must be read to have it whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from graphmem.timeline.claims import Claim, FactKey, Relation, Rivalry
from graphmem.timeline.rivalry import Seat, fact_of, seats_of

__all__ = ["TimelineReads", "cut_timelines", "reads_for"]


def cut_timelines(claims: Iterable[Claim], relation: Relation) -> list[list[Claim]]:
    """The claims of one relation, cut into its timelines; folding each alone gives the rows of all together.

    Two claims are of one timeline when a chain of shared seats joins them: without rivalry those of one fact (also where the
    relation is symmetric: facts that never exclude one another share no seat), with "subj" those of one subject, else the
    claims that share an endpoint, and theirs. Timelines and the claims in them keep the order in which they come.
    """
    said = [(claim, seats_of(fact_of(claim, relation), relation)) for claim in claims]
    component = _Components()
    for _, seats in said:
        component.join(seats)
    timelines: defaultdict[Seat, list[Claim]] = defaultdict(list)
    for claim, seats in said:
        timelines[component.of(seats[0])].append(claim)
    return list(timelines.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineReads:
    """What to ask a store for: claims of these facts, of these (relation, subject) and of these (relation, object) pairs."""

    facts: frozenset[FactKey]
    subjects: frozenset[tuple[str, str]]
    objects: frozenset[tuple[str, str]]


def reads_for(claims: Iterable[Claim], relations: Callable[[str], Relation]) -> TimelineReads:
    """What must be read to have whole the timelines of these claims, one step far.

    Where facts exclude one another at both ends, what is read may bring new endpoints: ask again with all the claims there
    are, until the answer stays the same. Claims of every kind count, NEVER too.
    """
    facts: set[FactKey] = set()
    subjects: set[tuple[str, str]] = set()
    objects: set[tuple[str, str]] = set()
    for claim in claims:
        relation = relations(claim.relation)
        subject, obj = fact_of(claim, relation)
        if relation.rivalry is Rivalry.NONE:
            facts.add(FactKey(subject=subject, relation=claim.relation, object=obj))
        elif relation.symmetric:
            ends = {(claim.relation, subject), (claim.relation, obj)}
            subjects |= ends
            objects |= ends
        else:
            subjects.add((claim.relation, subject))
            if relation.rivalry is Rivalry.BOTH:
                objects.add((claim.relation, obj))
    return TimelineReads(facts=frozenset(facts), subjects=frozenset(subjects), objects=frozenset(objects))


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
