"""Times counted from the moment of speaking: "yesterday", "last week", "on Friday", "two years ago", "now"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.timeline import spans
from graphmem.timeline.granules import Unit
from graphmem.timeline.numerals import AMOUNT, Amount, amount_of
from graphmem.timeline.passage import Passage, Reading
from graphmem.timeline.phrases import Tense
from graphmem.timeline.rules import RuleBook
from graphmem.timeline.spans import CLOCK_STEPS, Span, Step, length_of
from graphmem.timeline.vocabulary import (
    AMOUNT_FIRST,
    CUES,
    DAY_PART,
    END,
    SHIFT,
    SHIFT_WORDS,
    STEP,
    WEEKDAY,
    WEEKDAY_NAMES,
    WEEKDAY_WORDS,
    step_of,
    way_of,
    weekday_of,
)

__all__ = ["RULES", "units_ago"]

RULES = RuleBook()
"""Rules for times counted from now."""


# Counted from now

_NEAR_DAYS = {
    "today": 0,
    "yesterday": -1,
    "yday": -1,
    "tomorrow": 1,
    "tomorow": 1,
    "tmrw": 1,
    "tmr": 1,
    "day before yesterday": -2,
    "day after tomorrow": 2,
    "previous day": -1,
    "next day": 1,
    "following day": 1,
}


@RULES.rule(
    "the today yesterday yday tomorrow tomorow tmrw tmr day",
    rf"(the )?({'|'.join(sorted(_NEAR_DAYS, key=len, reverse=True))}){END}",
)
def _near_day(passage: Passage, found: re.Match[str]) -> Reading | None:
    if found[2].endswith(" day") and not found[1]:
        return None
    lo = spans.add(spans.midnight(passage.today), timedelta(days=_NEAR_DAYS[found[2]]))
    return Reading(span=spans.day(lo), end=found.end(), is_relative=True)


@RULES.rule(
    "this last yesterday tomorrow tonight today",
    rf"(?:(this|last|yesterday|tomorrow|today)(?:'s)? ({DAY_PART})|tonight){END}",
)
def _part_of_day(passage: Passage, found: re.Match[str]) -> Reading | None:
    shift, part = found[1] or "this", found[2] or "night"
    if shift == "last" and part in ("morning", "afternoon"):
        return None
    offset = {"yesterday": -1, "last": -1, "tomorrow": 1}.get(shift, 0)
    whole = spans.day(spans.add(spans.midnight(passage.today), timedelta(days=offset)))
    return Reading(span=whole, end=found.end(), window=spans.day_part(whole, part), is_relative=True)


@RULES.rule(
    f"{SHIFT_WORDS} {WEEKDAY_WORDS} the on",
    rf"(?:on )?(?:the )?(?:({SHIFT})(?: week'?s?,?(?: on)?)? )?({WEEKDAY})(?:,? ?(?:of |in )?(?:the )?({SHIFT}) week)?(?![\w'])",
)
def _weekday(passage: Passage, found: re.Match[str]) -> Reading | None:
    name = found[2].rstrip(".")
    shift, week_shift = found[1], found[3]
    if not (shift or week_shift) and not _is_weekday(passage, name, found.start(), found.start(2)):
        return None
    end = found.end() if found[3] else found.start(2) + len(name)
    if week_shift or (shift and "week" in found[0][: found.start(2) - found.start()]):
        monday = spans.week(spans.add(spans.midnight(passage.today), timedelta(days=7 * way_of(week_shift or shift))))
        lo = spans.add(monday.lo, timedelta(days=weekday_of(name)))
    else:
        lo = _nearest_weekday(passage, weekday_of(name), shift)
    return Reading(span=spans.day(lo), end=end, is_relative=True)


def _is_weekday(passage: Passage, name: str, at: int, name_at: int) -> bool:
    cue = passage.word_before(at)
    if cue in ("every", "each", "most", "some", "called", "did", "does", "named"):
        return False
    if name in WEEKDAY_NAMES:
        return True
    return passage.is_capital(name_at) and (
        cue in CUES or passage.low.startswith("on ", at) or passage.is_whole(at, name_at + len(name))
    )


def _nearest_weekday(passage: Passage, weekday: int, shift: str | None) -> datetime:
    today = spans.midnight(passage.today)
    back = (today.weekday() - weekday) % 7
    ahead = (weekday - today.weekday()) % 7 or 7
    if shift in ("last", "past", "previous", "this past"):
        return spans.add(today, timedelta(days=-(back or 7)))
    if shift in ("next", "following"):
        return spans.add(today, timedelta(days=7 + weekday - today.weekday()))
    if shift in ("this", "current"):
        return spans.add(today, timedelta(days=weekday - today.weekday()))
    if shift is not None or passage.tense is Tense.FUTURE or (passage.tense is Tense.UNKNOWN and ahead < back):
        return spans.add(today, timedelta(days=ahead))
    return spans.add(today, timedelta(days=-back))


@RULES.rule(f"the {SHIFT_WORDS}", rf"(?:the )?({SHIFT}) (day|week|weekend|month|quarter|year|decade|century)(?!\w)")
def _shifted_unit(passage: Passage, found: re.Match[str]) -> Reading | None:
    shift, step = found[1], Step(found[2])
    is_stretch = shift in ("past", "this past") and step is not Step.WEEKEND
    if is_stretch or found[0] in ("last day", "the last day", "next day"):
        return None
    if step is Step.WEEKEND:
        span = _shifted_weekend(passage, way_of(shift))
    else:
        whole = spans.span_around(passage.now, step)
        span = spans.span_around(spans.move(whole.lo, way_of(shift), step), step)
    return Reading(span=span, end=found.end(), is_relative=True)


def _shifted_weekend(passage: Passage, way: int) -> Span:
    """The last one that is over, this week's, or that of next week."""
    span = spans.weekend(spans.add(passage.now, timedelta(days=7 * way)))
    if way < 0 and passage.today.weekday() >= 5 and span.hi > passage.now:
        return spans.weekend(spans.add(passage.now, timedelta(days=-14)))
    return span


