"""Calendar periods by name: months, years, decades, centuries, quarters, halves, seasons, holidays."""

from __future__ import annotations

import re

from graphmem.timeline import spans
from graphmem.timeline.holidays import HOLIDAY, HOLIDAY_WORDS, holiday_on
from graphmem.timeline.numerals import DAY, YEAR, YEAR_WORDS, year_of
from graphmem.timeline.passage import Passage, Reading, SpanOfYear, in_year
from graphmem.timeline.rules import RuleBook
from graphmem.timeline.spans import Span
from graphmem.timeline.vocabulary import (
    CUES,
    DIGIT,
    END,
    MONTH,
    MONTH_WORDS,
    SEASON,
    SEASON_WORDS,
    SHIFT,
    SHIFT_WORDS,
    YEARISH,
    month_of,
    way_of,
    words,
    year_meant,
)

__all__ = ["RULES"]

RULES = RuleBook()
"""Rules for periods."""


# Months


@RULES.rule(
    f"the month {MONTH_WORDS}",
    rf"(?:the )?(?:month of )?({MONTH}),?(?: |-)?(?:of |in )?(?:the year )?({YEARISH})(?!\w|,\d|-\d\d(?!\d))",
)
def _month_year(passage: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.month(year_meant(found[2], passage.today.year), month_of(found[1])), end=found.end())


_NAMES_OF_PEOPLE = frozenset({"april", "may", "june", "jan", "mar", "march", "jun", "dec"})
_ONLY_MONTHS = frozenset({"january", "february", "july", "september", "october", "november", "december"})
_WEAK_CUES = words("and to from for or on about this all by")
_TO_MONTH = re.compile(rf" ?(?:to|through|thru|until|till|-|and|or) ?(?:the )?(?:{MONTH}(?!\w)|{DAY})")
_GOES_ON_AS_NAME = re.compile(r" (?!I\b)[A-Z]|'s? ")
_BEGINS_WITH_NAME = re.compile(r"(?: [A-Z][\w-]*)+ [a-z]")
""" "In May Bo married": a name that its own clause goes on after; not "in May Lee's kitchen", not "in June Ltd"."""


@RULES.rule(f"the month {MONTH_WORDS}", rf"(?:the )?(month of )?({MONTH})(?![\w'-])")
def _bare_month(passage: Passage, found: re.Match[str]) -> Reading | None:
    name, at = found[2].rstrip("."), found.start(2)
    end = found.end() if name in ("jan", "feb", "sep", "sept", "oct", "nov", "dec") else found.start(2) + len(name)
    if not (found[1] or _is_month(passage, name, found.start(), at, end)):
        return None
    month = month_of(name)
    return passage.open_year(lambda year: spans.month(year, month), end)


def _is_month(passage: Passage, name: str, at: int, name_at: int, end: int) -> bool:
    """Whether a word is a month and not a name or a verb: by its capital and the words around it."""
    cue = passage.word_before(at)
    if (
        name in ("may", "march", "mar")
        and not passage.is_capital(name_at)
        and cue not in ("in", "since", "during", "last", "until")
    ):
        return False
    if len(name) == 3 and name != "may" and not passage.is_capital(name_at) and cue not in ("in", "since"):
        return False
    if passage.low.startswith("the ", at):
        return False
    if _GOES_ON_AS_NAME.match(passage.text, end) and not _TO_MONTH.match(passage.low, end):
        is_sure = cue == "in" or (cue in CUES and name not in _NAMES_OF_PEOPLE)
        return is_sure and _BEGINS_WITH_NAME.match(passage.text, end) is not None
    if cue in CUES and not (cue in _WEAK_CUES and name in _NAMES_OF_PEOPLE and not _is_dated(passage, cue, end)):
        return True
    if name in _ONLY_MONTHS and passage.is_capital(name_at) and at > passage.first:
        return True
    return passage.is_whole(at, end) or _TO_MONTH.match(passage.low, end) is not None


def _is_dated(passage: Passage, cue: str, end: int) -> bool:
    """Whether "by May", "from May", "to June" ends its clause, as dates do and people seldom."""
    ends_clause = re.match(
        r" ?(?:$|[.,;:!?)]|onwards?|on(?!\w)|to |until |till |through |-)", passage.low[end : end + 9]
    )
    return cue != "for" and cue != "on" and ends_clause is not None


@RULES.rule(SHIFT_WORDS, rf"({SHIFT}) ({MONTH}){END}")
def _shifted_month(passage: Passage, found: re.Match[str]) -> Reading | None:
    shift, name = found[1], found[2].rstrip(".")
    if name in ("may", "march", "mar") and not passage.is_capital(found.start(2)) and shift in ("this", "current"):
        return None
    month = month_of(name)
    span = _in_shifted_year(passage, shift, lambda year: spans.month(year, month))
    return None if span is None else Reading(span=span, end=found.start(2) + len(name), is_relative=True)


