"""Layers: the rows of a relation from its trusted claims, then those that untrusted claims give in the time left (R34)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphmem.timeline.claims import Relation
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import MIN
from graphmem.timeline.rivalry import Fact, RivalMarks
from graphmem.timeline.rows import Row
from graphmem.timeline.runs import Run, possible_time, row_of, runs_of, said_granule
from graphmem.timeline.spells import FactSpells, RivalBeginnings, narrow_starts, spells_of
from graphmem.timeline.sweep import Course, sweep
from graphmem.timeline.testimony import Testimony
from graphmem.timeline.walls import Wall, Walls

__all__ = ["layered_rows"]


def layered_rows(testimony: Sequence[Testimony], relation: Relation) -> list[Row]:
    """The rows of the trusted claims, as if no other had been made, and those of the untrusted ones, in no order.

    Trusted STOPs and PASTs end untrusted rows too, never the other way round.
    """
    trusted = _layer([t for t in testimony if t.trusted], relation, Walls((), relation), trusted=True)
    if all(t.trusted for t in testimony):
        return trusted.rows(relation)
    rest = [t for t in testimony if not (t.trusted and t.is_hold)]
    untrusted = _layer(rest, relation, Walls(trusted.walls(), relation), trusted=False)
    return [*trusted.rows(relation), *untrusted.rows(relation)]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Layer:
    trusted: bool
    undated: Sequence[Row]
    runs: Sequence[Run]

    def rows(self, relation: Relation) -> list[Row]:
        return [*self.undated, *(row_of(run, relation, trusted=self.trusted) for run in self.runs)]

    def walls(self) -> Iterator[Wall]:
        for row in self.undated:
            yield Wall((row.subject, row.object), (MIN, row.invalid_at), None)
        for run in self.runs:
            for piece in run:
                yield Wall(piece.spell.fact, possible_time(piece), (piece.lo, piece.hi))


def _layer(testimony: Sequence[Testimony], relation: Relation, walls: Walls, *, trusted: bool) -> _Layer:
    spells_by_fact = _spells_by_fact(testimony, relation)
    spells = [spell for of_fact in spells_by_fact.values() for spell in (*of_fact.stated, *of_fact.inferred)]
    narrow_starts(spells, relation)
    courses: defaultdict[Fact, list[Course]] = defaultdict(list)
    for course in sweep(spells, relation, walls.around):
        courses[course.spell.fact].append(course)
    runs = [run for of_fact in courses.values() for run in runs_of(of_fact, relation)]
    undated = [
        _undated_row(fact, ends, relation)
        for fact, of_fact in spells_by_fact.items()
        if (ends := _undated_ends(of_fact, trusted=trusted)) and walls.allow_undated_past(fact, _last(ends).over_at)
    ]
    return _Layer(trusted=trusted, undated=undated, runs=runs)


def _spells_by_fact(testimony: Sequence[Testimony], relation: Relation) -> dict[Fact, FactSpells]:
    by_fact: defaultdict[Fact, list[Testimony]] = defaultdict(list)
    for t in testimony:
        by_fact[t.fact].append(t)
    marks = [(t.begins_at, t.fact) for t in testimony if t.is_hold]
    stated = [(t.begins_at, t.fact) for t in testimony if t.is_hold and not t.inferred]
    every = RivalMarks(marks, relation)
    beginnings = RivalBeginnings(every if len(stated) == len(marks) else RivalMarks(stated, relation), every)
    return {fact: spells_of(said, beginnings) for fact, said in by_fact.items()}


# ---- R5, R14b: what is only known to have ended


def _undated_ends(spells: FactSpells, *, trusted: bool) -> Sequence[Testimony]:
    """The STOPs that found no spell: all of them if the fact has none at all, else those of R14b, which say that it was so."""
    if not spells.orphans:
        return ()
    has_spells = bool(spells.stated or spells.inferred)
    ends = [t for t in spells.orphans if t.trusted is trusted and (t.is_undated_hold or not has_spells)]
    return [t for t in ends if not t.inferred] or ends


def _last(ends: Sequence[Testimony]) -> Testimony:
    return max(ends, key=lambda t: (t.over_at, t.order))


def _undated_row(fact: Fact, ends: Sequence[Testimony], relation: Relation) -> Row:
    last = _last(ends)
    before_end = Granule(lo=MIN, hi=last.over_at)
    return Row(
        subject=fact[0],
        relation=relation.name,
        object=fact[1],
        valid_at=None,
        invalid_at=last.over_at,
        start=before_end,
        end=before_end if last.end is None else said_granule(last.end, ((t.end, t.end_said) for t in ends)),
        start_stated=False,
        end_stated=last.end is not None,
        trusted=last.trusted,
        support=frozenset(t.claim_id for t in ends),
    )
