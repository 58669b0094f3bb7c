"""One question as the parser sees it: its words, what they name, what they may mean, and the facts around the names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphmem.retrieve.known_facts import KnownFacts
from graphmem.retrieve.name_spotting import Match, Mention
from graphmem.retrieve.query import Hop
from graphmem.retrieve.question_frame import Frame
from graphmem.retrieve.question_words import AUXILIARIES, Word, is_participle, stem
from graphmem.retrieve.relation_words import Cue, CueKind, RelationWords
from graphmem.timeline.claims import FactKey

__all__ = ["ARTICLES", "RELATIVES", "Sentence", "Term"]

ARTICLES = frozenset(["the", "a", "an"])
RELATIVES = frozenset(["who", "that", "which", "whom", "where"])
_DETERMINERS = ARTICLES | {"his", "her", "its", "their"}
_PASSIVE_REACH = 8
_GENERIC = frozenset(
    stem(word)
    for word in "start begin stop end finish become get take give go move change switch leave come do make enter lose keep call "
    "use see hold run be have receive play return reach part drop name hand pick set put pay spend happen order".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Term:
    """Something a question is about: a name, or where a walk from a name leads ("Ann's manager")."""

    first: int
    last: int
    """Words [first, last)."""
    entity_ids: tuple[str, ...]
    match: Match
    is_plain: bool = False
    """It may also be an ordinary word of the question."""
    is_pronoun: bool = False
    roots: tuple[str, ...] = ()
    """Where the walk starts; empty: there is none."""
    path: tuple[Hop, ...] = ()

    @classmethod
    def of(cls, mention: Mention) -> Term:
        return cls(
            first=mention.first,
            last=mention.last,
            entity_ids=mention.entity_ids,
            match=mention.match,
            is_plain=mention.is_plain,
        )

    def after(self, hop: Hop, ends: tuple[str, ...]) -> Term:
        """What one more step of a walk from it leads to."""
        return replace(self, entity_ids=ends, roots=self.roots or self.entity_ids, path=(*self.path, hop))

    def covers(self, cue: Cue) -> bool:
        return any(self.first <= index < self.last for index in cue.at)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """The words of a question without its time, with everything that can be looked up about them."""

    frame: Frame
    terms: tuple[Term, ...]
    cues: tuple[Cue, ...]
    """Those that count as words of a relation here."""
    lexicon: RelationWords
    facts: KnownFacts

    @classmethod
    def of(cls, frame: Frame, terms: Sequence[Term], lexicon: RelationWords, facts: KnownFacts) -> Sentence:
        cues = tuple(cue for cue in lexicon.cues(frame.words) if _counts(cue, frame, terms))
        return cls(frame=frame, terms=tuple(terms), cues=cues, lexicon=lexicon, facts=facts)

    @property
    def words(self) -> tuple[Word, ...]:
        return self.frame.words

    # ---- words

    def is_possessive(self, term: Term) -> bool:
        return term.is_pronoun or self.words[term.last - 1].is_possessive

    def is_followed_by_of(self, cue: Cue) -> bool:
        after = cue.at[-1] + 1
        return after < len(self.words) and self.words[after].stem == "of"

    def is_generic(self, cue: Cue) -> bool:
        """A word for very many things: "get", "start"."""
        return not cue.is_weak and not cue.kind.is_noun and all(self.words[at].stem in _GENERIC for at in cue.at)

    def is_kind(self, cue: Cue) -> bool:
        """The noun only says of what kind the answer is; not so in "which dose of it", which asks for the dose."""
        return cue.kind.is_noun and self.frame.kind_at in cue.at and not self.is_followed_by_of(cue)

    def is_named(self, at: int) -> bool:
        return any(term.first <= at < term.last for term in self.terms)

    def modifies_a_noun(self, cue: Cue) -> bool:
        """ "Launch" in "launch date", "head" in "head office": what is asked for is the noun after it."""
        after, kind = cue.at[-1] + 1, self.frame.kind_at
        if kind is not None and self.frame.asked_at < cue.at[0] < kind and kind not in cue.at:
            return True
        if self.words[cue.at[-1]].is_possessive or self.is_named(after):
            return False
        here = [other for other in self.cues if other.at[0] == after and not other.is_weak]
        return any(other.relation != cue.relation for other in here) and all(other.kind.is_noun for other in here)

    def determined(self) -> list[int]:
        """The words that begin a noun phrase ("the weather", "Windfall's turnover", "his car") and name nothing."""
        return [
            at
            for at, word in enumerate(self.words[1:], start=1)
            if (self.words[at - 1].is_possessive or self.words[at - 1].text.casefold() in _DETERMINERS)
            and not self.is_named(at)
            and word.stem not in AUXILIARIES
        ]

    # ---- which end a name stands at

    def puts_at_subject(self, cue: Cue, term: Term) -> bool:
        """Whether the wording makes the name the subject of the fact that the word speaks of."""
        return self._noun_puts_at_subject(cue, term) if cue.kind.is_noun else self._verb_puts_at_subject(cue, term)

    def _verb_puts_at_subject(self, cue: Cue, term: Term) -> bool:
        """The name before the verb is its grammatical subject, the one after it its object; a passive turns that round."""
        is_grammatical_subject = term.first < cue.at[0]
        if self._is_passive(cue):
            is_grammatical_subject = not is_grammatical_subject
        return is_grammatical_subject != cue.kind.is_reverse

    def _is_passive(self, cue: Cue) -> bool:
        if cue.is_passive or not is_participle(self.words[cue.at[0]].text):
            return False
        before = [word.stem for word in self.words[max(0, cue.at[0] - _PASSIVE_REACH) : cue.at[0]]]
        return "be" in before and before[-1] != "have"

    def _noun_puts_at_subject(self, cue: Cue, term: Term) -> bool:
        """ "Ann's manager", "the manager of Ann", "which manager does Ann have": Ann stands at the other end of the noun."""
        noun, after = cue.at[0], cue.at[-1] + 1
        is_stranded = after == len(self.words) - 1 and self.words[after].stem == "of"
        is_owner = not self.frame.asks_whose and not is_stranded and (term.last >= noun or self.is_possessive(term))
        return is_owner == (cue.kind is CueKind.OBJECT)

    # ---- facts

    def facts_of(self, term: Term) -> tuple[FactKey, ...]:
        return tuple(dict.fromkeys(fact for entity_id in term.entity_ids for fact in self.facts.touching(entity_id)))

    def is_known(self, relation: str, subject: Term | None, obj: Term | None) -> bool:
        """Whether any fact of this shape is known; a free end is None."""
        some = subject or obj
        if some is None:
            return False
        for fact in self.facts_of(some):
            if fact.relation != relation:
                continue
            ends = [(fact.subject, fact.object)]
            if relation in self.lexicon.symmetric:
                ends.append((fact.object, fact.subject))
            for one, other in ends:
                if (subject is None or one in subject.entity_ids) and (obj is None or other in obj.entity_ids):
                    return True
        return False

    def far_ends(self, term: Term, relation: str, *, inverse: bool) -> tuple[str, ...]:
        """The entities that facts of the relation join to the term; inverse: from object to subject."""
        both = relation in self.lexicon.symmetric
        ends = [
            fact.subject if fact.object in term.entity_ids else fact.object
            for fact in self.facts_of(term)
            if fact.relation == relation and (both or (fact.object if inverse else fact.subject) in term.entity_ids)
        ]
        return tuple(dict.fromkeys(ends))


def _counts(cue: Cue, frame: Frame, terms: Sequence[Term]) -> bool:
    """Words of a proper name are no cues, and a word after an article or after "which" is no verb."""
    if any(term.covers(cue) and not term.is_plain for term in terms):
        return False
    if cue.kind.is_noun or cue.is_weak:
        return True
    before = frame.words[cue.at[0] - 1] if cue.at[0] else None
    is_noun_here = not cue.is_idiom and (
        before is not None and (before.stem in ARTICLES or before.is_possessive) and cue.at[0] + 1 not in cue.at
    )
    return not is_noun_here and frame.kind_at not in cue.at
