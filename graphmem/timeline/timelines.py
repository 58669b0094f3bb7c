"""Timelines, the units that are folded: the claims of one relation that can bear on one another, and what must be read for them.

Two claims are of one timeline when a chain of shared seats joins them (`rivalry`): without rivalry those of one fact, with "subj"
those of one subject, else the claims that share an endpoint, and theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from graphmem.timeline.claims import Claim, FactKey, Relation, Rivalry
from graphmem.timeline.rivalry import fact_of

__all__ = ["TimelineReads", "reads_for"]


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
