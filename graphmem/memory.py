"""Memory: the façade, and the only place where the parts are wired together."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from graphmem.errors import Erased, InvalidInput, InvalidQuery, InvalidTime, NotFound
from graphmem.groups import DEFAULT_GROUP, check_group, checked_groups, shown
from graphmem.ingest.accept import KeepText, NewEpisode, zone_name
from graphmem.ingest.embed import Embedding, EmbeddingProgress
from graphmem.ingest.erase import ErasureTargets, plan_erasure, whole_group_erasure
from graphmem.ingest.jobs import FINAL, Background, Worker
from graphmem.ingest.new_claims import NewClaim, correction, episode_of_claims
from graphmem.ingest.pipeline import Ingestion
from graphmem.ingest.receipt import Receipt, receipt_from
from graphmem.ingest.redo import redo
from graphmem.ingest.withdraw import refold_relation, retract
from graphmem.model import (
    BEST_KNOWN,
    DatedFact,
    Entity,
    Episode,
    Filter,
    Job,
    JobOutcome,
    JobState,
    Scope,
    Source,
    StoredClaim,
    Window,
)
from graphmem.ports import (
    Acceptance,
    Clock,
    Embedder,
    Extraction,
    ExtractionContext,
    Extractor,
    GroupState,
    IdSource,
    PairScorer,
    Redactor,
    SearchTarget,
    Store,
    TokenCounter,
    Verdict,
)
from graphmem.relations import builtin_relations, relation_of
from graphmem.retrieve.ask import Asker, reader_of
from graphmem.retrieve.evaluate import evaluate
from graphmem.retrieve.fact_block import FactBlock, people_of, write_block
from graphmem.retrieve.follow_up import complete
from graphmem.retrieve.graph import graph_of
from graphmem.retrieve.pipeline import Retrieval, Search
from graphmem.retrieve.provenance import BeliefChange, Evidence, evidence_for, history_of, read_belief_changes
from graphmem.retrieve.query import Answer, Query
from graphmem.retrieve.reads import read_facts
from graphmem.retrieve.recall import Recall
from graphmem.retrieve.recipes import FULL, Recipe, recipe_of
from graphmem.retrieve.search import MAX_NEIGHBOURS, Findings, check_limit
from graphmem.retrieve.tokens import estimate_tokens
from graphmem.stores import open_store
from graphmem.terms import name_key
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant

if TYPE_CHECKING:
    import networkx

__all__ = ["DEFAULT_URL", "ErasureReport", "ImportReport", "Memory", "SystemClock", "SystemIds"]

DEFAULT_URL = "sqlite:///graphmem.db"
DEFAULT_BUDGET_TOKENS = 1_600
IMPORT_BATCH = 200
MAX_QUERY_CHARACTERS = 10_000
MAX_QUESTION_CHARACTERS = 1_000
"""A longer text is searched for by its beginning."""

_T = TypeVar("_T")
_U = TypeVar("_U")
_OPEN_FILTER = Filter()


class SystemClock:
    """The computer's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class OfflineRules:
    """The rules that read plain English without a model; their tables are compiled when first needed."""

    def __init__(self) -> None:
        self._rules: Extractor | None = None

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        if self._rules is None:
            from graphmem.ingest.rules import RuleExtractor

            self._rules = RuleExtractor()
        return await self._rules.extract(episode, context)


class SystemIds:
    """Ids that sort by the time they were made in, with 48 random bits."""

    def new_id(self, kind: str) -> str:
        return f"{kind}_{time.time_ns() // 1_000:013x}{secrets.token_hex(6)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ErasureReport:
    """What an erasure took out, and where words of it may still stand outside this store."""

    group_id: str
    episodes: int
    claims: int
    facts: int
    entities: int
    out_of_reach: tuple[str, ...] = ("backups and exports made earlier", "logs of model providers")


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportReport:
    """What an import did; `accepted` = `done` + `quarantined` + `waiting`."""

    accepted: int = 0
    repeated: int = 0
    """Told before: nothing was written for them."""
    done: int = 0
    quarantined: int = 0
    waiting: int = 0
    facts: int = 0
    """Facts that were new."""


