"""Units with what modifies them: parts ("mid May"), ordinals ("the first Monday of May"), offsets ("two days before 3 March"),
stretches up to now ("the past three years")."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.timeline import spans
from graphmem.timeline.granules import Unit
from graphmem.timeline.numerals import AMOUNT, amount_of, ordinal_of
from graphmem.timeline.passage import Passage, Reading, SpanOfYear
from graphmem.timeline.phrases import Tense
from graphmem.timeline.rules import RuleBook
from graphmem.timeline.spans import Part, Span, Step
from graphmem.timeline.units import read_unit
from graphmem.timeline.vocabulary import AMOUNT_FIRST, DAY_PART, DIGIT, STEP, WEEKDAY, step_of, weekday_of

__all__ = ["TERM_WORDS", "read_term", "unit_that_ends"]

_MAX_DEPTH = 4
"""How deep terms may nest: "the day before the Monday after Easter" has two."""

RULES = RuleBook()
"""Rules for units with what modifies them."""


def read_term(passage: Passage, at: int) -> Reading | None:
    """The longest term, or plain unit, that begins at a place; None if there is none."""
    if at in passage.terms:
        return passage.terms[at]
    best = read_unit(passage, at)
    if passage.depth < _MAX_DEPTH:
        passage.depth += 1
        best = RULES.longest(passage, at, best)
        passage.depth -= 1
        passage.terms[at] = best
    return best


_NOW_UNIT = re.compile(r"(?:the |this )?(day|week|month|quarter|year|decade|century)(?![\w'])")


def _unit_or_current(passage: Passage, at: int) -> Reading | None:
    """The unit at a place; "the month", "the year" is the one that is now."""
    if unit := read_unit(passage, at):
        return unit
    if found := _NOW_UNIT.match(passage.low, at):
        return Reading(span=spans.span_around(passage.now, Step(found[1])), end=found.end(), is_relative=True)
    return None


def _derived(unit: Reading, make: Callable[[Span], Span]) -> Reading:
    """The reading of something made from a unit, still open to other years if the unit is."""
    of_year = unit.of_year
    remake: SpanOfYear | None = None if of_year is None else lambda year: make(of_year(year))
    return replace(unit, span=make(unit.span), window=None, of_year=remake)


# Parts

_PARTS = {
    "early": Part.EARLY,
    "beginning": Part.START,
    "start": Part.START,
    "mid": Part.MID,
    "middle": Part.MID,
    "midst": Part.MID,
    "late": Part.LATE,
    "end": Part.END,
    "tail end": Part.END,
}


@RULES.rule("the early mid late", r"(?:the )?(?:very )?(early|mid|late)(?: part of|-| )(?:in )?(?=[\w'])")
def _named_part(passage: Passage, found: re.Match[str]) -> Reading | None:
    return _part(passage, _PARTS[found[1]], read_unit(passage, found.end()))


@RULES.rule(
    "the beginning start middle midst end tail",
    r"(?:the )?(?:very )?(beginning|start|middle|midst|tail end|end) of (?=[\w'])",
)
def _part_of(passage: Passage, found: re.Match[str]) -> Reading | None:
    unit, part = _unit_or_current(passage, found.end()), _PARTS[found[1]]
    reading = _part(passage, part, unit)
    if reading and part is Part.END and passage.tense is Tense.PAST and reading.span.lo > passage.now:
        return _end_before(passage, found.end(), reading)
    return reading


def _end_before(passage: Passage, at: int, coming: Reading) -> Reading:
    """ "At the end of the year", looking back: the last end of a year that has been."""
    named = _NOW_UNIT.match(passage.low, at)
    if named is None or read_unit(passage, at):
        return coming
    step = Step(named[1])
    earlier = spans.span_around(spans.move(passage.now, -1, step), step)
    return replace(coming, span=spans.part_of(earlier, Part.END))


def _part(passage: Passage, part: Part, unit: Reading | None) -> Reading | None:
    if unit is None or unit.span.unit in (Unit.DAY, Unit.MINUTE, Unit.HOUR, Unit.INSTANT):
        return None
    return _derived(unit, lambda span: spans.part_of(span, part))


_END_OF = re.compile(r"(?:the )?(?:very )?end of (?=[\w'])")


def unit_that_ends(passage: Passage, at: int) -> Reading | None:
    """The unit whose end is named at a place: "until the end of July" is until July is over, not until its last third begins."""
    end_of = _END_OF.match(passage.low, at)
    return read_term(passage, end_of.end()) if end_of else None


@RULES.rule(
    "earlier later",
    r"(earlier|later) (?:(today)|(this|last|next) (week|month|year|quarter)|(?:on )?in the (week|month|quarter|year))(?!\w)",
)
def _earlier(passage: Passage, found: re.Match[str]) -> Reading:
    step = Step.DAY if found[2] else Step(found[4] or found[5])
    whole = spans.span_around(passage.now, step)
    shift = {"last": -1, "next": 1}.get(found[3], 0)
    if shift:
        whole = spans.span_around(spans.move(whole.lo, shift, step), step)
        window = whole
    elif found[1] == "earlier":
        window = replace(whole, hi=passage.now, unit=Unit.FUZZY)
    else:
        window = replace(whole, lo=passage.now, unit=Unit.FUZZY)
    span = whole if step is Step.DAY else window
    return Reading(span=span, window=window, end=found.end(), is_relative=True)


@RULES.rule("the rest remainder", r"(?:the )?(?:rest|remainder) of (?:the |this )?(day|week|month|quarter|year)(?!\w)")
def _rest(passage: Passage, found: re.Match[str]) -> Reading:
    whole = spans.span_around(passage.now, Step(found[1]))
    return Reading(span=Span(lo=passage.now, hi=whole.hi, unit=Unit.FUZZY), end=found.end(), is_relative=True)


# Ordinals within a unit

_NTH = "first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th"


@RULES.rule(
    f"the first second third fourth fifth last {DIGIT}",
    rf"(?:the )?({_NTH}) ({WEEKDAY}|day|week|weekend|month) (?:of|in) (?=[\w'])",
)
def _nth_of(passage: Passage, found: re.Match[str]) -> Reading | None:
    unit = _unit_or_current(passage, found.end())
    if unit is None or unit.span.unit not in (Unit.WEEK, Unit.MONTH, Unit.SEASON, Unit.QUARTER, Unit.HALF, Unit.YEAR):
        return None
    number = -1 if found[1] == "last" else ordinal_of(found[1])
    what = found[2]
    if what == "month" and unit.span.unit in (Unit.WEEK, Unit.MONTH):
        return None
    return _derived(unit, lambda span: _nth_within(span, number, what))


def _nth_within(whole: Span, number: int, what: str) -> Span:
    """The Nth weekday, day, week or month of a unit. Weeks count from its first day: the first week of May is 1 to 7 May."""
    last = spans.add(whole.hi, timedelta(days=-1))
    match what:
        case "day":
            return spans.day(spans.add(whole.lo, timedelta(days=number - 1)) if number > 0 else last)
        case "week":
            first = (
                spans.add(whole.lo, timedelta(days=7 * (number - 1)))
                if number > 0
                else spans.add(whole.hi, timedelta(days=-7))
            )
            return spans.days(first, 7, Unit.WEEK)
        case "month":
            edge = spans.move(whole.lo, number - 1, Step.MONTH) if number > 0 else last
            return spans.month(edge.year, edge.month)
        case "weekend":
            return spans.weekend(_nth_weekday(whole, number, 5, spans.add(last, timedelta(days=-1))))
        case _:
            return spans.day(_nth_weekday(whole, number, weekday_of(what), last))


def _nth_weekday(whole: Span, number: int, weekday: int, last: datetime) -> datetime:
    if number > 0:
        return spans.add(whole.lo, timedelta(days=(weekday - whole.lo.weekday()) % 7 + 7 * (number - 1)))
    return spans.add(last, timedelta(days=-((last.weekday() - weekday) % 7)))


@RULES.rule(
    "the week weekend month year",
    r"(?:the )?(week|weekend|month|year) (?:of|starting|beginning|commencing|including|ending) (?:on )?(?=[\w'])",
)
def _unit_of_day(passage: Passage, found: re.Match[str]) -> Reading | None:
    unit = read_unit(passage, found.end())
    if unit is None or unit.span.unit is not Unit.DAY:
        return None
    return _derived(unit, lambda span: spans.span_around(span.lo, Step(found[1])))


@RULES.rule("the early late morning afternoon evening night", rf"(?:the )?(?:early |late )?({DAY_PART}) of (?=[\w'])")
def _part_of_day(passage: Passage, found: re.Match[str]) -> Reading | None:
    unit = read_unit(passage, found.end())
    if unit is None or unit.span.unit is not Unit.DAY:
        return None
    return replace(unit, window=spans.day_part(unit.span, found[1]), of_year=None)


# Offsets from a unit


@RULES.rule(
    f"the exactly about {AMOUNT_FIRST}",
    rf"(?:(the|exactly|about) )?(?:({AMOUNT}) )?(?:({STEP})|({WEEKDAY})s?) (before|after|prior to|following|from) (?=[\w'])",
)
def _offset(passage: Passage, found: re.Match[str]) -> Reading | None:
    if found[1] != "the" and found[2] is None:
        return None
    base = read_term(passage, found.end())
    if base is None or base.span.unit is Unit.INSTANT:
        return None
    way = -1 if found[5] in ("before", "prior to") else 1
    if found[4]:
        weekday = weekday_of(found[4])
        return _derived(base, lambda span: _weekday_beside(span, weekday, way))
    amount, step = amount_of(found[2] or "a"), step_of(found[3])
    if amount.is_vague or amount.number != int(amount.number):
        return None
    return _moved(base, way * int(amount.number), step, is_counted=found[2] is not None)


def _weekday_beside(span: Span, weekday: int, way: int) -> Span:
    """The first such weekday after the end of a span, or the last before its beginning."""
    edge = span.hi if way > 0 else spans.add(span.lo, timedelta(days=-1))
    days = (weekday - edge.weekday()) % 7 if way > 0 else -((edge.weekday() - weekday) % 7)
    return spans.day(spans.add(edge, timedelta(days=days)))


_STEP_OF_UNIT = {
    Unit.WEEK: Step.WEEK,
    Unit.MONTH: Step.MONTH,
    Unit.QUARTER: Step.QUARTER,
    Unit.YEAR: Step.YEAR,
    Unit.DECADE: Step.DECADE,
}


def _moved(base: Reading, count: int, step: Step, *, is_counted: bool) -> Reading | None:
    """ "two weeks after 4 May" is a day, "the week after 4 May" a week; months are counted from months, years from years."""
    if step in (Step.SECOND, Step.MINUTE, Step.HOUR):
        if base.span.unit is not Unit.MINUTE:
            return None
        return _derived(
            base, lambda span: replace(span, lo=spans.move(span.lo, count, step), hi=spans.move(span.hi, count, step))
        )
    if base.span.unit in (Unit.DAY, Unit.MINUTE):
        finer = Step.DAY if is_counted and step is not Step.WEEKEND else step
        return _derived(base, lambda span: spans.span_around(spans.move(span.lo, count, step), finer))
    if _STEP_OF_UNIT.get(base.span.unit) is step:
        return _derived(base, lambda span: spans.span_around(spans.move(span.lo, count, step), step))
    return None


@RULES.rule(
    "around about circa c roughly approximately sometime some",
    r"(?:(around|about|circa|c\.|roughly|approximately)|some ?time(?: (?:in|around|during))?) (?:in |on )?(?=[\w'])",
)
def _around(passage: Passage, found: re.Match[str]) -> Reading | None:
    unit = read_term(passage, found.end())
    if unit is None or unit.span.unit is Unit.INSTANT:
        return None
    if found[1] is None:
        return unit
    return replace(_derived(unit, _padded) if unit.span.unit in _PADDING else unit, is_fuzzy=True)


_PADDING = {Unit.YEAR: 6, Unit.DECADE: 60}


def _padded(span: Span) -> Span:
    """Half a unit more on either side. Days, weeks and months stay as they are: "around Christmas" is not said to be exact."""
    months = _PADDING[span.unit]
    return Span(
        lo=spans.move(span.lo, -months, Step.MONTH), hi=spans.move(span.hi, months, Step.MONTH), unit=Unit.FUZZY
    )


# Stretches that end or begin now

_ROLLING_LEAD = r"(?:for |over |in |within |during |throughout |since )?"


@RULES.rule(
    "for over in within during throughout since the last past previous next coming",
    rf"({_ROLLING_LEAD})(the )?(last|past|previous|next|coming) (?:({AMOUNT}) )?({STEP})(?!')",
)
def _rolling(passage: Passage, found: re.Match[str]) -> Reading | None:
    lead, shift, step = found[1].strip(), found[3], step_of(found[5])
    is_ahead = shift in ("next", "coming")
    if found[4] is None:
        named = shift in ("last", "previous") and not (
            lead == "within" or (found[2] and lead in ("over", "in", "during", "throughout", "for"))
        )
        if is_ahead or named or step is Step.WEEKEND:
            return None
    amount = amount_of(found[4] or "a")
    span = _stretch(passage, amount.number, step, is_ahead=is_ahead)
    return Reading(span=span, end=found.end(), is_fuzzy=amount.is_vague, is_rolling=True, is_relative=True)


@RULES.rule("within", rf"within (?:the )?(?:next |coming )?({AMOUNT}) ({STEP})")
def _within(passage: Passage, found: re.Match[str]) -> Reading | None:
    if passage.tense is not Tense.FUTURE:
        return None
    span = _stretch(passage, amount_of(found[1]).number, step_of(found[2]), is_ahead=True)
    return Reading(span=span, end=found.end(), is_rolling=True, is_relative=True)


_FINER = {
    Step.SECOND: (Step.SECOND, 1),
    Step.MINUTE: (Step.SECOND, 60),
    Step.HOUR: (Step.MINUTE, 60),
    Step.DAY: (Step.HOUR, 24),
    Step.WEEKEND: (Step.DAY, 7),
    Step.WEEK: (Step.DAY, 7),
    Step.FORTNIGHT: (Step.DAY, 14),
    Step.MONTH: (Step.DAY, 30),
    Step.QUARTER: (Step.MONTH, 3),
    Step.YEAR: (Step.MONTH, 12),
    Step.DECADE: (Step.YEAR, 10),
    Step.CENTURY: (Step.YEAR, 100),
}
"""In what half a unit is counted: "the last year and a half" is 18 months."""


def _stretch(passage: Passage, number: float, step: Step, *, is_ahead: bool) -> Span:
    if number != int(number):
        step, number = _FINER[step][0], number * _FINER[step][1]
    count = round(number)
    if step in (Step.SECOND, Step.MINUTE, Step.HOUR):
        edge = passage.later(spans.length_of(step) * (count if is_ahead else -count))
    else:
        edge = spans.move(passage.now, count if is_ahead else -count, step)
    lo, hi = (passage.now, edge) if is_ahead else (edge, passage.now)
    return Span(lo=lo, hi=hi, unit=Unit.FUZZY)


TERM_WORDS = RULES.words
"""The words a term can begin with, beside those of a unit."""
