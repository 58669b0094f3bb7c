"""What a question asks, as a formal query, and what comes back: the types of `ask`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from graphmem.errors import InvalidGroup, InvalidQuery
from graphmem.groups import check_group, shown
from graphmem.model import DatedFact, Entity, Episode, Scope, Window
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import Instant
from graphmem.timeline.spans import Step

__all__ = ["Anchor", "Answer", "Elapsed", "FactReader", "Hop", "Position", "Query", "Slot", "with_names"]


class Slot(StrEnum):
    """What is asked for: the open place of the query."""

    VALUE = "value"
    """What stands at the free end of the facts in the window."""
    WHO = "who"
    """The same, asked from the object's side."""
    PATH = "path"
    """Where a walk over several relations leads ("Alice's manager's home")."""
    HISTORY = "history"
    """The values one after another, immediate repeats merged."""
    NTH = "nth"
    """One element of that history: the first, the last."""
    COUNT = "count"
    """How many distinct values."""
    SPELLS = "spells"
    """How many times: spells of a state, occurrences of an event."""
    PAST = "past"
    """What held once and no longer ("used to")."""
    START = "start"
    """When it began or happened."""
    END = "end"
    """When it ended."""
    SPAN = "span"
    """How long it lasted, or has lasted."""
    YES_NO = "yes_no"
    """Whether there is such a fact."""
    CHANGES = "changes"
    """What began or ended within the window."""