@RULES.rule("the", r"the weekend(?! (?:of|before|after|starting|beginning|including))(?![\w'])")
def _the_weekend(passage: Passage, found: re.Match[str]) -> Reading | None:
    if passage.word_before(found.start()) not in (
        "at",
        "over",
        "since",
        "on",
        "until",
        "till",
        "before",
        "after",
        "during",
    ):
        return None
    is_ahead = passage.tense is Tense.FUTURE
    span = spans.weekend(passage.now) if is_ahead else _shifted_weekend(passage, -1)
    return Reading(span=span, end=found.end(), is_relative=True)


@RULES.rule("the", rf"the (day|week|weekend|month|year) (before last|after next){END}")
def _second_unit(passage: Passage, found: re.Match[str]) -> Reading:
    step = Step(found[1])
    whole = spans.span_around(passage.now, step)
    span = spans.span_around(spans.move(whole.lo, -2 if "last" in found[2] else 2, step), step)
    return Reading(span=span, end=found.end(), is_relative=True)


_ABOUT = r"(?:(?:about|around|roughly|approximately|some|almost|nearly|over|more than|just over|only|just|exactly) )?"
_ABOUT_WORDS = "about around roughly approximately some almost nearly over more just only exactly"
_FUZZY_ABOUT = ("about", "around", "roughly", "approx", "some", "almost", "nearly", "over", "more", "just over")


@RULES.rule(
    f"{_ABOUT_WORDS} {AMOUNT_FIRST}",
    rf"({_ABOUT})({AMOUNT})[ -](?:more )?({STEP})( and a half)? (?:ago|back|earlier|prior|before now)(?![\w-])",
)
def _ago(passage: Passage, found: re.Match[str]) -> Reading:
    ago = units_ago(passage, amount_of(found[2]), step_of(found[3]), found.end(), is_half=found[4] is not None)
    is_fuzzy = ago.is_fuzzy or found[1].startswith(_FUZZY_ABOUT) or "couple" in found[2]
    return replace(ago, is_fuzzy=is_fuzzy)


def units_ago(passage: Passage, amount: Amount, step: Step, end: int, *, is_half: bool) -> Reading:
    """The unit so many units ago; for a vague amount the stretch they may mean. `is_half`: "and a half" was said."""
    if amount.is_vague:
        return _vaguely_ago(passage, amount, step, end)
    number = amount.number + (0.5 if is_half else 0)
    return Reading(span=_counted(passage, -number, step), end=end, is_relative=True)


def _vaguely_ago(passage: Passage, amount: Amount, step: Step, end: int) -> Reading:
    if step in CLOCK_STEPS:
        lo, hi = (passage.later(length_of(step) * -count) for count in (amount.high, amount.low))
    else:
        lo, hi = (spans.midnight(spans.move(passage.now, -count, step)) for count in (amount.high, amount.low))
    return Reading(span=Span(lo=lo, hi=hi, unit=Unit.FUZZY), end=end, is_fuzzy=True, is_relative=True)


def _counted(passage: Passage, number: float, step: Step) -> Span:
    """The unit so many steps from now: "two weeks ago" is a week, "half a year ago" a month, "ten minutes ago" a minute."""
    if step in CLOCK_STEPS:
        return _minute_at(passage, number, step)
    if number != int(number):
        finer = {
            Step.YEAR: (Step.MONTH, 12),
            Step.DECADE: (Step.YEAR, 10),
            Step.MONTH: (Step.DAY, 30),
            Step.WEEK: (Step.DAY, 7),
        }
        step, factor = finer.get(step, (step, 1))
        number = round(number * factor)
    return spans.span_around(spans.move(passage.now, int(number), step), step)


