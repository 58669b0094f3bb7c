"""The relations graphmem knows without being told, from relations.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from graphmem.resources import read
from graphmem.timeline.claims import OpenRelation, Relation, Rivalry, Sensitivity

__all__ = ["as_written", "builtin_relations", "ends_of", "fact_text", "known_name", "relation_of"]

_JOINTS = re.compile(r"[\s_-]+")


@cache
def builtin_relations() -> Mapping[str, Relation]:
    """Relation by name, in the order of the table."""
    return MappingProxyType({name: _relation(name, row) for name, row in _table().items()})


@cache
def _table() -> Mapping[str, Mapping[str, object]]:
    return tomllib.loads(read("relations.toml"))


def _relation(name: str, row: Mapping[str, object]) -> Relation:
    return Relation(
        name=name,
        rivalry=Rivalry(str(row.get("rivalry", "none"))),
        symmetric=bool(row.get("symmetric", False)),
        event=bool(row.get("event", False)),
        timeless=bool(row.get("timeless", False)),
        sensitivity=Sensitivity(str(row.get("sensitivity", "ordinary"))),
        phrase=str(row.get("phrase", "")),
    )


def relation_of(name: str, declared: Mapping[str, Relation]) -> Relation:
    """The relation of exactly this name as declared, else as built in, else an open one (R20)."""
    return declared.get(name) or builtin_relations().get(name) or OpenRelation(name=name)


def known_name(given: str, declared: Mapping[str, Relation]) -> str:
    """The name of the declared or built-in relation that somebody means, whatever its case and joints.

    Any other name is that of an open relation, as it was given but for blanks around it.

    >>> [known_name(given, {}) for given in ("works_at", "Works at", "worksAt", "brewed by")]
    ['WORKS_AT', 'WORKS_AT', 'WORKS_AT', 'brewed by']
    """
    name = given.strip()
    if name in declared or name in builtin_relations():
        return name
    spelled = _spelled(name)
    meant = (known for known in declared if _spelled(known) == spelled)
    return next(meant, None) or _builtin_by_spelling().get(spelled, name)


def as_written(name: str) -> str:
    """The name as the table writes names: in capitals, joined by `_`.

    >>> as_written("brewed by")
    'BREWED_BY'
    """
    return "_".join(name.split()).upper()


def _spelled(name: str) -> str:
    return _JOINTS.sub("", name).casefold()


@cache
def _builtin_by_spelling() -> Mapping[str, str]:
    return {_spelled(name): name for name in builtin_relations()}


def fact_text(relation: Relation, subject: str, obj: str) -> str:
    """The sentence of a fact: "Alice works at Acme"; without a phrase the relation's name is read as words."""
    phrase = relation.phrase or "{subject} " + relation.name.replace("_", " ").lower() + " {object}"
    return phrase.replace("{subject}", subject).replace("{object}", obj)


@cache
def ends_of(name: str) -> tuple[str, str]:
    """What stands at either end of a built-in relation ("person", "employer"); of any other, "thing" and "thing"."""
    ends = re.split(r"\s*-[->]\s*", str(_table().get(name, {}).get("reads", "")))
    return (ends[0], ends[1]) if len(ends) == 2 else ("thing", "thing")
