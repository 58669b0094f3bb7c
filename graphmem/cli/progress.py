"""Progress of long work on standard error: a bar on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from graphmem.cli.output import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["WorkProgress"]

PLAIN_EVERY_S = 5.0


class WorkProgress:
    """Shows how far a piece of work is, by bytes read; silent when it is not wanted."""

    def __init__(self, what: str, *, total: int | None, is_wanted: bool) -> None:
        self._what = visible(what)
        self._total = total
        self._is_wanted = is_wanted
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._told_at = time.monotonic()

    def __enter__(self) -> Self:
        if self._is_wanted and sys.stderr.isatty():
            self._start_bar()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: int, words: str) -> None:
        """Show that `done` bytes are read, and what came of them."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, words=words)
        elif self._is_wanted and time.monotonic() - self._told_at >= PLAIN_EVERY_S:
            self._told_at = time.monotonic()
            share = f"{100 * done // self._total} %, " if self._total else ""
            sys.stderr.write(f"{self._what}: {share}{words}\n")
            sys.stderr.flush()

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[words]}"), TimeRemainingColumn())
        self._bar = Progress(TextColumn("{task.description}", markup=False), *columns, console=Console(stderr=True))
        self._task = self._bar.add_task(self._what, total=self._total, words="")
        self._bar.start()
