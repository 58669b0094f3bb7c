"""From what a verb group says to the kind of claim and the role of its time words."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.ingest.rules.aspect import Aspect, Denial, View
from graphmem.ingest.rules.sayings import Verb
from graphmem.ingest.rules.words import Form
from graphmem.timeline.claims import Kind
from graphmem.timeline.phrases import TimeRole

__all__ = ["Turn", "turn_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """The kind of a claim, the role of its time words, and whether it needs some."""

    kind: Kind
    role: TimeRole = TimeRole.AT
    needs_time: bool = False
    if_known: bool = False
    """Only when the fact was told before."""
    drops_time: bool = False


def turn_of(verb: str, aspect: Aspect | None, *, has_time: bool, is_event: bool) -> Turn | None:
    """What a saying's claim becomes in this aspect; None: nothing is stated."""
    plain = _PLAIN[verb]
    if aspect is None:
        return plain
    if aspect.form == Form.PROGRESSIVE and not aspect.is_finite:
        return None
    if aspect.denial is not Denial.NONE:
        return _denied(verb, aspect, has_time=has_time)
    if verb == Verb.HOLD:
        return _held(aspect, has_time=has_time)
    if verb in (Verb.BEGIN, Verb.STOP, Verb.EVENT):
        return _happened(plain, aspect, has_time=has_time, is_event=is_event)
    return plain


_PLAIN = {
    Verb.HOLD: Turn(kind=Kind.HOLD),
    Verb.BEGIN: Turn(kind=Kind.HOLD, role=TimeRole.START),
    Verb.EVENT: Turn(kind=Kind.EVENT),
    Verb.STOP: Turn(kind=Kind.STOP, role=TimeRole.END),
    Verb.PAST: Turn(kind=Kind.PAST, drops_time=True),
    Verb.NEVER: Turn(kind=Kind.NEVER, drops_time=True),
}


def _denied(verb: str, aspect: Aspect, *, has_time: bool) -> Turn | None:
    if aspect.denial is Denial.NO_LONGER:
        return Turn(kind=Kind.STOP, role=TimeRole.END) if verb == Verb.HOLD else None
    if verb == Verb.HOLD and aspect.view is View.PERFECT and has_time:
        return Turn(kind=Kind.STOP, role=TimeRole.END, if_known=True)
    if aspect.view is View.FUTURE or verb in (Verb.STOP, Verb.PAST, Verb.NEVER):
        return None
    if aspect.denial is Denial.NEVER:
        return Turn(kind=Kind.NEVER, drops_time=True, if_known=True)
    if verb == Verb.HOLD and aspect.view in (View.PRESENT, View.PERFECT):
        return Turn(kind=Kind.NEVER, drops_time=True, if_known=True)
    is_over = aspect.view in (View.PAST, View.PERFECT)
    return Turn(kind=Kind.NEVER, drops_time=True, if_known=True) if is_over else None


def _held(aspect: Aspect, *, has_time: bool) -> Turn | None:
    if aspect.view is View.USED_TO:
        return Turn(kind=Kind.HOLD) if has_time else Turn(kind=Kind.PAST, drops_time=True)
    if aspect.view is View.PAST and not has_time:
        return None
    if aspect.view is View.FUTURE:
        return Turn(kind=Kind.HOLD, role=TimeRole.START, needs_time=True)
    if aspect.view in (View.PRESENT, View.PERFECT):
        return Turn(kind=Kind.HOLD, role=TimeRole.START)
    return Turn(kind=Kind.HOLD)


def _happened(plain: Turn, aspect: Aspect, *, has_time: bool, is_event: bool) -> Turn | None:
    if aspect.view is View.USED_TO:
        return None
    ahead = aspect.view is View.FUTURE or (aspect.view is View.PRESENT and aspect.is_finite)
    if aspect.is_state and aspect.view is View.PRESENT and plain.kind is Kind.HOLD:
        return plain
    if not ahead:
        return plain if aspect.is_finite else None
    if plain.kind is Kind.EVENT:
        return None
    return Turn(kind=plain.kind, role=plain.role, needs_time=True)
