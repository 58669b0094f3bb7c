"""Reading dated facts: versions of a scope joined with their names, their last confirmation and their episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from graphmem.model import DatedFact, Entity, Fact, FactVersion, Scope, StoredClaim
from graphmem.ports import Store
from graphmem.timeline.instants import Instant, to_datetime

__all__ = ["dated_facts", "read_facts"]


async def read_facts(
    store: Store,
    scope: Scope,
    *,
    subjects: Sequence[str] | None = None,
    relations: Sequence[str] | None = None,
    objects: Sequence[str] | None = None,
    touching: Sequence[str] | None = None,
    fact_ids: Sequence[str] | None = None,
    limit: int | None = None,
) -> list[DatedFact]:
    """The facts in the scope that match every selection given (ids; `touching`: as subject or object).

    Ordered by (valid_at, an undated past first; relation; subject; object). Empty when nothing matches.
    """
    versions = await store.versions_in_scope(
        scope,
        subjects=subjects,
        relations=relations,
        objects=objects,
        touching=touching,
        fact_ids=fact_ids,
        limit=limit,
    )
    return await dated_facts(store, versions, scope.known_at, scope)


async def dated_facts(
    store: Store, versions: Sequence[FactVersion], known_at: Instant, scope: Scope | None = None
) -> list[DatedFact]:
    """The given versions as facts with names, in the same order, with what supported them at `known_at`.

    With a scope a fact that lies in it by its possible bounds only is marked uncertain.
    """
    by_group: defaultdict[str, list[FactVersion]] = defaultdict(list)
    for version in versions:
        by_group[version.group_id].append(version)
    facts: dict[str, Fact] = {}
    entities: dict[str, Entity] = {}
    support: defaultdict[str, list[StoredClaim]] = defaultdict(list)
    for group_id, members in by_group.items():
        facts.update({f.fact_id: f for f in await store.facts(group_id, _unique(v.fact_id for v in members))})
        ends = _unique(end for v in members for end in (v.subject, v.object))
        entities.update({e.entity_id: e for e in await store.entities(group_id, ends)})
        for version_id, claim in await store.support_of(group_id, [v.version_id for v in members], known_at):
            support[version_id].append(claim)
    return [
        DatedFact(
            fact=facts[v.fact_id],
            version=v,
            subject=entities[v.subject],
            object=entities[v.object],
            is_certain=scope is None or _is_certain(v, scope),
            last_confirmed_at=_last_confirmed(support[v.version_id]),
            episode_ids=tuple(_unique(c.episode_id for c in support[v.version_id] if c.episode_id)),
        )
        for v in versions
    ]


def _is_certain(version: FactVersion, scope: Scope) -> bool:
    window = scope.window
    return version.valid_at is not None and version.valid_at < window.until and version.invalid_at > window.start


def _last_confirmed(claims: Iterable[StoredClaim]) -> datetime | None:
    newest = max((c.claim.ref for c in claims), default=None)
    return None if newest is None else to_datetime(newest)


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
