"""Memory: the façade, and the only place where the parts are wired together."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from graphmem.errors import ConfigError, Erased, InvalidEpisode, InvalidInput, InvalidQuery, NotFound
from graphmem.given import (
    given_as,
    given_call,
    given_count,
    given_filter,
    given_flag,
    given_id,
    given_ids,
    given_many,
    given_moment,
    given_name,
    given_number,
    given_pair,
    given_part,
    given_path,
    given_states,
    given_targets,
    given_text,
    given_texts,
)
from graphmem.groups import DEFAULT_GROUP, check_group, checked_groups, shown
from graphmem.ingest.accept import KeepText, NewEpisode, zone_name
from graphmem.ingest.background import Background
from graphmem.ingest.embed import Embedding, EmbeddingProgress
from graphmem.ingest.erase import ErasureTargets, names_of, plan_erasure, still_named_in, whole_group_erasure
from graphmem.ingest.extract import ExtractStep, Fallback
from graphmem.ingest.jobs import FINAL, Worker
from graphmem.ingest.merge import Merge, Merging, episode_of_merge
from graphmem.ingest.new_claims import NewClaim, correction, episode_of_claims
from graphmem.ingest.pipeline import Ingestion
from graphmem.ingest.receipt import Receipt, receipt_from
from graphmem.ingest.redo import redo
from graphmem.ingest.reextract import Requeueing
from graphmem.ingest.stated_rivalry import checked_rivalry, episode_of_rivalry
from graphmem.ingest.withdraw import refold_relation, retract
from graphmem.model import (
    BEST_KNOWN,
    DatedFact,
    Entity,
    EntityKind,
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
from graphmem.open_relations import RelationRivalry, read_rivalry_claims, rivalries_at
from graphmem.ports import (
    Acceptance,
    BatchModel,
    BatchProgress,
    Clock,
    Embedder,
    Extraction,
    ExtractionContext,
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
    Verdict,
    WindowExtractor,
)
from graphmem.relations import as_written, builtin_relations, known_name, relation_of
from graphmem.retrieve.ask import AskedQuestion, Asker, reader_of
from graphmem.retrieve.evaluate import evaluate
from graphmem.retrieve.fact_block import FactBlock, people_of, write_block
from graphmem.retrieve.first_person import in_third_person
from graphmem.retrieve.follow_up import complete
from graphmem.retrieve.graph import graph_of
from graphmem.retrieve.nearby import Nearby, with_nearby
from graphmem.retrieve.neighbourhood import Node
from graphmem.retrieve.pipeline import Retrieval, Search
from graphmem.retrieve.provenance import BeliefChange, Evidence, evidence_for, history_of, read_belief_changes
from graphmem.retrieve.query import Answer, Query, with_names
from graphmem.retrieve.reads import read_facts
from graphmem.retrieve.recall import Recall
from graphmem.retrieve.recipes import FULL, Recipe, recipe_of, with_minimum
from graphmem.retrieve.search import MAX_LIMIT, MAX_NEIGHBOURS, Findings
from graphmem.retrieve.tokens import estimate_tokens
from graphmem.stores import open_store
from graphmem.terms import name_key
from graphmem.timeline.claims import OpenRelation, Relation, Rivalry
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant
from graphmem.timeline.scope import read_scope

if TYPE_CHECKING:
    import networkx

    from graphmem.ingest.batches import BatchReport
    from graphmem.ontology import Ontology

__all__ = ["DEFAULT_URL", "ErasureReport", "ImportReport", "Memory", "SystemClock", "SystemIds"]

DEFAULT_URL = "sqlite:///graphmem.db"
DEFAULT_BUDGET_TOKENS = 1_600
ESTIMATE = "estimate"
IMPORT_BATCH = 200
MOST_FACTS = 100_000
MOST_JOBS = 1_000_000
MOST_AT_ONCE = 100_000
"""Episodes of one batch."""
MAX_QUERY_CHARACTERS = 10_000
MAX_QUESTION_CHARACTERS = 1_000
"""A longer text is searched for by its beginning."""

_T = TypeVar("_T")
_U = TypeVar("_U")


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
    still_named: tuple[str, ...] = ()
    """Episodes left whose text or speaker holds a name of the erased entity, though nothing was read in them about it: erase them
    too, unless the name is a common word there. At most a thousand are looked at for each name."""


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
        self._own_model: LanguageModel | None = None
        """Opened by its name, so closed with the memory."""
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
        usual = recipe_of(recipe)
        _check_parts(
            clock=clock,
            ids=ids,
            extractor=extractor,
            redactor=redactor,
            ontology=ontology,
            embedder=embedder,
            reranker=reranker,
            model=model,
        )
        own = () if ontology is None else tuple(ontology.relations.values())
        declarations = (*own, *(() if relations is None else given_many("relations", relations)))
        store = open_store(str(url), vectors=_form(vectors)) if isinstance(url, str | Path) else _own_store(url)
        try:
            await store.ensure_schema()
            declared = {r.name: r for r in await store.relations()}
            language_model = _language_model(model)
            ingestion = Ingestion(
                store=store,
                clock=SystemClock() if clock is None else clock,
                ids=SystemIds() if ids is None else ids,
                extraction=_extract_step(store, extractor, language_model, _fallback(fallback), ontology, declared),
                redactor=KeepText() if redactor is None else redactor,
                relation_of=lambda name: relation_of(name, declared),
                name_of=lambda name: known_name(name, declared),
                secret=await store.secret(),
            )
            owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
            worker = Worker(ingestion=ingestion, owner=owner, monotonic=time.monotonic)
            retrieval = Retrieval(store=store, scorer=_reranker(reranker), recipe=usual)
            memory = cls(store, ingestion, declared, worker, retrieval)
            memory._own_model = language_model if isinstance(model, str) else None
            opened = await asyncio.to_thread(_embedder, embedder)  # it may have to be fetched
            if opened is not None:
                memory._use(await Embedding(store=store, embedder=opened).started())
            await memory.declare(declarations)
        except BaseException:
            await store.close()
            raise
        return memory

    async def close(self) -> None:
        """Finish the work in hand and release the store; what is queued stays queued. Twice is a no-op."""
        if self._is_closed:
            return
        self._is_closed = True
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self._store.close)
            if self._own_model is not None:
                closing.push_async_callback(self._own_model.aclose)
            await self._background.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def declare(self, relations: Iterable[Relation]) -> None:
        """Declare how relations behave; facts of those that changed are folded again at a new transaction time."""
        given = [given_as(Relation, "each of relations", one) for one in given_many("relations", relations)]
        new = [r for r in given if self._declared.get(r.name) != r]
        if not new:
            return
        _check_names(new, self._declared)
        before = {r.name: self._ingestion.relation_of(r.name) for r in new}
        was_open = [name for name, relation in before.items() if isinstance(relation, OpenRelation)]
        refolded = {r.name for r in new if _folds_otherwise(before[r.name], r)}
        self._declared.update((r.name, r) for r in new)
        for group in await self._store.groups() if refolded or was_open else ():
            told = await read_rivalry_claims(self._store, group.group_id, was_open) if was_open else ()
            for name in sorted(refolded | {one.relation for one in rivalries_at(told, BEST_KNOWN)}):
                await redo(partial(self._refold, group.group_id, name))
        await self._store.put_relations(new)  # last: after a crash the next opening folds again

    async def _refold(self, group_id: str, name: str) -> None:
        ingestion = self._ingestion
        await refold_relation(self._store, ingestion.clock, ingestion.relation_of, group_id, name)

    async def relations(self) -> Sequence[Relation]:
        """The relations declared in this store, ordered by name; the built-in table is not among them."""
        return await self._store.relations()

    async def set_rivalry(
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
        chosen = checked_rivalry(rivalry)
        new = episode_of_rivalry(
            relation,
            chosen,
            group_id=check_group(group_id),
            said_at=self._moment("said_at", said_at),
            speaker=speaker,
            reason=given_text("reason", reason),
        )
        name = self._ingestion.name_of(relation)
        if not isinstance(self._ingestion.relation_of(name), OpenRelation):
            raise InvalidInput(f"{shown(name)} is no open relation: `declare` says for good how it behaves")
        (receipt,) = await self._add([new], wait=True, timeout_s=None)
        return receipt

    async def rivalries(
        self, *, group_id: str = DEFAULT_GROUP, known_at: datetime | None = None
    ) -> Sequence[RelationRivalry]:
        """What was known of the rivalry of open relations, each by the claim that says so, ordered by name.

        A relation of which nothing was said is not among them: its facts stand side by side.
        """
        known = _known(known_at)
        found = rivalries_at(await read_rivalry_claims(self._store, check_group(group_id)), known)
        return [one for one in found if isinstance(self._ingestion.relation_of(one.relation), OpenRelation)]

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
            metadata={} if metadata is None else metadata,
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
        wait: bool = True,
    ) -> ImportReport:
        """Tell the memory many things in order, in batches; memory use does not grow with their number.

        `progress` is called after every batch. What was accepted before an error stays, and telling it again is a no-op.
        `wait=False` only keeps them: `run_jobs` or `read_in_batches` reads them later.
        """
        if not isinstance(episodes, AsyncIterable):
            given_many("episodes", episodes)
        given_call("progress", progress)
        given_count("batch", batch, MOST_AT_ONCE)
        report = ImportReport()
        accepted: Sequence[Acceptance] = ()
        if not given_flag("wait", wait):
            async for some in _batches(episodes, batch):
                kept = await self._accept(some)
                report = _counted(report, kept, {a.episode_id: _job(a) for a in kept})
                if progress is not None:
                    progress(report)
            return report
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
            tuple(given_many("claims", claims)),
            group_id=group_id,
            episode=None if episode is None else given_as(NewEpisode, "episode", episode),
            said_at=self._moment("said_at", said_at),
            trusted=trusted,
        )
        (receipt,) = await self._add([new], wait=wait, timeout_s=None)
        return receipt

    async def _add(self, new: Sequence[NewEpisode], *, wait: bool, timeout_s: float | None) -> list[Receipt]:
        given_flag("wait", wait)
        if timeout_s is not None:
            given_number("timeout_s", timeout_s, least=0)
        accepted = await self._accept(new)
        if not wait:
            self._background.wake()
            return [receipt_from(_job(a), a.verdict) for a in accepted]
        jobs = await self._finished(accepted, timeout_s)
        if any(job.state is JobState.RETRYING for job in jobs.values()):
            self._background.wake()
        return [receipt_from(jobs[a.episode_id], a.verdict) for a in accepted]

    async def _accept(self, new: Sequence[NewEpisode]) -> Sequence[Acceptance]:
        for one in new:
            if not isinstance(one, NewEpisode):
                raise InvalidEpisode(f"what is told must be a NewEpisode, not {shown(one)}")
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
        given_text("reason", reason)
        claims = await self._claims_for(group_id, episode_id, fact_id, given_ids("claim_ids", claim_ids))
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
        history = await history_of(self._store, group_id, given_id("fact_id", fact_id))
        facts = [f for f in history if f.version.expired_at == MAX]
        if not facts:
            raise NotFound(f"fact {fact_id!r} of group {group_id!r} is not believed now: there is nothing to correct")
        new = correction(
            facts,
            object=None if object is None else given_name("object", object),
            start=start,
            end=end,
            said_at=self._moment("said_at", said_at),
            speaker=speaker,
        )
        (receipt,) = await self._add([new], wait=True, timeout_s=None)
        return receipt

    async def merge(self, kept: str, merged: str, *, group_id: str = DEFAULT_GROUP, reason: str = "") -> Merge:
        """Take two entities, by name or id, for one: what was told of `merged` is told of `kept`, and found by both names.

        Answers as known before stay as they were. Raises NotFound, and InvalidInput for a name that several have (give its id).
        """
        merging = self._merging(group_id)
        stays = await self._only_entity(group_id, given_name("kept", kept))
        goes = await self._only_entity(group_id, given_name("merged", merged))
        new = episode_of_merge(stays, goes, group_id=group_id, reason=given_text("reason", reason))
        (receipt,) = await self._add([new], wait=True, timeout_s=None)
        await redo(lambda: merging.merge(receipt.episode_id, stays, goes))
        return next(m for m in await merging.log() if m.merge_id == receipt.episode_id)

    async def unmerge(self, merge_id: str, *, group_id: str = DEFAULT_GROUP) -> int:
        """Undo a merge of `merges`, a user's or a model's; returns how many claims moved back. Raises NotFound.

        What was told of the merged name since then stays where it is.
        """
        merging = self._merging(group_id)
        given_id("merge_id", merge_id)
        return await redo(lambda: merging.unmerge(merge_id))

    async def merges(self, *, group_id: str = DEFAULT_GROUP) -> Sequence[Merge]:
        """Every name that was taken for another's, by a user or a model, oldest first, those undone too."""
        return await self._merging(group_id).log()

    def _merging(self, group_id: str) -> Merging:
        ingestion = self._ingestion
        return Merging(
            store=self._store,
            clock=ingestion.clock,
            ids=ingestion.ids,
            relation_of=ingestion.relation_of,
            group_id=check_group(group_id),
        )

    async def _only_entity(self, group_id: str, name: str) -> Entity:
        found = [e for e in await self.entities(name, group_ids=group_id) if e.kind is not EntityKind.VALUE]
        if not found:
            raise NotFound(f"no entity {name!r} in group {group_id!r}")
        if len(found) > 1:
            ids = ", ".join(e.entity_id for e in found)
            raise InvalidInput(f"{len(found)} entities of group {group_id!r} are called {name!r}: name one of {ids}")
        return found[0]

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
        other episodes say stays and keeps its history. Only a tombstone without content is left. The report names episodes that
        hold a name of the entity though nothing was read in them about it (`still_named`). Raises NotFound.
        """
        check_group(group_id)
        given_text("reason", reason)
        given_flag("whole_group", whole_group)
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
        names = () if entity is None else await names_of(self._store, group_id, targets.target_ids)
        erasure = await plan_erasure(self._store, ingestion.clock, ingestion.relation_of, group_id, targets, reason)
        await self._store.erase(erasure)
        return ErasureReport(
            group_id=group_id,
            episodes=len(erasure.episode_ids),
            claims=len(erasure.claim_ids),
            facts=len(erasure.dropped),
            entities=len(erasure.entity_ids),
            still_named=await still_named_in(self._store, group_id, names),
        )

    async def _targets(
        self, group_id: str, episode_id: str | None, fact_id: str | None, entity: str | None
    ) -> ErasureTargets:
        if episode_id is not None:
            if not await self._store.episodes(group_id, [given_id("episode_id", episode_id)]):
                await self._raise_missing(group_id, "episode", episode_id)
            return ErasureTargets(kind="episode", target_ids=(episode_id,), episode_ids=(episode_id,))
        if fact_id is not None:
            if not await self._store.facts(group_id, [given_id("fact_id", fact_id)]):
                await self._raise_missing(group_id, "fact", fact_id)
            return _speaking("fact", (fact_id,), await self._store.claims(group_id, fact_ids=[fact_id]))
        ids = await self._entity_ids((group_id,), given_name("entity", entity))
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
        if episode_id is not None and not await self._store.episodes(group_id, [given_id("episode_id", episode_id)]):
            await self._raise_missing(group_id, "episode", episode_id)
        if fact_id is not None and not await self._store.facts(group_id, [given_id("fact_id", fact_id)]):
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
            relations=None if relation is None else self._relation_names(relation),
            objects=objects,
            touching=touched,
            limit=given_count("limit", limit, MOST_FACTS),
        )

    async def timeline(
        self,
        entity: str,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        known_at: datetime | None = None,
    ) -> list[DatedFact]:
        """Everything ever true of an entity (name or id), past and planned, undated past first, as known at a moment."""
        groups, known = checked_groups(group_ids), _known(known_at)
        ids = await self._entity_ids(groups, given_text("entity", entity))
        if not ids:
            return []
        scope = Scope(group_ids=groups, known_at=known, possible=True)
        return await read_facts(self._store, scope, touching=ids)

    async def claims(
        self, *, group_id: str = DEFAULT_GROUP, episode_ids: Sequence[str] | None = None
    ) -> Sequence[StoredClaim]:
        """What was told, claim by claim, in testimony order, retracted ones too; of these episodes only, if given."""
        chosen = None if episode_ids is None else given_ids("episode_ids", episode_ids)
        return await self._store.claims(check_group(group_id), episode_ids=chosen)

    async def history(self, fact_id: str, *, group_id: str = DEFAULT_GROUP) -> list[DatedFact]:
        """Every version a fact ever had, in the order the memory came to believe them. Raises NotFound, Erased."""
        return await history_of(self._store, check_group(group_id), given_id("fact_id", fact_id))

    async def why(self, fact_id: str, *, group_id: str = DEFAULT_GROUP) -> list[Evidence]:
        """The episodes that speak of a fact, each with the sentence that says it, oldest first. Raises NotFound, Erased."""
        return await evidence_for(self._store, check_group(group_id), given_id("fact_id", fact_id))

    async def diff(
        self, known_a: datetime, known_b: datetime, *, group_ids: Sequence[str] | str = DEFAULT_GROUP
    ) -> list[BeliefChange]:
        """What the memory came to believe otherwise after `known_a` and up to `known_b`, by fact."""
        after = to_instant(given_moment("known_a", known_a))
        until = to_instant(given_moment("known_b", known_b))
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
        given_count("limit", limit, MAX_LIMIT)
        given_count("neighbours", neighbours, MAX_NEIGHBOURS, least=0)
        chosen = self._retrieval.recipe if recipe is None else recipe_of(recipe)
        if minimum is not None:
            chosen = with_minimum(chosen, given_number("minimum", minimum))
        asked = self._moment("asked_at", asked_at)  # a naive one is refused, whatever the recipe makes of it
        return await self._retrieval.search(
            Search(
                text=given_text("what to search for", text)[:MAX_QUERY_CHARACTERS],
                scope=self._scope(
                    group_ids,
                    at,
                    None if at is not None and during == (None, None) else during,
                    known_at,
                    False,
                    filter,
                ),
                targets=given_targets(targets),
                recipe=chosen,
                limit=limit,
                neighbours=neighbours,
                centre=await self._centre(checked_groups(group_ids), centre),
                asked_at=asked,
            )
        )

    async def _centre(self, groups: tuple[str, ...], name: str | None) -> tuple[Node, ...]:
        if name is None:
            return ()
        given_text("centre", name)
        nodes = [
            Node(group_id, entity.entity_id)
            for group_id in groups
            for entity in await self._store.entities(group_id, await self._entity_ids((group_id,), name))
        ]
        if not nodes:
            raise NotFound(f"no entity {name!r} in {', '.join(groups)}")
        return tuple(nodes)

    async def query(self, query: Query) -> Answer:
        """The exact answer to a formal query; `ask` is this with the query read from words."""
        asked = with_names(given_as(Query, "query", query), self._relation_names)
        relations = await self._asker.relations_at(
            self._known_relations(), group_ids=asked.group_ids, known_at=asked.known_at
        )
        return await evaluate(asked, reader_of(self._store), relations=relations)

    async def ask(
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
        if len(given_text("a question", question)) > MAX_QUESTION_CHARACTERS:
            raise InvalidQuery(
                f"a question of {len(question):,} characters is too long to be read exactly: ask one of at most"
                f" {MAX_QUESTION_CHARACTERS:,}, or search for its words"
            )
        question = question if asker is None else in_third_person(question, given_name("asker", asker))
        groups = checked_groups(group_ids)
        moment = self._moment("asked_at", asked_at)
        window = None if at is None and during is None else _window(at, during, moment)
        known = None if known_at is None else _known(known_at)
        asked = AskedQuestion(
            text=question,
            group_ids=groups,
            asked_at=moment,
            zone=zone_name(moment),
            relations=self._known_relations(),
            window=window,
            known_at=known,
        )
        answer = await self._asker.ask(asked)
        if known is None:  # what the words ask for
            known = read_scope(question, moment).known_at if answer.query is None else answer.query.known_at
        nearby = Nearby(
            retrieval=self._retrieval,
            group_ids=groups,
            known_at=BEST_KNOWN if known is None else known,
            asked_at=moment,
            zone=zone_name(moment),
        )
        return await with_nearby(answer, question, nearby)

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
        count_tokens: TokenCounter | str = ESTIMATE,
    ) -> FactBlock:
        """What the memory holds for a question, as text for a prompt: dated facts and raw turns, framed as data, within a budget.

        `recent_turns`: what was said just before, oldest first; a follow-up ("and before that?") is completed from them. What
        is over shows, marked, where the question is of more than the present. `count_tokens`: the tokenizer of the model that
        will read it, as a function, a tokenizer.json or a folder with one; by default an estimate, safe for English
        prose, too low for ids and the like. Raises InvalidLimit for a budget that holds no fact block, ConfigError for a
        tokenizer that there is not.
        """
        groups, moment = checked_groups(group_ids), self._moment("asked_at", asked_at)
        asked, zone = to_instant(moment), zone_name(moment)
        known = None if known_at is None else _known(known_at)
        turns = given_texts("recent_turns", recent_turns)
        follow_up = complete(given_text("a question", question), turns, moment)
        recall = Recall(
            asker=self._asker,
            retrieval=self._retrieval,
            relations=self._known_relations(),
            group_ids=groups,
            filter=given_filter(filter),
        )
        return await write_block(
            self._store,
            await recall.of(follow_up, moment, zone, known),
            await people_of(self._store, groups, _known(known_at), recall.filter),
            question=follow_up.question,
            asked_at=asked,
            zone=zone,
            budget_tokens=budget_tokens,
            count=_token_counter(count_tokens),
        )

    async def entities(self, name: str, *, group_ids: Sequence[str] | str = DEFAULT_GROUP) -> list[Entity]:
        """The entities of this name (or id); several when it is ambiguous, none when it is unknown."""
        given_text("name", name)
        found: list[Entity] = []
        for group_id in checked_groups(group_ids):
            found += await self._store.entities(group_id, await self._entity_ids((group_id,), name))
        return found

    async def episodes(self, episode_ids: Sequence[str], *, group_id: str = DEFAULT_GROUP) -> Sequence[Episode]:
        """Those of these episodes that exist, in the order asked for."""
        return await self._store.episodes(check_group(group_id), given_ids("episode_ids", episode_ids))

    async def recent(
        self,
        *,
        group_ids: Sequence[str] | str = DEFAULT_GROUP,
        limit: int = 20,
        filter: Filter | None = None,
    ) -> Sequence[Episode]:
        """The newest episodes by the time they were said, oldest first."""
        groups, chosen = checked_groups(group_ids), given_filter(filter)
        return await self._store.recent_episodes(groups, limit=given_count("limit", limit, MAX_LIMIT), filter=chosen)

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
            group_ids=groups,
            states=None if states is None else given_states(states),
            job_ids=None if job_ids is None else given_ids("job_ids", job_ids),
            limit=given_count("limit", limit, MOST_JOBS),
        )

    async def count_jobs(self, *, group_ids: Sequence[str] | str | None = None) -> Mapping[JobState, int]:
        """How many jobs are in each state; their sum is the number of accepted episodes."""
        return await self._store.count_jobs(None if group_ids is None else checked_groups(group_ids))

    async def run_jobs(self, *, group_id: str | None = None) -> int:
        """Work off what is queued, whoever queued it; returns how many jobs came to an end."""
        return await self._worker.drain(None if group_id is None else check_group(group_id))

    async def read_in_batches(
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
        check_group(group_id)
        given_number("poll_s", poll_s, least=0)
        given_call("progress", progress)
        extraction = self._ingestion.extraction
        model = getattr(extraction.extractor, "model", None)
        if not isinstance(model, BatchModel):
            raise InvalidInput(
                "the model takes no batches: open the memory with one that does, such as 'anthropic:...'"
            )
        from graphmem.ingest.batches import BatchReading
        from graphmem.ingest.by_model import ModelExtractor

        if not isinstance(extraction.extractor, ModelExtractor):
            raise InvalidInput("an extractor of one's own reads by itself, not in batches")
        reading = BatchReading(
            step=extraction,
            extractor=extraction.extractor,
            model=model,
            clock=self._ingestion.clock,
            group_id=group_id,
        )
        report = await reading.run(poll_s=poll_s, progress=progress)
        await self._worker.drain(group_id)
        return report

    async def reextract(
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
        given_flag("wait", wait)
        requeueing = Requeueing(
            store=self._store, clock=self._ingestion.clock, group_id=check_group(group_id), origin=self._reader_origin()
        )
        count = await requeueing.queue(
            since=MIN if since is None else to_instant(given_moment("since", since)),
            until=MAX if until is None else to_instant(given_moment("until", until)),
            filter=given_filter(filter),
        )
        if wait:
            await self._worker.drain(group_id)
        return count

    def _reader_origin(self) -> str | None:
        """How the reader of episodes signs what it reads; None for one that does not say so beforehand."""
        extractor = self._ingestion.extraction.extractor
        return extractor.origin if isinstance(extractor, WindowExtractor) else None

    async def retry_job(self, job_id: str, *, group_id: str = DEFAULT_GROUP) -> None:
        """Queue a quarantined job again. Raises NotFound, LeaseLost while it is running."""
        await self._move_job(job_id, group_id, JobState.QUEUED)

    async def drop_job(self, job_id: str, *, group_id: str = DEFAULT_GROUP) -> None:
        """Give a job up; its episode stays as raw text. Raises NotFound, LeaseLost while it is running."""
        await self._move_job(job_id, group_id, JobState.DROPPED)

    async def _move_job(self, job_id: str, group_id: str, state: JobState) -> None:
        outcome = JobOutcome(job_id=given_id("job_id", job_id), group_id=check_group(group_id), fence=None, state=state)
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
        given_call("progress", progress)
        _check_parts(embedder=embedder)
        chosen = await asyncio.to_thread(_embedder, embedder) or self._retrieval.embedder
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
        await self._store.backup(given_path("target", target))

    async def verify(self) -> Sequence[str]:
        """What is wrong with the store, one sentence each, without content; empty when all is well."""
        return await self._store.verify()

    async def digest(self) -> str:
        """A hash over all content: equal memories have equal digests."""
        return await self._store.digest()

    # ---- shared

    def _now(self) -> datetime:
        return self._ingestion.clock.now()

    def _moment(self, what: str, moment: datetime | None) -> datetime:
        """The moment given, now by default. Raises InvalidTime."""
        return self._now() if moment is None else given_moment(what, moment)

    def _known_relations(self) -> Mapping[str, Relation]:
        """Declared relations win over those of the table."""
        return {**builtin_relations(), **self._declared}

    def _relation_names(self, given: str) -> tuple[str, ...]:
        """The names by which facts of a relation go: of an open one also as a model writes it."""
        name = self._ingestion.name_of(given_name("relation", given))
        is_open = isinstance(self._ingestion.relation_of(name), OpenRelation)
        return tuple(dict.fromkeys((name, as_written(name)))) if is_open else (name,)

    def _scope(
        self,
        group_ids: Sequence[str] | str,
        at: datetime | None,
        during: tuple[datetime | None, datetime | None] | None,
        known_at: datetime | None,
        possible: bool,
        filter: Filter | None,
    ) -> Scope:
        known = _known(known_at)
        return Scope(
            group_ids=checked_groups(group_ids),
            window=_window(at, during, self._moment("known_at", known_at)),
            known_at=known,
            possible=given_flag("possible", possible),
            filter=given_filter(filter),
        )

    async def _selections(
        self, groups: tuple[str, ...], subject: str | None, obj: str | None, touching: str | None
    ) -> tuple[list[str] | None, list[str] | None, list[str] | None] | None:
        """Entity ids for each name given; None when one of them is unknown, so that nothing can match."""
        found: list[list[str] | None] = []
        for what, name in (("subject", subject), ("object", obj), ("touching", touching)):
            ids = None if name is None else await self._entity_ids(groups, given_text(what, name))
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
        return Window.at(to_instant(now if at is None else given_moment("at", at)))
    start, until = given_pair(during)
    return Window(
        start=MIN if start is None else to_instant(given_moment("the start of during", start)),
        until=MAX if until is None else to_instant(given_moment("the end of during", until)),
    )


def _known(known_at: datetime | None) -> Instant:
    return BEST_KNOWN if known_at is None else to_instant(given_moment("known_at", known_at))


def _job(acceptance: Acceptance) -> Job:
    if acceptance.job is None:
        raise Erased(f"episode {acceptance.episode_id!r} was erased")
    return acceptance.job


def _check_names(new: Sequence[Relation], declared: Mapping[str, Relation]) -> None:
    """Raises InvalidInput for a name that is another relation's, spelled otherwise: both would be meant by it."""
    known = dict(declared)
    for relation in new:
        meant = known_name(relation.name, known)
        if meant != relation.name:
            raise InvalidInput(f"{shown(relation.name)} is {shown(meant)} spelled otherwise: declare it by that name")
        known[relation.name] = relation


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


