"""The first stream, top to bottom: episode → accept → extract → resolve → claim → fold → commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from graphmem.errors import CommitConflict, Erased, GraphmemError, IdempotencyConflict, MalformedAnswer, ModelError
from graphmem.ingest.accept import NewEpisode, checked_episode
from graphmem.ingest.claim import StatedClaims, claims_of
from graphmem.ingest.fold_state import FoldDiff, read_fold_state
from graphmem.ingest.receipt import Receipt, merged_notes, redatings, to_json
from graphmem.ingest.resolve import Resolver, read_resolver
from graphmem.ingest.split import PART_CHARACTERS, parts_of
from graphmem.model import Changes, Entity, Episode, Job, JobOutcome, JobState, Name, Scope, Statement
from graphmem.ports import (
    Acceptance,
    Clock,
    Extraction,
    ExtractionContext,
    Extractor,
    IdSource,
    Redactor,
    SearchTarget,
    Store,
    Verdict,
)
from graphmem.terms import terms
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import Instant, to_instant

__all__ = ["Ingestion", "Read"]

CONTEXT_EPISODES = 20
CONTEXT_ENTITIES = 100
CONTEXT_CHARACTERS = 60_000
"""Names are looked for in so much of a text; what earlier episodes said is read up to the length of one part."""

_ANSWER: TypeAdapter[Extraction] = TypeAdapter(Extraction)


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A leased job with its episode and what was read in it."""

    job: Job
    episode: Episode
    extraction: Extraction


@dataclass(frozen=True, kw_only=True, slots=True)
class Ingestion:
    """The steps of the stream over one store."""

    store: Store
    clock: Clock
    ids: IdSource
    extractor: Extractor
    redactor: Redactor
    relation_of: Callable[[str], Relation]
    secret: bytes

    # ---- accept

    async def accept(self, offered: Sequence[NewEpisode]) -> Sequence[Acceptance]:
        """Check, redact and keep episodes with their jobs; from here nothing is lost. All or none.

        Raises InvalidInput for the first that cannot be taken, IdempotencyConflict for an id used for another text and Erased
        for an id that was erased; in the last two cases those offered beside it are kept.
        """
        now = self.clock.now()
        episodes = [checked_episode(new, now=now, secret=self.secret, redactor=self.redactor) for new in offered]
        answers = {
            e.episode_id: answer_of(Extraction(statements=new.statements, origin="program"))
            for e, new in zip(episodes, offered, strict=True)
            if new.statements is not None
        }
        accepted = await self.store.accept(episodes, to_instant(now), answers)
        for acceptance in accepted:
            _refuse(acceptance)
        return accepted

    # ---- extract

    async def episodes_of(self, jobs: Sequence[Job]) -> Sequence[tuple[Job, Episode]]:
        """The jobs of one group with their episodes, in order."""
        found = await self.store.episodes(jobs[0].group_id, [job.job_id for job in jobs])
        by_id = {episode.episode_id: episode for episode in found}
        return [(job, by_id[job.job_id]) for job in jobs if job.job_id in by_id]

    async def read(self, job: Job, episode: Episode) -> Read:
        """What the episode of a leased job states: the recorded answer, else the extractor's.

        An answer that cost calls is recorded before it is used, so that a crash resumes from it.
        """
        if job.answer is not None:
            return Read(job=job, episode=episode, extraction=_recorded(job.answer))
        extraction = await self._extract(episode)
        if extraction.calls:
            await self.store.finish(
                JobOutcome(
                    job_id=job.job_id,
                    group_id=job.group_id,
                    fence=job.fence,
                    state=JobState.RUNNING,
                    answer=answer_of(extraction),
                )
            )
        return Read(job=job, episode=episode, extraction=extraction)

    async def _extract(self, episode: Episode) -> Extraction:
        context = await self._context(episode)
        parts = list(parts_of(episode.text))
        if len(parts) == 1:
            return await self._ask_extractor(episode, context)
        read: list[Extraction] = []
        for offset, text in parts:
            part = await self._ask_extractor(replace(episode, text=text), context)
            read.append(replace(part, statements=tuple(_shifted(s, offset) for s in part.statements)))
            context = replace(context, previous=[*context.previous, replace(episode, text=text)][-CONTEXT_EPISODES:])
        return _joined(read)

    async def _ask_extractor(self, episode: Episode, context: ExtractionContext) -> Extraction:
        try:
            return await self.extractor.extract(episode, context)
        except GraphmemError:
            raise
        except Exception as error:
            # An extractor is foreign code: its fault on one episode must not stop the others. No text of it: it may be personal.
            raise ModelError(f"the extractor failed with {type(error).__name__}") from error

    async def _context(self, episode: Episode) -> ExtractionContext:
        group_id = episode.group_id
        recent = await self.store.recent_episodes([group_id], limit=CONTEXT_EPISODES + 1, before=episode.said_at + 1)
        others = [e for e in recent if e.episode_id != episode.episode_id][-CONTEXT_EPISODES:]
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
        return ExtractionContext(previous=previous, names=names, entities=entities)

    # ---- resolve, claim, fold, commit

    async def apply(self, reads: Sequence[Read]) -> Sequence[Receipt]:
        """Write what the episodes of one group state, in order, each at its own transaction time; all or none.

        Raises CommitConflict when somebody committed to the group meanwhile (nothing was written: call again), LeaseLost when
        another worker holds the jobs.
        """
        group_id = reads[0].episode.group_id
        statements = [s for r in reads for s in r.extraction.statements]
        aliases = [a for r in reads for a in r.extraction.aliases]
        before = await self.store.read_timelines(group_id)  # of no timeline: only the group's transaction time
        resolver = await read_resolver(self.store, group_id, statements, aliases, self.ids)
        stated = self._claims(reads, resolver, before.tau)
        state = await read_fold_state(
            self.store, group_id, [c.claim for claims, _, _, _ in stated for c in claims.claims], self.relation_of
        )
        if state.tau != before.tau:
            raise CommitConflict(f"group {group_id!r} was written to while its names were read")
        known = {c.fact_id for c in state.claims()}
        changes: list[Changes] = []
        receipts: list[Receipt] = []
        based_on = state.tau
        for read, (told, entities, names, tau) in zip(reads, stated, strict=True):
            claims = replace(told, claims=tuple(c for c in told.claims if not state.knows(c.claim.claim_id)))
            diff = state.add(claims.claims, tau)
            receipt = _receipt(read, claims, diff, tau, frozenset(known))
            known.update(c.fact_id for c in claims.claims)
            changes.append(_changes(read, claims, entities, names, diff, based_on, tau, receipt))
            receipts.append(receipt)
            based_on = tau
        await self.store.commit(changes)
        return receipts

    def _claims(
        self, reads: Sequence[Read], resolver: Resolver, last_tau: Instant
    ) -> list[tuple[StatedClaims, tuple[Entity, ...], tuple[Name, ...], Instant]]:
        """Claims of each episode with the entities and names it makes, at rising transaction times (R23)."""
        stated = []
        tau = last_tau
        now = to_instant(self.clock.now())
        for read in reads:
            tau = max(now, tau + 1)
            episode, extraction = read.episode, read.extraction
            claims = claims_of(
                episode,
                extraction.statements,
                origin=extraction.origin,
                resolver=resolver,
                relation_of=self.relation_of,
                tau=tau,
            )
            for other, name in extraction.aliases:
                resolver.alias(other, name, tau, episode.episode_id)
            entities, names = resolver.take_new()
            stated.append((claims, entities, names, tau))
        return stated


