"""The words of a question: cut, stemmed, irregular forms brought to their base."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from graphmem.terms import terms

__all__ = ["AUXILIARIES", "PREPOSITIONS", "Word", "cut_words", "is_participle", "own_terms", "stem", "stems_of"]

_TOKEN = re.compile(r"[^\W_]+(?:[.\-_/@&+:][^\W_]+)*|[&]")
_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?!\w)")
_CONTRACTION = re.compile(r"\b(who|what|where|when|which|how|that|there|it|he|she)['’](s|re|d|ll|ve)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(\w+?)n['’]t\b", re.IGNORECASE)

AUXILIARIES = frozenset("be do have will would can could shall should must may might".split())
PREPOSITIONS = frozenset(
    "at for in on with to by of from as under into up off out over after about through during until since onto than".split()
)
_NO_OWN_WORDS = (
    "who whom whose what which where when why how the a an is are was were been am did does doing done has had having i me my"
    " you your he him his she her it its we us our they them their this that these those and or but not no any some there"
    f" {' '.join(AUXILIARIES | PREPOSITIONS)}"
)

_IRREGULAR_VERBS = """
be am is are was were been being; have has had having; do does did done doing; go goes went gone; come came; get got gotten;
take took taken; give gave given; make made; see saw seen; know knew known; think thought; say said; tell told; find found;
leave left; lead led; run ran; swim swam swum; meet met; win won; buy bought; sell sold; bring brought; teach taught;
hold held; keep kept; stand stood; sit sat; lie lay lain; lose lost; pay paid; send sent; spend spent; build built;
break broke broken; choose chose chosen; drive drove driven; ride rode ridden; write wrote written; speak spoke spoken;
wear wore worn; eat ate eaten; drink drank drunk; fly flew flown; grow grew grown; rise rose risen; fall fell fallen;
begin began begun; become became; bear born borne; sleep slept; hang hung; put put; cut cut; read read; set set; shut shut;
sing sang sung; ring rang rung; undergo underwent undergone; catch caught; feed fed; feel felt; fight fought; wed wedded;
can could; will would; may might; shall should; must must; split split; quit quit; let let; hit hit; cost cost; lay laid;
child children; person persons; man men; woman women; wife wives; life lives; company companies; city cities; country countries;
die died dying; tie tied tying; steal stole stolen; forget forgot forgotten; understand understood; deal dealt
"""
_BASE = {
    form: words[0]
    for entry in _IRREGULAR_VERBS.replace("\n", " ").split(";")
    if (words := entry.split())
    for form in words
}
_BASE["lives"] = "live"
_PARTICIPLES = frozenset(
    words[-1] for entry in _IRREGULAR_VERBS.replace("\n", " ").split(";") if len(words := entry.split()) > 1
) | {"run", "become", "come", "been", "gotten", "put", "cut", "read", "set", "shut", "let", "hit"}
_NOUNS = frozenset(["building"])
"""Nouns that would share their stem with a verb that means something else."""
_CONTRACTED = {"s": "is", "re": "are", "d": "had", "ll": "will", "ve": "have"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One word of a question, with the characters it covers."""

    text: str
    stem: str
    start: int
    end: int
    is_possessive: bool = False
    """It carries 's, or an apostrophe after s."""

    @property
    def is_name_like(self) -> bool:
        """Begins with a capital letter or a digit."""
        return self.text[:1].isupper() or self.text[:1].isdigit()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem by which words are compared; irregular forms are brought to their base first, doers kept apart from deeds.

    >>> [stem(word) for word in ("lives", "living", "drove", "manages", "managers")]
    ['live', 'live', 'drive', 'manag', 'manager']
    """
    lower = word.casefold()
    if lower in PREPOSITIONS or lower in _NOUNS:
        return lower
    if lower.endswith("uses") and len(lower) > len("houses"):
        lower = lower.removesuffix("es")
    found = terms(_BASE.get(lower, lower))
    cut = found[0] if found else lower
    doer = lower.removesuffix("s")
    return (
        cut + "er"
        if doer.endswith(("er", "or")) and len(doer) > len(cut) + 1 and not cut.endswith(("er", "or"))
        else cut
    )


def is_participle(word: str) -> bool:
    """Whether it can be a past participle: "assigned", "taught", "run"."""
    lower = word.casefold()
    return lower.endswith("ed") or lower in _PARTICIPLES


def stems_of(words: str) -> tuple[str, ...]:
    """The stems of an entry of several words."""
    return tuple(word.stem for word in cut_words(words))


def own_terms(question: str) -> frozenset[str]:
    """The terms of a question that tell what it is about.

    >>> sorted(own_terms("How many cats does my sister have?"))
    ['cat', 'mani', 'sister']
    """
    return frozenset(terms(question)) - _no_own_terms()


@cache
def _no_own_terms() -> frozenset[str]:
    return frozenset(terms(_NO_OWN_WORDS))


def cut_words(text: str) -> tuple[Word, ...]:
    """The words of a text in order; "who's" counts as who and is, "didn't" as did and not."""
    return tuple(_words(text))


def _words(text: str) -> Iterable[Word]:
    contracted = {match.start(): match for match in _CONTRACTION.finditer(text)}
    possessive = {match.start(): match for match in _POSSESSIVE.finditer(text)}
    position = 0
    for match in _TOKEN.finditer(text):
        if match.start() < position:
            continue
        start, end = match.span()
        position = end
        if start in contracted:
            whole = contracted[start]
            yield _word(whole.group(1), start, whole.end(1))
            yield _word(_CONTRACTED[whole.group(2).lower()], whole.end(1), whole.end())
            position = whole.end()
            continue
        negated = _NEGATION.match(text, start)
        if negated is not None:
            yield _word(negated.group(1), start, start + len(negated.group(1)))
            yield _word("not", start + len(negated.group(1)), negated.end())
            position = negated.end()
            continue
        mark = possessive.get(end)
        yield _word(match.group(), start, end, is_possessive=mark is not None)
        if mark is not None:
            position = mark.end()


def _word(text: str, start: int, end: int, *, is_possessive: bool = False) -> Word:
    return Word(text=text, stem=stem(text), start=start, end=end, is_possessive=is_possessive)
