"""What claims say of a relation itself: whether its facts exclude one another (R20b). Pure.

The rivalry of a relation that nobody declared is a claim like any other, of the node that stands for the relation and the node
that stands for a rivalry. It is weighed as the claims of any fact are. It gives no versions of its own, for it is true of no time
in the world: it rules how the facts of the relation are folded, from the transaction that tells it until another tells otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphmem.timeline.claims import Claim, Relation, Rivalry
from graphmem.timeline.fold import fold
from graphmem.timeline.instants import MAX

__all__ = [
    "HAS_RIVALRY",
    "RIVALRY_NODES",
    "ToldRivalry",
    "relation_node",
    "relation_told_of",
    "rivalry_node",
    "told_rivalry",
]

HAS_RIVALRY = "HAS_RIVALRY"
"""The relation of these claims."""

_RELATION, _RIVALRY = "relation:", "rivalry:"
_WEIGHED_AS = Relation(name=HAS_RIVALRY, rivalry=Rivalry.SUBJ, timeless=True)
"""Timeless, so that the newest testimony counts whenever it is of; and what a model concludes never outweighs what was stated."""


class ToldRivalry(NamedTuple):
    """What the claims about one relation come to."""

    rivalry: Rivalry
    claim_id: str
    """The newest of the claims that say so."""


def relation_node(name: str) -> str:
    """The id of the entity that stands for a relation.

    >>> relation_node("DRIVES")
    'relation:DRIVES'
    """
    return _RELATION + name


def rivalry_node(rivalry: Rivalry) -> str:
    """The id of the entity that stands for a rivalry."""
    return _RIVALRY + rivalry.value


RIVALRY_NODES = {rivalry_node(rivalry): rivalry for rivalry in Rivalry}
"""Rivalries by the ids of their entities."""


def relation_told_of(claim: Claim) -> str | None:
    """The name of the relation whose rivalry the claim is about; None for a claim about anything else."""
    is_told = claim.relation == HAS_RIVALRY and claim.subject.startswith(_RELATION) and claim.object in RIVALRY_NODES
    return claim.subject.removeprefix(_RELATION) if is_told else None


def told_rivalry(claims: Iterable[Claim]) -> ToldRivalry | None:
    """What active claims about one relation come to; None where they say nothing.

    Untrusted claims do not count: what they say of a relation would bear on trusted facts (R34).
    """
    counted = {claim.claim_id: claim for claim in claims if claim.trusted}
    standing = [row for row in fold(counted.values(), _WEIGHED_AS) if row.invalid_at == MAX]
    if not standing:
        return None
    newest = max((counted[claim_id] for claim_id in standing[-1].support), key=lambda claim: claim.order)
    return ToldRivalry(RIVALRY_NODES[standing[-1].object], newest.claim_id)
