"""The things graphmem speaks of: episodes, entities, facts and their versions, scopes, jobs and answers. All frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from graphmem.errors import InvalidGroup, InvalidTime
from graphmem.timeline.claims import Claim, FactKey, Kind
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import MAX, MIN, Instant, to_datetime
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole

__all__ = [
    "BEST_KNOWN",
    "OPEN_SCOPE_FILTER",
    "Changes",
    "DatedFact",
    "Entity",
    "EntityKind",
    "Episode",
    "Erasure",
    "Fact",
    "FactVersion",
    "Filter",
    "Hit",
    "Job",
    "JobOutcome",
    "JobState",
    "Name",
    "Retraction",
    "Scope",
    "Source",
    "Statement",
    "StoredClaim",
    "Support",
    "Tense",
    "TimePhrase",
    "TimeRole",
    "Tombstone",
    "Window",
]


class Source(StrEnum):
    """What kind of text an episode is."""

    MESSAGE = "message"
    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """One thing told to the memory."""

    episode_id: str
    group_id: str
    text: str
    """As redacted; nothing else of it was ever stored."""
    source: Source = Source.MESSAGE
    said_at: Instant
    """Reference time: relative dates in the text are counted from here."""
    zone: str = "UTC"
    """IANA name or fixed offset ("+02:00") in which the author's days are cut (R6)."""
    speaker: str | None = None
    session_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = True
    """Set by the caller's code for the channel, never by content or metadata (R34)."""
    learned_at: Instant
    """When it was accepted (the clock, not a transaction time)."""
    digest: bytes = b""
    """Keyed digest of the text as it came, before redaction: tells a retry from a conflict."""


class EntityKind(StrEnum):
    """PERSON only where the words say so; VALUE is a literal (a date, a price, a number)."""

    THING = "thing"
    PERSON = "person"
    VALUE = "value"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entity:
    """A person, a place, a thing or a literal value: a node of the graph."""

    entity_id: str
    group_id: str
    name: str
    kind: EntityKind = EntityKind.THING
    created_at: Instant
    """Transaction time of its first mention."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    """One way an entity is called. Many to many: one key may name several entities, one entity has several keys."""

    group_id: str
    key: str
    """`graphmem.terms.name_key(spelling)`."""
    entity_id: str
    spelling: str
    episode_id: str | None = None
    """Where the name was learned; None: from the program."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """Subject, relation, object and their sentence; stored and indexed once, whatever its versions do."""

    fact_id: str
    group_id: str
    subject: str
    """Entity id. For a symmetric relation the smaller id is the subject (R21)."""
    relation: str
    object: str
    text: str
    """The sentence that search and people see: "Alice works at Acme"."""

    @property
    def key(self) -> FactKey:
        return FactKey(subject=self.subject, relation=self.relation, object=self.object)


@dataclass(frozen=True, kw_only=True, slots=True)
class FactVersion:
    """One bi-temporal row of a fact. Only `expired_at` is ever updated, once, from MAX to a transaction time (R25)."""

    version_id: str
    fact_id: str
    group_id: str
    subject: str
    relation: str
    object: str
    valid_at: Instant | None
    """Canonical start; None means exactly one thing: undated past (R5)."""
    invalid_at: Instant
    """Canonical end, excluded; MAX: still true."""
    start: Granule
    end: Granule
    start_stated: bool
    end_stated: bool
    trusted: bool
    created_at: Instant
    expired_at: Instant = MAX
    """MAX: believed now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """A claim that a version rests on, from `created_at` until `expired_at` (R30)."""

    version_id: str
    claim_id: str
    created_at: Instant
    expired_at: Instant = MAX


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredClaim:
    """A claim as the store keeps it: with its group, its episode, the words it rests on and what became of it."""

    claim: Claim
    group_id: str
    fact_id: str
    episode_id: str | None
    """None: the claim came from a program without a source episode."""
    tau: Instant
    """Transaction time of the claim."""
    phrase: str | None = None
    """Its time words, verbatim."""
    quote: tuple[int, int] | None = None
    """Characters [from, to) of the episode's text that say it."""
    told_by: str | None = None
    """Who says so, as the text calls them, where it is not the episode's speaker."""
    origin: str = "program"
    """What produced it: "program", "rules", or a model and prompt."""
    retracted_at: Instant = MAX
    """Transaction time of its retraction; MAX: active."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Retraction:
    """Claims withdrawn as if unsaid, from `tau` on."""

    retraction_id: str
    group_id: str
    claim_ids: tuple[str, ...]
    tau: Instant
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tombstone:
    """What is left of something erased: no content, only that it was there."""

    group_id: str
    target_id: str
    """Id of the erased episode, entity or fact, or the group's own id."""
    kind: str
    """One of "episode", "entity", "fact", "group"."""
    tau: Instant
    reason: str = ""
    digest: bytes = b""


