"""Bulk reading at half the price: waiting jobs handed in as batches, and their answers collected, by whichever process is there.

What is in a batch stands with its jobs ("in batch ID as PLACE"), so that a process that was killed is no loss. Names are settled
and facts folded afterwards, as for any answer that was recorded.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from graphmem.errors import ModelError, ModelHalted, NotFound
from graphmem.ingest.by_model import ModelExtractor
from graphmem.ingest.extract import ExtractStep, answer_of
from graphmem.ingest.split import PART_CHARACTERS
from graphmem.model import Episode, Job, JobOutcome, JobState
from graphmem.ports import BatchModel, BatchProgress, Clock, Extraction, ModelAnswer, ModelRequest
from graphmem.timeline.instants import SECOND, Instant, to_instant

__all__ = ["BatchReading", "BatchReport"]

MOST_REQUESTS = 10_000
MOST_CHARACTERS = 60_000_000
"""Of one batch: a quarter of what a provider takes, so that a part of a large import is there early."""
_HELD_S = 25 * 3_600
"""A batch ends within a day; an hour later its jobs are read one by one, whatever became of it."""
_MARK = re.compile(r"in batch (\S+) as (\S+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchReport:
    """How far the reading in batches is."""

    submitted: int = 0
    """Episodes handed in."""
    answered: int = 0
    left: int = 0
    """Episodes that a batch did not read: they are read one by one."""

    def __add__(self, other: BatchReport) -> BatchReport:
        return BatchReport(
            submitted=self.submitted + other.submitted,
            answered=self.answered + other.answered,
            left=self.left + other.left,
        )


@dataclass(frozen=True, kw_only=True)
class BatchReading:
    """Reads the waiting episodes of one group in batches."""

    step: ExtractStep
    extractor: ModelExtractor
    model: BatchModel
    clock: Clock
    group_id: str
    most_requests: int = MOST_REQUESTS

    async def run(
        self, *, poll_s: float = 30.0, progress: Callable[[BatchReport, BatchProgress], None] | None = None
    ) -> BatchReport:
        """Hand in what waits, and collect what is under way until nothing is. What was collected is recorded, not applied yet.

        Raises ModelError when a batch cannot be handed in or asked for; what is under way stays, and the next call goes on.
        """
        report = BatchReport(submitted=await self.submit())
        for batch_id in await self.under_way():
            while not (state := await self._state(batch_id)).is_ended:
                if progress is not None:
                    progress(report, state)
                await asyncio.sleep(poll_s)
            report += await self.collect(batch_id)
            if progress is not None:
                progress(report, state)
        return report

    async def submit(self) -> int:
        """Hand in every job that waits without an answer; how many episodes."""
        count = 0
        waiting = [job for job in await self._jobs() if not job.answer and not _MARK.fullmatch(job.reason)]
        windows = await self._windows(waiting)
        while windows:
            requests: dict[str, ModelRequest] = {}
            held: dict[str, Sequence[Episode]] = {}
            characters = 0
            while windows and len(requests) < self.most_requests and characters < MOST_CHARACTERS:
                window = windows.pop(0)
                request = self.extractor.request(window, await self.step.context_of(window[0]))
                place = f"r{len(requests)}"
                requests[place], held[place] = request, window
                characters += len(request.system) + len(request.prompt)
            batch_id = await self.model.submit(requests)
            for place, window in held.items():
                for episode in window:
                    await self._hold(episode.episode_id, f"in batch {batch_id} as {place}")
                    count += 1
        return count

    async def under_way(self) -> Sequence[str]:
        """Ids of the batches that jobs of the group are in, in order of acceptance."""
        marks = (_MARK.fullmatch(job.reason) for job in await self._jobs())
        return list(dict.fromkeys(mark[1] for mark in marks if mark))

    async def collect(self, batch_id: str) -> BatchReport:
        """Record what a batch that has ended answered; what it did not is free to be read one by one."""
        windows = await self._held_in(batch_id)
        report = BatchReport()
        try:
            async for result in self.model.results(batch_id):
                window = windows.pop(result.custom_id, None)
                if window is not None:
                    report += await self._take(window, result.outcome)
        except NotFound:
            pass  # the provider has forgotten it: all of its jobs are free again
        for window in windows.values():
            report += await self._free(window)
        return report

    # ---- one window

    async def _take(self, window: Sequence[Episode], outcome: ModelAnswer | ModelError) -> BatchReport:
        if isinstance(outcome, ModelHalted):
            raise outcome
        if isinstance(outcome, ModelError):
            return await self._free(window)
        try:
            read = self.extractor.read(outcome, window, await self.step.context_of(window[0]))
        except ModelError:
            return await self._free(window)  # asked for again by itself, it may be split or given more room
        for episode, extraction in zip(window, read, strict=True):
            await self._move(episode.episode_id, "", self._now(), self.step.governed(extraction))
        return BatchReport(answered=len(window))

    async def _free(self, window: Sequence[Episode]) -> BatchReport:
        for episode in window:
            await self._move(episode.episode_id, "", self._now())
        return BatchReport(left=len(window))

    async def _windows(self, jobs: Sequence[Job]) -> list[Sequence[Episode]]:
        episodes = await self.step.store.episodes(self.group_id, [job.job_id for job in jobs])
        return list(self.extractor.windows_of([e for e in episodes if len(e.text) <= PART_CHARACTERS]))

    async def _held_in(self, batch_id: str) -> dict[str, Sequence[Episode]]:
        places: dict[str, list[str]] = {}
        for job in await self._jobs():
            mark = _MARK.fullmatch(job.reason)
            if mark and mark[1] == batch_id:
                places.setdefault(mark[2], []).append(job.job_id)
        return {place: await self.step.store.episodes(self.group_id, ids) for place, ids in places.items()}

    async def _state(self, batch_id: str) -> BatchProgress:
        try:
            return await self.model.poll(batch_id)
        except NotFound:
            return BatchProgress(is_ended=True)

    async def _jobs(self) -> Sequence[Job]:
        return await self.step.store.jobs(group_ids=[self.group_id], states=[JobState.QUEUED], limit=1_000_000)

    async def _hold(self, job_id: str, reason: str) -> None:
        await self._move(job_id, reason, self._now() + _HELD_S * SECOND)

    async def _move(self, job_id: str, reason: str, run_after: Instant, extraction: Extraction | None = None) -> None:
        outcome = JobOutcome(
            job_id=job_id,
            group_id=self.group_id,
            fence=None,
            state=JobState.QUEUED,
            reason=reason,
            run_after=run_after,
        )
        answer = None if extraction is None else answer_of(extraction)
        with suppress(NotFound):  # its episode was erased meanwhile
            await self.step.store.finish(replace(outcome, answer=answer))

    def _now(self) -> Instant:
        return to_instant(self.clock.now())
