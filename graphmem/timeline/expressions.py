"""English time expressions: what stretch of time the words of a text denote, counted from the moment they were said.

Conventions: weeks start on Monday; seasons are northern and meteorological; "N units ago" has the size of the unit; the
last unit of a range and of "until" is included; an open year is settled by the tense; names and numbers that only look like
dates are left alone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from graphmem.timeline.calendar import zone_at
from graphmem.timeline.events import EVENT_WORDS, read_event
from graphmem.timeline.operators import OPERATOR_WORDS, read_bounded, read_lasting, read_plain
from graphmem.timeline.passage import Passage
from graphmem.timeline.phrases import Tense
from graphmem.timeline.ranges import RANGE_WORDS, read_hour_range, read_month_days, read_range
from graphmem.timeline.terms import TERM_WORDS
from graphmem.timeline.timewords import Operator, TimeExpression
from graphmem.timeline.units import UNIT_WORDS
from graphmem.timeline.vocabulary import any_of

__all__ = ["Operator", "TimeExpression", "find_times"]


def find_times(
    text: str, said_at: datetime, *, tense: Tense = Tense.PAST, southern: bool = False
) -> list[TimeExpression]:
    """The time expressions of a text in its order.

    Days are cut in the time zone of `said_at`; InvalidTime if it has none. `tense` settles what the words leave open: "in
    April" is the last April that has begun, or the next. Expressions do not overlap, save that one with a clause may hold
    others. `southern`: seasons as south of the equator.

    >>> from datetime import UTC
    >>> [found] = find_times("She left in May 2024.", datetime(2026, 6, 3, tzinfo=UTC))
    >>> found.text, found.operator, found.granule.unit
    ('in May 2024', <Operator.AT: 'at'>, <Unit.MONTH: 'month'>)
    """
    zone = zone_at(said_at)
    if not _HINT.search(text.lower()):
        return []
    plain, places = _squeezed(text)
    passage = Passage(plain, said_at, zone, tense, southern=southern)
    found = _scan(passage)
    return found if places is None else [_placed(expression, text, places) for expression in found]


_HINT = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn|fall|winter"
    r"|second|minute|min|hour|hr|day|week|wk|fortnight|month|quarter|half|year|yr|decade|centur|twenties|thirties|fort|fift|sixt"
    r"|sevent|eight|ninet|nineteen|twent|today|tonight|yesterday|yday|tomor|tm|current|now|present|moment|recent|lately|these"
    r"|christmas|xmas|boxing|new|epiph|mart|mlk|ground|valent|pres|st|saint|earth|ash|palm|maundy|good|easter|pente|cinco|moth"
    r"|memor|june|fath|indep|bast|lab|columb|hallow|all|guy|bonf|veter|arm|thank|black|cyber|noon|mid|morning|afternoon|evening"
    r"|night|rest|remainder|early|late|end|start|begin|since|until|till?|before|after|when|while|during|following|prior|once"
    r"|one|two|three|four|five|six|seven|nine|ten|eleven|twelve)"
)
"""A text without any of these, in small letters, holds no expression; most chat lines end here."""

_RUN = re.compile(r"\s{2,}|[\r\n\v\f\x1c-\x1f\x85\u2028\u2029]")


def _squeezed(text: str) -> tuple[str, list[int] | None]:
    """The text with runs of white space as one blank (an empty line: as a line's end), and where each character stood."""
    if not _RUN.search(text):
        return text, None
    plain: list[str] = []
    places: list[int] = []
    at = 0
    for run in _RUN.finditer(text):
        plain.append(text[at : run.start()])
        plain.append("\n" if run[0].count("\n") > 1 else " ")
        places.extend(range(at, run.start() + 1))
        at = run.end()
    plain.append(text[at:])
    places.extend(range(at, len(text) + 1))
    return "".join(plain), places


def _placed(expression: TimeExpression, text: str, places: list[int]) -> TimeExpression:
    start, end = places[expression.start], places[expression.end - 1] + 1
    return replace(expression, text=text[start:end], start=start, end=end)


_FIRST_WORDS = UNIT_WORDS | TERM_WORDS | OPERATOR_WORDS | RANGE_WORDS | EVENT_WORDS
_CANDIDATE = re.compile(
    rf"(?<![\w'])(?:{any_of([word for word in _FIRST_WORDS if word.isalpha()])}(?![a-z])|(?<!\d[.,/:-])\d|'(?=\d))"
)
"""Where an expression can begin."""


def _scan(passage: Passage) -> list[TimeExpression]:
    found: list[TimeExpression] = []
    at = 0
    while candidate := _CANDIDATE.search(passage.low, at):
        at = candidate.start()
        if expression := _dated(passage, at):
            found.append(expression)
            at = expression.end
        elif event := read_event(passage, at):
            found.append(event[0])
            at = event[1]
        else:
            at = candidate.end()
    return found


def _dated(passage: Passage, at: int) -> TimeExpression | None:
    """The longest expression with a date that begins at a place."""
    candidates = (
        read_month_days(passage, at),
        read_hour_range(passage, at),
        read_range(passage, at),
        read_bounded(passage, at),
        read_plain(passage, at),
        read_lasting(passage, at),
    )
    return max((c for c in candidates if c), key=lambda c: c.end, default=None)
