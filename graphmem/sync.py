"""SyncMemory: the façade for programs without an event loop. Generated from memory.py by `make sync`; do not edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from graphmem.groups import DEFAULT_GROUP
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.embed import EmbeddingProgress
from graphmem.ingest.extract import Fallback
from graphmem.ingest.merge import Merge
from graphmem.ingest.new_claims import NewClaim
from graphmem.ingest.receipt import Receipt
from graphmem.loop_thread import LoopThread
from graphmem.memory import (
    DEFAULT_BUDGET_TOKENS,
    DEFAULT_URL,
    ESTIMATE,
    IMPORT_BATCH,
    ErasureReport,
    ImportReport,
    Memory,
)
from graphmem.model import DatedFact, Entity, Episode, Filter, Job, JobState, Source, StoredClaim
from graphmem.open_relations import RelationRivalry
from graphmem.ports import (
    BatchProgress,
    Clock,
    Embedder,
    Extractor,
    GroupState,
    IdSource,
    LanguageModel,
    PairScorer,
    Redactor,
    SearchTarget,
    Store,
    TokenCounter,
    VectorForm,
)
from graphmem.retrieve.fact_block import FactBlock
from graphmem.retrieve.provenance import BeliefChange, Evidence
from graphmem.retrieve.query import Answer, Query
from graphmem.retrieve.recipes import FULL, Recipe
from graphmem.retrieve.search import Findings
from graphmem.timeline.claims import Relation, Rivalry

if TYPE_CHECKING:
    import networkx

    from graphmem.ingest.batches import BatchReport
    from graphmem.ontology import Ontology
__all__ = ["SyncMemory"]


class SyncMemory:
    """Memory for programs without an event loop; its calls block. Works inside a running loop's thread too.

    >>> import tempfile
    >>> from datetime import datetime, UTC
    >>> with tempfile.TemporaryDirectory() as folder, SyncMemory.open(f"{folder}/alice.db") as memory:
    ...     receipt = memory.add_episode("I work at Acme.", speaker="Alice", said_at=datetime(2025, 2, 10, tzinfo=UTC))
    ...     [fact.text for fact in memory.facts(subject="Alice")]
    ['Alice works at Acme']
    """

    def __init__(self, memory: Memory, loop: LoopThread) -> None:
        self._memory = memory
        self._loop = loop

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @classmethod
    def open(
        cls,
        url: str | Path | Store = DEFAULT_URL,
        *,
        relations: Iterable[Relation] | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
        extractor: Extractor | None = None,
        redactor: Redactor | None = None,
        embedder: Embedder | str | None = None,
        reranker: PairScorer | str | None = None,
        recipe: Recipe | str = FULL,
        vectors: VectorForm | str = VectorForm.FLOAT32,
        model: LanguageModel | str | None = None,
        fallback: Fallback | str = Fallback.NONE,
        ontology: Ontology | None = None,
    ) -> Self:
        """Open a memory, making its store if there is none yet. A store of the caller's own may be given instead of a url.

        `relations` are declared for good: they are kept with the store, win over the built-in table, and a declaration that
        changed folds the facts of that relation again. With an `embedder` ("local", a folder, see `open_embedder`) what is told
        from now on is found by its meaning too; without one, and while its endpoint is away, by words and graph alone.
        `reranker`: a cross-encoder for the recipe of that name, itself or the name or folder of a model of
        sentence-transformers. `recipe`: how searches find and rank unless told otherwise. `vectors`: whether a file keeps new
        vectors as "float32" or "int8", a quarter of the size.
        `model`: a language model that reads what is told, itself or by name ("anthropic:claude-haiku-5-5", see `open_model`);
        without one the offline rules read. `fallback`: "rules", so that they read meanwhile what the model could not. `ontology`:
        the types and relations that may stand. An `extractor` of the caller's own wins over all of this.
        Raises SchemaMismatch for a file of another kind, EmbedderMismatch where the vectors were made by another model (see
        `reembed`), StoreUnavailable, ConfigError for an unknown url, embedder or form of vectors, InvalidQuery for a recipe,
        InvalidInput for a part that is none.
        """
        loop = LoopThread()
        try:
            memory = loop.run(
                Memory.open(
                    url,
                    relations=relations,
                    clock=clock,
                    ids=ids,
                    extractor=extractor,
                    redactor=redactor,
                    embedder=embedder,
                    reranker=reranker,
                    recipe=recipe,
                    vectors=vectors,
                    model=model,
                    fallback=fallback,
                    ontology=ontology,
                )
            )
        except BaseException:
            loop.stop()
            raise
        return cls(memory, loop)

    def close(self) -> None:
        """Finish the work in hand and release the store; what is queued stays queued. Twice is a no-op."""
        if self._loop.is_stopped:
            return
        try:
            self._loop.run(self._memory.close())
        finally:
            self._loop.stop()

    def declare(self, relations: Iterable[Relation]) -> None:
        """Declare how relations behave; facts of those that changed are folded again at a new transaction time."""
        return self._loop.run(self._memory.declare(relations))

    def relations(self) -> Sequence[Relation]:
        """The relations declared in this store, ordered by name; the built-in table is not among them."""
        return self._loop.run(self._memory.relations())

    def set_rivalry(
        self,
        relation: str,
        rivalry: Rivalry | str,
        *,
        group_id: str = DEFAULT_GROUP,
        said_at: datetime | None = None,
        speaker: str | None = None,
        reason: str = "",
    ) -> Receipt:
        """Say of an open relation whether a new value ends the old one ("subj", "both") or they stand side by side ("none").

        An open relation is one that nobody declared and the built-in table does not hold. Said as one new episode, whose claim
        rules how the facts of the relation are folded in this group from now on: it outweighs what a model concluded and what
        was said before; answers as known before stay as they were. `retract` and `erase` of its episode take it back. Raises
        InvalidInput for a relation that is declared or built in (see `declare`) and for a rivalry that is none.
        """
        return self._loop.run(
            self._memory.set_rivalry(
                relation, rivalry, group_id=group_id, said_at=said_at, speaker=speaker, reason=reason
            )
        )

    def rivalries(
        self, *, group_id: str = DEFAULT_GROUP, known_at: datetime | None = None
    ) -> Sequence[RelationRivalry]:
        """What was known of the rivalry of open relations, each by the claim that says so, ordered by name.

        A relation of which nothing was said is not among them: its facts stand side by side.
        """
        return self._loop.run(self._memory.rivalries(group_id=group_id, known_at=known_at))

    def add_episode(
        self,
        text: str,
        *,
        group_id: str = DEFAULT_GROUP,
        episode_id: str | None = None,
        source: Source | str = Source.MESSAGE,
        speaker: str | None = None,
        session_id: str | None = None,
        said_at: datetime | None = None,
        metadata: Mapping[str, str] | None = None,
        trusted: bool = True,
        wait: bool = True,
        timeout_s: float | None = None,
    ) -> Receipt:
        """Tell the memory one thing; the receipt says what it added, closed, re-dated and left out.

        The text is kept, durably, before anything else happens. `wait=False` returns then and works in the background;
        `wait=True` returns when the job is done, set aside or waits for a retry, and raises Busy after `timeout_s` (the job
        goes on). Without `said_at` it was said now. Raises InvalidInput, IdempotencyConflict (this `episode_id` was used for
        another text), Erased.
        """
        return self._loop.run(
            self._memory.add_episode(
                text,
                group_id=group_id,
                episode_id=episode_id,
                source=source,
                speaker=speaker,
                session_id=session_id,
                said_at=said_at,
                metadata=metadata,
                trusted=trusted,
                wait=wait,
                timeout_s=timeout_s,
            )
        )

    def add_episodes(
        self,
        episodes: Iterable[NewEpisode],
        *,
        progress: Callable[[ImportReport], None] | None = None,
        batch: int = IMPORT_BATCH,
        wait: bool = True,
    ) -> ImportReport:
        """Tell the memory many things in order, in batches; memory use does not grow with their number.

        `progress` is called after every batch. What was accepted before an error stays, and telling it again is a no-op.
        `wait=False` only keeps them: `run_jobs` or `read_in_batches` reads them later.
        """
        return self._loop.run(self._memory.add_episodes(episodes, progress=progress, batch=batch, wait=wait))

    def add_claims(
        self,
        claims: Sequence[NewClaim],
        *,
        group_id: str = DEFAULT_GROUP,
        episode: NewEpisode | None = None,
        said_at: datetime | None = None,
        trusted: bool = True,
        wait: bool = True,
    ) -> Receipt:
        """Tell the memory what a program has read itself; no extractor runs.

        `episode` is the source they were read in; without one the claims, said in words, are the source. Raises InvalidClaim
        for the first that cannot be one, and then nothing is written.
        """
        return self._loop.run(
            self._memory.add_claims(
                claims, group_id=group_id, episode=episode, said_at=said_at, trusted=trusted, wait=wait
            )
        )

    def retract(
        self,
        *,
        group_id: str = DEFAULT_GROUP,
        episode_id: str | None = None,
        fact_id: str | None = None,
        claim_ids: Sequence[str] = (),
        reason: str = "",
    ) -> int:
        """Withdraw what an episode said, what was said of a fact, or single claims: as if unsaid, from now on.

        Answers as known before stay as they were. Returns how many claims were withdrawn. Raises NotFound when none is active.
        """
        return self._loop.run(
            self._memory.retract(
                group_id=group_id, episode_id=episode_id, fact_id=fact_id, claim_ids=claim_ids, reason=reason
            )
        )

    def correct(
        self,
        fact_id: str,
        *,
        group_id: str = DEFAULT_GROUP,
        object: str | None = None,
        start: datetime | str | None = None,
        end: datetime | str | None = None,
        said_at: datetime | None = None,
        speaker: str | None = None,
    ) -> Receipt:
        """Say that a fact was told wrongly: another object, another start or another end, as one new episode.

        The old object never was so, the new one takes over its dates unless others are given (R19a). Raises NotFound, Erased,
        InvalidInput when nothing is to be corrected.
        """
        return self._loop.run(
            self._memory.correct(
                fact_id, group_id=group_id, object=object, start=start, end=end, said_at=said_at, speaker=speaker
            )
        )

    def merge(self, kept: str, merged: str, *, group_id: str = DEFAULT_GROUP, reason: str = "") -> Merge:
        """Take two entities, by name or id, for one: what was told of `merged` is told of `kept`, and found by both names.

        Answers as known before stay as they were. Raises NotFound, and InvalidInput for a name that several have (give its id).
        """
        return self._loop.run(self._memory.merge(kept, merged, group_id=group_id, reason=reason))

    def unmerge(self, merge_id: str, *, group_id: str = DEFAULT_GROUP) -> int:
        """Undo a merge of `merges`, a user's or a model's; returns how many claims moved back. Raises NotFound.

        What was told of the merged name since then stays where it is.
        """
        return self._loop.run(self._memory.unmerge(merge_id, group_id=group_id))

    def merges(self, *, group_id: str = DEFAULT_GROUP) -> Sequence[Merge]:
        """Every name that was taken for another's, by a user or a model, oldest first, those undone too."""
        return self._loop.run(self._memory.merges(group_id=group_id))

    def erase(
        self,
        *,
        group_id: str = DEFAULT_GROUP,
        episode_id: str | None = None,
        fact_id: str | None = None,
        entity: str | None = None,
        whole_group: bool = False,
        reason: str = "",
    ) -> ErasureReport:
        """Take something out for good, from every past view too; give exactly one target.

        An episode goes with all it states; a fact and an entity (by name or id) go with the episodes that speak of them. What
        other episodes say stays and keeps its history. Only a tombstone without content is left. The report names episodes that
        hold a name of the entity though nothing was read in them about it (`still_named`). Raises NotFound.
        """
        return self._loop.run(
            self._memory.erase(
                group_id=group_id,
                episode_id=episode_id,
                fact_id=fact_id,
                entity=entity,
                whole_group=whole_group,
                reason=reason,
            )
        )

    def facts(
        self,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        at: datetime | None = None,
        during: tuple[datetime | None, datetime | None] | None = None,
        known_at: datetime | None = None,
        possible: bool = False,
        subject: str | None = None,
        relation: str | None = None,
        object: str | None = None,
        touching: str | None = None,
        filter: Filter | None = None,
        limit: int = 1000,
    ) -> list[DatedFact]:
        """Facts at a moment (`at`), over a window (`during`, half-open, None for an open side), as known at a moment, or both.

        Nothing given: what is true now. Only `known_at`: true then, as known then (R27). Names or entity ids select. Ordered by
        valid_at, relation, subject, object; over a window on a relation of rivals that is a timeline. Empty when nothing matches.
        """
        return self._loop.run(
            self._memory.facts(
                group_ids=group_ids,
                at=at,
                during=during,
                known_at=known_at,
                possible=possible,
                subject=subject,
                relation=relation,
                object=object,
                touching=touching,
                filter=filter,
                limit=limit,
            )
        )

    def timeline(
        self, entity: str, *, group_ids: Sequence[str] | str = DEFAULT_GROUP, known_at: datetime | None = None
    ) -> list[DatedFact]:
        """Everything ever true of an entity (name or id), past and planned, undated past first, as known at a moment."""
        return self._loop.run(self._memory.timeline(entity, group_ids=group_ids, known_at=known_at))

    def claims(
        self, *, group_id: str = DEFAULT_GROUP, episode_ids: Sequence[str] | None = None
    ) -> Sequence[StoredClaim]:
        """What was told, claim by claim, in testimony order, retracted ones too; of these episodes only, if given."""
        return self._loop.run(self._memory.claims(group_id=group_id, episode_ids=episode_ids))

    def history(self, fact_id: str, *, group_id: str = DEFAULT_GROUP) -> list[DatedFact]:
        """Every version a fact ever had, in the order the memory came to believe them. Raises NotFound, Erased."""
        return self._loop.run(self._memory.history(fact_id, group_id=group_id))

    def why(self, fact_id: str, *, group_id: str = DEFAULT_GROUP) -> list[Evidence]:
        """The episodes that speak of a fact, each with the sentence that says it, oldest first. Raises NotFound, Erased."""
        return self._loop.run(self._memory.why(fact_id, group_id=group_id))

    def diff(
        self, known_a: datetime, known_b: datetime, *, group_ids: Sequence[str] | str = DEFAULT_GROUP
    ) -> list[BeliefChange]:
        """What the memory came to believe otherwise after `known_a` and up to `known_b`, by fact."""
        return self._loop.run(self._memory.diff(known_a, known_b, group_ids=group_ids))

    def graph(
        self,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        at: datetime | None = None,
        known_at: datetime | None = None,
        possible: bool = False,
    ) -> networkx.MultiDiGraph:
        """The whole graph at a moment, as known at a moment, for networkx; see `graphmem.retrieve.graph.graph_of`."""
        return self._loop.run(self._memory.graph(group_ids=group_ids, at=at, known_at=known_at, possible=possible))

    def search(
        self,
        text: str,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        targets: Sequence[SearchTarget] = (SearchTarget.FACT, SearchTarget.EPISODE),
        at: datetime | None = None,
        during: tuple[datetime | None, datetime | None] | None = (None, None),
        known_at: datetime | None = None,
        filter: Filter | None = None,
        limit: int = 10,
        recipe: Recipe | str | None = None,
        minimum: float | None = None,
        neighbours: int = 0,
        centre: str | None = None,
        asked_at: datetime | None = None,
    ) -> Findings:
        """The best matches for a text among facts, raw episodes and entities, best first: a list, with `notes`.

        By default facts of any valid time are searched; `at` and `during` narrow them. Words and graph find, and with an
        embedder meaning too; `recipe` (default: the one the memory was opened with) says how they are brought together.
        `minimum`: hits that are less near to the text stay out (default: the recipe's; see `Found.nearness`). `neighbours`: so
        many turns before and after each episode come along. `centre`: an entity, by name or id, from which the graph is walked
        and distances are counted, in place of what the text names. `asked_at`: what time words of the text count from (default
        now); they move turns said about then to the front. Empty when nothing matches. Raises NotFound for a centre that there
        is not.
        """
        return self._loop.run(
            self._memory.search(
                text,
                group_ids=group_ids,
                targets=targets,
                at=at,
                during=during,
                known_at=known_at,
                filter=filter,
                limit=limit,
                recipe=recipe,
                minimum=minimum,
                neighbours=neighbours,
                centre=centre,
                asked_at=asked_at,
            )
        )

    def query(self, query: Query) -> Answer:
        """The exact answer to a formal query; `ask` is this with the query read from words."""
        return self._loop.run(self._memory.query(query))

    def ask(
        self,
        question: str,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        asked_at: datetime | None = None,
        at: datetime | None = None,
        during: tuple[datetime | None, datetime | None] | None = None,
        known_at: datetime | None = None,
        asker: str | None = None,
    ) -> Answer:
        """Answer a question in plain English, exactly or not at all.

        Time words are read as of `asked_at` in its zone (default now); `at`, `during` and `known_at` win over what the words
        say. "I" and "my" mean the `asker`, if given. An answer that is not known says so, has no values, and shows what a
        search finds nearest (`nearby_facts`, `nearby_turns`); one that is known names its facts, episodes and scope. Raises
        InvalidQuery for a question of over 1,000 characters.
        """
        return self._loop.run(
            self._memory.ask(
                question, group_ids=group_ids, asked_at=asked_at, at=at, during=during, known_at=known_at, asker=asker
            )
        )

    def context(
        self,
        question: str,
        *,
        recent_turns: Sequence[str] = (),
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        asked_at: datetime | None = None,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        known_at: datetime | None = None,
        filter: Filter | None = None,
        count_tokens: TokenCounter | str = ESTIMATE,
    ) -> FactBlock:
        """What the memory holds for a question, as text for a prompt: dated facts and raw turns, framed as data, within a budget.

        `recent_turns`: what was said just before, oldest first; a follow-up ("and before that?") is completed from them. What
        is over shows, marked, where the question is of more than the present. `count_tokens`: the tokenizer of the model that
        will read it, as a function, a tokenizer.json or a folder with one; by default an estimate, safe for English
        prose, too low for ids and the like. Raises InvalidLimit for a budget that holds no fact block, ConfigError for a
        tokenizer that there is not.
        """
        return self._loop.run(
            self._memory.context(
                question,
                recent_turns=recent_turns,
                group_ids=group_ids,
                asked_at=asked_at,
                budget_tokens=budget_tokens,
                known_at=known_at,
                filter=filter,
                count_tokens=count_tokens,
            )
        )

    def entities(self, name: str, *, group_ids: Sequence[str] | str = DEFAULT_GROUP) -> list[Entity]:
        """The entities of this name (or id); several when it is ambiguous, none when it is unknown."""
        return self._loop.run(self._memory.entities(name, group_ids=group_ids))

    def episodes(self, episode_ids: Sequence[str], *, group_id: str = DEFAULT_GROUP) -> Sequence[Episode]:
        """Those of these episodes that exist, in the order asked for."""
        return self._loop.run(self._memory.episodes(episode_ids, group_id=group_id))

    def recent(
        self, *, group_ids: Sequence[str] | str = DEFAULT_GROUP, limit: int = 20, filter: Filter | None = None
    ) -> Sequence[Episode]:
        """The newest episodes by the time they were said, oldest first."""
        return self._loop.run(self._memory.recent(group_ids=group_ids, limit=limit, filter=filter))

    def groups(self) -> Sequence[GroupState]:
        """Every group with its counts, ordered by id."""
        return self._loop.run(self._memory.groups())

    def jobs(
        self,
        *,
        group_ids: Sequence[str] | str | None = None,
        states: Sequence[JobState] | None = None,
        job_ids: Sequence[str] | None = None,
        limit: int = 1000,
    ) -> Sequence[Job]:
        """Jobs in order of acceptance."""
        return self._loop.run(self._memory.jobs(group_ids=group_ids, states=states, job_ids=job_ids, limit=limit))

    def count_jobs(self, *, group_ids: Sequence[str] | str | None = None) -> Mapping[JobState, int]:
        """How many jobs are in each state; their sum is the number of accepted episodes."""
        return self._loop.run(self._memory.count_jobs(group_ids=group_ids))

    def run_jobs(self, *, group_id: str | None = None) -> int:
        """Work off what is queued, whoever queued it; returns how many jobs came to an end."""
        return self._loop.run(self._memory.run_jobs(group_id=group_id))

    def read_in_batches(
        self,
        *,
        group_id: str = DEFAULT_GROUP,
        poll_s: float = 30.0,
        progress: Callable[[BatchReport, BatchProgress], None] | None = None,
    ) -> BatchReport:
        """Read what waits by batches of the model: half the price, within a day, usually within the hour.

        Which batch a job is in is kept with it: killed and called again, it goes on where it was. What a batch could not read is
        read one by one. Raises InvalidInput where the model takes no batches, ModelError when it fails.
        """
        return self._loop.run(self._memory.read_in_batches(group_id=group_id, poll_s=poll_s, progress=progress))

    def reextract(
        self,
        *,
        group_id: str = DEFAULT_GROUP,
        since: datetime | None = None,
        until: datetime | None = None,
        filter: Filter | None = None,
        wait: bool = True,
    ) -> int:
        """Read stored episodes again, as with a better model or prompt; returns how many were queued for it.

        Of those said from `since` until before `until` that pass the filter. What was read in an episode before gives way to
        what is read now in one transaction, and answers as known before stay as they were. Broken off, the next call goes on
        there: what this model and prompt have read is left alone, and so is what a program told as claims. `wait=False` only
        queues them: `run_jobs` or `read_in_batches` reads them.
        """
        return self._loop.run(
            self._memory.reextract(group_id=group_id, since=since, until=until, filter=filter, wait=wait)
        )

    def retry_job(self, job_id: str, *, group_id: str = DEFAULT_GROUP) -> None:
        """Queue a quarantined job again. Raises NotFound, LeaseLost while it is running."""
        return self._loop.run(self._memory.retry_job(job_id, group_id=group_id))

    def drop_job(self, job_id: str, *, group_id: str = DEFAULT_GROUP) -> None:
        """Give a job up; its episode stays as raw text. Raises NotFound, LeaseLost while it is running."""
        return self._loop.run(self._memory.drop_job(job_id, group_id=group_id))

    def reembed(
        self, embedder: Embedder | str | None = None, *, progress: Callable[[EmbeddingProgress], None] | None = None
    ) -> int:
        """Make the vectors that are missing; with an embedder of another model, all of them anew. Returns how many were made.

        What was made stays when it is broken off, and the next call goes on there. Meanwhile searches go by words and graph
        and by the vectors there are, and say so. Raises InvalidInput without an embedder, ModelError when it fails.
        """
        return self._loop.run(self._memory.reembed(embedder, progress=progress))

    def backup(self, target: str | Path) -> None:
        """A consistent copy of the store at `target`, which must not exist (InvalidInput); work goes on meanwhile."""
        return self._loop.run(self._memory.backup(target))

    def verify(self) -> Sequence[str]:
        """What is wrong with the store, one sentence each, without content; empty when all is well."""
        return self._loop.run(self._memory.verify())

    def digest(self) -> str:
        """A hash over all content: equal memories have equal digests."""
        return self._loop.run(self._memory.digest())
