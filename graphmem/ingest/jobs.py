"""Working off the job table: leases with a fencing number, retries, quarantine. Order is kept within a group."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from graphmem.errors import (
    Busy,
    GraphmemError,
    InvalidInput,
    LeaseLost,
    ModelHalted,
    NotFound,
    StoreFull,
    StoreUnavailable,
)
from graphmem.ingest.extract import Failed, Read
from graphmem.ingest.fate import MAX_ATTEMPTS, fate_of
from graphmem.ingest.pipeline import Ingestion
from graphmem.ingest.redo import redo
from graphmem.model import Job, JobOutcome, JobState
from graphmem.timeline.instants import SECOND, Instant, to_instant

__all__ = ["FINAL", "LEASE_S", "POLL_S", "Worker"]

LEASE_S = 60.0
HEARTBEAT_S = 20.0
BATCH = 48
"""Three rounds of the calls that a model may have out side by side: no round of a long import goes out half full."""
POLL_S = 0.05
_TRIES = 3
_LETTING_GO_S = 1.0
FINAL = frozenset({JobState.DONE, JobState.QUARANTINED, JobState.DROPPED})


@dataclass(kw_only=True)
class Worker:
    """Takes jobs of a store, one group at a time in order of acceptance, and carries them to an end."""

    ingestion: Ingestion
    owner: str
    monotonic: Callable[[], float]
    """Seconds of a clock that never jumps; waiting is measured by it, leases by the injected clock."""
    batch: int = BATCH
    after_batch: Callable[[str], Awaitable[None]] | None = None
    """Called with the group after a batch of its jobs is written, for what may wait until then."""
    _locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _in_hand: set[asyncio.Task[int]] = field(default_factory=set)

    async def drain(self, group_id: str | None = None) -> int:
        """Work until nothing is ready (in one group, or anywhere); how many jobs came to an end."""
        done = 0
        while worked := await self.work_once(group_id):
            done += worked
        return done

    async def work_once(self, group_id: str | None = None) -> int:
        """Lease one batch and carry it on; how many jobs it held. 0: nothing was ready."""
        if group_id is None:
            return await self._uninterrupted(None)
        async with self._locks[group_id]:
            return await self._uninterrupted(group_id)

    async def settle(self) -> None:
        """Wait for the batches in hand, also those whose callers have gone."""
        await asyncio.gather(*self._in_hand)

    async def wait_for(self, group_id: str, job_ids: Sequence[str], timeout_s: float | None) -> Sequence[Job]:
        """Work in the group until these jobs are final, whoever does them.

        Raises Busy after `timeout_s`; the jobs go on and can be asked for by their ids.
        """
        deadline = None if timeout_s is None else self.monotonic() + timeout_s
        while True:
            jobs = await self.ingestion.store.jobs(group_ids=[group_id], job_ids=job_ids, limit=len(job_ids))
            waiting = [job for job in jobs if job.state not in FINAL]
            if all(_is_put_off(job, self._now()) for job in waiting):
                return jobs
            if deadline is not None and self.monotonic() > deadline:
                raise Busy(
                    f"job {waiting[0].job_id!r} is not done after {timeout_s} s; it goes on: ask for it by its id"
                )
            left_s = None if deadline is None else max(0.0, deadline - self.monotonic())
            with suppress(TimeoutError):  # the batch in hand goes on; the deadline is seen above
                async with asyncio.timeout(left_s):
                    if not await self.work_once(group_id):
                        await asyncio.sleep(POLL_S)

    async def _uninterrupted(self, group_id: str | None) -> int:
        """A batch goes on when its caller is cancelled: a lease left behind would hold up the group."""
        task = asyncio.create_task(self._lease_and_run(group_id))
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)
        return await asyncio.shield(task)

    async def _lease_and_run(self, group_id: str | None) -> int:
        now = self._now()
        jobs = await self.ingestion.store.lease(
            owner=self.owner, now=now, until=now + int(LEASE_S * SECOND), limit=self.batch, group_id=group_id
        )
        if jobs:
            try:
                async with self._heartbeat(jobs[0]):
                    with suppress(LeaseLost):  # another worker has the jobs: whoever waits for them sees them end there
                        await self._run(jobs)
            except (StoreUnavailable, StoreFull) as error:
                with suppress(StoreUnavailable, StoreFull):  # then their lease runs out
                    await self._let_go(jobs, error)
                raise
            if self.after_batch is not None:
                await self.after_batch(jobs[0].group_id)
        return len(jobs)

    async def _run(self, jobs: Sequence[Job]) -> None:
        """Carry the jobs on in order. Those tried before go one by one.

        The first of them is then the one that was in hand when a worker died; the attempts of those behind it, leased along
        with it, were not their own.
        """
        if all(job.attempts == 1 for job in jobs):
            await self._run_together(jobs)
            return
        first, *others = jobs
        if first.attempts > MAX_ATTEMPTS:
            await self._set_aside(first, f"given up after {MAX_ATTEMPTS} attempts: {first.reason or 'its worker died'}")
        else:
            await self._run_together([first])
        for job in others:
            await self._run_together([job])

    async def _run_together(self, jobs: Sequence[Job]) -> None:
        """Read the jobs in order and write them together; one that fails is set aside, the others go on.

        Raises ModelHalted, when the others are written: no job can be read until somebody acts, and all of them stay queued.
        """
        outcomes = await self.ingestion.read(jobs)
        reads = [outcome for outcome in outcomes if isinstance(outcome, Read)]
        if reads:
            await self._apply(reads)
        failures = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
        for failed in failures:
            await self._failed(failed)
        for halted in (failed.error for failed in failures if isinstance(failed.error, ModelHalted)):
            raise halted

    async def _apply(self, reads: Sequence[Read]) -> None:
        try:
            await redo(partial(self.ingestion.apply, reads))
        except InvalidInput as error:
            if len(reads) == 1:
                await self._failed(Failed(job=reads[0].job, episode=reads[0].episode, error=error))
                return
            for read in reads:
                await self._apply([read])
        except NotFound:
            left = await self._left(reads)
            if len(left) == len(reads):
                raise
            if left:
                await self._apply(left)

    async def _left(self, reads: Sequence[Read]) -> Sequence[Read]:
        """Those whose jobs are still there: an episode may be erased while it is read."""
        group_id, job_ids = reads[0].job.group_id, [read.job.job_id for read in reads]
        jobs = await self.ingestion.store.jobs(group_ids=[group_id], job_ids=job_ids, limit=len(job_ids))
        there = {job.job_id for job in jobs}
        return [read for read in reads if read.job.job_id in there]

    async def _failed(self, failed: Failed) -> None:
        """Let the job wait or set it aside; meanwhile the rules read its episode, where they are to stand in."""
        job = failed.job
        fate = fate_of(failed, self._now())
        by_rules = await self.ingestion.extraction.by_fallback(failed)
        if by_rules is None:
            await self._move(job, fate.state, fate.reason, fate.run_after)
        else:
            read = Read(
                job=job,
                episode=failed.episode,
                extraction=by_rules,
                state=fate.state,
                reason=fate.reason,
                run_after=fate.run_after,
            )
            await self._apply([read])
        if fate.starts_over:  # the attempts so far say nothing about the job: its model was not to be had
            await self._move(job, JobState.QUEUED, fate.reason, fate.run_after, is_fresh=True)

    async def _let_go(self, jobs: Sequence[Job], error: GraphmemError) -> None:
        """Queue those again that a store kept from their end; it says nothing about them: their attempts count from nothing."""
        until = self.monotonic() + _LETTING_GO_S
        for job in jobs:
            with suppress(LeaseLost):  # it came to its end, or another worker has it
                for is_fresh in (False, True):
                    reason = f"{type(error).__name__}: {error}"
                    queue = partial(self._move, job, JobState.QUEUED, reason, self._now(), is_fresh=is_fresh)
                    await self._insisted(queue, until)

    async def _insisted(self, write: Callable[[], Awaitable[None]], until: float) -> None:
        for tries_left in reversed(range(_TRIES)):
            try:
                await write()
            except (StoreUnavailable, StoreFull):
                if not tries_left or self.monotonic() >= until:
                    raise
            else:
                return

    async def _set_aside(self, job: Job, reason: str) -> None:
        await self._move(job, JobState.QUARANTINED, reason, None)

    async def _move(
        self, job: Job, state: JobState, reason: str, run_after: Instant | None, *, is_fresh: bool = False
    ) -> None:
        """`is_fresh`: its attempts are counted from nothing."""
        outcome = JobOutcome(
            job_id=job.job_id,
            group_id=job.group_id,
            fence=None if is_fresh else job.fence,
            state=state,
            reason=reason,
            run_after=run_after,
        )
        with suppress(NotFound):  # its episode was erased meanwhile
            await self.ingestion.store.finish(outcome)

    @asynccontextmanager
    async def _heartbeat(self, job: Job) -> AsyncIterator[None]:
        """Prolong the lease while the work takes longer than a beat."""
        beat = asyncio.create_task(self._beat(job))
        try:
            yield
        finally:
            beat.cancel()
            with suppress(asyncio.CancelledError, LeaseLost):
                await beat

    async def _beat(self, job: Job) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            until = self._now() + int(LEASE_S * SECOND)
            await self.ingestion.store.extend(group_id=job.group_id, fence=job.fence, until=until)

    def _now(self) -> Instant:
        return to_instant(self.ingestion.clock.now())


def _is_put_off(job: Job, now: Instant) -> bool:
    """Whether nobody will work on it for now: it waits for a retry, or for a batch of the model."""
    return job.state is JobState.RETRYING or (job.state is JobState.QUEUED and job.run_after > now)
