"""The outer form of a question: what kind of answer it asks for, and its words without time and without "what did we think"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from graphmem.retrieve import question_phrases as phrases
from graphmem.retrieve.question_words import AUXILIARIES, PREPOSITIONS, Word, cut_words, is_participle, stem
from graphmem.timeline.spans import Step

__all__ = ["Asker", "Frame", "read_frame"]


class Asker(StrEnum):
    """The question word, as far as it bears on the answer."""

    WHO = "who"
    WHOSE = "whose"
    WHAT = "what"
    WHICH = "which"
    WHERE = "where"
    WHEN = "when"
    HOW = "how"
    HOW_MUCH = "how much"
    HOW_HEAVY = "how heavy"
    HOW_MANY = "how many"
    HOW_OFTEN = "how often"
    HOW_LONG = "how long"
    YES_NO = "yes no"
    LIST = "list"
    """Give me, show, list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """A question without its time words, its words of knowing and its anchor clause."""

    words: tuple[Word, ...]
    asker: Asker
    asked_at: int
    """Index of the question word; -1 if there is none."""
    kind_at: int | None = None
    """Index of the noun that says of what kind the answer is ("which team"); None if there is none."""
    is_history: bool = False
    is_open: bool = False
    """Asks for all that is known: "what do you know about Ann"."""
    is_past: bool = False
    """Asks for what was once and is no longer ("used to")."""
    is_of_the_past: bool = False
    """A question that yes answers, in the past tense: "did she work there"."""
    asks_end: bool = False
    is_present: bool = False
    """In the present tense: "how many cats does she have"."""
    is_about_knowing: bool = False
    """Asks what was thought, heard or written down, not what was so."""
    asks_whose: bool = False
    step: Step | None = None
    """The unit to count in ("how many months")."""
    n: int | None = None
    """ "first" is 0, "last" is -1."""
    n_at: int | None = None
    """Index of the word that says so."""


_AFTER_NOUNS = AUXILIARIES | PREPOSITIONS | {"the", "a", "an"}
_LONGEST_KIND = 3
_OPENS_WITH_WHAT = re.compile(r"\W*(?:and\s+|so\s+)?(?:what|which)\b", re.IGNORECASE)
_ORDINAL = {"first": 0, "second": 1, "third": 2, "last": -1, "latest": -1, "final": -1, "original": 0, "earliest": 0}
_ORDINAL |= dict.fromkeys(("rejoin", "rejoined", "returned", "reopened"), -1)
_LISTERS = frozenset(
    stem(word) for word in ("list", "give", "show", "name", "enumerate", "recount", "trace", "track", "tell", "recite")
)
_LEADS = AUXILIARIES | PREPOSITIONS | _LISTERS | {"and", "me", "us", "the", stem("history")}
_QUESTION_WORDS = {
    "who": Asker.WHO,
    "whom": Asker.WHO,
    "whose": Asker.WHOSE,
    "what": Asker.WHAT,
    "which": Asker.WHICH,
    "where": Asker.WHERE,
    "when": Asker.WHEN,
    "how": Asker.HOW,
}
_DEGREES = {
    stem("much"): Asker.HOW_MUCH,
    stem("many"): Asker.HOW_MANY,
    stem("heavy"): Asker.HOW_HEAVY,
    stem("often"): Asker.HOW_OFTEN,
    stem("long"): Asker.HOW_LONG,
    stem("expensive"): Asker.HOW_MUCH,
    stem("costly"): Asker.HOW_MUCH,
}


