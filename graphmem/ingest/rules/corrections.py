"""Corrections: "18 May, not 15 May", "it was never shellfish, it's cashews", "the 44 was a typo: 31", "small correction: …"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.ingest.rules.date_words import DateWords
from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.nouns import is_vague
from graphmem.ingest.rules.parts import Part
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause
from graphmem.ingest.rules.slots import WORD
from graphmem.ingest.rules.takebacks import (
    Takeback,
    announces,
    bare_words,
    denies_all,
    is_off,
    may_stand_for,
    means,
    same_value,
    takebacks_in,
    with_unit,
)
from graphmem.ingest.rules.told import Told
from graphmem.ingest.rules.unsaid import is_unsaid
from graphmem.ingest.rules.values import day_named, iso_day
from graphmem.ingest.rules.who import Discourse
from graphmem.model import Statement
from graphmem.relations import builtin_relations
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.calendar import day, zone_at
from graphmem.timeline.claims import Kind, Rivalry
from graphmem.timeline.expressions import find_times
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import to_instant
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole

__all__ = ["Corrections"]

_EXACT = re.compile(rf"{BREAK}(?:[Ii]t|[Tt]hat) {BREAK}(?:is|was) (?:{BREAK}on )?(?P<new>[{MARKS}]) ")
_BARE_DAY = re.compile(rf"^(?:{BREAK}(?:[Ii]t|[Tt]hat) {BREAK}(?:is|was) )?(?:{BREAK}on )?[{MARKS}] $")
_NAMED_DAY = re.compile(
    rf"(?:^|, |{BREAK}(?:and|but) )(?P<what>(?:{WORD} ){{1,4}}){BREAK}was (?:{BREAK}(?:on|from) )?(?P<new>[{MARKS}]) "
)
_SORRY = re.compile(r"\b(?:sorry|actually|oops|my bad|no wait|rather)\b", re.IGNORECASE)
_DID = re.compile(
    rf"^(?P<who>{BREAK}(?:I|[Hh]e|[Ss]he) |(?:[A-ZÀ-Þ][^\s{BREAK}]* ){{1,3}}){BREAK}(?:did|do|does|is|was|am|has|have) $"
)
_ONE = rf"(?:{BREAK}(?:I|me|[Hh]e|[Ss]he|him|her) |(?:[A-ZÀ-Þ][^\s{BREAK},]* ){{1,3}})"
_OLD_ONE, _NEW_ONE = (rf"(?P<{name}>{_ONE})" for name in ("old", "new"))
_CLEFT = rf"{BREAK}(?:[Ii]t|[Tt]hat) {BREAK}(?:is|was) "
_ANOTHER = (
    re.compile(rf"{_CLEFT}{_NEW_ONE}, {BREAK}not {_OLD_ONE}(?:, )?{BREAK}?who "),
    re.compile(
        rf"{_CLEFT}{BREAK}not {_OLD_ONE}{BREAK}who [^,]*(?:, |{BREAK}but )+(?:{_CLEFT})?{_NEW_ONE}(?:{BREAK}(?:who|did) |$)"
    ),
    re.compile(rf"^{_NEW_ONE}{BREAK}?[a-z]+ {BREAK}(?:it|that|this) , {BREAK}not {_OLD_ONE}$"),
    re.compile(
        rf"^{_OLD_ONE}{BREAK}(?:is|was|did) {BREAK}not (?:[^\s{BREAK},]+ ){{0,4}}(?:{BREAK}it )?, (?:{BREAK}but )?"
        rf"{_NEW_ONE}{BREAK}(?:is|was|did) $"
    ),
)
_ISO_DAY = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_PERSONS = frozenset("i he she we".split())
_CHANGES = frozenset("now today since from starting tomorrow new anymore longer".split())
"""Words of a change, which is no correction."""


class Corrections:
    """What an episode takes back of what was told before it, and what it puts in its place."""

    def __init__(self, who: Discourse, said_at: datetime) -> None:
        self._who = who
        self._said_at = said_at
        self._cued = -9
        """The last sentence that announced a correction."""
        self._open: Told | None = None
        """Taken back, with nothing in its place so far."""
        self._opened = -9
        self._is_doubted = False
        """What is open was only called wrong, and not denied by itself."""
        self._doubted: Told | None = None

    def read(self, clause: PlainClause) -> list[Statement]:
        """What a clause takes back and replaces; empty when it corrects nothing known."""
        if announces(clause):
            self._cued = clause.raw.sentence
            if denies_all(clause):
                self._doubt(clause)
        if is_unsaid(clause, 0):
            return []
        if found := list(self._another_did(clause)):
            return found
        for takeback in takebacks_in(clause):
            if takeback.new is None and self._is_of_another(takeback.place, clause):
                continue
            if found := list(self._replaced(takeback, clause)):
                return found
        return list(self._called_off(clause)) or list(self._dated_again(clause))

    def _doubt(self, clause: PlainClause) -> None:
        """What was told last is wrong: a value said by itself comes in its place."""
        self._open = next((t for t in self._standing() if t.said_at < self._said_at), None)
        self._opened, self._is_doubted = clause.raw.sentence, True

    def part(self, part: Part) -> list[Statement]:
        """What a part puts in the place of what was taken back a moment ago."""
        got = self._put_right(part)
        if got and self._is_doubted and self._doubted is not None:
            got.insert(0, self._never(self._doubted, part.clause))
        return got

    def _put_right(self, part: Part) -> list[Statement]:
        told = self._doubted = self._open
        if told is None or part.clause.raw.sentence - self._opened > 1:
            return []
        if is_unsaid(part.clause, part.end):
            return []
        if (doer := self._doer(told, part)) is not None:
            self._open = None
            start = self._start_of(told)
            return [replace(told.statement, subject=doer, times=(), start=start, end=None, quote=_quote(part.clause))]
        new = self._replacement(told, part)
        if new is None or same_value(told.statement.object, new):
            return []
        self._open = None
        times = () if _ISO_DAY.fullmatch(new) else part.times()
        return [self._instead(told, new, part.clause, times)]

    def _doer(self, told: Told, part: Part) -> str | None:
        """Who did what another did not: "…, I did"."""
        match = _DID.match(part.text)
        meant = self._who.settle(part.clause.spoken(match["who"]), "person") if match is not None else None
        if meant is None or len(meant.names) != 1 or not self._who.may_be_person(told.statement.subject):
            return None
        return meant.names[0] if meant.names[0] != told.statement.subject else None

    def amended(self, statements: Sequence[Statement], clause: PlainClause) -> list[Statement]:
        """Statements as they were read, with what they correct where a correction was announced."""
        for statement in statements:
            if statement.kind is Kind.NEVER:
                self._open = next((t for t in self._standing() if _is_same(t.statement, statement)), self._open)
                self._opened, self._is_doubted = clause.raw.sentence, False
        if not self._is_announced(clause):
            return list(statements)
        return [s for statement in statements for s in self._amended(statement, clause)]

    def redated(self, part: Part) -> list[Statement]:
        """The event told last on another day, where a correction was announced and a part only says when."""
        found = part.clause.times_in(part.text)
        if not self._is_announced(part.clause) or not found:
            return []
        for told in self._standing():
            start = self._start_of(told)
            if told.statement.kind is Kind.EVENT and start is not None:
                return list(self._redated(told, part.clause.times[found[0]], part.clause))
        return []

    def _is_announced(self, clause: PlainClause) -> bool:
        return 0 <= clause.raw.sentence - self._cued <= 1 and not _CHANGES.intersection(clause.words)

    def _amended(self, statement: Statement, clause: PlainClause) -> Iterator[Statement]:
        relation = builtin_relations().get(statement.relation)
        told = next((t for t in self._standing() if _is_about(t.statement, statement)), None)
        if told is None or relation is None:
            yield statement
        elif statement.kind is Kind.HOLD and told.statement.object != statement.object:
            if relation.rivalry is Rivalry.NONE or statement.times:
                yield statement
                return
            yield self._never(told, clause)
            yield replace(statement, start=self._start_of(told))
        elif statement.kind is Kind.EVENT and told.statement.object == statement.object and statement.times:
            yield self._never(told, clause)
            yield statement
        else:
            yield statement

    def _is_of_another(self, place: int, clause: PlainClause) -> bool:
        """Whether a denial speaks of somebody of whom nothing of the kind was told ("I have never been to Nelson")."""
        before = clause.text[:place].split()
        subject = next((t.lstrip(BREAK) for t in reversed(before) if t.lstrip(BREAK).lower() in _PERSONS), None)
        meant = self._who.settle(subject, "person") if subject is not None else None
        newest = next(self._standing(), None)
        return subject is not None and (meant is None or newest is None or newest.statement.subject not in meant.names)

    def _standing(self) -> Iterator[Told]:
        """What was told and not taken back, the newest first."""
        taken_back = set()
        for told in self._who.facts.newest_first():
            fact = told.statement
            key = (fact.subject, fact.relation, fact.object)
            if fact.kind is Kind.NEVER:
                taken_back.add(key)
            elif fact.kind in (Kind.HOLD, Kind.EVENT) and key not in taken_back:
                yield told

    def _replaced(self, takeback: Takeback, clause: PlainClause) -> Iterator[Statement]:
        old, new = takeback.old, takeback.new or ""
        old_day, new_day = _date(old, clause, self._said_at), _date(new, clause, self._said_at)
        if old_day is not None:
            if old_day.granule is not None:
                yield from self._moved(old_day.granule, old_day.text, new_day, clause)
            return
        wrong = _value(clause.spoken(old))
        right = _value(clause.spoken(new)) if new_day is None else ""
        for told in self._standing():
            if means(told.statement.object, wrong):
                yield from self._taken_back(told, right, clause)
                return
        yield from self._other_subject(clause.spoken(old), clause.spoken(new), clause)

    def _taken_back(self, told: Told, right: str, clause: PlainClause) -> Iterator[Statement]:
        yield self._never(told, clause)
        if right and not same_value(right, told.statement.object) and may_stand_for(told.statement.object, right):
            yield self._instead(told, right, clause, ())
        else:
            self._open, self._opened, self._is_doubted = told, clause.raw.sentence, False

    def _other_subject(self, wrong: str, right: str, clause: PlainClause) -> Iterator[Statement]:
        """ "It was Bo, not me": the same of somebody else."""
        old, new = (self._who.settle(words_, "person") for words_ in (wrong, right))
        if old is None or new is None or len(old.names) != 1 or len(new.names) != 1:
            return
        told = next(self._standing(), None)
        if told is None or told.statement.subject != old.names[0] or not self._who.may_be_person(old.names[0]):
            return
        yield self._never(told, clause)
        yield replace(told.statement, subject=new.names[0], times=(), start=self._start_of(told), quote=_quote(clause))

    def _day_ahead(self, new: DateWords | None) -> str | None:
        """The day of something to come that time words name."""
        found = find_times(new.text, self._said_at, tense=Tense.FUTURE) if new is not None else []
        return iso_day(found[0].granule, self._said_at) if found and found[0].granule is not None else None

    def _readings(self, words: str) -> list[Granule]:
        """What time words mean of something past, and of something to come: "March", the last one and the next."""
        found = [
            find_times(text, self._said_at, tense=tense)
            for tense in (Tense.PAST, Tense.FUTURE)
            for text in (words, f"in {words}")
        ]
        return [times[0].granule for times in found if times and times[0].granule is not None]

    def _another_did(self, clause: PlainClause) -> Iterator[Statement]:
        """ "It was Cy, not Bo, who won", "Cy won it, not Bo", "Mara is not my boss, Ben is": the same with another person."""
        match = next((m for p in _ANOTHER if (m := p.search(clause.text))), None) if "not" in clause.words else None
        if match is None:
            return
        old, new = (self._who.settle(clause.spoken(match[side]), "person") for side in ("old", "new"))
        if old is None or new is None or len(old.names) != 1 or len(new.names) != 1:
            return
        wrong, right = old.names[0], new.names[0]
        told = next((t for t in self._standing() if wrong in (t.statement.subject, t.statement.object)), None)
        if told is None or wrong == right or not self._who.may_be_person(wrong):
            return
        fact, start = told.statement, self._start_of(told)
        yield self._never(told, clause)
        put = replace(fact, subject=right) if fact.subject == wrong else replace(fact, object=right)
        yield replace(put, times=(), start=start, end=None, quote=_quote(clause))

    def _moved(self, old: Granule, old_words: str, new: DateWords | None, clause: PlainClause) -> Iterator[Statement]:
        """The same fact on another day; a date that is an object is replaced as one."""
        readings = [old, *self._readings(old_words)]
        days = {iso_day(reading, self._said_at) for reading in readings}
        for told in self._standing():
            fact = told.statement
            if fact.object in days:
                right = self._day_ahead(new)
                yield from self._taken_back(told, right or "", clause)
                return
            start = fact.start or bounds_of(fact.kind, fact.times, told.said_at).start
            if new is not None and start is not None and any(start.overlaps(reading) for reading in readings):
                yield from self._redated(told, new, clause)
                return

    def _dated_again(self, clause: PlainClause) -> Iterator[Statement]:
        exact = _EXACT.search(clause.text) if clause.times else None
        named = _NAMED_DAY.search(clause.text) if clause.times and exact is None else None
        match = exact or named
        new = _date(match["new"], clause, self._said_at) if match is not None else None
        if match is None or new is None or new.granule is None or (new.is_bound and named is None):
            return
        what = _value(clause.spoken(named["what"])).lower() if named is not None else None
        for told in self._standing():
            fact = told.statement
            if what is not None and not _is_called(fact.object, what):
                continue
            start = fact.start or bounds_of(fact.kind, fact.times, told.said_at).start
            if start is None or start == new.granule:
                continue
            if start.contains(new.granule) and (fact.kind is Kind.EVENT or named is None):
                role = TimeRole.AT if fact.kind is Kind.EVENT else TimeRole.START
                yield replace(fact, times=(_phrase(new, role),), start=None, end=None, quote=_quote(clause))
            elif (
                self._is_announced(clause)
                or (start.unit is Unit.DAY and _SORRY.search(clause.raw.text))
                or (new.is_bound and 0 <= clause.raw.sentence - self._cued <= 1)
            ):
                yield from self._redated(told, new, clause)
            return

    def _redated(self, told: Told, new: DateWords, clause: PlainClause) -> Iterator[Statement]:
        fact = told.statement
        end = fact.end or bounds_of(fact.kind, fact.times, told.said_at).end
        if fact.kind is Kind.EVENT:
            yield replace(fact, kind=Kind.NEVER, times=(), start=None, end=None, quote=_quote(clause))
            yield replace(fact, times=(_phrase(new, TimeRole.AT),), start=None, end=None, quote=_quote(clause))
        else:
            yield replace(fact, times=(_phrase(new, TimeRole.START),), start=new.granule, end=end, quote=_quote(clause))

    def _called_off(self, clause: PlainClause) -> Iterator[Statement]:
        """What was to be and will not be: everything told together of a plan that a clause says is off."""
        if not is_off(clause):
            return
        planned = [
            t for t in self._standing() if (s := self._start_of(t)) is not None and s.lo > to_instant(self._said_at)
        ]
        planned += [
            t
            for t in self._standing()
            if t not in planned and (s := self._start_of(t)) and s.lo > to_instant(t.said_at)
        ]
        spoken = set(clause.spoken(clause.text).lower().split())
        named = [t for t in planned if spoken.intersection(t.statement.object.lower().split())]
        first = next(iter(named or (planned if {"it", "that"} & clause.words else [])), None)
        for told in planned:
            if first is not None and told.said_at == first.said_at and told.statement.start == first.statement.start:
                yield self._never(told, clause)

    def _replacement(self, told: Told, part: Part) -> str | None:
        """The words of a part that can stand for the object that was taken back."""
        old = told.statement.object
        if _ISO_DAY.fullmatch(old):
            if self._is_doubted and _BARE_DAY.match(part.text) is None:
                return None
            named = day_named(part.clause, part.text, self._said_at)
            return named.names[0] if named is not None else None
        new = _value(part.clause.spoken(bare_words(part.text) or ""))
        return new if new and not is_vague(new.lower()) and may_stand_for(old, new) else None

    def _never(self, told: Told, clause: PlainClause) -> Statement:
        return replace(told.statement, kind=Kind.NEVER, times=(), start=None, end=None, quote=_quote(clause))

    def _instead(self, told: Told, right: str, clause: PlainClause, times: tuple[TimePhrase, ...]) -> Statement:
        start = None if times else self._start_of(told)
        return replace(
            told.statement,
            object=with_unit(told.statement.object, right),
            times=times,
            start=start,
            end=None,
            quote=_quote(clause),
        )

    def _start_of(self, told: Told) -> Granule | None:
        """When what was told began: as it said, else, of what has one value at a time, on the earlier day it was told."""
        fact = told.statement
        start = fact.start or bounds_of(fact.kind, fact.times, told.said_at).start
        relation = builtin_relations().get(fact.relation)
        one_at_a_time = relation is not None and relation.rivalry is not Rivalry.NONE
        if start is None and one_at_a_time and told.said_at < self._said_at:
            return day(told.said_at.date(), zone_at(told.said_at))
        return start


def _is_same(told: Statement, denied: Statement) -> bool:
    return (told.subject, told.relation, told.object) == (denied.subject, denied.relation, denied.object)


def _is_about(told: Statement, said: Statement) -> bool:
    return told.subject == said.subject and told.relation == said.relation and told.kind is said.kind


def _phrase(day: DateWords, role: TimeRole) -> TimePhrase:
    return TimePhrase(text=day.text, role=role, tense=Tense.PAST)


def _date(words: str, clause: PlainClause, said_at: datetime) -> DateWords | None:
    """Time words, also a month or a weekday that stands alone: "in April, not March"."""
    if found := clause.times_in(words):
        return clause.times[found[0]]
    name = clause.spoken(words)
    if not name.isalpha() or not name[:1].isupper():
        return None
    times = find_times(f"in {name}", said_at) or find_times(f"on {name}", said_at)
    if not times or times[0].granule is None or not times[0].text.endswith(name):
        return None
    return DateWords(text=times[0].text, start=0, end=0, granule=times[0].granule)


def _quote(clause: PlainClause) -> tuple[int, int]:
    return (clause.raw.start, clause.raw.end)


def _value(spoken: str) -> str:
    return without_determiner(spoken).strip(" .,")


def _is_called(name: str, spoken: str) -> bool:
    return set(spoken.split()) <= set(name.lower().split())
