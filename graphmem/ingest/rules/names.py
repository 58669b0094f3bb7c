"""The names in a clause, as they are spoken there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.rules.nouns import without_kind_of_code
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause, is_participle
from graphmem.ingest.rules.slots import NAME
from graphmem.ingest.rules.words import words

__all__ = ["HeardClause", "heard", "without_determiner"]

_DETERMINER = re.compile(
    r"^(?:the|a|an|new|my|our|his|her|its|their|your|this|these|those|some|another|any|no|both|all|each|every|own|of)\s+",
    re.IGNORECASE,
)
_NAMES = re.compile(rf"(?:^|(?<= )){NAME}")
_SPEAKING = frozenset(
    (
        "says said thinks thought wants wanted told tells asked asks knows knew hopes wishes let lets gave gives lent helped"
        " helps invited promised swears swore laughed laughs cried cries snores loves hates likes reckons believes insists"
        " refuses refused agreed wrote writes called rang texted phoned"
    ).split()
)
_SPEAKS = re.compile(rf"(?:^|(?<= ))(?P<name>{NAME}){BREAK}?(?:{'|'.join(sorted(_SPEAKING))}) ")
_ADDRESSED = re.compile(
    rf", (?!(?:my|our|his|her|their|the|an?) |{BREAK}(?:who|which|and|or|is|has|was) |[A-ZÀ-Þ]|[{MARKS}])"
)
"""What follows the name of somebody who is spoken to: "Gergő, funny thing"."""
_PLACED = re.compile(rf"{BREAK}(?:in|near|into|inside) $")
_OWNED = frozenset("mine yours hers ours theirs".split())


_THINGS = re.compile(
    rf"(?:^|(?<= ))(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur|[Tt]his) (?:[a-z][^\s,{BREAK}]* ){{1,3}}(?=$|[,{MARKS}]|{BREAK}(?!of ))"
)
_BARE_THING = re.compile(rf"^(?P<thing>[a-z][a-z-]+ ){BREAK}(?:is|has|was|keeps|went|got) ")


_ALSO = re.compile(
    rf"(?:^|(?<= ))(?:{BREAK}?[Cc]alls? (?P<me>{BREAK}me) |(?P<subject>{NAME}|{BREAK}(?:[Ii]|[Hh]e|[Ss]he) )"
    rf"(?:goes {BREAK}by |go {BREAK}by |{BREAK}is known {BREAK}as |, known {BREAK}as |, aka ))(?P<other>{NAME})"
)
_MEN = frozenset("man boy guy lad bloke gentleman chap fellow".split())
_CALLED = frozenset(("called", "named"))
_GENDERED = re.compile(
    rf"(?P<who>man|boy|guy|lad|bloke|gentleman|chap|fellow|woman|girl|lady|lass) (?:called|named) (?P<name>{NAME})"
)
_CALLING = frozenset("call calls go goes known aka".split())
"""Without one of these words nobody is given another name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeardClause:
    """The names of a clause."""

    names: tuple[tuple[str, int, bool], ...] = ()
    """Each name with its place in the plain form, and whether it is the subject of a verb."""
    kin: tuple[tuple[str, str, str], ...] = ()
    """(owner, word, name) of "my sister Leila" and "Leila is my sister"."""
    also: tuple[tuple[str, str], ...] = ()
    """(other name, name) of "call me Bob", "Robert goes by Bob"."""
    things: tuple[str, ...] = ()
    """Common noun phrases with an article or an owner, for what "it" may mean."""
    placed: tuple[str, ...] = ()
    """Names behind "in" or "near"."""
    gendered: tuple[tuple[str, str], ...] = ()
    """(name, "m" or "f") of "a boy called Kwame"."""
    speaking: tuple[str, ...] = ()
    """Those who say, think or want something: persons."""


def heard(clause: PlainClause) -> HeardClause:
    """The names of a clause in its order."""
    found = list(_capitalised(clause))
    return HeardClause(
        names=tuple((name.removesuffix("'s"), place, leads) for name, place, leads in found if _is_name(name)),
        kin=tuple(_kin_in(clause)),
        also=tuple(
            (without_determiner(clause.spoken(m["other"])), clause.spoken(m["me"] or m["subject"]))
            for m in _where(clause, _CALLING, _ALSO)
        ),
        things=tuple(without_determiner(clause.spoken(phrase)) for phrase in _things(clause.text)),
        placed=tuple(name for name, place, _leads in found if _PLACED.search(clause.text, 0, place)),
        gendered=tuple(
            (m["name"].strip(), "m" if m["who"].lower() in _MEN else "f") for m in _where(clause, _CALLED, _GENDERED)
        ),
        speaking=tuple(name for name in _speaking_in(clause) if name),
    )


