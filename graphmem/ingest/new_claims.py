"""Claims straight from a program: checked and turned into an episode that brings its statements along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from graphmem.errors import InvalidClaim, InvalidInput, InvalidTime
from graphmem.groups import shown
from graphmem.ingest.accept import NewEpisode, storable
from graphmem.model import DatedFact, EntityKind, FactVersion, Source, Statement, TimePhrase, TimeRole
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
    told_by: str | None = None
    """Who says so, where it is not the speaker of its source."""


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
    standing: Sequence[DatedFact],
    *,
    object: str | None,
    start: Bound | None,
    end: Bound | None,
    said_at: datetime,
    speaker: str | None,
) -> NewEpisode:
    """The episode that says a fact was told wrongly: the last of its versions that stand, which are given in order.

    Another object takes over the dates of the old one (R19a). Dates that lie outside those believed so far deny them: else both
    would stand, for what a sentence vouched for is not ended before it was said.
    """
    if object is None and start is None and end is None:
        raise InvalidInput("a correction needs another object, another start or another end")
    fact, earlier = standing[-1], [one.version for one in standing[:-1]]
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
    if object is not None:
        # the fact is denied with all its spells, so the new object takes over the others too
        others = [replace(new, start=_taken_over(one), end=_stated(one.end, one.end_stated)) for one in earlier]
        claims = [old, *others, new if start is not None else replace(new, start=_taken_over(fact.version))]
    else:
        # one of several spells can be denied by its own start only (R19): without one the others would go too
        occurrence = None if len(standing) == 1 else _stated(fact.version.start, fact.version.start_stated)
        is_denied = _is_elsewhere(_statement(new, 0, said_at), fact.version) and (len(standing) == 1 or occurrence)
        claims = [replace(old, start=occurrence), new] if is_denied else [new]
    told = episode_of_claims(claims, group_id=fact.fact.group_id, episode=None, said_at=said_at, trusted=True)
    heading = "Correction.\n"
    statements = _quoted(told.statements or (), len(heading))
    return replace(told, text=heading + told.text, statements=statements, speaker=speaker)


def _statement(claim: NewClaim, position: int, said_at: datetime) -> Statement:
    if not isinstance(claim, NewClaim):
        raise InvalidClaim(f"claim {position} must be a NewClaim, not {shown(claim)}")
    try:
        kind = Kind(claim.kind)
    except ValueError:
        raise InvalidClaim(f"claim {position}: kind {shown(claim.kind)} is none of {', '.join(Kind)}") from None
    for what in ("subject", "relation", "object"):
        value = getattr(claim, what)
        if not isinstance(value, str) or not value.strip():
            raise InvalidClaim(f"claim {position}: its {what} must be a name, not {shown(value)}")
    if claim.told_by is not None and not isinstance(claim.told_by, str):
        raise InvalidClaim(f"claim {position}: who says so must be a name, not {shown(claim.told_by)}")
    for what in ("subject_id", "object_id"):
        value = getattr(claim, what)
        if value is not None and not isinstance(value, str):
            raise InvalidClaim(f"claim {position}: its {what} must be an id, not {shown(value)}")
    if not isinstance(claim.inferred, bool):
        raise InvalidClaim(f"claim {position}: inferred must be True or False, not {shown(claim.inferred)}")
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
        subject_kind=_entity_kind(claim.subject_kind, "subject", position),
        object_kind=_entity_kind(claim.object_kind, "object", position),
        subject_id=None if claim.subject_id is None else storable(claim.subject_id),
        object_id=None if claim.object_id is None else storable(claim.object_id),
        times=phrases,
        start=start,
        end=end,
        inferred=claim.inferred,
        told_by=None if claim.told_by is None else storable(claim.told_by).strip() or None,
    )


def _entity_kind(kind: EntityKind, what: str, position: int) -> EntityKind:
    try:
        return EntityKind(kind)
    except ValueError:
        raise InvalidClaim(
            f"claim {position}: the kind of its {what} is one of {', '.join(EntityKind)}, not {shown(kind)}"
        ) from None


def _granule(bound: Bound | None, role: TimeRole, kind: Kind, said_at: datetime, position: int) -> Granule | None:
    if bound is None or isinstance(bound, Granule):
        return bound
    if isinstance(bound, str):
        return _read(bound, role, kind, said_at, position)
    if isinstance(bound, datetime):
        instant = to_instant(bound)
        # a start lies in [lo, hi), an end is hi at the latest (R3)
        latest = instant if role is TimeRole.END else instant + 1
        return Granule(lo=instant, hi=latest, unit=Unit.INSTANT)
    if isinstance(bound, date):
        return _day(bound, said_at.tzinfo)
    if not isinstance(bound, tuple | list) or len(bound) != 2:
        what = 'words ("in 2020"), a date, an aware datetime or a span of two'
        raise InvalidTime(f"claim {position}: its {role} {shown(bound)} is no time: give {what}")
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


def _is_elsewhere(new: Statement, old: FactVersion) -> bool:
    """Whether the dates of a statement share no moment with those of a version."""
    ends_before = new.end is not None and old.valid_at is not None and new.end.hi <= old.valid_at
    return ends_before or (new.start is not None and new.start.lo >= old.invalid_at)


def _taken_over(old: FactVersion) -> Granule | None:
    """The start that another object takes over (R19a): what nobody dated was so from when it was first spoken of."""
    return None if old.valid_at is None else old.start


def _stated(granule: Granule, is_stated: bool) -> Granule | None:
    return granule if is_stated else None


def _sentence(statement: Statement) -> str:
    words = [statement.subject, statement.relation, statement.object]
    if statement.kind is not Kind.HOLD:
        words.append(f"({statement.kind.value})")
    if statement.told_by:
        words.append(f"({statement.told_by} says so)")
    return " ".join(words)


def _quoted(statements: Sequence[Statement], begin: int = 0) -> tuple[Statement, ...]:
    """The statements with the place of their sentence in the text made of them."""
    quoted = []
    for statement in statements:
        end = begin + len(_sentence(statement))
        quoted.append(replace(statement, quote=(begin, end)))
        begin = end + 1
    return tuple(quoted)
