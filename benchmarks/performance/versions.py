"""What reading one moment costs in a store of very many versions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.performance.timing import Stopwatch
from graphmem import Entity, EntityKind, Granule, Memory, Unit
from graphmem.model import Changes, Fact, FactVersion, Name
from graphmem.ports import Store
from graphmem.stores import open_store
from graphmem.timeline.instants import MAX, MIN, to_instant

__all__ = ["build_versions", "measure_point_reads"]

_GROUP = "versions"
_RELATION = "WORKS_AT"
_VERSIONS_A_PERSON = 100
_EMPLOYERS = 5
_BATCH_PEOPLE = 250
_FIRST = datetime(1990, 1, 1, tzinfo=UTC)
_SPELL = timedelta(days=120)


async def build_versions(path: Path, versions: int, progress: Callable[[str], None]) -> int:
    """A store of about so many versions, written in big batches; how many people they are about."""
    people = max(1, versions // _VERSIONS_A_PERSON)
    store = open_store(str(path))
    await store.ensure_schema()
    try:
        tau = await _write_employers(store)
        for first in range(0, people, _BATCH_PEOPLE):
            batch = range(first, min(first + _BATCH_PEOPLE, people))
            await store.commit([_changes(batch, based_on=tau, tau=tau + 1)])
            tau += 1
            progress(f"versions {batch.stop * _VERSIONS_A_PERSON}/{people * _VERSIONS_A_PERSON}")
    finally:
        await store.close()
    return people


async def measure_point_reads(path: Path, people: int, reads: int, seed: int) -> Stopwatch:
    """Where one person worked at a moment, through the public read, names looked up and all."""
    draw = random.Random(seed)
    watch = Stopwatch()
    async with await Memory.open(path) as memory:
        for _ in range(reads):
            who = f"Person {draw.randrange(people)}"
            at = _FIRST + draw.random() * _SPELL * (_VERSIONS_A_PERSON // 2)
            with watch.lap():
                found = await memory.facts(group_ids=_GROUP, subject=who, relation=_RELATION, at=at)
            if len(found) != 1:
                raise RuntimeError(f"{who} had {len(found)} employers on {at}: the store is not as it was built")
    return watch


async def _write_employers(store: Store) -> int:
    tau = to_instant(_FIRST)
    employers = [_entity(f"Employer {n}", EntityKind.THING, tau) for n in range(_EMPLOYERS)]
    await store.commit(
        [
            Changes(
                group_id=_GROUP,
                based_on=MIN,
                tau=tau,
                kind="upkeep",
                entities=tuple(employers),
                names=tuple(_name(entity) for entity in employers),
            )
        ]
    )
    return tau


def _changes(people: range, *, based_on: int, tau: int) -> Changes:
    entities = [_entity(f"Person {n}", EntityKind.PERSON, tau) for n in people]
    facts = [_fact(entity, employer) for entity in entities for employer in range(_EMPLOYERS)]
    return Changes(
        group_id=_GROUP,
        based_on=based_on,
        tau=tau,
        kind="upkeep",
        entities=tuple(entities),
        names=tuple(_name(entity) for entity in entities),
        facts=tuple(facts),
        versions=tuple(v for entity in entities for v in _timeline(entity, tau)),
    )


def _timeline(entity: Entity, tau: int) -> Iterator[FactVersion]:
    """Fifty spells one after another, each once as it is believed and once as it was believed before."""
    for number in range(_VERSIONS_A_PERSON):
        spell, is_old = divmod(number, 2)
        begins = to_instant(_FIRST + spell * _SPELL)
        ends = to_instant(_FIRST + (spell + 1) * _SPELL)
        fact = _fact(entity, spell % _EMPLOYERS)
        yield FactVersion(
            version_id=f"{entity.entity_id}-{number}",
            fact_id=fact.fact_id,
            group_id=_GROUP,
            subject=fact.subject,
            relation=_RELATION,
            object=fact.object,
            valid_at=begins,
            invalid_at=ends,
            start=Granule(lo=begins, hi=begins + 86_400_000_000, unit=Unit.DAY),
            end=Granule(lo=ends, hi=ends, unit=Unit.INSTANT),
            start_stated=True,
            end_stated=False,
            trusted=True,
            created_at=tau - 1 if is_old else tau,
            expired_at=tau if is_old else MAX,
        )


def _entity(name: str, kind: EntityKind, tau: int) -> Entity:
    return Entity(entity_id=name.replace(" ", "-"), group_id=_GROUP, name=name, kind=kind, created_at=tau)


def _name(entity: Entity) -> Name:
    return Name(group_id=_GROUP, key=entity.name.casefold(), entity_id=entity.entity_id, spelling=entity.name)


def _fact(entity: Entity, employer: int) -> Fact:
    return Fact(
        fact_id=f"{entity.entity_id}-{employer}",
        group_id=_GROUP,
        subject=entity.entity_id,
        relation=_RELATION,
        object=f"Employer-{employer}",
        text=f"{entity.name} works at Employer {employer}",
    )