class JobState(StrEnum):
    """queued → running → done | retrying | quarantined; retrying → running.

    By a user: quarantined → queued, and whatever waits → dropped.
    """

    QUEUED = "queued"
    RUNNING = "running"
    RETRYING = "retrying"
    DONE = "done"
    QUARANTINED = "quarantined"
    DROPPED = "dropped"


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """The work owed for one episode; its id is the episode's."""

    job_id: str
    group_id: str
    state: JobState = JobState.QUEUED
    seq: int = 0
    """Order of acceptance in the store; given by the store."""
    attempts: int = 0
    """Counted before the attempt."""
    fence: int = 0
    """Fencing number of the lease; a commit with an older one is refused."""
    run_after: Instant = MIN
    """Not to be leased before; while running: when the lease ends."""
    owner: str = ""
    """Who holds the lease."""
    reason: str = ""
    """Why it is retrying or quarantined; no personal text."""
    answer: str | None = None
    """The extractor's recorded answer (JSON): a crash resumes from it."""
    receipt: str | None = None
    """What came of it (JSON), once done."""
    accepted_at: Instant = MIN


@dataclass(frozen=True, kw_only=True, slots=True)
class JobOutcome:
    """How a leased job moves on, inside a commit or by itself."""

    job_id: str
    group_id: str
    fence: int | None
    """None: an act of a user, not of the lease holder."""
    state: JobState
    reason: str = ""
    run_after: Instant | None = None
    answer: str | None = None
    """None: leave what is stored."""
    receipt: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """Everything one transaction time writes to one group; atomic."""

    group_id: str
    based_on: Instant
    """The group's last transaction time as it was read (MIN: a new group); another one now means CommitConflict.
    In a batch every further item is based on the `tau` of the one before."""
    tau: Instant
    kind: str
    """One of "episode", "claims", "retract", "correct", "merge", "upkeep"."""
    note: str = ""
    entities: tuple[Entity, ...] = ()
    names: tuple[Name, ...] = ()
    forgotten_names: tuple[tuple[str, str], ...] = ()
    """(key, entity_id) of names taken away, before those of the commit are given; one that is not there is passed over."""
    mentions: tuple[tuple[str, str], ...] = ()
    """(episode_id, entity_id)."""
    facts: tuple[Fact, ...] = ()
    """New facts; one that exists keeps its text."""
    claims: tuple[StoredClaim, ...] = ()
    """A claim id that exists is an error of the engine, except that the very same claim again is a no-op."""
    retractions: tuple[Retraction, ...] = ()
    expire: tuple[str, ...] = ()
    """Version ids to close at `tau`; one that is not open means CommitConflict."""
    versions: tuple[FactVersion, ...] = ()
    unsupport: tuple[tuple[str, str], ...] = ()
    """(version_id, claim_id) links to close at `tau`."""
    support: tuple[tuple[str, str], ...] = ()
    """(version_id, claim_id) links to open at `tau`."""
    job: JobOutcome | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Erasure:
    """What is taken out for good, and what is put in its place: the replayed versions of the facts that stay."""

    group_id: str
    based_on: Instant
    tau: Instant
    tombstones: tuple[Tombstone, ...]
    claim_ids: tuple[str, ...] = ()
    episode_ids: tuple[str, ...] = ()
    entity_ids: tuple[str, ...] = ()
    """Deleted with their names and mentions; the engine names only those nothing refers to any more."""
    names: tuple[tuple[str, str], ...] = ()
    """(key, entity_id) of names that only an erased episode taught."""
    replayed: tuple[str, ...] = ()
    """Fact ids all of whose versions and support links are deleted and replaced by `versions` and `support`."""
    dropped: tuple[str, ...] = ()
    """Fact ids that no claim speaks of any more: fact, versions, support and search rows go."""
    renamed: tuple[Entity, ...] = ()
    """Entities whose name only an erased episode gave, with the name that stays."""
    reworded: tuple[Fact, ...] = ()
    """Facts that stay, with the text they have under those names."""
    versions: tuple[FactVersion, ...] = ()
    support: tuple[Support, ...] = ()
    whole_group: bool = False
    """Everything of the group goes, tombstones of it apart."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A window [start, until) of valid time; a moment t is [t, t + 1 µs)."""

    start: Instant = MIN
    until: Instant = MAX

    def __post_init__(self) -> None:
        if not isinstance(self.start, int) or not isinstance(self.until, int):
            raise InvalidTime(
                f"a window is made of instants (see `to_instant`), not of {self.start!a:.60} and {self.until!a:.60}"
            )
        if self.start >= self.until:
            raise InvalidTime(
                f"a window must end after it begins: {to_datetime(self.start)} to {to_datetime(self.until)}"
            )

    @classmethod
    def at(cls, moment: Instant) -> Window:
        return cls(start=moment, until=moment + 1 if isinstance(moment, int) else moment)

    def holds(self, moment: Instant) -> bool:
        """Whether a moment lies within it."""
        return self.start <= moment < self.until

    def meets(self, valid_at: Instant | None, invalid_at: Instant) -> bool:
        """Whether what is certainly true from and until then is so within it; an undated past (None) never is."""
        return valid_at is not None and valid_at < self.until and invalid_at > self.start


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Which episodes count; empty fields mean any. All given fields must match, exactly and case-sensitively."""

    session_id: str | None = None
    source: Source | None = None
    speaker: str | None = None
    """Of a fact also whoever an episode names as saying it (`StoredClaim.told_by`)."""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        return self.session_id is None and self.source is None and self.speaker is None and not self.metadata

    def matches(self, episode: Episode) -> bool:
        """Whether the episode counts."""
        return (
            self.session_id in (None, episode.session_id)
            and self.source in (None, episode.source)
            and self.speaker in (None, episode.speaker)
            and all(episode.metadata.get(key) == value for key, value in self.metadata.items())
        )


OPEN_SCOPE_FILTER = Filter()

BEST_KNOWN: Instant = MAX - 1
"""The moment of knowing that sees all there is: after every transaction time, before MAX, at which open versions end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """What may be seen: groups, a window of valid time, the moment of knowing, filters. Never a filter afterwards."""

    group_ids: tuple[str, ...]
    window: Window = Window()
    known_at: Instant = BEST_KNOWN
    """As the memory knew it then; the default is the best knowledge there is."""
    possible: bool = False
    """Read the possible bounds instead of the certain ones (R29)."""
    filter: Filter = OPEN_SCOPE_FILTER
    """Facts count when an episode that supports them matches."""

    def __post_init__(self) -> None:
        if not self.group_ids:
            raise InvalidGroup("a read needs at least one group id; the list is empty")