_NEEDED = {
    "clock": ("now",),
    "ids": ("new_id",),
    "extractor": ("extract",),
    "redactor": ("redact",),
    "ontology": ("relations", "governed"),
    "embedder": ("model", "embed"),
    "reranker": ("score",),
    "model": ("name", "complete"),
}
_BY_NAME = ("embedder", "reranker", "model")


def _check_parts(**parts: object) -> None:
    """Raises InvalidInput for a part of the caller's own that lacks what is asked of it."""
    for what, part in parts.items():
        if part is not None and not (what in _BY_NAME and isinstance(part, str)):
            given_part(what, part, *_NEEDED[what])


def _own_store(store: Store) -> Store:
    return given_part("url", store, "ensure_schema")


def _embedder(embedder: Embedder | str | None) -> Embedder | None:
    if not isinstance(embedder, str):
        return embedder
    from graphmem.inference.embedders import open_embedder  # models take long to import

    return open_embedder(embedder)


def _language_model(model: LanguageModel | str | None) -> LanguageModel | None:
    if not isinstance(model, str):
        return model
    from graphmem.inference.language_models import open_model

    return open_model(model)


def _fallback(fallback: Fallback | str) -> Fallback:
    try:
        return Fallback(fallback)
    except ValueError:
        raise ConfigError(
            f"a model that fails is replaced by {' or '.join(Fallback)}, not by {shown(fallback)}"
        ) from None


