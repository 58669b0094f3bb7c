"""Claims straight from a program: checked and turned into an episode that brings its statements along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from graphmem.errors import InvalidClaim, InvalidInput, InvalidTime
from graphmem.groups import shown
from graphmem.ingest.accept import NewEpisode, storable
from graphmem.model import DatedFact, EntityKind, Source, Statement, TimePhrase, TimeRole
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.claims import Kind
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MAX, MIN, to_instant

__all__ = ["Bound", "NewClaim", "correction", "episode_of_claims"]

Bound = str | date | datetime | tuple[datetime | None, datetime | None] | Granule
"""When something began or ended: time words ("in May"), a day, a moment, or a span [lo, hi) with None for an open side."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewClaim:
    """One statement of a program about one fact.

    HOLD: it is or was so. EVENT: it happened. STOP: it ended. PAST: it used to be so. NEVER: it never was so.
    """

    subject: str
    """A name; `subject_id` names the entity where it is known."""
    relation: str
    object: str
    kind: Kind | str = Kind.HOLD
    start: Bound | None = None
    """For EVENT: when it happened."""
    end: Bound | None = None
    inferred: bool = False
    """A conclusion of the program, not stated in its source (R33)."""
    subject_kind: EntityKind = EntityKind.THING
    object_kind: EntityKind = EntityKind.THING
    subject_id: str | None = None
    object_id: str | None = None


def episode_of_claims(
    claims: Sequence[NewClaim],
    *,
    group_id: str,
    episode: NewEpisode | None,
    said_at: datetime,
    trusted: bool,
) -> NewEpisode:
    """The episode these claims come with: the given source, else the claims said in words.

    Raises InvalidClaim or InvalidTime for the first claim that cannot be one.
    """
    if not claims:
        raise InvalidClaim("no claims were given")
    moment = said_at if episode is None or episode.said_at is None else episode.said_at
    statements = tuple(_statement(claim, position, moment) for position, claim in enumerate(claims))
    if episode is not None:
        return replace(episode, statements=statements, said_at=moment)
    text = "\n".join(_sentence(s) for s in statements)
    return NewEpisode(
        text=text,
        group_id=group_id,
        source=Source.TEXT,
        said_at=moment,
        trusted=trusted,
        statements=_quoted(statements),
    )


def correction(
    fact: DatedFact,
    *,
    object: str | None,
    start: Bound | None,
    end: Bound | None,
    said_at: datetime,
    speaker: str | None,
) -> NewEpisode:
    """The episode that says a fact was told wrongly. Another object takes over the dates of the old one (R19a)."""
    if object is None and start is None and end is None:
        raise InvalidInput("a correction needs another object, another start or another end")
    old = NewClaim(
        subject=fact.subject.name,
        subject_id=fact.subject.entity_id,
        relation=fact.relation,
        object=fact.object.name,
        object_id=fact.object.entity_id,
        kind=Kind.NEVER,
    )
    new = replace(
        old,
        kind=Kind.HOLD,
        object=object or fact.object.name,
        object_id=None if object else fact.object.entity_id,
        object_kind=fact.object.kind,
        start=start if start is not None else _stated(fact.version.start, fact.version.start_stated),
        end=end if end is not None else _stated(fact.version.end, fact.version.end_stated),
    )
    claims = [old, new] if object else [new]
    told = episode_of_claims(claims, group_id=fact.fact.group_id, episode=None, said_at=said_at, trusted=True)
    heading = "Correction.\n"
    statements = _quoted(told.statements or (), len(heading))
    return replace(told, text=heading + told.text, statements=statements, speaker=speaker)


