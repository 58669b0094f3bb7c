"""Properties of Neo4j's nodes and relationships and the things they stand for, both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias, TypeVar, cast

from graphmem.errors import InvalidInput, StoreCorrupt
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
from graphmem.stores.neo4j_times import OPEN, UNDATED, bound_text, instant_of, instant_text
from graphmem.stores.search_text import episode_terms, fact_terms
from graphmem.timeline.claims import Claim, Kind, Relation, Rivalry, Sensitivity
from graphmem.timeline.granules import Granule, Unit
from graphmem.timeline.instants import Instant

__all__ = [
    "Properties",
    "Value",
    "claim_of",
    "claim_row",
    "decoded",
    "entity_of",
    "entity_row",
    "episode_of",
    "episode_row",
    "fact_of",
    "fact_row",
    "filter_values",
    "group_term",
    "job_of",
    "job_row",
    "name_of",
    "name_row",
    "refuse_nul",
    "relation_of",
    "relation_row",
    "scope_values",
    "support_row",
    "tombstone_of",
    "tombstone_row",
    "version_of",
    "version_row",
]

T = TypeVar("T")
Value: TypeAlias = "str | int | float | bool | bytes | Sequence[Value] | Mapping[str, Value] | None"
Properties: TypeAlias = Mapping[str, Value]


def decoded(make: Callable[[Properties], T], found: Iterable[object]) -> list[T]:
    """What the properties stand for. Raises StoreCorrupt for some that cannot be right."""
    try:
        return [make(cast(Properties, item)) for item in found]
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise StoreCorrupt(f"a stored record cannot be read ({type(error).__name__}): restore a backup") from error


def refuse_nul(texts: Iterable[str]) -> None:
    """Raises InvalidInput for a NUL, which no store keeps in ids, names and metadata."""
    if any("\0" in text for text in texts):
        raise InvalidInput("ids, names and metadata must not hold a NUL character")


@lru_cache(maxsize=4_096)
def group_term(group_id: str) -> str:
    """The word by which the full-text indexes know a group: letters and digits, which no analyzer changes."""
    return "g" + str(int.from_bytes(blake2b(group_id.encode(errors="surrogatepass"), digest_size=8).digest()))


def relation_of(row: Properties) -> Relation:
    return Relation(
        name=_text(row, "name"),
        rivalry=Rivalry(_text(row, "rivalry")),
        symmetric=_flag(row, "symmetric"),
        event=_flag(row, "event"),
        timeless=_flag(row, "timeless"),
        sensitivity=Sensitivity(_text(row, "sensitivity")),
        phrase=_text(row, "phrase"),
    )


def relation_row(relation: Relation) -> Properties:
    return {
        "name": relation.name,
        "rivalry": relation.rivalry.value,
        "symmetric": relation.symmetric,
        "event": relation.event,
        "timeless": relation.timeless,
        "sensitivity": relation.sensitivity.value,
        "phrase": relation.phrase,
    }


def episode_of(row: Properties) -> Episode:
    return Episode(
        episode_id=_text(row, "id"),
        group_id=_text(row, "group_id"),
        text=_text(row, "text"),
        source=Source(_text(row, "source")),
        said_at=_instant(row, "said_at"),
        zone=_text(row, "zone"),
        speaker=_maybe_text(row, "speaker"),
        session_id=_maybe_text(row, "session_id"),
        metadata=dict(_unpaired(pair) for pair in _texts(row, "metadata")),
        trusted=_flag(row, "trusted"),
        learned_at=_instant(row, "learned_at"),
        digest=bytes.fromhex(_text(row, "digest")),
    )


def episode_row(episode: Episode, seq: int) -> Properties:
    return {
        "id": episode.episode_id,
        "group_id": episode.group_id,
        "text": episode.text,
        "source": episode.source.value,
        "said_at": instant_text(episode.said_at),
        "zone": episode.zone,
        "speaker": episode.speaker,
        "session_id": episode.session_id,
        "metadata": _pairs(episode.metadata),
        "trusted": episode.trusted,
        "learned_at": instant_text(episode.learned_at),
        "digest": episode.digest.hex(),
        "seq": seq,
        "terms": episode_terms(episode),
        "group_term": group_term(episode.group_id),
        "waits": True,
    }


def job_of(row: Properties) -> Job:
    return Job(
        job_id=_text(row, "id"),
        group_id=_text(row, "group_id"),
        state=JobState(_text(row, "state")),
        seq=_number(row, "seq"),
        attempts=_number(row, "attempts"),
        fence=_number(row, "fence"),
        run_after=_instant(row, "run_after"),
        owner=_text(row, "owner"),
        reason=_text(row, "reason"),
        answer=_maybe_text(row, "answer"),
        receipt=_maybe_text(row, "receipt"),
        accepted_at=_instant(row, "accepted_at"),
    )


def job_row(job: Job, call: str) -> Properties:
    """`call`: the id of the call that writes it, by which a repeated attempt knows its own work."""
    return {
        "id": job.job_id,
        "group_id": job.group_id,
        "state": job.state.value,
        "seq": job.seq,
        "attempts": job.attempts,
        "fence": job.fence,
        "run_after": instant_text(job.run_after),
        "owner": job.owner,
        "reason": job.reason,
        "answer": job.answer,
        "receipt": job.receipt,
        "accepted_at": instant_text(job.accepted_at),
        "call": call,
    }


def entity_of(row: Properties) -> Entity:
    return Entity(
        entity_id=_text(row, "id"),
        group_id=_text(row, "group_id"),
        name=_text(row, "name"),
        kind=EntityKind(_text(row, "kind")),
        created_at=_instant(row, "created_at"),
    )


def entity_row(entity: Entity) -> Properties:
    return {
        "id": entity.entity_id,
        "group_id": entity.group_id,
        "name": entity.name,
        "kind": entity.kind.value,
        "created_at": instant_text(entity.created_at),
        "group_term": group_term(entity.group_id),
        "waits": True,
    }


def name_of(row: Properties) -> Name:
    return Name(
        group_id=_text(row, "group_id"),
        key=_text(row, "key"),
        entity_id=_text(row, "entity_id"),
        spelling=_text(row, "spelling"),
        episode_id=_maybe_text(row, "episode_id"),
    )


def name_row(name: Name) -> Properties:
    return {
        "key": name.key,
        "entity_id": name.entity_id,
        "spelling": name.spelling,
        "episode_id": name.episode_id,
    }


def fact_of(row: Properties) -> Fact:
    return Fact(
        fact_id=_text(row, "fact_id"),
        group_id=_text(row, "group_id"),
        subject=_text(row, "subject"),
        relation=_text(row, "relation"),
        object=_text(row, "object"),
        text=_text(row, "text"),
    )


def fact_row(fact: Fact) -> Properties:
    return {
        "fact_id": fact.fact_id,
        "group_id": fact.group_id,
        "subject": fact.subject,
        "relation": fact.relation,
        "object": fact.object,
        "text": fact.text,
        "terms": fact_terms(fact),
        "group_term": group_term(fact.group_id),
        "waits": True,
    }


def version_of(row: Properties) -> FactVersion:
    return FactVersion(
        version_id=_text(row, "version_id"),
        fact_id=_text(row, "fact_id"),
        group_id=_text(row, "group_id"),
        subject=_text(row, "subject"),
        relation=_text(row, "relation"),
        object=_text(row, "object"),
        valid_at=None if row["valid_at"] == UNDATED else _instant(row, "valid_at"),
        invalid_at=_instant(row, "invalid_at"),
        start=_granule(row, "start"),
        end=_granule(row, "end"),
        start_stated=_flag(row, "start_stated"),
        end_stated=_flag(row, "end_stated"),
        trusted=_flag(row, "trusted"),
        created_at=_instant(row, "created_at"),
        expired_at=_instant(row, "expired_at"),
    )


def version_row(version: FactVersion) -> Properties:
    return {
        "version_id": version.version_id,
        "fact_id": version.fact_id,
        "group_id": version.group_id,
        "subject": version.subject,
        "relation": version.relation,
        "object": version.object,
        "valid_at": UNDATED if version.valid_at is None else instant_text(version.valid_at),
        "invalid_at": instant_text(version.invalid_at),
        **_granule_row("start", version.start),
        **_granule_row("end", version.end),
        "start_stated": version.start_stated,
        "end_stated": version.end_stated,
        "trusted": version.trusted,
        "created_at": instant_text(version.created_at),
        "expired_at": instant_text(version.expired_at),
    }


def support_row(group_id: str, support: Support) -> Properties:
    return {
        "claim_id": support.claim_id,
        "link": {
            "group_id": group_id,
            "version_id": support.version_id,
            "created_at": instant_text(support.created_at),
            "expired_at": instant_text(support.expired_at),
        },
    }


def claim_of(row: Properties) -> StoredClaim:
    quote = _numbers(row, "quote")
    return StoredClaim(
        claim=Claim(
            claim_id=_text(row, "id"),
            kind=Kind(_text(row, "kind")),
            subject=_text(row, "subject"),
            relation=_text(row, "relation"),
            object=_text(row, "object"),
            ref=_instant(row, "ref"),
            seq=_number(row, "seq"),
            start=_granule(row, "start") if row.get("start_lo") else None,
            end=_granule(row, "end") if row.get("end_lo") else None,
            inferred=_flag(row, "inferred"),
            trusted=_flag(row, "trusted"),
        ),
        group_id=_text(row, "group_id"),
        fact_id=_text(row, "fact_id"),
        episode_id=_maybe_text(row, "episode_id"),
        tau=_instant(row, "tau"),
        phrase=_maybe_text(row, "phrase"),
        quote=(quote[0], quote[1]) if quote else None,
        told_by=_maybe_text(row, "told_by"),
        origin=_text(row, "origin"),
        retracted_at=instant_of(min(_texts(row, "withdrawn_at"), default=OPEN)),
    )


def claim_row(stored: StoredClaim) -> Properties:
    claim = stored.claim
    return {
        "id": claim.claim_id,
        "group_id": stored.group_id,
        "fact_id": stored.fact_id,
        "episode_id": stored.episode_id,
        "kind": claim.kind.value,
        "subject": claim.subject,
        "relation": claim.relation,
        "object": claim.object,
        "ref": instant_text(claim.ref),
        "seq": claim.seq,
        **(_granule_row("start", claim.start) if claim.start else {}),
        **(_granule_row("end", claim.end) if claim.end else {}),
        "inferred": claim.inferred,
        "trusted": claim.trusted,
        "tau": instant_text(stored.tau),
        "phrase": stored.phrase,
        "quote": stored.quote,
        "told_by": stored.told_by,
        "origin": stored.origin,
    }


def tombstone_of(row: Properties) -> Tombstone:
    return Tombstone(
        group_id=_text(row, "group_id"),
        target_id=_text(row, "target_id"),
        kind=_text(row, "kind"),
        tau=_instant(row, "tau"),
        reason=_text(row, "reason"),
        digest=bytes.fromhex(_text(row, "digest")),
    )


def tombstone_row(tombstone: Tombstone) -> Properties:
    return {
        "group_id": tombstone.group_id,
        "target_id": tombstone.target_id,
        "kind": tombstone.kind,
        "tau": instant_text(tombstone.tau),
        "reason": tombstone.reason,
        "digest": tombstone.digest.hex(),
    }


def scope_values(scope: Scope) -> dict[str, Value]:
    return {
        "group_ids": list(dict.fromkeys(scope.group_ids)),
        "start": bound_text(scope.window.start),
        "until": bound_text(scope.window.until),
        "known_at": bound_text(scope.known_at),
        "possible": scope.possible,
        **filter_values(scope.filter),
    }


def filter_values(wanted: Filter) -> dict[str, Value]:
    return {
        "is_open": wanted.is_open,
        "session_id": wanted.session_id,
        "source": None if wanted.source is None else wanted.source.value,
        "speaker": wanted.speaker,
        "metadata": _pairs(wanted.metadata),
    }


# Metadata is a list of "key=value". A property for each key would leave the key in the database for good: names of properties
# are never deleted.
def _pairs(metadata: Mapping[str, str]) -> list[str]:
    refuse_nul([*metadata, *metadata.values()])
    return sorted(f"{key.replace('%', '%25').replace('=', '%3D')}={value}" for key, value in metadata.items())


def _unpaired(pair: str) -> tuple[str, str]:
    key, _, value = pair.partition("=")
    return key.replace("%3D", "=").replace("%25", "%"), value


def _granule(row: Properties, side: str) -> Granule:
    return Granule(
        lo=_instant(row, f"{side}_lo"), hi=_instant(row, f"{side}_hi"), unit=Unit(_text(row, f"{side}_unit"))
    )


def _granule_row(side: str, granule: Granule) -> dict[str, Value]:
    return {
        f"{side}_lo": instant_text(granule.lo),
        f"{side}_hi": instant_text(granule.hi),
        f"{side}_unit": granule.unit.value,
    }


def _text(row: Properties, key: str) -> str:
    value = row[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return value


def _maybe_text(row: Properties, key: str) -> str | None:
    return None if row.get(key) is None else _text(row, key)


def _instant(row: Properties, key: str) -> Instant:
    return instant_of(_text(row, key))


def _number(row: Properties, key: str) -> int:
    value = row[key]
    if not isinstance(value, int):
        raise TypeError(f"{key} is no whole number")
    return value


def _flag(row: Properties, key: str) -> bool:
    value = row[key]
    if not isinstance(value, bool):
        raise TypeError(f"{key} is neither true nor false")
    return value


def _texts(row: Properties, key: str) -> list[str]:
    value = row[key]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{key} is no list of texts")
    return cast("list[str]", value)


def _numbers(row: Properties, key: str) -> list[int]:
    value = row.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
        raise TypeError(f"{key} is no list of whole numbers")
    return cast("list[int]", value)
