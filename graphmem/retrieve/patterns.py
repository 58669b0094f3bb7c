"""Reads the facts of one pattern (subject, relation, object, any of them free) and says which end is the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphmem.model import DatedFact, Entity, Scope, Window
from graphmem.relations import relation_of
from graphmem.retrieve.query import FactReader
from graphmem.timeline.claims import Relation, Rivalry
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MAX, MIN, Instant

__all__ = ["Knowledge", "Pattern", "Row", "unique"]

ALL_TIME = Window()


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """Which facts are meant; an empty selection is free, several relations are candidates, best first.

    With subjects alone: every fact that touches them, from either end.
    """

    subjects: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One fact as read for a pattern, with the entity at the end that the pattern leaves open."""

    fact: DatedFact
    answer: Entity

    @property
    def valid_at(self) -> Instant | None:
        return self.fact.version.valid_at

    @property
    def invalid_at(self) -> Instant:
        return self.fact.version.invalid_at

    def overlaps(self, window: Window) -> bool:
        """Whether its certain time meets the window; an undated past never does."""
        return window.meets(self.valid_at, self.invalid_at)


def unique(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Without repeats, in the order of first mention."""
    return tuple({entity.entity_id: entity for entity in entities}.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Knowledge:
    """What the memory knew at one moment, read through one reader."""

    reader: FactReader
    declared: Mapping[str, Relation]
    group_ids: tuple[str, ...]
    known_at: Instant

    def relation(self, name: str) -> Relation:
        return relation_of(name, self.declared)

    async def settle(self, pattern: Pattern) -> Pattern:
        """The pattern with one relation: the first candidate of which any fact of this shape is known, else the first."""
        if len(pattern.relations) < 2:
            return pattern
        candidates = [replace(pattern, relations=(name,)) for name in pattern.relations]
        for candidate in candidates:
            if await self.rows(candidate, possible=True):
                return candidate
        return candidates[0]

    async def rows(self, pattern: Pattern, window: Window = ALL_TIME, *, possible: bool = False) -> list[Row]:
        """Facts of the pattern in the window, by valid_at (an undated past first), then by the name of the answer."""
        scope = Scope(group_ids=self.group_ids, window=window, known_at=self.known_at, possible=possible)
        name = pattern.relations[0] if pattern.relations else None
        if name is not None and self.relation(name).symmetric:
            rows = await self._symmetric_rows(pattern, scope)
        else:
            rows = await self._directed_rows(pattern, scope)
        return sorted(rows, key=_order)

    async def all_rows(self, pattern: Pattern) -> list[Row]:
        """Facts of the pattern at any time, an undated past too."""
        return await self.rows(pattern, possible=True)

    async def _directed_rows(self, pattern: Pattern, scope: Scope) -> list[Row]:
        if pattern.subjects and not (pattern.relations or pattern.objects):
            facts = await self.reader(scope, touching=pattern.subjects)
            return [
                Row(fact=fact, answer=fact.object if fact.subject.entity_id in pattern.subjects else fact.subject)
                for fact in facts
            ]
        facts = await self.reader(
            scope,
            subjects=pattern.subjects or None,
            relations=pattern.relations or None,
            objects=pattern.objects or None,
        )
        return [Row(fact=fact, answer=fact.object if pattern.subjects else fact.subject) for fact in facts]

    async def _symmetric_rows(self, pattern: Pattern, scope: Scope) -> list[Row]:
        """Read from either end: the answer is the end that was not given."""
        given = pattern.subjects or pattern.objects
        facts = await self.reader(scope, relations=pattern.relations, touching=given or None)
        if pattern.subjects and pattern.objects:
            facts = [fact for fact in facts if _joins(fact, pattern.subjects, pattern.objects)]
        return [
            Row(fact=fact, answer=fact.object if fact.subject.entity_id in given else fact.subject) for fact in facts
        ]

    async def rivals(self, row: Row) -> list[Row]:
        """The other facts of the row's relation that it excludes, or that exclude it, at any time."""
        version = row.fact.version
        relation = self.relation(version.relation)
        if relation.rivalry is Rivalry.NONE:
            return []
        ends = (version.subject, version.object)
        patterns = [Pattern(subjects=(version.subject,), relations=(version.relation,))]
        if relation.symmetric:
            patterns = [Pattern(subjects=(end,), relations=(version.relation,)) for end in ends]
        elif relation.rivalry is Rivalry.BOTH:
            patterns.append(Pattern(objects=(version.object,), relations=(version.relation,)))
        found = [other for pattern in patterns for other in await self.rows(pattern, possible=True)]
        return [other for other in found if other.fact.version.fact_id != version.fact_id]

    async def end_of(self, row: Row) -> Granule | None:
        """When it ended; None if it has not. A fact cut by a rival ends where that one was said to begin (R5a)."""
        version = row.fact.version
        if version.invalid_at >= MAX:
            return None
        if version.end_stated:
            return version.end
        for rival in await self.rivals(row):
            if rival.valid_at == version.invalid_at and rival.fact.version.start_stated:
                return rival.fact.version.start
        return Granule(lo=version.invalid_at, hi=version.invalid_at, unit=Unit.INSTANT)


def _order(row: Row) -> tuple[Instant, str]:
    return (MIN - 1 if row.valid_at is None else row.valid_at, row.answer.name)


def _joins(fact: DatedFact, subjects: Sequence[str], objects: Sequence[str]) -> bool:
    one, other = fact.subject.entity_id, fact.object.entity_id
    return (one in subjects and other in objects) or (one in objects and other in subjects)
