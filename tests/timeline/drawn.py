"""Claims drawn at random: few facts, all kinds, granules of several sizes, conclusions and untrusted channels among them."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from functools import cache

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from graphmem.timeline import Claim, Granule, Instant, Kind, Relation, Rivalry, to_instant
from tests.timeline.stories import granule

RELATIONS = {
    relation.name: relation
    for relation in (
        Relation(name="WORKS_AT", rivalry=Rivalry.SUBJ),
        Relation(name="CEO_OF", rivalry=Rivalry.BOTH),
        Relation(name="MARRIED", rivalry=Rivalry.BOTH, symmetric=True),
        Relation(name="TWINNED", rivalry=Rivalry.SUBJ, symmetric=True),
        Relation(name="SKILL"),
        Relation(name="FRIEND", symmetric=True),
    )
}
OPEN_RELATIONS = RELATIONS | {"BIRTHPLACE": Relation(name="BIRTHPLACE", rivalry=Rivalry.SUBJ, timeless=True)}
"""With a timeless relation, whose rows know nothing of most rules."""

_DAY = 86_400_000_000
_NOON_2024 = to_instant(datetime(2024, 1, 1, 12, tzinfo=UTC))
_UNITS = ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M")


def examples(count: int) -> settings:
    """How many examples a property is tried on; GRAPHMEM_HYPOTHESIS_EXAMPLES says otherwise."""
    wanted = int(os.environ.get("GRAPHMEM_HYPOTHESIS_EXAMPLES", count))
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=wanted, deadline=None, suppress_health_check=slow)


def instants(days: int = 900) -> st.SearchStrategy[Instant]:
    return st.integers(0, days).map(lambda day: _NOON_2024 + day * _DAY)


def granules(days: int) -> st.SearchStrategy[Granule]:
    return st.sampled_from(_granules(days))


@cache
def _granules(days: int) -> list[Granule]:
    noons = [datetime(2024, 1, 1, 12, tzinfo=UTC) + timedelta(days=day) for day in range(days + 1)]
    return [granule(noon.strftime(unit)) for noon in noons for unit in _UNITS]


@st.composite
def claims(
    draw: st.DrawFn,
    *,
    relations: dict[str, Relation] = RELATIONS,
    least: int = 1,
    most: int = 8,
    undated_ends: bool = True,
    dense: bool | None = None,
) -> list[Claim]:
    """Claims of several relations; half the time (or as `dense` says) of few facts close together, so that they meet.

    Without `undated_ends` no HOLD is drawn that R14b makes a STOP.
    """
    dense = draw(st.booleans()) if dense is None else dense
    days = draw(st.sampled_from([12, 90])) if dense else 900
    names = [draw(st.sampled_from(sorted(relations)))] if dense else sorted(relations)
    kinds = [Kind.HOLD] * (3 if dense else 6) + [Kind.EVENT, Kind.STOP, Kind.PAST, Kind.NEVER]
    out: list[Claim] = []
    for i in range(draw(st.integers(least, most))):
        relation = relations[draw(st.sampled_from(names))]
        ends = "abcd" if relation.symmetric else "xyz"
        claim = _claim(
            draw, f"c{i}", relation.name, draw(st.sampled_from("ab")), ends[: 3 if dense else 4], kinds, days
        )
        is_undated_end = claim.kind is Kind.HOLD and claim.start is None and claim.end and claim.end.hi <= claim.ref
        if claim.subject != claim.object and (undated_ends or not is_undated_end):
            out.append(claim)
    return out


def _claim(
    draw: st.DrawFn, claim_id: str, relation: str, subject: str, objects: str, kinds: list[Kind], days: int
) -> Claim:
    kind = draw(st.sampled_from(kinds))
    start = end = None
    if kind is Kind.EVENT:
        start = draw(granules(days))
    elif kind in (Kind.HOLD, Kind.NEVER):
        start = draw(st.none() | granules(days))
    if kind in (Kind.HOLD, Kind.STOP):
        end = draw(st.none() | granules(days))
    if start and end and end.hi <= start.lo:
        end = None
    return Claim(
        claim_id=claim_id,
        kind=kind,
        subject=subject,
        relation=relation,
        object=draw(st.sampled_from(objects)),
        ref=draw(instants(days)),
        seq=draw(st.integers(0, 1)),
        start=start,
        end=end,
        inferred=draw(st.sampled_from([False, False, False, True])),
        trusted=draw(st.sampled_from([True, True, True, False])),
    )
