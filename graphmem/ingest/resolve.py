"""Names → entities: exact key, then alias, then the one person a short name can mean, else a new entity.

Digits, versions, identifiers and mixed scripts are never matched by likeness. In doubt two things stay two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from graphmem.errors import NotFound
from graphmem.model import Entity, EntityKind, Name, Scope, Statement, StoredClaim
from graphmem.ports import Extraction, IdSource, NameMatch, SearchTarget, Store
from graphmem.terms import name_key, terms
from graphmem.timeline.instants import MAX, Instant

__all__ = ["ALSO_CALLED", "Resolver", "read_resolver", "spoken_of"]

ALSO_CALLED = "ALSO_CALLED"
"""The relation that keeps which other name was taken for a thing's: the log of merges, open to correction."""

_NAMELESS = "·"
_CANDIDATES = 50


def _kinds_of(statements: Iterable[Statement], aliases: Iterable[tuple[str, str]]) -> dict[str, EntityKind]:
    """Every spelling that has to be resolved, with what it names."""
    kinds = {name: EntityKind.THING for pair in aliases for name in pair}
    for s in statements:
        for name, kind in ((s.subject, s.subject_kind), (s.object, s.object_kind)):
            if kinds.get(name, EntityKind.THING) is EntityKind.THING:
                kinds[name] = kind
    return kinds


class Resolver:
    """The entities of one group that a batch may mean, with those it makes on the way."""

    def __init__(self, group_id: str, names: Sequence[Name], entities: Sequence[Entity], ids: IdSource) -> None:
        self._group_id = group_id
        self._ids = ids
        self._entities = {e.entity_id: e for e in entities}
        self._by_key: defaultdict[str, list[str]] = defaultdict(list)
        self._persons_by_word: defaultdict[str, set[str]] = defaultdict(set)
        for name in names:
            self._know(name.key, name.entity_id)
        self._new_entities: list[Entity] = []
        self._new_names: list[Name] = []
        self._settled: dict[str, NameMatch] = {}
        self._apart: dict[str, Entity] = {}

    def begin(self, matches: Sequence[NameMatch]) -> None:
        """Begin with an episode: these of its names were settled."""
        self._settled = {name_key(match.spelling): match for match in matches}
        self._apart = {}

    def entity(self, spelling: str, kind: EntityKind, tau: Instant, episode_id: str | None) -> Entity:
        """The entity this name means; made at `tau` when it means none yet."""
        key = name_key(spelling)
        found = self._as_settled(key, spelling, kind, tau, episode_id) or self._found(key, kind)
        if found is not None:
            return found
        person = self._person_called(key) if kind is EntityKind.PERSON else None
        if person is not None:
            self._name(person, key, spelling, episode_id)
            return person
        return self._make(key, spelling, kind, tau, episode_id)

    def name_of(self, thing: Entity, spelling: str, tau: Instant, episode_id: str | None) -> Entity:
        """The literal that a thing's own name is ("the project is called Tollgate"), which is not the thing."""
        key = name_key(spelling)
        found = self._found(key, EntityKind.VALUE)
        if found is not None and found.entity_id != thing.entity_id:
            return found
        return self._make(key, spelling, EntityKind.VALUE, tau, episode_id)

    def called(self, spelling: str) -> Entity | None:
        """The person or thing that has this name already, if there is one."""
        return self._found(name_key(spelling), EntityKind.PERSON)

    def node(self, entity_id: str, tau: Instant) -> Entity:
        """The entity that stands for a relation or a rivalry. Nobody calls it by a name: no search and no text finds it."""
        if entity_id not in self._entities:
            made = Entity(
                entity_id=entity_id, group_id=self._group_id, name=_NAMELESS, kind=EntityKind.VALUE, created_at=tau
            )
            self._entities[entity_id] = made
            self._new_entities.append(made)
        return self._entities[entity_id]

    def known(self, entity_id: str | None) -> Entity | None:
        """The entity of an id that a program gave. Raises NotFound if the group has none of that id."""
        if entity_id is None:
            return None
        if entity_id not in self._entities:
            raise NotFound(f"no entity {entity_id!r} in group {self._group_id!r}")
        return self._entities[entity_id]

    def alias(self, other: str, name: str, tau: Instant, episode_id: str | None) -> None:
        """Let `other` mean what `name` means, unless it means something else already."""
        key = name_key(other)
        if key not in self._by_key and name_key(name) in self._by_key:
            self._name(self.entity(name, EntityKind.THING, tau, episode_id), key, other, episode_id)

    def take_new(self) -> tuple[tuple[Entity, ...], tuple[Name, ...]]:
        """Entities and names made since the last call."""
        made = tuple(self._new_entities), tuple(self._new_names)
        self._new_entities, self._new_names = [], []
        return made

    def _as_settled(
        self, key: str, spelling: str, kind: EntityKind, tau: Instant, episode_id: str | None
    ) -> Entity | None:
        """What a settled name means; None for one that was not, or whose thing was erased meanwhile."""
        match = self._settled.get(key)
        if match is None or kind is EntityKind.VALUE:
            return None
        if not match.entity_id and not match.name:
            if key not in self._apart:
                self._apart[key] = self._make(key, spelling, kind, tau, episode_id)
            return self._apart[key]
        meant = self._entities.get(match.entity_id or "") or self._found(name_key(match.name), kind)
        if meant is not None and meant.entity_id not in self._by_key.get(key, ()):
            self._name(meant, key, spelling, episode_id)
        return meant

    def _found(self, key: str, kind: EntityKind) -> Entity | None:
        """The last entity of this name, a literal for a literal where there is one, else a thing for a thing."""
        found = [self._entities[i] for i in self._by_key.get(key, ())]
        alike = [e for e in found if (e.kind is EntityKind.VALUE) == (kind is EntityKind.VALUE)]
        best = alike or found
        return best[-1] if best else None

    def _make(self, key: str, spelling: str, kind: EntityKind, tau: Instant, episode_id: str | None) -> Entity:
        made = Entity(
            entity_id=self._ids.new_id("e"), group_id=self._group_id, name=spelling.strip(), kind=kind, created_at=tau
        )
        self._entities[made.entity_id] = made
        self._new_entities.append(made)
        self._name(made, key, spelling, episode_id)
        return made

    def _person_called(self, key: str) -> Entity | None:
        """The only person whose full name holds every word of a shorter one ("Mara" for Mara Lindqvist)."""
        words = key.split()
        if not words or any(not w.replace("-", "").replace("'", "").isalpha() for w in words):
            return None
        candidates = set.intersection(*(self._persons_by_word.get(w, set()) for w in words))
        return self._entities[candidates.pop()] if len(candidates) == 1 else None

    def _name(self, entity: Entity, key: str, spelling: str, episode_id: str | None) -> None:
        self._new_names.append(
            Name(
                group_id=self._group_id,
                key=key,
                entity_id=entity.entity_id,
                spelling=spelling.strip(),
                episode_id=episode_id,
            )
        )
        self._know(key, entity.entity_id)

    def _know(self, key: str, entity_id: str) -> None:
        entity = self._entities.get(entity_id)
        if entity is None or entity_id in self._by_key[key]:
            return
        self._by_key[key].append(entity_id)
        if entity.kind is EntityKind.PERSON:
            for word in key.split():
                self._persons_by_word[word].add(entity_id)


