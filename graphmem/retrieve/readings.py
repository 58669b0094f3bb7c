"""Weighs what a question may mean: which relation, and which end of it each name stands at.

Every reading is a sum of the weights below. The words for a relation weigh most; facts that are known around the names settle
which of several relations a word stands for; the wording settles which end a name stands at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from graphmem.retrieve.name_spotting import Match
from graphmem.retrieve.question_frame import Asker
from graphmem.retrieve.question_words import AUXILIARIES, PREPOSITIONS, stem
from graphmem.retrieve.relation_words import Cue, CueKind
from graphmem.retrieve.sentence import ARTICLES, Sentence, Term

__all__ = ["Reading", "bare_reading", "readings_of", "tied"]

# What is known of the names.
_PAIR_KNOWN = 4.6
_END_KNOWN = 1.8
_PAIR_NAMED = 2.2
_KIND_KNOWN = 0.8
_KIND_ALONE = 0.9
_UNKNOWN_WALK = 1.0
_WHOLE_NAME = 0.1
_NAME_LEFT_OVER = 0.5
_NAME_ANSWERED = 2.5
# How the words fit.
_GENERIC_SHARE = 0.6
_MODIFIER_SHARE = 0.3
_KIND_SHARE = 0.45
_TURNING = 0.5
_COVERED = 0.3
_NOUN_LEFT_OVER = 0.6
_SAID_OTHERWISE = 2.0
_UNKNOWN_PROPERTY = 2.0
_ANOTHER_MEANT = 5.0
# How the question word and its noun fit.
_ASKER_FITS = 0.4
_ASKER_MISFITS = 1.2
_KIND_UNKNOWN = 0.7
_KIND_OF_ANOTHER = 1.4
_OTHER_KIND_ASKED = 5.0
_OBJECT_ASKED = 2.0
# Which end.
_END_FITS = 0.6
_SAME_KIND_MISFITS = 2.4
_OF_IT = 0.4
_SYMMETRIC_OBJECT = 0.1

_TIED = 0.9
_ASKS_WITH_BE = (Asker.WHERE, Asker.WHEN, Asker.HOW_MUCH, Asker.HOW_MANY)
_ASKS_FOR_TIMES = (Asker.WHEN, Asker.HOW_LONG, Asker.YES_NO)
_ASKS_FOR_NO_KIND = (Asker.LIST, Asker.YES_NO, Asker.HOW_LONG, Asker.HOW_OFTEN, Asker.WHOSE)
_ASKS_FOR_AMOUNT = (Asker.HOW_MUCH, Asker.HOW_HEAVY)
_SAYS_NOTHING = AUXILIARIES | PREPOSITIONS | ARTICLES | {"it", "there", stem("use")}
_PLACE = "LOCATED_IN"
_OTHER_PEOPLE = frozenset(
    stem(word)
    for word in "roommate flatmate housemate neighbour neighbor ex guest assistant secretary nanny babysitter godmother "
    "godfather godson godchild stepmother stepfather stepson stepdaughter classmate".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One meaning with its weight; an end without a term is free."""

    relation: str
    """Empty: any."""
    subject: Term | None
    object: Term | None
    weight: float
    cue: Cue | None = None
    """The strongest word for it; None where only the facts speak for it."""
    cues: tuple[Cue, ...] = ()
    """All words for it."""
    is_known: bool
    """A fact of this shape is known."""

    @property
    def is_vague(self) -> bool:
        """No word speaks for its relation alone."""
        return self.cue is None or self.cue.is_weak

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(term for term in (self.subject, self.object) if term is not None)


def readings_of(sentence: Sentence, terms: Sequence[Term], *, pairs: bool) -> list[Reading]:
    """Readings of positive weight, heaviest first; `pairs`: both ends may be named."""
    relations = {cue.relation for cue in sentence.cues}
    relations |= {fact.relation for term in terms for fact in sentence.facts_of(term)}
    ends: list[tuple[Term | None, Term | None]] = [*((term, None) for term in terms), *((None, term) for term in terms)]
    if pairs:
        ends += [pair for pair in permutations(terms, 2) if _may_pair(sentence, pair[1])]
    weighed = (_weigh(sentence, terms, relation, *pair) for relation in sorted(relations) for pair in ends)
    return sorted((one for one in weighed if one.weight > 0), key=lambda one: (-one.weight, one.relation))


def tied(readings: Sequence[Reading]) -> list[str]:
    """The relations of the readings that are as good as the first and put the names at the same ends."""
    best = readings[0]
    same = [one for one in readings if (one.subject, one.object) == (best.subject, best.object)]
    return list(dict.fromkeys(one.relation for one in same if best.weight - one.weight <= _TIED))


