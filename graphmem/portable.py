"""What a store must do to be copied whole into another: give its records page by page, and keep them as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias, TypeVar, cast

from graphmem.errors import InvalidInput
from graphmem.model import Entity, Episode, Fact, FactVersion, Job, Name, Retraction, StoredClaim, Support, Tombstone
from graphmem.timeline.instants import Instant

__all__ = [
    "Accepted",
    "GroupClock",
    "Key",
    "Mentions",
    "Page",
    "Portable",
    "Receipt",
    "Record",
    "RecordKind",
    "Rests",
    "only",
]

T = TypeVar("T")

Key: TypeAlias = str | int
"""Where a record stands among those of its kind in a group: they are given and kept in the order of their keys."""


class RecordKind(StrEnum):
    """What is copied of a group, in this order: nothing refers to what comes later."""

    EPISODE = "episode"
    ENTITY = "entity"
    NAME = "name"
    MENTION = "mention"
    FACT = "fact"
    CLAIM = "claim"
    RETRACTION = "retraction"
    VERSION = "version"
    SUPPORT = "support"
    TOMBSTONE = "tombstone"
    RECEIPT = "receipt"


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """An episode with its job; the key is `job.seq`, which stays as it is."""

    episode: Episode
    job: Job


@dataclass(frozen=True, kw_only=True, slots=True)
class Mentions:
    """The episodes that mention an entity; the key is the entity's id."""

    entity_id: str
    episode_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rests:
    """Every link of a version to a claim it rests or rested on; the key is the version's id."""

    version_id: str
    links: tuple[Support, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """One transaction of a group; the key is `tau`."""

    tau: Instant
    kind: str
    note: str


Record: TypeAlias = (
    Accepted | Entity | Name | Mentions | Fact | StoredClaim | Retraction | FactVersion | Rests | Tombstone | Receipt
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Some records of one kind in one group, in the order of their keys; all names of one key are in one page."""

    records: Sequence[Record]
    last: Key | None
    """The key to go on after; None: there are no more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupClock:
    """The last transaction time and the last fencing number of a group."""

    group_id: str
    tau: Instant
    fence: int


class Portable(Protocol):
    """The records of a store; got from `Store.records()` of a store that can be copied."""

    async def group_clocks(self) -> Sequence[GroupClock]:
        """Of every group there ever was, ordered by id."""
        ...

    async def put_group_clock(self, clock: GroupClock) -> None:
        """Set the clock of a group; done last, so that a group without one was not copied to its end."""
        ...

    async def put_secret(self, secret: bytes) -> None:
        """Take over the key of the episode digests. Raises InvalidInput where another one is in use."""
        ...

    async def page(self, kind: RecordKind, group_id: str, after: Key | None, limit: int) -> Page:
        """About `limit` records with a key beyond `after` (None: from the first)."""
        ...

    async def last_key(self, kind: RecordKind, group_id: str) -> Key | None:
        """The highest key of the kind in the group; None if there is none."""
        ...

    async def put_page(self, kind: RecordKind, group_id: str, records: Sequence[Record]) -> None:
        """Keep these new records as they are, all or none. Raises as `Store.commit` does."""
        ...


def only(kind: type[T], records: Iterable[Record]) -> list[T]:
    """The records, all of which must be of one kind. Raises InvalidInput for any other."""
    found = list(records)
    if not all(isinstance(record, kind) for record in found):
        raise InvalidInput(f"a page of {kind.__name__} holds something else")
    return cast("list[T]", found)
