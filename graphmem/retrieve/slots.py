"""What a question asks of its reading: the slot, the window of valid time and the moment of knowing."""

from __future__ import annotations

import re
from datetime import datetime

from graphmem.model import Window
from graphmem.retrieve.query import Position, Slot
from graphmem.retrieve.question_frame import Asker, Frame
from graphmem.retrieve.readings import Reading
from graphmem.retrieve.relation_words import RelationWords
from graphmem.timeline.instants import DAY, MAX, MIN, Instant, to_instant
from graphmem.timeline.scope import Ask, QuestionScope

__all__ = ["edge_of", "slot_of", "times_of"]

_BY_NOW = re.compile(r"(?:by|until|till|up to|as of)\s+(?:right\s+)?now", re.IGNORECASE)


def slot_of(frame: Frame, reading: Reading, scope: QuestionScope, words: RelationWords, *, is_event: bool) -> Slot:
    """Which place of the query is open; `is_event`: the relation of the reading is one of events."""
    if scope.ask is Ask.CHANGES and not frame.is_history:
        return Slot.CHANGES
    has_free_end = len(reading.terms) < 2
    if frame.is_open and reading.cue is None:
        return Slot.VALUE
    match frame.asker:
        case Asker.HOW_OFTEN:
            return Slot.SPELLS
        case Asker.HOW_LONG:
            return Slot.SPAN
        case Asker.YES_NO:
            return Slot.YES_NO
        case Asker.HOW_MANY if not has_free_end:
            return Slot.SPELLS
        case Asker.HOW_MANY:
            return Slot.VALUE if reading.relation in words.numeric and reading.object is None else Slot.COUNT
        case Asker.WHEN if not (has_free_end and Asker.WHEN.value in words.asks.get(reading.relation, ())):
            return Slot.START if is_event else _date_slot(frame, reading)
        case _:
            return _value_slot(frame, reading, has_free_end=has_free_end)


def _value_slot(frame: Frame, reading: Reading, *, has_free_end: bool) -> Slot:
    if frame.is_past and has_free_end:
        return Slot.PAST
    if frame.is_history:
        return Slot.HISTORY
    if frame.n is not None and has_free_end:
        return Slot.NTH
    return Slot.WHO if reading.subject is None else Slot.VALUE


def _date_slot(frame: Frame, reading: Reading) -> Slot:
    edge = edge_of(reading)
    is_end = frame.asks_end if edge is None else edge is Position.END
    return Slot.END if is_end else Slot.START


def edge_of(reading: Reading) -> Position | None:
    """Whether its words tell of a beginning ("joined") or an end ("left"); None: of what lasts."""
    turning = [cue for cue in reading.cues if cue.kind.ends or cue.kind.begins]
    if not turning:
        return None
    return Position.END if max(turning, key=lambda cue: cue.weight).kind.ends else Position.START


def times_of(
    frame: Frame, scope: QuestionScope, slot: Slot, asked_at: datetime, *, is_event: bool
) -> tuple[Window | None, Instant | None]:
    """Valid time and moment of knowing; None: the default of the slot, and the best knowledge there is."""
    window, known_at = _said(frame, scope, slot, to_instant(asked_at))
    if slot is Slot.YES_NO and window is None and frame.is_of_the_past:
        window = Window(start=MIN, until=min(to_instant(asked_at), known_at or MAX) + 1)
    if slot is Slot.COUNT and window is None and frame.is_present and not is_event:
        window = Window.at(min(to_instant(asked_at), known_at or MAX))
    return window, known_at


def _said(frame: Frame, scope: QuestionScope, slot: Slot, now: Instant) -> tuple[Window | None, Instant | None]:
    """One time beside words of knowing is when it was known; "today" in the present tense is now."""
    if scope.window is None or slot is Slot.PAST or all(_BY_NOW.search(one.text) for one in scope.expressions):
        return None, scope.known_at
    start, until = scope.window
    is_today = start <= now < until <= start + DAY
    if frame.is_present and is_today and slot in (Slot.VALUE, Slot.WHO, Slot.PATH):
        return None, scope.known_at
    if frame.is_about_knowing and scope.known_at is None:
        return None, min(until - 1, now)
    return Window(start=start, until=max(until, start + 1)), scope.known_at