def bare_reading(sentence: Sentence, terms: Sequence[Term]) -> Reading | None:
    """ "What is the basal rate?", "Where is node 7?": nothing but a name; a known relation that fits the question word."""
    frame = sentence.frame
    said = [word for at, word in enumerate(frame.words) if not sentence.is_named(at) and at != frame.asked_at]
    if any(word.stem not in _SAYS_NOTHING for word in said):
        terms = [term for term in terms if _follows_copula(sentence, term)]
    terms = [term for term in terms if not sentence.is_possessive(term)] or terms
    if not terms:
        return None
    fitting = [name for name, asks in sentence.lexicon.asks.items() if frame.asker.value in asks]
    for relation in fitting:
        for term in terms:
            if sentence.is_known(relation, term, None):
                return Reading(relation=relation, subject=term, object=None, weight=_END_KNOWN, is_known=True)
    if frame.asker is not Asker.WHERE:
        return None
    return Reading(relation=_PLACE, subject=terms[0], object=None, weight=_END_KNOWN, is_known=False)


def _follows_copula(sentence: Sentence, term: Term) -> bool:
    before = [word.stem for word in sentence.words[: term.first] if word.stem not in ARTICLES]
    return before[-1:] == ["be"] and not sentence.is_possessive(term) and not term.is_plain


def _may_pair(sentence: Sentence, obj: Term) -> bool:
    """With "how many" the object is named only by the noun that is counted ("how many outages")."""
    if sentence.frame.asker is not Asker.HOW_MANY:
        return True
    kind = sentence.frame.kind_at
    return kind is not None and obj.first <= kind < obj.last


def _weigh(sentence: Sentence, terms: Sequence[Term], relation: str, subject: Term | None, obj: Term | None) -> Reading:
    used = [term for term in (subject, obj) if term is not None]
    known = sentence.is_known(relation, subject, obj)
    own = [cue for cue in sentence.cues if cue.relation == relation and not any(term.covers(cue) for term in used)]
    cues = [cue for cue in own if not cue.is_weak or (known and _weak_word_fits(sentence, cue))]
    cue = max(cues, key=lambda one: _lexical(sentence, one), default=None)
    reading = Reading(
        relation=relation, subject=subject, object=obj, weight=0.0, cue=cue, cues=tuple(cues), is_known=known
    )
    if (cue is None and not (known and len(used) == 2)) or _turns_back(sentence, reading):
        return reading
    weight = (
        (0.0 if cue is None else _lexical(sentence, cue) + _coverage(cues, cue))
        + _knowledge(sentence, reading)
        + _ends_fit(sentence, reading)
        + _asker_fit(sentence, reading)
        + _kind_fit(sentence, reading)
        - _said_otherwise(sentence, reading)
        - _left_over(sentence, reading, terms)
        - _unknown_property(sentence, reading)
        - _of_another(sentence, reading)
    )
    return Reading(
        relation=relation, subject=subject, object=obj, weight=weight, cue=cue, cues=tuple(cues), is_known=known
    )


def _turns_back(sentence: Sentence, reading: Reading) -> bool:
    """A walk that goes back the way it came asks nothing."""
    if reading.relation in sentence.lexicon.symmetric:
        return False
    hops = [(term.path[-1], term is reading.object) for term in reading.terms if term.path]
    return any(reading.relation in hop.relations and hop.inverse != inverse for hop, inverse in hops)


# ---- the words


def _lexical(sentence: Sentence, cue: Cue) -> float:
    """A word for very many things counts less, as does a noun that only says what kind is asked for."""
    if sentence.is_generic(cue):
        return cue.weight * _GENERIC_SHARE
    if sentence.modifies_a_noun(cue) or (cue.kind.is_noun and sentence.words[cue.at[-1]].is_possessive):
        return cue.weight * _MODIFIER_SHARE
    if (cue.kind.begins or cue.kind.ends) and sentence.frame.asker not in _ASKS_FOR_TIMES:
        return cue.weight - _TURNING
    return cue.weight * (_KIND_SHARE if sentence.is_kind(cue) else 1.0)


def _weak_word_fits(sentence: Sentence, cue: Cue) -> bool:
    """ "Be" alone counts only with the question word that fits ("where is it")."""
    asker = sentence.frame.asker
    return not cue.is_copula or (asker in _ASKS_WITH_BE and asker.value in sentence.lexicon.asks.get(cue.relation, ()))


