"""Walking through an entity that very many facts are about."""

from __future__ import annotations

from benchmarks.performance.timing import Stopwatch, spread_ms
from graphmem import Entity, EntityKind, Granule, Unit
from graphmem.model import Changes, Fact, FactVersion, Scope
from graphmem.ports import Store
from graphmem.retrieve.neighbourhood import Node, walked
from graphmem.timeline.instants import MAX, MIN, Instant

__all__ = ["measure_hub"]

_HUB = "hub"
_BATCH = 1_000
_AGE = 1_000_000
"""Facts began so many microseconds one after another."""


async def measure_hub(store: Store, group_id: str, degree: int, repeats: int) -> dict[str, float]:
    """Two hops from one of the hub's neighbours: to the hub, and to all that is around it."""
    tau = MIN
    for first in range(0, degree, _BATCH):
        rows = range(first, min(first + _BATCH, degree))
        based_on, tau = tau, max(0, tau) + 1
        await store.commit([_changes(group_id, rows, based_on, tau)])
    watch = Stopwatch()
    for number in range(repeats):
        seeds = {Node(group_id, f"member {number * 37 % degree}"): 1.0}
        with watch.lap():
            around = await walked(store, Scope(group_ids=(group_id,)), seeds)
        if len(around.edges) < 1:
            raise RuntimeError(f"the walk from {next(iter(seeds))} met no fact: the store is not as it was filled")
    return spread_ms(watch.seconds)


def _changes(group_id: str, rows: range, based_on: Instant, tau: Instant) -> Changes:
    facts = [
        Fact(
            fact_id=f"member-{number}",
            group_id=group_id,
            subject=f"member {number}",
            relation="MEMBER_OF",
            object=_HUB,
            text=f"member {number} is in the hub",
        )
        for number in rows
    ]
    return Changes(
        group_id=group_id,
        based_on=based_on,
        tau=tau,
        kind="upkeep",
        entities=tuple(
            Entity(entity_id=name, group_id=group_id, name=name, kind=EntityKind.THING, created_at=tau)
            for name in (_HUB, *(fact.subject for fact in facts))
        ),
        facts=tuple(facts),
        versions=tuple(_version(fact, number, tau) for number, fact in zip(rows, facts, strict=True)),
    )


def _version(fact: Fact, number: int, tau: Instant) -> FactVersion:
    begins = number * _AGE
    return FactVersion(
        version_id=fact.fact_id,
        fact_id=fact.fact_id,
        group_id=fact.group_id,
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        valid_at=begins,
        invalid_at=MAX,
        start=Granule(lo=begins, hi=begins + _AGE, unit=Unit.INSTANT),
        end=Granule(lo=MAX, hi=MAX, unit=Unit.INSTANT),
        start_stated=True,
        end_stated=False,
        trusted=True,
        created_at=tau,
        expired_at=MAX,
    )
