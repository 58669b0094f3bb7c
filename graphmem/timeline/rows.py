"""Rows: what the fold gives, one for each stretch of time in which a fact holds; and what can be read off rows side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar

from graphmem.timeline.claims import Relation
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MAX, MIN, Instant
from graphmem.timeline.rivalry import are_rivals, fact_of

__all__ = ["Bounded", "Identity", "Row", "Side", "beside", "end_granule", "identity", "in_row_order"]

Identity: TypeAlias = tuple[str | int | bool | None, ...]
Side: TypeAlias = Literal["before", "after"]


class Bounded(Protocol):
    """What a row and a stored version of it have in common."""

    @property
    def subject(self) -> str: ...
    @property
    def relation(self) -> str: ...
    @property
    def object(self) -> str: ...
    @property
    def valid_at(self) -> Instant | None: ...
    @property
    def invalid_at(self) -> Instant: ...
    @property
    def start(self) -> Granule: ...
    @property
    def end(self) -> Granule: ...
    @property
    def start_stated(self) -> bool: ...
    @property
    def end_stated(self) -> bool: ...
    @property
    def trusted(self) -> bool: ...


_Bounded = TypeVar("_Bounded", bound=Bounded)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One fact version without its transaction time. Equal rows are the same version, whatever supports them (R30)."""

    subject: str
    relation: str
    object: str
    valid_at: Instant | None
    """Canonical start; None means exactly one thing: undated past (R5)."""
    invalid_at: Instant
    """Canonical end, excluded; MAX: until changed."""
    start: Granule
    """Where it began. Unknown: from MIN to `valid_at`. Where another fact is cut off by it: exactly `valid_at`."""
    end: Granule
    """Where it ended; not stated: exactly `invalid_at` (`end_granule` tells what is known of it, R5a)."""
    start_stated: bool
    end_stated: bool
    trusted: bool
    support: frozenset[str] = field(default=frozenset(), compare=False)
    """Ids of the claims of its spell."""
    told: tuple[tuple[Instant, Instant], ...] = field(default=(), compare=False)
    """Its explicit stretches (R10), in order; the rest is default extension."""


def identity(row: Bounded) -> Identity:
    """The fields that make a row the version it is, flat: a cheap key to tell rows and stored versions apart by (R25)."""
    return (
        row.subject,
        row.relation,
        row.object,
        row.valid_at,
        row.invalid_at,
        row.start.lo,
        row.start.hi,
        row.start.unit,
        row.end.lo,
        row.end.hi,
        row.end.unit,
        row.start_stated,
        row.end_stated,
        row.trusted,
    )


def in_row_order(rows: Iterable[_Bounded]) -> list[_Bounded]:
    """The rows by valid_at (undated past first), subject and object; trusted before untrusted."""
    return sorted(rows, key=_row_order)


def _row_order(row: Bounded) -> tuple[Instant, str, str, bool]:
    return (MIN - 1 if row.valid_at is None else row.valid_at, row.subject, row.object, not row.trusted)


def beside(row: _Bounded, rows: Iterable[_Bounded], relation: Relation, side: Side) -> _Bounded | None:
    """The row of a rival held last before this one, or first after it, also across a gap (R28a); None if there is none.

    Undated past has no place in the order: it is never the answer, and nothing is before it.
    """
    rivals = [other for other in rows if other.valid_at is not None and _is_rival(row, other, relation)]
    if side == "after":
        later = [other for other in rivals if _starts(other) >= row.invalid_at]
        return min(later, key=_row_order, default=None)
    earlier = [other for other in rivals if other.invalid_at <= _starts(row)]
    return max(earlier, key=lambda other: (other.invalid_at, *_row_order(other)), default=None)


def end_granule(row: _Bounded, rows: Iterable[_Bounded], relation: Relation | None = None) -> Granule:
    """Where the row ended, as far as it is known (R5a).

    Its stated end; else the start granule of the rival that cut it, if that was stated; else exactly `invalid_at`, which is
    MAX for a row still open. Without `relation` every other fact of the same relation in `rows` counts as a rival.
    """
    if row.end_stated or row.invalid_at >= MAX:
        return row.end
    for other in in_row_order(rows):
        cuts = other.start_stated and other.valid_at == row.invalid_at
        if cuts and (_is_other_fact(row, other) if relation is None else _is_rival(row, other, relation)):
            return other.start
    return row.end if row.end.lo < row.end.hi else Granule(lo=row.invalid_at, hi=row.invalid_at, unit=Unit.INSTANT)


def _starts(row: Bounded) -> Instant:
    return MIN if row.valid_at is None else row.valid_at


def _is_rival(row: Bounded, other: Bounded, relation: Relation) -> bool:
    return row.relation == other.relation and are_rivals(fact_of(row, relation), fact_of(other, relation), relation)


def _is_other_fact(row: Bounded, other: Bounded) -> bool:
    return row.relation == other.relation and (row.subject, row.object) != (other.subject, other.object)
