"""Reading dated facts: versions of a scope joined with their names, their last confirmation and their episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from graphmem.model import DatedFact, Entity, Fact, FactVersion, Scope
from graphmem.ports import Store, Telling, WholeVersion
from graphmem.side_by_side import side_by_side
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
    found = await store.whole_versions(
        scope,
        subjects=subjects,
        relations=relations,
        objects=objects,
        touching=touching,
        fact_ids=fact_ids,
        limit=limit,
    )
    return [_dated(whole, scope) for whole in found]


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
    support: defaultdict[str, list[Telling]] = defaultdict(list)
    for group_id, members in by_group.items():
        ends = _unique(end for v in members for end in (v.subject, v.object))
        async with side_by_side() as reads:
            of_facts = reads.create_task(store.facts(group_id, _unique(v.fact_id for v in members)))
            of_ends = reads.create_task(store.entities(group_id, ends))
            links = reads.create_task(store.support_of(group_id, [v.version_id for v in members], known_at))
        facts.update({fact.fact_id: fact for fact in of_facts.result()})
        entities.update({entity.entity_id: entity for entity in of_ends.result()})
        for version_id, claim in links.result():
            support[version_id].append(Telling(claim.claim.ref, claim.episode_id, claim.told_by))
    wholes = (
        WholeVersion(
            version=v,
            fact=facts[v.fact_id],
            subject=entities[v.subject],
            object=entities[v.object],
            support=support[v.version_id],
        )
        for v in versions
    )
    return [_dated(whole, scope) for whole in wholes]


def _dated(whole: WholeVersion, scope: Scope | None) -> DatedFact:
    newest = max((telling.ref for telling in whole.support), default=None)
    others = dict.fromkeys((t.episode_id, t.told_by) for t in whole.support if t.episode_id and t.told_by)
    return DatedFact(
        fact=whole.fact,
        version=whole.version,
        subject=whole.subject,
        object=whole.object,
        is_certain=scope is None or scope.window.meets(whole.version.valid_at, whole.version.invalid_at),
        last_confirmed_at=None if newest is None else to_datetime(newest),
        episode_ids=tuple(_unique(telling.episode_id for telling in whole.support if telling.episode_id)),
        told_by=tuple((episode_id, name) for episode_id, name in others if episode_id and name),
    )


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
