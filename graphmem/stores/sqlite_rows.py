"""Rows of the SQLite tables and the things they stand for, both ways."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from graphmem.errors import StoreCorrupt
from graphmem.model import (
    Entity,
    EntityKind,
    Episode,
    Fact,
    FactVersion,
    Filter,
    Job,
    JobState,
    Name,
    Scope,
    Source,
    StoredClaim,
    Support,
    Tombstone,
)
from graphmem.stores.sqlite_statements import Parameters, Value, mapped
from graphmem.timeline.claims import Claim, Kind, Relation, Rivalry, Sensitivity
from graphmem.timeline.granules import Granule, Unit

__all__ = [
    "claim_of",
    "claim_row",
    "decoded",
    "entity_of",
    "entity_row",
    "episode_of",
    "episode_row",
    "fact_of",
    "fact_row",
    "filter_row",
    "job_of",
    "job_row",
    "name_of",
    "name_row",
    "relation_of",
    "relation_row",
    "scope_row",
    "support_of",
    "support_row",
    "tombstone_of",
    "tombstone_row",
    "version_of",
    "version_row",
]

T = TypeVar("T")
Row = sqlite3.Row

# What the checksum of a row covers; the id comes second. What may change is left out: where a name was learned, the end of a
# version.
_EPISODE = (
    *("group_id", "episode_id", "text", "source", "said_at", "zone", "speaker", "session_id", "metadata", "trusted"),
    *("learned_at", "digest"),
)
_JOB = (
    *("group_id", "job_id", "seq", "state", "attempts", "fence", "run_after", "owner", "reason", "answer", "receipt"),
    "accepted_at",
)
_ENTITY = ("group_id", "entity_id", "name", "kind", "created_at")
_NAME = ("group_id", "entity_id", "key", "spelling")
_FACT = ("group_id", "fact_id", "subject", "relation", "object", "text")
_BOUNDS = ("start_lo", "start_hi", "start_unit", "end_lo", "end_hi", "end_unit")
_VERSION = (
    *("group_id", "version_id", "fact_id", "subject", "relation", "object", "valid_at", "invalid_at", *_BOUNDS),
    *("start_stated", "end_stated", "trusted", "created_at"),
)
_CLAIM = (
    *("group_id", "claim_id", "fact_id", "episode_id", "kind", "subject", "relation", "object", "ref", "seq", *_BOUNDS),
    *("inferred", "trusted", "tau", "phrase", "quote_from", "quote_to", "origin"),
)
_UNITS = {unit.value: unit for unit in Unit}
_TOMBSTONE = ("group_id", "target_id", "kind", "tau", "reason", "digest")


def decoded(make: Callable[[Row], T], found: Iterable[Row]) -> list[T]:
    """What the rows stand for. Raises StoreCorrupt for a row that cannot be right."""
    try:
        return [make(row) for row in found]
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise StoreCorrupt(f"a stored row cannot be read ({type(error).__name__}): restore a backup") from error


def relation_of(row: Row) -> Relation:
    return Relation(
        name=row["name"],
        rivalry=Rivalry(row["rivalry"]),
        symmetric=bool(row["symmetric"]),
        event=bool(row["event"]),
        timeless=bool(row["timeless"]),
        sensitivity=Sensitivity(row["sensitivity"]),
        phrase=row["phrase"],
    )


def relation_row(relation: Relation) -> Parameters:
    return {
        "name": relation.name,
        "rivalry": relation.rivalry.value,
        "symmetric": int(relation.symmetric),
        "event": int(relation.event),
        "timeless": int(relation.timeless),
        "sensitivity": relation.sensitivity.value,
        "phrase": relation.phrase,
    }


def episode_of(row: Row) -> Episode:
    _check(_EPISODE, row)
    return Episode(
        episode_id=row["episode_id"],
        group_id=row["group_id"],
        text=row["text"],
        source=Source(row["source"]),
        said_at=row["said_at"],
        zone=row["zone"],
        speaker=row["speaker"],
        session_id=row["session_id"],
        metadata=json.loads(row["metadata"]),
        trusted=bool(row["trusted"]),
        learned_at=row["learned_at"],
        digest=row["digest"],
    )


def episode_row(episode: Episode) -> Parameters:
    return _sealed(
        _EPISODE,
        {
            "group_id": episode.group_id,
            "episode_id": episode.episode_id,
            "text": episode.text,
            "source": episode.source.value,
            "said_at": episode.said_at,
            "zone": episode.zone,
            "speaker": episode.speaker,
            "session_id": episode.session_id,
            "metadata": mapped(episode.metadata),
            "trusted": int(episode.trusted),
            "learned_at": episode.learned_at,
            "digest": episode.digest,
        },
    )


def job_of(row: Row) -> Job:
    _check(_JOB, row, "job_checksum")
    return Job(
        job_id=row["job_id"],
        group_id=row["group_id"],
        state=JobState(row["state"]),
        seq=row["seq"],
        attempts=row["attempts"],
        fence=row["fence"],
        run_after=row["run_after"],
        owner=row["owner"],
        reason=row["reason"],
        answer=row["answer"],
        receipt=row["receipt"],
        accepted_at=row["accepted_at"],
    )


def job_row(job: Job) -> Parameters:
    return _sealed(
        _JOB,
        {
            "seq": job.seq,
            "group_id": job.group_id,
            "job_id": job.job_id,
            "state": job.state.value,
            "attempts": job.attempts,
            "fence": job.fence,
            "run_after": job.run_after,
            "owner": job.owner,
            "reason": job.reason,
            "answer": job.answer,
            "receipt": job.receipt,
            "accepted_at": job.accepted_at,
        },
        "job_checksum",
    )


def entity_of(row: Row) -> Entity:
    _check(_ENTITY, row)
    return Entity(
        entity_id=row["entity_id"],
        group_id=row["group_id"],
        name=row["name"],
        kind=EntityKind(row["kind"]),
        created_at=row["created_at"],
    )


def entity_row(entity: Entity) -> Parameters:
    return _sealed(
        _ENTITY,
        {
            "group_id": entity.group_id,
            "entity_id": entity.entity_id,
            "name": entity.name,
            "kind": entity.kind.value,
            "created_at": entity.created_at,
        },
    )


def name_of(row: Row) -> Name:
    _check(_NAME, row)
    return Name(
        group_id=row["group_id"],
        key=row["key"],
        entity_id=row["entity_id"],
        spelling=row["spelling"],
        episode_id=row["episode_id"],
    )


def name_row(name: Name) -> Parameters:
    return _sealed(
        _NAME,
        {
            "group_id": name.group_id,
            "key": name.key,
            "entity_id": name.entity_id,
            "spelling": name.spelling,
            "episode_id": name.episode_id,
        },
    )


def fact_of(row: Row) -> Fact:
    _check(_FACT, row)
    return Fact(
        fact_id=row["fact_id"],
        group_id=row["group_id"],
        subject=row["subject"],
        relation=row["relation"],
        object=row["object"],
        text=row["text"],
    )


def fact_row(fact: Fact) -> Parameters:
    return _sealed(
        _FACT,
        {
            "group_id": fact.group_id,
            "fact_id": fact.fact_id,
            "subject": fact.subject,
            "relation": fact.relation,
            "object": fact.object,
            "text": fact.text,
        },
    )


def version_of(row: Row) -> FactVersion:
    # By place, not by name, which takes three times as long: the row begins with the columns of the table.
    values = row[1 : 1 + len(_VERSION)]
    _check_values(values, row["checksum"])
    group_id, version_id, fact_id, subject, relation, obj, valid_at, invalid_at = values[:8]
    start_lo, start_hi, start_unit, end_lo, end_hi, end_unit = values[8:14]
    start_stated, end_stated, trusted, created_at = values[14:]
    return FactVersion(
        version_id=version_id,
        fact_id=fact_id,
        group_id=group_id,
        subject=subject,
        relation=relation,
        object=obj,
        valid_at=valid_at,
        invalid_at=invalid_at,
        start=Granule(lo=start_lo, hi=start_hi, unit=_UNITS[start_unit]),
        end=Granule(lo=end_lo, hi=end_hi, unit=_UNITS[end_unit]),
        start_stated=bool(start_stated),
        end_stated=bool(end_stated),
        trusted=bool(trusted),
        created_at=created_at,
        expired_at=row["expired_at"],
    )


def version_row(version: FactVersion) -> Parameters:
    return _sealed(
        _VERSION,
        {
            "group_id": version.group_id,
            "version_id": version.version_id,
            "fact_id": version.fact_id,
            "subject": version.subject,
            "relation": version.relation,
            "object": version.object,
            "valid_at": version.valid_at,
            "invalid_at": version.invalid_at,
            **_granule_row("start", version.start),
            **_granule_row("end", version.end),
            "start_stated": int(version.start_stated),
            "end_stated": int(version.end_stated),
            "trusted": int(version.trusted),
            "created_at": version.created_at,
            "expired_at": version.expired_at,
        },
    )


def support_of(row: Row) -> Support:
    return Support(
        version_id=row["version_id"],
        claim_id=row["claim_id"],
        created_at=row["created_at"],
        expired_at=row["expired_at"],
    )


def support_row(group_id: str, support: Support) -> Parameters:
    return {
        "group_id": group_id,
        "version_id": support.version_id,
        "claim_id": support.claim_id,
        "created_at": support.created_at,
        "expired_at": support.expired_at,
    }


def claim_of(row: Row) -> StoredClaim:
    values = row[1 : 1 + len(_CLAIM)]
    _check_values(_with_teller(values, row["told_by"]), row["checksum"])
    group_id, claim_id, fact_id, episode_id, kind, subject, relation, obj, ref, seq = values[:10]
    start_lo, start_hi, start_unit, end_lo, end_hi, end_unit = values[10:16]
    inferred, trusted, tau, phrase, quote_from, quote_to, origin = values[16:]
    return StoredClaim(
        claim=Claim(
            claim_id=claim_id,
            kind=Kind(kind),
            subject=subject,
            relation=relation,
            object=obj,
            ref=ref,
            seq=seq,
            start=None if start_lo is None else Granule(lo=start_lo, hi=start_hi, unit=_UNITS[start_unit]),
            end=None if end_lo is None else Granule(lo=end_lo, hi=end_hi, unit=_UNITS[end_unit]),
            inferred=bool(inferred),
            trusted=bool(trusted),
        ),
        group_id=group_id,
        fact_id=fact_id,
        episode_id=episode_id,
        tau=tau,
        phrase=phrase,
        quote=None if quote_from is None else (quote_from, quote_to),
        told_by=row["told_by"],
        origin=origin,
        retracted_at=row["retracted_at"],
    )


def claim_row(stored: StoredClaim) -> Parameters:
    claim = stored.claim
    quote_from, quote_to = stored.quote or (None, None)
    row: dict[str, Value] = {
        "group_id": stored.group_id,
        "claim_id": claim.claim_id,
        "fact_id": stored.fact_id,
        "episode_id": stored.episode_id,
        "kind": claim.kind.value,
        "subject": claim.subject,
        "relation": claim.relation,
        "object": claim.object,
        "ref": claim.ref,
        "seq": claim.seq,
        **_granule_row("start", claim.start),
        **_granule_row("end", claim.end),
        "inferred": int(claim.inferred),
        "trusted": int(claim.trusted),
        "tau": stored.tau,
        "phrase": stored.phrase,
        "quote_from": quote_from,
        "quote_to": quote_to,
        "origin": stored.origin,
    }
    checksum = _checksum(_with_teller([row[column] for column in _CLAIM], stored.told_by))
    return {**row, "told_by": stored.told_by, "checksum": checksum}


def _with_teller(values: Sequence[Value], told_by: str | None) -> Sequence[Value]:
    """What the checksum of a claim covers; claims of before schema 5 have no teller, and the checksum they were given."""
    return values if told_by is None else [*values, told_by]


def tombstone_of(row: Row) -> Tombstone:
    _check(_TOMBSTONE, row)
    return Tombstone(
        group_id=row["group_id"],
        target_id=row["target_id"],
        kind=row["kind"],
        tau=row["tau"],
        reason=row["reason"],
        digest=row["digest"],
    )


def tombstone_row(tombstone: Tombstone) -> Parameters:
    return _sealed(
        _TOMBSTONE,
        {
            "group_id": tombstone.group_id,
            "target_id": tombstone.target_id,
            "kind": tombstone.kind,
            "tau": tombstone.tau,
            "reason": tombstone.reason,
            "digest": tombstone.digest,
        },
    )


def scope_row(scope: Scope) -> dict[str, Value]:
    return {
        "start": scope.window.start,
        "until": scope.window.until,
        "known_at": scope.known_at,
        "possible": scope.possible,
        **filter_row(scope.filter),
    }


def filter_row(wanted: Filter) -> dict[str, Value]:
    return {
        "is_open": wanted.is_open,
        "session_id": wanted.session_id,
        "source": None if wanted.source is None else wanted.source.value,
        "speaker": wanted.speaker,
        "metadata": mapped(wanted.metadata),
    }


def _granule_row(side: str, granule: Granule | None) -> dict[str, Value]:
    lo, hi, unit = (None, None, None) if granule is None else (granule.lo, granule.hi, granule.unit.value)
    return {f"{side}_lo": lo, f"{side}_hi": hi, f"{side}_unit": unit}


def _sealed(covered: Sequence[str], row: dict[str, Value], seal: str = "checksum") -> Parameters:
    row[seal] = _checksum([row[column] for column in covered])
    return row


def _check(covered: Sequence[str], row: Row, seal: str = "checksum") -> None:
    _check_values([row[column] for column in covered], row[seal])


def _check_values(values: Sequence[Value], checksum: int) -> None:
    if checksum != _checksum(values):
        raise StoreCorrupt(f"group {values[0]!r}: {values[1]!r} is not as it was written: restore a backup")


def _checksum(values: Sequence[Value]) -> int:
    # Half surrogate pairs are let through: SQLite refuses them by name.
    return zlib.crc32("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass"))