class Hit(NamedTuple):
    """A ranked id; the best rank is 1. Scores of different searches cannot be compared, ranks can.

    A tuple, because a search makes hundreds of them.
    """

    item_id: str
    group_id: str
    rank: int
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """What an extractor read in one episode: names and time words as they stand there, nothing resolved.

    `subject` and `object` are names as the extractor settled them ("Alice" for "she" or "I"); resolution makes entities of them.
    """

    kind: Kind
    subject: str
    relation: str
    object: str
    subject_kind: EntityKind = EntityKind.THING
    object_kind: EntityKind = EntityKind.THING
    subject_id: str | None = None
    """The entity, where a program knows it; it wins over the name."""
    object_id: str | None = None
    times: tuple[TimePhrase, ...] = ()
    start: Granule | None = None
    """A start that is known as a date already; it wins over `times`."""
    end: Granule | None = None
    quote: tuple[int, int] | None = None
    """Characters [from, to) of the episode's text that say it."""
    inferred: bool = False
    sentence: str = ""
    """The fact in the extractor's words. Kept with the recorded answer only: as a fact's text it would outlive its episode."""
    told_by: str | None = None
    """Who says so, where it is not the episode's speaker."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DatedFact:
    """A fact as read: its names, its dates as known at the scope's moment of knowing, and how certain they are."""

    fact: Fact
    version: FactVersion
    subject: Entity
    object: Entity
    is_certain: bool = True
    """False: it lies in the scope only by its possible bounds (R29)."""
    last_confirmed_at: datetime | None = None
    """Newest reference time of its support, as known then (R35)."""
    episode_ids: tuple[str, ...] = field(default=())
    """Episodes that support it, oldest first."""
    told_by: tuple[tuple[str, str], ...] = field(default=())
    """(episode, who says so) where an episode says it in somebody else's name than its speaker's, oldest first."""

    @property
    def text(self) -> str:
        return self.fact.text

    @property
    def relation(self) -> str:
        return self.fact.relation

    @property
    def valid_at(self) -> datetime | None:
        return None if self.version.valid_at is None else to_datetime(self.version.valid_at)

    @property
    def invalid_at(self) -> datetime | None:
        return to_datetime(self.version.invalid_at)

    @property
    def created_at(self) -> datetime | None:
        return to_datetime(self.version.created_at)

    @property
    def expired_at(self) -> datetime | None:
        return to_datetime(self.version.expired_at)
