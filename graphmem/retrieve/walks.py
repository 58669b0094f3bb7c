"""Walks in a question: "Ann's manager", "the company Ann works for", "on which island is she staying"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphmem.retrieve.kinship import kin_of, noun_span
from graphmem.retrieve.query import Hop
from graphmem.retrieve.question_words import PREPOSITIONS
from graphmem.retrieve.readings import Reading
from graphmem.retrieve.relation_words import Cue, CueKind
from graphmem.retrieve.sentence import RELATIVES, Sentence, Term

__all__ = ["onward", "walks"]

_CLAUSE_REACH = 4
_MOST_WALKS = 3


def walks(sentence: Sentence, terms: Sequence[Term]) -> list[Term]:
    """What relational nouns and relative clauses make of the terms; only walks that lead somewhere, as far as facts are known."""
    found = []
    for term in terms:
        for cue in sentence.cues:
            if term.covers(cue) or cue.is_weak:
                continue
            kin = kin_of(sentence, term, cue)
            if kin is not None:
                found.append(kin)
                continue
            if cue.kind.is_noun:
                span, inverse = noun_span(sentence, term, cue), cue.kind is CueKind.SUBJECT
            else:
                span, inverse = _clause_span(sentence, term, cue), _heads_subject(term, cue)
            walked = None if span is None else _walked(sentence, term, cue, span, inverse=inverse)
            if walked is not None:
                found.append(walked)
    return found[:_MOST_WALKS]


def onward(sentence: Sentence, reading: Reading) -> Reading:
    """The reading one relation further, where only that gives the kind that is asked for: the island on which her hotel lies."""
    at, subject, cue = sentence.frame.kind_at, reading.subject, reading.cue
    if at is None or subject is None or reading.object is not None or cue is None or at in cue.at:
        return reading
    if not cue.kind.is_noun and any(at in other.at for other in reading.cues):
        return reading
    values = sentence.far_ends(subject, reading.relation, inverse=False)
    for other in sentence.cues:
        if other.kind is not CueKind.OBJECT or at not in other.at or other.relation == reading.relation:
            continue
        if any(
            fact.relation == other.relation and fact.subject == end
            for end in values
            for fact in sentence.facts.touching(end)
        ):
            walked = subject.after(Hop(relations=(reading.relation,)), values)
            return replace(reading, relation=other.relation, subject=walked, cue=other, cues=(other,))
    return reading


def _clause_span(sentence: Sentence, term: Term, cue: Cue) -> tuple[int, int] | None:
    """The words of "the person who reports to Mei", "the company Pique belongs to"; None if they do not stand so."""
    words = sentence.words
    first, verb = min(term.first, cue.at[0]), cue.at[-1]
    nearby = range(first - 1, max(sentence.frame.asked_at, first - _CLAUSE_REACH), -1)
    relative = next((at for at in nearby if words[at].stem in RELATIVES), None)
    if relative is None and term.first > cue.at[0]:
        return None
    head = (first if relative is None else relative) - 1
    start = next((at for at in range(head, max(-1, head - _CLAUSE_REACH), -1) if words[at].stem == "the"), None)
    if start is None or start == head:
        return None
    last = max(term.last, verb + 1)
    if last == verb + 1 and last < len(words) and words[last].stem in PREPOSITIONS:
        last += 1
    return start, last


def _heads_subject(term: Term, cue: Cue) -> bool:
    """Whether the noun before the relative clause is the fact's subject: it is, where the name follows the verb."""
    return (cue.at[0] < term.first) != cue.kind.is_reverse


def _walked(sentence: Sentence, term: Term, cue: Cue, span: tuple[int, int], *, inverse: bool) -> Term | None:
    ends = sentence.far_ends(term, cue.relation, inverse=inverse)
    if not ends:
        return None
    walked = term.after(Hop(relations=(cue.relation,), inverse=inverse), ends)
    return replace(walked, first=span[0], last=span[1], is_plain=False, is_pronoun=False)
