"""Bounds of a claim: the granules in which a fact began and ended, from its time words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from graphmem.timeline import spans
from graphmem.timeline.calendar import cut, local_time, zone_at
from graphmem.timeline.claims import Kind
from graphmem.timeline.expressions import Operator, TimeExpression, find_times
from graphmem.timeline.granules import ALWAYS, Granule, Unit
from graphmem.timeline.instants import DAY, MAX, MIN, to_instant
from graphmem.timeline.numerals import AMOUNT, amount_of
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole
from graphmem.timeline.spans import Step
from graphmem.timeline.vocabulary import STEP, WEEKDAY, step_of

__all__ = ["Bounds", "bounds_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """Where a claim begins and ends; None: not said."""

    start: Granule | None = None
    end: Granule | None = None
    unread: tuple[str, ...] = ()
    """Phrases that gave no date ("since then", "before the merger")."""


def bounds_of(kind: Kind, phrases: Sequence[TimePhrase], said_at: datetime) -> Bounds:
    """The bounds that time phrases give a claim of a kind; InvalidTime if `said_at` has no time zone.

    HOLD: "since X" and X with the role START begin it, "until X" and END end it, a range does both, and so does "in X"
    with the role AT once X, a month or longer, is over. EVENT and NEVER: X is when it happened, as start. STOP: X is the
    end. A PAST takes no dates, all its phrases are left unread. "By X" is some time up to the end of X, so the claim is
    certain from X on (R3a).
    """
    start: Granule | None = None
    end: Granule | None = None
    unread: list[str] = []
    for phrase in phrases:
        found = None if kind is Kind.PAST else _bounds(kind, phrase, said_at)
        if found is None or (found.start is None and found.end is None):
            unread.append(phrase.text)
            continue
        start, end = start or found.start, end or found.end
    return Bounds(start=start, end=end, unread=tuple(unread))


_ALWAYS = re.compile(
    r"\s*(?:has |have |had |is |was )?(?:always|all (?:my|his|her|their|our) lives?|all along|since forever)\b",
    re.IGNORECASE,
)


def _bounds(kind: Kind, phrase: TimePhrase, said_at: datetime) -> Bounds | None:
    if _ALWAYS.match(phrase.text):
        return Bounds(start=ALWAYS) if kind is Kind.HOLD else None
    dated = _expression_of(kind, phrase, said_at)
    length = _Length.of(phrase.text)
    if dated is None:
        return length.up_to(said_at) if length and kind is Kind.HOLD else None
    dated = _from_now(dated, said_at)
    match kind:
        case Kind.STOP:
            return Bounds(end=_end(dated, said_at))
        case Kind.EVENT | Kind.NEVER:
            return Bounds(start=_occurrence(dated, said_at))
        case _:
            bounds = _held(phrase.role, dated, said_at)
            return length.after(bounds, said_at) if length and bounds.start and bounds.end is None else bounds


# Reading a phrase

_AHEAD = re.compile(r"\s*(?:up )?(?:until|till|til|to|by|through)\b", re.IGNORECASE)
_FROM = re.compile(r"\s*(?:from|as from|starting|beginning|effective|as of)\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b{WEEKDAY}", re.IGNORECASE)


def _tense(kind: Kind, phrase: TimePhrase) -> Tense:
    """As given; else "from" and "until" Friday look ahead, "from" and "until" March go to the nearest, all else looks back."""
    if phrase.tense is not None:
        return phrase.tense
    if _FROM.match(phrase.text) or (kind is Kind.HOLD and _AHEAD.match(phrase.text)):
        return Tense.FUTURE if kind is Kind.HOLD and _WEEKDAY.search(phrase.text) else Tense.UNKNOWN
    return Tense.PAST


def _expression_of(kind: Kind, phrase: TimePhrase, said_at: datetime) -> TimeExpression | None:
    """The dated expression of a phrase, used as the event around it says: "since the gig on Saturday" is since Saturday."""
    found = find_times(phrase.text, said_at, tense=_tense(kind, phrase))
    dated = [expression for expression in found if expression.granule is not None]
    if not dated:
        return None
    first = max(dated, key=lambda expression: expression.operator in (Operator.RANGE, Operator.SINCE))
    events = [event for event in found if event.clause is not None and event.start < first.start]
    if events and first.operator is Operator.AT and events[0].operator in (Operator.SINCE, Operator.UNTIL):
        return replace(first, operator=events[0].operator)
    if first.operator is Operator.SINCE and (until := _until(dated, first)):
        return replace(first, operator=Operator.RANGE, until=until)
    return first


def _until(dated: list[TimeExpression], first: TimeExpression) -> Granule | None:
    """The end said after a beginning: "since March, until June"."""
    ends = (one.granule for one in dated if one.start > first.start and one.operator is Operator.UNTIL)
    return next(ends, None)


def _from_now(dated: TimeExpression, said_at: datetime) -> TimeExpression:
    """ "From now on" is said of a day, not of a microsecond."""
    if dated.granule is None or dated.granule.unit is not Unit.INSTANT or dated.operator is Operator.RANGE:
        return dated
    if dated.granule.lo != to_instant(said_at):
        return dated
    return replace(dated, granule=cut(spans.day(said_at.date()), zone_at(said_at)))


# Lengths: "for two years"

_FOR = re.compile(
    rf"\b(?:for|these|those|going on)(?: about| around| almost| nearly| over)? ({AMOUNT}) ({STEP})( and a half)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Length:
    count: int
    step: Step

    @classmethod
    def of(cls, text: str) -> _Length | None:
        found = _FOR.search(text)
        if found is None:
            return None
        amount, step = amount_of(found[1].lower()), step_of(found[2].lower())
        number = amount.number + (0.5 if found[3] else 0)
        if number == int(number):
            return cls(count=int(number), step=step)
        return cls(count=round(number * 12), step=Step.MONTH) if step is Step.YEAR else None

    def up_to(self, said_at: datetime) -> Bounds:
        """ "For two years", said now: it began on this day two years ago; for hours and minutes, in that minute."""
        if self.step in spans.CLOCK_STEPS:
            lo = to_instant(said_at) - spans.length_of(self.step) * self.count // timedelta(microseconds=1)
            return Bounds(start=Granule(lo=lo, hi=lo + 60_000_000, unit=Unit.MINUTE))
        first = spans.move(said_at.replace(tzinfo=None), -self.count, self.step)
        return Bounds(start=cut(spans.day(first), zone_at(said_at)))

    def after(self, bounds: Bounds, said_at: datetime) -> Bounds:
        """ "From Monday for a week": it ends on the last day of that week."""
        first = local_time(bounds.start.lo, zone_at(said_at)) if bounds.start else None
        if first is None or self.step in spans.CLOCK_STEPS:
            return bounds
        last = spans.add(spans.move(first.replace(tzinfo=None), self.count, self.step), timedelta(days=-1))
        return replace(bounds, end=cut(spans.day(last), zone_at(said_at)))


# What an expression says of a claim of each kind


def _held(role: TimeRole, dated: TimeExpression, said_at: datetime) -> Bounds:
    unit = dated.granule
    if unit is None:
        return Bounds()
    match dated.operator:
        case Operator.RANGE:
            return Bounds(start=unit, end=dated.until)
        case Operator.SINCE | Operator.ROLLING:
            return Bounds(start=unit)
        case Operator.UNTIL:
            return Bounds(end=unit)
        case Operator.BY | Operator.BEFORE | Operator.AFTER if role is TimeRole.END:
            return Bounds(end=_end(dated, said_at))
        case Operator.BY | Operator.BEFORE | Operator.AFTER:
            return Bounds(start=_occurrence(dated, said_at))
        case _ if role is TimeRole.END:
            return Bounds(end=unit)
        case Operator.AT if role is TimeRole.AT and _is_over(unit, said_at):
            return Bounds(start=unit, end=unit)
        case _:
            return Bounds(start=unit)


_SHORT = frozenset({Unit.INSTANT, Unit.MINUTE, Unit.HOUR, Unit.DAY, Unit.WEEK})
_A_WEEK = 7 * DAY


def _is_over(unit: Granule, said_at: datetime) -> bool:
    return unit.unit not in _SHORT and unit.hi - unit.lo > _A_WEEK and unit.hi <= to_instant(said_at)


def _occurrence(dated: TimeExpression, said_at: datetime) -> Granule | None:
    """When it happened, or began: in the unit, some time up to its end ("by"), before it, or after it."""
    unit = dated.granule
    if unit is None:
        return None
    match dated.operator:
        case Operator.BY:
            return Granule(lo=MIN, hi=unit.hi)
        case Operator.BEFORE:
            return Granule(lo=MIN, hi=unit.lo)
        case Operator.AFTER:
            now = to_instant(said_at)
            return Granule(lo=unit.hi, hi=now if now > unit.hi else MAX)
        case Operator.RANGE if dated.until is not None:
            return Granule(lo=unit.lo, hi=dated.until.hi)
        case Operator.ROLLING if dated.window is not None:
            return Granule(lo=dated.window[0], hi=dated.window[1])
        case _:
            return unit


def _end(dated: TimeExpression, said_at: datetime) -> Granule | None:
    """When it ended. "From today" no longer: before today; "since March" no longer: in March."""
    if (
        dated.operator is Operator.SINCE
        and dated.granule
        and not dated.text.lower().lstrip().startswith(("since", "ever"))
    ):
        return Granule(lo=MIN, hi=dated.granule.lo)
    return _occurrence(dated, said_at)