def _extract_step(
    store: Store,
    extractor: Extractor | None,
    model: LanguageModel | None,
    fallback: Fallback,
    ontology: Ontology | None,
    declared: Mapping[str, Relation],
) -> ExtractStep:
    """Who reads what is told: the caller's extractor, else the model, else the offline rules."""
    if extractor is not None or model is None:
        return ExtractStep(store=store, extractor=extractor or OfflineRules(), ontology=ontology)
    from graphmem.ingest.by_model import ModelExtractor
    from graphmem.ingest.settle import Settler

    return ExtractStep(
        store=store,
        extractor=ModelExtractor(model, ontology=ontology),
        fallback=OfflineRules() if fallback is Fallback.RULES else None,
        ontology=ontology,
        settler=Settler(
            store=store,
            model=model,
            is_open=lambda name: isinstance(relation_of(known_name(name, declared), declared), OpenRelation),
        ),
    )


def _reranker(reranker: PairScorer | str | None) -> PairScorer | None:
    if not isinstance(reranker, str):
        return reranker
    from graphmem.inference.rerankers import open_reranker

    return open_reranker(reranker)


def _token_counter(counter: TokenCounter | str) -> TokenCounter:
    if not isinstance(counter, str):
        return given_part("count_tokens", counter, "__call__")
    if counter == ESTIMATE:
        return estimate_tokens
    from graphmem.inference.token_counters import open_token_counter

    return open_token_counter(counter)


def _form(vectors: VectorForm | str) -> VectorForm:
    try:
        return VectorForm(vectors)
    except ValueError:
        raise ConfigError(f"vectors are kept as {' or '.join(VectorForm)}, not as {shown(vectors)}") from None
