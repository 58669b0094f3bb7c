"""Clauses that date a question by an event: "before she joined Globex", "at the time of the merger"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphmem.relations import relation_of
from graphmem.retrieve.known_facts import KnownFacts
from graphmem.retrieve.query import Anchor, Position
from graphmem.retrieve.question_words import cut_words
from graphmem.retrieve.readings import Reading
from graphmem.retrieve.relation_words import Cue, RelationWords
from graphmem.retrieve.sentence import Term
from graphmem.timeline.claims import FactKey, Relation
from graphmem.timeline.expressions import Operator
from graphmem.timeline.scope import QuestionScope

__all__ = ["Anchoring", "Clause", "clauses_of"]

_ENOUGH = 1.5
_NAMED_END = 1.6
_PRONOUN_END = 1.2
_SILENT_END = 0.9
_WORD_SHARE = 0.8
_SAME_RELATION = 1.0
_PRONOUNS = frozenset("he she it they him her them his its their hers theirs".split())
_MORE = re.compile(
    r"\b(?:(?:at the (?:time|moment)|on the day)(?: of| when| that)?|by the time|(?P<once>once|as soon as)|as of the)\s+"
    r"(?P<clause>[^,.?!]*[^\W\d_][^,.?!]*)",
    re.IGNORECASE,
)
_NO_TIME = re.compile(
    r"\b(?:(?:look\w*|named?|names|call\w*)\s+after|(?:come|comes|came)\s+(?:after|befor))$", re.IGNORECASE
)
_SINCE_WHEN = re.compile(
    r"(?:since|until|till|by|from)?\s*when\b(?:\s+(?:exactly|precisely|on|onwards?))?"
    r"(?=\s+(?:has|have|had|did|do|does|is|was|are|were|will|must|can|should)\b)",
    re.IGNORECASE,
)
_TURNS = "change|changeover|switch|update|upgrade|move|rise|cut|increase|raise|renewal"
_THE_CHANGE = re.compile(
    rf"(?:the|that|this|any)\s+(?:\w+\s+)?(?:{_TURNS}|(?:current|present|new) one|one (?:now|today))|that|this"
    r"|(?:it|that|this|he|she|they)\s+(?:was\s+|were\s+|got\s+)?(?:changed?|switched|updated|replaced)"
    r"(?:\s+(?:it|that|this|over))?",
    re.IGNORECASE,
)
_KNOWING = re.compile(r"(?:we|i|you)\s+(?:\w+\s+)?(?:know|knew|known|heard|met|remember)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Clause:
    """The words that date a question by an event, with their operator."""

    operator: Operator
    text: str
    span: tuple[int, int]
    """Characters of the question, the operator's among them."""

    @property
    def is_about_knowing(self) -> bool:
        """ "Since we know him" dates nothing."""
        return _KNOWING.match(self.text) is not None


def clauses_of(question: str, scope: QuestionScope) -> list[Clause]:
    """The clauses of a question in its order; "looking after", "since when" and "came after" begin none.

    The scope may have been read from a question with some names overwritten: the words are those of the question itself.
    """
    found = [
        Clause(operator=one.operator, text=question[one.end - len(one.clause) : one.end], span=(one.start, one.end))
        for one in scope.expressions
        if one.clause and not _NO_TIME.search(question[: one.start + len("after")]) and not _SINCE_WHEN.match(one.text)
    ]
    more = _MORE.search(question)
    if found or more is None:
        return found
    operator = Operator.AFTER if more["once"] else Operator.WHEN
    return [Clause(operator=operator, text=more["clause"], span=more.span())]


