"""Runs: the stretches of one fact that read as one, and the row each becomes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from graphmem.timeline.claims import Relation
from graphmem.timeline.cover import Stretch, joined
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MIN, Instant
from graphmem.timeline.rows import Row
from graphmem.timeline.spells import Spell
from graphmem.timeline.sweep import Course
from graphmem.timeline.testimony import Testimony

__all__ = ["Piece", "Run", "possible_time", "row_of", "runs_of", "said_granule"]

_FINEST_FIRST = {unit: rank for rank, unit in enumerate(Unit)}


class Piece(NamedTuple):
    """One stretch in which a spell holds without a break."""

    lo: Instant
    hi: Instant
    spell: Spell
    course: Course

    @property
    def is_first(self) -> bool:
        return self.lo == self.spell.since

    @property
    def is_last(self) -> bool:
        return self.spell.end is not None and self.hi == self.spell.end[1]

    def has_stated_start(self, relation: Relation) -> bool:
        return self.is_first and self.spell.start is not None and not relation.timeless


Run: TypeAlias = Sequence[Piece]
"""Pieces of one fact, each touching the next, that are one row."""


def runs_of(courses: Iterable[Course], relation: Relation) -> list[Run]:
    """The runs of one fact, in order. Pieces that touch are one run unless an end or a start is stated between them (R17a).

    Ranges that touch are one run although both bounds are stated: "January to March", later "April to June" (R14a).
    """
    runs: list[list[Piece]] = []
    for piece in sorted((p for course in courses for p in _pieces(course)), key=lambda p: p.lo):
        if runs and _is_one_run(runs[-1][-1], piece, relation):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return list(runs)


def _pieces(course: Course) -> list[Piece]:
    return [Piece(lo, hi, course.spell, course) for lo, hi in joined((*course.explicit, *course.default))]


def _is_one_run(piece: Piece, following: Piece, relation: Relation) -> bool:
    if piece.hi != following.lo:
        return False
    if not piece.is_last and not following.has_stated_start(relation):
        return True
    return following.spell.follows is piece.spell and piece.is_last and following.is_first


def row_of(run: Run, relation: Relation, *, trusted: bool) -> Row:
    """The row of a run: the start of its first piece, the end of its last one."""
    first, last = run[0], run[-1]
    return Row(
        subject=first.spell.fact[0],
        relation=relation.name,
        object=first.spell.fact[1],
        valid_at=first.lo,
        invalid_at=last.hi,
        start=_start(first),
        end=_end(last),
        start_stated=first.has_stated_start(relation),
        end_stated=last.is_last,
        trusted=trusted,
        support=_support(run),
        told=tuple(joined(stretch for piece in run for stretch in _told(piece))),
    )


def possible_time(piece: Piece) -> Stretch:
    """When the piece may have held, taken by itself: from the first instant of its start granule."""
    return (_start(piece).lo, piece.hi)


def said_granule(stretch: Stretch, said: Iterable[tuple[Stretch | None, Granule | None]]) -> Granule:
    """The granule as a claim said it, in the finest unit if several did; FUZZY if it is what several leave between them."""
    exact = [granule for told, granule in said if granule is not None and told == stretch]
    if not exact:
        return Granule(lo=stretch[0], hi=stretch[1])
    return min(exact, key=lambda granule: _FINEST_FIRST[granule.unit])


def _exactly(moment: Instant) -> Granule:
    return Granule(lo=moment, hi=moment, unit=Unit.INSTANT)


def _start(piece: Piece) -> Granule:
    if not piece.is_first:
        return _exactly(piece.lo)
    if piece.spell.start is None:
        free_since = max((wall.free_since(piece.lo) for wall in piece.course.walls), default=MIN)
        return Granule(lo=free_since, hi=piece.lo)
    return said_granule(piece.spell.start, ((t.start, t.start_said) for t in piece.spell.holds))


def _end(piece: Piece) -> Granule:
    spell = piece.spell
    if spell.end is not None and piece.is_last:
        end = said_granule(spell.end, ((t.end, t.end_said) for t in (*spell.holds, *spell.stops)))
    else:
        end = _braked_end(piece)
    return end if end.lo >= piece.lo else Granule(lo=piece.lo, hi=end.hi)


def _braked_end(piece: Piece) -> Granule:
    """Between what was last vouched for and an inferred STOP; without one, the very instant another fact took over."""
    spell = piece.spell
    brakes = _brakes_at(piece)
    if not brakes:
        return _exactly(piece.hi)
    vouched = [until for hold in spell.holds if (until := spell.vouched_until(hold)) <= piece.hi]
    last_vouched = max(vouched, default=piece.lo)
    lo = max(last_vouched if brake.end is None else brake.end[0] for brake in brakes)
    return said_granule((lo, piece.hi), ((brake.end, brake.end_said) for brake in brakes))


def _brakes_at(piece: Piece) -> Sequence[Testimony]:
    brakes = piece.spell.brakes
    if not brakes:
        return ()
    lo = bisect_left(brakes, piece.hi, key=lambda brake: brake.over_at)
    return brakes[lo : bisect_right(brakes, piece.hi, key=lambda brake: brake.over_at)]


def _support(run: Run) -> frozenset[str]:
    support = run[0].spell.support
    for piece in run:
        brakes = [b.claim_id for b in _brakes_at(piece) if b.trusted is piece.spell.holds[0].trusted]
        if brakes or piece is not run[0]:
            support = support.union(piece.spell.support, brakes)
    return support


def _told(piece: Piece) -> Sequence[Stretch]:
    told = piece.course.explicit
    return told[bisect_left(told, (piece.lo, piece.lo)) : bisect_left(told, (piece.hi, piece.hi))]
