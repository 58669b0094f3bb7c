"""Ranges: "from 2019 to 2022", "between May and July", "June 1-5, 2025", "Monday from 10 to 11:30"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from graphmem.timeline import spans
from graphmem.timeline.calendar import cut
from graphmem.timeline.granules import Unit
from graphmem.timeline.hours import read_hours
from graphmem.timeline.instants import to_instant
from graphmem.timeline.numerals import DAY, ORDINAL, YEAR, ordinal_of, year_of
from graphmem.timeline.passage import Passage, Reading, in_year
from graphmem.timeline.spans import Span
from graphmem.timeline.terms import read_term, unit_that_ends
from graphmem.timeline.timewords import Operator, TimeExpression, expression
from graphmem.timeline.vocabulary import MONTH, month_of, words

__all__ = ["RANGE_WORDS", "read_hour_range", "read_month_days", "read_range"]

RANGE_WORDS = words("from between starting beginning in on at")
"""The words a range can begin with, beside those of its first unit."""


def read_hour_range(passage: Passage, at: int) -> TimeExpression | None:
    """A range of clock times; it ends when the last one strikes."""
    pair = read_hours(passage, at)
    if pair is None:
        return None
    between = _between(passage, at, pair[0], pair[1], is_fuzzy=False)
    if between is None or between.granule is None or between.until is None:
        return None
    return replace(between, window=(between.granule.lo, between.until.lo))


_SEPARATOR = re.compile(
    r" ?- ?(?:the )?(?=[\w'])|,? (?:to|until|till|til|through|thru|up to)(?: and including)? (?:in |on )?(?=[\w'])"
)
_AND = re.compile(r" and (?:in |on )?(?=\w)")
_RANGE_LEAD = re.compile(r"(?:(from|between|starting(?: from)?|beginning) )?(?:in |on )?")
_PRESENT = re.compile(r"(?:right )?(?:now|today|the present|present|date|this day)(?!\w)")


def read_range(passage: Passage, at: int) -> TimeExpression | None:
    """From one unit to another, or to now: "January to March 2026", "between 2015 and 2018", "from 2023 to today"."""
    lead = _RANGE_LEAD.match(passage.low, at)
    first = read_term(passage, lead.end()) if lead else None
    if lead is None or first is None or first.is_rolling:
        return None
    separator = _SEPARATOR.match(passage.low, first.end) or _AND.match(passage.low, first.end)
    if separator is None:
        return None
    begin, is_and = separator.end(), separator[0].startswith(" and")
    if (not is_and or lead[1] == "between") and (present := _PRESENT.match(passage.low, begin)):
        granule = cut(first.meant, passage.zone)
        now = max(to_instant(passage.said_at), granule.lo + 1)
        return expression(passage, at, present.end(), Operator.SINCE, first, (granule.lo, now))
    pair = _second(passage, first, begin, is_dash="-" in separator[0])
    if pair is None or (is_and and lead[1] != "between" and pair[0].hi != pair[1].span.lo):
        return None
    return _between(passage, at, pair[0], pair[1], is_fuzzy=first.is_fuzzy or pair[1].is_fuzzy)


def _between(passage: Passage, at: int, first: Span, last: Reading, *, is_fuzzy: bool) -> TimeExpression | None:
    lower, upper = cut(first, passage.zone), cut(last.span, passage.zone)
    if lower.lo >= upper.hi:
        return None
    return TimeExpression(
        text=passage.text[at : last.end],
        start=at,
        end=last.end,
        operator=Operator.RANGE,
        granule=lower,
        until=upper,
        window=(lower.lo, upper.hi),
        is_fuzzy=is_fuzzy,
    )


def _second(passage: Passage, first: Reading, at: int, *, is_dash: bool) -> tuple[Span, Reading] | None:
    """Both ends of a range, in years that fit: "January to March 2026", "1 October to 5 March", "1 to 5 May"."""
    last = unit_that_ends(passage, at) or read_term(passage, at)
    if (
        first.span.unit is Unit.DAY
        and (short := _bare_day(passage, first, at))
        and (last is None or short[1].end >= last.end)
    ):
        return short
    if (
        last is None
        or last.span.unit is Unit.INSTANT
        or last.is_rolling
        or (is_dash and last.span.unit is not first.span.unit)
    ):
        return None
    return _fitted(first, last)


_BARE_DAY = re.compile(
    rf"(?:the )?({DAY}|{ORDINAL})(?:,? ({YEAR}))?(?![\w/:]|\.\d| (?:{MONTH}|of (?:{MONTH}|\w+ month)|am|pm|a\.m|p\.m)(?!\w))"
)


def _bare_day(passage: Passage, first: Reading, at: int) -> tuple[Span, Reading] | None:
    """The second day of "June 1-5, 2025" and "from 3 May to the 9th"; smaller numbers lie in the next month."""
    found = _BARE_DAY.match(passage.low, at)
    if found is None:
        return None
    lower, number = first.span, ordinal_of(found[1])
    if found[2]:
        in_that_year = first.of_year and in_year(first.of_year, year_of(found[2]))
        if in_that_year is None:
            return None
        lower = in_that_year
    month = spans.month(lower.lo.year, lower.lo.month + (number <= lower.lo.day))
    upper = spans.days(spans.add(month.lo, timedelta(days=number - 1)), 1)
    if upper.lo >= month.hi:
        return None
    return lower, Reading(span=upper, end=found.end())


def _fitted(first: Reading, last: Reading) -> tuple[Span, Reading]:
    if first.of_year and last.of_year is None:
        for year in (last.span.lo.year, last.span.lo.year - 1):
            lower = in_year(first.of_year, year)
            if lower and lower.lo <= last.span.lo:
                return lower, last
    if last.of_year:
        for year in (first.span.lo.year, first.span.lo.year + 1):
            upper = in_year(last.of_year, year)
            if upper and upper.lo >= first.span.lo and upper.hi > first.span.lo:
                return first.span, replace(last, span=upper)
    if last.span.hi <= first.span.lo and last.span.unit is Unit.DAY and last.is_relative:
        weeks = (first.span.lo - last.span.lo).days // 7 + 1
        return first.span, replace(last, span=spans.day(spans.add(last.span.lo, timedelta(days=7 * weeks))))
    return first.span, last


_MONTH_DAYS = re.compile(
    rf"(?:(from|between) )?(?:the )?({DAY}) ?(to|till|until|through|and|-) ?(?:the )?({DAY})(?: of)?(?:[ -](?:in )?)"
    rf"(?:({MONTH})(?:,? ?({YEAR}))?|(last|this|next) month)(?!\w)"
)


def read_month_days(passage: Passage, at: int) -> TimeExpression | None:
    """ "from 10 to 14 October", "3-12 Sept 2025", "between 4 and 23 next month"."""
    found = _MONTH_DAYS.match(passage.low, at)
    if found is None:
        return None
    low, high = ordinal_of(found[2]), ordinal_of(found[4])
    if low >= high or (found[3] == "and" and found[1] is None and high != low + 1):
        return None
    month = _month_meant(passage, found[5], found[6], found[7])
    if month is None or spans.add(month.lo, timedelta(days=high - 1)) >= month.hi:
        return None
    first = spans.day(spans.add(month.lo, timedelta(days=low - 1)))
    last = Reading(span=spans.day(spans.add(month.lo, timedelta(days=high - 1))), end=found.end())
    return _between(passage, at, first, last, is_fuzzy=False)


def _month_meant(passage: Passage, name: str | None, year: str | None, shift: str | None) -> Span | None:
    if name is None:
        return spans.month(passage.today.year, passage.today.month + {"last": -1, "next": 1}.get(shift or "this", 0))
    number = month_of(name)
    if year:
        return spans.month(year_of(year), number)
    return passage.in_open_year(lambda of: spans.month(of, number))