class Memory:
    """A temporal memory over one store. Open it with `await Memory.open(url)`, close it or use it as a context manager.

    >>> import asyncio, tempfile
    >>> from datetime import datetime, UTC
    >>> async def main(folder):
    ...     async with await Memory.open(f"sqlite:///{folder}/alice.db") as memory:
    ...         await memory.add_episode("I work at Acme.", speaker="Alice", said_at=datetime(2025, 2, 10, tzinfo=UTC))
    ...         return [fact.text for fact in await memory.facts(subject="Alice")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asyncio.run(main(folder))
    ['Alice works at Acme']
    """

    def __init__(
        self,
        store: Store,
        ingestion: Ingestion,
        declared: dict[str, Relation],
        worker: Worker,
        retrieval: Retrieval,
    ) -> None:
        self._store = store
        self._ingestion = ingestion
        self._declared = declared
        self._worker = worker
        self._retrieval = retrieval
        self._background = Background(worker=worker)
        self._asker = Asker(store)
        self._is_closed = False

    # ---- opening and closing

    @classmethod
    async def open(
        cls,
        url: str | Path | Store = DEFAULT_URL,
        *,
        relations: Iterable[Relation] | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
        extractor: Extractor | None = None,
        redactor: Redactor | None = None,
        embedder: Embedder | str | None = None,
        reranker: PairScorer | None = None,
    ) -> Self:
        """Open a memory, making its store if there is none yet. A store of the caller's own may be given instead of a url.

        `relations` are declared for good: they are kept with the store, win over the built-in table, and a declaration that
        changed folds the facts of that relation again. With an `embedder` ("local", a folder, see `open_embedder`) what is told
        from now on is found by its meaning too; without one by words and graph alone. `reranker`: a cross-encoder for the
        recipe of that name. Raises SchemaMismatch for a file of another kind, EmbedderMismatch where the vectors were made by
        another model (see `reembed`), StoreUnavailable, ConfigError for an unknown url or embedder.
        """
        store = open_store(str(url)) if isinstance(url, str | Path) else url
        try:
            await store.ensure_schema()
            declared = {r.name: r for r in await store.relations()}
            clock = clock or SystemClock()
            ingestion = Ingestion(
                store=store,
                clock=clock,
                ids=ids or SystemIds(),
                extractor=extractor or OfflineRules(),
                redactor=redactor or KeepText(),
                relation_of=lambda name: relation_of(name, declared),
                secret=await store.secret(),
            )
            owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
            worker = Worker(ingestion=ingestion, owner=owner, monotonic=time.monotonic)
            memory = cls(store, ingestion, declared, worker, Retrieval(store=store, scorer=reranker))
            opened = _embedder(embedder)
            if opened is not None:
                await Embedding(store=store, embedder=opened).start()
                memory._use(opened)
            await memory.declare(relations or ())
        except BaseException:
            await store.close()
            raise
        return memory

    async def close(self) -> None:
        """Finish the work in hand and release the store; what is queued stays queued. Twice is a no-op."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await self._background.stop()
        finally:
            await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def declare(self, relations: Iterable[Relation]) -> None:
        """Declare how relations behave; facts of those that changed are folded again at a new transaction time."""
        given = tuple(relations)
        new = [r for r in given if self._declared.get(r.name) != r]
        if not new:
            return
        refolded = [r.name for r in new if _folds_otherwise(self._ingestion.relation_of(r.name), r)]
        self._declared.update((r.name, r) for r in new)
        for group in await self._store.groups() if refolded else ():
            for name in refolded:
                await redo(partial(self._refold, group.group_id, name))
        await self._store.put_relations(new)  # last: after a crash the next opening folds again

    async def _refold(self, group_id: str, name: str) -> None:
        ingestion = self._ingestion
        await refold_relation(self._store, ingestion.clock, ingestion.relation_of, group_id, name)

    async def relations(self) -> Sequence[Relation]:
        """The relations declared in this store, ordered by name; the built-in table is not among them."""
        return await self._store.relations()

    # ---- telling

    async def add_episode(
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
        new = NewEpisode(
            text=text,
            group_id=group_id,
            episode_id=episode_id,
            source=source,
            speaker=speaker,
            session_id=session_id,
            said_at=said_at,
            metadata=metadata or {},
            trusted=trusted,
        )
        (receipt,) = await self._add([new], wait=wait, timeout_s=timeout_s)
        return receipt

    async def add_episodes(
        self,
        episodes: Iterable[NewEpisode] | AsyncIterable[NewEpisode],
        *,
        progress: Callable[[ImportReport], None] | None = None,
        batch: int = IMPORT_BATCH,
    ) -> ImportReport:
        """Tell the memory many things in order, in batches; memory use does not grow with their number.

        `progress` is called after every batch. What was accepted before an error stays, and telling it again is a no-op.
        """
        report = ImportReport()
        accepted: Sequence[Acceptance] = ()
        async for some in _batches(episodes, batch):
            # The next batch is accepted while the last one is worked off.
            accepted, report = await _both(self._accept(some), self._worked_off(report, accepted, progress))
        return await self._worked_off(report, accepted, progress)

    async def _worked_off(
        self, report: ImportReport, accepted: Sequence[Acceptance], progress: Callable[[ImportReport], None] | None
    ) -> ImportReport:
        if not accepted:
            return report
        report = _counted(report, accepted, await self._finished(accepted, None))
        if progress is not None:
            progress(report)
        return report

    async def add_claims(
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
        new = episode_of_claims(
            claims, group_id=group_id, episode=episode, said_at=said_at or self._now(), trusted=trusted
        )
        (receipt,) = await self._add([new], wait=wait, timeout_s=None)
        return receipt

    async def _add(self, new: Sequence[NewEpisode], *, wait: bool, timeout_s: float | None) -> list[Receipt]:
        accepted = await self._accept(new)
        if not wait:
            self._background.wake()
            return [receipt_from(_job(a), a.verdict) for a in accepted]
        jobs = await self._finished(accepted, timeout_s)
        if any(job.state is JobState.RETRYING for job in jobs.values()):
            self._background.wake()
        return [receipt_from(jobs[a.episode_id], a.verdict) for a in accepted]

    async def _accept(self, new: Sequence[NewEpisode]) -> Sequence[Acceptance]:
        return await self._ingestion.accept(new)

    async def _finished(self, accepted: Sequence[Acceptance], timeout_s: float | None) -> dict[str, Job]:
        jobs = {a.episode_id: _job(a) for a in accepted}
        waiting: dict[str, list[str]] = {}
        for job in jobs.values():
            if job.state not in FINAL:
                waiting.setdefault(job.group_id, []).append(job.job_id)
        for group_id, job_ids in waiting.items():
            for job in await self._worker.wait_for(group_id, job_ids, timeout_s):
                jobs[job.job_id] = job
        return jobs

    # ---- taking back

    async def retract(
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
        claims = await self._claims_for(group_id, episode_id, fact_id, claim_ids)
        ingestion = self._ingestion
        active = [c for c in claims if c.retracted_at == MAX]
        await redo(
            lambda: retract(
                self._store, ingestion.clock, ingestion.ids, ingestion.relation_of, group_id, active, reason
            )
        )
        return len(active)

    async def correct(
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
        check_group(group_id)
        facts = [f for f in await history_of(self._store, group_id, fact_id) if f.version.expired_at == MAX]
        if not facts:
            raise NotFound(f"fact {fact_id!r} of group {group_id!r} is not believed now: there is nothing to correct")
        new = correction(
            facts[-1], object=object, start=start, end=end, said_at=said_at or self._now(), speaker=speaker
        )
        (receipt,) = await self._add([new], wait=True, timeout_s=None)
        return receipt

    async def erase(
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
        other episodes say stays and keeps its history. Only a tombstone without content is left. Raises NotFound.
        """
        check_group(group_id)
        if sum((episode_id is not None, fact_id is not None, entity is not None, whole_group)) != 1:
            raise InvalidInput("erase needs exactly one of episode_id, fact_id, entity, whole_group")
        report = await redo(lambda: self._erase(group_id, episode_id, fact_id, entity, reason))
        if self._worker.after_batch is not None:
            await self._worker.after_batch(group_id)  # what stays may have been renamed
        return report

    async def _erase(
        self, group_id: str, episode_id: str | None, fact_id: str | None, entity: str | None, reason: str
    ) -> ErasureReport:
        ingestion = self._ingestion
        if episode_id is None and fact_id is None and entity is None:
            counts = await self._store.group(group_id)
            if counts == GroupState(group_id=group_id, tau=MIN):
                raise NotFound(f"group {group_id!r} is empty")
            await self._store.erase(whole_group_erasure(counts, ingestion.clock, reason))
            return ErasureReport(
                group_id=group_id,
                episodes=counts.episodes,
                claims=counts.claims,
                facts=counts.facts,
                entities=counts.entities,
            )
        targets = await self._targets(group_id, episode_id, fact_id, entity)
        erasure = await plan_erasure(self._store, ingestion.clock, ingestion.relation_of, group_id, targets, reason)
        await self._store.erase(erasure)
        return ErasureReport(
            group_id=group_id,
            episodes=len(erasure.episode_ids),
            claims=len(erasure.claim_ids),
            facts=len(erasure.dropped),
            entities=len(erasure.entity_ids),
        )

    async def _targets(
        self, group_id: str, episode_id: str | None, fact_id: str | None, entity: str | None
    ) -> ErasureTargets:
        if episode_id is not None:
            if not await self._store.episodes(group_id, [episode_id]):
                await self._raise_missing(group_id, "episode", episode_id)
            return ErasureTargets(kind="episode", target_ids=(episode_id,), episode_ids=(episode_id,))
        if fact_id is not None:
            if not await self._store.facts(group_id, [fact_id]):
                await self._raise_missing(group_id, "fact", fact_id)
            return _speaking("fact", (fact_id,), await self._store.claims(group_id, fact_ids=[fact_id]))
        ids = await self._entity_ids((group_id,), entity or "")
        if not ids:
            raise NotFound(f"no entity {entity!r} in group {group_id!r}")
        mentions = await self._store.mentions_of(group_id, ids)
        targets = _speaking("entity", tuple(ids), await self._store.claims(group_id, entity_ids=ids))
        episodes = dict.fromkeys((*targets.episode_ids, *(m for m, _ in mentions)))
        return replace(targets, episode_ids=tuple(episodes))

    async def _raise_missing(self, group_id: str, kind: str, target_id: str) -> None:
        if await self._store.tombstones(group_id, [target_id]):
            raise Erased(f"{kind} {target_id!r} of group {group_id!r} was erased before")
        raise NotFound(f"no {kind} {target_id!r} in group {group_id!r}")

    async def _claims_for(
        self, group_id: str, episode_id: str | None, fact_id: str | None, claim_ids: Sequence[str]
    ) -> Sequence[StoredClaim]:
        check_group(group_id)
        if sum((episode_id is not None, fact_id is not None, bool(claim_ids))) != 1:
            raise InvalidInput("retract needs exactly one of episode_id, fact_id, claim_ids")
        if episode_id is not None and not await self._store.episodes(group_id, [episode_id]):
            await self._raise_missing(group_id, "episode", episode_id)
        if fact_id is not None and not await self._store.facts(group_id, [fact_id]):
            await self._raise_missing(group_id, "fact", fact_id)
        return await self._store.claims(
            group_id,
            episode_ids=None if episode_id is None else [episode_id],
            fact_ids=None if fact_id is None else [fact_id],
            claim_ids=list(claim_ids) or None,
        )

    # ---- reading

    async def facts(
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
        limit: int = 1_000,
    ) -> list[DatedFact]:
        """Facts at a moment (`at`), over a window (`during`, half-open, None for an open side), as known at a moment, or both.

        Nothing given: what is true now. Only `known_at`: true then, as known then (R27). Names or entity ids select. Ordered by
        valid_at, relation, subject, object; over a window on a relation of rivals that is a timeline. Empty when nothing matches.
        """
        scope = self._scope(group_ids, at, during, known_at, possible, filter)
        selections = await self._selections(scope.group_ids, subject, object, touching)
        if selections is None:
            return []
        subjects, objects, touched = selections
        return await read_facts(
            self._store,
            scope,
            subjects=subjects,
            relations=None if relation is None else [relation],
            objects=objects,
            touching=touched,
            limit=check_limit(limit, 100_000),
        )

    async def timeline(
        self,
        entity: str,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        known_at: datetime | None = None,
    ) -> list[DatedFact]:
        """Everything ever true of an entity (name or id), past and planned, undated past first, as known at a moment."""
        groups = checked_groups(group_ids)
        ids = await self._entity_ids(groups, entity)
        if not ids:
            return []
        scope = Scope(group_ids=groups, known_at=_known(known_at), possible=True)
        return await read_facts(self._store, scope, touching=ids)

    async def claims(
        self, *, group_id: str = DEFAULT_GROUP, episode_ids: Sequence[str] | None = None
    ) -> Sequence[StoredClaim]:
        """What was told, claim by claim, in testimony order, retracted ones too; of these episodes only, if given."""
        return await self._store.claims(check_group(group_id), episode_ids=episode_ids)

    async def history(self, fact_id: str, *, group_id: str = DEFAULT_GROUP) -> list[DatedFact]:
        """Every version a fact ever had, in the order the memory came to believe them. Raises NotFound, Erased."""
        return await history_of(self._store, check_group(group_id), fact_id)

    async def why(self, fact_id: str, *, group_id: str = DEFAULT_GROUP) -> list[Evidence]:
        """The episodes that speak of a fact, each with the sentence that says it, oldest first. Raises NotFound, Erased."""
        return await evidence_for(self._store, check_group(group_id), fact_id)

    async def diff(
        self, known_a: datetime, known_b: datetime, *, group_ids: Sequence[str] | str = DEFAULT_GROUP
    ) -> list[BeliefChange]:
        """What the memory came to believe otherwise after `known_a` and up to `known_b`, by fact."""
        after, until = to_instant(known_a), to_instant(known_b)
        if after > until:
            raise InvalidQuery(f"the first moment of a diff must not be later: {known_a} is after {known_b}")
        return await read_belief_changes(self._store, checked_groups(group_ids), after, until)

    async def graph(
        self,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        at: datetime | None = None,
        known_at: datetime | None = None,
        possible: bool = False,
    ) -> networkx.MultiDiGraph:
        """The whole graph at a moment, as known at a moment, for networkx; see `graphmem.retrieve.graph.graph_of`."""
        scope = self._scope(group_ids, at, None, known_at, possible, None)
        return graph_of(await read_facts(self._store, scope))

    async def search(
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
        recipe: Recipe | str = FULL,
        minimum: float | None = None,
        neighbours: int = 0,
    ) -> Findings:
        """The best matches for a text among facts, raw episodes and entities, best first: a list, with `notes`.

        By default facts of any valid time are searched; `at` and `during` narrow them. Words and graph find, and with an
        embedder meaning too; `recipe` says how they are brought together. `minimum`: hits that score less stay out (default:
        the recipe's). `neighbours`: so many turns before and after each episode come along. Empty when nothing matches.
        """
        check_limit(limit)
        if neighbours:
            check_limit(neighbours, MAX_NEIGHBOURS)
        return await self._retrieval.search(
            Search(
                text=text[:MAX_QUERY_CHARACTERS],
                scope=self._scope(group_ids, at, None if at else during, known_at, False, filter),
                targets=tuple(dict.fromkeys(targets)),
                recipe=recipe_of(recipe),
                limit=limit,
                minimum=minimum,
                neighbours=neighbours,
            )
        )

    async def query(self, query: Query) -> Answer:
        """The exact answer to a formal query; `ask` is this with the query read from words."""
        return await evaluate(query, reader_of(self._store), relations=self._known_relations())

    async def ask(
        self,
        question: str,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        asked_at: datetime | None = None,
        at: datetime | None = None,
        during: tuple[datetime | None, datetime | None] | None = None,
        known_at: datetime | None = None,
    ) -> Answer:
        """Answer a question in plain English, exactly or not at all.

        Time words are read as of `asked_at` in its zone (default now); `at`, `during` and `known_at` win over what the words
        say. An answer that is not known says so and what is known nearby; it names its facts, episodes and scope. Raises
        InvalidQuery for a question of over 1,000 characters.
        """
        if len(question) > MAX_QUESTION_CHARACTERS:
            raise InvalidQuery(
                f"a question of {len(question):,} characters is too long to be read exactly: ask one of at most"
                f" {MAX_QUESTION_CHARACTERS:,}, or search for its words"
            )
        groups = checked_groups(group_ids)
        moment = asked_at or self._now()
        window = None if at is None and during is None else _window(at, during, moment)
        return await self._asker.ask(
            question,
            group_ids=groups,
            asked_at=moment,
            zone=zone_name(moment),
            relations=self._known_relations(),
            window=window,
            known_at=None if known_at is None else to_instant(known_at),
        )

    async def context(
        self,
        question: str,
        *,
        recent_turns: Sequence[str] = (),
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        asked_at: datetime | None = None,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        known_at: datetime | None = None,
        filter: Filter | None = None,
        count_tokens: TokenCounter = estimate_tokens,
    ) -> FactBlock:
        """What the memory holds for a question, as text for a prompt: dated facts and raw turns, framed as data, within a budget.

        `recent_turns`: what was said just before, oldest first; a follow-up ("and before that?") is completed from them. What
        is over shows, marked, where the question is of more than the present. `count_tokens`: the tokenizer of the model that
        will read it; by default an estimate on the safe side. Raises InvalidLimit for a budget that holds no fact block.
        """
        groups, moment = checked_groups(group_ids), asked_at or self._now()
        asked, zone = to_instant(moment), zone_name(moment)
        known = None if known_at is None else to_instant(known_at)
        follow_up = complete(question, recent_turns, moment)
        recall = Recall(
            asker=self._asker,
            retrieval=self._retrieval,
            relations=self._known_relations(),
            group_ids=groups,
            filter=filter or _OPEN_FILTER,
        )
        return await write_block(
            self._store,
            await recall.of(follow_up, moment, zone, known),
            await people_of(self._store, groups, _known(known_at), recall.filter),
            question=follow_up.question,
            asked_at=asked,
            zone=zone,
            budget_tokens=budget_tokens,
            count=count_tokens,
        )

    async def entities(self, name: str, *, group_ids: Sequence[str] | str = DEFAULT_GROUP) -> list[Entity]:
        """The entities of this name (or id); several when it is ambiguous, none when it is unknown."""
        found: list[Entity] = []
        for group_id in checked_groups(group_ids):
            found += await self._store.entities(group_id, await self._entity_ids((group_id,), name))
        return found

    async def episodes(self, episode_ids: Sequence[str], *, group_id: str = DEFAULT_GROUP) -> Sequence[Episode]:
        """Those of these episodes that exist, in the order asked for."""
        return await self._store.episodes(check_group(group_id), episode_ids)

    async def recent(
        self,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        limit: int = 20,
        filter: Filter | None = None,
    ) -> Sequence[Episode]:
        """The newest episodes by the time they were said, oldest first."""
        return await self._store.recent_episodes(checked_groups(group_ids), limit=check_limit(limit), filter=filter)

    async def groups(self) -> Sequence[GroupState]:
        """Every group with its counts, ordered by id."""
        return await self._store.groups()

    # ---- jobs and upkeep

    async def jobs(
        self,
        *,
        group_ids: Sequence[str] | str | None = None,
        states: Sequence[JobState] | None = None,
        job_ids: Sequence[str] | None = None,
        limit: int = 1_000,
    ) -> Sequence[Job]:
        """Jobs in order of acceptance."""
        groups = None if group_ids is None else checked_groups(group_ids)
        return await self._store.jobs(
            group_ids=groups, states=states, job_ids=job_ids, limit=check_limit(limit, 1_000_000)
        )

    async def count_jobs(self, *, group_ids: Sequence[str] | str | None = None) -> Mapping[JobState, int]:
        """How many jobs are in each state; their sum is the number of accepted episodes."""
        return await self._store.count_jobs(None if group_ids is None else checked_groups(group_ids))

    async def run_jobs(self, *, group_id: str | None = None) -> int:
        """Work off what is queued, whoever queued it; returns how many jobs came to an end."""
        return await self._worker.drain(group_id)

    async def retry_job(self, job_id: str, *, group_id: str = DEFAULT_GROUP) -> None:
        """Queue a quarantined job again. Raises NotFound, LeaseLost while it is running."""
        await self._move_job(job_id, group_id, JobState.QUEUED)

    async def drop_job(self, job_id: str, *, group_id: str = DEFAULT_GROUP) -> None:
        """Give a job up; its episode stays as raw text. Raises NotFound, LeaseLost while it is running."""
        await self._move_job(job_id, group_id, JobState.DROPPED)

    async def _move_job(self, job_id: str, group_id: str, state: JobState) -> None:
        outcome = JobOutcome(job_id=job_id, group_id=check_group(group_id), fence=None, state=state)
        await self._store.finish(replace(outcome, run_after=to_instant(self._now())))

    async def reembed(
        self,
        embedder: Embedder | str | None = None,
        *,
        progress: Callable[[EmbeddingProgress], None] | None = None,
    ) -> int:
        """Make the vectors that are missing; with an embedder of another model, all of them anew. Returns how many were made.

        What was made stays when it is broken off, and the next call goes on there. Meanwhile searches go by words and graph
        and by the vectors there are, and say so. Raises InvalidInput without an embedder, ModelError when it fails.
        """
        chosen = _embedder(embedder) or self._retrieval.embedder
        if chosen is None:
            raise InvalidInput("there is no embedder: give one, such as 'local'")
        embedding = Embedding(store=self._store, embedder=chosen)
        await embedding.restart()
        self._use(chosen)
        return await embedding.embed_waiting(progress=progress)

    def _use(self, embedder: Embedder) -> None:
        self._retrieval = replace(self._retrieval, embedder=embedder)
        self._worker.after_batch = Embedding(store=self._store, embedder=embedder).after_commit

    async def backup(self, target: str | Path) -> None:
        """A consistent copy of the store at `target`, which must not exist (InvalidInput); work goes on meanwhile."""
        await self._store.backup(Path(target))

    async def verify(self) -> Sequence[str]:
        """What is wrong with the store, one sentence each, without content; empty when all is well."""
        return await self._store.verify()

    async def digest(self) -> str:
        """A hash over all content: equal memories have equal digests."""
        return await self._store.digest()

    # ---- shared

    def _now(self) -> datetime:
        return self._ingestion.clock.now()

    def _known_relations(self) -> Mapping[str, Relation]:
        """Declared relations win over those of the table."""
        return {**builtin_relations(), **self._declared}

    def _scope(
        self,
        group_ids: Sequence[str] | str,
        at: datetime | None,
        during: tuple[datetime | None, datetime | None] | None,
        known_at: datetime | None,
        possible: bool,
        filter: Filter | None,
    ) -> Scope:
        return Scope(
            group_ids=checked_groups(group_ids),
            window=_window(at, during, known_at or self._now()),
            known_at=_known(known_at),
            possible=possible,
            filter=filter or _OPEN_FILTER,
        )

    async def _selections(
        self, groups: tuple[str, ...], subject: str | None, obj: str | None, touching: str | None
    ) -> tuple[list[str] | None, list[str] | None, list[str] | None] | None:
        """Entity ids for each name given; None when one of them is unknown, so that nothing can match."""
        found: list[list[str] | None] = []
        for name in (subject, obj, touching):
            ids = None if name is None else await self._entity_ids(groups, name)
            if ids is not None and not ids:
                return None
            found.append(ids)
        return found[0], found[1], found[2]

    async def _entity_ids(self, groups: tuple[str, ...], name: str) -> list[str]:
        named = await self._store.entities_named(groups, [name_key(name)])
        ids = dict.fromkeys(n.entity_id for n in named)
        for group_id in groups if not ids else ():  # what is nobody's name may be an id
            ids.update((e.entity_id, None) for e in await self._store.entities(group_id, [name]))
        return list(ids)


