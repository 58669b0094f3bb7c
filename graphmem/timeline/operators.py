"""Units as expressions use them: "in May", "since March", "until Friday", "from 2020 onwards", "for three years now"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from graphmem.timeline import spans
from graphmem.timeline.calendar import cut
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MAX, MIN
from graphmem.timeline.numerals import AMOUNT, amount_of
from graphmem.timeline.passage import Passage, Reading
from graphmem.timeline.relative import units_ago
from graphmem.timeline.terms import read_term, unit_that_ends
from graphmem.timeline.timewords import Operator, TimeExpression, expression
from graphmem.timeline.vocabulary import STEP, step_of, words

__all__ = ["OPERATOR_WORDS", "read_bounded", "read_lasting", "read_plain"]

_OPERATORS = re.compile(
    r"(?P<since_before>(?:ever )?since before )"
    r"|(?P<since>(?:ever )?since (?:at least )?(?:in |on )?)"
    r"|(?P<until>(?:up )?(?:until|till|til) (?:in |on )?|up to(?: and including)? |(?:no|not) later than |on or before "
    r"|(?P<through>through ))"
    r"|(?P<earliest>(?:no|not) earlier than )"
    r"|(?P<by>by )"
    r"|(?P<before>(?:(?:any ?time|right|just|shortly|some ?time) )?(?:before|prior to|earlier than) )"
    r"|(?P<after>(?:(?:any ?time|right|just|shortly|some ?time) )?(?:after|later than|following) )"
    r"|(?P<start>(?:starting|beginning|commencing|effective)(?: in| on| from| as of)? |as from |from (?:in |on )?)"
    r"|(?P<as_of>as (?:of|at) )"
)
OPERATOR_WORDS = words(
    "ever since up until till til no not on through by any anytime right just shortly some sometime before prior earlier "
    "after later following starting beginning commencing effective as from in at during throughout back for about around "
    "almost nearly over more"
)
"""The words an operator, a preposition or a length can begin with."""

_PREPOSITION = re.compile(
    r"(?:back )?(?:in|on|at|during|throughout) "
    r"(?!today|yesterday|tomorrow|tonight|lately|recently|currently|now|right|just|presently|nowadays|by )"
)
_LASTING = re.compile(
    rf"(?:for )?(?:about |around |almost |nearly |over |more than )?({AMOUNT}) ({STEP})"
    r"(?P<half> and a half)?(?P<now> now)?(?![\w-])"
)
_PERFECT = re.compile(r"(?:'ve|'s (?:been|had|got)|(?<!\w)have|(?<!\w)has)(?!\w)[^.;!?\n]*$")


def read_lasting(passage: Passage, at: int) -> TimeExpression | None:
    """ "For three years now", "we have had it for three years": since then, in the unit that was counted."""
    found = _LASTING.match(passage.low, at)
    if found is None or not (found["now"] or (found[0].startswith("for ") and _PERFECT.search(passage.before(at)))):
        return None
    ago = units_ago(passage, amount_of(found[1]), step_of(found[2]), found.end(), is_half=found["half"] is not None)
    begin = cut(ago.span, passage.zone)
    return expression(passage, at, found.end(), Operator.SINCE, ago, (begin.lo, MAX))


_TAIL = re.compile(r" (onwards?|forward)(?!\w)|,? (?:and|or) (onwards?|later|earlier|after)(?= ?(?:$|[.,;:!?)]))")


def read_plain(passage: Passage, at: int) -> TimeExpression | None:
    """A unit by itself or after "in", "on", "at"; also "2020 onwards", "2020 or earlier"."""
    reading = read_term(passage, at)
    if lead := _PREPOSITION.match(passage.low, at):
        inner = read_term(passage, lead.end())
        if inner and (reading is None or inner.end > reading.end):
            reading = inner
    if reading is None:
        return None
    meant = cut(reading.meant, passage.zone)
    if reading.is_rolling:
        return _rolling(passage, at, reading, meant)
    if tail := _TAIL.match(passage.low, reading.end):
        if tail[2] == "earlier":
            return expression(passage, at, tail.end(), Operator.UNTIL, reading, (MIN, meant.hi))
        return expression(passage, at, tail.end(), Operator.SINCE, reading, (meant.lo, MAX))
    return expression(passage, at, reading.end, Operator.AT, reading, (meant.lo, meant.hi))


def _rolling(passage: Passage, at: int, reading: Reading, meant: Granule) -> TimeExpression:
    """Its granule is the day in which the stretch begins: nobody counts three years back to the minute."""
    first = reading
    if reading.span.hi - reading.span.lo >= timedelta(days=1):
        first = replace(reading, span=spans.day(reading.span.lo))
    return expression(passage, at, reading.end, Operator.ROLLING, first, (meant.lo, meant.hi))


_ONWARDS = re.compile(r" (?:onwards?|on|forward)(?!\w)")


def read_bounded(passage: Passage, at: int) -> TimeExpression | None:
    """ "since", "until", "before", "after", "by", "from" or "as of" a unit."""
    found = _OPERATORS.match(passage.low, at)
    if found is None:
        return None
    name = str(found.lastgroup)
    reading = read_term(passage, found.end())
    if reading is None or reading.is_rolling or _is_no_bound(found[0], reading):
        return None
    if found["through"] and reading.is_relative:
        return None
    if name in ("until", "by"):
        reading = unit_that_ends(passage, found.end()) or reading
    return _bounded_by(passage, at, name, reading)


def _is_no_bound(words_: str, reading: Reading) -> bool:
    """ "By now" is a way to say now, and "up to" in "what are you up to now" no bound."""
    is_loose = reading.span.unit is Unit.INSTANT or (
        reading.is_fuzzy and reading.span.unit is Unit.FUZZY and reading.is_relative
    )
    return is_loose and words_.startswith(("by", "up to"))


def _bounded_by(passage: Passage, at: int, name: str, reading: Reading) -> TimeExpression | None:
    meant, end = cut(reading.meant, passage.zone), reading.end
    match name:
        case "since" | "earliest":
            return expression(passage, at, end, Operator.SINCE, reading, (meant.lo, MAX))
        case "since_before":
            since = expression(passage, at, end, Operator.SINCE, reading, (meant.lo, MAX))
            return replace(since, granule=Granule(lo=MIN, hi=meant.lo))
        case "until" | "by":
            return expression(passage, at, end, Operator(name), reading, (MIN, meant.hi))
        case "before":
            edge = meant.hi if _ends(passage, at, end) else meant.lo
            return expression(passage, at, end, Operator.BEFORE, reading, (MIN, edge))
        case "after":
            edge = meant.lo if reading.span.unit is Unit.INSTANT else meant.hi
            return expression(passage, at, end, Operator.AFTER, reading, (edge, MAX))
        case "as_of":
            return expression(passage, at, end, Operator.AS_OF, reading, (meant.lo, meant.hi))
        case _:
            return _from(passage, at, reading, meant)


def _ends(passage: Passage, at: int, end: int) -> bool:
    return re.search(r" (?:the )?(?:very )?end of ", passage.low[at:end]) is not None


_THINGS_OF_A_TIME = words("is was are were be 's photo picture pic date dates dated one letter email message")


def _from(passage: Passage, at: int, reading: Reading, meant: Granule) -> TimeExpression | None:
    """A beginning; but what is "from last week" or "dates from 1976" was so then."""
    since = expression(passage, at, reading.end, Operator.SINCE, reading, (meant.lo, MAX))
    if tail := _ONWARDS.match(passage.low, reading.end):
        return replace(since, text=passage.text[at : tail.end()], end=tail.end())
    if not passage.low.startswith("from", at) or passage.is_whole(at, reading.end) or reading.span.lo > passage.now:
        return since
    is_past = reading.is_relative and reading.span.hi <= passage.now
    if is_past or passage.word_before(at) in _THINGS_OF_A_TIME:
        return expression(passage, at, reading.end, Operator.AT, reading, (meant.lo, meant.hi))
    return since
