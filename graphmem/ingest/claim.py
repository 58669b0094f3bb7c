"""Statements → claims: names become entity ids, verbatim time words become granules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.errors import InvalidClaim, InvalidTime
from graphmem.ingest.fold_state import canonical, fact_id_of
from graphmem.ingest.resolve import Resolver
from graphmem.ingest.stated_rivalry import rivalry_sentence, rivalry_stated
from graphmem.model import Entity, EntityKind, Episode, Fact, Statement, StoredClaim
from graphmem.relations import fact_text
from graphmem.timeline.bounds import Bounds, bounds_of
from graphmem.timeline.calendar import zone_of
from graphmem.timeline.claims import Claim, Kind, Relation
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import Instant, to_datetime, to_instant

__all__ = ["StatedClaims", "claims_of", "said_moment"]


@dataclass(frozen=True, kw_only=True, slots=True)
class StatedClaims:
    """The claims of one episode with their facts, and what could not be used."""

    claims: tuple[StoredClaim, ...] = ()
    facts: tuple[Fact, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()
    ignored: tuple[str, ...] = ()
    """Why a statement was left out, one sentence each, without its text."""
    replaced: tuple[StoredClaim, ...] = ()
    """Claims of an earlier reading that these take the place of."""


def claims_of(
    episode: Episode,
    statements: Sequence[Statement],
    *,
    origin: str,
    resolver: Resolver,
    relation_of: Callable[[str], Relation],
    tau: Instant,
    run: int,
) -> StatedClaims:
    """The claims that the statements of one episode make, in their order; a statement that cannot be one is told apart.

    `run`: how often the episode was read before; the claims of each reading have ids of their own.
    """
    said_at = said_moment(episode)
    stating = _Stating(episode=episode, run=run, origin=origin, resolver=resolver, relation_of=relation_of, tau=tau)
    claims: list[StoredClaim] = []
    facts: dict[str, Fact] = {}
    mentions: dict[tuple[str, str], None] = {}
    ignored: list[str] = []
    for seq, statement in enumerate(statements):
        try:
            bounds = _bounds(statement, said_at)
            stored, fact = stating.claim(seq, statement, bounds)
        except (InvalidClaim, InvalidTime) as error:
            ignored.append(f"statement {seq} ({statement.kind} {statement.relation}): {error}")
            continue
        claims.append(stored)
        facts.setdefault(fact.fact_id, fact)
        mentions.setdefault((episode.episode_id, fact.subject))
        mentions.setdefault((episode.episode_id, fact.object))
        teller = None if statement.told_by is None else resolver.called(statement.told_by)
        if teller is not None:
            mentions.setdefault((episode.episode_id, teller.entity_id))
        ignored.extend(f"time words of statement {seq} could not be read" for _ in bounds.unread[:1])
    return StatedClaims(
        claims=tuple(claims), facts=tuple(facts.values()), mentions=tuple(mentions), ignored=tuple(ignored)
    )


def said_moment(episode: Episode) -> datetime:
    """The reference time of an episode in its author's zone."""
    moment = to_datetime(episode.said_at)
    if moment is None:
        raise InvalidTime(f"episode {episode.episode_id!r} was said outside the years 1 to 9999")
    return moment.astimezone(zone_of(episode.zone))


def _bounds(statement: Statement, said_at: datetime) -> Bounds:
    """The dates of a statement: those a program gave as dates, else those its time words mean."""
    if statement.start is not None or statement.end is not None:
        return Bounds(start=statement.start, end=statement.end)
    bounds = bounds_of(statement.kind, statement.times, said_at)
    if statement.kind is Kind.EVENT and bounds.start is None:
        return Bounds(start=_day_of(said_at), end=None, unread=bounds.unread)
    return bounds


def _day_of(moment: datetime) -> Granule:
    """News without a date is dated by the day it was told on; the unit says that nobody named that day."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return Granule(lo=to_instant(midnight), hi=to_instant(midnight + timedelta(days=1)), unit=Unit.FUZZY)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stating:
    """One reading of an episode, while its claims are made."""

    episode: Episode
    run: int
    origin: str
    resolver: Resolver
    relation_of: Callable[[str], Relation]
    tau: Instant

    def claim(self, seq: int, statement: Statement, bounds: Bounds) -> tuple[StoredClaim, Fact]:
        """The claim that a statement makes, with its fact. Raises InvalidClaim."""
        if not statement.relation.strip() or not statement.subject.strip() or not statement.object.strip():
            raise InvalidClaim("a claim needs a subject, a relation and an object")
        relation = self.relation_of(statement.relation)
        subject, obj = self._ends(statement)
        claim = canonical(self._told(seq, statement, bounds, subject, obj), relation)
        fact = Fact(
            fact_id=fact_id_of(self.episode.group_id, claim.key),
            group_id=self.episode.group_id,
            subject=claim.subject,
            relation=claim.relation,
            object=claim.object,
            text=_text(statement, relation, subject, obj),
        )
        stored = StoredClaim(
            claim=claim,
            group_id=self.episode.group_id,
            fact_id=fact.fact_id,
            episode_id=self.episode.episode_id,
            tau=self.tau,
            phrase=", ".join(t.text for t in statement.times) or None,
            quote=statement.quote,
            told_by=statement.told_by,
            origin=self.origin,
        )
        return stored, fact

    def _told(self, seq: int, statement: Statement, bounds: Bounds, subject: Entity, obj: Entity) -> Claim:
        place = f"{self.run}.{seq}" if self.run else f"{seq}"
        return Claim(
            claim_id=f"{self.episode.episode_id}#{place}",
            kind=statement.kind,
            subject=subject.entity_id,
            relation=statement.relation,
            object=obj.entity_id,
            ref=self.episode.said_at,
            seq=seq,
            start=bounds.start,
            end=bounds.end,
            inferred=statement.inferred,
            trusted=self.episode.trusted,
        )

    def _ends(self, statement: Statement) -> tuple[Entity, Entity]:
        resolver, tau, episode_id = self.resolver, self.tau, self.episode.episode_id
        if rivalry_stated(statement) is not None:
            return resolver.node(statement.subject_id or "", tau), resolver.node(statement.object_id or "", tau)
        subject = resolver.known(statement.subject_id) or resolver.entity(
            statement.subject, statement.subject_kind, tau, episode_id
        )
        obj = resolver.known(statement.object_id) or resolver.entity(
            statement.object, statement.object_kind, tau, episode_id
        )
        if subject.entity_id == obj.entity_id and statement.object_kind is EntityKind.VALUE:
            obj = resolver.name_of(subject, statement.object, tau, episode_id)
        if subject.entity_id == obj.entity_id:
            raise InvalidClaim("subject and object are the same entity")
        return subject, obj


def _text(statement: Statement, relation: Relation, subject: Entity, obj: Entity) -> str:
    rivalry = rivalry_stated(statement)
    return fact_text(relation, subject.name, obj.name) if rivalry is None else rivalry_sentence(*rivalry)
