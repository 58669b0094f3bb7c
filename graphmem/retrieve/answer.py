"""Puts what was found into words: bare values, a sentence, the nearest thing known, and what was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.model import Entity, Window
from graphmem.retrieve.fact_dates import date_words, day_words, version_dates
from graphmem.retrieve.patterns import Row
from graphmem.retrieve.query import Answer, Elapsed, Position, Query, Slot
from graphmem.timeline.calendar import zone_of
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import MAX, MIN, to_instant
from graphmem.timeline.render import render_duration, render_span

__all__ = ["Finding", "to_answer"]

_NEAREST_SHOWN = 3
_FACTS_SHOWN = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """What the evaluation of a query found, before it is put into words; at most one kind of answer is set."""

    window: Window | None
    """Valid time that was read; None: any."""
    rows: tuple[Row, ...] = ()
    entities: tuple[Entity, ...] = ()
    granules: tuple[Granule, ...] = ()
    elapsed: Elapsed | None = None
    count: int | None = None
    verdict: bool | None = None
    nearest: tuple[Row, ...] = ()
    """Facts of the same pattern outside the window, where nothing was found inside."""
    is_ordered: bool = False
    is_change: bool = False
    missing_anchor: bool = False
    """The event by which the question fixes its time is not known."""


def to_answer(query: Query, found: Finding) -> Answer:
    """The answer in words; without any value it says that it is not known, and what is known nearby."""
    values = _values(query, found)
    facts = tuple(row.fact for row in found.rows)
    is_known = bool(values)
    nearest = "" if is_known else _nearest(query, found)
    return Answer(
        query=query,
        text=_text(query, found, values, nearest),
        values=values,
        value_entities=found.entities,
        granules=found.granules,
        elapsed=found.elapsed,
        count=found.count,
        is_known=is_known,
        is_certain=all(fact.is_certain for fact in facts),
        nearest=nearest,
        scope=_scope(query, found),
        facts=facts,
        episode_ids=tuple(dict.fromkeys(episode for fact in facts for episode in fact.episode_ids)),
    )


def _values(query: Query, found: Finding) -> tuple[str, ...]:
    if found.elapsed is not None:
        return (render_duration(found.elapsed.shortest, found.elapsed.longest, step=query.step),)
    if found.count is not None:
        return (str(found.count),) if found.rows else ()
    if query.slot is Slot.YES_NO:
        return () if found.verdict is None else ("yes" if found.verdict else "no",)
    if found.is_change:
        return tuple(_dated_sentence(row, query.zone) for row in found.rows)
    if found.granules:
        return tuple(date_words(granule, query.zone) for granule in found.granules)
    if found.entities and not (query.relations or query.path):
        return tuple(dict.fromkeys(row.fact.text for row in found.rows))
    return tuple(entity.name for entity in found.entities)


def _text(query: Query, found: Finding, values: Sequence[str], nearest: str) -> str:
    if not values:
        return f"Not known. {nearest}".strip()
    if query.slot is Slot.YES_NO:
        because = "; ".join(_dated_sentence(row, query.zone) for row in found.rows[:_NEAREST_SHOWN])
        return f"{values[0].capitalize()}: {because}."
    if query.slot in (Slot.START, Slot.END, Slot.SPAN):
        about = "; ".join(dict.fromkeys(row.fact.text for row in found.rows))
        return f"{_listed(values)} ({about})."
    if found.is_change or not found.entities:
        return f"{'; '.join(values)}."
    by_id = {row.answer.entity_id: row for row in found.rows}
    shown = [_with_dates(entity, by_id.get(entity.entity_id), query.zone) for entity in found.entities[:_FACTS_SHOWN]]
    if len(found.entities) > _FACTS_SHOWN:
        shown.append(f"{len(found.entities) - _FACTS_SHOWN} more")
    return f"{', then '.join(shown) if found.is_ordered else _listed(shown)}."


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _nearest(query: Query, found: Finding) -> str:
    if found.missing_anchor:
        return "The event the question counts from is not known."
    if not found.nearest:
        return ""
    shown = "; ".join(_dated_sentence(row, query.zone) for row in found.nearest[-_NEAREST_SHOWN:])
    return f"Known nearby: {shown}."


def _with_dates(entity: Entity, row: Row | None, zone: str) -> str:
    dates = "" if row is None else version_dates(row.fact.version, zone)
    return f"{entity.name} ({dates})" if dates else entity.name


def _dated_sentence(row: Row, zone: str) -> str:
    dates = version_dates(row.fact.version, zone)
    return f"{row.fact.text} ({dates})" if dates else row.fact.text


def _scope(query: Query, found: Finding) -> str:
    """Which time was read, on both axes: "valid on 3 May 2026, as known now"."""
    known = "as known now" if query.known_at is None else f"as known on {day_words(query.known_at, query.zone)}"
    return f"{_valid_scope(query, found)}, {known}"


def _valid_scope(query: Query, found: Finding) -> str:
    if found.window is None:
        return "at any time"
    start, until = found.window.start, found.window.until
    if start <= MIN:
        return "at any time" if until >= MAX else f"valid until {day_words(until - 1, query.zone)}"
    if until >= MAX:
        return f"valid from {day_words(start, query.zone)}"
    if query.anchor is not None and query.anchor.position in (Position.BEFORE, Position.AFTER, Position.START):
        return f"valid on {day_words(start, query.zone)}"
    if start == to_instant(query.asked_at):
        return "valid now"
    first = day_words(start, query.zone)
    if first == day_words(until - 1, query.zone):
        return f"valid on {first}"
    read = Granule(lo=start, hi=until)
    return f"valid {render_span(read, read, zone_of(query.zone))}"
