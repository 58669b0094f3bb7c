"""Work in the background: jobs carried on while the process does other things."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from graphmem.ingest.jobs import POLL_S, Worker
from graphmem.timeline.instants import SECOND, to_instant

__all__ = ["Background"]


@dataclass(kw_only=True)
class Background:
    """Works in the background of the opening process, several groups side by side, until it is stopped."""

    worker: Worker
    concurrency: int = 4
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _is_stopping: bool = False
    _failure: Exception | None = None

    def wake(self) -> None:
        """There is work: start it, or let it look again. Raises, once, what stopped the work before."""
        self._raise_failure()
        self._wake.set()
        while len(self._tasks) < self.concurrency:
            task = asyncio.create_task(self._work())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Finish what is in hand and start nothing new; the rest stays queued in the store."""
        self._is_stopping = True
        self._wake.set()
        await asyncio.gather(*self._tasks)
        await self.worker.settle()
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    async def _work(self) -> None:
        try:
            while not self._is_stopping and await self._one_batch():
                pass
        except Exception as error:  # noqa: BLE001 - no caller awaits this task; wake() and stop() raise it
            self._failure = error

    async def _one_batch(self) -> bool:
        """One batch, or a wait for the next retry; False when nothing is left to wait for."""
        if await self.worker.work_once():
            return True
        next_at = await self.worker.ingestion.store.next_run_at()
        if next_at is None:
            return False
        self._wake.clear()
        wait_s = max(POLL_S, (next_at - to_instant(self.worker.ingestion.clock.now())) / SECOND)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), min(wait_s, 1.0))
        return True
