"""Where there is doubt: names that several known things have, or that only resemble what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphmem.ingest.likeness import are_alike
from graphmem.ingest.resolve import spoken_of
from graphmem.model import Entity, EntityKind, Episode, Name, Scope, Statement
from graphmem.ports import Extraction, SearchTarget, Store
from graphmem.terms import name_key, terms

__all__ = ["Doubt", "doubts_of"]

MAX_CANDIDATES = 5
MAX_NAMES = 20
_FOUND = 50


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """A name with what it may mean."""

    spelling: str
    candidates: tuple[Entity, ...] = ()
    new_names: tuple[str, ...] = ()
    """Names of the same batch, of things that are not in the store yet."""

    @property
    def choices(self) -> list[Entity | str]:
        choices: list[Entity | str] = [*self.candidates, *self.new_names]
        return choices[:MAX_CANDIDATES]


async def doubts_of(
    store: Store, episode: Episode, extraction: Extraction, before: Sequence[Extraction]
) -> Sequence[Doubt]:
    """The names that several known things have, or that only resemble what is known."""
    kinds = _kinds(extraction.statements)
    told = {name_key(other) for other, _ in extraction.aliases}
    by_key = {key: spelling for spelling in kinds if (key := name_key(spelling)) not in told}
    named: dict[str, list[str]] = {}
    for name in await store.entities_named([episode.group_id], sorted(by_key)):
        named.setdefault(name.key, []).append(name.entity_id)
    batch = list(dict.fromkeys(spelling for one in before for spelling in _kinds(one.statements)))
    doubts: list[Doubt] = []
    for key, spelling in by_key.items():
        exact = await _standing(store, episode.group_id, named.get(key, []))
        if len(exact) == 1 or (not exact and any(name_key(b) == key for b in batch)):
            continue
        doubt = await _doubt(store, episode.group_id, spelling, kinds[spelling], exact, batch)
        if doubt is not None:
            doubts.append(doubt)
    return doubts[:MAX_NAMES]


async def _doubt(
    store: Store, group_id: str, spelling: str, kind: EntityKind, exact: Sequence[Entity], batch: Sequence[str]
) -> Doubt | None:
    if exact:
        return Doubt(spelling=spelling, candidates=tuple(exact))
    key = name_key(spelling)
    alike = await _alike(store, group_id, key)
    new_names = tuple(b for b in batch if are_alike(key, name_key(b)))
    if not alike and not new_names:
        return None
    holders = [e for e in alike if set(key.split()) <= set(name_key(e.name).split())]
    if kind is EntityKind.PERSON and len(alike) == 1 and holders and not new_names:
        return None  # the only one whose full name holds the shorter one: no question (see `Resolver`)
    return Doubt(spelling=spelling, candidates=tuple(alike), new_names=new_names)


async def _alike(store: Store, group_id: str, key: str) -> Sequence[Entity]:
    hits = await store.search_text(SearchTarget.ENTITY, terms(key), Scope(group_ids=(group_id,)), limit=_FOUND)
    names: Sequence[Name] = await store.names_of(group_id, sorted({hit.item_id for hit in hits})) if hits else ()
    near = dict.fromkeys(name.entity_id for name in names if are_alike(key, name.key))
    return [e for e in await _standing(store, group_id, list(near)) if e.kind is not EntityKind.VALUE]


async def _standing(store: Store, group_id: str, entity_ids: Sequence[str]) -> Sequence[Entity]:
    """Those of these things that are no literals; where there are several, those that an active claim still speaks of."""
    found = [e for e in await store.entities(group_id, sorted(set(entity_ids))) if e.kind is not EntityKind.VALUE]
    if len(found) < 2:
        return found
    claims = await store.claims(group_id, entity_ids=[e.entity_id for e in found])
    spoken = spoken_of(claims)
    return [e for e in found if e.entity_id in spoken]


def _kinds(statements: Sequence[Statement]) -> Mapping[str, EntityKind]:
    """The names that have to be resolved; literals and what a program knows by id are not in doubt."""
    ends = [
        (name, kind)
        for s in statements
        for name, kind, known in (
            (s.subject, s.subject_kind, s.subject_id),
            (s.object, s.object_kind, s.object_id),
        )
        if known is None and kind is not EntityKind.VALUE
    ]
    kinds = dict(ends)
    kinds.update((name, kind) for name, kind in ends if kind is EntityKind.PERSON)
    return kinds
