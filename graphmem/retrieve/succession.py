"""Who came before or after somebody in the same place: "who succeeded Nadia as head of the archive", "who did Otto replace"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graphmem.relations import relation_of
from graphmem.retrieve.query import Anchor, Position
from graphmem.retrieve.question_frame import Asker
from graphmem.retrieve.readings import Reading
from graphmem.retrieve.sentence import Sentence, Term
from graphmem.timeline.claims import FactKey, Relation, Rivalry

__all__ = ["Succession", "succession_of"]

_FOLLOWS = re.compile(
    r"\b(?:succeed|replace|follow|come after|came after|take over from|took over from|step into|fill)\w*"
    r"|\b(?:took|take|taken) over\b.*\bfrom\b|\bsuccessor\b",
    re.IGNORECASE,
)
_PRECEDES = re.compile(r"\b(?:precede\w*|came before|come before|predecessor)\b", re.IGNORECASE)
_NOUNS = re.compile(r"\b(?:successor|predecessor)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Succession:
    """The fact one counts from, the side that is asked for, and the reading that asks for it."""

    fact: FactKey
    position: Position
    reading: Reading

    @property
    def anchor(self) -> Anchor:
        fact = self.fact
        return Anchor(
            position=self.position, subjects=(fact.subject,), relations=(fact.relation,), objects=(fact.object,)
        )


def succession_of(sentence: Sentence, declared: Mapping[str, Relation]) -> Succession | None:
    """What the words of following or preceding ask for; None where they say no such thing, or no place known can be meant.

    The place is that of a fact of a rival relation which joins the one who is named to something else that is named, or to
    anything if nothing else is.
    """
    text = " ".join(word.text for word in sentence.words)
    follows, precedes = _FOLLOWS.search(text), _PRECEDES.search(text)
    if sentence.frame.asker is not Asker.WHO or not (follows or precedes):
        return None
    people = sorted(
        sentence.terms,
        key=lambda term: -max((_fit(sentence, fact, term) for fact in sentence.facts_of(term)), default=0.0),
    )
    for term in people:
        held = [fact for fact in sentence.facts_of(term) if _is_held(fact, declared)]
        if held:
            fact = max(held, key=lambda one: _fit(sentence, one, term))
            return _counted_from(sentence, fact, term, is_after=_asks_after(sentence, term, text, bool(precedes)))
    return None


def _is_held(fact: FactKey, declared: Mapping[str, Relation]) -> bool:
    return relation_of(fact.relation, declared).rivalry is not Rivalry.NONE


def _fit(sentence: Sentence, fact: FactKey, term: Term) -> float:
    """How well the fact is the one spoken of: its other end is named, its relation has a word, it answers "who"."""
    other = fact.object if fact.subject in term.entity_ids else fact.subject
    is_named = any(other in one.entity_ids for one in sentence.terms if one is not term)
    has_word = any(cue.relation == fact.relation and not cue.is_weak for cue in sentence.cues)
    gives_person = fact.object in term.entity_ids and Asker.WHO.value in sentence.lexicon.asks.get(fact.relation, ())
    return 2.0 * is_named + 1.5 * has_word + gives_person


def _asks_after(sentence: Sentence, term: Term, text: str, is_precedes: bool) -> bool:
    """ "Who succeeded Nadia" asks for the one after her; "who did Nadia succeed" for the one before."""
    turning = _PRECEDES.search(text) if is_precedes else _FOLLOWS.search(text)
    start = sum(len(word.text) + 1 for word in sentence.words[: term.first])
    is_subject = turning is not None and start < turning.start() and not _NOUNS.search(text)
    return is_subject == is_precedes


def _counted_from(sentence: Sentence, fact: FactKey, term: Term, *, is_after: bool) -> Succession:
    is_object = fact.object in term.entity_ids
    other = fact.subject if is_object else fact.object
    place = next((one for one in sentence.terms if other in one.entity_ids), None)
    named = place or Term(first=term.first, last=term.last, entity_ids=(other,), match=term.match)
    reading = Reading(
        relation=fact.relation,
        subject=named if is_object else None,
        object=None if is_object else named,
        weight=1.0,
        is_known=True,
    )
    return Succession(fact=fact, position=Position.AFTER if is_after else Position.BEFORE, reading=reading)
