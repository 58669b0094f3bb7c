"""What a question asks and of which time: the window of valid time, the moment of knowing, or an event that dates it (B7).

A word of knowing ("did we think", "our records") moves the time next to it to the axis of knowing; a second time stays
valid time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from graphmem.timeline.calendar import local_time, zone_at
from graphmem.timeline.expressions import Operator, TimeExpression, find_times
from graphmem.timeline.granules import Unit
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant
from graphmem.timeline.phrases import Tense

__all__ = ["Ask", "QuestionScope", "read_scope"]


class Ask(StrEnum):
    """What kind of answer is wanted."""

    VALUE = "value"
    WHEN = "when"
    DURATION = "duration"
    CHANGES = "changes"
    HISTORY = "history"


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionScope:
    """The times of a question. Instants are UTC microseconds."""

    ask: Ask
    window: tuple[Instant, Instant] | None = None
    """Valid time asked about, half-open; None: not said."""
    known_at: Instant | None = None
    """As it was known then; None: as known now."""
    known_window: tuple[Instant, Instant] | None = None
    """Half-open stretch of knowing, for what changed in our records."""
    anchor: tuple[Operator, str] | None = None
    """The event that dates the question ("before", "she joined Globex")."""
    expressions: tuple[TimeExpression, ...] = ()
    """The time words used, to be left out when the rest of the question is searched for."""


def read_scope(question: str, asked_at: datetime) -> QuestionScope:
    """The scope that the words of a question give it, asked at a moment; InvalidTime if that has no time zone.

    "Believed on day X" is as known at the last microsecond of X in the asker's zone, but not after `asked_at`; "before X"
    one microsecond before X begins.
    """
    zone_at(asked_at)
    asking = _Asking(question, asked_at)
    return asking.scope()


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_FUTURE = _any(r"\b(?:will|going to|plans? to|planned|scheduled|upcoming|next|is due|are due|about to)\b")
_UNIT_OF_TIME = r"(?:date|day|month|year|decade|century|time|week|season|quarter)"
_WHEN = _any(
    r"\s*(?:(?:and|so|exactly|about|roughly|around|since|until|till|from)\s+)*when\b",
    rf"\s*(?:exactly |roughly )?(?:(?:on|at|in|since|from|until) )?(?:what|which)(?: exact)? {_UNIT_OF_TIME}\b"
    r"(?! (?:is|does|do)\b.*\b(?:for|set)\b)",
)
_DURATION = _any(
    r"\s*(?:for |roughly |about )*how (?:long\b|many (?:full |whole )?(?:minutes|hours|days|nights|weeks|months|years)\b)"
)
_CHANGES = _any(
    r"\bwhat(?:'s| has| have| is)?(?: been)? (?:changed|new|different)\b",
    r"\bhow (?:has|have|did)\b.{0,80}\bchanged?\b",
    r"\bwhat changes\b",
)
_HISTORY = _any(
    r"\b(?:history|timeline|over time|over the years|in (?:chronological )?order|so far)\b",
    r"\b(?:first to last|oldest first|newest first)\b",
    r"\bone after\b|\ball the \w+|\bevery (?:job|place|\w+ that)\b|\blist (?:all|the|every)\b|\bin (?:what|which) order\b",
    r"\bhow many\b.{0,80}\b(?:has|have) (?!to\b)(?:\w+ ){1,4}?"
    r"(?:had|been|\w+ed|won|made|seen|read|run|swum|bought|sold|met|held|led|written)\b",
    r"\bhow (?:has|have)\b.{0,80}\b(?:developed|evolved)\b|\bused? to\b|\bbeen through\b|\bthrough which\b",
)


def _ask_of(question: str) -> Ask:
    if _DURATION.match(question):
        return Ask.DURATION
    if _WHEN.match(question):
        return Ask.WHEN
    if _CHANGES.search(question):
        return Ask.CHANGES
    return Ask.HISTORY if _HISTORY.search(question) else Ask.VALUE


# Words of knowing

_WHO = r"(?:we|you|i|they|people|everyone|everybody|the (?:agent|assistant|system|memory))"
_THINK = (
    "knew|known|believed?|thought|assumed?|expect(?:ed)?|understood|reckon(?:ed)?|supposed?|recorded|heard|been told|were told"
    "|guessed"
)
_STORE = r"(?:records?|notes|minutes|files?|database|memory|knowledge|data|books|logs?|register|information|beliefs?)"
_KNOWING = _any(
    rf"\b(?:did|had|would|were|was|have) {_WHO} (?:\w+ ){{0,3}}?"
    rf"(?:know|think|understand|guess|plan|count|aware|{_THINK})\b",
    rf"\b(?:did|had|would|have) {_WHO} (?:(?!really|actually|truly)\w+ ){{0,2}}?(?:have|had) "
    r"(?:\w+ ){0,4}?(?:down|on file|on record|noted|recorded|listed)\b",
    rf"\bdid {_WHO} have (?:for|\w+ \w+ing)\b|\bfor which (?:day|date|time|year) did {_WHO} have\b",
    rf"\b{_WHO} (?:all |both |still |then |really |already |had )?(?:{_THINK})\b",
    rf"\b(?:was|were|been) (?:\w+ )?(?:{_THINK}|on file|on record|noted)\b(?! (?:as|for)\b)",
    r"\bas (?:it was )?(?:recorded|believed|understood|noted|known(?! as))\b",
    rf"\bour (?:\w+ )?{_STORE}\b|\b(?:your|my|the) (?:records|notes|memory)\b|\bon (?:file|record)\b",
)
_EXPECTING = _any(r"\b(?:expect|plan|suppose|predict|forecast)")
_KNOWN_NOW = _any(
    r",? ?\b(?:as|from what|given what|by what|with what)(?: far as)? (?:we|i|you) (?:now |currently |today |presently )?"
    r"(?:know|understand)\b(?: it| things)?(?: now| today| currently| by now)?",
    rf"\b(?:as of |according to |in |by |per )?(?:today's|our (?:current|present|latest)|the (?:current|latest)) {_STORE}\b",
)
_ACCORDING = _any(r"\baccording to\b|\bper\b")
_THAT_DAY = _any(r"\bthat (?:very )?(?:day|week|month|year|morning|evening)\b|\bthe same day\b")
_SAYING = frozenset({"say", "said", "show", "showed", "tell us", "back", "as", "about it", "was", "were"})
_BARE_DAY = re.compile(r"(?:on )?the \d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)
_SAYS_MORE = re.compile(r"\s*(?:\w+\s*)?[,(]\s*")
"""Between a day or season by name and its date: "on Independence Day, 6 December", "in winter there, in July"."""
_DATE = re.compile(r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_NEXT_TO = 14
"""Characters a time may stand away from a word of knowing and still belong to it ("think, back in May")."""


class _Asking:
    """One question, with its time words sorted by axis."""

    def __init__(self, question: str, asked_at: datetime) -> None:
        self.question = question
        self.asked_at = asked_at
        self.now = to_instant(asked_at)
        self.ask = _ask_of(question)
        self.tense = Tense.FUTURE if _FUTURE.search(question) else Tense.PAST
        known_now = [found.span() for found in _KNOWN_NOW.finditer(question)]
        self.found = [one for one in find_times(question, asked_at, tense=self.tense) if not _inside(one, known_now)]
        self.dated = [one for one in self.found if one.window is not None]
        self.knowing = next((k for k in _KNOWING.finditer(question) if not _overlaps(k.span(), known_now)), None)

    def scope(self) -> QuestionScope:
        known = self._known()
        valid = [one for one in self.dated if one is not known]
        known_at, known_window = self._knowledge(known) if known else (None, None)
        if known_at is not None:
            valid = [self._seen_then(one, known_at) for one in valid]
        anchor_event = self._event()
        window = None if anchor_event and not self._outside(valid, anchor_event) else self._window(valid)
        if window is None and known and known_at is not None and _THAT_DAY.search(self.question):
            window = known.window
        anchor = (anchor_event.operator, anchor_event.clause or "") if anchor_event and window is None else None
        return QuestionScope(
            ask=self.ask,
            window=window,
            known_at=known_at,
            known_window=known_window,
            anchor=anchor,
            expressions=tuple(self.found),
        )

    # The axis of knowing

    def _known(self) -> TimeExpression | None:
        """The time that says as known when: right after the word of knowing, else the one that opens the question."""
        if self.knowing is None or not self.dated:
            return None
        begin, end = self.knowing.span()
        inside = [one for one in self.dated if begin <= one.start < end]
        after = [one for one in self.dated if end <= one.start <= end + _NEXT_TO and self._is_next(end, one)]
        before = [one for one in self.dated if one.end <= begin]
        if inside or after:
            return (inside or after)[0]
        is_source = _ACCORDING.search(self.question[:begin]) is not None
        if before and not (is_source and before[0].start > _NEXT_TO):
            return before[0]
        if is_source:
            return None
        later = [one for one in self.dated if one.start >= end]
        if len(later) > 1 and " about " in self.question[end : later[0].start]:
            return later[1]
        return later[0] if later else None

    def _is_next(self, end: int, one: TimeExpression) -> bool:
        if one.text.lower().startswith("about "):
            return False
        between = self.question[end : one.start].lower().strip(" ,-")
        return between == "" or between in _SAYING or between.endswith(" say")

    def _knowledge(self, known: TimeExpression) -> tuple[Instant | None, tuple[Instant, Instant] | None]:
        """As known at which moment; for what changed, over which stretch."""
        lo, hi = known.window or (MIN, MAX)
        is_open = hi >= MAX
        if self.ask is Ask.CHANGES or known.operator in (Operator.SINCE, Operator.AFTER):
            return None, (lo, max(self.now, lo + 1) if is_open else hi)
        if known.operator is Operator.BEFORE:
            return min(hi - 1, self.now), None
        if known.granule is not None and known.granule.unit in (Unit.INSTANT, Unit.MINUTE):
            return min(lo, self.now), None
        return min(hi - 1, self.now), None

    def _seen_then(self, one: TimeExpression, known_at: Instant) -> TimeExpression:
        """A bare clock time is of the day of knowing, "the 18th" near it; what was expected lies ahead of it."""
        is_clock = one.granule is not None and one.granule.unit is Unit.MINUTE
        is_expected = self.knowing is not None and _EXPECTING.search(self.knowing[0]) is not None
        then = local_time(known_at, zone_at(self.asked_at))
        is_bare_day = _BARE_DAY.fullmatch(one.text) is not None
        if then is None or not (is_clock or is_expected or is_bare_day):
            return one
        if is_bare_day and not is_expected:
            read = self._in_month_of(then, one)
        else:
            again = find_times(one.text, then, tense=Tense.FUTURE if is_expected else Tense.PAST)
            read = next((other for other in again if other.window is not None), one)
        return replace(one, granule=read.granule, until=read.until, window=read.window)

    @staticmethod
    def _in_month_of(then: datetime, one: TimeExpression) -> TimeExpression:
        """ "The 18th" of the month of a moment, past or to come; in a month without it, the last one before."""
        zone = zone_at(then)
        read = [other for tense in (Tense.PAST, Tense.FUTURE) for other in find_times(one.text, then, tense=tense)]
        dated = [(other, local_time(other.window[0], zone)) for other in read if other.window is not None]
        here = (other for other, day in dated if day is not None and (day.year, day.month) == (then.year, then.month))
        return next(here, read[0] if read else one)

    # Valid time

    def _event(self) -> TimeExpression | None:
        return next((one for one in self.found if one.clause is not None), None)

    @staticmethod
    def _outside(valid: Sequence[TimeExpression], event: TimeExpression) -> bool:
        """Whether a time stands outside the event's own words; then it dates the question by itself."""
        return any(one.start < event.start or one.start >= event.end for one in valid)

    def _is_said_again(self, name: TimeExpression, date: TimeExpression) -> bool:
        between = self.question[name.end : date.start]
        is_name = not _DATE.search(name.text) and name.operator is date.operator is Operator.AT
        return is_name and _DATE.search(date.text) is not None and _SAYS_MORE.fullmatch(between) is not None

    def _window(self, valid: Sequence[TimeExpression]) -> tuple[Instant, Instant] | None:
        if not valid:
            return None
        if len(valid) > 1 and self._is_said_again(*valid[:2]):
            valid = valid[1:]
        first, rest = valid[0], valid[1:]
        lo, hi = first.window or (MIN, MAX)
        for other in rest:
            other_lo, other_hi = other.window or (MIN, MAX)
            if _bounds_other_side(first.operator, other.operator) and max(lo, other_lo) < min(hi, other_hi):
                lo, hi = max(lo, other_lo), min(hi, other_hi)
        if (
            first.operator is Operator.AT
            and first.granule is not None
            and first.granule.unit in (Unit.INSTANT, Unit.MINUTE)
        ):
            return lo, lo + 1
        if hi >= MAX and first.operator is Operator.SINCE and self.tense is not Tense.FUTURE and lo < self.now:
            hi = self.now
        return lo, hi


def _bounds_other_side(first: Operator, other: Operator) -> bool:
    lower, upper = (Operator.SINCE, Operator.AFTER), (Operator.BEFORE, Operator.UNTIL, Operator.BY)
    return (first in lower and other in upper) or (first in upper and other in lower)


def _inside(one: TimeExpression, stretches: Sequence[tuple[int, int]]) -> bool:
    return any(start <= one.start and one.end <= end for start, end in stretches)


def _overlaps(span: tuple[int, int], stretches: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in stretches)
