"""Small things with fixed ids and times, for the tests of stores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from graphmem.model import (
    Changes,
    Entity,
    EntityKind,
    Episode,
    Fact,
    FactVersion,
    Name,
    Scope,
    StoredClaim,
    Window,
)
from graphmem.terms import name_key
from graphmem.timeline.claims import Claim, Kind
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant

GROUP = "ann"


def day(text: str) -> Instant:
    """The first instant of a day such as "2026-05-01"."""
    return to_instant(datetime.fromisoformat(text).replace(tzinfo=UTC))


def episode(
    episode_id: str,
    text: str = "Alice works at Acme.",
    *,
    group_id: str = GROUP,
    said_at: Instant = 0,
    **rest: object,
) -> Episode:
    filled: dict[str, object] = {"learned_at": said_at, "digest": text.encode(errors="replace"), **rest}
    return Episode(episode_id=episode_id, group_id=group_id, text=text, said_at=said_at, **filled)  # type: ignore[arg-type]


def entity(
    entity_id: str,
    name: str = "",
    *,
    group_id: str = GROUP,
    kind: EntityKind = EntityKind.THING,
    created_at: Instant = 0,
) -> Entity:
    return Entity(entity_id=entity_id, group_id=group_id, name=name or entity_id, kind=kind, created_at=created_at)


def name(spelling: str, entity_id: str, *, group_id: str = GROUP, episode_id: str | None = None) -> Name:
    return Name(
        group_id=group_id, key=name_key(spelling), entity_id=entity_id, spelling=spelling, episode_id=episode_id
    )


def fact(fact_id: str, subject: str, relation: str, obj: str, text: str = "", *, group_id: str = GROUP) -> Fact:
    words = text or f"{subject} {relation.replace('_', ' ').lower()} {obj}"
    return Fact(fact_id=fact_id, group_id=group_id, subject=subject, relation=relation, object=obj, text=words)


def claim(claim_id: str, of: Fact, *, tau: Instant, episode_id: str | None = None, **rest: object) -> StoredClaim:
    """A HOLD of the fact said at `tau`; `rest` goes to the claim."""
    said = Claim(
        claim_id=claim_id,
        subject=of.subject,
        relation=of.relation,
        object=of.object,
        **{"kind": Kind.HOLD, "ref": tau, **rest},  # type: ignore[arg-type]
    )
    return StoredClaim(claim=said, group_id=of.group_id, fact_id=of.fact_id, episode_id=episode_id, tau=tau)


def version(
    version_id: str,
    of: Fact,
    *,
    valid_at: Instant | None,
    invalid_at: Instant = MAX,
    created_at: Instant,
    expired_at: Instant = MAX,
    start_lo: Instant | None = None,
    end_hi: Instant | None = None,
) -> FactVersion:
    """A version whose possible bounds are its certain ones unless given."""
    lo = start_lo if start_lo is not None else (MIN if valid_at is None else valid_at)
    hi = end_hi if end_hi is not None else invalid_at
    return FactVersion(
        version_id=version_id,
        fact_id=of.fact_id,
        group_id=of.group_id,
        subject=of.subject,
        relation=of.relation,
        object=of.object,
        valid_at=valid_at,
        invalid_at=invalid_at,
        start=Granule(lo=lo, hi=max(lo, valid_at if valid_at is not None else lo), unit=Unit.DAY),
        end=Granule(lo=min(hi, invalid_at), hi=hi, unit=Unit.DAY),
        start_stated=valid_at is not None,
        end_stated=invalid_at < MAX,
        trusted=True,
        created_at=created_at,
        expired_at=expired_at,
    )


def changes(tau: Instant, *, based_on: Instant = MIN, group_id: str = GROUP, **rest: object) -> Changes:
    return Changes(group_id=group_id, based_on=based_on, tau=tau, **{"kind": "episode", **rest})  # type: ignore[arg-type]


def scope(*group_ids: str, at: Instant | None = None, **rest: object) -> Scope:
    """All of valid time, or one moment of it, of these groups (of `GROUP`, if none is named)."""
    window = Window() if at is None else Window.at(at)
    return Scope(group_ids=group_ids or (GROUP,), window=window, **rest)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Told:
    """One fact told by one episode: everything its commit writes, and the commit."""

    episode: Episode
    subject: Entity
    object: Entity
    fact: Fact
    claim: StoredClaim
    version: FactVersion
    changes: Changes = field(repr=False)


def told(
    number: int,
    subject: str = "Alice",
    relation: str = "WORKS_AT",
    obj: str = "Acme",
    *,
    group_id: str = GROUP,
    tau: Instant,
    based_on: Instant = MIN,
    valid_at: Instant | None = None,
    **of_episode: object,
) -> Told:
    """What one episode with one fact comes to; ids end in `number`, those of entities and facts come from the names."""
    source = episode(f"ep-{number}", f"{subject} works at {obj}.", group_id=group_id, said_at=tau, **of_episode)
    ends = (
        entity(f"e-{subject}", subject, group_id=group_id, created_at=tau),
        entity(f"e-{obj}", obj, group_id=group_id, created_at=tau),
    )
    stated = fact(
        f"f-{subject}-{relation}-{obj}",
        ends[0].entity_id,
        relation,
        ends[1].entity_id,
        f"{subject} works at {obj}",
        group_id=group_id,
    )
    said = claim(f"c-{number}", stated, tau=tau, episode_id=source.episode_id)
    row = version(f"v-{number}", stated, valid_at=tau if valid_at is None else valid_at, created_at=tau)
    written = Changes(
        group_id=group_id,
        based_on=based_on,
        tau=tau,
        kind="episode",
        entities=ends,
        names=tuple(name(end.name, end.entity_id, group_id=group_id, episode_id=source.episode_id) for end in ends),
        mentions=tuple((source.episode_id, end.entity_id) for end in ends),
        facts=(stated,),
        claims=(said,),
        versions=(row,),
        support=((row.version_id, said.claim.claim_id),),
    )
    return Told(episode=source, subject=ends[0], object=ends[1], fact=stated, claim=said, version=row, changes=written)


def closed(row: FactVersion, at: Instant) -> FactVersion:
    """The version as it stands after it was expired."""
    return replace(row, expired_at=at)
