"""Relatives spoken of before they are named: "We have one daughter. Her name is Defne.", "my dad has a girlfriend. Lucille …"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.nouns import is_person_end
from graphmem.ingest.rules.parts import Part
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause
from graphmem.ingest.rules.slots import CAPITAL_FIRST, slot
from graphmem.ingest.rules.unsaid import is_unsaid
from graphmem.ingest.rules.who import Discourse
from graphmem.ingest.rules.words import words
from graphmem.model import EntityKind, Statement
from graphmem.relations import ends_of
from graphmem.timeline.claims import Kind

__all__ = ["Unnamed", "named_relative", "unnamed_relative"]

_NAMED = re.compile(
    rf"^(?:(?:[Hh]er|[Hh]is|[Tt]heir) name {BREAK}is |(?:{BREAK}(?:[Ss]he|[Hh]e) {BREAK}is )?{BREAK}?(?:called|named) )"
    rf"(?P<name>(?:{CAPITAL_FIRST} )+)"
)
_HAS = frozenset("has have had got".split())
_ONLY_A_NAME = re.compile(rf"^(?:{BREAK}(?:it {BREAK}is|this {BREAK}is) )?(?P<name>(?:{CAPITAL_FIRST} ){{1,2}})$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Unnamed:
    """Somebody's "daughter" who has no name yet."""

    owners: tuple[str, ...]
    word: str
    sentence: int


def unnamed_relative(clause: PlainClause, who: Discourse) -> Unnamed | None:
    """Whom a clause brings in without a name; None for nobody."""
    if _HAS.isdisjoint(clause.words) or words().kin_relations.keys().isdisjoint(clause.words):
        return None
    match = _has_relative().search(clause.text)
    if match is None or is_unsaid(clause, match.start("kin")) is not None:
        return None
    word = match["kin"].lower()
    relation = words().kin_relations.get(word)
    if relation is None or not is_person_end(ends_of(relation)[0]):
        return None
    spoken = clause.spoken(match["owner"])
    owners = who.settle(spoken, "parent" if spoken.lower() == "we" else "person")
    return Unnamed(owners=owners.names, word=word, sentence=clause.raw.sentence) if owners is not None else None


def named_relative(part: Part, unnamed: Unnamed, who: Discourse) -> list[Statement]:
    """The statements that name somebody brought in a moment ago; none when the part names nobody."""
    if part.clause.raw.sentence - unnamed.sentence > 1:
        return []
    match = _NAMED.match(part.text) or _ONLY_A_NAME.match(part.text)
    if match is None or is_unsaid(part.clause, part.start) is not None:
        return []
    name = without_determiner(part.clause.spoken(match["name"]))
    relation = words().kin_relations[unnamed.word]
    if not name or who.is_person(name):
        return []
    for owner in unnamed.owners:
        who.name_kin(owner, unnamed.word, name)
    return [
        Statement(
            kind=Kind.HOLD,
            subject=owner,
            relation=relation,
            object=name,
            subject_kind=EntityKind.PERSON,
            object_kind=EntityKind.PERSON,
            quote=(part.clause.raw.start, part.clause.raw.end),
        )
        for owner in unnamed.owners
    ]


@cache
def _has_relative() -> re.Pattern[str]:
    kin = "|".join(sorted(words().kin_relations, key=len, reverse=True))
    return re.compile(
        rf"(?:^|(?<= ))(?P<owner>{BREAK}(?:I|[Ww]e|[Hh]e|[Ss]he) |{slot('person')})"
        rf"{BREAK}(?:{'|'.join(sorted(_HAS))}) (?:{BREAK}?(?:got|now|also) )*(?:an?|one|another) (?:[a-z-]+ ){{0,2}}"
        rf"(?P<kin>(?i:{kin})) (?:{BREAK}?(?:now|too|here) )*(?=$|[,{BREAK}{MARKS}])"
    )
