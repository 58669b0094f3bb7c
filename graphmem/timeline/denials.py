"""Denials: what a NEVER removes (R19)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from graphmem.timeline.claims import Claim, Kind
from graphmem.timeline.granules import Granule

__all__ = ["undenied"]


def undenied(claims: Sequence[Claim]) -> list[Claim]:
    """The claims of one fact, NEVER apart, that no newer NEVER of the fact removes.

    Without a start granule a NEVER removes every older claim, with one only those that began inside it. It never reaches
    above its own rank: an inferred one removes inferred claims only (R33), an untrusted one untrusted claims only (R34).
    """
    said = [claim for claim in claims if claim.kind is not Kind.NEVER]
    if len(said) == len(claims):
        return said
    whole, occasions = _newest_nevers(claims)
    said = [claim for claim in said if not any(_outranks(never, claim) for never in whole)]
    denied = _on_denied_occasions(said, occasions)
    return [claim for claim in said if claim.claim_id not in denied]


def _newest_nevers(claims: Sequence[Claim]) -> tuple[list[Claim], list[tuple[Granule, Claim]]]:
    """The newest NEVER of each rank, and of each rank and granule: all that older ones remove, these remove too."""
    whole: dict[tuple[bool, bool], Claim] = {}
    occasions: dict[tuple[bool, bool, Granule], Claim] = {}
    for never in sorted((claim for claim in claims if claim.kind is Kind.NEVER), key=lambda claim: claim.order):
        if never.start is None:
            whole[never.inferred, never.trusted] = never
        else:
            occasions[never.inferred, never.trusted, never.start] = never
    return list(whole.values()), [(granule, never) for (_, _, granule), never in occasions.items()]


def _outranks(never: Claim, claim: Claim) -> bool:
    has_rank = (claim.inferred or not never.inferred) and (never.trusted or not claim.trusted)
    return has_rank and never.order > claim.order


def _on_denied_occasions(said: Sequence[Claim], occasions: Sequence[tuple[Granule, Claim]]) -> set[str]:
    dated = sorted((claim.start.lo, claim.claim_id, claim.start, claim) for claim in said if claim.start is not None)
    starts = [entry[0] for entry in dated]
    return {
        claim_id
        for granule, never in occasions
        for _, claim_id, start, claim in dated[bisect_left(starts, granule.lo) : bisect_right(starts, granule.hi)]
        if granule.contains(start) and _outranks(never, claim)
    }
