"""The names in a clause, as they are spoken there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause
from graphmem.ingest.rules.slots import NAME
from graphmem.ingest.rules.words import words

__all__ = ["HeardClause", "heard", "without_determiner"]

_DETERMINER = re.compile(
    r"^(?:the|a|an|new|my|our|his|her|its|their|your|this|these|those|some|another|any|no|both|all|each|every|own|of)\s+",
    re.IGNORECASE,
)
_NAMES = re.compile(rf"(?:^|(?<= )){NAME}")
_SPEAKS = re.compile(
    rf"(?:^|(?<= ))(?P<name>{NAME}){BREAK}(?:says|said|thinks|thought|wants|wanted|told|asked|knows|knew|hopes|wishes) "
)


_THINGS = re.compile(
    rf"(?:^|(?<= ))(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur|[Tt]his) (?:[a-z][^\s,{BREAK}]* ){{1,3}}(?=$|[,{BREAK}{MARKS}])"
)


_ALSO = re.compile(
    rf"(?:^|(?<= ))(?:{BREAK}?[Cc]alls? (?P<me>{BREAK}me) |(?P<subject>{NAME}|{BREAK}(?:[Ii]|[Hh]e|[Ss]he) )"
    rf"(?:goes {BREAK}by |go {BREAK}by |{BREAK}is known {BREAK}as |, known {BREAK}as |, aka ))(?P<other>{NAME})"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class HeardClause:
    """The names of a clause."""

    names: tuple[tuple[str, int], ...] = ()
    """Each name with its place in the plain form."""
    kin: tuple[tuple[str, str, str], ...] = ()
    """(owner, word, name) of "my sister Leila" and "Leila is my sister"."""
    also: tuple[tuple[str, str], ...] = ()
    """(other name, name) of "call me Bob", "Robert goes by Bob"."""
    things: tuple[str, ...] = ()
    """Common noun phrases with an article or an owner, for what "it" may mean."""
    speaking: tuple[str, ...] = ()
    """Those who say, think or want something: persons."""


def heard(clause: PlainClause) -> HeardClause:
    """The names of a clause in its order."""
    found = [
        (without_determiner(name), m.start())
        for m in _NAMES.finditer(clause.text)
        if m.start() or not _is_plain_word(m.group(), clause.text[m.end() :])
        for name in clause.spoken(m.group()).split(" of ")
    ]
    kin = [
        (m.group("owner"), m.group("kin").lower(), without_determiner(clause.spoken(m.group("name"))))
        for pattern in _kin_patterns()
        for m in pattern.finditer(clause.text)
    ]
    speaking = [without_determiner(clause.spoken(m.group("name"))) for m in _SPEAKS.finditer(clause.text)]
    return HeardClause(
        names=tuple(
            (name.removesuffix("'s"), place)
            for name, place in found
            if any(c.isalpha() for c in name) and name.lower() not in words().determiners
        ),
        kin=tuple(kin),
        also=tuple(
            (without_determiner(clause.spoken(m["other"])), clause.spoken(m["me"] or m["subject"]))
            for m in _ALSO.finditer(clause.text)
        ),
        things=tuple(without_determiner(clause.spoken(m.group())) for m in _THINGS.finditer(clause.text)),
        speaking=tuple(name for name in speaking if name),
    )


@cache
def _verb_next() -> re.Pattern[str]:
    past = {form for forms in words().irregular.values() for form in forms[:1]}
    verbs = "|".join(sorted(past | set("is are was were has have had will does did".split()), key=len, reverse=True))
    return re.compile(rf"{BREAK}?(?:{verbs}|[a-z]+(?:s|ed))\b|,|$|[{MARKS}]")


def _is_plain_word(leading: str, rest: str) -> bool:
    """Whether the first word of a clause is more likely no name: one word, and no verb after it ("Remember when …")."""
    return len(leading.split()) == 1 and not any(c.isdigit() for c in leading) and not _verb_next().match(rest)


@cache
def _kin_patterns() -> tuple[re.Pattern[str], ...]:
    kin = "|".join(sorted(words().kin, key=len, reverse=True))
    owner = r"(?P<owner>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[^\s,]+'s)"
    named = rf"{owner} (?:[a-z-]+ ){{0,2}}?(?P<kin>(?i:{kin})) (?:, )?(?P<name>{NAME})"
    apposed = rf"(?P<name>{NAME}), {owner} (?:[a-z-]+ ){{0,2}}?(?P<kin>(?i:{kin})) (?:,|$)"
    told = rf"(?P<name>{NAME}){BREAK}(?:is|was) {owner} (?:[a-z-]+ ){{0,2}}?(?P<kin>(?i:{kin})) (?:,|$|{BREAK})"
    return tuple(re.compile(rf"(?:^|(?<= )){p}") for p in (named, apposed, told))


def without_determiner(phrase: str) -> str:
    """A noun phrase without its articles and owners' pronouns.

    >>> without_determiner("my own green sofa")
    'green sofa'
    """
    phrase = phrase.strip(" ,")
    while True:
        shorter = phrase if phrase.startswith("New ") else _DETERMINER.sub("", phrase)
        if shorter == phrase:
            return phrase
        phrase = shorter
