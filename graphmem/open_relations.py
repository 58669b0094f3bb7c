"""Relations that nobody declared, as the claims of a group say they behave, at any moment of knowing (R20b)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphmem.model import StoredClaim
from graphmem.ports import Store
from graphmem.timeline.claims import OpenRelation, Relation, Rivalry
from graphmem.timeline.instants import Instant
from graphmem.timeline.told_rivalry import (
    HAS_RIVALRY,
    RIVALRY_NODES,
    relation_node,
    relation_told_of,
    told_rivalry,
)

__all__ = ["RelationRivalry", "read_rivalry_claims", "rivalries_at", "with_open_relations"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RelationRivalry:
    """What an open relation was known to be, by the newest claim that says so."""

    relation: str
    rivalry: Rivalry
    claim: StoredClaim
    """Its `tau` is when this was known, its `episode_id` the source, its `origin` who says so."""


async def read_rivalry_claims(
    store: Store, group_id: str, relations: Sequence[str] | None = None
) -> Sequence[StoredClaim]:
    """Every claim about the rivalry of these relations of a group (default: of all), retracted ones too, by claim id."""
    if relations is not None:
        subjects = [(HAS_RIVALRY, relation_node(name)) for name in dict.fromkeys(relations)]
        return (await store.read_timelines(group_id, subjects=subjects)).claims
    objects = [(HAS_RIVALRY, node) for node in RIVALRY_NODES]
    return (await store.read_timelines(group_id, objects=objects)).claims


def rivalries_at(claims: Iterable[StoredClaim], known_at: Instant) -> Sequence[RelationRivalry]:
    """What these claims said of each relation as known at a moment, by name."""
    known: defaultdict[str, dict[str, StoredClaim]] = defaultdict(dict)
    for stored in claims:
        name = relation_told_of(stored.claim)
        if name is not None and stored.tau <= known_at < stored.retracted_at:
            known[name][stored.claim.claim_id] = stored
    told = [(name, about, told_rivalry(c.claim for c in about.values())) for name, about in sorted(known.items())]
    return [
        RelationRivalry(relation=name, rivalry=found.rivalry, claim=about[found.claim_id])
        for name, about, found in told
        if found is not None
    ]


def with_open_relations(
    relations: Mapping[str, Relation], claims: Iterable[Iterable[StoredClaim]], known_at: Instant
) -> Mapping[str, Relation]:
    """These relations, and the open ones whose facts excluded one another as known at a moment.

    `claims`: those about rivalries, of one group after another. Where the groups do not agree on a relation, its facts are
    taken to stand side by side.
    """
    told = [
        {one.relation: one.rivalry for one in rivalries_at(of_group, known_at) if one.relation not in relations}
        for of_group in claims
    ]
    agreed = {
        name: rivalry
        for name, rivalry in (told[0] if told else {}).items()
        if rivalry is not Rivalry.NONE and all(other.get(name) is rivalry for other in told[1:])
    }
    if not agreed:
        return relations
    return {**relations, **{name: OpenRelation(name=name, rivalry=rivalry) for name, rivalry in agreed.items()}}
