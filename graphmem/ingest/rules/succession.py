"""Who or what comes in the place of somebody or something known, whatever it was known for.

"Mads took over from Signe", "she handed it to Orla", "we swapped Slack for Teams", "Django → Rails", "back with Acme".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.nouns import is_person_end
from graphmem.ingest.rules.parts import Part
from graphmem.ingest.rules.plain import BREAK, MARKS
from graphmem.ingest.rules.slots import NAME, WORD
from graphmem.ingest.rules.unsaid import is_unsaid
from graphmem.ingest.rules.who import Discourse
from graphmem.ingest.rules.words import verb_forms
from graphmem.model import Statement
from graphmem.relations import builtin_relations, ends_of
from graphmem.timeline.claims import Kind, Relation, Rivalry
from graphmem.timeline.phrases import TimePhrase, TimeRole

__all__ = ["succeeded"]

_WHO = rf"(?:{BREAK}(?:I|[Hh]e|[Ss]he|me|him|her) |(?:(?:my|our|his|her|the) )?(?:[^\W\d_][\w.'-]* ){{1,4}})"
_TIMES = f"(?:(?:, )?[{MARKS}] )*"
_B = f"{BREAK}?"
_AUX = rf"(?:{_B}(?:is|are|was|has|have|had|now|will|temporarily) )*"
_THING = rf"(?:{WORD} ){{1,6}}?"
_ENDS = rf"(?=$|[{BREAK}{MARKS}])"
_AGAIN = frozenset("back again now also too instead".split())
"""Without one of these words nobody comes back to anything."""
_INSTEAD = frozenset("instead now these nowadays".split())
"""Without one of these words nothing comes instead."""


def _any_form(lemmas: str) -> str:
    return "|".join(dict.fromkeys(form for lemma in lemmas.split() for form in verb_forms(lemma)))


@cache
def _takes_over() -> re.Pattern[str]:
    takes = rf"{_B}(?:{_any_form('take')}) (?:{BREAK}it |things )?{BREAK}over"
    steps = rf"(?:{_any_form('step fill stand')}) {BREAK}in"
    steps_in = rf"(?:{takes}|{steps}|{_any_form('cover replace succeed relieve deputise')}) "
    old = rf"(?:{BREAK}(?:from|for) )?(?P<old>{_WHO})?"
    after = rf"(?:{BREAK}(?:at|on|in|for|with|while|until|till) .*)?"
    return re.compile(
        rf"^{_TIMES}(?P<new>{_WHO}){_TIMES}{_AUX}{steps_in}(?:{BREAK}as [^{BREAK}]+ )?{_TIMES}{old}{_TIMES}{after}$"
    )


@cache
def _it_is_now() -> re.Pattern[str]:
    return re.compile(
        rf"^{_TIMES}{BREAK}(?:[Ii]t|that) {BREAK}(?:is|has|was) (?:{BREAK}been )?(?P<new>{_WHO})(?P<old>(?!))?"
        rf"(?:[{MARKS}] (?:{_B}now )?|{BREAK}now )$"
    )


@cache
def _hands_over() -> re.Pattern[str]:
    hands = rf"(?:{_any_form('hand pass')}) "
    what = rf"(?:{_B}(?:it|things|everything|the|reins|baton|job|post|role|work|all|{_B}over|{_B}on) )*"
    return re.compile(rf"^{_TIMES}(?P<old>{_WHO}){_TIMES}{_AUX}{hands}{what}{_TIMES}{BREAK}to (?P<new>{_WHO}){_TIMES}$")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Swap:
    """A way of saying that one thing comes in the place of another, and the words of which it holds one."""

    words: frozenset[str]
    source: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


@cache
def _swaps() -> tuple[_Swap, ...]:
    swap = _any_form("swap trade exchange replace switch change upgrade downgrade ditch drop dump convert migrate move")
    replace_ = _any_form("replace succeed")
    replaces = rf"{_B}instead {_B}of|{BREAK}in place {_B}of|{replace_}"
    arrows = "→|->|-->|=>"
    head = r"(?:^|(?<= ))"
    return (
        _Swap(
            words=frozenset(swap.split("|")),
            source=rf"{head}(?i:{swap}) {_TIMES}(?:{BREAK}(?:over|out) )?(?:{BREAK}from )?(?P<old>{_THING}){_TIMES}"
            rf"{BREAK}(?:for|to|with|by|into) (?P<new>{_THING}){_ENDS}",
        ),
        _Swap(
            words=frozenset(("instead", "place", *replace_.split("|"))),
            source=rf"{head}(?P<new>{_THING}){_TIMES}{_AUX}(?:{replaces}) (?P<old>{_THING}){_ENDS}",
        ),
        _Swap(
            words=frozenset(arrows.split("|")), source=rf"{head}(?P<old>{_THING})(?:{arrows}) (?P<new>{_THING}){_ENDS}"
        ),
    )


@cache
def _comes_back() -> re.Pattern[str]:
    moves = rf"(?:{_B}(?:is|am|are|has|have|been|{_any_form('go move switch')}) )*(?:{_B}(?P<back>(?i:back|again|now|also)) )*"
    too = rf"(?:{_B}(?P<too>too|again|also|now|instead) )*"
    return re.compile(
        rf"^{_TIMES}(?:(?P<who>{_WHO}))?{_TIMES}{moves}{BREAK}(?:with|at|on|in|to|under) "
        rf"(?P<object>{NAME}|[Tt]he {WORD} ){_TIMES}{too}{_TIMES}$"
    )


@cache
def _comes_instead() -> re.Pattern[str]:
    takes = rf"{BREAK}(?:I|[Hh]e|[Ss]he) {_B}(?:is|am|has|have|{_any_form('take pick')}) (?:{BREAK}(?:up|on|doing) )*"
    return re.compile(
        rf"^{_TIMES}(?:{BREAK}(?:it|now) {BREAK}is |{takes}|{_B}took {BREAK}up )?"
        rf"(?P<new>(?:(?:the|a|an) )?(?:{WORD} ){{1,3}}?){_TIMES}(?:{_B}(?:instead|now|these days|nowadays) ){_TIMES}$"
    )


def succeeded(part: Part, who: Discourse, said_at: datetime) -> list[Statement]:
    """The statements of a part in which one takes the place of another; none where nothing known is replaced."""
    for found in (_posts(part, who), _swapped(part, who), _back(part, who), _after_the_end(part, who, said_at)):
        if statements := list(found):
            return statements
    return []


def _posts(part: Part, who: Discourse) -> Iterator[Statement]:
    match = next((m for p in (_takes_over(), _hands_over(), _it_is_now()) if (m := p.match(part.text))), None)
    if match is None or is_unsaid(part.clause, part.start + match.end("new")) is not None:
        return
    if match.re is _it_is_now() and not who.is_person(_person(match["new"], part, who) or ""):
        return
    new, old = _person(match["new"], part, who), _person(match["old"], part, who) if match["old"] else None
    if new is None or (match["old"] and old is None) or not who.may_be_person(new):
        return
    for told in who.facts.newest_first():
        fact = told.statement
        side = _post_side(fact.relation)
        if side is None or fact.kind not in (Kind.HOLD, Kind.STOP):
            continue
        holder = fact.object if side else fact.subject
        if holder == new or (old is not None and holder != old):
            continue
        taken = replace(fact, object=new) if side else replace(fact, subject=new)
        yield _told(taken, Kind.HOLD, part.times(), part)
        return


@cache
def _post_side(relation: str) -> int | None:
    """Where in a relation one person at a time stands for something: 1 the object, 0 the subject, None neither."""
    known = builtin_relations().get(relation, Relation(name=relation))
    ends = ends_of(relation)
    if known.rivalry is Rivalry.NONE or known.symmetric:
        return None
    if is_person_end(ends[1]):
        return 1
    return 0 if known.rivalry is Rivalry.BOTH and is_person_end(ends[0]) else None


def _person(words_: str, part: Part, who: Discourse) -> str | None:
    meant = who.settle(part.clause.spoken(words_), "person")
    return meant.names[0] if meant is not None and len(meant.names) == 1 else None


def _swapped(part: Part, who: Discourse) -> Iterator[Statement]:
    for swap in _swaps():
        if swap.words.isdisjoint(part.clause.words):
            continue
        for match in swap.pattern.finditer(part.text):
            if is_unsaid(part.clause, part.start + match.start("new")) is not None:
                continue
            old, new = (without_determiner(part.clause.spoken(match[side])) for side in ("old", "new"))
            found = list(_in_place_of(old, new, part, who)) or list(_of_the_same(old, new, part, who))
            if found:
                yield from found
                return


def _in_place_of(old: str, new: str, part: Part, who: Discourse) -> Iterator[Statement]:
    subject = _subject(part, who)
    for told in who.facts.newest_first():
        fact = told.statement
        if fact.kind is not Kind.HOLD or not _is_short_for(old, fact.object) or not _is_like(fact.object, new):
            continue
        if subject is not None and who.is_person(fact.subject) and subject != fact.subject:
            continue
        relation = builtin_relations().get(fact.relation)
        if relation is None or relation.rivalry is Rivalry.NONE:
            yield _told(fact, Kind.STOP, part.times(TimeRole.END), part)
        yield _told(replace(fact, object=new), Kind.HOLD, part.times(), part)
        return


def _of_the_same(subject: str, new: str, part: Part, who: Discourse) -> Iterator[Statement]:
    """ "We switched the van to Gora Mutual": the one thing told of it that has one object at a time."""
    relations = {t.statement.relation for t in who.facts.all}
    states = [
        told.statement
        for told in who.facts.states({r for r in relations if _has_one_object(r)})
        if _is_short_for(subject, told.statement.subject) and _shape(told.statement.object) == "name" == _shape(new)
    ]
    if len(states) == 1 and not who.is_person(states[0].subject):
        yield _told(replace(states[0], object=new), Kind.HOLD, part.times(), part)


def _has_one_object(relation: str) -> bool:
    known = builtin_relations().get(relation)
    return known is not None and known.rivalry is Rivalry.SUBJ and not is_person_end(ends_of(relation)[1])


def _subject(part: Part, who: Discourse) -> str | None:
    """The person a part begins with, if it begins with one."""
    match = re.match(rf"{_TIMES}(?:{BREAK}(?:I|[Hh]e|[Ss]he) |(?:[A-ZÀ-Þ][\w.'-]* )+)", part.text)
    return _person(match.group(), part, who) if match is not None else None


def _back(part: Part, who: Discourse) -> Iterator[Statement]:
    match = None if _AGAIN.isdisjoint(part.clause.words) else _comes_back().match(part.text)
    if match is None or not (match["back"] or match["too"]):
        return
    if is_unsaid(part.clause, part.start + match.start("object")) is not None:
        return
    spoken = without_determiner(part.clause.spoken(match["object"]))
    subject = _person(match["who"], part, who) if match["who"] else who.speaker
    for told in who.facts.newest_first():
        fact = told.statement
        if not _is_short_for(spoken, fact.object) or fact.kind in (Kind.NEVER, Kind.EVENT) or subject is None:
            continue
        if fact.subject == subject or who.facts.knows(subject, fact.relation):
            yield _told(replace(fact, subject=subject), Kind.HOLD, part.times(), part)
            return


def _after_the_end(part: Part, who: Discourse, said_at: datetime) -> Iterator[Statement]:
    """ "It's drums now", "candesartan instead": what came after that whose end was told right before."""
    match = None if _INSTEAD.isdisjoint(part.clause.words) else _comes_instead().match(part.text)
    ended = next(iter(who.facts.newest_first()), None)
    if match is None or ended is None or ended.statement.kind is not Kind.STOP or ended.said_at != said_at:
        return
    if is_unsaid(part.clause, part.start + match.start("new")) is not None:
        return
    fact, spoken = ended.statement, part.clause.spoken(match["new"])
    meant = who.settle(spoken, ends_of(fact.relation)[1], fact.relation)
    if (
        meant is not None
        and len(meant.names) == 1
        and meant.names[0] != fact.object
        and _is_like(fact.object, meant.names[0])
    ):
        yield _told(replace(fact, object=meant.names[0]), Kind.HOLD, part.times(), part)


def _told(fact: Statement, kind: Kind, times: tuple[TimePhrase, ...], part: Part) -> Statement:
    quote = (part.clause.raw.start, part.clause.raw.end)
    return replace(fact, kind=kind, times=times, start=None, end=None, quote=quote)


def _is_short_for(spoken: str, name: str) -> bool:
    return bool(spoken) and set(spoken.lower().split()) <= set(name.lower().split())


def _is_like(old: str, new: str) -> bool:
    """Whether a new object is written like the old one: with a number, as a name, or in small letters."""
    return bool(new) and (_shape(old) == _shape(new) or (_shape(new) == "name" and _shape(old) == "words"))


def _shape(text: str) -> str:
    if re.search(r"\d", text) and not re.search(r"[A-Z]", text):
        return "number"
    return "name" if text[:1].isupper() else "words"
