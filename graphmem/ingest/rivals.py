"""Facts of open relations that may end one another: nobody declared whether both can hold, so the second call is asked (R22).

What it decides is one more claim: an inferred STOP of the older fact, which ends default coverage only (R33), is kept with its
source, and can be retracted. Nothing expires by a verdict alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from graphmem.model import Entity, EntityKind, FactVersion, Scope, Statement, TimeRole, Window
from graphmem.ports import Store
from graphmem.terms import name_key
from graphmem.timeline.claims import Kind
from graphmem.timeline.instants import Instant

__all__ = ["Rival", "ended", "rivals_of"]

MOST = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Rival:
    """A new statement beside the one fact of its subject and relation that holds so far."""

    position: int
    """Of the statement in its extraction."""
    statement: Statement
    version: FactVersion
    obj: Entity
    text: str


async def rivals_of(
    store: Store,
    group_id: str,
    said_at: Instant,
    statements: Sequence[Statement],
    is_open: Callable[[str], bool],
) -> Sequence[Rival]:
    """The pairs to ask about, at most ten. Where a subject has two objects already, both can hold: nothing is asked."""
    found: list[Rival] = []
    for position, statement in enumerate(statements):
        if statement.kind is Kind.HOLD and is_open(statement.relation):
            rival = await _rival(store, group_id, said_at, position, statement)
            if rival is not None:
                found.append(rival)
    return found[:MOST]


def ended(rival: Rival) -> Statement:
    """The claim that the older fact ended where the new one begins."""
    told = rival.statement
    times = tuple(replace(time, role=TimeRole.END) for time in told.times if time.role is not TimeRole.END)
    return Statement(
        kind=Kind.STOP,
        subject=told.subject,
        relation=told.relation,
        object=rival.obj.name,
        subject_kind=told.subject_kind,
        object_kind=rival.obj.kind,
        subject_id=told.subject_id,
        object_id=rival.obj.entity_id,
        times=times,
        end=told.start,
        quote=told.quote,
        inferred=True,
    )


async def _rival(store: Store, group_id: str, said_at: Instant, position: int, statement: Statement) -> Rival | None:
    named = await store.entities_named([group_id], [name_key(statement.subject)])
    subjects = await store.entities(group_id, sorted({n.entity_id for n in named}))
    persons = [e for e in subjects if e.kind is not EntityKind.VALUE]
    if len(persons) != 1:
        return None
    scope = Scope(group_ids=(group_id,), window=Window.at(said_at), possible=True)
    versions = await store.versions_in_scope(
        scope, subjects=[persons[0].entity_id], relations=[statement.relation], limit=3
    )
    if len({v.object for v in versions}) != 1:
        return None
    (obj,) = await store.entities(group_id, [versions[0].object])
    names = await store.names_of(group_id, [obj.entity_id])
    if name_key(statement.object) in {n.key for n in names}:
        return None
    (fact,) = await store.facts(group_id, [versions[0].fact_id])
    return Rival(position=position, statement=statement, version=versions[-1], obj=obj, text=fact.text)
