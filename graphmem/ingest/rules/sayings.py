"""The ways of saying things, from the tables of sayings/: what is looked for, the claims it gives, and examples that are run."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cache

from graphmem.errors import ConfigError
from graphmem.ingest.rules.needed import Candidates
from graphmem.ingest.rules.patterns import Pattern, pattern_of, pieces_of
from graphmem.resources import listed, read

__all__ = ["Example", "Gift", "Saying", "Verb", "all_sayings", "examples", "sayings_among"]


class Verb:
    """What a saying claims: HOLD, BEGIN (a HOLD whose time words are its start), EVENT, STOP, PAST or NEVER."""

    HOLD = "HOLD"
    BEGIN = "BEGIN"
    EVENT = "EVENT"
    STOP = "STOP"
    PAST = "PAST"
    NEVER = "NEVER"
    ALL = (HOLD, BEGIN, EVENT, STOP, PAST, NEVER)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gift:
    """One claim that a saying gives."""

    verb: str
    subject: str
    relation: str
    object: str
    """A slot, a literal in quotes, or "last", "vacant", "group" or "other" for what is known already."""
    if_known: bool = False
    """Only when the fact was told before (or is told as a start earlier in the same text)."""
    if_old: bool = False
    """Only when the same was told before of the slot `old`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Saying:
    """One row: one pattern and what it gives. Earlier rows win over later ones at the same verb."""

    order: int
    say: str
    gives: tuple[Gift, ...]
    dated: bool = False
    """Only with time words: said of too many things otherwise."""
    whole: bool = False
    """Only where nothing else is in the clause."""
    still: bool = False
    """Only with "still"."""
    until: bool = False
    """Only with time words that set an end."""
    lasting: bool = False
    """Not with a mere day, which would make it an appointment ("I am running the marathon on Sunday")."""
    wary: bool = False
    """Only of a pronoun, an owner's, a name heard before or one that a verb in the singular follows ("Tim likes …"): the first
    word of a clause may be no name at all."""
    heard: bool = False
    """Only of a pronoun, an owner's or a name heard before."""
    bound: bool = False
    """Only with time words that say since when or until when."""
    ahead: bool = False
    """Only of what is or will be, not of what was."""
    carries: bool = False
    """Without time words of its own it takes those of the sentence before."""
    when: tuple[str, str] | None = None
    """(slot, relation): only where the one in this slot is known in this relation ("moved to search": by team or by home).

    Or (slot, "newest:A,B"): only where what was told last of it, of these relations, was told of the first. Or (slot,
    "object:A"): only where somebody is known to stand in the relation to it."""

    @property
    def pattern(self) -> Pattern:
        return pattern_of(self.say)


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """A text of one speaker, Ann, and the claims it must give, all of them and no other."""

    text: str
    claims: tuple[str, ...]
    """"HOLD Ann WORKS_AT Acme"."""


_GIFT = re.compile(r"(\w+) (\"[^\"]+\"|\w+) ([A-Z_]+) (\"[^\"]+\"|\w+)( if known| if old)?")


@cache
def all_sayings() -> tuple[Saying, ...]:
    """Every way of saying, in the order of the table."""
    rows = _table()
    return tuple(
        Saying(order=order, say=say, gives=_gifts(row), when=_when(row), **_flags(row))
        for order, (row, say) in enumerate((row, say) for row in rows for say in _texts(row, "say"))
    )


@cache
def examples() -> tuple[Example, ...]:
    """Every example of the table."""
    texts = [text for row in _table() for text in _texts(row, "example")]
    return tuple(_example(text) for text in texts)


@cache
def _candidates() -> Candidates:
    return Candidates(pieces_of(saying.say) for saying in all_sayings())


def sayings_among(words: Set[str], *, is_bare: bool) -> list[Saying]:
    """The sayings that a clause with these words may match, in their order. `is_bare`: "be" may be left out."""
    everything = all_sayings()
    return [everything[place] for place in _candidates().among(words, is_bare=is_bare)]


@cache
def _table() -> tuple[Mapping[str, object], ...]:
    files = listed("ingest/rules/sayings", ".toml")
    return tuple(row for file in files for row in tomllib.loads(read(file))["saying"])


def _texts(row: Mapping[str, object], key: str) -> list[str]:
    value = row.get(key, [])
    return [value] if isinstance(value, str) else [str(v) for v in value] if isinstance(value, list) else []


_FLAGS = ("dated", "whole", "still", "until", "lasting", "wary", "heard", "bound", "ahead", "carries")


def _flags(row: Mapping[str, object]) -> dict[str, bool]:
    return {flag: True for flag in _FLAGS if row.get(flag)}


def _gifts(row: Mapping[str, object]) -> tuple[Gift, ...]:
    return tuple(_gift(text) for text in _texts(row, "gives"))


def _gift(text: str) -> Gift:
    match = _GIFT.fullmatch(text)
    if match is None or match.group(1) not in Verb.ALL:
        raise ConfigError(f"sayings: {text!r} is no claim; write for example 'HOLD s WORKS_AT o'")
    verb, subject, relation, obj, when = match.groups()
    return Gift(
        verb=verb,
        subject=subject,
        relation=relation,
        object=obj,
        if_known=when == " if known",
        if_old=when == " if old",
    )


def _when(row: Mapping[str, object]) -> tuple[str, str] | None:
    value = row.get("when")
    if value is None:
        return None
    slot, relation = str(value).split()
    return slot, relation


def _example(text: str) -> Example:
    said, _, claims = text.partition(" => ")
    return Example(text=said, claims=tuple(c.strip() for c in claims.split("; ") if c.strip()))
