"""Relatives that are walks over closer ones: a niece is a sibling's child, an aunt a parent's sister."""

from __future__ import annotations

from dataclasses import replace

from graphmem.retrieve.query import Hop
from graphmem.retrieve.question_words import stem
from graphmem.retrieve.readings import Reading
from graphmem.retrieve.relation_words import Cue
from graphmem.retrieve.sentence import RELATIVES, Sentence, Term

__all__ = ["RELATED", "kin_of", "kin_reading", "noun_span"]

RELATED = "RELATED_TO"
_CHILD = Hop(relations=("PARENT_OF",))
_PARENT = Hop(relations=("PARENT_OF",), inverse=True)
_SIBLING = Hop(relations=("SIBLING_OF",))
_SPOUSE = Hop(relations=("MARRIED_TO",))
_PATHS = {
    "niece nephew": (_SIBLING, _CHILD),
    "aunt uncle auntie": (_PARENT, _SIBLING),
    "cousin": (_PARENT, _SIBLING, _CHILD),
    "grandchild grandchildren grandson granddaughter": (_CHILD, _CHILD),
    "grandparent grandmother grandfather grandma grandpa granny grandad": (_PARENT, _PARENT),
    "mother-in-law father-in-law parents-in-law": (_SPOUSE, _PARENT),
    "brother-in-law sister-in-law": (_SPOUSE, _SIBLING),
    "son-in-law daughter-in-law": (_CHILD, _SPOUSE),
}
_PATH_OF = {stem(word): path for words, path in _PATHS.items() for word in words.split()}


def noun_span(sentence: Sentence, term: Term, cue: Cue) -> tuple[int, int] | None:
    """The words of "Ann's manager", "the manager of Ann", "the plan (that) Ann had"; None if they do not stand so."""
    words = sentence.words
    first, last = cue.at[0], cue.at[-1] + 1
    if sentence.modifies_a_noun(cue):
        return None
    if sentence.is_possessive(term) and 0 <= first - term.last <= 1:
        return term.first, last
    if sentence.is_followed_by_of(cue) and term.first - last in (1, 2):
        return first, term.last
    is_relative = last < len(words) and words[last].stem in RELATIVES
    if term.first == (last + 1 if is_relative else last) and first > 0 and words[first - 1].stem == "the":
        return first, term.last
    return None


def kin_of(sentence: Sentence, term: Term, cue: Cue) -> Term | None:
    """Who "Ann's niece" leads to, where no fact says who is related to Ann and the steps to a niece are known."""
    path = _path(sentence, term, cue)
    span = noun_span(sentence, term, cue) if path else None
    walked = None if span is None else _walked(sentence, term, path)
    if span is None or walked is None or not walked.entity_ids:
        return None
    return replace(walked, first=span[0], last=span[1], is_plain=False, is_pronoun=False)


def kin_reading(sentence: Sentence) -> Reading | None:
    """ "Who is Ann's niece?": the last step of the walk is what is asked for."""
    for term in sentence.terms:
        for cue in sentence.cues:
            path = _path(sentence, term, cue)
            near = _walked(sentence, term, path[:-1]) if path and noun_span(sentence, term, cue) else None
            if near is not None and near.entity_ids:
                last = path[-1]
                return Reading(
                    relation=last.relations[0],
                    subject=None if last.inverse else near,
                    object=near if last.inverse else None,
                    weight=1.0,
                    cue=cue,
                    cues=(cue,),
                    is_known=True,
                )
    return None


def _path(sentence: Sentence, term: Term, cue: Cue) -> tuple[Hop, ...]:
    """The steps to the relative that the word means; none where a fact names one."""
    if cue.relation != RELATED or not cue.kind.is_noun or sentence.is_known(RELATED, term, None):
        return ()
    return _PATH_OF.get(sentence.words[cue.at[-1]].stem, ())


def _walked(sentence: Sentence, term: Term, path: tuple[Hop, ...]) -> Term | None:
    for hop in path:
        ends = sentence.far_ends(term, hop.relations[0], inverse=hop.inverse)
        term = term.after(hop, ends)
    return term if path else None
