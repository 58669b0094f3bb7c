"""Child processes for the fault tests: forked from a clean server, so that starting one takes milliseconds."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.context import ForkServerProcess
from multiprocessing.queues import Queue

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["graphmem.memory", "graphmem.ingest.rules", "tests.faults.turns"])

PATIENCE_S = 60.0


class LaterClock:
    """The computer's clock, ahead by a fixed time: leases of the dead have ended."""

    def __init__(self, ahead: timedelta = timedelta(seconds=61)) -> None:
        self._ahead = ahead

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead


def new_queue() -> Queue[object]:
    return _context.Queue()


@contextmanager
def started(act: Callable[..., None], *given: object) -> Iterator[ForkServerProcess]:
    """A child that runs `act`; killed in the end if it is still there."""
    child = _context.Process(target=act, args=given)
    child.start()
    try:
        yield child
    finally:
        child.kill()
        child.join(PATIENCE_S)


def run_all(*acts: tuple[Callable[..., None], tuple[object, ...]]) -> None:
    """Run children side by side; every one must end well."""
    children = [_context.Process(target=act, args=given) for act, given in acts]
    for child in children:
        child.start()
    try:
        for child in children:
            child.join(PATIENCE_S)
        assert [child.exitcode for child in children] == [0] * len(children)
    finally:
        for child in children:
            child.kill()
            child.join(PATIENCE_S)