def _capitalised(clause: PlainClause) -> Iterator[tuple[str, int, bool]]:
    """What is written like a name, with its place and whether it is the subject of a verb."""
    for m in _NAMES.finditer(clause.text):
        if m.start() or not _is_no_name(m.group(), clause.text, m.end()):
            leads = _is_subject(clause.text, m)
            for part in clause.spoken(m.group()).split(" of "):
                yield without_kind_of_code(without_determiner(part)), m.start(), leads


def _is_name(name: str) -> bool:
    if not any(c.isalpha() for c in name):
        return False
    lower = name.lower()
    return lower not in words().determiners and lower not in _OWNED and name.split()[-1] not in ("Day", "Eve")


def _kin_in(clause: PlainClause) -> Iterator[tuple[str, str, str]]:
    for pattern in _kin_patterns() if not words().kin.isdisjoint(clause.words) else ():
        for m in pattern.finditer(clause.text):
            yield m["owner"], m["kin"].lower(), without_determiner(clause.spoken(m["name"]))


def _speaking_in(clause: PlainClause) -> Iterator[str]:
    for m in _where(clause, _SPEAKING, _SPEAKS):
        yield without_determiner(clause.spoken(m["name"]))


def _where(clause: PlainClause, cues: frozenset[str], pattern: re.Pattern[str]) -> Iterable[re.Match[str]]:
    """The matches in a clause, looked for only where it has one of the words that the pattern needs."""
    return () if cues.isdisjoint(clause.words) else pattern.finditer(clause.text)


def _things(text: str) -> list[str]:
    """Common noun phrases with an article or an owner, and a bare one at the head ("kiln's finally mine")."""
    bare = _BARE_THING.match(text)
    return ([bare["thing"]] if bare is not None else []) + [m.group() for m in _THINGS.finditer(text)]


def _is_subject(text: str, name: re.Match[str]) -> bool:
    before = text[: name.start()]
    begins = not before or before.endswith(
        (", ", *(f"{BREAK}{word} " for word in ("and", "but", "so", "because", "that")))
    )
    return not before or (begins and _verb_next().match(text, name.end()) is not None)


@cache
def _verb_next() -> re.Pattern[str]:
    past = {form for forms in words().irregular.values() for form in forms[:1]}
    verbs = "|".join(sorted(past | set("is are was were has have had will does did".split()), key=len, reverse=True))
    return re.compile(rf"{BREAK}?(?:{verbs}|[a-z]+(?:s|ed))\b|,|$|[{MARKS}]")


def _is_no_name(leading: str, text: str, end: int) -> bool:
    """Whether what looks like a name at the head of a clause is none of somebody spoken of: "Done.", "Marek, good evening"."""
    is_done = len(leading.split()) == 1 and is_participle(leading.strip().lower())
    return is_done or _is_plain_word(leading, text[end:]) or _ADDRESSED.match(text, end) is not None


def _is_plain_word(leading: str, rest: str) -> bool:
    """Whether the first word of a clause is more likely no name: one word, and no verb after it ("Remember when …")."""
    return len(leading.split()) == 1 and not any(c.isdigit() for c in leading) and not _verb_next().match(rest)


@cache
def _kin_patterns() -> tuple[re.Pattern[str], ...]:
    kin = "|".join(sorted(words().kin, key=len, reverse=True))
    owner = r"(?P<owner>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[^\s,]+'s)"
    named = rf"{owner} (?:[a-z-]+ ){{0,2}}?(?P<kin>(?i:{kin})) (?:, )?(?P<name>{NAME})"
    apposed = rf"(?P<name>{NAME}), {owner} (?:[a-z-]+ ){{0,2}}?(?P<kin>(?i:{kin})) (?:,|$)"
    introduced = (
        rf"{owner} (?:[a-z-]+ ){{0,2}}?(?P<kin>(?i:{kin})) {BREAK}is (?:{BREAK}?(?:called|named) )?(?P<name>{NAME})"
    )
    told = rf"(?P<name>{NAME}){BREAK}(?:is|was) {owner} (?:[a-z-]+ ){{0,2}}?(?P<kin>(?i:{kin})) (?:,|$|{BREAK})"
    return tuple(re.compile(rf"(?:^|(?<= )){p}") for p in (named, apposed, introduced, told))


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
