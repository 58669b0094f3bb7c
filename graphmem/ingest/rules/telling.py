"""One episode read from its first clause to its last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.ingest.claim import said_moment
from graphmem.ingest.rules.anaphora import date_ahead, points_back
from graphmem.ingest.rules.corrections import Corrections
from graphmem.ingest.rules.date_words import DateWords
from graphmem.ingest.rules.dating import dated_by, is_only_a_date, is_undated
from graphmem.ingest.rules.gapping import gapped_after
from graphmem.ingest.rules.giving import Giving, suits
from graphmem.ingest.rules.introduced import Unnamed, named_relative, unnamed_relative
from graphmem.ingest.rules.matching import Match, matches_in, more_of, times_of
from graphmem.ingest.rules.meant import meant_instead
from graphmem.ingest.rules.names import HeardClause, heard
from graphmem.ingest.rules.nouns import list_parts
from graphmem.ingest.rules.parts import Part, parts_of
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause, plain_clause
from graphmem.ingest.rules.records import RecordKeys, fields_in, read_record
from graphmem.ingest.rules.restating import restated
from graphmem.ingest.rules.sentences import clauses_in
from graphmem.ingest.rules.slots import CAPITAL_FIRST, NAME, fits_type, slot
from graphmem.ingest.rules.succession import succeeded
from graphmem.ingest.rules.unsaid import cancels_what_was_said, is_unsaid
from graphmem.ingest.rules.who import Discourse
from graphmem.ingest.rules.words import Form
from graphmem.model import Episode, Source, Statement
from graphmem.relations import builtin_relations, ends_of
from graphmem.timeline.claims import Kind
from graphmem.timeline.granules import Granule
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole

__all__ = ["ReadClause", "Reading", "go_through", "read_episode"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadClause:
    """The names and the statements of one clause."""

    names: HeardClause
    statements: tuple[Statement, ...]
    sentence: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What was read in one episode, clause by clause, so that a later one can go through it again."""

    clauses: tuple[ReadClause, ...]
    said_at: datetime
    aliases: tuple[tuple[str, str], ...] = ()
    """(other name, name) pairs that the text states."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(s for clause in self.clauses for s in clause.statements)


def read_episode(episode: Episode, discourse: Discourse, record_keys: RecordKeys | None) -> Reading:
    """Read an episode whose turn has begun in the discourse, which learns from it."""
    said_at = said_moment(episode)
    record = read_record(episode.text, record_keys) if episode.source is Source.JSON else None
    if record is None and (fields := fields_in(episode.text)) is not None:
        record = read_record(fields, record_keys) or None
    if record is not None:
        reading = Reading(clauses=(ReadClause(names=HeardClause(), statements=record),), said_at=said_at)
        go_through(reading, discourse)
        return reading
    return _Telling(episode.text, discourse, said_at).read()


def go_through(reading: Reading, discourse: Discourse) -> None:
    """Let the discourse hear again what was read before."""
    for clause in reading.clauses:
        discourse.open_clause(clause.names)
        discourse.hear(clause.names)
        for statement in clause.statements:
            discourse.learn(statement, reading.said_at)


class _Telling:
    """One text while it is read."""

    def __init__(self, text: str, discourse: Discourse, said_at: datetime) -> None:
        self._text = text
        self._who = discourse
        self._said_at = said_at
        self._corrections = Corrections(discourse, said_at)
        self._out: list[ReadClause] = []
        self._subject: str | None = None
        """Words of the subject last seen in the sentence."""
        self._prior: str | None = None
        """Words of the last subject of the sentence before."""
        self._read_to = 0
        """Place in the clause up to which statements were read."""
        self._unnamed: Unnamed | None = None
        self._named: tuple[tuple[str, str, str], ...] = ()
        """(owner, word, name) of relatives that the clause being read names."""
        self._before: tuple[TimePhrase, ...] = ()
        """The last time words of the sentence before."""
        self._here: tuple[TimePhrase, ...] = ()
        self._last: tuple[str, DateWords] | None = None
        """The date named last and the text around it: what "the same night" points back to."""

    def read(self) -> Reading:
        for raw in clauses_in(self._text):
            clause = plain_clause(raw, self._said_at, self._reference(raw.text))
            self._take_times(clause)
            if cancels_what_was_said(clause):
                self._cancel(raw.sentence - 1)
            self._read_clause(clause, heard(clause))
        also = [other for clause in self._out for other, _name in clause.names.also]
        aliases = tuple(
            (other, self._who.known.aliases[other.lower()])
            for other in also
            if other.lower() in self._who.known.aliases
        )
        return Reading(clauses=_without_repeats(_without_undated(self._out)), said_at=self._said_at, aliases=aliases)

    def _take_times(self, clause: PlainClause) -> None:
        if clause.raw.opens:
            self._before, self._here = self._here, ()
            self._prior, self._subject = self._subject, None
        if clause.times:
            self._here = (_since(clause.times[-1].text),)
        named = next((t for t in reversed(clause.times) if t.granule is not None), None)
        self._last = self._last if named is None else (clause.raw.text, named)

    def _reference(self, text: str) -> Granule | None:
        """The date named last, where a text may point back to it."""
        if self._last is None or not points_back(text):
            return None
        told, named = self._last
        return date_ahead(told, named.text, self._said_at) or named.granule

    def _cancel(self, sentence: int) -> None:
        self._out = [replace(c, statements=()) if c.sentence >= sentence else c for c in self._out]

    def _read_clause(self, clause: PlainClause, names: HeardClause) -> None:
        self._who.open_clause(names)
        statements = (
            () if self._amends(clause) or self._means_another(clause) else tuple(self._statements(clause, names))
        )
        self._who.hear(names)
        names, self._named = replace(names, kin=names.kin + self._named), ()
        self._out.append(ReadClause(names=names, statements=statements, sentence=clause.raw.sentence))

    def _amends(self, clause: PlainClause) -> bool:
        """Whether a clause only adds a name to the one before: "He is called Rex." names its cat."""
        called = _CALLED.match(clause.text)
        for back, read in enumerate(reversed(self._out[-3:]), start=1):
            if called is None or not read.statements or not fits_type(read.statements[-1].object, "pet"):
                continue
            name, pet = (
                clause.spoken(called["name"] or called["answers_to"] or called["other"]),
                read.statements[-1].object,
            )
            amended = tuple(replace(s, object=name) if s.object == pet else s for s in read.statements)
            self._learn(amended)
            self._out[-back] = replace(read, statements=amended)
            return True
        return False

    def _means_another(self, clause: PlainClause) -> bool:
        """Whether a clause says that something else was meant in what was just told: "I meant 3109"."""
        for back, read in enumerate(reversed(self._out[-3:]), start=1):
            if read.statements:
                wrong = read.statements[-1].subject
                right = meant_instead(clause, read.statements[-1], self._who)
                if right is None:
                    return False
                amended = tuple(replace(s, subject=right) if s.subject == wrong else s for s in read.statements)
                self._learn(amended)
                self._out[-back] = replace(read, statements=amended)
                return True
        return False

    def _statements(self, clause: PlainClause, names: HeardClause) -> list[Statement]:
        groups = matches_in(clause)
        out = self._corrections.read(clause)
        self._learn(out)
        taken = [(0, len(clause.text))] if out else []
        starts = [min(m.start for m in group) for group in groups]
        read_to = heard_to = self._read_to = 0
        for i, group in enumerate(groups):
            if 0 <= group[0].place < read_to:
                continue
            if group[0].place >= 0:
                self._hear_names(names, heard_to, group[0].start)
                heard_to = max(heard_to, group[0].start)
            following = min((s for s in starts[i + 1 :] if s >= group[0].end), default=len(clause.text))
            for match in group:
                if got := self._corrections.amended(self._match(match, clause, following), clause):
                    out.extend(got)
                    self._learn(got)
                    taken.append((match.start, match.end))
                    read_to = max(read_to, match.end) if match.place >= 0 else read_to
                    self._read_to = read_to
                    break
        self._retold(clause, taken, out)
        self._bring_in(clause)
        return out

    def _retold(self, clause: PlainClause, taken: Sequence[tuple[int, int]], out: list[Statement]) -> None:
        """What the parts of a clause in which nothing was read say of something known: when, or that it is otherwise now."""
        if clause.raw.is_question:
            return
        for part in parts_of(clause, taken):
            if self._unnamed is not None and (got := named_relative(part, self._unnamed, self._who)):
                out.extend(got)
                self._learn(got)
                self._named += tuple((s.subject, self._unnamed.word, s.object) for s in got)
                self._unnamed = None
            elif got := self._corrections.part(part):
                out.extend(got)
                self._learn(got)
            elif is_only_a_date(part):
                self._date(part, out)
            elif got := succeeded(part, self._who, self._said_at) or restated(part, self._who, self._said_at):
                got = self._corrections.amended(got, clause)
                if clause.raw.is_aside:
                    got = [replace(s, times=self._here) if is_undated(s) else s for s in got]
                out.extend(got)
                self._learn(got)

    def _bring_in(self, clause: PlainClause) -> None:
        """Notice somebody whom a clause brings in without a name."""
        self._unnamed = unnamed_relative(clause, self._who) or self._unnamed

    def _date(self, part: Part, out: list[Statement]) -> None:
        """Date what was told last with a part that only says when."""
        told = out if out or not self._out else list(self._out[-1].statements)
        dated = dated_by(told[-1], part) if told else None
        if dated is None:
            out.extend(moved := self._corrections.redated(part))
            self._learn(moved)
            return
        together = [s for s in told if s.relation == dated.relation and s.kind is dated.kind and is_undated(s)]
        amended = [replace(s, times=dated.times) if s in together else s for s in told]
        self._learn([s for s in amended if s.times == dated.times])
        if told is out:
            out[:] = amended
        else:
            self._out[-1] = replace(self._out[-1], statements=tuple(amended))

    def _hear_names(self, names: HeardClause, start: int, end: int) -> None:
        for spoken, place, leads in names.names:
            if start <= place < end:
                self._who.hear_name(spoken, leads=leads)

    def _learn(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self._who.learn(statement, self._said_at)

    def _match(self, match: Match, clause: PlainClause, following: int) -> list[Statement]:
        times = times_of(match, clause, following)
        if is_unsaid(clause, match.start, match.place) or not suits(match, clause, times, self._who):
            return []
        giving = Giving(
            clause=clause,
            who=self._who,
            said_at=self._said_at,
            subject=self._subject_of(match, clause),
            joined=self._joined_subject(match, clause),
            before=self._before,
        )
        out = giving.statements(match, times)
        if not out:
            return []
        for more in more_of(match, clause):
            out.extend(giving.statements(more, times_of(more, clause, len(clause.text))))
        for other in gapped_after(match, clause):
            out.extend(replace(giving, joined=None).statements(other, times_of(other, clause, len(clause.text))))
        if out[-1].kind is Kind.PAST:
            out.extend(self._now_instead(out[-1], match, clause))
        self._subject = giving.subject or self._subject
        return out

    def _joined_subject(self, match: Match, clause: PlainClause) -> str | None:
        """ "Ebba and I" of "Ebba and I moved"; None where the subject stands alone."""
        said = match.slots.get(match.saying.pattern.first or "")
        if said is None or match.aspect is None or match.saying.pattern.lists:
            return None
        place = clause.text.find(said, match.start)
        found = _JOINED.search(clause.text[:place])
        verbs = [t.lstrip(BREAK).lower() for t in clause.text[place + len(said) : match.end].split()]
        if (
            found is None
            or (verbs[:1] and verbs[0] in _SINGULAR)
            or self._who.settle(clause.spoken(said), "person") is None
        ):
            return None
        if match.aspect.form == Form.THIRD and not match.aspect.is_state and verbs[:1] and verbs[0].endswith("s"):
            return None
        words_ = clause.spoken(found["others"] + said)
        if any(map(_HAS_VERB.search, list_parts(words_))):
            return None
        return words_ if self._who.settle_list(words_, "person") is not None else None

    def _now_instead(self, past: Statement, match: Match, clause: PlainClause) -> list[Statement]:
        """ "I used to take Breezol but now it is Airva": the same of another object, since when the words after it say."""
        found = _NOW.search(clause.text, match.end)
        obj = None
        if found is not None:
            obj = self._who.settle(clause.spoken(found["new"]), ends_of(past.relation)[1], past.relation)
        if found is None or obj is None:
            return []
        after = _NEXT.split(clause.text[found.end() :])[0]
        times = tuple(_since(clause.times[i].text) for i in clause.times_in(after))
        return [replace(past, kind=Kind.HOLD, object=obj.names[0], times=times)]

    def _subject_of(self, match: Match, clause: PlainClause) -> str | None:
        """The words of the subject; where it is left out, those of the clause before, or the speaker."""
        first = match.saying.pattern.first
        spoken = match.slots.get(first or "s")
        if spoken is not None or first is None:
            return clause.spoken(spoken) if spoken else None
        if match.aspect is None or not match.aspect.is_finite:
            return None
        if match.is_bare and (self._prior or "I").lower() not in ("i", "we"):
            return None
        if clause.text[: match.start].endswith((f"{BREAK}who ", f"{BREAK}which ", f"{BREAK}that ")):
            told_of = _TOLD_OF.search(clause.text, 0, match.start)
            return clause.spoken(told_of["one"]) if told_of is not None else None
        before = _subject_before(clause, self._read_to, match.start)
        if before is not None or clause.text[: match.start].strip(f" ,{BREAK}"):
            return before or self._subject
        begins = (self._who.speaker is not None and clause.raw.opens) or clause.raw.is_aside
        return self._subject or ("I" if begins else None)


_HAS_VERB = re.compile(r"^[A-ZÀ-Þ]\S* (?:\S+ )*[a-z]+(?:s|ed)? (?:the|a|an|my|our) |^[A-ZÀ-Þ]\S* (?:[A-ZÀ-Þ]\S* )*the ")
"""Between commas a clause may stand instead of a name: "Bo leads the choir, and I …"."""
_SINGULAR = frozenset("is was has does am".split())
_JOINED = re.compile(
    rf"(?:^|(?<=, )|(?<=[{MARKS}] )|(?<={BREAK}so )|(?<={BREAK}but )|(?<={BREAK}and ))"
    rf"(?P<others>(?:{slot('person')}(?:, )?)+{BREAK}and )$"
)
_TOLD_OF = re.compile(
    rf"(?:^|(?<= ))(?P<one>{CAPITAL_FIRST} (?:{CAPITAL_FIRST} )*|(?:[Tt]he|[Mm]y|[Oo]ur) (?:[^\s{BREAK},{MARKS}]+ ){{1,3}}), "
    rf"{BREAK}(?:who|which) $"
)
"""Whom or what a clause after a comma tells of: "I lead the choir, which meets in room 12"."""
_PRONOUN_SAYS = r"(?:it|I|he|she|we|they)"
_NOW = re.compile(
    rf"{BREAK}?(?:now|instead|nowadays) (?:{BREAK}{_PRONOUN_SAYS} {BREAK}?(?:is|am|are|has|have|uses?|takes?|prefer) )?"
    rf"(?:{BREAK}(?:on|at|in|with|for) )?(?P<new>{NAME})"
)
_NEXT = re.compile(rf"{BREAK}(?:and|but|so|because|which|who) ")
_CALLED = re.compile(
    rf"(?:{BREAK}(?:[Hh]e|[Ss]he|[Ii]t) {BREAK}is |(?:[Ss]ome|[Aa]n?) (?:[a-z-]+ ){{1,4}})"
    rf"(?:called|named) (?P<name>(?:{CAPITAL_FIRST} )+)"
    rf"|{BREAK}(?:[Hh]e|[Ss]he|[Ii]t) (?:answers|goes|listens|responds) {BREAK}(?:to|by) (?:the name (?:{BREAK}of )?)?"
    rf"(?P<answers_to>{NAME})"
    rf"|{BREAK}?(?:[Hh]er|[Hh]is|[Ii]ts) name {BREAK}is (?P<other>{NAME})"
)
_SUBJECT = re.compile(
    rf"(?:^|(?<=, )|(?<={BREAK}and )|(?<={BREAK}but ))(?P<s>{BREAK}(?:[Ii]|[Hh]e|[Ss]he|[Ww]e|[Tt]hey|[Ii]t)"
    rf"|(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]he) [^\s{BREAK},]+(?: [^\s{BREAK},]+){{0,3}}"
    rf"|[A-Z]\S+(?: [A-Z]\S+)*) (?={BREAK}|\S+(?:s|ed) )"
)


def _subject_before(clause: PlainClause, start: int, end: int) -> str | None:
    """The last subject that stands between two places of the clause."""
    found = list(_SUBJECT.finditer(clause.text, start, end))
    return clause.spoken(found[-1]["s"]) if found else None


def _since(words: str) -> TimePhrase:
    return TimePhrase(text=words, role=TimeRole.START, tense=Tense.PAST)


def _without_undated(read: Sequence[ReadClause]) -> tuple[ReadClause, ...]:
    """The clauses without events that nothing dates: too little is said of when, or whether, they happened."""
    return tuple(
        replace(c, statements=tuple(s for s in c.statements if not _is_vague_event(s)))
        if any(map(_is_vague_event, c.statements))
        else c
        for c in read
    )


def _is_vague_event(statement: Statement) -> bool:
    relation = builtin_relations().get(statement.relation)
    return statement.kind is Kind.EVENT and is_undated(statement) and not (relation is not None and relation.timeless)


def _without_repeats(read: Sequence[ReadClause]) -> tuple[ReadClause, ...]:
    """The clauses with each fact once: what is said again adds its dates to the first telling."""
    first: dict[tuple[object, ...], Statement] = {}
    for clause in read:
        for s in clause.statements:
            known = first.setdefault(_fact(s), s)
            if known.kind is Kind.HOLD and is_undated(known) and s.start is not None:
                first[_fact(s)] = replace(known, start=s.start)
            elif s.kind is not Kind.EVENT and s.times not in ((), known.times):
                first[_fact(s)] = replace(known, times=known.times + s.times)
    return tuple(
        replace(clause, statements=tuple(first.pop(_fact(s)) for s in clause.statements if _fact(s) in first))
        for clause in read
    )


def _fact(s: Statement) -> tuple[object, ...]:
    """What makes two statements one: for an event also its dates."""
    dates = (s.times, s.start) if s.kind is Kind.EVENT and (s.times or s.start) else ()
    return (s.kind, s.subject.lower(), s.relation, s.object.lower(), dates)