def _window(at: datetime | None, during: tuple[datetime | None, datetime | None] | None, now: datetime) -> Window:
    if at is not None and during is not None:
        raise InvalidQuery("give `at` or `during`, not both")
    if during is None:
        return Window.at(_instant(at or now))
    start, until = during
    return Window(start=MIN if start is None else _instant(start), until=MAX if until is None else _instant(until))


def _known(known_at: datetime | None) -> Instant:
    return BEST_KNOWN if known_at is None else _instant(known_at)


def _instant(moment: object) -> Instant:
    """Dates often come as text from a caller's own input; they are not guessed at."""
    if not isinstance(moment, datetime):
        raise InvalidTime(f"a moment must be an aware datetime, not {shown(moment)}")
    return to_instant(moment)


def _job(acceptance: Acceptance) -> Job:
    if acceptance.job is None:
        raise Erased(f"episode {acceptance.episode_id!r} was erased")
    return acceptance.job


def _folds_otherwise(before: Relation, after: Relation) -> bool:
    return (before.rivalry, before.symmetric, before.timeless, before.event) != (
        after.rivalry,
        after.symmetric,
        after.timeless,
        after.event,
    )


def _speaking(kind: str, target_ids: tuple[str, ...], claims: Sequence[StoredClaim]) -> ErasureTargets:
    """The targets that take the episodes of these claims along."""
    return ErasureTargets(
        kind=kind,
        target_ids=target_ids,
        episode_ids=tuple(dict.fromkeys(c.episode_id for c in claims if c.episode_id)),
        claim_ids=tuple(c.claim.claim_id for c in claims),
    )


