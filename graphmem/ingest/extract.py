"""The extract step: leased jobs and their episodes → what was read in them, one by one or in windows, or why it was not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from graphmem.errors import (
    GraphmemError,
    InvalidInput,
    MalformedAnswer,
    ModelError,
    ModelHalted,
    ModelUnavailable,
    NotFound,
)
from graphmem.ingest.split import PART_CHARACTERS, joined, parts_of, shifted
from graphmem.model import Episode, Filter, Job, JobOutcome, JobState, Scope, Window
from graphmem.ports import Extraction, ExtractionContext, Extractor, SearchTarget, Store, WindowExtractor
from graphmem.terms import terms
from graphmem.timeline.instants import Instant

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from graphmem.ingest.settle import Settler
    from graphmem.ontology import Ontology

__all__ = ["PROGRAM", "ExtractStep", "Failed", "Fallback", "Read", "Told", "answer_of", "extraction_of"]

PROGRAM = "program"
"""The origin of what a program told as claims."""
CONTEXT_EPISODES = 20
CONTEXT_ENTITIES = 100
CONTEXT_CHARACTERS = 60_000
"""Names are looked for in so much of a text; what earlier episodes said is read up to the length of one part."""
SUMMARY_VERSIONS = 500
SUMMARY_FACTS = 12

_T = TypeVar("_T")

Told: TypeAlias = tuple[Job, Episode]
"""A leased job with its episode."""


class Fallback(StrEnum):
    """What reads an episode meanwhile when the model failed."""

    NONE = "none"
    RULES = "rules"
    """The offline rules; what they read gives way when the model succeeds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A leased job with its episode and what was read in it."""

    job: Job
    episode: Episode
    extraction: Extraction
    state: JobState = JobState.DONE
    """What the job becomes with it: another state where the rules stand in for a model that failed."""
    reason: str = ""
    run_after: Instant | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """A leased job whose episode could not be read, and why."""

    job: Job
    episode: Episode
    error: GraphmemError


@dataclass(frozen=True, kw_only=True)
class ExtractStep:
    """Reads the episodes of leased jobs of one group."""

    store: Store
    extractor: Extractor
    fallback: Extractor | None = None
    """Reads meanwhile what the extractor's model could not."""
    ontology: Ontology | None = None
    settler: Settler | None = None

    async def read_all(self, told: Sequence[Told]) -> Sequence[Read | Failed]:
        """What the episodes state, or why it could not be read, in their order; after a ModelHalted nothing more is asked.

        An answer that cost calls is recorded before it is used, so that a crash resumes from it.
        """
        fresh = [one for one in told if not one[0].answer]
        outcomes = {outcome.job.job_id: outcome for outcome in await self._read_fresh(fresh)}
        for job, episode in told:
            if job.answer:
                outcomes[job.job_id] = _recorded(job, episode)
        in_order = [outcomes[job.job_id] for job, _ in told]
        return in_order if self.settler is None else await self._settled(in_order, self.settler)

    async def by_fallback(self, failed: Failed) -> Extraction | None:
        """What the rules read meanwhile; None without them, or when they stand in already."""
        if self.fallback is None or failed.job.receipt is not None or not isinstance(failed.error, ModelError):
            return None
        read = self.governed(await self._by(self.fallback, failed.episode))
        return replace(read, notes=(*read.notes, "read by the offline rules meanwhile: the model failed"))

    # ---- asking the extractor

    async def _read_fresh(self, told: Sequence[Told]) -> Sequence[Read | Failed]:
        if isinstance(self.extractor, WindowExtractor):
            jobs = {episode.episode_id: job for job, episode in told}
            windows = self.extractor.windows_of([episode for _, episode in told])
            calls = _Calls(self, asyncio.Semaphore(self.extractor.side_by_side))
            read = await asyncio.gather(
                *(calls.window([(jobs[e.episode_id], e) for e in window]) for window in windows)
            )
            return [outcome for window in read for outcome in window]
        calls = _Calls(self, asyncio.Semaphore(1))
        return [outcome for one in told for outcome in await calls.window([one])]

    async def extract_window(self, episodes: Sequence[Episode]) -> Sequence[Extraction]:
        """What is read in a window of messages of one session, or in a single episode of any length. Raises ModelError."""
        if len(episodes) == 1 or not isinstance(self.extractor, WindowExtractor):
            read: Sequence[Extraction] = [await self._by(self.extractor, episode) for episode in episodes]
        else:
            context = await self.context_of(episodes[0])
            read = await _guarded(self.extractor.extract_window(episodes, context))
        return [self.governed(extraction) for extraction in read]

    async def _by(self, extractor: Extractor, episode: Episode) -> Extraction:
        context = await self.context_of(episode)
        parts = list(parts_of(episode.text))
        if len(parts) == 1:
            return await _guarded(extractor.extract(episode, context))
        read: list[Extraction] = []
        for offset, text in parts:
            part = await _guarded(extractor.extract(replace(episode, text=text), context))
            read.append(shifted(part, offset))
            context = replace(context, previous=[*context.previous, replace(episode, text=text)][-CONTEXT_EPISODES:])
        return joined(read)

    def governed(self, extraction: Extraction) -> Extraction:
        """What an ontology lets stand."""
        if self.ontology is None:
            return extraction
        statements, notes = self.ontology.governed(extraction.statements)
        return replace(extraction, statements=statements, notes=(*extraction.notes, *notes))

    async def record(self, job: Job, extraction: Extraction) -> None:
        """Keep an answer with its job, which goes on running."""
        outcome = JobOutcome(
            job_id=job.job_id,
            group_id=job.group_id,
            fence=job.fence,
            state=JobState.RUNNING,
            reason=job.reason,
            answer=answer_of(extraction),
        )
        with suppress(NotFound):  # its episode was erased meanwhile, and the answer goes with it
            await self.store.finish(outcome)

    async def context_of(self, episode: Episode) -> ExtractionContext:
        """What an extractor may look at beside the episode: earlier ones, and what is known by the names in it."""
        group_id = episode.group_id
        others = await self._before(episode, None)
        is_of_session = isinstance(self.extractor, WindowExtractor) and episode.session_id is not None
        if is_of_session:
            own = await self._before(episode, Filter(session_id=episode.session_id))
            others = [*(e for e in others if e.session_id != episode.session_id), *own]
        previous = [e if len(e.text) <= PART_CHARACTERS else replace(e, text=e.text[:PART_CHARACTERS]) for e in others]
        spoken = [e.speaker for e in (*previous, episode) if e.speaker]
        heard = [episode.text[:CONTEXT_CHARACTERS], *(e.text for e in previous[-3:]), *dict.fromkeys(spoken)]
        hits = await self.store.search_text(
            SearchTarget.ENTITY,
            terms(" ".join(heard)),
            Scope(group_ids=(group_id,)),
            limit=CONTEXT_ENTITIES,
        )
        ids = [hit.item_id for hit in hits]
        names = await self.store.names_of(group_id, ids) if ids else ()
        entities = {e.entity_id: e for e in await self.store.entities(group_id, ids)} if ids else {}
        summary = await self._summary(episode) if is_of_session else ""
        return ExtractionContext(previous=previous, names=names, entities=entities, summary=summary)

    async def _before(self, episode: Episode, filter: Filter | None) -> Sequence[Episode]:
        """The last episodes up to this one, oldest first."""
        recent = await self.store.recent_episodes(
            [episode.group_id], limit=CONTEXT_EPISODES + 1, before=episode.said_at + 1, filter=filter
        )
        return [e for e in recent if e.episode_id != episode.episode_id][-CONTEXT_EPISODES:]

    async def _summary(self, episode: Episode) -> str:
        """What the session has told so far: the sentences of its facts that hold, the newest last."""
        scope = Scope(
            group_ids=(episode.group_id,),
            window=Window.at(episode.said_at),
            filter=Filter(session_id=episode.session_id),
        )
        told = await self.store.versions_in_scope(scope, limit=SUMMARY_VERSIONS)
        last = [version.fact_id for version in told[-SUMMARY_FACTS:]]
        return ". ".join(fact.text for fact in await self.store.facts(episode.group_id, last))

    # ---- settling names

    async def _settled(self, outcomes: Sequence[Read | Failed], settler: Settler) -> Sequence[Read | Failed]:
        """The same with doubtful names settled, in order, for a later episode may speak of what an earlier one names."""
        settled: list[Read | Failed] = []
        for outcome in outcomes:
            if isinstance(outcome, Failed) or not _is_doubtful(outcome):
                settled.append(outcome)
                continue
            known = [one.extraction for one in settled if isinstance(one, Read)]
            try:
                extraction = await settler.settle(outcome.episode, outcome.extraction, known)
            except ModelError as error:
                settled.append(Failed(job=outcome.job, episode=outcome.episode, error=error))
                continue
            if extraction.calls > outcome.extraction.calls:
                await self.record(outcome.job, extraction)
            settled.append(replace(outcome, extraction=extraction))
        return settled


