"""An ontology of the user's own: types of things with their attributes, and relations with the pairs they may join.

Types are pydantic models; their docstrings are the guidance a model reads. What a thing is (IS_A) and its attributes are facts
like any other: dated, and kept with their sources.

    >>> class Person(EntityType):
    ...     '''A human being, by name.'''
    ...     kind = EntityKind.PERSON
    ...     role: str | None = None
    >>> class Company(EntityType):
    ...     '''A firm.'''
    >>> class Employs(RelationType):
    ...     '''The company pays the person for work.'''
    ...     pairs = ((Company, Person),)
    >>> ontology = Ontology(entities=[Person, Company], relations=[Employs])
    >>> sorted(ontology.relations)
    ['EMPLOYS', 'IS_A', 'ROLE']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import cleandoc
from typing import ClassVar, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from graphmem.errors import InvalidInput
from graphmem.model import DatedFact, EntityKind, Statement
from graphmem.relations import builtin_relations, known_name
from graphmem.timeline.claims import Relation, Rivalry

__all__ = ["IS_A", "EntityType", "Ontology", "RelationType"]

IS_A = "IS_A"
"""The relation that tells what a thing is: `Ruth IS_A Person`."""
_Model = TypeVar("_Model", bound=BaseModel)
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class EntityType(BaseModel):
    """A type of thing. Its fields are the attributes to fill; give each a default, for a text seldom tells all."""

    kind: ClassVar[EntityKind] = EntityKind.THING


class RelationType(BaseModel):
    """A relation; it is named like the class, in capitals: `WorksAt` is WORKS_AT."""

    pairs: ClassVar[tuple[tuple[type[EntityType], type[EntityType]], ...]] = ()
    """What it may join, subject first; empty: anything."""
    rivalry: ClassVar[Rivalry] = Rivalry.NONE
    symmetric: ClassVar[bool] = False
    event: ClassVar[bool] = False
    timeless: ClassVar[bool] = False
    phrase: ClassVar[str] = ""
    replaces: ClassVar[str] = ""
    """A built-in relation that is to be told as this one; with a leading "-" the other way round ("-WORKS_AT" for Employs)."""

    @classmethod
    def relation(cls) -> Relation:
        """The declaration that the timelines follow."""
        return Relation(
            name=_relation_name(cls.__name__),
            rivalry=cls.rivalry,
            symmetric=cls.symmetric,
            event=cls.event,
            timeless=cls.timeless,
            phrase=cls.phrase,
        )


class Ontology:
    """What may stand in the graph."""

    def __init__(
        self,
        *,
        entities: Sequence[type[EntityType]],
        relations: Sequence[type[RelationType]] = (),
        excluded: Sequence[type[EntityType]] = (),
        is_open: bool = True,
    ) -> None:
        """`excluded`: types that are recognised so that they can be left out, with every fact about them. `is_open`: whether
        relations that are not named here may be told too. Raises InvalidInput when two types have one name, and for a `replaces`
        that is not built in."""
        self._entities = _types_in("entities", entities, EntityType)
        self._relations = _types_in("relations", relations, RelationType)
        self._excluded = _types_in("excluded", excluded, EntityType)
        self._is_open = is_open
        names = [t.__name__.lower() for t in (*self._entities, *self._excluded)]
        if len(set(names)) != len(names):
            raise InvalidInput("two entity types of an ontology have the same name")
        for replaced in self._replaced:
            if replaced not in builtin_relations():
                raise InvalidInput(f"there is no built-in relation {replaced!a:.60} that could be replaced")

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """Every relation by name: the given ones, IS_A, those of the attributes, and where it is open the built-in ones."""
        own = {r.name: r for r in (given.relation() for given in self._relations)}
        attributes = {
            _relation_name(field): Relation(
                name=_relation_name(field),
                rivalry=Rivalry.NONE if _is_many(info.annotation) else Rivalry.SUBJ,
                phrase="{subject} has the " + field.replace("_", " ") + " {object}",
            )
            for entity in self._entities
            for field, info in entity.model_fields.items()
        }
        is_a = Relation(name=IS_A, rivalry=Rivalry.SUBJ, phrase="{subject} is a {object}")
        return {IS_A: is_a, **attributes, **own}

    @cached_property
    def type_names(self) -> tuple[str, ...]:
        """The types a model chooses from, those to be left out too."""
        return tuple(t.__name__ for t in (*self._entities, *self._excluded))

    @cached_property
    def _types(self) -> Mapping[str, type[EntityType]]:
        return {t.__name__.lower(): t for t in (*self._entities, *self._excluded)}

    @cached_property
    def _replaced(self) -> Mapping[str, tuple[str, bool]]:
        """By built-in relation: the one told in its place, and whether its ends change places."""
        return {
            known_name(given.replaces.removeprefix("-"), {}): (given.relation().name, given.replaces.startswith("-"))
            for given in self._relations
            if given.replaces
        }

    def as_text(self) -> str:
        """The guidance that a model reads."""
        lines = ["Types (field type of an entity):"]
        lines += [f"{t.__name__}: {_guidance(t)}{_attribute_words(t)}" for t in (*self._entities, *self._excluded)]
        lines.append("Relations:")
        for given in self._relations:
            ends = ", ".join(f"{a.__name__} to {b.__name__}" for a, b in given.pairs)
            lines.append(f"{given.relation().name}{f' ({ends})' if ends else ''}: {_guidance(given)}")
        if self._is_open:
            lines.append("Other relations: " + " ".join(n for n in builtin_relations() if n not in self._replaced))
        return "\n".join(lines)

    def type_of(self, name: str) -> type[EntityType] | None:
        """The type of this name, whatever its case; None for none of the ontology's."""
        return self._types.get(name.strip().lower())

    def filled(self, facts: Iterable[DatedFact]) -> EntityType | None:
        """A thing as an instance of its type, made of the facts about it; None where none says what it is.

        A value that does not fit stays out. Of a single attribute the last fact counts.
        """
        told: dict[str, list[str]] = {}
        for fact in facts:
            told.setdefault(fact.relation, []).append(fact.object.name)
        found = self.type_of(told[IS_A][-1]) if IS_A in told else None
        if found is None:
            return None
        values = {
            field: told[_relation_name(field)] if _is_many(info.annotation) else told[_relation_name(field)][-1]
            for field, info in found.model_fields.items()
            if _relation_name(field) in told
        }
        try:
            return found.model_validate(values)
        except ValidationError as error:
            wrong = {str(fault["loc"][0]) for fault in error.errors() if fault["loc"]}
            return found.model_validate({field: value for field, value in values.items() if field not in wrong})

    def governed(self, statements: Sequence[Statement]) -> tuple[tuple[Statement, ...], tuple[str, ...]]:
        """The statements that may stand, in its own relations, and a note for each that may not."""
        told = [self._renamed(s) for s in statements]
        types = {s.subject: self.type_of(s.object) for s in told if s.relation == IS_A}
        kept: list[Statement] = []
        notes: list[str] = []
        for position, statement in enumerate(told):
            fault = self._fault(statement, types)
            if fault:
                notes.append(f"statement {position} ({statement.relation}) was left out: {fault}")
            else:
                kept.append(statement)
        return tuple(kept), tuple(notes)

    def _renamed(self, statement: Statement) -> Statement:
        meant = known_name(statement.relation, self.relations)
        name, is_turned = self._replaced.get(meant, (meant, False))
        if not is_turned:
            return replace(statement, relation=name)
        return replace(
            statement,
            relation=name,
            subject=statement.object,
            object=statement.subject,
            subject_kind=statement.object_kind,
            object_kind=statement.subject_kind,
            subject_id=statement.object_id,
            object_id=statement.subject_id,
        )

    def _fault(self, statement: Statement, types: Mapping[str, type[EntityType] | None]) -> str:
        """Why a statement may not stand; empty when it may."""
        ends = ((statement.subject, statement.subject_kind), (statement.object, statement.object_kind))
        if any(types.get(name) in self._excluded for name, _ in ends):
            return "its type is excluded"
        if statement.relation not in self.relations and not self._is_open:
            return "the ontology has no such relation"
        pairs = next((g.pairs for g in self._relations if g.relation().name == statement.relation), ())
        if pairs and not any(
            all(map(_may_be, (types.get(n) for n, _ in ends), (k for _, k in ends), pair)) for pair in pairs
        ):
            return "it may not join these types"
        if statement.relation == IS_A and self.type_of(statement.object) is None:
            return "the ontology has no such type"
        return self._attribute_fault(statement, types.get(statement.subject))

    def _attribute_fault(self, statement: Statement, subject: type[EntityType] | None) -> str:
        """Why a value cannot be the attribute of its subject's type."""
        field = next(
            (f for f in (subject.model_fields if subject else ()) if _relation_name(f) == statement.relation), None
        )
        if subject is None or field is None:
            return ""
        value: object = [statement.object] if _is_many(subject.model_fields[field].annotation) else statement.object
        try:
            subject.__pydantic_validator__.validate_assignment(subject.model_construct(), field, value)
        except ValidationError as error:
            return f"no value for {field!r}: {error.errors(include_input=False, include_url=False)[0]['msg']}"
        return ""