def _statement(claim: NewClaim, position: int, said_at: datetime) -> Statement:
    try:
        kind = Kind(claim.kind)
    except ValueError:
        raise InvalidClaim(f"claim {position}: kind {shown(claim.kind)} is none of {', '.join(Kind)}") from None
    for what in ("subject", "relation", "object"):
        value = getattr(claim, what)
        if not isinstance(value, str) or not value.strip():
            raise InvalidClaim(f"claim {position}: its {what} must be a name, not {shown(value)}")
    start = _granule(claim.start, TimeRole.START, kind, said_at, position)
    end = _granule(claim.end, TimeRole.END, kind, said_at, position)
    if kind is Kind.EVENT and start is None:
        raise InvalidClaim(f"claim {position}: an EVENT needs the date it happened on, as `start`")
    if kind is Kind.PAST and (start or end):
        raise InvalidClaim(f"claim {position}: a PAST has no dates; use HOLD with an end, or STOP")
    if start and end and kind is Kind.HOLD and end.hi <= start.lo:
        raise InvalidTime(f"claim {position}: it ends before it begins")
    phrases = tuple(
        TimePhrase(text=storable(words), role=role)
        for words, role in ((claim.start, TimeRole.START), (claim.end, TimeRole.END))
        if isinstance(words, str)
    )
    return Statement(
        kind=kind,
        subject=storable(claim.subject).strip(),
        relation=storable(claim.relation).strip(),
        object=storable(claim.object).strip(),
        subject_kind=claim.subject_kind,
        object_kind=claim.object_kind,
        subject_id=claim.subject_id,
        object_id=claim.object_id,
        times=phrases,
        start=start,
        end=end,
        inferred=claim.inferred,
    )


def _granule(bound: Bound | None, role: TimeRole, kind: Kind, said_at: datetime, position: int) -> Granule | None:
    if bound is None or isinstance(bound, Granule):
        return bound
    if isinstance(bound, str):
        return _read(bound, role, kind, said_at, position)
    if isinstance(bound, datetime):
        instant = to_instant(bound)
        return Granule(lo=instant, hi=instant + 1, unit=Unit.INSTANT)
    if isinstance(bound, date):
        return _day(bound, said_at.tzinfo)
    lo, hi = bound
    span = (MIN if lo is None else to_instant(lo), MAX if hi is None else to_instant(hi))
    if lo is None and hi is None:
        return Granule(lo=MIN, hi=MIN, unit=Unit.INSTANT)
    if span[0] >= span[1]:
        raise InvalidTime(f"claim {position}: the span {lo} to {hi} ends before it begins")
    return Granule(lo=span[0], hi=span[1], unit=_unit(*span))


def _read(words: str, role: TimeRole, kind: Kind, said_at: datetime, position: int) -> Granule:
    bounds = bounds_of(kind, [TimePhrase(text=words, role=role)], said_at)
    found = (bounds.end or bounds.start) if role is TimeRole.END else (bounds.start or bounds.end)
    if found is None:
        raise InvalidTime(f"claim {position}: the time words {shown(words)} cannot be read; give a date")
    return found


def _day(day: date, zone: tzinfo | None) -> Granule:
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    following = midnight + timedelta(days=1)
    return Granule(lo=to_instant(midnight), hi=to_instant(following), unit=Unit.DAY)


def _unit(lo: int, hi: int) -> Unit:
    """The unit whose length a span has; FUZZY when it has none's."""
    days = (hi - lo) / 86_400_000_000
    if abs(days - 1) < 0.05:
        return Unit.DAY
    if abs(days - 7) < 0.05:
        return Unit.WEEK
    if 27.9 < days < 31.1:
        return Unit.MONTH
    if 364.9 < days < 366.1:
        return Unit.YEAR
    return Unit.FUZZY


def _stated(granule: Granule, is_stated: bool) -> Granule | None:
    return granule if is_stated else None


def _sentence(statement: Statement) -> str:
    words = [statement.subject, statement.relation, statement.object]
    if statement.kind is not Kind.HOLD:
        words.append(f"({statement.kind.value})")
    return " ".join(words)


def _quoted(statements: Sequence[Statement], begin: int = 0) -> tuple[Statement, ...]:
    """The statements with the place of their sentence in the text made of them."""
    quoted = []
    for statement in statements:
        end = begin + len(_sentence(statement))
        quoted.append(replace(statement, quote=(begin, end)))
        begin = end + 1
    return tuple(quoted)