class _Calls:
    """Calls of one batch, so many side by side, until one of them is halted."""

    def __init__(self, step: ExtractStep, slots: asyncio.Semaphore) -> None:
        self._step = step
        self._slots = slots
        self._halted: ModelHalted | None = None

    async def window(self, told: Sequence[Told]) -> Sequence[Read | Failed]:
        async with self._slots:
            return await self._window(told)

    async def _window(self, told: Sequence[Told]) -> Sequence[Read | Failed]:
        """One window; where the model cannot read it together, its messages one by one."""
        if self._halted is not None:
            return [Failed(job=job, episode=episode, error=self._halted) for job, episode in told]
        try:
            read = await self._step.extract_window([episode for _, episode in told])
        except (ModelError, InvalidInput) as error:
            if isinstance(error, ModelHalted):
                self._halted = error
            elif len(told) > 1 and not isinstance(error, ModelUnavailable):
                return [outcome for one in told for outcome in await self._window([one])]
            return [Failed(job=job, episode=episode, error=error) for job, episode in told]
        if any(extraction.calls for extraction in read):
            for (job, _), extraction in zip(told, read, strict=True):
                await self._step.record(job, extraction)
        return [
            Read(job=job, episode=episode, extraction=extraction)
            for (job, episode), extraction in zip(told, read, strict=True)
        ]


