"""Facts of open relations that may end one another: nobody declared whether both can hold, so the second call is asked (R22).

What it decides is one more claim, kept with its source and open to retraction: what the rivalry of the relation is (R20b), asked
once a relation; or, where its facts stand side by side in general, an inferred STOP of the older fact, which ends default
coverage only (R33). Nothing expires by a verdict alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphmem.ingest.fold_state import version_of
from graphmem.ingest.stated_rivalry import rivalry_stated, rivalry_statement
from graphmem.model import BEST_KNOWN, Entity, EntityKind, Episode, FactVersion, Scope, Statement, TimeRole, Window
from graphmem.open_relations import read_rivalry_claims, rivalries_at
from graphmem.ports import Extraction, Store
from graphmem.terms import name_key
from graphmem.timeline.claims import Kind, OpenRelation, Rivalry
from graphmem.timeline.fold import fold
from graphmem.timeline.instants import MAX

__all__ = ["Rival", "ended", "rivals_of", "ruled"]

MOST = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Rival:
    """A new statement beside the one other fact of its subject and relation that holds so far, or will."""

    statement: Statement
    version: FactVersion
    obj: Entity
    text: str
    is_beside: bool
    """Whether the other fact holds when the new one is told: the newer may end it."""
    is_unruled: bool
    """Whether nothing was said yet of the rivalry of the relation."""


async def rivals_of(
    store: Store,
    episode: Episode,
    statements: Sequence[Statement],
    before: Sequence[Extraction],
    is_open: Callable[[str], bool],
) -> Sequence[Rival]:
    """The pairs to ask about, at most ten. Where a subject has two objects already, both can hold: nothing is asked.

    Nor is it where the relation is known to let no two hold, or by the extractions `before`, of the same batch, will be.
    """
    told = [s for s in statements if s.kind is Kind.HOLD and is_open(s.relation)]
    if not told:
        return ()
    holding = await _Holding.read(store, episode)
    known = await _known_rivalries(store, episode, {s.relation for s in told}, before)
    found: list[Rival] = []
    for statement in told:
        rivalry = known.get(statement.relation)
        if rivalry in (None, Rivalry.NONE):
            rival = await _rival(holding, statement, is_unruled=rivalry is None)
            if rival is not None:
                found.append(rival)
    return found[:MOST]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Holding:
    """What holds beside what an episode says, also where it is read again: its own claims do not count."""

    store: Store
    episode: Episode
    is_read_again: bool

    @classmethod
    async def read(cls, store: Store, episode: Episode) -> _Holding:
        own = await store.claims(episode.group_id, episode_ids=[episode.episode_id])
        return cls(store=store, episode=episode, is_read_again=bool(own))

    async def of(self, subject: str, relation: str, window: Window) -> Sequence[FactVersion]:
        """Versions of the subject's facts of an open relation that may hold within the window; the first few."""
        group_id = self.episode.group_id
        if not self.is_read_again:
            scope = Scope(group_ids=(group_id,), window=window, possible=True)
            return await self.store.versions_in_scope(scope, subjects=[subject], relations=[relation], limit=3)
        read = await self.store.read_timelines(group_id, subjects=[(relation, subject)])
        others = [c for c in read.claims if c.retracted_at == MAX and c.episode_id != self.episode.episode_id]
        rows = fold((c.claim for c in others), OpenRelation(name=relation))
        return [
            version_of(row, group_id, read.tau)
            for row in rows
            if row.start.lo < window.until and row.end.hi > window.start
        ]


async def _known_rivalries(
    store: Store, episode: Episode, relations: set[str], before: Iterable[Extraction]
) -> Mapping[str, Rivalry]:
    """What is known of these relations, this very episode apart: it may be read again."""
    claims = await read_rivalry_claims(store, episode.group_id, sorted(relations))
    others = [claim for claim in claims if claim.episode_id != episode.episode_id]
    stated = [rivalry_stated(statement) for extraction in before for statement in extraction.statements]
    return {
        **dict(one for one in stated if one is not None),
        **{one.relation: one.rivalry for one in rivalries_at(others, BEST_KNOWN)},
    }


def ruled(rival: Rival, rivalry: Rivalry) -> Statement:
    """The claim that the relation of a pair has this rivalry."""
    told = rival.statement
    return rivalry_statement(told.relation, rivalry, quote=told.quote, inferred=True)


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


async def _rival(holding: _Holding, statement: Statement, *, is_unruled: bool) -> Rival | None:
    store, group_id, said_at = holding.store, holding.episode.group_id, holding.episode.said_at
    named = await store.entities_named([group_id], [name_key(statement.subject)])
    subjects = await store.entities(group_id, sorted({n.entity_id for n in named}))
    persons = [e for e in subjects if e.kind is not EntityKind.VALUE]
    if len(persons) != 1:
        return None
    subject = persons[0].entity_id
    versions = await holding.of(subject, statement.relation, Window.at(said_at))
    is_beside = bool(versions)
    if not versions and is_unruled:  # told late: what began since then may end it
        versions = await holding.of(subject, statement.relation, Window(start=said_at, until=MAX))
    if len({v.object for v in versions}) != 1:
        return None
    (obj,) = await store.entities(group_id, [versions[0].object])
    names = await store.names_of(group_id, [obj.entity_id])
    if name_key(statement.object) in {n.key for n in names}:
        return None
    (fact,) = await store.facts(group_id, [versions[0].fact_id])
    return Rival(
        statement=statement,
        version=versions[-1],
        obj=obj,
        text=fact.text,
        is_beside=is_beside,
        is_unruled=is_unruled,
    )
