"""The digest of a store's content: equal for equal content, whatever keeps it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphmem.model import Entity, Episode, Fact, FactVersion, Job, Name, StoredClaim, Support, Tombstone
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import Instant

__all__ = ["Content", "content_digest"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """Everything a store holds, each list in the order its comment states, texts compared by code points."""

    relations: Iterable[Relation]
    """By name."""
    receipts: Iterable[tuple[str, Instant, str, str]]
    """(group id, tau, kind, note), by group and tau."""
    taus: Iterable[tuple[str, Instant]]
    """(group id, last tau) of groups that have one, by group."""
    episodes: Iterable[Episode]
    """By group, then in order of acceptance; so are the jobs."""
    jobs: Iterable[Job]
    entities: Iterable[Entity]
    """By group and id; so are the facts, claims and versions."""
    names: Iterable[Name]
    """By group, key and entity."""
    mentions: Iterable[tuple[str, str, str]]
    """(group id, entity id, episode id), ordered."""
    facts: Iterable[Fact]
    claims: Iterable[StoredClaim]
    retractions: Iterable[tuple[str, str, Instant, str]]
    """(group id, retraction id, tau, reason), ordered."""
    withdrawals: Iterable[tuple[str, str, str]]
    """(group id, retraction id, claim id), ordered."""
    versions: Iterable[FactVersion]
    support: Iterable[tuple[str, Support]]
    """(group id, link), by group, version, claim and created_at."""
    tombstones: Iterable[Tombstone]
    """By group, kind and target."""


def content_digest(content: Content) -> str:
    """SHA-256 as hex. `Job.seq` is left out."""
    total = hashlib.sha256()
    for part in dataclasses.fields(content):
        total.update(f"[{part.name}]\n".encode())
        for item in getattr(content, part.name):
            total.update(json.dumps(_plain(item), sort_keys=True).encode())
            total.update(b"\n")
    return total.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Job):
        value = dataclasses.replace(value, seq=0)
    if dataclasses.is_dataclass(value):
        return [_plain(getattr(value, part.name)) for part in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    raise TypeError(f"there is no digest of a {type(value).__name__}")