def _is_doubtful(read: Read) -> bool:
    """Whether names may have to be settled. Not those of an untrusted channel: what they are taken to mean binds others (R34)."""
    return read.episode.trusted and read.extraction.origin != PROGRAM and not read.extraction.is_settled


@cache
def _form() -> TypeAdapter[Extraction]:
    from pydantic import TypeAdapter  # here: it takes long to import, and a memory that is only read can do without

    return TypeAdapter(Extraction)


def answer_of(extraction: Extraction) -> str:
    """An extraction as the text that is recorded with a job."""
    return _form().dump_json(extraction).decode()


def extraction_of(answer: str) -> Extraction:
    """The extraction that was recorded as this text. Raises MalformedAnswer."""
    from pydantic import ValidationError

    try:
        return _form().validate_json(answer)
    except ValidationError as error:
        raise MalformedAnswer(f"the recorded answer cannot be read: {error.error_count()} faults") from None


def _recorded(job: Job, episode: Episode) -> Read | Failed:
    try:
        return Read(job=job, episode=episode, extraction=extraction_of(job.answer or ""))
    except MalformedAnswer as error:
        return Failed(job=job, episode=episode, error=error)


async def _guarded(reading: Awaitable[_T]) -> _T:
    """What an extractor gives; it is foreign code, so its fault on one episode must not stop the others."""
    try:
        return await reading
    except GraphmemError:
        raise
    except Exception as error:
        # No text of it: it may be personal.
        raise ModelError(f"the extractor failed with {type(error).__name__}") from error