def _in_shifted_year(passage: Passage, shift: str, of_year: SpanOfYear) -> Span | None:
    """ "last May" is the last one that is over, "next May" the first to begin, "this May" that of this year."""
    way = way_of(shift)
    if way == 0:
        return in_year(of_year, passage.today.year)
    years = range(passage.today.year + way, passage.today.year - 2 * way, -way)
    candidates = [span for year in years if 1 <= year <= 9998 and (span := in_year(of_year, year))]
    if way < 0:
        return max((s for s in candidates if s.hi <= passage.now), key=lambda s: s.lo, default=None)
    return min((s for s in candidates if s.lo > passage.now), key=lambda s: s.lo, default=None)


# Years and longer

_NO_YEAR_BEFORE = re.compile(
    r"(?:[$€£#/.\d-]|(?:room|version|number|no\.|scored|scores?|costs?|paid|at|nearly|almost|than|page|flat|model) )$"
)
_COUNTED = (
    "%|points|dollars|euros|pounds|people|members|miles|meters|metres|km|kg|words|calories|steps|users|items|pages|times|"
    "units|votes|kilometers|kilometres|employees|rooms|copies|seats|customers|francs|yen|rupees|hours|days|weeks|months|"
    "years|minutes|grams|litres|mg|ml|sq|square|cal|kcal|rpm|mah|listeners|followers|subscribers|cups|bricks|tickets"
)
_YEAR_CUES = words(
    "in since until till til by before after from to through thru between and or of around about circa during throughout "
    "early mid late year for summer spring autumn fall winter back starting beginning ending all christmas easter over "
    "approximately roughly again only already maybe perhaps probably"
)
_TO_YEAR = re.compile(rf" ?(?:to|through|until|till|-|and) ?(?:{YEAR}|now|today|present)(?!\w)")


@RULES.rule("the calendar year", rf"(?:the )?(?:calendar )?year (?:of )?({YEAR}){END}")
def _named_year(_: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.year(year_of(found[1])), end=found.end())


@RULES.rule(
    f"{DIGIT} ' " + " ".join(YEAR_WORDS),
    rf"({YEAR})(?!\w|/\d|-\d(?!\d\d\d(?![\d-]))|[.,:]\d|'s| ?(?:{_COUNTED})(?!\w))",
)
def _bare_year(passage: Passage, found: re.Match[str]) -> Reading | None:
    at, end = found.span()
    before = passage.before(at)
    if _NO_YEAR_BEFORE.search(before) and not re.search(r"(?:19|20)\d\d ?-$", before):
        return None
    cued = passage.word_before(at) in _YEAR_CUES or passage.is_whole(at, end) or _TO_YEAR.match(passage.low, end)
    listed = re.search(r"(?:\(|(?:19|20)\d\d ?(?:-|,) ?)$", before) or re.match(r"\)|:", passage.low[end : end + 1])
    if not (cued or listed or (found[1][0] == "'" and before.endswith(" of "))):
        return None
    return Reading(span=spans.year(year_of(found[1])), end=end)


@RULES.rule(f"the {DIGIT}", r"(?:the )?((?:1[0-9]|20)\d)0 ?'?s(?!\w)")
def _decade(_: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.decade(int(found[1]) * 10), end=found.end())


_DECADE_NAMES = "twenties thirties forties fifties sixties seventies eighties nineties"
_DECADES = {name: 20 + 10 * index for index, name in enumerate(_DECADE_NAMES.split())}


@RULES.rule("the", rf"the (?:nineteen |19)?(?:'?([2-9]0)'?s|({'|'.join(_DECADES)})){END}")
def _short_decade(_: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.decade(1900 + (int(found[1]) if found[1] else _DECADES[found[2]])), end=found.end())


@RULES.rule(f"the {DIGIT}", rf"(?:the )?(\d\d?)(?:st|nd|rd|th)[- ]century{END}")
def _century(_: Passage, found: re.Match[str]) -> Reading | None:
    number = int(found[1])
    return Reading(span=spans.century(number), end=found.end()) if 1 <= number <= 22 else None


# Quarters, halves, seasons

_ORDER = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}


@RULES.rule("q", rf"q([1-4])(?:(?: of| in|,)?[ -]?({YEARISH}))?{END}")
def _short_quarter(passage: Passage, found: re.Match[str]) -> Reading | None:
    return _quarter(passage, int(found[1]), found[2], found.end())