def _minute_at(passage: Passage, number: float, step: Step) -> Span:
    lo = passage.later(length_of(step) * number)
    return Span(lo=lo, hi=spans.add(lo, timedelta(minutes=1)), unit=Unit.MINUTE)


_COMPOUND = rf"{AMOUNT} {STEP}(?:(?:,| and|, and)? {AMOUNT} {STEP}){{1,3}}"
_PART_OF_COMPOUND = re.compile(rf"({AMOUNT}) ({STEP})")


@RULES.rule(AMOUNT_FIRST, rf"({_COMPOUND}) (ago|back|from now|hence)(?![\w-])")
def _compound_ago(passage: Passage, found: re.Match[str]) -> Reading | None:
    """ "2 years, 1 month and 21 days ago": as fine as its smallest unit."""
    way = -1 if found[2] in ("ago", "back") else 1
    at, finest = passage.now, Step.CENTURY
    for amount, name in _PART_OF_COMPOUND.findall(found[1]):
        number, step = amount_of(amount).number, step_of(name)
        if number != int(number):
            return None
        at, finest = spans.move(at, way * int(number), step), min(finest, step, key=list(Step).index)
    return Reading(span=spans.span_around(at, finest), end=found.end(), is_relative=True)


@RULES.rule(
    "in",
    rf"in (?:another )?({_ABOUT})({AMOUNT})[ -]?(?:more )?({STEP})( and a half)?(?:'s?)?(?: time)?(?! (?:ago|back|of))(?!\w)",
)
def _in_units(passage: Passage, found: re.Match[str]) -> Reading | None:
    return _ahead(passage, found, found[1].startswith(_FUZZY_ABOUT))


@RULES.rule(AMOUNT_FIRST, rf"()({AMOUNT}) (?:more )?({STEP})( and a half)? (?:from (?:now|today)|hence|later){END}")
def _from_now(passage: Passage, found: re.Match[str]) -> Reading | None:
    if found[0].endswith("later"):
        return None
    return _ahead(passage, found, False)


_NOT_AHEAD = re.compile(r"(?:n't|\bnot|\bnever|\bfirst|\bonce|\bonly|\bback)(?!\w)[^.;!?]*$")


def _ahead(passage: Passage, found: re.Match[str], is_fuzzy: bool) -> Reading | None:
    amount, step = amount_of(found[2]), step_of(found[3])
    if passage.tense is Tense.PAST and _NOT_AHEAD.search(passage.before(found.start())):
        return None
    if amount.is_vague:
        lo, hi = (spans.midnight(spans.move(passage.now, count, step)) for count in (amount.low, amount.high))
        return Reading(span=Span(lo=lo, hi=hi, unit=Unit.FUZZY), end=found.end(), is_fuzzy=True, is_relative=True)
    number = amount.number + (0.5 if found[4] else 0)
    if step in (Step.WEEK, Step.FORTNIGHT) and number == int(number):
        number, step = number * (7 if step is Step.WEEK else 14), Step.DAY
    return Reading(span=_counted(passage, number, step), end=found.end(), is_fuzzy=is_fuzzy, is_relative=True)


@RULES.rule(
    "by these currently right at presently as nowadays now just",
    r"(by now|these days|currently|right now|at the moment|at this moment|at present|presently|as of now|nowadays|just now"
    r"|now)(?![\w-])",
)
def _now(passage: Passage, found: re.Match[str]) -> Reading | None:
    if found[1] == "now" and re.match(r" ?(?:that |,)", passage.low[found.end() : found.end() + 6]):
        return None
    lo = passage.now
    return Reading(
        span=Span(lo=lo, hi=spans.add(lo, timedelta(microseconds=1)), unit=Unit.INSTANT),
        end=found.end(),
        is_relative=True,
    )


_DONE = (
    "accepted|adopted|arrived|became|booked|bought|finished|founded|got|graduated|hired|joined|landed|launched|left|lost|moved"
    "|opened|passed|published|quit|received|released|retired|sold|signed|started|won"
)


@RULES.rule("just", rf"just(?= (?:{_DONE})(?!\w))")
def _just(passage: Passage, found: re.Match[str]) -> Reading:
    """ "I just launched it": today, or not long before."""
    return Reading(span=spans.day(passage.today), end=found.end(), is_fuzzy=True, is_relative=True)


_RECENT_DAYS = 60


@RULES.rule("recently lately", rf"(recently|lately){END}")
def _recently(passage: Passage, found: re.Match[str]) -> Reading:
    lo = spans.add(spans.midnight(passage.today), timedelta(days=-_RECENT_DAYS))
    return Reading(span=Span(lo=lo, hi=passage.now, unit=Unit.FUZZY), end=found.end(), is_fuzzy=True, is_relative=True)
