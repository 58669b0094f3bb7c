"""What the pieces of one clause may be: its tokens, and how far time words, auxiliaries, slots and subjects reach in it.

Everything is found once a clause and kept, however many sayings ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.rules.heads import Body, Expression
from graphmem.ingest.rules.plain import BREAK, MARKS, is_mark
from graphmem.ingest.rules.slots import OWNER, WORD, after_slot, headed_phrase, leading_slot, slot_body
from graphmem.ingest.rules.words import words

__all__ = ["Lead", "Spans", "Subject"]

_ANCHORS = frozenset(
    "and but so because since while as that when where then bc cause though although which who now or yet plus".split()
)
"""Words after which a clause can begin."""
_SUBJECT_PRONOUNS = frozenset(BREAK + pronoun for pronoun in ("I", "he", "she", "we", "they"))
"""These stand nowhere but at the head of a clause ("remember I am allergic to it")."""
_PAIRS = frozenset(
    (("no", "longer"), ("used", "to"), ("going", "to"), ("about", "to"), ("getting", "to"))  # said before a verb
)
_ADVERBS = frozenset("not never still now always also both all again currently only ever once".split())
_END_WORDS = "now|again|too|instead|together|already|back|here|there"
_CLAUSE_END = re.compile(rf"(?:[{MARKS}] |{BREAK}?(?:{_END_WORDS}) )*(?:, |$|{BREAK}(?!(?:me|you|him|us|them|it) ))")
_BARE_HEADS = frozenset("on at in with under".split())
_BARE_END = re.compile(
    rf"(?:(?:, )?[{MARKS}] )*(?:$|, [^{BREAK}]*$|{BREAK}(?:and|but|because|bc|cause|so|for|with|since|until|till|now|again|too) )"
)
_TIMES = f"(?:(?:, )?[{MARKS}] )*"
_TAIL = (
    rf"(?:(?<=[{MARKS}] ), )?(?:{BREAK}(?:from|at|in|on|for|with|to) (?:{WORD} ){{1,4}})?"
    rf"(?:, (?:(?:{WORD} ){{1,5}}|{BREAK}of (?:{WORD} ){{1,3}}|{BREAK}(?:who|which|whom) [^,{MARKS}]{{1,60}}), )?"
    rf"(?:(?:, )?{BREAK}?(?:who|which|that) )?"
)
"""What may stand between a subject and its verb: "from Accounts", ", my sister,", "who"."""
_LY = re.compile(r"[a-z]+ly")
_MARK = re.compile(rf"[{MARKS}]")


@dataclass(frozen=True, slots=True)
class Lead:
    """How a saying begins: the type of its subject, and whether it takes a list, or may be left out."""

    kind: str
    takes_list: bool
    may_be_left_out: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject before a verb, as token numbers: where its clause begins, itself, and its auxiliaries."""

    start: int
    words: tuple[int, int] | None
    """None: it is left out."""
    auxiliary: int