class Position(StrEnum):
    """Where the window lies, seen from the fact an anchor names."""

    BEFORE = "before"
    """The last instant before it began."""
    AFTER = "after"
    """The instant at which it was over."""
    START = "start"
    """The instant it began."""
    END = "end"
    """The last instant before it was over ("when she left")."""
    DURING = "during"
    SINCE = "since"
    UNTIL = "until"
    """All time up to its beginning."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Anchor:
    """A fact by which a question fixes its time: "before she joined Globex"."""

    position: Position
    subjects: tuple[str, ...] = ()
    """Entity ids; empty: any."""
    relations: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    n: int | None = None
    """Which of several matching spells, from 0, negative from the end; None: the first."""

    def __post_init__(self) -> None:
        _check_member(Position, "position", self.position)
        _check_texts(subjects=self.subjects, relations=self.relations, objects=self.objects)
        _check_type("n", self.n, int, is_optional=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """One relation of a path; several candidates, best first. Inverse: from object to subject."""

    relations: tuple[str, ...]
    inverse: bool = False

    def __post_init__(self) -> None:
        _check_texts(relations=self.relations)
        _check_type("inverse", self.inverse, bool)


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """One question, nothing left to interpret. Several ids or relations are candidates: the facts decide."""

    slot: Slot
    group_ids: tuple[str, ...]
    asked_at: datetime
    subjects: tuple[str, ...] = ()
    """Entity ids; several: an ambiguous name. Empty: free."""
    relations: tuple[str, ...] = ()
    """Best first: the first of which any fact of this shape is known is taken."""
    objects: tuple[str, ...] = ()
    path: tuple[Hop, ...] = ()
    """For PATH: the walk from the subjects on."""
    n: int | None = None
    """For NTH the element, for START, END and SPAN the spell: from 0, negative from the end."""
    edge: Position | None = None
    """For YES_NO, START or END: whether it began or ended in the window (of one moment: by then), not whether it held there."""
    anchor: Anchor | None = None
    """Replaces the window."""
    window: Window | None = None
    """Valid time asked about; None: the slot's own (all time for histories and counts; ever up to now for events and edges; else
    now)."""
    known_at: Instant | None = None
    """As the memory knew it then; None: the best knowledge there is (R27)."""
    known_since: Instant | None = None
    """For CHANGES: what the memory learned or gave up since then, instead of what changed in the world."""
    possible: bool = False
    """Read the possible bounds instead of the certain ones (R29)."""
    step: Step | None = None
    """For SPAN: the unit to count in ("how many months"); None: the one that suits."""
    zone: str = "UTC"
    """Zone in which dates are put into words."""

    def __post_init__(self) -> None:
        _check_member(Slot, "slot", self.slot)
        if not isinstance(self.group_ids, tuple | list) or not self.group_ids:
            raise InvalidGroup(f"a query needs a tuple of at least one group id, not {shown(self.group_ids)}")
        for group_id in self.group_ids:
            check_group(group_id)
        self._check_types()
        if self.asked_at.tzinfo is None:
            raise InvalidQuery(f"asked_at={self.asked_at!r} has no time zone: give an aware datetime")
        if self.slot is Slot.PATH and not (self.path and self.subjects):
            raise InvalidQuery("a query for a path needs the subject it starts from and at least one step")
        if self.edge not in (None, Position.START, Position.END):
            raise InvalidQuery(
                f"edge must be {Position.START.value!r} or {Position.END.value!r}, not {shown(self.edge)}"
            )
        if self.slot is Slot.NTH and self.n is None:
            raise InvalidQuery("a query for one element of a history needs its position n")
        needs_end = self.slot not in (Slot.PATH, Slot.CHANGES)
        if needs_end and not (self.subjects or self.objects):
            raise InvalidQuery(f"a query for {self.slot.value!r} needs a subject or an object")

    def _check_types(self) -> None:
        _check_texts(subjects=self.subjects, relations=self.relations, objects=self.objects)
        _check_type("asked_at", self.asked_at, datetime)
        for what, kind in (("edge", Position), ("anchor", Anchor), ("window", Window), ("step", Step)):
            _check_type(what, getattr(self, what), kind, is_optional=True)
        for what in ("n", "known_at", "known_since"):  # moments of knowing are instants here: see `to_instant`
            _check_type(what, getattr(self, what), int, is_optional=True)
        _check_type("possible", self.possible, bool)
        _check_type("zone", self.zone, str)
        _check_type("path", self.path, tuple)
        for hop in self.path:
            _check_type("each of path", hop, Hop)


def with_names(query: Query, names_of: Callable[[str], Sequence[str]]) -> Query:
    """The query with each of its relations under the names that facts go by."""

    def named(relations: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for relation in relations for name in names_of(relation)))

    anchor = query.anchor
    return replace(
        query,
        relations=named(query.relations),
        path=tuple(replace(hop, relations=named(hop.relations)) for hop in query.path),
        anchor=None if anchor is None else replace(anchor, relations=named(anchor.relations)),
    )


def _check_texts(**given: object) -> None:
    for what, values in given.items():
        if not isinstance(values, tuple | list) or not all(isinstance(value, str) for value in values):
            raise InvalidQuery(f"{what} must be a tuple of str, not {shown(values)}")


def _check_type(what: str, value: object, kind: type, *, is_optional: bool = False) -> None:
    if value is None and is_optional:
        return
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InvalidQuery(f"{what} must be {kind.__name__}, not {shown(value)}")


def _check_member(kind: type[StrEnum], what: str, value: object) -> None:
    if not isinstance(value, kind):
        raise InvalidQuery(
            f"{what} is one of {', '.join(f'{kind.__name__}.{one.name}' for one in kind)}, not {shown(value)}"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Elapsed:
    """How long something lasted: at least and at most, in microseconds."""

    shortest: int
    longest: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What the memory says to a query, in words and as values."""

    query: Query | None
    """How the question was understood; None: not at all, and then nothing is known."""
    text: str
    """A short sentence; says so when it is not known."""
    values: tuple[str, ...] = ()
    """The bare answers: names, a date, a length of time, a number, "yes" or "no". Ordered for histories."""
    value_entities: tuple[Entity, ...] = ()
    """The entities of `values`, where they are names."""
    granules: tuple[Granule, ...] = ()
    """For START and END: the span in which it lies, one for each value."""
    elapsed: Elapsed | None = None
    count: int | None = None
    is_known: bool = True
    """False: the memory holds no answer; `nearest` may hold something close."""
    is_certain: bool = True
    """False: so by the possible bounds only (R29)."""
    nearest: str = ""
    """What is known nearby when the answer is not."""
    nearby_facts: tuple[DatedFact, ...] = ()
    """When the answer is not known: facts that a search found beside it, best first. They may be about something else."""
    nearby_turns: tuple[Episode, ...] = ()
    """The same for raw turns."""
    scope: str = ""
    """What was read, in words: "valid in April 2026, as known now"."""
    facts: tuple[DatedFact, ...] = ()
    """The facts it rests on."""
    episode_ids: tuple[str, ...] = field(default=())
    """The episodes those rest on, without repeats."""


class FactReader(Protocol):
    """Reads facts of a scope; `graphmem.retrieve.reads.read_facts` with its store filled in."""

    async def __call__(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[DatedFact]:
        """Facts that match every selection given, by valid_at (an undated past first), relation, subject, object."""
        ...
