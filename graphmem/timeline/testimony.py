"""Testimony: claims made ready for the fold. What a kind or a granule means is settled here, once."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from graphmem.timeline.claims import Claim, Kind, Relation
from graphmem.timeline.cover import Stretch
from graphmem.timeline.granules import ALWAYS, Granule
from graphmem.timeline.instants import MAX, MIN, Instant
from graphmem.timeline.rivalry import Fact

__all__ = ["Order", "Testimony", "certain_from", "read_claim"]

Order: TypeAlias = tuple[Instant, int, str]
"""Testimony order (R9); its last part is the claim's id."""


class Testimony(NamedTuple):
    """One claim as the fold reads it: a HOLD (EVENT too), or a STOP (PAST too, and R14b)."""

    order: Order
    fact: Fact
    is_hold: bool
    is_range: bool
    """HOLD stated with both ends (R14a); an occasion is one (R15a)."""
    is_occasion: bool
    """An EVENT, or a HOLD whose end granule is its start granule."""
    is_undated_hold: bool
    """A STOP that was told as a HOLD with an end and no start (R14b)."""
    ref: Instant
    start: Stretch | None
    """Where it began; never empty, so that narrowing is plain intersection."""
    end: Stretch | None
    """Where it ended, (lo, hi]; never empty."""
    begins_at: Instant
    """Where its coverage begins: with its start, else with its ref."""
    over_at: Instant
    """By when it is over, if it says so: the end of its end granule; an undated STOP: its ref."""
    inferred: bool
    trusted: bool
    start_said: Granule | None
    """The granule that `start` stands for, if one said it just so."""
    end_said: Granule | None

    @property
    def claim_id(self) -> str:
        return self.order[2]


def certain_from(start: Stretch) -> Instant:
    """The canonical start of a granule: its first instant, of "by X" its last one (R3, R3a)."""
    lo, hi = start
    return hi if lo == MIN and hi > MIN + 1 else lo


def read_claim(claim: Claim, fact: Fact, relation: Relation) -> Testimony:
    """The claim, which is no NEVER, as the fold reads it.

    A HOLD whose end is not after its ref and that has no start is the undated STOP it amounts to (R14b). An end before the
    start of the same claim cannot be meant and bounds nothing.
    """
    is_hold = claim.kind in (Kind.HOLD, Kind.EVENT)
    start_said, end_said = _said_bounds(claim, timeless=is_hold and relation.timeless)
    is_occasion = start_said is not None and (claim.kind is Kind.EVENT or end_said == start_said)
    start = None if start_said is None else _start(start_said, claim.ref)
    end = None if end_said is None else _end(end_said)
    begins_at = claim.ref if start is None else certain_from(start)
    if start is not None and end_said == start_said:
        end = (begins_at, max(start[1], begins_at + 1))
        end_said = None if end_said is None or end != (end_said.lo, end_said.hi) else end_said
    if start is not None and end is not None and end[1] <= begins_at:
        end = end_said = None
    is_undated_hold = is_hold and start is None and end is not None and end[1] <= claim.ref
    return Testimony(
        order=claim.order,
        fact=fact,
        is_hold=is_hold and not is_undated_hold,
        is_range=is_hold and start is not None and end is not None,
        is_occasion=is_occasion,
        is_undated_hold=is_undated_hold,
        ref=claim.ref,
        start=start,
        end=end,
        begins_at=begins_at,
        over_at=claim.ref if end is None else end[1],
        inferred=claim.inferred,
        trusted=claim.trusted,
        start_said=None if start_said is None or start_said.hi >= MAX else start_said,
        end_said=end_said,
    )


def _said_bounds(claim: Claim, *, timeless: bool) -> tuple[Granule | None, Granule | None]:
    """The granules that bound the fact, as said; the end of an EVENT that states none is its start.

    The facts of a timeless relation have always been (R20a): the start a claim states dates the telling or an occasion, as
    the date of an EVENT does, and bounds nothing. The end of a HOLD counts.
    """
    start, end = _bounding(claim.start), _bounding(claim.end)
    if claim.kind is Kind.EVENT:
        start = start or Granule(lo=MIN, hi=claim.ref)
        end = end or start
    return (ALWAYS, None if end == start else end) if timeless else (start, end)


def _bounding(granule: Granule | None) -> Granule | None:
    """None also for a granule open on both sides, which bounds nothing."""
    return None if granule is None or (granule.lo <= MIN and granule.hi >= MAX) else granule


def _start(said: Granule, ref: Instant) -> Stretch:
    if said.hi >= MAX:  # "after X": it had begun when it was told
        return (said.lo, max(ref, said.lo + 1))
    return (said.lo, max(said.hi, said.lo + 1))


def _end(said: Granule) -> Stretch:
    return (min(said.lo, said.hi - 1), said.hi)
