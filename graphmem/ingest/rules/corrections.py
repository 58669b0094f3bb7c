"""Corrections: "18 May, not 15 May", "not Acme, Globex", "the 44 was a typo, it is 31", "it was the 25th"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.plain import BREAK, MARKS, DateWords, PlainClause
from graphmem.ingest.rules.slots import WORD
from graphmem.ingest.rules.values import iso_day
from graphmem.ingest.rules.who import Discourse
from graphmem.model import Statement
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.claims import Kind
from graphmem.timeline.granules import Granule
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole

__all__ = ["corrections_in"]

_END = rf"(?=$|, |{BREAK}(?:and|but|as|because|so|that) )"
_NEW, _OLD = (
    rf"(?:^|(?<= ))(?:{BREAK}(?:on|in|at|by|with|to|from|for|of) )?(?P<{name}>[{MARKS}] |(?:{WORD} ){{1,5}})"
    for name in ("new", "old")
)
_NOT_OLD = re.compile(rf"{_NEW}(?:, )?(?:{BREAK}and )?{BREAK}(?:not|never) {_OLD}{_END}")
_OLD_BUT = re.compile(rf"{BREAK}not {_OLD}(?:, )?(?:{BREAK}but )?(?:{BREAK}it {BREAK}(?:is|was) )?{_NEW}{_END}")
_WRONG = re.compile(
    rf"{_OLD}{BREAK}(?:is|was) (?:(?:a|an) )?(?:typo|mistake|wrong|error|rubbish|nonsense|slip|misprint) "
    rf"(?:.*?{BREAK}it {BREAK}(?:is|was|has|should)(?: {BREAK}(?:been|be|have))* {_NEW}{_END})?"
)
_EXACT = re.compile(rf"{BREAK}(?:it|that) {BREAK}(?:is|was) (?:{BREAK}on )?(?P<new>[{MARKS}]) ")
_NAMED_DAY = re.compile(
    rf"(?:^|, |{BREAK}(?:and|but) )(?P<what>(?:{WORD} ){{1,4}}){BREAK}was (?:{BREAK}on )?(?P<new>[{MARKS}]) "
)


def corrections_in(clause: PlainClause, who: Discourse, said_at: datetime) -> list[Statement]:
    """What a clause takes back of what was told before, and what it puts in its place; empty when it corrects nothing known."""
    for pattern in (_NOT_OLD, _OLD_BUT, _WRONG):
        for match in pattern.finditer(clause.text):
            found = list(_replaced(match["old"], match["new"], clause, who, said_at))
            if found:
                return found
    return list(_dated_again(clause, who, said_at))


def _replaced(old: str, new: str | None, clause: PlainClause, who: Discourse, said_at: datetime) -> Iterator[Statement]:
    old_day, new_day = _date(old, clause), _date(new or "", clause)
    if old_day is not None:
        if new_day is not None and old_day.granule is not None:
            yield from _moved(old_day.granule, new_day, clause, who, said_at)
        return
    wrong = _value(clause.spoken(old))
    for told in who.facts.newest_first():
        fact = told.statement
        if fact.kind not in (Kind.HOLD, Kind.EVENT) or not _same_value(fact.object, wrong):
            continue
        yield replace(fact, kind=Kind.NEVER, times=(), start=None, end=None, quote=_quote(clause))
        right = _value(clause.spoken(new)) if new and new_day is None else ""
        if right and not _same_value(right, fact.object):
            bounds = bounds_of(fact.kind, fact.times, told.said_at)
            start = fact.start or bounds.start
            yield replace(fact, object=_like(fact.object, right), times=(), start=start, end=None, quote=_quote(clause))
        return


def _moved(old: Granule, new: DateWords, clause: PlainClause, who: Discourse, said_at: datetime) -> Iterator[Statement]:
    """The same fact on another day; a date that is an object is replaced as one."""
    for told in who.facts.newest_first():
        fact = told.statement
        if fact.kind not in (Kind.HOLD, Kind.EVENT):
            continue
        if fact.object == iso_day(old, said_at):
            new_object = iso_day(new.granule, said_at) if new.granule is not None else None
            if new_object is not None:
                start = fact.start or bounds_of(fact.kind, fact.times, told.said_at).start
                yield replace(fact, kind=Kind.NEVER, times=(), start=None, end=None, quote=_quote(clause))
                yield replace(fact, object=new_object, times=(), start=start, end=None, quote=_quote(clause))
            return
        start = fact.start or bounds_of(fact.kind, fact.times, told.said_at).start
        if start is not None and start.overlaps(old):
            yield from _redated(fact, start, new, clause)
            return


def _dated_again(clause: PlainClause, who: Discourse, said_at: datetime) -> Iterator[Statement]:
    exact = _EXACT.search(clause.text)
    named = _NAMED_DAY.search(clause.text) if exact is None else None
    match = exact or named
    new = _date(match["new"], clause) if match is not None else None
    if match is None or new is None or new.granule is None or new.is_bound:
        return
    what = _value(clause.spoken(named["what"])).lower() if named is not None else None
    for told in who.facts.newest_first():
        fact = told.statement
        if fact.kind not in (Kind.HOLD, Kind.EVENT) or (what is not None and not _is_called(fact.object, what)):
            continue
        start = fact.start or bounds_of(fact.kind, fact.times, told.said_at).start
        if start is None or (fact.kind is not Kind.EVENT and named is not None):
            continue
        if start.contains(new.granule) and start != new.granule:
            role = TimeRole.AT if fact.kind is Kind.EVENT else TimeRole.START
            yield replace(fact, times=(_phrase(new, role),), start=None, end=None, quote=_quote(clause))
        return


def _redated(fact: Statement, start: Granule, new: DateWords, clause: PlainClause) -> Iterator[Statement]:
    if fact.kind is Kind.EVENT:
        yield replace(fact, kind=Kind.NEVER, times=(), start=start, end=None, quote=_quote(clause))
        yield replace(fact, times=(_phrase(new, TimeRole.AT),), start=None, end=None, quote=_quote(clause))
    else:
        yield replace(fact, times=(_phrase(new, TimeRole.START),), start=None, end=None, quote=_quote(clause))


def _phrase(day: DateWords, role: TimeRole) -> TimePhrase:
    return TimePhrase(text=day.text, role=role, tense=Tense.PAST)


def _date(words: str, clause: PlainClause) -> DateWords | None:
    found = clause.times_in(words)
    return clause.times[found[0]] if found else None


def _quote(clause: PlainClause) -> tuple[int, int]:
    return (clause.raw.start, clause.raw.end)


def _value(spoken: str) -> str:
    return without_determiner(spoken).strip(" .,")


def _same_value(told: str, spoken: str) -> bool:
    """Whether two spellings mean one value: equal, or equal numbers whatever unit stands behind them."""
    if not spoken or not told:
        return False
    if told.lower() == spoken.lower():
        return True
    number = _number(spoken)
    return number is not None and number == _number(told)


def _number(text: str) -> float | None:
    match = re.fullmatch(r"\D{0,4}?(\d[\d,]*(?:\.\d+)?)(?: ?\D*)?", text)
    return float(match[1].replace(",", "")) if match is not None else None


def _like(told: str, right: str) -> str:
    """The new value with the unit of the old one, where it was left out."""
    unit = re.fullmatch(r"\d[\d.,]*( ?\D+)", told)
    return right + unit[1] if unit is not None and re.fullmatch(r"\d[\d.,]*", right) else right


def _is_called(name: str, spoken: str) -> bool:
    return set(spoken.split()) <= set(name.lower().split())
