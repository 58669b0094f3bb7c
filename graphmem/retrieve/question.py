"""Reads a question in plain English into a formal query, without a model.

    question → time scope, clauses → frame → names → readings (a relation, its ends) → slot → query

What the words leave open, the facts around the names settle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.relations import relation_of
from graphmem.retrieve.clauses import Anchoring, Clause, clauses_of
from graphmem.retrieve.kinship import RELATED, kin_reading
from graphmem.retrieve.known_facts import KnownFacts
from graphmem.retrieve.name_spotting import Match, Mention, NameIndex
from graphmem.retrieve.query import Anchor, Hop, Query, Slot
from graphmem.retrieve.question_frame import Asker, Frame, read_frame
from graphmem.retrieve.question_phrases import ORDER, REFERS_BACK, blanked
from graphmem.retrieve.question_words import Word, cut_words
from graphmem.retrieve.readings import Reading, bare_reading, readings_of, tied
from graphmem.retrieve.relation_words import RelationWords
from graphmem.retrieve.sentence import Sentence, Term
from graphmem.retrieve.slots import edge_of, slot_of, times_of
from graphmem.retrieve.succession import succession_of
from graphmem.retrieve.walks import onward, walks
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import Instant
from graphmem.timeline.scope import Ask, QuestionScope, read_scope

__all__ = ["QuestionReader", "refers_back"]

_ENOUGH = 1.0
_WALK_BONUS = 0.5
_MOST_HOPS = 2
_MOST_TERMS = 8
"""What is named beyond these is no part of the question: readings are weighed for all of them together."""
_NAMES_BOTH_ENDS = (Asker.WHEN, Asker.HOW_LONG, Asker.HOW_OFTEN, Asker.YES_NO, Asker.HOW, Asker.HOW_MANY)
_NUMBERED = (Slot.NTH, Slot.START, Slot.END, Slot.SPAN)
_POSSESSIVE_PRONOUNS = frozenset(["his", "her", "its", "their"])
_CALENDAR_NAME = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|april|may|june|july|august|summer|autumn|winter|easter",
    re.IGNORECASE,
)
_TIME_PREPOSITION = re.compile(
    r"\b(?:in|on|of|since|until|till|before|after|by|from|to|between|and|during|last|next|this|every|early|mid|late)\s+$",
    re.IGNORECASE,
)
_NUMERIC_TIME = re.compile(r"[\d\s:./-]+")
_DECIMAL = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,2}")
"""A version or a rate; a date has a year of four digits."""
_TIME_OF_DAY = re.compile(
    r"(?:morning|evening|afternoon|night|noon|midnight|weekend|weekday|week|month|year|day)\b", re.IGNORECASE
)
_ALTERNATIVES = re.compile(r"[,:(]\s*(?:either )?[^,:()?]{1,40} or [^,:()?]{1,40}(?=[,)?]|$)")
_WILL = re.compile(r"(?<=\w)['’]ll\b")
_TO_NOW = re.compile(r"\s+(?:up to|until|till) now\b", re.IGNORECASE)
"""It says nothing that the tense does not say, and is no moment at which something is looked for."""
_NAMED = "NAMED"
_NAME_OF = re.compile(r"\bthe names? of\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionReader:
    """The names and words of one memory, ready for any number of questions."""

    names: NameIndex
    words: RelationWords
    relations: Mapping[str, Relation]

    def entities_in(self, question: str) -> tuple[str, ...]:
        """Ids of the entities a question may name, those of its clauses included."""
        mentions = self.names.spot(cut_words(question))
        return tuple(dict.fromkeys(entity_id for mention in mentions for entity_id in mention.entity_ids))

    def known_at_of(self, question: str, asked_at: datetime) -> Instant | None:
        """The moment of knowing that its words ask for; facts known then should be among those it is read with."""
        return read_scope(self._without_digits(question), asked_at).known_at

    def read(
        self, question: str, *, asked_at: datetime, group_ids: Sequence[str], facts: KnownFacts, zone: str = "UTC"
    ) -> Query | None:
        """The query a question means; None where it names nothing known, no relation fits its words, or its time is not named.

        `facts` settle words that fit several relations.
        """
        question = _TO_NOW.sub("", _WILL.sub(" will", question))
        without_order = blanked(ORDER, question)
        scope = read_scope(self._without_digits(without_order), asked_at)
        clauses = clauses_of(without_order, scope)
        if not clauses and not scope.expressions and refers_back(question):
            return None
        spans = [(one.start, one.end) for one in scope.expressions if one.clause is None]
        spans += self._alternatives(question)
        frame = read_frame(question, [*spans, *(clause.span for clause in clauses)])
        parse = _Parse.of(self, frame, facts).without_named_ordinal()
        frame = parse.frame
        succession = succession_of(parse.sentence, self.relations)
        reading = succession.reading if succession else parse.best_reading()
        blank = Query(slot=Slot.CHANGES, group_ids=tuple(group_ids), asked_at=asked_at, zone=zone)
        if reading is None or parse.misses_a_name(reading):
            return _filled(blank, Slot.CHANGES, None, (), frame, scope) if _is_of_all(scope, frame) else None
        anchor = succession.anchor if succession else parse.anchor(clauses, scope, reading)
        is_event = relation_of(reading.relation, self.relations).event
        slot = slot_of(frame, reading, scope, self.words, is_event=is_event)
        relations = () if slot is Slot.CHANGES and reading.is_vague else parse.relations_of(reading)
        return replace(_filled(blank, slot, reading, relations, frame, scope, is_event=is_event), anchor=anchor)

    def _alternatives(self, question: str) -> list[tuple[int, int]]:
        """Where a question offers its answers (", INC-1 or INC-2,"), if it names something beside them."""
        aside = _ALTERNATIVES.search(question)
        if aside is None:
            return []
        words = cut_words(question)
        starts = [words[mention.first].start for mention in self.names.spot(words)]
        inside = [start for start in starts if aside.start() <= start < aside.end()]
        return [aside.span()] if inside and len(inside) < len(starts) else []

    def _without_digits(self, question: str) -> str:
        """The question with names that look like times overwritten ("version 3.2", "Monday", "morning drink")."""
        words = cut_words(question)
        for mention in self.names.spot(words):
            start, end = words[mention.first].start, words[mention.last - 1].end
            text = question[start:end]
            has_digits = re.search(r"\d", text) and (not _NUMERIC_TIME.fullmatch(text) or _DECIMAL.fullmatch(text))
            is_calendar_name = _CALENDAR_NAME.fullmatch(text) and not _TIME_PREPOSITION.search(question[:start])
            holds_time = _TIME_OF_DAY.match(text) and mention.last - mention.first > 1
            if mention.match is Match.WHOLE and (has_digits or is_calendar_name or holds_time):
                question = question[:start] + "X" * (end - start) + question[end:]
        return question


def refers_back(question: str) -> bool:
    """Whether its time is that of something said before: "Where did Ann live then?"."""
    return REFERS_BACK.search(question) is not None


def _is_of_all(scope: QuestionScope, frame: Frame) -> bool:
    """ "What has changed since May?", about nothing by name."""
    return scope.ask is Ask.CHANGES and not any(word.text[:1].isupper() for word in frame.words[1:])


@dataclass(frozen=True, kw_only=True, slots=True)
class _Parse:
    """One question being read."""

    reader: QuestionReader
    sentence: Sentence

    @classmethod
    def of(cls, reader: QuestionReader, frame: Frame, facts: KnownFacts) -> _Parse:
        terms = _terms(frame.words, reader)
        return cls(reader=reader, sentence=Sentence.of(frame, terms, reader.words, facts))

    def without_named_ordinal(self) -> _Parse:
        """ "Second" in a name ("the second shop") numbers nothing that is asked for."""
        at = self.frame.n_at
        if at is None or not self.sentence.is_named(at):
            return self
        return replace(self, sentence=replace(self.sentence, frame=replace(self.frame, n=None, n_at=None)))

    @property
    def frame(self) -> Frame:
        return self.sentence.frame

    def best_reading(self) -> Reading | None:
        """The heaviest reading; None where none is heavy enough."""
        sentence, terms = self.sentence, self.sentence.terms
        if not terms:
            return None
        if self.frame.is_open:
            return Reading(relation="", subject=terms[0], object=None, weight=_ENOUGH, is_known=True)
        best = max(self._readings(sentence, terms, _MOST_HOPS), key=lambda reading: reading.weight, default=None)
        if best is not None and best.weight < _ENOUGH:
            best = None
        if best is None or (best.cue is not None and best.cue.is_weak):
            best = bare_reading(sentence, terms) or best
        if best is not None and best.relation == _NAMED and not best.is_known:
            return self._without_name_of().best_reading() or best
        if best is None or (best.relation == RELATED and not best.is_known):
            best = kin_reading(sentence) or best
        return None if best is None else onward(sentence, best)

    def _without_name_of(self) -> _Parse:
        """ "The name of Mia's school" asks for the school; where no name is spoken of, nothing is left to read."""
        words = self.frame.words
        at = next((i for i, word in enumerate(words) if word.text.casefold() in ("name", "names")), None)
        is_said = at is not None and _NAME_OF.search(" ".join(word.text for word in words))
        rest = (*words[: at - 1], *words[at + 2 :]) if at is not None and is_said else ()
        return _Parse.of(self.reader, replace(self.frame, words=rest), self.sentence.facts)

    def _readings(self, sentence: Sentence, terms: Sequence[Term], hops: int) -> list[Reading]:
        readings = readings_of(sentence, terms, pairs=self.frame.asker in _NAMES_BOTH_ENDS)
        for walked in walks(sentence, terms) if hops else ():
            rest = [term for term in terms if term.last <= walked.first or walked.last <= term.first]
            readings += [
                replace(reading, weight=reading.weight + _WALK_BONUS)
                for reading in self._readings(sentence, [*rest, walked], hops - 1)
                if any(term.path for term in reading.terms)
            ]
        return readings

    def misses_a_name(self, reading: Reading) -> bool:
        """Whether one end of the fact is named by what nobody knows: "when did Zebedee join Acme", "when did Ann buy the car"."""
        if self.frame.asker not in _NAMES_BOTH_ENDS or len(reading.terms) == 2:
            return False
        sentence = self.sentence
        explained = {at for cue in sentence.cues for at in cue.at}
        own = {at for cue in sentence.cues if cue.relation == reading.relation for at in cue.at}
        verb = reading.cue.at[-1] if reading.cue and not reading.cue.kind.is_noun and not reading.cue.is_weak else None
        objects = [at for at in sentence.determined() if verb is not None and at > verb and at not in own]
        return bool(objects) or any(
            word.is_name_like and at > 0 and at not in explained and not sentence.is_named(at)
            for at, word in enumerate(self.frame.words)
        )

    def relations_of(self, reading: Reading) -> tuple[str, ...]:
        """The reading's relation; without facts that settle it, the other unknown ones that fit as well."""
        if reading.is_known or reading.cue is None:
            return (reading.relation,) if reading.relation else ()
        sentence = self.sentence
        terms = tuple(dict.fromkeys([*sentence.terms, *reading.terms]))
        others = [
            other
            for other in readings_of(sentence, terms, pairs=len(reading.terms) == 2)
            if (other.subject, other.object) == (reading.subject, reading.object) and not other.is_known
        ]
        return tuple(tied(others)) if others else (reading.relation,)

    def anchor(self, clauses: Sequence[Clause], scope: QuestionScope, main: Reading) -> Anchor | None:
        """The fact by which a clause dates the question; None where a time does already, or no clause dates it."""
        dating = [clause for clause in clauses if scope.window is None and not clause.is_about_knowing]
        if not dating:
            return None
        reader = self.reader
        anchoring = Anchoring(main=main, words=reader.words, facts=self.sentence.facts, declared=reader.relations)
        return anchoring.anchor(dating[0], _terms(cut_words(dating[0].text), reader))