async def read_resolver(store: Store, group_id: str, read: Sequence[Extraction], ids: IdSource) -> Resolver:
    """A resolver for what was read: it knows what the store knows under its names and, for persons, under their words."""
    statements = [s for extraction in read for s in extraction.statements]
    matches = [match for extraction in read for match in extraction.matches]
    settled = [(match.spelling, match.name or match.spelling) for match in matches]
    kinds = _kinds_of(statements, [*(alias for extraction in read for alias in extraction.aliases), *settled])
    keys = {name_key(s): s for s in kinds}
    tellers = {name_key(s.told_by) for s in statements if s.told_by}
    names = list(await store.entities_named([group_id], sorted(keys.keys() | tellers)))
    known = {n.key for n in names}
    unknown_persons = [s for key, s in keys.items() if key not in known and kinds[s] is EntityKind.PERSON]
    names += await _names_like(store, group_id, unknown_persons)
    given = {i for s in statements for i in (s.subject_id, s.object_id) if i is not None}
    given.update(match.entity_id for match in matches if match.entity_id is not None)
    entities = await store.entities(group_id, sorted({n.entity_id for n in names} | given))
    silent = await _silent(store, group_id, names, entities)
    return Resolver(group_id, [n for n in names if n.entity_id not in silent], entities, ids)


async def _silent(store: Store, group_id: str, names: Sequence[Name], entities: Sequence[Entity]) -> frozenset[str]:
    """Those of several things of one name that no active claim speaks of any more, as after a merge."""
    literals = {e.entity_id for e in entities if e.kind is EntityKind.VALUE}
    by_name: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
    for name in names:
        by_name[name.key, name.entity_id in literals].add(name.entity_id)
    rivals = sorted({i for ids in by_name.values() if len(ids) > 1 for i in ids})
    if not rivals:
        return frozenset()
    claims = await store.claims(group_id, entity_ids=rivals)
    spoken = spoken_of(claims)
    return frozenset(i for ids in by_name.values() if ids & spoken for i in ids - spoken)


def spoken_of(claims: Iterable[StoredClaim]) -> set[str]:
    """The ends of active claims; that something is called so too does not make the name a thing of its own."""
    active = [c.claim for c in claims if c.retracted_at == MAX]
    return {c.subject for c in active} | {c.object for c in active if c.relation != ALSO_CALLED}


async def _names_like(store: Store, group_id: str, spellings: Sequence[str]) -> Sequence[Name]:
    scope = Scope(group_ids=(group_id,))
    found: set[str] = set()
    for spelling in spellings:
        hits = await store.search_text(SearchTarget.ENTITY, terms(spelling), scope, limit=_CANDIDATES)
        found.update(hit.item_id for hit in hits)
    return await store.names_of(group_id, sorted(found)) if found else ()
