"""One run of `graphmem import`: a file read as a stream of episodes, counted or told to the memory."""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from graphmem.cli.output import Report
from graphmem.cli.progress import WorkProgress
from graphmem.cli.session import Session
from graphmem.cli.times import moment_words, read_length, utc_text
from graphmem.errors import GraphmemError, InvalidPath
from graphmem.importers.jsonl import JsonlChat, lines_of
from graphmem.ingest.accept import NewEpisode
from graphmem.memory import ImportReport
from graphmem.model import JobState

if TYPE_CHECKING:
    from graphmem.inference.meter import StageUse
    from graphmem.ingest.batches import BatchReport
    from graphmem.memory import Memory
    from graphmem.ports import BatchProgress

__all__ = ["ImportRun"]


@dataclass(kw_only=True)
class ImportRun:
    """Reads one file once."""

    session: Session
    file: str
    start: str | None
    step: str
    speakers: dict[str, str]
    name: str | None
    in_batches: bool = False
    """By batches of the model, at half the price and within a day."""
    error: GraphmemError | None = None
    """What stopped it before the end of the file."""
    skipped: Counter[str] = field(default_factory=Counter)
    _read_bytes: int = 0

    def tell(self) -> ImportReport:
        """Tell the memory every episode up to the first that cannot be told; `error` then says why it stopped.

        Raises InvalidPath for a file that cannot be read, and then no memory is made.
        """
        with self._opened() as (stream, size):
            return self.session.run(lambda memory: self._told(memory, stream, size), creates=True)

    async def _told(self, memory: Memory, stream: BinaryIO, size: int | None) -> ImportReport:
        latest = ImportReport()
        with self._progress(size) as progress:

            def show(report: ImportReport) -> None:
                nonlocal latest
                latest = report
                told = report.accepted + report.repeated
                spent = self.session.model_use.spent
                words = f"{told:,} episodes, {report.facts:,} new facts{spent and f', {spent}'}"
                progress.show(self._read_bytes, words)

            try:
                report = await memory.add_episodes(self._readable(stream), progress=show, wait=not self.in_batches)
                return await self._read_in_batches(memory, report, progress) if self.in_batches else report
            except GraphmemError as error:
                self.error = error
                return latest

    async def _read_in_batches(self, memory: Memory, kept: ImportReport, progress: WorkProgress) -> ImportReport:
        """What the batches made of all that waits in the group, also of an import that was broken off."""

        def show(report: BatchReport, state: BatchProgress) -> None:
            under_way = "" if state.is_ended else ", a batch is under way"
            words = f"{report.answered:,} of {report.submitted:,} episodes answered{under_way}, {self.session.model_use.spent}"
            progress.show(self._read_bytes, words)

        group_id = self.session.group_id
        facts = await _facts_in(memory, group_id)
        await memory.read_in_batches(group_id=group_id, progress=show)
        jobs = await memory.count_jobs(group_ids=group_id)
        waiting = sum(jobs[state] for state in (JobState.QUEUED, JobState.RETRYING, JobState.RUNNING))
        quarantined = min(jobs[JobState.QUARANTINED], kept.accepted)
        return replace(
            kept,
            waiting=waiting,
            quarantined=quarantined,
            done=max(0, kept.accepted - waiting - quarantined),
            facts=await _facts_in(memory, group_id) - facts,
        )

    def count(self) -> Report:
        """What the import would tell, without telling it."""
        count, first, last = 0, None, None

        def counted(stream: BinaryIO) -> Iterator[NewEpisode]:
            nonlocal count, first, last
            for episode in self._chat(stream):
                count += 1
                if episode.said_at is not None:
                    first = min(first or episode.said_at, episode.said_at)
                    last = max(last or episode.said_at, episode.said_at)
                yield episode

        with self._opened() as (stream, _):
            cost = self._cost(counted(stream))
        zone = self.session.zone
        dates = (
            ""
            if first is None or last is None
            else f", said from {moment_words(first, zone)} to {moment_words(last, zone)}"
        )
        skipped = "".join(f"\n  skipped: {why}: {n}" for why, n in sorted(self.skipped.items()))
        return Report(
            kind="import_plan",
            text=f"{count:,} episode{'' if count == 1 else 's'}{dates}; nothing was written.{_cost_words(cost)}{skipped}",
            fields={
                "episodes": count,
                "first_said_at": utc_text(first),
                "last_said_at": utc_text(last),
                "skipped": dict(self.skipped),
            }
            | ({} if cost is None else {"calls": cost.calls, "cost_usd": round(cost.cost_usd, 4)}),
        )

    def _cost(self, episodes: Iterator[NewEpisode]) -> StageUse | None:
        """About what the model of the settings would ask for these; every episode is read in any case."""
        if self.session.settings.model.value == "rules":
            deque(episodes, maxlen=0)
            return None
        from graphmem.cli.import_cost import requests_of

        return self.session.model_use.expected(requests_of(episodes))

    def _readable(self, stream: BinaryIO) -> Iterator[NewEpisode]:
        """The episodes before the first line that cannot be read."""
        try:
            yield from self._chat(stream)
        except GraphmemError as error:
            self.error = error

    def _chat(self, stream: BinaryIO) -> JsonlChat:
        return JsonlChat(
            lines=self._counted(stream),
            source=self.name or (Path(self.file).name if self.file != "-" else "stdin"),
            group_id=self.session.group_id,
            zone=self.session.zone,
            start=self.session.moment(self.start),
            step=read_length(self.step),
            speakers=self.speakers,
            skipped=self.skipped,
        )

    def _counted(self, stream: BinaryIO) -> Iterator[bytes]:
        for line in lines_of(stream):
            self._read_bytes += len(line)
            yield line

    @contextmanager
    def _opened(self) -> Iterator[tuple[BinaryIO, int | None]]:
        if self.file == "-":
            yield sys.stdin.buffer, None
            return
        with _open(self.file) as stream:
            yield stream, os.fstat(stream.fileno()).st_size

    def _progress(self, size: int | None) -> WorkProgress:
        return WorkProgress(f"importing {Path(self.file).name}", total=size, is_wanted=self.session.has_progress)


async def _facts_in(memory: Memory, group_id: str) -> int:
    return sum(group.facts for group in await memory.groups() if group.group_id == group_id)


def _cost_words(cost: StageUse | None) -> str:
    if cost is None:
        return ""
    tokens = f"{cost.usage.prompt_tokens:,} tokens in, {cost.usage.output_tokens:,} out"
    return f"\n  the model would be asked about {cost.calls:,} times: {tokens}, ${cost.cost_usd:.2f}"


def _open(file: str) -> BinaryIO:
    try:
        return Path(file).open("rb")
    except (OSError, ValueError) as error:
        raise InvalidPath(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