def _terms(words: Sequence[Word], reader: QuestionReader) -> list[Term]:
    """What the words name; a possessive pronoun stands for the first of it, mostly one before it."""
    mentions = reader.names.spot(words)[:_MOST_TERMS]
    terms = [Term.of(mention) for mention in mentions if not _is_owned_noun(mention, words, reader.words)]
    for index, word in enumerate(words):
        if word.text.casefold() not in _POSSESSIVE_PRONOUNS or len(terms) >= _MOST_TERMS:
            continue
        named = [term for term in terms if not term.is_pronoun]
        meant = next((term for term in named if term.last <= index), named[0] if named else None)
        if meant is not None:
            terms.append(replace(meant, first=index, last=index + 1, is_pronoun=True))
    return terms


def _is_owned_noun(mention: Mention, words: Sequence[Word], lexicon: RelationWords) -> bool:
    """ "Mia's school" is whatever school is hers, not the one thing whose name holds the word."""
    first = mention.first
    if mention.match is Match.WHOLE or mention.last - first > 1 or words[first].is_name_like or not first:
        return False
    is_owned = words[first - 1].is_possessive or words[first - 1].text.casefold() in _POSSESSIVE_PRONOUNS
    return is_owned and any(cue.kind.is_noun and first in cue.at for cue in lexicon.cues(words))