def answer_of(extraction: Extraction) -> str:
    """An extraction as the text that is recorded with a job."""
    return _ANSWER.dump_json(extraction).decode()


def _recorded(answer: str) -> Extraction:
    try:
        return _ANSWER.validate_json(answer)
    except ValidationError as error:
        raise MalformedAnswer(f"the recorded answer cannot be read: {error.error_count()} faults") from None


def _refuse(acceptance: Acceptance) -> None:
    if acceptance.verdict is Verdict.CONFLICT:
        raise IdempotencyConflict(
            f"episode {acceptance.episode_id!r} was told before with another text: give the new text an id of its own"
        )
    if acceptance.verdict is Verdict.ERASED:
        raise Erased(f"episode {acceptance.episode_id!r} was erased: give the text another id to tell it anew")


def _shifted(statement: Statement, offset: int) -> Statement:
    if statement.quote is None:
        return statement
    begin, end = statement.quote
    return replace(statement, quote=(begin + offset, end + offset))


def _joined(read: Sequence[Extraction]) -> Extraction:
    return Extraction(
        statements=tuple(s for e in read for s in e.statements),
        aliases=tuple(a for e in read for a in e.aliases),
        origin=read[0].origin,
        notes=merged_notes(*(e.notes for e in read)),
        calls=sum(e.calls for e in read),
        tokens=sum(e.tokens for e in read),
    )


def _receipt(read: Read, claims: StatedClaims, diff: FoldDiff, tau: Instant, known: frozenset[str]) -> Receipt:
    added, closed, redated = redatings(diff, known)
    return Receipt(
        episode_id=read.episode.episode_id,
        group_id=read.episode.group_id,
        verdict=Verdict.NEW,
        state=JobState.DONE,
        tau=tau,
        claims=len(claims.claims),
        added=added,
        closed=closed,
        redated=redated,
        ignored=merged_notes(read.extraction.notes, claims.ignored),
        calls=read.extraction.calls,
        tokens=read.extraction.tokens,
    )


def _changes(
    read: Read,
    claims: StatedClaims,
    entities: tuple[Entity, ...],
    names: tuple[Name, ...],
    diff: FoldDiff,
    based_on: Instant,
    tau: Instant,
    receipt: Receipt,
) -> Changes:
    job = read.job
    return Changes(
        group_id=job.group_id,
        based_on=based_on,
        tau=tau,
        kind="episode",
        entities=entities,
        names=names,
        mentions=claims.mentions,
        facts=claims.facts,
        claims=claims.claims,
        expire=tuple(v.version_id for v in diff.expire),
        versions=diff.versions,
        unsupport=diff.unsupport,
        support=diff.support,
        job=JobOutcome(
            job_id=job.job_id,
            group_id=job.group_id,
            fence=job.fence,
            state=JobState.DONE,
            receipt=to_json(receipt),
        ),
    )