def _coverage(cues: Sequence[Cue], best: Cue) -> float:
    """Further words that fit speak for a relation too."""
    clear = {at for cue in cues if not cue.is_weak for at in cue.at} - set(best.at)
    weak = {at for cue in cues if cue.is_weak for at in cue.at} - clear - set(best.at)
    return _COVERED * len(clear) + _COVERED / 3 * len(weak)


def _said_otherwise(sentence: Sentence, reading: Reading) -> float:
    """A clear verb of another relation speaks against a reading that has no verb."""
    if any(not cue.kind.is_noun and not cue.is_weak for cue in reading.cues):
        return 0.0
    others = [
        cue
        for cue in sentence.cues
        if cue.relation != reading.relation
        and cue.kind in (CueKind.VERB, CueKind.REVERSE)
        and not cue.is_weak
        and not sentence.is_generic(cue)
        and not any(term.covers(cue) for term in reading.terms)
    ]
    nouns = [cue for cue in reading.cues if cue.kind.is_noun]
    if not others or not nouns:
        return _SAID_OTHERWISE if others else 0.0
    is_only_kind = sentence.frame.asker is Asker.WHICH and all(sentence.is_kind(cue) for cue in nouns)
    is_sure = is_only_kind and any(cue.is_idiom and cue.is_passive for cue in others)
    return 2 * _SAID_OTHERWISE if is_sure else _SAID_OTHERWISE / 2


def _unknown_property(sentence: Sentence, reading: Reading) -> float:
    """ "Windfall's turnover", "the weather in Graz": a noun that no relation knows is not answered from linking words."""
    if reading.cue is None or not reading.cue.is_weak:
        return 0.0
    explained = {at for cue in sentence.cues for at in cue.at}
    return _UNKNOWN_PROPERTY if any(at not in explained for at in sentence.determined()) else 0.0


def _of_another(sentence: Sentence, reading: Reading) -> float:
    """ "What does Ann's roommate drive" is not answered by what Ann drives."""
    own = {at for cue in reading.cues for at in cue.at}
    meant = {end for term in reading.terms if not term.path for end in term.entity_ids}
    for term in sentence.terms:
        if not sentence.is_possessive(term) or meant.isdisjoint(term.entity_ids):
            continue
        after = range(term.last, min(term.last + 2, len(sentence.words)))
        person = next((at for at in after if _is_person(sentence, at)), None)
        if person is not None and person not in own and not sentence.is_named(person):
            return _ANOTHER_MEANT
    return 0.0


def _is_person(sentence: Sentence, at: int) -> bool:
    lexicon = sentence.lexicon
    nouns = (cue for cue in sentence.cues if cue.kind.is_noun and at in cue.at)
    return sentence.words[at].stem in _OTHER_PEOPLE or any(cue.relation in lexicon.same_kind for cue in nouns)


# ---- the names


def _knowledge(sentence: Sentence, reading: Reading) -> float:
    is_pair = len(reading.terms) == 2
    is_kind_alone = reading.cue is not None and sentence.is_kind(reading.cue)
    weight = _WHOLE_NAME * sum(term.match is Match.WHOLE for term in reading.terms)
    if reading.is_known:
        return weight + (_PAIR_KNOWN if is_pair else _END_KNOWN) + (_KIND_KNOWN if is_kind_alone else 0.0)
    weight -= _UNKNOWN_WALK * sum(bool(term.path) for term in reading.terms)
    if is_kind_alone:
        return weight - _KIND_ALONE
    return weight + (_PAIR_NAMED if is_pair and not _only_titles(reading) else 0.0)


def _only_titles(reading: Reading) -> bool:
    """ "Ticket T-7": the noun says what is named, not what is asked of it."""
    cue = reading.cue
    return cue is not None and cue.kind.is_noun and any(term.first == cue.at[-1] + 1 for term in reading.terms)


def _left_over(sentence: Sentence, reading: Reading, terms: Sequence[Term]) -> float:
    """Names and relational nouns that the reading leaves without a part."""
    names = [term for term in terms if _is_left_over(sentence, term, reading)]
    answered = [term for term in names if _would_be_answered(sentence, term, reading)]
    own = {at for cue in sentence.cues if cue.relation == reading.relation for at in cue.at}
    nouns = {at for cue in sentence.cues if cue.kind.is_noun and cue.relation != reading.relation for at in cue.at}
    covered = {at for term in (*reading.terms, *sentence.terms) for at in range(term.first, term.last)}
    left = nouns - own - covered - {sentence.frame.kind_at}
    return _NAME_LEFT_OVER * len(names) + _NAME_ANSWERED * len(answered) + _NOUN_LEFT_OVER * min(2, len(left))