def _filled(
    blank: Query,
    slot: Slot,
    reading: Reading | None,
    relations: tuple[str, ...],
    frame: Frame,
    scope: QuestionScope,
    *,
    is_event: bool = False,
) -> Query:
    """The query with what is asked, of whom, and of which time; without a reading it is of everything."""
    window, known_at = times_of(frame, scope, slot, blank.asked_at, is_event=is_event)
    query = replace(
        blank,
        slot=slot,
        relations=relations,
        subjects=_ids(reading.subject) if reading else (),
        objects=_ids(reading.object) if reading else (),
        n=frame.n if slot in _NUMBERED else None,
        edge=edge_of(reading) if slot is Slot.YES_NO and reading and not is_event else None,
        window=window,
        known_at=known_at,
        step=frame.step if slot is Slot.SPAN else None,
        known_since=scope.known_window[0] if slot is Slot.CHANGES and scope.known_window else None,
    )
    walked = next((term for term in reading.terms if term.path), None) if reading else None
    if reading is None or walked is None:
        return query
    if slot in (Slot.VALUE, Slot.WHO):
        last = Hop(relations=relations, inverse=walked is reading.object)
        return replace(
            query, slot=Slot.PATH, subjects=walked.roots, relations=(), objects=(), path=(*walked.path, last)
        )
    return replace(query, subjects=walked.roots, path=walked.path) if walked is reading.subject else query


def _ids(term: Term | None) -> tuple[str, ...]:
    return () if term is None else term.entity_ids
