"""The statements told so far in a group, and what they say of who stands in which relation to whom."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

from graphmem.ingest.rules.words import words
from graphmem.model import Statement
from graphmem.relations import builtin_relations
from graphmem.timeline.claims import Kind

__all__ = ["Told", "ToldFacts"]

_EITHER_WAY = frozenset(
    "husband wife spouse partner boyfriend girlfriend fiancé fiancée brother sister sibling friend".split()
)
"""Words for persons who are the same to one another."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A statement with the moment it was told."""

    statement: Statement
    said_at: datetime


@dataclass(slots=True)
class ToldFacts:
    """Every statement so far, in the order they were told; whatever became of them."""

    all: list[Told] = field(default_factory=list)

    def learn(self, statement: Statement, said_at: datetime) -> None:
        """Keep a statement."""
        self.all.append(Told(statement=statement, said_at=said_at))

    def newest_first(self) -> Sequence[Told]:
        """The statements, the last one first."""
        return self.all[::-1]

    def states(self, relations: Container[str]) -> list[Told]:
        """What holds in these relations as it was told last, one a subject and relation, the newest first."""
        seen: set[tuple[str, str]] = set()
        found = []
        for told in reversed(self.all):
            fact = told.statement
            if fact.relation not in relations or fact.kind is Kind.NEVER or (fact.subject, fact.relation) in seen:
                continue
            seen.add((fact.subject, fact.relation))
            if fact.kind is Kind.HOLD:
                found.append(told)
        return found

    def knows(self, subject: str, relation: str, obj: str | None = None) -> bool:
        """Whether this was told before."""
        told = [o.lower() for o in self._objects(subject, relation)]
        return bool(told) if obj is None else obj.lower() in told

    def last_object(self, subject: str, relation: str) -> str | None:
        """What this was last told to stand in the relation to."""
        told = self._objects(subject, relation)
        return told[-1] if told else None

    def newest_relation(self, subject: str, relations: Container[str]) -> str | None:
        """The one of these relations in which something was told last of this subject as going on; None if in none."""
        for told in reversed(self.all):
            fact = told.statement
            if fact.relation in relations and fact.subject.lower() == subject.lower() and fact.kind is not Kind.NEVER:
                return fact.relation if fact.kind in (Kind.HOLD, Kind.PAST) else None
        return None

    def last(self, relation: str, side: int) -> str | None:
        """Whoever or whatever was last told of at this side of a relation: 0 the subject, 1 the object."""
        newest = self._newest(relation)
        return None if newest is None else newest.object if side else newest.subject

    def vacant(self, relation: str) -> str | None:
        """What was last left by its holder in this relation, and has no new one."""
        newest = self._newest(relation)
        return newest.subject if newest is not None and newest.kind is Kind.STOP else None

    def who_has(self, relation: str, obj: str) -> tuple[str, ...]:
        """Whoever was said to stand in this relation to it, each once."""
        facts = (t.statement for t in self.all if t.statement.relation == relation)
        return tuple(dict.fromkeys(f.subject for f in facts if f.object.lower() == obj.lower()))

    def kin(self, owner: str, word: str) -> str | None:
        """The last one told to be the owner's "boss": by the relation that the word names in words.toml."""
        relation = words().kin_relations.get(word)
        for told in reversed(self.all):
            fact = told.statement
            if fact.relation != relation or fact.kind not in (Kind.HOLD, Kind.EVENT):
                continue
            if fact.subject.lower() == owner.lower():
                return fact.object
            if word in _EITHER_WAY and fact.object.lower() == owner.lower():
                return fact.subject
        return None

    def _newest(self, relation: str) -> Statement | None:
        return next((t.statement for t in reversed(self.all) if t.statement.relation == relation), None)

    def _objects(self, subject: str, relation: str) -> list[str]:
        either_way = relation in _symmetric()
        told = []
        for fact in (t.statement for t in self.all if t.statement.relation == relation):
            if fact.subject.lower() == subject.lower():
                told.append(fact.object)
            elif either_way and fact.object.lower() == subject.lower():
                told.append(fact.subject)
        return told


@cache
def _symmetric() -> frozenset[str]:
    return frozenset(name for name, relation in builtin_relations().items() if relation.symmetric)
