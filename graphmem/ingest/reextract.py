"""Reading stored episodes again, as with a better model: their jobs are queued anew, and what was read before gives way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from graphmem.errors import MalformedAnswer
from graphmem.ingest.extract import PROGRAM, extraction_of
from graphmem.model import Episode, Filter, Job, JobOutcome, JobState
from graphmem.ports import Clock, Store
from graphmem.timeline.instants import MAX, Instant, to_instant

__all__ = ["Requeueing"]

_PAGE = 500
_FINAL = (JobState.DONE, JobState.QUARANTINED)


@dataclass(frozen=True, kw_only=True)
class Requeueing:
    """Queues the jobs of episodes of one group again."""

    store: Store
    clock: Clock
    group_id: str
    origin: str | None
    """What reads them now: what it has read already is left alone, so that a run that was broken off goes on where it was.
    None: everything is read again."""

    async def queue(self, *, since: Instant, until: Instant, filter: Filter | None) -> int:
        """Queue the episodes said in [since, until) that pass the filter; how many. What a program told as claims stays."""
        count = 0
        async for page in self._pages(since, until, filter):
            jobs = await self.store.jobs(
                group_ids=[self.group_id], job_ids=[e.episode_id for e in page], limit=len(page)
            )
            for job in jobs:
                if job.state in _FINAL and not self._is_read(job):
                    await self._queue(job)
                    count += 1
        return count

    def _is_read(self, job: Job) -> bool:
        """Whether there is nothing to read again: a program told it, or this model and prompt have read it."""
        if not job.answer:
            return False
        try:
            origin = extraction_of(job.answer).origin
        except MalformedAnswer:
            return False
        is_ours = self.origin is not None and f"{origin} ".startswith(f"{self.origin} ")  # also with a second call
        return origin == PROGRAM or (job.state is JobState.DONE and is_ours)

    async def _queue(self, job: Job) -> None:
        await self.store.finish(
            JobOutcome(
                job_id=job.job_id,
                group_id=job.group_id,
                fence=None,
                state=JobState.QUEUED,
                reason="to be read again",
                run_after=to_instant(self.clock.now()),
                answer="",
            )
        )

    async def _pages(self, since: Instant, until: Instant, filter: Filter | None) -> AsyncIterator[Sequence[Episode]]:
        """The episodes, the newest first, in pages; those of one moment are never parted."""
        before, limit, met = until, _PAGE, set[str]()
        while True:
            newest = await self.store.recent_episodes([self.group_id], limit=limit, before=before, filter=filter)
            page = [e for e in newest if e.said_at >= since and e.episode_id not in met]
            if page:
                yield page
            met = {e.episode_id for e in newest}
            if len(newest) < limit or newest[0].said_at < since:
                return
            # The oldest moment of the page may have more episodes: ask for it again, for more when it fills a page.
            limit = limit if newest[0].said_at + 1 < before else 2 * limit
            before = min(newest[0].said_at + 1, MAX)
