"""Dates in English: days by digits, by month, by ordinal; ISO weeks and months."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from graphmem.timeline import spans
from graphmem.timeline.numerals import CARDINAL_DAY, DAY, ORDINAL, YEAR, amount_of, ordinal_of
from graphmem.timeline.passage import Passage, Reading, in_year
from graphmem.timeline.phrases import Tense
from graphmem.timeline.rules import RuleBook
from graphmem.timeline.spans import Span
from graphmem.timeline.vocabulary import (
    DIGIT,
    MONTH,
    MONTH_WORDS,
    WEEKDAY,
    WEEKDAY_WORDS,
    YEARISH,
    month_of,
    year_meant,
)

__all__ = ["RULES"]

RULES = RuleBook()
"""Rules for dates."""


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _day(on: date | None, end: int) -> Reading | None:
    return None if on is None else Reading(span=spans.day(on), end=end)


def _day_of(passage: Passage, month: int, day: int, year: str | None, end: int) -> Reading | None:
    if year is not None:
        return _day(_date(year_meant(year, passage.today.year), month, day), end)
    return passage.open_year(lambda of: spans.day(date(of, month, day)), end)


# Dates in digits


@RULES.rule(
    DIGIT,
    r"(\d{4})([-/.])(\d\d?)\2(\d\d?)(?![\d/-])(?:(?:t| )(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)? ?(z(?!\w)|[+-]\d\d:?\d\d)?)?",
)
def _iso_date(passage: Passage, found: re.Match[str]) -> Reading | None:
    on = _date(int(found[1]), int(found[3]), int(found[4]))
    if on is None or on.year > 9998 or found[5] is None:
        return _day(on, found.end(4))
    hour, minute, second = int(found[5]), int(found[6]), int(found[7] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return _day(on, found.end(4))
    moment = spans.midnight(on) + timedelta(hours=hour, minutes=minute, seconds=second)
    if found[8]:
        moment = passage.local(datetime.fromisoformat(moment.isoformat() + found[8].upper()))
    return Reading(span=spans.moment(moment), end=found.end())


@RULES.rule(DIGIT, r"(\d\d?)([/.-])(\d\d?)\2(\d{4}|\d\d)(?![\w/]|-\d(?!\d?[/.]\d)|\.\d)")
def _short_date(_: Passage, found: re.Match[str]) -> Reading | None:
    """Month first as in the US, unless dots are used or the number is none of a month."""
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if len(found[4]) == 2:
        if found[2] == "." and not (first > 12 or len(found[1]) == 2):
            return None
        year += 2000 if year < 70 else 1900
    month, day = (second, first) if found[2] == "." or first > 12 else (first, second)
    return _day(_date(year, month, day), found.end())


@RULES.rule(DIGIT, r"(\d\d?)[/-](\d\d?)(?![\w/.:-]|,\d)")
def _bare_short_date(passage: Passage, found: re.Match[str]) -> Reading | None:
    if not re.search(
        r"\b(?:on|from|until|till|by|before|after|since|as of|due|dated) $", passage.before(found.start())
    ):
        return None
    first, second = int(found[1]), int(found[2])
    month, day = (second, first) if first > 12 else (first, second)
    return _day_of(passage, month, day, None, found.end()) if 1 <= month <= 12 else None


@RULES.rule(DIGIT, r"((?:1[5-9]|20|21)\d\d)-(0?[1-9]|1[0-2])(?![\w-]|\.\d)")
def _iso_month(_: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.month(int(found[1]), int(found[2])), end=found.end())


@RULES.rule(DIGIT, r"(0?[1-9]|1[0-2])[/-]((?:19|20|21)\d\d)(?![\w/-])")
def _month_slash_year(_: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.month(int(found[2]), int(found[1])), end=found.end())


@RULES.rule(DIGIT, rf"((?:19|20)\d\d)(?:, |[ /-])({MONTH})(?:[ /-]({DAY}))?(?![\w:]|[.,]\d)")
def _year_month(_: Passage, found: re.Match[str]) -> Reading | None:
    """ "2019-aug-01", "2017 April"."""
    year, month = int(found[1]), month_of(found[2])
    if found[3]:
        return _day(_date(year, month, ordinal_of(found[3])), found.end())
    return Reading(span=spans.month(year, month), end=found.end(2))


@RULES.rule(DIGIT, r"((?:19|20|21)\d\d)-?w(\d\d)(?!\w)")
def _iso_week(_: Passage, found: re.Match[str]) -> Reading | None:
    return _week_number(int(found[1]), int(found[2]), found.end())


def _week_number(year: int, number: int, end: int) -> Reading | None:
    try:
        monday = date.fromisocalendar(year, number, 1)
    except ValueError:
        return None
    return Reading(span=spans.week(monday), end=end)


@RULES.rule("week", rf"week (?:number |no\.? )?(\d\d?)(?!\d)(?:,? (?:of |in )?({YEARISH}))?(?![\w/:])")
def _numbered_week(passage: Passage, found: re.Match[str]) -> Reading | None:
    year = year_meant(found[2], passage.today.year) if found[2] else passage.today.year
    return _week_number(year, int(found[1]), found.end())


# Days of a month

_DATED = rf"(?:the )?(?:{WEEKDAY},? (?:the )?)?"
_OF_YEAR = rf"(?:,? ?(?:of |in )?({YEARISH})|/(\d{{4}}))?"


@RULES.rule(
    f"the {MONTH_WORDS} {WEEKDAY_WORDS}",
    rf"{_DATED}({MONTH})(?: ?[/-] ?| )?(?:the )?({DAY}|{ORDINAL}(?! (?:half|quarter|week|{WEEKDAY})))"
    rf"(?:{_OF_YEAR}|[/-](\d{{4}}))(?![\w:%]|[.,]\d)",
)
def _month_day(passage: Passage, found: re.Match[str]) -> Reading | None:
    if found[1] in ("may", "march", "mar", "sun", "sat") and not passage.is_capital(found.start(1)):
        return None
    return _day_of(passage, month_of(found[1]), ordinal_of(found[2]), found[3] or found[4] or found[5], found.end())


@RULES.rule(
    f"the {DIGIT} {WEEKDAY_WORDS} {MONTH_WORDS}",
    rf"{_DATED}({MONTH}) ({CARDINAL_DAY})(?:,? ({YEAR}))?(?= ?(?:$|[.,;:!?)]|at ))",
)
def _month_number(passage: Passage, found: re.Match[str]) -> Reading | None:
    """ "May twenty nine", "January twenty five nineteen eighty six"."""
    if not passage.is_capital(found.start(1)) and found[1] in ("may", "march", "mar"):
        return None
    return _day_of(passage, month_of(found[1]), int(amount_of(found[2]).number), found[3], found.end())


@RULES.rule(
    f"the {DIGIT} {WEEKDAY_WORDS} first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty thirtieth thirty",
    rf"{_DATED}({DAY}|{ORDINAL})(?: day)?\.?(?: of)?(?: ?[/-] ?| )?({MONTH})(?:{_OF_YEAR}|[/-](\d{{4}}|\d\d))(?!\w|,\d)",
)
def _day_month(passage: Passage, found: re.Match[str]) -> Reading | None:
    year = found[3] or found[4] or (found[5] and ("20" + found[5])[-4:])
    return _day_of(passage, month_of(found[2]), ordinal_of(found[1]), year, found.end())


_MONTH_SHIFTS = {"last": -1, "previous": -1, "next": 1, "following": 1, "coming": 1}


@RULES.rule(
    f"the {DIGIT} first second third fourth fifth tenth fifteenth twentieth",
    rf"(?:the )?({DAY}|{ORDINAL}) (?:day )?of (?:the )?(last|previous|this|current|next|following|coming)? ?month(?!\w)",
)
def _day_of_month(passage: Passage, found: re.Match[str]) -> Reading | None:
    span = spans.month(passage.today.year, passage.today.month + _MONTH_SHIFTS.get(found[2], 0))
    return _day(_date(span.lo.year, span.lo.month, ordinal_of(found[1])), found.end())


_COUNTED = (
    "century|grade|floor|time|place|street|avenue|of|quarter|half|week|day|month|year|version|edition|item|row|line|one|"
    "try|attempt|round|chapter|part|person|birthday|anniversary|draft"
)
"""What has a number without being a day: "the 3rd floor"."""


@RULES.rule(
    f"the {WEEKDAY_WORDS}",
    rf"(?:{WEEKDAY},? )?the ((?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)|{ORDINAL})(?!\w|-\w| (?:{_COUNTED})(?!\w))",
)
def _ordinal_day(passage: Passage, found: re.Match[str]) -> Reading | None:
    """A day of the nearest month that has it. In words only with "on", "since" and the like before it."""
    if passage.word_before(found.start()) == "in":
        return None
    if not passage.low.startswith("the", found.start()) and found[1].isalpha():
        return None
    if found[1].isalpha() and passage.word_before(found.start()) not in ("on", "since", "until", "from", "by"):
        return None
    if found[1].isalpha() and not re.match(r" ?(?:$|[.,;:!?)])", passage.low[found.end() : found.end() + 2]):
        return None
    return _nearest_day(passage, ordinal_of(found[1]), found.end())


def _nearest_day(passage: Passage, number: int, end: int) -> Reading | None:
    first = passage.today.year * 12 + passage.today.month - 1

    def of_index(index: int) -> Span | None:
        year, month = divmod(index, 12)
        return in_year(lambda of: spans.day(date(of, month + 1, number)), year)

    past = next((s for i in range(3) if (s := of_index(first - i)) and s.lo <= passage.now), None)
    coming = next((s for i in range(3) if (s := of_index(first + i)) and s.hi > passage.now), None)
    match passage.tense:
        case Tense.FUTURE:
            span = coming
        case Tense.PAST:
            span = past
        case Tense.UNKNOWN:
            known = [s for s in (past, coming) if s]
            span = min(known, key=lambda s: abs(s.lo - passage.now), default=None)
    return None if span is None else Reading(span=span, end=end)
