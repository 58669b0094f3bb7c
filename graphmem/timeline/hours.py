"""Clock times on a day: "Friday at 10am", "5pm on 3 March", "since ten", and ranges of them ("Monday from 10 to 11:30 am")."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.timeline import dates, periods, relative, spans
from graphmem.timeline.clock import CLOCK, HOURS, LOOSE_CLOCK, Clock, clock_of
from graphmem.timeline.granules import Unit
from graphmem.timeline.numerals import amount_of
from graphmem.timeline.passage import Passage, Reading
from graphmem.timeline.rules import RuleBook
from graphmem.timeline.spans import Span
from graphmem.timeline.vocabulary import DAY_PART, DIGIT, words

__all__ = ["DAYS", "RULES", "read_hours", "with_clock"]

DAYS = RuleBook(dates.RULES, periods.RULES, relative.RULES)
"""Rules for units that are no clock times."""

RULES = RuleBook()
"""Rules for clock times."""

_PART_THEN = re.compile(rf",?(?: in the)? ({DAY_PART})(?!\w)")
_CLOCK_AFTER = re.compile(rf",?(?: at(?: about| around)?| around| from)? ({CLOCK})(?!\w)")
_HOUR_AFTER = re.compile(
    rf",? (?:at|around)(?: about| around)? (\d{{1,2}}(?:[:.][0-5]\d)?|{HOURS})"
    r"(?= ?(?:$|[.,;:!?)](?!\d)| (?:with|for|and|sharp)(?!\w)))"
)
_DAY_AFTER = re.compile(r",? (?:on |of )?(?=\w)")
_CLOCK_CUES = words("at since until till from by before after around about")


def with_clock(passage: Passage, reading: Reading) -> Reading:
    """A day with the part of the day or the clock time that follows it, if there is one; other readings as they are."""
    if reading.span.unit is not Unit.DAY:
        return reading
    if reading.window is None and (part := _PART_THEN.match(passage.low, reading.end)):
        reading = replace(reading, window=spans.day_part(reading.span, part[1]), end=part.end())
    if (found := _CLOCK_AFTER.match(passage.low, reading.end)) and (clock := clock_of(found[1])):
        return _at(reading, clock, found.end())
    if (found := _HOUR_AFTER.match(passage.low, reading.end)) and (clock := clock_of(found[1])):
        return _at(reading, clock.at_usual_hour(), found.end())
    return reading


def _at(on: Reading, clock: Clock, end: int) -> Reading:
    """The clock time on a day; in an afternoon, evening or night "at seven" is 19:00."""
    if on.window and on.window.lo.hour >= 12:
        clock = clock.in_second_half()
    return replace(on, span=spans.moment(_moment(on.span, clock)), window=None, of_year=None, end=end)


def _moment(day: Span, clock: Clock) -> datetime:
    return spans.add(day.lo, timedelta(hours=clock.hour, minutes=clock.minute, seconds=clock.second))


def _today(passage: Passage, at: int) -> Reading:
    return Reading(span=spans.day(passage.today), end=at, is_relative=True)


@RULES.rule(f"at {DIGIT} noon midday midnight half quarter {HOURS.replace('|', ' ')}", rf"(?:at )?({CLOCK})(?!\w)")
def _clock(passage: Passage, found: re.Match[str]) -> Reading | None:
    clock = clock_of(found[1])
    if clock is None:
        return None
    if on := _day_after(passage, found.end()):
        return _at(on, clock, on.end)
    is_cued = found[0].startswith("at ") or passage.word_before(found.start()) in _CLOCK_CUES
    if not (clock.is_settled or is_cued or passage.is_whole(found.start(), found.end())):
        return None
    return _at(_today(passage, found.start()), clock, found.end())


def _day_after(passage: Passage, at: int) -> Reading | None:
    """The day that follows a clock time: "5pm on 3 March", "8:15 this morning"."""
    then = _DAY_AFTER.match(passage.low, at)
    on = DAYS.longest(passage, then.end()) if then else None
    return on if on and on.span.unit is Unit.DAY else None


@RULES.rule(HOURS.replace("|", " "), rf"({HOURS})(?= ?(?:$|[.,;!?)]))")
def _hour_word(passage: Passage, found: re.Match[str]) -> Reading | None:
    """ "since ten", said at eleven: the last such hour that has been."""
    if passage.word_before(found.start()) not in ("since", "at", "until", "till"):
        return None
    hour = int(amount_of(found[1]).number)
    today = spans.midnight(passage.today)
    hours = [spans.add(today, timedelta(hours=hour + half)) for half in (-24, -12, 0, 12)]
    lo = max((moment for moment in hours if moment <= passage.now), default=hours[0])
    return Reading(span=spans.moment(lo), end=found.end(), is_relative=True)


# Ranges

_HOURS = re.compile(
    rf"(?:(from|between|at) )?({LOOSE_CLOCK}) ?(?:(and)|-|to|until|till) ?({LOOSE_CLOCK})"
    rf"(?![\w:%]|[./-]\d| (?:{HOURS}|hundred)(?!\w))"
)
_HOURS_LEAD = re.compile(r",? ?")


def read_hours(passage: Passage, at: int) -> tuple[Span, Reading] | None:
    """First and last minute of a clock range at a place: "from 5 to 6pm tomorrow", "Monday from 10 to 11:30", "9am-5pm"."""
    found = _HOURS.match(passage.low, at)
    if found:
        on = _day_after(passage, found.end())
        return _hours_on(found, on or _today(passage, at), end=on.end if on else found.end(), is_dated=on is not None)
    on = DAYS.longest(passage, at)
    if on is None or on.span.unit is not Unit.DAY:
        return None
    if part := _PART_THEN.match(passage.low, on.end):
        on = replace(on, window=spans.day_part(on.span, part[1]), end=part.end())
    lead = _HOURS_LEAD.match(passage.low, on.end)
    found = _HOURS.match(passage.low, lead.end()) if lead and lead.end() > on.end else None
    return _hours_on(found, on, end=found.end(), is_dated=True) if found else None


def _hours_on(found: re.Match[str], on: Reading, *, end: int, is_dated: bool) -> tuple[Span, Reading] | None:
    lead, first, last = found[1], clock_of(found[2]), clock_of(found[4])
    if first is None or last is None or (found[3] and lead != "between"):
        return None
    is_clock = first.is_settled or last.is_settled or (":" in found[2] and ":" in found[4])
    if not (is_clock or (is_dated and lead)):
        return None
    if on.window and on.window.lo.hour >= 12:
        first, last = first.in_second_half(), last.in_second_half()
    first, last = _paired(first, last)
    lower, upper = _moment(on.span, first), _moment(on.span, last)
    if upper <= lower:
        upper = spans.add(upper, timedelta(days=1))
    return spans.moment(lower), replace(on, span=spans.moment(upper), window=None, of_year=None, end=end)


def _paired(first: Clock, last: Clock) -> tuple[Clock, Clock]:
    """Both in the same half of the day if only one says which: "3-8pm"; "10 to 4" ends in the afternoon."""
    if last.is_settled and not first.is_settled and last.hour >= 12:
        later = first.in_second_half()
        return (later, last) if later.as_minutes < last.as_minutes else (first, last)
    if not last.is_settled and last.as_minutes <= first.as_minutes:
        return first, last.in_second_half()
    return first, last
