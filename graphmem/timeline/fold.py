"""The fold: claims to rows, a pure function of the set of claims. Nothing here depends on the order of arrival.

Read from here: the claims of each fact lose what a NEVER removes (`denials`), are read as testimony (`testimony`), become
spells with settled bounds (`spells`), the spells take their seats in time (`sweep`), and what each fact holds becomes its rows
(`runs`, `rows`): once for the trusted claims, then for the untrusted ones in the time that these leave (`layers`). The rule
numbers are those of the temporal contract.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graphmem.timeline.claims import Claim, Relation
from graphmem.timeline.denials import undenied
from graphmem.timeline.layers import layered_rows
from graphmem.timeline.rivalry import Fact, fact_of
from graphmem.timeline.rows import Row, in_row_order
from graphmem.timeline.testimony import read_claim

__all__ = ["fold"]


def fold(claims: Iterable[Claim], relation: Relation) -> tuple[Row, ...]:
    """The rows of one relation's claims, ordered by valid_at (undated past first), subject and object.

    `claims` are whole timelines of that relation, any number of them in any order; a claim given twice counts once (R8).
    Retracted and erased claims must not be among them. O(n log n) where each fact has one seat (rivalry "none" and "subj").
    """
    by_fact: defaultdict[Fact, list[Claim]] = defaultdict(list)
    for claim in {claim.claim_id: claim for claim in claims}.values():
        by_fact[fact_of(claim, relation)].append(claim)
    testimony = [read_claim(claim, fact, relation) for fact, said in by_fact.items() for claim in undenied(said)]
    return tuple(in_row_order(layered_rows(testimony, relation)))