class Spans:
    """The tokens of the plain form of a clause; all places are token numbers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = text.split(" ")[:-1]
        self.low = text.replace(BREAK, "").lower().split(" ")
        """In lower case without marks; one empty word at the end."""
        self.count = len(self.tokens)
        self._offsets = [0]
        for token in self.tokens:
            self._offsets.append(self._offsets[-1] + len(token) + 1)
        self._numbers = dict(zip(self._offsets, range(self.count + 1), strict=True))
        has_times = _MARK.search(text) is not None
        self._is_mark = [*map(is_mark, self.tokens), False, False] if has_times else [False] * (self.count + 2)
        self.past_times = [self._times_from(i) if has_times else [i] for i in range(self.count + 1)]
        """For each place where time words after it may end, the longest first."""
        self.places: dict[str, list[int]] = {}
        """Where each word stands."""
        for i, word in enumerate(self.low[:-1]):
            self.places.setdefault(word, []).append(i)
        self._longest: dict[tuple[str, bool, int], int] = {}
        self._shorter: dict[tuple[str, bool, int], list[int]] = {}
        self._subjects: dict[tuple[Lead, int], Subject | None] = {}
        self._auxiliaries: dict[int, list[int]] = {}
        self._verbs: dict[frozenset[str], list[int]] = {}
        self._bare: list[int] | None = None

    def verb_places(self, forms: frozenset[str]) -> list[int]:
        """Where a verb with these forms may stand, in their order."""
        found = self._verbs.get(forms)
        if found is None:
            found = self._verbs[forms] = sorted(p for form in forms for p in self.places.get(form, ()))
        return found

    def bare_starts(self) -> list[int]:
        """Where a clause may say how it is without a verb: "on iron since May", "Still at Acme"; the small words come first."""
        if self._bare is None:
            starts = [place for place in self.past_leading_times(0) if self._is_bare(place)]
            self._bare = starts if starts and (any(self._is_mark) or self.low[0] in _ADVERBS) else []
        return self._bare

    def _is_bare(self, place: int) -> bool:
        return any(self.low[end] in _BARE_HEADS for end in self.past_adverbs(place))

    def ends_bare(self, place: int) -> bool:
        """Whether what says how it is without a verb may end here, and no clause with a verb goes on."""
        return _BARE_END.match(self.text, self._offsets[place]) is not None

    def said(self, start: int, end: int) -> str:
        """The tokens from `start` to before `end`, each with its blank."""
        return self.text[self._offsets[start] : self._offsets[end]]

    def offset(self, place: int) -> int:
        """Where a token begins in the text."""
        return self._offsets[place]

    def is_anchor(self, place: int) -> bool:
        """Whether a clause can begin here."""
        return not place or self._is_mark[place - 1] or self.low[place - 1] == "," or self.low[place - 1] in _ANCHORS

    def opens_clause(self, place: int) -> bool:
        """Whether a clause with a subject can begin here."""
        return self.is_anchor(place) or self.tokens[place] in _SUBJECT_PRONOUNS

    def follows_time(self, place: int) -> bool:
        """Whether time words stand right before."""
        return place > 0 and self._is_mark[place - 1]

    def ends_clause(self, place: int) -> bool:
        """Whether the clause, or its part up to a comma, ends here."""
        return _CLAUSE_END.match(self.text, self._offsets[place]) is not None

    def past_leading_times(self, place: int) -> list[int]:
        """Where time words at the head of a clause may end, the longest first."""
        ends = [place]
        while self._is_mark[place] if place < self.count else False:
            place += 2 if self.low[place + 1] == "," else 1
            ends.append(place)
        return ends[::-1]

    def _times_from(self, place: int) -> list[int]:
        ends = [place]
        while True:
            if self._is_mark[place]:
                place += 1
            elif place < self.count and self.low[place] == "," and self._is_mark[place + 1]:
                place += 2
            else:
                return ends[::-1]
            ends.append(place)

    def past_auxiliaries(self, place: int) -> list[int]:
        """Where the auxiliaries of a verb may end, the longest first."""
        ends = self._auxiliaries.get(place)
        if ends is None:
            ends = self._auxiliaries[place] = self._run_of(place, words().auxiliaries, _PAIRS)
        return ends

    def past_adverbs(self, place: int) -> list[int]:
        """Where the small words after "be" may end, the longest first."""
        return self._run_of(place, _ADVERBS, _AFTER_BE_PAIRS)

    def _run_of(self, place: int, single: frozenset[str], pairs: frozenset[tuple[str, str]]) -> list[int]:
        ends = [place]
        while place < self.count:
            word = self.low[place]
            if (word, self.low[place + 1]) in pairs:
                place += 2
            elif word in single or (word.endswith("ly") and _LY.fullmatch(self.tokens[place].lstrip(BREAK))):
                place += 1
            else:
                break
            ends.extend(self.past_times[place][::-1])
            place = ends[-1]
        return ends[::-1]

    def slot_ends(self, kind: str, place: int, *, last: bool, leads: bool = False) -> Iterator[int]:
        """Where a slot that begins here may end, the likeliest first; `last`: nothing of the saying follows it."""
        key = (f"lead {kind}" if leads else kind, last, place)
        longest = self._longest.get(key)
        if longest is None:
            longest = self._longest[key] = self._longest_end(kind, place, last=last, leads=leads)
        if longest < 0:
            return
        after = _after(kind, last=last and not leads)
        if after is None or after.match(self.text, self._offsets[longest]):
            yield longest
        shorter = self._shorter.get(key)
        if shorter is None:
            shorter = self._shorter[key] = list(self._shorter_ends(kind, place, longest, after, leads=leads))
        yield from shorter

    def _longest_end(self, kind: str, place: int, *, last: bool, leads: bool) -> int:
        start = self._offsets[place]
        end = _body(kind, leads=leads).end_of(self.text, start)
        return self._numbers.get(end, -1) if end > start else -1

    def _shorter_ends(
        self, kind: str, place: int, longest: int, after: re.Pattern[str] | None, *, leads: bool
    ) -> Iterator[int]:
        body, start = _body(kind, leads=leads), self._offsets[place]
        others = (
            range(longest + 1, min(longest + 5, self.count + 1)) if kind == "poss" else range(longest - 1, place, -1)
        )
        for end in others:
            if body.covers(self.text, start, self._offsets[end]) and (
                after is None or after.match(self.text, self._offsets[end])
            ):
                yield end

    def list_end(self, kind: str, place: int, *, leads: bool = False) -> int | None:
        """Where a list ("Alba, Bjarke and Cleo") that begins here ends; None where there is none."""
        if self.text.find(f"{BREAK}and ", self._offsets[place]) < 0:
            return None
        found = _list(kind, leads=leads).match(self.text, self._offsets[place])
        return self._numbers.get(found.end()) if found is not None else None

    def tail_end(self, place: int) -> int:
        """Where what may stand between a subject and its verb ends."""
        found = _tail().match(self.text, self._offsets[place])
        return self._numbers.get(found.end(), place) if found is not None else place

    def subject(self, lead: Lead, verb: int) -> Subject | None:
        """The subject of the verb that stands here: the first one that may be it."""
        key = (lead, verb)
        if key not in self._subjects:
            self._subjects[key] = self._subject(lead, verb)
        return self._subjects[key]

    def _subject(self, lead: Lead, verb: int) -> Subject | None:
        expression = _subject_expression(lead)
        for place in range(verb + 1):
            if not self.opens_clause(place) if place < self.count else True:
                continue
            found = expression.fullmatch(self.text, self._offsets[place], self._offsets[verb])
            if found is not None:
                spoken = (
                    (self._numbers[found.start("lead")], self._numbers[found.end("lead")]) if found["lead"] else None
                )
                return Subject(start=place, words=spoken, auxiliary=self._numbers[found.start("aux")])
        return None


_AFTER_BE_PAIRS = frozenset((("no", "longer"),))


@cache
def _body(kind: str, *, leads: bool) -> Body:
    if kind == "poss":
        return _expression(OWNER)
    return headed_phrase(kind) or _expression(leading_slot(kind) if leads else slot_body(kind))


@cache
def _expression(source: str) -> Expression:
    return Expression(re.compile(source))


@cache
def _after(kind: str, *, last: bool) -> re.Pattern[str] | None:
    after = after_slot(kind, last=last)
    return re.compile(after) if after else None


@cache
def _list(kind: str, *, leads: bool) -> re.Pattern[str]:
    one = leading_slot(kind) if leads else slot_body(kind)
    ends = "" if leads else rf"(?=$|, |[{MARKS}]|{BREAK})"
    return re.compile(rf"{one}(?:, {one})*(?:, )?{BREAK}and {one}{ends}")


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(_TAIL)


@cache
def _subject_expression(lead: Lead) -> re.Pattern[str]:
    one = leading_slot(lead.kind)
    several = rf"(?:(?:, {one})*(?:, )?{BREAK}and {one})?" if lead.takes_list else ""
    subject = rf"(?:(?P<lead>{one}{several}){_TIMES}{_TAIL})" + ("?" if lead.may_be_left_out else "")
    return re.compile(rf"(?:[{MARKS}] (?:, )?)*{subject}{_TIMES}(?P<aux>{_auxiliaries()})")


@cache
def _auxiliaries() -> str:
    options = "|".join(sorted(words().auxiliaries, key=len, reverse=True))
    pairs = "|".join(rf"{a} {BREAK}?{b}" for a, b in sorted(_PAIRS))
    return rf"(?:{BREAK}?(?:(?i:{options}|{pairs})|[a-z]+ly) {_TIMES})*"
