"""The parts of a clause between its commas and joining words, with what stands in each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause, is_mark
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole

__all__ = ["Part", "parts_of"]

_CUT = re.compile(
    rf", (?![{MARKS}])|{BREAK}(?:and|but|so|because|bc|cause|which|who|while|when|as|that|though|although|plus) "
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A piece [start, end) of the plain form of a clause."""

    clause: PlainClause
    text: str
    start: int
    end: int

    @property
    def tokens(self) -> list[str]:
        """Its words in lower case without marks; time expressions and commas are left out."""
        return [t for token in self.text.split() if (t := token.lstrip(BREAK).lower()) != "," and not is_mark(t)]

    def times(self, role: TimeRole = TimeRole.START) -> tuple[TimePhrase, ...]:
        """Its time words, else those at the head of the clause."""
        found = self.clause.times_in(self.text) or self.clause.times_in(self.clause.text[:1])
        words_ = [self.clause.times[i] for i in found]
        return tuple(TimePhrase(text=w.text, role=role, tense=None if w.has_end else Tense.PAST) for w in words_)


def parts_of(clause: PlainClause, taken: Sequence[tuple[int, int]] = ()) -> list[Part]:
    """The parts of a clause that nothing was read in; `taken` are the places of what was read."""
    cuts = [(0, 0), *(m.span() for m in _CUT.finditer(clause.text)), (len(clause.text), len(clause.text))]
    spans = [(a[1], b[0]) for a, b in pairwise(cuts)]
    return [
        Part(clause=clause, text=clause.text[start:end], start=start, end=end)
        for start, end in spans
        if clause.text[start:end].strip() and not any(a < end and start < b for a, b in taken)
    ]
