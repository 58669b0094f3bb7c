"""`python -m benchmarks.peers.measuring SYSTEM`: tells the world to one system, asks it, and prints figures as JSON.

It runs in a process of its own, under whichever interpreter has the system installed; of graphmem it needs nothing but for
graphmem itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Protocol

from benchmarks.peers.hashing import DIMENSION
from benchmarks.peers.world import Fact, Question, World, world_of

__all__ = ["SYSTEMS", "System", "main", "measure"]

SYSTEMS = {
    "graphmem, model": "benchmarks.peers.graphmem_system:by_model",
    "graphmem, rules": "benchmarks.peers.graphmem_system:by_rules",
    "graphiti-core": "benchmarks.peers.graphiti_system:opened",
    "mem0ai": "benchmarks.peers.mem0_system:opened",
}
"""Where each is opened: a function of a folder."""
_ENVIRONMENT = {
    "EMBEDDING_DIM": str(DIMENSION),
    "GRAPHITI_TELEMETRY_ENABLED": "false",
    "MEM0_TELEMETRY": "False",
}
"""What the peers read when they are imported."""


class System(Protocol):
    """One memory, behind what all of them can do."""

    version: str
    note: str
    """How its answers are read off what it keeps."""
    calls: int
    prompt_tokens: int
    """Of all calls, four characters each."""

    async def start(self) -> None: ...

    async def tell(self, fact: Fact) -> None: ...

    async def search(self, text: str) -> None:
        """Find the best ten; what is found is not looked at."""
        ...

    async def answer(self, question: Question) -> str:
        """The place; empty where it has none."""
        ...

    async def close(self) -> None: ...


async def measure(system: System, world: World) -> dict[str, object]:
    """Figures of one system."""
    await system.start()
    began = time.perf_counter()
    for number, fact in enumerate(world.facts, start=1):
        await system.tell(fact)
        if number % 50 == 0:
            print(f"{number} of {len(world.facts)} facts", file=sys.stderr, flush=True)
    ingest_s = time.perf_counter() - began
    seconds = [await _search_s(system, question.text) for question in world.questions]
    answers = [await system.answer(question) for question in world.questions]
    await system.close()
    return {
        "version": system.version,
        "ingest_s": round(ingest_s, 2),
        "search_ms": {
            "p50": round(1_000 * median(seconds), 2),
            "p95": round(1_000 * quantiles(seconds, n=20)[-1], 2),
        },
        "calls": system.calls,
        "prompt_tokens": system.prompt_tokens,
        "as_of": _right(world.questions, answers, is_of_the_past=True),
        "current": _right(world.questions, answers, is_of_the_past=False),
        "note": system.note,
    }


async def _search_s(system: System, text: str) -> float:
    began = time.perf_counter()
    await system.search(text)
    return time.perf_counter() - began


def _right(questions: Sequence[Question], answers: Sequence[str], *, is_of_the_past: bool) -> dict[str, int]:
    pairs = [(q, a) for q, a in zip(questions, answers, strict=True) if (q.at is not None) is is_of_the_past]
    return {"questions": len(pairs), "right": sum(question.right == answer for question, answer in pairs)}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.measuring", description=__doc__)
    parser.add_argument("system", choices=list(SYSTEMS))
    parser.add_argument("--facts", type=int, default=200)
    arguments = parser.parse_args(argv)
    module, _, function = SYSTEMS[arguments.system].partition(":")
    with TemporaryDirectory(prefix="peers-") as folder:
        os.environ.update(_ENVIRONMENT, MEM0_DIR=folder)
        opened: Callable[[Path], System] = getattr(import_module(module), function)
        figures = asyncio.run(measure(opened(Path(folder)), world_of(arguments.facts)))
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
