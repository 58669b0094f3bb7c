"""The outside world in one file: what a store, a clock, an id source, a redactor, an extractor and the models must do.

The engine speaks to nothing else. A second implementation can be written from this file alone; `tests/contract/` holds every
store to it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeVar, overload, runtime_checkable

from graphmem.errors import AnswerTruncated, ModelError, ModelRefused, PromptTooLong
from graphmem.model import (
    Changes,
    Entity,
    Episode,
    Erasure,
    Fact,
    FactVersion,
    Filter,
    Hit,
    Job,
    JobOutcome,
    JobState,
    Name,
    Scope,
    Statement,
    StoredClaim,
    Support,
    Tombstone,
)
from graphmem.timeline.claims import FactKey, Relation
from graphmem.timeline.instants import Instant

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Acceptance",
    "BatchModel",
    "BatchProgress",
    "BatchResult",
    "Clock",
    "Edge",
    "Effort",
    "Embedded",
    "Embedder",
    "EmbeddingModel",
    "Extraction",
    "ExtractionContext",
    "Extractor",
    "Floats",
    "GroupState",
    "Hits",
    "IdSource",
    "ItemKey",
    "ItemVector",
    "LanguageModel",
    "ModelAnswer",
    "ModelRequest",
    "ModelUsage",
    "NameMatch",
    "PairScorer",
    "Redactor",
    "SearchTarget",
    "StopReason",
    "Store",
    "Telling",
    "TextKind",
    "TextSearch",
    "TimelineRead",
    "TokenCounter",
    "TokenEmbedder",
    "Turn",
    "VectorForm",
    "VectorSearch",
    "Verdict",
    "WholeVersion",
    "WindowExtractor",
]

T = TypeVar("T")

Floats: TypeAlias = "npt.NDArray[np.float32]"
"""float32 numbers; the docstring of whoever gives or takes them states the shape."""


class Clock(Protocol):
    """Tells the time; injected, so that tests fix it."""

    def now(self) -> datetime:
        """The present moment, aware and in UTC."""
        ...


class IdSource(Protocol):
    """Makes ids; injected, so that tests fix them."""

    def new_id(self, kind: str) -> str:
        """An id never given before, made of letters, digits, `_` and `-`; `kind` is a short prefix such as "ep"."""
        ...


class Redactor(Protocol):
    """Takes out what must not be stored. Runs before anything reaches the disk, an index, a cache or a log."""

    def redact(self, text: str) -> str:
        """The text to keep. Pure: the same text gives the same result."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractionContext:
    """What an extractor may look at beside the episode itself."""

    previous: Sequence[Episode] = ()
    """Earlier episodes of the group (of the session, where there is one), oldest first."""
    names: Sequence[Name] = ()
    """Names known in the group that occur in the text."""
    entities: Mapping[str, Entity] | None = None
    """The entities of those names by id."""
    summary: str = ""
    """What the session was about so far, where somebody keeps such a summary."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NameMatch:
    """What a doubtful name was settled to mean."""

    spelling: str
    entity_id: str | None = None
    """The entity it means; None: see `name`."""
    name: str = ""
    """The name, made in the same batch, of what it means; empty, without an id: something new, whatever else has this name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    """What an extractor read in one episode."""

    statements: tuple[Statement, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    """(other name, name) pairs that the text itself states: "Bob" for "Robert Hale"."""
    matches: tuple[NameMatch, ...] = ()
    """Doubtful names that were settled."""
    is_settled: bool = False
    """Whether a second call has settled what was in doubt."""
    origin: str = "rules"
    """What produced it, kept with every claim."""
    notes: tuple[str, ...] = ()
    """What was left out and why, for the receipt; no personal text."""
    calls: int = 0
    tokens: int = 0


class Extractor(Protocol):
    """Reads statements out of one episode. Never decides what a statement ends or replaces."""

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        """The statements of the episode, in the order of its text; empty when it states nothing.

        Raises ModelError when a model failed; the job is then tried again or quarantined.
        """
        ...


@runtime_checkable
class WindowExtractor(Extractor, Protocol):
    """An extractor that may read several short messages of one conversation together, and several windows at once."""

    side_by_side: int
    """So many windows may be read at once."""

    @property
    def origin(self) -> str:
        """What is kept with everything it reads; another one means that reading again may give something else."""
        ...

    def windows_of(self, episodes: Sequence[Episode]) -> Sequence[Sequence[Episode]]:
        """These episodes, in their order, as the windows to be read; each holds episodes of one session."""
        ...

    async def extract_window(self, episodes: Sequence[Episode], context: ExtractionContext) -> Sequence[Extraction]:
        """What each episode of a window states, in their order; `context` is that of the first. Raises as `extract`."""
        ...


class Effort(StrEnum):
    """How much thought a model is asked to spend; where a model cannot be told, it is left out."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """One question to a language model. Equal requests may be answered from a cache."""

    system: str
    """Instructions, the same bytes from call to call, so that the provider can keep them."""
    prompt: str
    schema: Mapping[str, object] | None = None
    """JSON schema of the answer; None: free text. No provider enforces it whole: the asker checks what comes back."""
    schema_name: str = "answer"
    max_output_tokens: int = 8_000
    effort: Effort = Effort.LOW
    attempt: int = 1
    """From 2 on the same is asked again because the answer was of no use: no cache gives that answer then."""
    stage: str = ""
    """What asks: "extract", "resolve", "answer" …; for the figures only, the model does not see it."""


class StopReason(StrEnum):
    """Why a model stopped writing."""

    END = "end"
    MAX_TOKENS = "max_tokens"
    """Cut off: at `max_output_tokens`, or at what the model can write."""
    CONTEXT_EXCEEDED = "context_exceeded"
    """Cut off: prompt and answer together fill the context."""
    REFUSAL = "refusal"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelUsage:
    """Tokens of one call as the provider counts them."""

    input_tokens: int = 0
    """Of the prompt, without those read from or written to the provider's cache."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    """Thinking included."""
    thinking_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """The whole prompt, from the cache or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total_tokens(self) -> int:
        """The whole prompt and the answer."""
        return self.prompt_tokens + self.output_tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAnswer:
    """What a language model wrote, and at what cost. It may be cut off or refused: see `stop`, or read `whole_text`."""

    text: str
    stop: StopReason = StopReason.END
    refusal_category: str = ""
    """The provider's word for why it refused; empty when it gives none."""
    usage: ModelUsage = ModelUsage()
    model: str = ""
    """The model that answered, as the provider names it."""
    request_id: str = ""
    """The provider's id of the call, for its support."""
    is_cached: bool = False
    """Whether it was answered before and nothing was asked of the provider."""

    def whole_text(self) -> str:
        """The text of an answer that came to its end.

        Raises AnswerTruncated when it was cut off, PromptTooLong when the context was full, ModelRefused when it was refused.
        """
        match self.stop:
            case StopReason.END:
                return self.text
            case StopReason.MAX_TOKENS:
                written = self.usage.output_tokens
                raise AnswerTruncated(
                    f"{self.model or 'the model'} was cut off after {written:,} tokens: allow it more, or split the text"
                )
            case StopReason.CONTEXT_EXCEEDED:
                raise PromptTooLong(
                    f"prompt and answer fill the context of {self.model or 'the model'}: split the text"
                )
            case StopReason.REFUSAL:
                why = f" ({self.refusal_category})" if self.refusal_category else ""
                raise ModelRefused(f"{self.model or 'the model'} refused{why}", category=self.refusal_category)


class LanguageModel(Protocol):
    """Answers requests. Keeps no conversation: two calls know nothing of one another. May be called side by side."""

    @property
    def name(self) -> str:
        """What is kept with everything the model produced, such as "anthropic:claude-haiku-5-5"."""
        ...

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """The model's answer, also when it is cut off or refused: `ModelAnswer.whole_text` raises then.

        Failures that pass are tried again within the model's own time limit. Raises ModelUnavailable (RateLimited) when that
        did not help, ModelHalted when no call can succeed until somebody acts, PromptTooLong when the text is not taken for its
        length, MalformedAnswer for an answer that is none.
        """
        ...

    async def aclose(self) -> None:
        """Release what it holds, such as connections. Twice is a no-op."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchProgress:
    """How far a batch is. Providers may count nothing before the whole batch has ended."""

    is_ended: bool
    waiting: int = 0
    answered: int = 0
    failed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchResult:
    """What became of one request of a batch."""

    custom_id: str
    outcome: ModelAnswer | ModelError


@runtime_checkable
class BatchModel(LanguageModel, Protocol):
    """A language model that also takes many requests at once, for less money and at its own time."""

    async def submit(self, requests: Mapping[str, ModelRequest]) -> str:
        """Hand in requests by ids of your own; returns the id of the batch. Keep it: it outlives this process.

        Ids are 1 to 64 of [A-Za-z0-9_-]. Raises what `complete` raises, and InvalidInput for a batch that cannot be one.
        """
        ...

    async def poll(self, batch_id: str) -> BatchProgress:
        """How far the batch is. Raises NotFound when the provider knows no such batch."""
        ...

    def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        """What became of each request, in any order, each once. Raises NotFound, ModelUnavailable while it has not ended."""
        ...


class TokenCounter(Protocol):
    """Counts the tokens of a text as the model that will read it does."""

    def __call__(self, text: str) -> int:
        """How many tokens the text takes; never less for a longer text than for a part of it."""
        ...


class SearchTarget(StrEnum):
    """What a search ranks."""

    FACT = "fact"
    ENTITY = "entity"
    EPISODE = "episode"


class TextKind(StrEnum):
    """What a text is to an embedder: some models read questions and documents differently."""

    QUERY = "query"
    DOCUMENT = "document"


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingModel:
    """The model that made the vectors of a store. Vectors of two models cannot be compared."""

    name: str
    """Names the weights, not only the family: two models of one name must give the same vectors."""
    dimension: int


class VectorForm(StrEnum):
    """How a store keeps the numbers of a vector. Both may stand side by side in one store: each vector tells its form."""

    FLOAT32 = "float32"
    INT8 = "int8"
    """A quarter of the size; the nearest 20 are nearly the same (measured: 99 %)."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Embedded:
    """What an embedder makes of some texts, in their order."""

    vectors: Floats
    """(texts, dimension), each row of length 1."""
    tokens: tuple[Floats, ...]
    """For each text (tokens, dimension), each row of length 1; no rows for a text without tokens."""


class Embedder(Protocol):
    """Makes vectors of texts: near in meaning, near in direction. Knows nothing of stores."""

    @property
    def model(self) -> EmbeddingModel:
        """The model, as it is kept with the vectors."""
        ...

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """(texts, dimension), each row of length 1. Raises ModelError."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives the vector of every token, for late interaction (MaxSim)."""

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        """Vectors of the texts, the same as `embed` gives, and of their tokens. Raises ModelError."""
        ...


class PairScorer(Protocol):
    """Judges how well texts answer a question, reading both together (a cross-encoder)."""

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One score for each text, from 0 to 1, higher is better. Raises ModelError."""
        ...


class ItemKey(NamedTuple):
    """One thing that can be searched; a tuple, because a search hashes and sorts thousands of them."""

    group_id: str
    target: SearchTarget
    item_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Hits(Sequence[Hit]):
    """What a search found, best first. In two lists, because a search finds hundreds: a `Hit` is made when one is looked at."""

    keys: Sequence[ItemKey] = ()
    scores: Sequence[float] = ()
    """They fall."""

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | Sequence[Hit]:
        if isinstance(place, slice):  # each with the rank that it has among all
            return [self[at] for at in range(len(self))[place]]
        key = self.keys[place]
        rank = range(1, len(self.keys) + 1)[place]
        return Hit(item_id=key.item_id, group_id=key.group_id, rank=rank, score=self.scores[place])


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ItemVector:
    """The vector of one thing that can be searched."""

    key: ItemKey
    vector: Floats
    """(dimension,), of length 1."""
    tokens: Floats | None = None
    """(tokens, dimension), each row of length 1; None where the embedder gives none."""


class Verdict(StrEnum):
    """What became of an offered episode."""

    NEW = "new"
    SAME = "same"
    """Accepted before, with the same digest: a retry, nothing was written."""
    CONFLICT = "conflict"
    """Accepted before, with another digest; nothing was written."""
    ERASED = "erased"
    """Erased earlier under this id; nothing was written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Acceptance:
    """The verdict on one offered episode and the job as it stands now (None for ERASED)."""

    episode_id: str
    verdict: Verdict
    job: Job | None


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupState:
    """One group at a glance."""

    group_id: str
    tau: Instant
    """Its last transaction time; MIN if nothing was ever committed."""
    episodes: int = 0
    entities: int = 0
    facts: int = 0
    versions: int = 0
    claims: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineRead:
    """What the fold of some timelines needs, read at one moment of the store."""

    tau: Instant
    """The group's last transaction time at that moment."""
    claims: Sequence[StoredClaim]
    """Retracted ones too, ordered by claim id."""
    versions: Sequence[FactVersion]
    """Versions of those claims' facts with an open `expired_at`, ordered by version id."""
    support: Sequence[Support]
    """Open support links of those versions."""


class Turn(NamedTuple):
    """An episode and those said just before and just after it; None at the ends of a session."""

    episode: Episode
    before: ItemKey | None
    after: ItemKey | None

    @classmethod
    def of(cls, episode: Episode, before: str | None, after: str | None) -> Turn:
        """From the ids of those beside it."""
        group_id, target = episode.group_id, SearchTarget.EPISODE
        return cls(
            episode,
            None if before is None else ItemKey(group_id, target, before),
            None if after is None else ItemKey(group_id, target, after),
        )


class Edge(NamedTuple):
    """A version as a walk sees it; a tuple of little, because a walk meets a thousand."""

    group_id: str
    fact_id: str
    subject: str
    object: str
    text: str
    """Of the fact."""
    episode_ids: tuple[str, ...]
    """Episodes that support it, in order of their ids, among those that `search_text` sees in the scope."""


class Telling(NamedTuple):
    """A claim that supports a version, as far as it dates and sources it."""

    ref: Instant
    episode_id: str | None
    told_by: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeVersion:
    """A version with all that is told of it."""

    version: FactVersion
    fact: Fact
    subject: Entity
    object: Entity
    support: Sequence[Telling]
    """The claims whose links were open at `known_at`, ordered by (ref, seq, claim id)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextSearch:
    """What `search_text` is asked, as one of several searches."""

    target: SearchTarget
    terms: Sequence[str]
    limit: int


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VectorSearch:
    """What `search_vector` is asked, as one of several searches."""

    target: SearchTarget
    vector: Floats
    limit: int
    model: EmbeddingModel | None = None
    """Whose vector it is, where that is to be checked: EmbedderMismatch when the store keeps those of another."""


class Store(Protocol):
    """Keeps what the engine decides, in one file or on one server.

    A store never reads a clock, never makes ids (apart from `Job.seq`), never calls a model and never decides. Every id is
    looked up inside its group; what belongs to another group does not exist. Every list of groups must have at least one
    (InvalidGroup). Reads see every commit that was acknowledged before they began. Instants are microseconds; open ends are
    MIN and MAX. The whole time logic of a store is this, on the certain or the possible bounds of a version:

        certain:   valid_at < until AND invalid_at > start          (never true for an undated past, valid_at None)
        possible:  start.lo < until AND end.hi > start
        known:     created_at <= known_at AND expired_at > known_at

    Where ids are given in a list, one that is given twice counts once. A limit is not negative (InvalidInput); 0 gives nothing.
    Ids, names and metadata hold no NUL and no text holds half a surrogate pair (InvalidInput).

    Every call may raise StoreUnavailable, StoreCorrupt or, when it writes, ReadOnlyStore and StoreFull; after an error nothing
    of the call was written. A call that is cancelled is done whole or not at all.

    Where keys are given in a list, those of groups outside the scope and of another kind than the call is about are passed over.
    """

    @property
    def is_far(self) -> bool:
        """Whether every call is a trip over a network: then it pays to read along what may not be needed."""
        ...

    async def ensure_schema(self) -> None:
        """Create or migrate the schema. Safe to call from many processes at once; twice is a no-op.

        Raises SchemaMismatch for a file of another kind, SchemaTooNew for a newer one; both leave it untouched.
        """
        ...

    async def close(self) -> None:
        """Release files and connections; twice is a no-op. Any other call afterwards raises StoreUnavailable."""
        ...

    # ---- settings

    async def secret(self) -> bytes:
        """32 random bytes made with the schema and kept with the store: the key of episode digests."""
        ...

    async def relations(self) -> Sequence[Relation]:
        """The declared relations, ordered by name; empty when none was declared."""
        ...

    async def put_relations(self, relations: Sequence[Relation]) -> None:
        """Keep these declarations, replacing those of the same name. Refolding is the engine's duty."""
        ...

    # ---- accept and jobs

    async def accept(
        self, episodes: Sequence[Episode], now: Instant, answers: Mapping[str, str] | None = None
    ) -> Sequence[Acceptance]:
        """Keep episodes and queue one job each, durably, in one transaction; acknowledged means on the disk (synchronous FULL).

        Answers in the order given. An id met before is left alone (SAME, CONFLICT, ERASED); the same id twice in one call is
        SAME or CONFLICT the second time. The text is searchable as a raw episode from here on. `now` becomes `accepted_at`.
        `answers`: by episode id, the recorded answer a new job starts with (claims that a program brought along).
        """
        ...

    async def lease(
        self, *, owner: str, now: Instant, until: Instant, limit: int, group_id: str | None = None
    ) -> Sequence[Job]:
        """Take up to `limit` ready jobs of one group, in order of acceptance, all under one new fencing number.

        Ready: queued or retrying with `run_after <= now`, or running with a lease that ended (`run_after <= now`). A group of
        which any job is running under a live lease gives none; jobs that wait for a retry do not hold up those behind them.
        Without `group_id` the group whose ready work has waited longest (smallest `run_after`, then smallest seq) is taken.
        Each job becomes running with `attempts + 1`, durably, before this returns. Empty when nothing is ready. The fencing
        numbers of a group are 1, 2, 3 …; they go on after the group was erased.
        """
        ...

    async def extend(self, *, group_id: str, fence: int, until: Instant) -> None:
        """Prolong the lease of every job running under `fence`. Raises LeaseLost if there is none."""
        ...

    async def finish(self, outcome: JobOutcome) -> None:
        """Move one job by itself: to retry, quarantine or drop it, to queue it again, or to record its answer.

        With a fence the job must be running under it, else LeaseLost. Without one (a user's act) a running job cannot be moved
        (LeaseLost), `done` can only be queued again, and attempts of a job queued again count from 0; to `running` only a lease
        leads (InvalidInput). What the outcome leaves None stays; a job that no longer runs has no owner. Raises NotFound for an
        unknown job.
        """
        ...

    async def jobs(
        self,
        *,
        group_ids: Sequence[str] | None = None,
        states: Sequence[JobState] | None = None,
        job_ids: Sequence[str] | None = None,
        limit: int = 1_000,
    ) -> Sequence[Job]:
        """Jobs in order of acceptance; None means any. Empty when none matches."""
        ...

    async def count_jobs(self, group_ids: Sequence[str] | None = None) -> Mapping[JobState, int]:
        """How many jobs are in each state; every state is a key."""
        ...

    async def next_run_at(self, group_id: str | None = None) -> Instant | None:
        """The smallest `run_after` of jobs that are queued, retrying or running; None when there is none."""
        ...

    # ---- writing

    async def commit(self, changes: Sequence[Changes]) -> None:
        """Write all of them or nothing, in order; they are of one group, with rising `tau`.

        Raises CommitConflict if the group's last transaction time is not the first `based_on`, if a version to expire or a link
        to unsupport is not open, or if an entity, fact, claim or episode that is referred to is missing; for a job what `finish`
        raises. Afterwards the group's last transaction time is the last `tau`. What is new is found at once.

        An entity, name, mention or fact that exists stays as it is, and so does the very same claim (its `retracted_at` is not
        looked at: retractions say it). InvalidInput for what no engine should send: changes of several groups, a `tau` that does
        not rise, another claim under an id that exists, a version or retraction id that exists, a link to open that is open.
        """
        ...

    async def erase(self, erasure: Erasure) -> None:
        """Take content out for good and put the replayed versions in its place, in one transaction, then scrub.

        After it returns no byte of the erased text is left in rows, indexes or log files of the store, as far as no other reader
        holds an older snapshot; in that case StoreUnavailable says so (StoreFull, if scrubbing lacks room): what was to be erased
        can no longer be read, and calling `scrub` again finishes it. Erasing again what
        is gone is a no-op apart from the tombstones, which keep their first `tau`. Raises CommitConflict as `commit` does, also
        if something that stays refers to what is erased. Names that stay but were learned in an erased episode lose their
        `episode_id`; a retraction all of whose claims are erased goes; the receipt's kind is "erase".
        """
        ...

    async def scrub(self) -> None:
        """Overwrite what deleted rows left behind (indexes merged, log emptied). StoreUnavailable: a reader blocks it."""
        ...

    # ---- reading for the fold

    async def read_timelines(
        self,
        group_id: str,
        *,
        facts: Sequence[FactKey] = (),
        subjects: Sequence[tuple[str, str]] = (),
        objects: Sequence[tuple[str, str]] = (),
    ) -> TimelineRead:
        """Claims of these facts, of these (relation, subject) and of these (relation, object) pairs, with what stands now.

        One consistent snapshot. Unknown keys give nothing; `tau` is given all the same.
        """
        ...

    async def claims(
        self,
        group_id: str,
        *,
        claim_ids: Sequence[str] | None = None,
        episode_ids: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        entity_ids: Sequence[str] | None = None,
        relation: str | None = None,
    ) -> Sequence[StoredClaim]:
        """Claims that match every selection given, retracted ones too, ordered by (ref, seq, claim id).

        `entity_ids`: as subject or object. With no selection, all of the group.
        """
        ...

    # ---- reading

    async def groups(self) -> Sequence[GroupState]:
        """Every group with an episode, an entity or a fact, with its counts (expired versions too), ordered by id."""
        ...

    async def group(self, group_id: str) -> GroupState:
        """One group; with zero counts and tau MIN if nothing was ever told to it. An erased group keeps its tau."""
        ...

    async def episodes(self, group_id: str, episode_ids: Sequence[str]) -> Sequence[Episode]:
        """Those that exist, in the order asked for."""
        ...

    async def recent_episodes(
        self,
        group_ids: Sequence[str],
        *,
        limit: int,
        before: Instant | None = None,
        known_at: Instant | None = None,
        filter: Filter | None = None,
    ) -> Sequence[Episode]:
        """The newest by `said_at` (ties: newest accepted) with `said_at < before` and `learned_at <= known_at`, oldest first."""
        ...

    async def turns(self, scope: Scope, keys: Sequence[ItemKey]) -> Mapping[ItemKey, Turn]:
        """These episodes that exist, with their neighbours in the session among the episodes `search_text` sees in the scope.

        Neighbours go by `said_at`, then acceptance; episodes without a session are one session.
        """
        ...

    async def entities(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Entity]:
        """Those that exist, in the order asked for."""
        ...

    async def entities_named(self, group_ids: Sequence[str], keys: Sequence[str]) -> Sequence[Name]:
        """Names with one of these keys, ordered by (key, group, entity id)."""
        ...

    async def names_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Name]:
        """Every name of these entities, ordered by (entity id, key)."""
        ...

    async def list_names(self, group_ids: Sequence[str], *, limit: int = 100_000) -> Sequence[Name]:
        """All names of the groups, ordered by (key, group, entity id); what spotting names in a text works from."""
        ...

    async def facts(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[Fact]:
        """Those that exist, in the order asked for."""
        ...

    async def mentions_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """(episode_id, entity_id) pairs of these entities, ordered."""
        ...

    async def versions_in_scope(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[FactVersion]:
        """Versions inside the scope that match every selection given; `touching`: as subject or as object.

        Ordered by (valid_at, an undated past first; relation; subject; object; created_at; version id); `limit` keeps the first.
        An undated past is seen by possible reads only. With a filter a version counts when a claim that supports it at `known_at`
        comes from a matching episode; for the filter's speaker its `told_by` counts like the episode's speaker.
        """
        ...

    async def whole_versions(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[WholeVersion]:
        """What `versions_in_scope` gives, in its order, with all that is told of each, read at one moment."""
        ...

    async def edges_of(self, scope: Scope, keys: Sequence[ItemKey]) -> Sequence[Edge]:
        """The versions of these facts inside the scope: one group after another, each as `versions_in_scope` orders it."""
        ...

    async def edges_around(
        self, scope: Scope, keys: Sequence[ItemKey], *, limit: int, enough: int, with_episodes: bool = True
    ) -> tuple[Sequence[Edge], Sequence[Edge]]:
        """Two steps of a walk: the versions in the scope that touch these entities, then those that touch what they led to.

        Each group by itself, in order of the groups' ids: as `versions_in_scope` orders, and keeps the first `limit` of, the
        versions with one of the entities as an end. The second step goes on from all other ends of the first; it is empty when
        the first came to `enough` facts. Without `with_episodes` the edges name no episodes, and are read in half the time.
        """
        ...

    async def versions_of(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[FactVersion]:
        """Every version of these facts, expired ones too, ordered by (created_at, valid_at, version id)."""
        ...

    async def support_of(
        self, group_id: str, version_ids: Sequence[str], known_at: Instant
    ) -> Sequence[tuple[str, StoredClaim]]:
        """(version_id, claim) for the links open at `known_at`, ordered by (version id, ref, seq, claim id)."""
        ...

    async def changed_between(self, group_ids: Sequence[str], after: Instant, until: Instant) -> Sequence[FactVersion]:
        """Versions with created_at or expired_at in (after, until], ordered by (the first such moment, version id).

        An open `expired_at` is no moment, whatever `until` is.
        """
        ...

    async def tombstones(self, group_id: str, target_ids: Sequence[str] | None = None) -> Sequence[Tombstone]:
        """Tombstones of the group, one a kind and target, ordered by (tau, target id, kind); of these targets, if given."""
        ...

    async def at_one_moment(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """What `work` returns, done on one snapshot of the store where it keeps one: an embedded store does.

        All that `work` waits for are reads of this store: it may be run on a thread without an event loop.
        """
        ...

    async def search_text(self, target: SearchTarget, terms: Sequence[str], scope: Scope, *, limit: int) -> Hits:
        """The best matches for any of these terms (`graphmem.terms.terms`), by BM25, inside the scope; ties by id, and of more
        ties than the limit has room for those kept first.

        FACT: facts with a version in the scope. EPISODE: episodes of the groups that pass the filter, `learned_at <= known_at`.
        ENTITY: entities with `created_at <= known_at`. No terms: empty; of more than 256 different ones the first 256 count.
        Scores rise with relevance.
        """
        ...

    async def search_all(self, searches: Sequence[TextSearch | VectorSearch], scope: Scope) -> Sequence[Hits]:
        """What `search_text` and `search_vector` give for each of these, in their order, asked at once."""
        ...

    # ---- vectors

    # They are made from what the store holds and can be made again: no content, not in the digest, not copied. What they
    # belong to takes them along when it is erased. An entity that is renamed and a fact that is reworded wait for new ones.

    async def embedding_model(self) -> EmbeddingModel | None:
        """The model of the vectors; None before `start_vectors`."""
        ...

    async def start_vectors(self, model: EmbeddingModel) -> None:
        """From now on keep vectors of this model: those of another go, and every item waits for one.

        The same again: a no-op, but that a damaged file is mended: what lost its vector waits again, and what is left over goes.
        """
        ...

    async def unembedded(self, *, limit: int, group_ids: Sequence[str] | None = None) -> Sequence[ItemKey]:
        """Facts, entities and episodes that wait for a vector, ordered by group, target and id; none before `start_vectors`."""
        ...

    async def count_unembedded(self, group_ids: Sequence[str] | None = None) -> int:
        """How many items wait for a vector; 0 before `start_vectors`."""
        ...

    async def put_vectors(self, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
        """Keep these vectors in one transaction, in place of earlier ones; they no longer wait. What is gone is passed over.

        Raises EmbedderMismatch when the store does not keep vectors of this model, InvalidInput for a vector of another shape
        or one that is not finite. A vector of zeros is near nothing (cosine 0). Tokens may be kept in 8 bits each number.
        """
        ...

    async def search_vector(self, target: SearchTarget, vector: Floats, scope: Scope, *, limit: int) -> Hits:
        """The nearest by cosine (−1 to 1, the score) inside the scope, as `search_text` sees it; ties by id.

        Up to 100,000 vectors a group the result is exact; beyond, at least 98 of 100 of the first 20 are found. Empty before
        `start_vectors`; InvalidInput for a vector of another dimension.
        """
        ...

    async def vectors_of(self, target: SearchTarget, group_id: str, item_ids: Sequence[str]) -> Mapping[str, Floats]:
        """The vectors (dimension,) of those of these items that have one, as they are kept; a vector of zeros may be left out."""
        ...

    async def nearest_tokens(self, keys: Sequence[ItemKey], question: Floats) -> Mapping[ItemKey, Floats]:
        """For each of these items that has token vectors: the cosine of its nearest token to each token of the question.

        `question`: (tokens, dimension), rows of length 1; the cosines: (tokens of the question,). What late interaction ranks by.
        Empty before `start_vectors`; InvalidInput for a question of another dimension.
        """
        ...

    # ---- upkeep

    async def verify(self) -> Sequence[str]:
        """What is wrong, one sentence each, naming ids but no content; empty when all is well.

        Checks the integrity of the file, every reference, that versions believed now rest on a claim, that no two of one fact or
        of rivals (declared and built-in relations) overlap, and that search rows equal facts, entities and episodes.
        """
        ...

    async def backup(self, target: Path) -> None:
        """A consistent copy at `target`, which must not exist (InvalidInput); readers and writers go on."""
        ...

    async def digest(self) -> str:
        """A hash over all content in a fixed order: equal stores have equal digests. For tests and copies.

        The secret, the groups' fencing numbers and `Job.seq` are no content (the order of a group's jobs is).
        """
        ...
