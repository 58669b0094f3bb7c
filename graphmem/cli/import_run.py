"""One run of `graphmem import`: a file read as a stream of episodes, counted or told to the memory."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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

if TYPE_CHECKING:
    from graphmem.memory import Memory

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
    error: GraphmemError | None = None
    """What stopped it before the end of the file."""
    skipped: Counter[str] = field(default_factory=Counter)
    _read_bytes: int = 0

    async def tell(self, memory: Memory) -> ImportReport:
        """Tell the memory every episode up to the first that cannot be told; `error` then says why it stopped."""
        latest = ImportReport()
        with self._opened() as (stream, size), self._progress(size) as progress:

            def show(report: ImportReport) -> None:
                nonlocal latest
                latest = report
                told = report.accepted + report.repeated
                progress.show(self._read_bytes, f"{told:,} episodes, {report.facts:,} new facts")

            try:
                return await memory.add_episodes(self._readable(stream), progress=show)
            except GraphmemError as error:
                self.error = error
                return latest

    def count(self) -> Report:
        """What the import would tell, without telling it."""
        count, first, last = 0, None, None
        with self._opened() as (stream, _):
            for episode in self._chat(stream):
                count += 1
                if episode.said_at is not None:
                    first = min(first or episode.said_at, episode.said_at)
                    last = max(last or episode.said_at, episode.said_at)
        zone = self.session.zone
        dates = (
            ""
            if first is None or last is None
            else f", said from {moment_words(first, zone)} to {moment_words(last, zone)}"
        )
        skipped = "".join(f"\n  skipped: {why}: {n}" for why, n in sorted(self.skipped.items()))
        return Report(
            kind="import_plan",
            text=f"{count:,} episode{'' if count == 1 else 's'}{dates}; nothing was written.{skipped}",
            fields={
                "episodes": count,
                "first_said_at": utc_text(first),
                "last_said_at": utc_text(last),
                "skipped": dict(self.skipped),
            },
        )

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


def _open(file: str) -> BinaryIO:
    try:
        return Path(file).open("rb")
    except (OSError, ValueError) as error:
        raise InvalidPath(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