@dataclass(frozen=True, kw_only=True, slots=True)
class Anchoring:
    """Finds the fact that a clause speaks of, beside the reading of the question it belongs to."""

    main: Reading
    words: RelationWords
    facts: KnownFacts
    declared: Mapping[str, Relation]

    def anchor(self, clause: Clause, terms: Sequence[Term]) -> Anchor:
        """The fact nearest to the clause and its `terms`; without one, what would have to be known."""
        if not terms and self.main.subject is not None and _THE_CHANGE.fullmatch(clause.text.strip()):
            return self._last_change(clause)
        cues = self.words.cues(cut_words(clause.text))
        has_pronoun = any(word.text.casefold() in _PRONOUNS for word in cut_words(clause.text))
        ends = [*(end for term in terms for end in term.entity_ids), *self._main_ids()]
        facts = dict.fromkeys(fact for end in ends for fact in self.facts.touching(end))
        best = max(facts, key=lambda fact: (self._weight(fact, terms, cues, has_pronoun), _reverse(fact)), default=None)
        if best is None or self._weight(best, terms, cues, has_pronoun) < _ENOUGH:
            return self._unknown(clause, terms, cues)
        position = self._position(clause.operator, _cue_for(best, terms, cues), best.relation)
        return Anchor(position=position, subjects=(best.subject,), relations=(best.relation,), objects=(best.object,))

    def _last_change(self, clause: Clause) -> Anchor:
        """ "Before the change": what is asked for took the place of something else; counted from where it last did."""
        position = Position.BEFORE if clause.operator is Operator.BEFORE else Position.START
        return Anchor(position=position, subjects=self._main_ids(), relations=(self.main.relation,), n=-1)

    def _main_ids(self) -> tuple[str, ...]:
        return self.main.terms[0].entity_ids if self.main.terms else ()

    def _weight(self, fact: FactKey, terms: Sequence[Term], cues: Sequence[Cue], has_pronoun: bool) -> float:
        ends = {fact.subject, fact.object}
        named = {end for end in ends if any(end in term.entity_ids for term in terms)}
        cue = _cue_for(fact, terms, cues)
        is_vague = cue is None or cue.is_weak
        if not named and is_vague:
            return 0.0
        weight = _NAMED_END * len(named) + (0.0 if cue is None else cue.weight * _WORD_SHARE)
        if any(end in self._main_ids() for end in ends - named):
            weight += _PRONOUN_END if has_pronoun else _SILENT_END
        return weight + (_SAME_RELATION if is_vague and fact.relation == self.main.relation else 0.0)

    def _unknown(self, clause: Clause, terms: Sequence[Term], cues: Sequence[Cue]) -> Anchor:
        strongest = max(cues, key=lambda cue: cue.weight, default=None)
        relation = strongest.relation if strongest else self.main.relation
        ends = tuple(end for term in terms for end in term.entity_ids)
        position = self._position(clause.operator, strongest, relation)
        if self.main.subject is None and strongest is None:
            return Anchor(position=position, subjects=ends, relations=(relation,), objects=self._main_ids())
        return Anchor(position=position, subjects=self._main_ids(), relations=(relation,), objects=ends)

    def _position(self, operator: Operator, cue: Cue | None, relation: str) -> Position:
        """Seen from the fact: its word may speak of its beginning ("joined") or its end ("left")."""
        is_event = self._is_event(relation)
        begins = is_event or (cue is not None and cue.kind.begins)
        ends = cue is not None and cue.kind.ends
        match operator:
            case Operator.BEFORE if ends:
                return Position.END
            case Operator.BEFORE:
                return Position.UNTIL if self._is_event(self.main.relation) else Position.BEFORE
            case Operator.AFTER:
                return Position.START if begins and not is_event else Position.AFTER
            case Operator.SINCE:
                return Position.SINCE
            case Operator.UNTIL | Operator.BY:
                return Position.UNTIL
            case _:
                return Position.END if ends else Position.START if begins else Position.DURING

    def _is_event(self, relation: str) -> bool:
        return relation_of(relation, self.declared).event


def _cue_for(fact: FactKey, terms: Sequence[Term], cues: Sequence[Cue]) -> Cue | None:
    used = [term for term in terms if fact.subject in term.entity_ids or fact.object in term.entity_ids]
    fitting = [cue for cue in cues if cue.relation == fact.relation and not any(term.covers(cue) for term in used)]
    return max(fitting, key=lambda cue: cue.weight, default=None)


def _reverse(fact: FactKey) -> tuple[int, ...]:
    """Orders equal weights by the facts themselves, the first one as the greatest."""
    return tuple(-ord(letter) for letter in f"{fact.subject}\0{fact.relation}\0{fact.object}")
