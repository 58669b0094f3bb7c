"""The sweep: who holds which seat when. Explicit coverage first, newest testimony before older; then what extends by default.

At every instant the explicit claims take their seats in testimony order (R11), so painting them newest first, each into the
time its seats are still free, gives all instants at once. What is left is default coverage: a spell goes on from the end of an
explicit stretch, an inferred one from its beginning, until a rival's coverage, its own end or a brake; it never resumes (R12).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from graphmem.timeline.claims import Relation
from graphmem.timeline.cover import Cover, Stretch, joined
from graphmem.timeline.instants import MAX, Instant
from graphmem.timeline.rivalry import Fact, Seat, seats_of
from graphmem.timeline.spells import Spell
from graphmem.timeline.testimony import Order

__all__ = ["Course", "sweep"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Course:
    """When one spell holds."""

    spell: Spell
    seats: tuple[Seat, ...]
    walls: tuple[Cover, ...]
    """Where trusted rows keep it out (R34)."""
    barriers: tuple[Cover, ...]
    """All it must keep out of: the explicit coverage on each of its seats, and its walls."""
    explicit: list[Stretch] = field(default_factory=list)
    """In order, once painted; touching stretches are one."""
    default: list[Stretch] = field(default_factory=list)

    def free_until(self, moment: Instant) -> Instant:
        """Until when nothing explicit and no wall is in its way; `moment` itself if something is."""
        return min(barrier.free_until(moment) for barrier in self.barriers)

    def goes_on_until(self, moment: Instant) -> Instant:
        """Until when default extension carries it past `moment`, fresh beginnings of rivals apart; `moment`: not at all."""
        spell = self.spell
        until = min(self.free_until(moment), MAX if spell.end is None else spell.end[1])
        i = bisect_left(spell.brakes, moment, key=lambda brake: brake.over_at)
        return max(moment, min(until, spell.brakes[i].over_at) if i < len(spell.brakes) else until)


def sweep(
    spells: Sequence[Spell], relation: Relation, walls_around: Callable[[Fact], tuple[Cover, ...]]
) -> list[Course]:
    """The course of every spell of a relation, in the order of `spells`."""
    painted: defaultdict[Seat, Cover] = defaultdict(Cover)
    courses = [_course(spell, relation, painted, walls_around(spell.fact)) for spell in spells]
    _paint(courses, painted)
    _extend(courses)
    return courses


def _course(spell: Spell, relation: Relation, painted: defaultdict[Seat, Cover], walls: tuple[Cover, ...]) -> Course:
    seats = seats_of(spell.fact, relation)
    return Course(spell=spell, seats=seats, walls=walls, barriers=(*(painted[seat] for seat in seats), *walls))


# ---- explicit coverage: R10, R11, R13


def _paint(courses: Sequence[Course], painted: defaultdict[Seat, Cover]) -> None:
    brushes = [(order, i, until) for i, course in enumerate(courses) for order, until in _vouched(course.spell)]
    for _, i, until in sorted(brushes, reverse=True):
        course = courses[i]
        free = [(course.spell.since, until)]
        for barrier in sorted(course.barriers, key=len):
            if free:
                free = [gap for lo, hi in free for gap in barrier.gaps(lo, hi)]
        for lo, hi in free:
            for seat in course.seats:
                painted[seat].add(lo, hi)
        course.explicit.extend(free)
    for course in courses:
        course.explicit[:] = joined(course.explicit)


def _vouched(spell: Spell) -> Iterable[tuple[Order, Instant]]:
    """For each HOLD that reaches further than all newer ones: its order, and until when it covers explicitly.

    The inside of a stated end granule is default (R11); what is inferred covers nothing explicitly (R33).
    """
    if spell.inferred:
        return
    reached = spell.since
    for hold in spell.newest_first():
        until = spell.vouched_until(hold)
        if spell.end and spell.end[0] > spell.since:
            until = min(until, spell.end[0])
        if until > reached:
            reached = until
            yield hold.order, until


# ---- default coverage: R12, R33


@dataclass(kw_only=True, slots=True, eq=False)
class _Extension:
    course: Course
    since: Instant
    until: Instant


class _Moment:
    """What happens at one instant: inferred spells begin, explicit stretches end."""

    __slots__ = ("beginnings", "endings")

    def __init__(self) -> None:
        self.beginnings: list[tuple[Order, Course]] = []
        self.endings: dict[Fact, Course] = {}


def _extend(courses: Sequence[Course]) -> None:
    moments: defaultdict[Instant, _Moment] = defaultdict(_Moment)
    for course in courses:
        for _, hi in course.explicit:
            moments[hi].endings[course.spell.fact] = course
        for begins_at, order in _beginnings(course.spell).items():
            moments[begins_at].beginnings.append((order, course))
    extensions: list[_Extension] = []
    holders: dict[Seat, _Extension] = {}
    for at in sorted(moments):
        for extension in _extensions_from(at, moments[at], holders):
            extensions.append(extension)
            for seat in extension.course.seats:
                holders[seat] = extension
    for extension in extensions:
        extension.course.default.append((extension.since, extension.until))


def _beginnings(spell: Spell) -> dict[Instant, Order]:
    """Where an inferred spell begins or is said again, with the newest claim that says so."""
    beginnings: dict[Instant, Order] = {}
    for hold in reversed(spell.newest_first()) if spell.inferred else ():
        beginnings[max(hold.begins_at, spell.since)] = hold.order
    return beginnings


def _extensions_from(at: Instant, moment: _Moment, holders: dict[Seat, _Extension]) -> list[_Extension]:
    """The default extensions that begin at this instant; those that a fresh beginning ends are cut short."""
    begun: list[_Extension] = []
    taken: dict[Seat, Course] = {}
    for _, course in sorted(moment.beginnings, key=lambda entry: entry[0], reverse=True):
        if course.free_until(at) == at or any(seat in taken for seat in course.seats):
            continue
        current = _held_already(course, at, moment, holders)
        until = course.goes_on_until(at)
        if current is None and until > at:
            begun.append(_Extension(course=course, since=at, until=until))
            _cut_short(course.seats, at, holders)
        elif current is None:
            continue
        taken.update((seat, current or course) for seat in course.seats)
    for course in moment.endings.values():
        until = course.goes_on_until(at)
        if until > at and all(taken.get(seat, course) is course for seat in course.seats):
            begun.append(_Extension(course=course, since=at, until=until))
    return begun


def _held_already(course: Course, at: Instant, moment: _Moment, holders: dict[Seat, _Extension]) -> Course | None:
    """The course of the same fact that goes on through this instant: what is inferred adds nothing to it (R33)."""
    fact = course.spell.fact
    ending = moment.endings.get(fact)
    if ending and ending.goes_on_until(at) > at:
        return ending
    holder = holders.get(course.seats[0])
    return holder.course if holder and holder.course.spell.fact == fact and holder.until > at else None


def _cut_short(seats: Iterable[Seat], at: Instant, holders: dict[Seat, _Extension]) -> None:
    for seat in seats:
        if seat in holders:
            holders[seat].until = min(holders[seat].until, at)
