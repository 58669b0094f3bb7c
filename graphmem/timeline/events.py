"""Expressions dated by an event: "before she joined Globex", "while he was at Acme"."""

from __future__ import annotations

import re

from graphmem.timeline.passage import Passage
from graphmem.timeline.timewords import Operator, TimeExpression
from graphmem.timeline.vocabulary import words

__all__ = ["EVENT_WORDS", "read_event"]

EVENT_WORDS = words(
    "the right just shortly soon ever before prior after following when at as while during until till since by"
)
"""The words such an expression can begin with."""

_EVENT = re.compile(
    r"(?:(?:the )?(?:\w{1,12} )?(?:day|week|month|year)s? |right |just |shortly |soon |ever )?"
    r"(?P<operator>before|prior to|after|following|when|at the time(?: of| that| when)?"
    r"|the moment|as soon as|while|during|until|till"
    r"|since|by the time) (?=[\w'\"])(?!then(?!\w)|all(?!\w)|that(?!\w)|which(?!\w))(?P<clause>[^.,;:!?\n]{1,160})"
)
_EVENT_OPERATORS = {
    "before": Operator.BEFORE,
    "prior to": Operator.BEFORE,
    "after": Operator.AFTER,
    "following": Operator.AFTER,
    "as soon as": Operator.AFTER,
    "while": Operator.WHILE,
    "during": Operator.WHILE,
    "until": Operator.UNTIL,
    "till": Operator.UNTIL,
    "since": Operator.SINCE,
    "by the time": Operator.BY,
}
_ASKING = re.compile(
    r"(?:(?:exactly|precisely|roughly|approximately|else|again) )?"
    r"(?:did|do|does|is|are|was|were|will|has|have|had|can|could|should|would|must)(?!\w)"
)

_VERBS_WITH_AFTER = words("look looks looking looked take takes took named name ask asked run")


def read_event(passage: Passage, at: int) -> tuple[TimeExpression, int] | None:
    """The expression dated by an event at a place, and where its clause begins."""
    found = _EVENT.match(passage.low, at)
    if found is None:
        return None
    word, begin = found["operator"], found.start("clause")
    if word == "when" and (
        _ASKING.match(passage.low, begin) or passage.word_before(found.start("operator")) in ("since", "until")
    ):
        return None
    if word in ("since", "until", "till") and passage.low.startswith("when", begin):
        return None
    if word == "after" and passage.word_before(found.start("operator")) in _VERBS_WITH_AFTER:
        return None
    clause = passage.text[begin : found.end()].strip()
    end = begin + len(clause)
    operator = _EVENT_OPERATORS.get(word, Operator.WHEN)
    return TimeExpression(text=passage.text[at:end], start=at, end=end, operator=operator, clause=clause), begin
