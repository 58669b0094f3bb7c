"""SIGKILL in the middle of making vectors: what was made is kept, and the next run makes what is left."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from graphmem.errors import EmbedderMismatch
from graphmem.inference.scripted import HashingEmbedder
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.embed import BATCH, EmbeddingProgress
from graphmem.memory import Memory
from graphmem.ports import Embedded, SearchTarget, TextKind
from tests.cases.table import case
from tests.clocks import day
from tests.faults.processes import new_queue, started

TURNS = 6 * BATCH
OLD, NEW = "old", "new"


class SlowEmbedder(HashingEmbedder):
    """Takes its time, so that it can be killed at work."""

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        await asyncio.sleep(0.05)
        return await super().embed_tokens(texts, kind)


async def tell(path: Path) -> None:
    async with await Memory.open(path, embedder=HashingEmbedder(name=OLD)) as memory:
        await memory.add_episodes(
            NewEpisode(text=f"Remember the number {n}.", said_at=day("2025-03-03")) for n in range(TURNS)
        )
        await memory.reembed()


def reembed_in_child(path: Path, seen: Queue[object]) -> None:
    async def act() -> None:
        async with await Memory.open(path) as memory:
            await memory.reembed(SlowEmbedder(name=NEW), progress=lambda at: seen.put(at.done))

    asyncio.run(act())


@case("F-K06")
async def test_a_reembedding_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    await tell(path)
    seen = new_queue()

    with started(reembed_in_child, path, seen) as child:
        while int(str(seen.get(timeout=60))) < 2 * BATCH:
            pass
        child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL

    embedder, progress = HashingEmbedder(name=NEW), list[EmbeddingProgress]()
    async with await Memory.open(path, embedder=embedder) as memory:
        assert any("wait" in note for note in (await memory.search("number")).notes)
        asked = len(embedder.texts)
        made = await memory.reembed(progress=progress.append)
        assert 0 < made <= TURNS - 2 * BATCH
        assert len(embedder.texts) - asked == made
        assert (progress[-1].done, progress[-1].waiting) == (made, 0)
        found = await memory.search("number 7", recipe="vectors", targets=[SearchTarget.EPISODE])
        assert found.notes == ()
        assert found[0].episode is not None
        assert found[0].episode.text == "Remember the number 7."
    with pytest.raises(EmbedderMismatch, match=NEW):
        await Memory.open(path, embedder=HashingEmbedder(name=OLD))