def _counted(report: ImportReport, accepted: Sequence[Acceptance], jobs: Mapping[str, Job]) -> ImportReport:
    new = [jobs[a.episode_id] for a in accepted if a.verdict is Verdict.NEW]
    states = [job.state for job in new]
    return ImportReport(
        accepted=report.accepted + len(new),
        repeated=report.repeated + len(accepted) - len(new),
        done=report.done + states.count(JobState.DONE),
        quarantined=report.quarantined + states.count(JobState.QUARANTINED),
        waiting=report.waiting + sum(state not in FINAL for state in states),
        facts=report.facts + sum(len(receipt_from(job, Verdict.NEW).added) for job in new),
    )


async def _batches(
    episodes: Iterable[NewEpisode] | AsyncIterable[NewEpisode], size: int
) -> AsyncIterable[list[NewEpisode]]:
    batch: list[NewEpisode] = []
    async for episode in _each(episodes):
        batch.append(episode)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


async def _each(episodes: Iterable[NewEpisode] | AsyncIterable[NewEpisode]) -> AsyncIterable[NewEpisode]:
    if isinstance(episodes, AsyncIterable):
        async for episode in episodes:
            yield episode
        return
    for episode in episodes:
        yield episode


async def _both(one: Awaitable[_T], other: Awaitable[_U]) -> tuple[_T, _U]:
    """Both side by side; when one fails the other is carried to its end first, when the caller is cancelled both are."""
    tasks = asyncio.ensure_future(one), asyncio.ensure_future(other)
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise
    return tasks[0].result(), tasks[1].result()


def _embedder(embedder: Embedder | str | None) -> Embedder | None:
    if not isinstance(embedder, str):
        return embedder
    from graphmem.inference.embedders import open_embedder  # models take long to import

    return open_embedder(embedder)
