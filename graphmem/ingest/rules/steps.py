"""The steps of a saying, which walk over the tokens of a clause one after the other and go back where they must."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from graphmem.ingest.rules.spans import Spans

__all__ = ["Choice", "ClauseEnd", "Comma", "Done", "Leading", "Slot", "Step", "Taken", "VerbChoice", "VerbStep", "Word"]


@dataclass(frozen=True, slots=True)
class Taken:
    """What the steps so far took, the last one first: a slot, or a verb."""

    name: str
    """Of the slot; of a verb its lemma."""
    start: int
    end: int
    before: Taken | None
    auxiliary: int = -1
    """Of a verb: where its auxiliaries begin; -1: it is a slot."""


class Step(Protocol):
    """A part of a saying with all that follows it."""

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        """Where the saying ends when this part begins here, and what it took; None where it does not fit."""


_NOT_AFTER_TIME = frozenset(("", "np", "thing"))
"""What follows the time words after a verb is not its object ("the figurines I bought yesterday remind me …")."""


@dataclass(frozen=True, slots=True)
class Done:
    """The end of the saying."""

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        return place, taken


@dataclass(frozen=True, slots=True)
class Word:
    """A word, and time words after it."""

    text: str
    following: Step

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        if spans.low[place] != self.text or place == spans.count:
            return None
        return _past_times(spans, place + 1, taken, self.following)


@dataclass(frozen=True, slots=True)
class Comma:
    """A comma."""

    following: Step

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        return self.following.run(spans, place + 1, taken) if spans.low[place] == "," else None


@dataclass(frozen=True, slots=True)
class ClauseEnd:
    """The end of the clause, or of its part up to a comma."""

    following: Step

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        return self.following.run(spans, place, taken) if spans.ends_clause(place) else None


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot, and time words after it; `last`: nothing else of the saying follows."""

    name: str
    kind: str
    takes_list: bool
    last: bool
    following: Step

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        if place >= spans.count or (self.kind in _NOT_AFTER_TIME and spans.follows_time(place)):
            return None
        if self.takes_list and (end := spans.list_end(self.kind, place)) is not None:
            got = _past_times(spans, end, Taken(self.name, place, end, taken), self.following)
            if got is not None:
                return got
        for end in spans.slot_ends(self.kind, place, last=self.last):
            got = _past_times(spans, end, Taken(self.name, place, end, taken), self.following)
            if got is not None:
                return got
        return None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some parts; each goes on with what follows the choice."""

    options: tuple[Step, ...]

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        for option in self.options:
            got = option.run(spans, place, taken)
            if got is not None:
                return got
        return None


@dataclass(frozen=True, slots=True)
class VerbStep:
    """A verb in any form, the time words and, for "be", the small words after it."""

    lemma: str
    forms: frozenset[str]
    following: Step

    def left_out(self, spans: Spans, place: int) -> tuple[int, Taken | None] | None:
        """Where the saying ends when it begins here and this verb is left out."""
        took = Taken(self.lemma, place, place, None, place)
        for end in spans.past_adverbs(place):
            got = self.following.run(spans, end, took)
            if got is not None and spans.ends_bare(got[0]):
                return got
        return None

    def at(self, spans: Spans, place: int, auxiliary: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        """The same as `run`, where the auxiliaries were taken before."""
        if spans.low[place] not in self.forms:
            return None
        took = Taken(self.lemma, place, place + 1, taken, auxiliary)
        if self.lemma != "be":
            return _past_times(spans, place + 1, took, self.following)
        for after in spans.past_times[place + 1]:
            for end in spans.past_adverbs(after):
                got = self.following.run(spans, end, took)
                if got is not None:
                    return got
        return None


@dataclass(frozen=True, slots=True)
class VerbChoice:
    """One of some verbs with its auxiliaries."""

    verbs: tuple[VerbStep, ...]
    forms: frozenset[str]
    """Of all of them."""

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        for verb in spans.past_auxiliaries(place):
            got = self.at(spans, verb, place, taken)
            if got is not None:
                return got
        return None

    def at(self, spans: Spans, place: int, auxiliary: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        """The same as `run`, where the auxiliaries were taken before."""
        for verb in self.verbs:
            got = verb.at(spans, place, auxiliary, taken)
            if got is not None:
                return got
        return None


@dataclass(frozen=True, slots=True)
class Leading:
    """A slot at the head of a clause, where no verb follows it at once."""

    name: str
    kind: str
    takes_list: bool
    may_be_left_out: bool
    following: Step

    def run(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        if self.kind == "poss":
            return self._owner(spans, place, taken)
        for start in spans.past_leading_times(place):
            got = self._slot(spans, start, taken)
            if got is None and self.may_be_left_out:
                got = _past_times(spans, start, taken, self.following)
            if got is not None:
                return got
        return None

    def _owner(self, spans: Spans, place: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        for end in spans.slot_ends("poss", place, last=False):
            got = self.following.run(spans, end, Taken(self.name, place, end, taken))
            if got is not None:
                return got
        return None

    def _slot(self, spans: Spans, start: int, taken: Taken | None) -> tuple[int, Taken | None] | None:
        if start >= spans.count:
            return None
        listed = spans.list_end(self.kind, start, leads=True) if self.takes_list else None
        ends = [] if listed is None else [listed]
        ends.extend(spans.slot_ends(self.kind, start, last=False, leads=True))
        for end in ends:
            took = Taken(self.name, start, end, taken)
            for after in spans.past_times[end]:
                tail = spans.tail_end(after)
                for begin in (tail, after) if tail != after else (after,):
                    got = _past_times(spans, begin, took, self.following)
                    if got is not None:
                        return got
        return None


def _past_times(spans: Spans, place: int, taken: Taken | None, step: Step) -> tuple[int, Taken | None] | None:
    for end in spans.past_times[place]:
        got = step.run(spans, end, taken)
        if got is not None:
            return got
    return None
