"""The first stream, top to bottom: episode → accept → extract → resolve → claim → fold → commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphmem.errors import CommitConflict, Erased, IdempotencyConflict
from graphmem.ingest.accept import NewEpisode, checked_episode
from graphmem.ingest.claim import StatedClaims, claims_of
from graphmem.ingest.extract import PROGRAM, ExtractStep, Failed, Read, answer_of
from graphmem.ingest.fold_state import FoldDiff, read_fold_state
from graphmem.ingest.receipt import Receipt, merged_notes, redatings, to_json
from graphmem.ingest.replace import Earlier, read_earlier
from graphmem.ingest.resolve import Resolver, read_resolver
from graphmem.model import Changes, Entity, Job, JobOutcome, Name, Retraction
from graphmem.ports import Acceptance, Clock, Extraction, IdSource, Redactor, Store, Verdict
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import Instant, to_instant

__all__ = ["Ingestion"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ingestion:
    """The steps of the stream over one store."""

    store: Store
    clock: Clock
    ids: IdSource
    extraction: ExtractStep
    redactor: Redactor
    relation_of: Callable[[str], Relation]
    """The relation of exactly this name."""
    name_of: Callable[[str], str]
    """The name of the relation that somebody means by a name."""
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
            e.episode_id: answer_of(Extraction(statements=new.statements, origin=PROGRAM))
            for e, new in zip(episodes, offered, strict=True)
            if new.statements is not None
        }
        accepted = await self.store.accept(episodes, to_instant(now), answers)
        for acceptance in accepted:
            _refuse(acceptance)
        return accepted

    # ---- extract

    async def read(self, jobs: Sequence[Job]) -> Sequence[Read | Failed]:
        """What the episodes of leased jobs of one group state, or why it cannot be told; none for an episode erased meanwhile."""
        found = await self.store.episodes(jobs[0].group_id, [job.job_id for job in jobs])
        episodes = {episode.episode_id: episode for episode in found}
        return await self.extraction.read_all([(job, episodes[job.job_id]) for job in jobs if job.job_id in episodes])

    # ---- resolve, claim, fold, commit

    async def apply(self, reads: Sequence[Read]) -> Sequence[Receipt]:
        """Write what the episodes of one group state, in order, each at its own transaction time; all or none.

        Raises CommitConflict when somebody committed to the group meanwhile (nothing was written: call again), LeaseLost when
        another worker holds the jobs.
        """
        group_id = reads[0].episode.group_id
        before = await self.store.read_timelines(group_id)  # of no timeline: only the group's transaction time
        resolver = await read_resolver(self.store, group_id, [r.extraction for r in reads], self.ids)
        earlier = await read_earlier(self.store, group_id, [r.job for r in reads])
        stated = self._claims(reads, resolver, before.tau, earlier)
        touched = [c.claim for claims, _, _, _ in stated for c in (*claims.claims, *claims.replaced)]
        state = await read_fold_state(self.store, group_id, touched, self.relation_of)
        if state.tau != before.tau:
            raise CommitConflict(f"group {group_id!r} was written to while its names were read")
        known = {c.fact_id for c in state.claims()}
        changes: list[Changes] = []
        receipts: list[Receipt] = []
        based_on = state.tau
        for read, (told, entities, names, tau) in zip(reads, stated, strict=True):
            claims = replace(told, claims=tuple(c for c in told.claims if not state.knows(c.claim.claim_id)))
            diff = state.exchange([c.claim.claim_id for c in claims.replaced], claims.claims, tau)
            receipt = _receipt(read, claims, diff, tau, frozenset(known))
            known.update(c.fact_id for c in claims.claims)
            changes.append(self._changes(read, claims, entities, names, diff, based_on, tau, receipt))
            receipts.append(receipt)
            based_on = tau
        await self.store.commit(changes)
        return receipts

    def _claims(
        self, reads: Sequence[Read], resolver: Resolver, last_tau: Instant, earlier: Mapping[str, Earlier]
    ) -> list[tuple[StatedClaims, tuple[Entity, ...], tuple[Name, ...], Instant]]:
        """Claims of each episode with the entities and names it makes, at rising transaction times (R23)."""
        stated = []
        tau = last_tau
        now = to_instant(self.clock.now())
        for read in reads:
            tau = max(now, tau + 1)
            episode, extraction = read.episode, read.extraction
            told_before = earlier.get(episode.episode_id, Earlier())
            resolver.begin(extraction.matches)
            claims = claims_of(
                episode,
                [replace(told, relation=self.name_of(told.relation)) for told in extraction.statements],
                origin=extraction.origin,
                resolver=resolver,
                relation_of=self.relation_of,
                tau=tau,
                run=told_before.runs,
            )
            claims = told_before.replaced_by(claims)
            for other, name in extraction.aliases:
                resolver.alias(other, name, tau, episode.episode_id)
            entities, names = resolver.take_new()
            stated.append((claims, entities, names, tau))
        return stated

    def _changes(
        self,
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
            retractions=self._retractions(job.group_id, claims, tau),
            expire=tuple(v.version_id for v in diff.expire),
            versions=diff.versions,
            unsupport=diff.unsupport,
            support=diff.support,
            job=JobOutcome(
                job_id=job.job_id,
                group_id=job.group_id,
                fence=job.fence,
                state=read.state,
                reason=read.reason,
                run_after=read.run_after,
                receipt=to_json(receipt),
            ),
        )

    def _retractions(self, group_id: str, claims: StatedClaims, tau: Instant) -> tuple[Retraction, ...]:
        """What the episode had been read to say before, withdrawn."""
        if not claims.replaced:
            return ()
        claim_ids = tuple(c.claim.claim_id for c in claims.replaced)
        retraction_id = self.ids.new_id("r")
        return (
            Retraction(
                retraction_id=retraction_id, group_id=group_id, claim_ids=claim_ids, tau=tau, reason="read again"
            ),
        )


def _refuse(acceptance: Acceptance) -> None:
    if acceptance.verdict is Verdict.CONFLICT:
        raise IdempotencyConflict(
            f"episode {acceptance.episode_id!r} was told before with another text: give the new text an id of its own"
        )
    if acceptance.verdict is Verdict.ERASED:
        raise Erased(f"episode {acceptance.episode_id!r} was erased: give the text another id to tell it anew")


def _receipt(read: Read, claims: StatedClaims, diff: FoldDiff, tau: Instant, known: frozenset[str]) -> Receipt:
    added, closed, redated = redatings(diff, known)
    return Receipt(
        episode_id=read.episode.episode_id,
        group_id=read.episode.group_id,
        verdict=Verdict.NEW,
        state=read.state,
        tau=tau,
        claims=len(claims.claims),
        added=added,
        closed=closed,
        redated=redated,
        ignored=merged_notes(read.extraction.notes, claims.ignored),
        calls=read.extraction.calls,
        tokens=read.extraction.tokens,
    )