def _is_left_over(sentence: Sentence, term: Term, reading: Reading) -> bool:
    """Plays no part, is no ordinary word, and does not only say whose the other one is."""
    used = reading.terms
    if term in used or term.is_plain or term.is_pronoun:
        return False
    if any(term.first < one.last and one.first < term.last for one in used):
        return False
    return not (sentence.is_possessive(term) and any(0 <= one.first - term.last <= 2 for one in used))


def _would_be_answered(sentence: Sentence, term: Term, reading: Reading) -> bool:
    """ "Who did Lena sell the kayak to": a reading that answers "Lena" misses what is asked."""
    if len(reading.terms) != 1:
        return False
    subject, obj = (reading.subject, term) if reading.subject is not None else (term, reading.object)
    return sentence.is_known(reading.relation, subject, obj)


def _ends_fit(sentence: Sentence, reading: Reading) -> float:
    """Whether the wording puts the names at these ends."""
    if reading.relation in sentence.lexicon.symmetric:
        return 0.0 if reading.object is None else -_SYMMETRIC_OBJECT
    cue = reading.cue
    if cue is None or cue.is_weak:
        return 0.0
    if len(reading.terms) == 2 and cue.kind.is_noun:
        return 0.0
    term = min(reading.terms, key=lambda one: one.first)
    if sentence.puts_at_subject(cue, term) == (term is reading.subject):
        is_of_it = cue.kind.is_noun and sentence.is_followed_by_of(cue) and 0 < term.first - cue.at[-1] <= 3
        return _END_FITS + (_OF_IT if is_of_it else 0.0)
    is_strict = reading.relation in sentence.lexicon.same_kind and len(reading.terms) == 1
    return -_SAME_KIND_MISFITS if is_strict else -_END_FITS


# ---- the question word


def _asker_fit(sentence: Sentence, reading: Reading) -> float:
    """Where asks for a place, who for a person: whether this relation gives one at the end that is free."""
    asks, asker = sentence.lexicon.asks.get(reading.relation), sentence.frame.asker
    if asks is None or asker in _ASKS_FOR_NO_KIND:
        return 0.0
    fits = asker.value in asks
    if fits and reading.relation in sentence.lexicon.numeric:
        if reading.object is not None:
            return -_ASKER_MISFITS
        return 3 * _ASKER_FITS if reading.is_known else 0.0
    if len(reading.terms) == 2:
        return 0.0
    if reading.subject is None:
        return -_ASKER_MISFITS if asker is Asker.WHERE or asker in _ASKS_FOR_AMOUNT else 0.0
    if fits:
        return _ASKER_FITS
    if asker in _ASKS_FOR_AMOUNT:
        return -2 * _ASKER_MISFITS
    return -_ASKER_MISFITS if asker in (Asker.WHO, Asker.WHERE) else 0.0


def _kind_fit(sentence: Sentence, reading: Reading) -> float:
    """ "Which airline": a noun that this relation does not know speaks against it, more so if it is another's."""
    at, best = sentence.frame.kind_at, reading.cue
    if at is None or len(reading.terms) == 2:
        return 0.0
    wanted = CueKind.OBJECT if reading.object is None else CueKind.SUBJECT
    nouns = [cue for cue in sentence.cues if cue.kind.is_noun and at in cue.at]
    if any(cue.relation == reading.relation and cue.kind is wanted for cue in nouns):
        return _ASKER_FITS
    if any(term.first <= at < term.last for term in reading.terms):
        return 0.0
    if nouns and sentence.is_followed_by_of(nouns[0]):
        return -2 * _KIND_OF_ANOTHER
    own_noun = any(cue.relation == reading.relation for cue in nouns)
    if best is not None and not own_noun and best.kind.is_noun and best.at[0] > at and _is_owned(sentence, best):
        return -_OTHER_KIND_ASKED
    if wanted is CueKind.SUBJECT:
        is_of_object = any(cue.relation == reading.relation for cue in nouns)
        return -_OBJECT_ASKED if is_of_object else -_KIND_UNKNOWN if nouns else 0.0
    return -_KIND_OF_ANOTHER if nouns else -_KIND_UNKNOWN


def _is_owned(sentence: Sentence, cue: Cue) -> bool:
    """ "Ann's phone", "Ann's new phone"."""
    return any(word.is_possessive for word in sentence.words[max(0, cue.at[0] - 2) : cue.at[0]])