@RULES.rule(DIGIT, rf"({YEAR})[ -]?q([1-4]){END}")
def _year_quarter(passage: Passage, found: re.Match[str]) -> Reading | None:
    return _quarter(passage, int(found[2]), found[1], found.end())


@RULES.rule(
    f"the first second third fourth last {DIGIT}",
    rf"(?:the )?(first|second|third|fourth|last|1st|2nd|3rd|4th) quarter(?!\w)(?:(?: of| in|,)? ({YEARISH}){END})?",
)
def _spoken_quarter(passage: Passage, found: re.Match[str]) -> Reading | None:
    if found[1] == "last" and found[2] is None:
        return None
    return _quarter(passage, _ORDER[found[1]], found[2], found.end())


def _quarter(passage: Passage, number: int, year: str | None, end: int) -> Reading | None:
    if year:
        return Reading(span=spans.quarter(year_meant(year, passage.today.year), number), end=end)
    return passage.open_year(lambda of: spans.quarter(of, number), end)


@RULES.rule("h", rf"h([12])(?: of|,)?[ -]?({YEARISH}){END}")
def _short_half(passage: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.half(year_meant(found[2], passage.today.year), int(found[1])), end=found.end())


@RULES.rule(DIGIT, rf"({YEAR})[ -]?h([12]){END}")
def _year_half(_: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.half(year_of(found[1]), int(found[2])), end=found.end())


@RULES.rule(
    f"the first second last {DIGIT}",
    rf"(?:the )?(first|second|last|1st|2nd) half(?: of| in)? (?:the year )?({YEARISH}){END}",
)
def _spoken_half(passage: Passage, found: re.Match[str]) -> Reading:
    return Reading(span=spans.half(year_meant(found[2], passage.today.year), min(_ORDER[found[1]], 2)), end=found.end())


@RULES.rule(f"the {SEASON_WORDS}", rf"(?:the )?({SEASON})(?: of|,)? ?({YEARISH}){END}")
def _season_of(passage: Passage, found: re.Match[str]) -> Reading:
    span = spans.season(found[1], year_meant(found[2], passage.today.year), southern=passage.southern)
    return Reading(span=span, end=found.end())


@RULES.rule(SHIFT_WORDS, rf"({SHIFT}) ({SEASON})")
def _shifted_season(passage: Passage, found: re.Match[str]) -> Reading | None:
    def of_year(year: int) -> Span:
        return spans.season(found[2], year, southern=passage.southern)

    way = way_of(found[1])
    years = range(max(1, passage.today.year - 2), min(9998, passage.today.year + 2) + 1)
    if way == 0:
        span: Span | None = min(map(of_year, years), key=lambda s: abs(s.lo + (s.hi - s.lo) / 2 - passage.now))
    else:
        span = _in_shifted_year(passage, found[1], of_year)
    return None if span is None else Reading(span=span, end=found.end(), is_relative=True)


_SEASON_CUES = words("in over during since until till before after by throughout late early mid this from")


@RULES.rule(f"the {SEASON_WORDS}", rf"(the )?({SEASON})(?! (?:of|in|break|camp|school|term|semester|roll|cleaning))")
def _bare_season(passage: Passage, found: re.Match[str]) -> Reading | None:
    cue = passage.word_before(found.start())
    if cue not in _SEASON_CUES and not passage.is_whole(found.start(), found.end()):
        return None
    is_bare_cued = cue in ("in", "since", "by", "until", "this", "early", "late", "mid")
    if (found[2] in ("fall", "spring") and not (found[1] or is_bare_cued)) or passage.has_noun_after(found.end()):
        return None
    return passage.open_year(lambda year: spans.season(found[2], year, southern=passage.southern), found.end())


# Holidays

_HOLIDAY_CUES = words("on at since until till before after by during around over last this next every for")


@RULES.rule(
    f"{SHIFT_WORDS} " + " ".join(HOLIDAY_WORDS), rf"(?:({SHIFT}) )?({HOLIDAY})(?:,? ?(?:in |of )?({YEARISH}))?{END}"
)
def _holiday(passage: Passage, found: re.Match[str]) -> Reading | None:
    def of_year(year: int) -> Span:
        return spans.day(holiday_on(found[2], year))

    if found[2] == "may day" and not passage.is_capital(found.start(2)):
        return None
    if found[3]:
        year = year_meant(found[3], passage.today.year)
        return Reading(span=of_year(year), end=found.end()) if 1 <= year <= 9998 else None
    if found[1]:
        span = _in_shifted_year(passage, found[1], of_year)
        return None if span is None else Reading(span=span, end=found.end(), is_relative=True)
    if passage.word_before(found.start()) not in _HOLIDAY_CUES and passage.has_noun_after(found.end()):
        return None
    return passage.open_year(of_year, found.end())