def read_frame(question: str, masked: Sequence[tuple[int, int]]) -> Frame:
    """The frame of a question, without the character spans in `masked` (time words, the anchor clause)."""
    text = question
    for start, end in masked:
        text = text[:start] + " " * (end - start) + text[end:]
    is_about_knowing = bool(phrases.KNOWING.search(text)) and not phrases.IN_TRUTH.search(text)
    text = phrases.blanked(phrases.IN_TRUTH, phrases.blanked(phrases.KNOWING, text))
    is_history = bool(phrases.ASKS_FOR_HISTORY.search(text))
    text = phrases.blanked(phrases.ORDER, text)
    text = phrases.blanked(phrases.DOWN, text) if is_about_knowing else text
    edge = phrases.ASKS_FOR_EDGE.search(text) if _OPENS_WITH_WHAT.match(text) else None
    words = _words(text if edge is None else phrases.blanked(phrases.ASKS_FOR_EDGE, text))
    asker, at = _asker(words, text)
    asker = asker if edge is None else Asker.WHEN
    if is_history and asker is Asker.YES_NO:
        asker = Asker.LIST
    n_at = _ordinal_at(words, at)
    return Frame(
        words=words,
        asker=asker,
        asked_at=at,
        kind_at=_kind_at(words, at, asker),
        asks_whose=asker is Asker.WHOSE,
        is_history=is_history or asker is Asker.LIST,
        is_open=bool(phrases.ASKS_FOR_ALL.search(question)),
        is_past=bool(phrases.ASKS_FOR_PAST.search(question)),
        is_of_the_past=bool(phrases.ASKS_OF_THE_PAST.search(text)),
        asks_end=bool(phrases.ASKS_FOR_END.search(text)) if edge is None else edge["begins"] is None,
        is_present=bool(phrases.PRESENT.search(text)),
        is_about_knowing=is_about_knowing,
        step=_step(text),
        n=None if n_at is None else _ORDINAL[words[n_at].text.casefold()],
        n_at=n_at,
    )


def _words(text: str) -> tuple[Word, ...]:
    """Without fillers, unless nothing else is there."""
    bare = phrases.blanked(phrases.COUNTED_UNIT, phrases.blanked(phrases.FILLERS, text))
    return cut_words(bare) or cut_words(phrases.blanked(phrases.SURE_FILLERS, text))


def _asker(words: Sequence[Word], text: str) -> tuple[Asker, int]:
    """The last question word that is not a relative pronoun: with "what did we think about where" it is the inner one."""
    places = [
        index
        for index, word in enumerate(words)
        if word.stem in _QUESTION_WORDS and (_asks(words, index) or _follows_a_break(words, index, text))
    ]
    at = places[-1] if places else -1
    if phrases.ASKS_HOW_OFTEN.search(text):
        return Asker.HOW_OFTEN, at
    if phrases.ASKS_FOR_LENGTH.search(text):
        return Asker.HOW_LONG, at
    if phrases.ASKS_FOR_DATE.search(text):
        return Asker.WHEN, at
    if at < 0:
        return _without_question_word(words), at
    found = _QUESTION_WORDS[words[at].stem]
    if found is Asker.HOW and at + 1 < len(words):
        found = _DEGREES.get(words[at + 1].stem, Asker.HOW)
    return found, at


def _asks(words: Sequence[Word], index: int) -> bool:
    """Whether the question word asks: it opens the sentence, or no noun stands before it ("the plan which he had")."""
    return all(word.stem in _QUESTION_WORDS or word.stem in _LEADS for word in words[:index])


def _follows_a_break(words: Sequence[Word], index: int, text: str) -> bool:
    while index > 0 and words[index - 1].stem in PREPOSITIONS:
        index -= 1
    return index > 0 and bool(re.search(r"[:,;]", text[words[index - 1].end : words[index].start]))


def _without_question_word(words: Sequence[Word]) -> Asker:
    if words and words[0].stem in _LISTERS:
        return Asker.LIST
    if words and words[0].stem in AUXILIARIES:
        return Asker.YES_NO
    return Asker.WHAT


def _kind_at(words: Sequence[Word], at: int, asker: Asker) -> int | None:
    """The noun after "which", "what" or "how many", unless a verb follows directly."""
    if at < 0 or asker not in (Asker.WHICH, Asker.WHAT, Asker.HOW_MANY, Asker.WHOSE, Asker.WHEN):
        return None
    first = at + (2 if asker is Asker.HOW_MANY else 1)
    last = first
    while last < len(words) and words[last].stem not in _AFTER_NOUNS and last - first < _LONGEST_KIND:
        last += 1
    if last == first or last >= len(words):
        return None
    kind = last - 1 if words[last].stem in _AFTER_NOUNS else first
    if kind > first and (words[last].stem in ("the", "a", "an") or is_participle(words[kind].text)):
        kind -= 1
    return None if words[kind].is_possessive or words[kind].text[:1].isupper() else kind


def _step(text: str) -> Step | None:
    counted = phrases.ASKS_FOR_LENGTH.search(text)
    unit = counted.group().split()[-1].lower().removesuffix("s") if counted else ""
    unit = "day" if unit == "night" else unit
    return Step(unit) if unit in set(Step) else None


def _ordinal_at(words: Sequence[Word], at: int) -> int | None:
    """Where "first" stands in "which was her first employer", "last" in "the last place"."""
    return next((index for index, word in enumerate(words) if index > at and word.text.casefold() in _ORDINAL), None)
