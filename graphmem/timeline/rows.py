"""Rows: what the fold gives, one for each stretch of time in which a fact holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import MIN, Instant

__all__ = ["Bounded", "Identity", "Row", "identity", "in_row_order"]

Identity: TypeAlias = tuple[str | int | bool | None, ...]


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
    """Where it ended; not stated: exactly `invalid_at`."""
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


def in_row_order(rows: Iterable[Row]) -> list[Row]:
    """The rows by valid_at (undated past first), subject and object; trusted before untrusted."""
    return sorted(rows, key=_row_order)


def _row_order(row: Row) -> tuple[Instant, str, str, bool]:
    return (MIN - 1 if row.valid_at is None else row.valid_at, row.subject, row.object, not row.trusted)