def _types_in(what: str, given: Iterable[type[_Model]], kind: type[_Model]) -> tuple[type[_Model], ...]:
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in found:
        if not isinstance(one, type) or not issubclass(one, kind):
            raise InvalidInput(f"{what} of an ontology must be classes of {kind.__name__}, not {one!a:.60}")
    return found


def _may_be(told: type[EntityType] | None, kind: EntityKind, wanted: type[EntityType]) -> bool:
    """Whether a thing may be of a type: as it was told, else as its kind does not speak against it."""
    if told is not None:
        return issubclass(told, wanted)
    if EntityKind.PERSON in (kind, wanted.kind):
        return kind is wanted.kind or kind is EntityKind.THING
    return True


def _relation_name(name: str) -> str:
    return _CAPITAL.sub("_", name).upper()


def _guidance(described: type[BaseModel]) -> str:
    return " ".join(cleandoc(described.__doc__ or "").split())


def _attribute_words(entity: type[EntityType]) -> str:
    """The attributes, each with the relation that tells it."""
    told = [
        f"{_relation_name(field)}{f' ({info.description})' if info.description else ''}"
        for field, info in entity.model_fields.items()
    ]
    return f" Its values are told with the relations {', '.join(told)}." if told else ""


def _is_many(annotation: object) -> bool:
    """Whether a field takes several values: a list, a tuple or a set, also beside None."""
    return any(get_origin(part) in (list, tuple, set, frozenset) for part in (annotation, *get_args(annotation)))
