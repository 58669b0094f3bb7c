"""The small language the sayings are written in, made into steps over the plain form of a clause.

{s}          a noun phrase or pronoun; the first one stands where a clause can begin and may be left out ("and joined …")
{s:poss}     an owner: "my", "her", "Mara's"
{o:name}     a slot held to a type of slots.py or to a list of words.toml
{o+}         a slot that takes a list: "Alba, Bjarke and Cleo"
work~        any form of a verb; auxiliaries may stand before it
(at|for)     one of these
[the]        may be left out
...          at the head: may begin anywhere in the clause
$            the clause, or its part up to a comma, ends here
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.rules.plain import BREAK, MARKS
from graphmem.ingest.rules.slots import CAPITAL_FIRST, NP, slot
from graphmem.ingest.rules.spans import Lead, Spans
from graphmem.ingest.rules.steps import (
    Choice,
    ClauseEnd,
    Comma,
    Done,
    Leading,
    Slot,
    Step,
    Taken,
    VerbChoice,
    VerbStep,
    Word,
)
from graphmem.ingest.rules.words import verb_forms

__all__ = ["Found", "FoundVerb", "Pattern", "continuation_of", "pattern_of", "pieces_of"]

_PIECE = re.compile(r"\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|\S+")
_TIMES = f"(?:(?:, )?[{MARKS}] )*"
_LEFT_OUT = ("s", "x", "o")
"""Slots that may be left out at the head of a saying."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundVerb:
    """The first verb of what was found; places are token numbers."""

    lemma: str
    place: int
    auxiliary: int
    """Where its auxiliaries begin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Where a saying stands in a clause; places are token numbers."""

    start: int
    end: int
    slots: dict[str, tuple[int, int]]
    verb: FoundVerb | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A saying that can be looked for: its steps, its slots in order with their types, and which slots take lists."""

    steps: Step
    lead: tuple[Lead, VerbChoice] | None
    """Its subject and its verb, where they are the first two steps: then it is looked for from the verb."""
    anywhere: bool
    """It may begin anywhere in a clause."""
    types: tuple[tuple[str, str], ...]
    """(slot, type) in order."""
    lists: frozenset[str]
    first: str | None
    """The slot the clause begins with, if any."""

    def type_of(self, name: str) -> str | None:
        """The type of a slot; None for one the saying does not have."""
        return next((kind for slot_name, kind in self.types if slot_name == name), None)

    def find(self, spans: Spans) -> Iterator[Found]:
        """Wherever the saying stands in a clause, in its order; what is found does not overlap."""
        yield from self._from_verbs(spans, *self.lead) if self.lead is not None else self._from_heads(spans)

    def _from_verbs(self, spans: Spans, lead: Lead, verbs: VerbChoice) -> Iterator[Found]:
        free = 0
        for place in spans.verb_places(verbs.forms):
            got = verbs.at(spans, place, place, None)
            subject = spans.subject(lead, place) if got is not None else None
            if got is None or subject is None or subject.start < free:
                continue
            end, taken = got
            yield _found(subject.start, end, taken, (self.first or "s", subject.words), subject.auxiliary)
            free = end
        if not free and lead.may_be_left_out and spans.bare_starts():
            yield from self._without_verb(spans, verbs)

    def _without_verb(self, spans: Spans, verbs: VerbChoice) -> Iterator[Found]:
        """Where it stands at the head of the clause with its "be" left out: "on iron since May"."""
        be = next((verb for verb in verbs.verbs if verb.lemma == "be"), None)
        for place in spans.bare_starts() if be is not None else ():
            got = be.left_out(spans, place) if be is not None else None
            if got is not None:
                yield _found(0, *got)
                return

    def _from_heads(self, spans: Spans) -> Iterator[Found]:
        free = 0
        for place in range(spans.count):
            if place < free or not (self.anywhere or self._may_begin(spans, place)):
                continue
            starts = [place] if self.anywhere or self.first is not None else spans.past_leading_times(place)
            for start in starts:
                got = self.steps.run(spans, start, None)
                if got is not None and got[0] > place:
                    yield _found(place, *got)
                    free = got[0]
                    break

    def _may_begin(self, spans: Spans, place: int) -> bool:
        return spans.opens_clause(place) if self.first is not None else spans.is_anchor(place)


def _found(
    start: int,
    end: int,
    taken: Taken | None,
    lead: tuple[str, tuple[int, int] | None] | None = None,
    auxiliary: int = -1,
) -> Found:
    slots: dict[str, tuple[int, int]] = {}
    verb = None
    while taken is not None:
        if taken.auxiliary >= 0:
            verb = taken
        else:
            slots[taken.name] = (taken.start, taken.end)
        taken = taken.before
    if lead is not None and lead[1] is not None:
        slots[lead[0]] = lead[1]
    first = None
    if verb is not None:
        first = FoundVerb(lemma=verb.name, place=verb.start, auxiliary=verb.auxiliary if lead is None else auxiliary)
    return Found(start=start, end=end, slots=slots, verb=first)


def pieces_of(say: str) -> list[str]:
    """The pieces a saying is written in.

    >>> pieces_of("...{s:name} (live~|stay~) in [the] {o}")
    ['{s:name}', '(live~|stay~)', 'in', '[the]', '{o}']
    """
    return _PIECE.findall(say.removeprefix("..."))


@cache
def pattern_of(say: str) -> Pattern:
    """A saying's words, made ready to be looked for.

    >>> found = next(pattern_of("{s} work~ (at|for) {o:name}").find(Spans("·I work ·at Norrsken Foods ")))
    >>> found.slots["o"]
    (3, 5)
    """
    anywhere = say.startswith("...")
    pieces = pieces_of(say)
    builder = _Builder()
    steps, lead = builder.steps_of(pieces, anywhere=anywhere)
    return Pattern(
        steps=steps,
        lead=lead,
        anywhere=anywhere,
        types=tuple(builder.slots),
        lists=frozenset(builder.lists),
        first=builder.first,
    )


class _Builder:
    """Collects the slots of a saying while its steps are put together, from the last one to the first."""

    def __init__(self) -> None:
        self.slots: list[tuple[str, str]] = []
        self.lists: set[str] = set()
        self.first: str | None = None

    def steps_of(self, pieces: list[str], *, anywhere: bool) -> tuple[Step, tuple[Lead, VerbChoice] | None]:
        for piece in pieces:
            self._declare(piece)
        following: Step = Done()
        for i in range(len(pieces) - 1, 0, -1):
            following = self._step(pieces[i], following, last=i == len(pieces) - 1 and not anywhere)
        if anywhere or not pieces[0].startswith("{"):
            return self._step(pieces[0], following, last=len(pieces) == 1 and not anywhere), None
        name, kind, takes_list = _spec(pieces[0])
        self.first = name
        may_be_left_out = name in _LEFT_OUT and kind != "poss"
        if isinstance(following, VerbChoice) and kind != "poss":
            return following, (Lead(kind, takes_list, may_be_left_out), following)
        return Leading(name, kind, takes_list, may_be_left_out, following), None

    def _declare(self, piece: str) -> None:
        for spec in re.findall(r"\{[^}]*\}", piece):
            name, kind, takes_list = _spec(spec)
            self.slots.append((name, kind))
            if takes_list:
                self.lists.add(name)

    def _step(self, piece: str, following: Step, *, last: bool) -> Step:
        if piece.startswith("{"):
            name, kind, takes_list = _spec(piece)
            return Slot(name, kind, takes_list, last, following)
        if piece.startswith("("):
            return self._either(_options_in(piece), following)
        if piece.startswith("["):
            return Choice((self._either(_options_in(piece), following), following))
        return ClauseEnd(following) if piece == "$" else self._either([[piece]], following)

    def _either(self, options: list[list[str]], following: Step) -> Step:
        if all(option[0].endswith("~") for option in options):
            return self._verbs(options, following)
        steps = tuple(self._words(option, following) for option in options)
        return steps[0] if len(steps) == 1 else Choice(steps)

    def _verbs(self, options: list[list[str]], following: Step) -> VerbChoice:
        """One of some verbs; what the options of a verb add comes before the verb alone."""
        by_verb: dict[str, list[list[str]]] = {}
        for option in options:
            by_verb.setdefault(option[0][:-1], []).append(option[1:])
        verbs = []
        for lemma, rests in by_verb.items():
            steps = [self._words(rest, following) for rest in rests if rest]
            if len(steps) < len(rests):
                steps.append(following)
            verbs.append(
                VerbStep(lemma, frozenset(verb_forms(lemma)), steps[0] if len(steps) == 1 else Choice(tuple(steps)))
            )
        return VerbChoice(tuple(verbs), frozenset().union(*(verb.forms for verb in verbs)))

    def _words(self, words_: list[str], following: Step) -> Step:
        for word in reversed(words_):
            if word.startswith("{"):
                name, kind, takes_list = _spec(word)
                following = Slot(name, kind, takes_list, False, following)
            elif word == ",":
                following = Comma(following)
            elif word.endswith("~"):
                following = self._verbs([[word]], following)
            else:
                following = Word(word.lower(), following)
        return following


def _spec(piece: str) -> tuple[str, str, bool]:
    """Name and type of a slot, and whether it takes a list."""
    name, _, kind = piece[1:-1].partition(":")
    return name.rstrip("+"), kind, name.endswith("+")


def _options_in(piece: str) -> list[list[str]]:
    return [option.split() for option in piece[1:-1].split("|")]


def continuation_of(say: str) -> re.Pattern[str] | None:
    """What goes on after a saying that ends in a slot: ", Antwerp yesterday", "and the Hue shop on the 11th"; else None.

    A time expression must follow each item, otherwise it could be the subject of a clause of its own.
    """
    last = _PIECE.findall(say)[-1]
    return _continuation(_spec(last)[1]) if last.startswith("{") else None


@cache
def _continuation(kind: str) -> re.Pattern[str]:
    one = NP if kind in ("", "thing", "np") else slot(kind)
    joined = rf"{_TIMES}(?:, )?(?:{BREAK}(?:and|then) ){{1,2}}{_TIMES}"
    listed = rf"{_TIMES}, (?=(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur) |{CAPITAL_FIRST})"
    return re.compile(rf"(?:{joined}|{listed})(?P<more>{one})(?=[{MARKS}] )")
