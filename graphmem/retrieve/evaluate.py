"""Evaluates a query over the facts the memory knew: picks the moment, reads the rows, takes what the slot asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import TypeVar

from graphmem.model import BEST_KNOWN, Entity, Window
from graphmem.retrieve.answer import Finding, to_answer
from graphmem.retrieve.patterns import ALL_TIME, Knowledge, Pattern, Row, unique
from graphmem.retrieve.query import Anchor, Answer, Elapsed, FactReader, Hop, Position, Query, Slot
from graphmem.timeline.claims import Relation, Rivalry
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant

__all__ = ["evaluate"]

_NO_RELATIONS: Mapping[str, Relation] = MappingProxyType({})
_T = TypeVar("_T")


async def evaluate(query: Query, reader: FactReader, *, relations: Mapping[str, Relation] = _NO_RELATIONS) -> Answer:
    """The answer the facts give; `is_known` False when they give none, never an error.

    `relations` are those declared by the user; the built-in ones need not be among them.
    """
    asked_at = to_instant(query.asked_at)
    known_at = BEST_KNOWN if query.known_at is None else query.known_at
    knowledge = Knowledge(reader=reader, declared=relations, group_ids=query.group_ids, known_at=known_at)
    evaluation = _Evaluation(query=query, knowledge=knowledge, now=min(asked_at, known_at))
    return to_answer(query, await evaluation.finding())


@dataclass(frozen=True, kw_only=True, slots=True)
class _Frame:
    """The pattern and window settled; `anchor` is the row the window was taken from."""

    pattern: Pattern
    window: Window
    anchor: Row | None = None

    @property
    def is_anchored(self) -> bool:
        return self.anchor is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Evaluation:
    query: Query
    knowledge: Knowledge
    now: Instant

    async def finding(self) -> Finding:
        query = self.query
        anchor = None
        if query.anchor is not None:
            anchor = await self._anchor_row(query.anchor)
            if anchor is None:
                return Finding(window=None, missing_anchor=True)
        if query.slot is Slot.PATH:
            window = self._window(Pattern(), anchor)
            return await self._path_finding(window)
        pattern = Pattern(subjects=query.subjects, relations=query.relations, objects=query.objects)
        if query.path:
            walked = await self._walk(query.subjects, query.path, self._window(Pattern(), anchor))
            if not walked:
                return Finding(window=self._window(Pattern(), anchor))
            pattern = replace(pattern, subjects=tuple(row.answer.entity_id for row in walked))
        pattern = await self.knowledge.settle(pattern)
        frame = _Frame(pattern=pattern, window=self._window(pattern, anchor), anchor=anchor)
        return await self._handlers()[query.slot](frame)

    def _handlers(self) -> Mapping[Slot, Callable[[_Frame], Awaitable[Finding]]]:
        return {
            Slot.VALUE: self._values,
            Slot.WHO: self._values,
            Slot.HISTORY: self._history,
            Slot.NTH: self._nth,
            Slot.COUNT: self._count,
            Slot.SPELLS: self._spells,
            Slot.PAST: self._past,
            Slot.START: self._starts,
            Slot.END: self._ends,
            Slot.SPAN: self._span,
            Slot.YES_NO: self._yes_no,
            Slot.CHANGES: self._changes,
        }

    # ---- moments

    async def _anchor_row(self, anchor: Anchor) -> Row | None:
        pattern = Pattern(subjects=anchor.subjects, relations=anchor.relations, objects=anchor.objects)
        pattern = await self.knowledge.settle(pattern)
        rows = [row for row in await self.knowledge.all_rows(pattern) if row.valid_at is not None]
        default = -1 if anchor.position is Position.AFTER else 0
        return _pick(rows, default if anchor.n is None else anchor.n)

    def _window(self, pattern: Pattern, anchor: Row | None) -> Window:
        query = self.query
        if anchor is not None and query.anchor is not None:
            return _anchored_window(query.anchor.position, anchor, self.now)
        if query.edge is not None:
            asked = query.window or Window.at(self.now)
            return Window(start=MIN, until=asked.until) if asked == Window.at(asked.start) else asked  # by that moment
        if query.window is not None:
            return query.window
        if query.slot in (Slot.HISTORY, Slot.COUNT, Slot.SPELLS, Slot.NTH):
            return ALL_TIME
        if query.slot is not Slot.PATH and pattern.relations and self.knowledge.relation(pattern.relations[0]).event:
            return Window(start=MIN, until=self.now + 1)
        return Window.at(self.now)

    # ---- slots

    async def _in_window(self, frame: _Frame) -> list[Row]:
        return await self.knowledge.rows(frame.pattern, frame.window, possible=self.query.possible)

    async def _values(self, frame: _Frame) -> Finding:
        rows = await self._in_window(frame) or await self._beside(frame)
        return await self._named(frame, rows, [row.answer for row in rows])

    async def _named(self, frame: _Frame, rows: Sequence[Row], answers: Sequence[Entity]) -> Finding:
        """The answers; without any, with the facts of the pattern at other times or by their possible bounds."""
        entities = unique(answers)
        nearest = [] if entities else await self.knowledge.all_rows(frame.pattern)
        return Finding(window=frame.window, rows=tuple(rows), entities=entities, nearest=tuple(nearest))

    async def _beside(self, frame: _Frame) -> list[Row]:
        """R28a: across a gap, what was held last before the anchor or first after it."""
        anchor, position = frame.anchor, self.query.anchor.position if self.query.anchor else None
        if anchor is None or anchor.valid_at is None or not frame.pattern.relations:
            return []
        if self.knowledge.relation(frame.pattern.relations[0]).rivalry is Rivalry.NONE:
            return []
        dated = [row for row in await self.knowledge.all_rows(frame.pattern) if row.valid_at is not None]
        if position is Position.BEFORE:
            before = [row for row in dated if row.invalid_at <= anchor.valid_at]
            last = max((row.invalid_at for row in before), default=None)
            return [row for row in before if row.invalid_at == last]
        if position is Position.AFTER:
            after = [row for row in dated if row.valid_at is not None and row.valid_at >= anchor.invalid_at]
            first = min((row.valid_at for row in after if row.valid_at is not None), default=None)
            return [row for row in after if row.valid_at == first]
        return []

    async def _path_finding(self, window: Window) -> Finding:
        rows = await self._walk(self.query.subjects, self.query.path, window)
        return Finding(window=window, rows=tuple(rows), entities=unique(row.answer for row in rows))

    async def _walk(self, start: Sequence[str], path: Sequence[Hop], window: Window) -> list[Row]:
        """The rows of the last step; empty as soon as one step leads nowhere."""
        members, rows = tuple(start), list[Row]()
        for step in path:
            rows = []
            for member in members:
                ends = Pattern(objects=(member,)) if step.inverse else Pattern(subjects=(member,))
                pattern = await self.knowledge.settle(replace(ends, relations=step.relations))
                rows += await self.knowledge.rows(pattern, window, possible=self.query.possible)
            members = tuple(entity.entity_id for entity in unique(row.answer for row in rows))
        return rows

    async def _history(self, frame: _Frame) -> Finding:
        rows = await self._in_window(frame)
        return Finding(window=frame.window, rows=tuple(rows), entities=_merged(rows), is_ordered=True)

    async def _nth(self, frame: _Frame) -> Finding:
        rows = await self._in_window(frame)
        entity = _pick(_merged(rows), self.query.n or 0)
        kept = [row for row in rows if entity is not None and row.answer.entity_id == entity.entity_id]
        return Finding(window=frame.window, rows=tuple(kept), entities=() if entity is None else (entity,))

    async def _count(self, frame: _Frame) -> Finding:
        rows = await self._in_window(frame)
        return Finding(window=frame.window, rows=tuple(rows), count=len(unique(row.answer for row in rows)))

    async def _spells(self, frame: _Frame) -> Finding:
        rows = await self._in_window(frame)
        return Finding(window=frame.window, rows=tuple(rows), count=len(rows))

    async def _past(self, frame: _Frame) -> Finding:
        rows = await self.knowledge.all_rows(frame.pattern)
        present = {row.answer.entity_id for row in rows if row.overlaps(Window.at(self.now))}
        over = [row for row in rows if row.invalid_at <= self.now and row.answer.entity_id not in present]
        return Finding(window=None, rows=tuple(over), entities=unique(row.answer for row in over))

    async def _picked(self, frame: _Frame, *, undated: bool = False) -> tuple[list[Row], list[Row]]:
        """The rows whose dates are asked for, and all rows of the pattern."""
        rows = await self.knowledge.all_rows(frame.pattern)
        if frame.is_anchored or self.query.window is not None:
            picked = [row for row in rows if row.overlaps(frame.window)]
        else:
            picked = [row for row in rows if undated or row.valid_at is not None]
        if self.query.n is not None:
            chosen = _pick(picked, self.query.n)
            picked = [] if chosen is None else [chosen]
        return picked, rows

    async def _starts(self, frame: _Frame) -> Finding:
        picked, rows = await self._picked(frame)
        dated = [row for row in picked if row.fact.version.start_stated]
        granules = dict.fromkeys(row.fact.version.start for row in dated)
        nearest = () if dated else tuple(rows)
        return Finding(window=None, rows=tuple(dated), granules=tuple(granules), nearest=nearest)

    async def _ends(self, frame: _Frame) -> Finding:
        picked, rows = await self._picked(frame, undated=True)
        ends = [(row, await self.knowledge.end_of(row)) for row in picked]
        over = [row for row, end in ends if end is not None]
        granules = dict.fromkeys(end for _, end in ends if end is not None)
        nearest = () if over else tuple(rows)
        return Finding(window=None, rows=tuple(over), granules=tuple(granules), nearest=nearest)

    async def _span(self, frame: _Frame) -> Finding:
        picked, rows = await self._picked(frame)
        row = picked[-1] if picked else None
        if row is None or not row.fact.version.start_stated or row.fact.version.start.lo <= MIN:
            return Finding(window=None, nearest=tuple(rows))
        end = None if row.invalid_at > self.now else await self.knowledge.end_of(row)
        start = row.fact.version.start
        first, last = (self.now, self.now) if end is None else (end.lo, end.hi)
        elapsed = Elapsed(shortest=max(0, first - start.hi), longest=last - start.lo)
        return Finding(window=None, rows=(row,), elapsed=elapsed)

    async def _yes_no(self, frame: _Frame) -> Finding:
        """Yes: a fact in the window. No: the facts known exclude it. Else not known."""
        rows = await self._in_window(frame) if self.query.edge is None else await self._turned(frame, self.query.edge)
        if rows:
            return Finding(window=frame.window, rows=tuple(rows), verdict=True)
        against = [row for row in await self.knowledge.all_rows(frame.pattern) if row.valid_at is not None]
        against = against or await self._rivals_in(frame)
        return Finding(window=frame.window, rows=tuple(against), verdict=False if against else None)

    async def _turned(self, frame: _Frame, edge: Position) -> list[Row]:
        """Rows that began, or ended, in the window."""
        rows = await self.knowledge.all_rows(frame.pattern)
        if edge is Position.START:
            return [row for row in rows if row.valid_at is not None and frame.window.holds(row.valid_at)]
        return [row for row in rows if row.invalid_at < MAX and frame.window.holds(_last_moment(row))]

    async def _rivals_in(self, frame: _Frame) -> list[Row]:
        """What holds in the window in place of what is asked; over all time nothing does: more may have held than is known."""
        pattern = frame.pattern
        if frame.window.start == MIN or not (pattern.subjects and pattern.relations and pattern.objects):
            return []
        if self.knowledge.relation(pattern.relations[0]).rivalry is Rivalry.NONE:
            return []
        return await self.knowledge.rows(replace(pattern, objects=()), frame.window)

    async def _changes(self, frame: _Frame) -> Finding:
        if self.query.known_since is not None:
            return await self._learned(frame, self.query.known_since)
        window = self.query.window or Window(start=MIN, until=self.now + 1)
        rows = await self.knowledge.all_rows(frame.pattern)
        began = [row for row in rows if row.valid_at is not None and window.holds(row.valid_at)]
        ended = [row for row in rows if window.holds(_last_moment(row)) and row.invalid_at < MAX]
        return Finding(
            window=window, rows=tuple({id(row.fact): row for row in [*began, *ended]}.values()), is_change=True
        )

    async def _learned(self, frame: _Frame, since: Instant) -> Finding:
        """The difference between two states of knowledge: versions that are new, and versions given up."""
        before = await replace(self.knowledge, known_at=since).all_rows(frame.pattern)
        after = await self.knowledge.all_rows(frame.pattern)
        old = {row.fact.version.version_id for row in before}
        new = {row.fact.version.version_id for row in after}
        gained = [row for row in after if row.fact.version.version_id not in old]
        lost = [row for row in before if row.fact.version.version_id not in new]
        return Finding(window=None, rows=(*gained, *lost), is_change=True)


def _last_moment(row: Row) -> Instant:
    """When it was over: within its stated end, or at the instant a rival cut it off."""
    return row.invalid_at - 1 if row.fact.version.end_stated else row.invalid_at


def _merged(rows: Sequence[Row]) -> tuple[Entity, ...]:
    """The answers in order, immediate repeats merged: A, B, A stays."""
    answers = [row.answer for row in rows]
    return tuple(next(group) for _, group in groupby(answers, key=lambda entity: entity.entity_id))


def _pick(items: Sequence[_T], n: int) -> _T | None:
    """Element n, negative from the end; None when there is none."""
    return items[n] if -len(items) <= n < len(items) else None


def _anchored_window(position: Position, row: Row, now: Instant) -> Window:
    begins = MIN if row.valid_at is None else row.valid_at
    ends = row.invalid_at
    match position:
        case Position.BEFORE:
            return Window.at(max(MIN, begins - 1))
        case Position.AFTER:
            return Window.at(min(ends, MAX - 1))
        case Position.START:
            return Window.at(begins)
        case Position.END:
            return Window.at(min(ends, now + 1) - 1)
        case Position.DURING:
            return Window(start=begins, until=ends)
        case Position.SINCE:
            return Window(start=begins, until=max(now, begins + 1))
        case Position.UNTIL:
            return Window(start=MIN, until=max(begins, MIN + 1))
