"""What is not said: questions, conditions, wishes, dreams, jokes, offers and hearsay state nothing."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import pairwise

from graphmem.ingest.rules.plain import BREAK, PlainClause

__all__ = ["cancels_what_was_said", "is_unsaid"]


class _Cue:
    """Any of some words or phrases, searched for only where the first word of one is in the clause."""

    def __init__(self, phrases: str) -> None:
        options = "|".join(re.escape(phrase).replace("_", f" {BREAK}?") for phrase in phrases.split())
        options = options.replace("|could|", rf"|could(?! {BREAK}?not )|")  # "I couldn't stand it" is so
        self._expression = re.compile(rf"(?<![^\s{BREAK}])(?:{options}) ", re.IGNORECASE)
        self._firsts = frozenset(phrase.partition("_")[0] for phrase in phrases.split())

    def may_be_in(self, words: Set[str]) -> bool:
        """Whether a clause of these words can hold it."""
        return not self._firsts.isdisjoint(words)

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        return self._expression.search(text, start, len(text) if end is None else end)


_ASKS = "do|does|did|is|are|was|were|has|have|can|could|would|should|shall|will|may"
_ASKED = "i|you|he|she|it|we|they|anyone|anybody|someone|somebody|there"
_ASKING = re.compile(
    rf"^{BREAK}?(?:(?:{_ASKS}) {BREAK}?(?:{_ASKED})\b|anyone\b|anybody\b|who\b (?!{BREAK}?(?:is|was) )"
    r"|guess what\b|what if\b|how about\b)",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(rf"{BREAK}(?:I|[Hh]e|[Ss]he|[Ww]e|[Tt]hey|[Ii]t) ")
"""What begins so is a clause of its own, whatever stands before its comma ("I'm not at Acme, I'm at Globex")."""
_SMALL_TAIL = re.compile(rf"(?:, |{BREAK}(?:and|but) )(?:{BREAK}?[a-z][^\s,]* ){{1,3}}$")
"""A few small words that alone are asked: "…, and honestly?", "…, remember?"."""
_TAG = re.compile(
    rf"{BREAK}?(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should|right|ok|okay|eh|no|yes|who|what|why|how|where|when|which|any|anyone)\b",
    re.IGNORECASE,
)
_CONDITION = _Cue("if unless whether supposing provided assuming lest otherwise")
_SPEECH_ACT = re.compile(
    rf"{BREAK}?if (?:anyone|anybody|{BREAK}?you|someone) (?:{BREAK}?\S+ )?"
    r"(?:asks?|wonders?|wondering|needs?|missing|interested|knows?|wants?|cares?)"
    rf"|{BREAK}?if (?:{BREAK}(?:it|that) matters|memory serves"
    rf"|{BREAK}(?:I|you) (?:{BREAK}(?:must|can) )?(?:know|ask|recall|remember))\b",
    re.IGNORECASE,
)
_FAR = _Cue(
    "dream dreamt dreamed imagine imagined imagining pretend pretended pretending wish wishes wished fantasise daydream"
    " hypothetically would could might should supposedly allegedly rumour rumor rumours rumors rumoured rumored reportedly"
    " gossip suppose joked joking kidding theoretically"
)
_NEAR = _Cue(
    "want wants wanted hope hopes hoped hoping maybe perhaps possibly probably almost nearly offer offers offered propose"
    " proposes proposed suggest suggests suggested advise advises advised consider considers considered considering thinking"
    " think thinks thought guess believe believes believed reckon reckons plan plans planned planning intend intends intended"
    " tell tells insist insists"
    " try tries tried trying ask asks asked asking invite invited tempted refuse refused refuses promise promises promised"
    " threaten threatens threatened should ought must may need needs wonder wonders wondered wondering doubt doubts fear"
    " fears hates dreaming expect expects expected looking_to supposed likely unlikely recommend recommends recommended swear"
    " swears claims claimed nobody none no_one not n't never without instead_of rather_than"
)
_HEDGED = _Cue(
    "nearly almost hardly barely possibly probably perhaps maybe supposedly allegedly apparently_not theoretically"
)
"""Between a subject and its verb."""
_JOKE = _Cue("joking kidding jk jokes")
_NO_JOKE = re.compile(rf"{BREAK}?(?:no|not|{BREAK}?not {BREAK}?a) (?:a )?(?:joke|joking|kidding)", re.IGNORECASE)
_BOUNDARY = re.compile(rf"(?:^|, |{BREAK}(?:and|but|so|because|while|though|although|since|which|who) )")


def is_unsaid(clause: PlainClause, start: int, verb: int = -1) -> str | None:
    """Why what begins at `start`, with its verb at `verb`, is not said as a fact; None when it may be one."""
    text, words = clause.text, clause.words
    if verb > start and _HEDGED.may_be_in(words) and _HEDGED.search(text, start, verb):
        return "hedged"
    if _is_asked(clause, start):
        return "question"
    if _CONDITION.may_be_in(words) and _is_conditional(text, start):
        return "condition"
    before = text[:start]
    if _FAR.may_be_in(words) and _FAR.search(before):
        return "not real"
    if _JOKE.may_be_in(words) and _JOKE.search(text) and not _NO_JOKE.search(text):
        return "joke"
    if not _NEAR.may_be_in(words):
        return None
    near = [m.start() for m in _BOUNDARY.finditer(before)]
    window = before[near[-1] if near else 0 :]
    goes_on = not window.strip(f" ,{BREAK}").replace("and", "") and _OWN_SUBJECT.match(text, start) is None
    if len(near) > 1 and goes_on:
        window = before[near[-2] :]
    return "not said as a fact" if _NEAR.search(window) else None


def _is_asked(clause: PlainClause, start: int) -> bool:
    """A question mark asks for the whole clause, or for its last part where only that has the form of a question."""
    text = clause.text
    if not clause.raw.is_question:
        return _ASKING.search(text) is not None
    tail = _SMALL_TAIL.search(text)
    if tail is not None and _TAG.match(text) is None:
        return start >= tail.start()
    last = text.rfind(", ") + 2
    return start >= last if last > 1 and _TAG.match(text, last) else True


def _is_conditional(text: str, start: int) -> bool:
    """A condition takes its own part between commas; where it leads one, also the next part, or the one before the last."""
    if not _CONDITION.search(text) or _SPEECH_ACT.search(text):
        return False
    cuts = [0, *(m.end() for m in re.finditer(", ", text)), len(text)]
    parts = list(pairwise(cuts))
    for i, (a, b) in enumerate(parts):
        found = _CONDITION.search(text, a, b)
        if found is None:
            continue
        leads = not text[a : found.start()].strip(f" {BREAK}") or text[a : found.start()].strip(f" {BREAK}") in (
            "and",
            "but",
            "so",
        )
        first = parts[i - 1][0] if leads and i == len(parts) - 1 and i else a
        last = parts[i + 1][1] if leads and i + 1 < len(parts) else b
        if first <= start < last:
            return True
    return False


def cancels_what_was_said(clause: PlainClause) -> bool:
    """Whether a short clause takes back the sentence before it ("Just kidding")."""
    if clause.text.count(" ") > 5 or _NO_JOKE.search(clause.text):
        return False
    return bool(_JOKE.search(clause.text)) or clause.text.lower().replace(BREAK, "").strip() in (
        "as if",
        "i wish",
        "in my dreams",
        "not",
    )
