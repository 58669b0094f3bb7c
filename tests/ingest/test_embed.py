"""Vectors after a commit: made at once, left waiting when the embedder fails, made anew for another model."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from graphmem.errors import EmbedderMismatch, InvalidInput, MalformedAnswer, ModelError, ModelUnavailable
from graphmem.inference.scripted import FailingEmbedder, HashingEmbedder
from graphmem.ingest.embed import BATCH, EmbeddingProgress
from graphmem.memory import Memory
from graphmem.ports import Embedded, SearchTarget, TextKind

DAY = datetime(2025, 3, 3, 9, tzinfo=UTC)


async def tell(memory: Memory, *texts: str) -> None:
    for text in texts:
        await memory.add_episode(text, speaker="Ann", said_at=DAY)


async def test_what_is_told_is_embedded_with_speaker_and_day() -> None:
    embedder = HashingEmbedder()
    async with await Memory.open(":memory:", embedder=embedder) as memory:
        await tell(memory, "I work at Acme.")

        assert sorted(embedder.texts) == ["Acme", "Ann", "Ann works at Acme", "Ann: I work at Acme."]
        assert (await memory.search("Acme", recipe="vectors")).notes == ()


async def test_a_failing_embedder_holds_nothing_up_and_the_search_says_what_waits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    embedder = FailingEmbedder()
    async with await Memory.open(":memory:", embedder=embedder) as memory:
        with caplog.at_level(logging.INFO, "graphmem"):
            await tell(memory, "I work at Acme.")
        assert "scripted embedder is down" in caplog.text
        assert [fact.text for fact in await memory.facts()] == ["Ann works at Acme"]
        embedder.is_down = False

        found = await memory.search("where does Ann work")
        assert "4 items wait" in found.notes[0]
        assert found[0].facts or found[0].episode

        await tell(memory, "I live in Oslo.")
        assert (await memory.search("where does Ann work")).notes == ()


class RaisingEmbedder(HashingEmbedder):
    """Raises what a foreign embedder may raise."""

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        raise ZeroDivisionError(texts[0])


class ShortEmbedder(HashingEmbedder):
    """Gives a vector too few."""

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        embedded = await super().embed_tokens(texts, kind)
        return Embedded(vectors=embedded.vectors[1:], tokens=())


async def test_what_a_foreign_embedder_raises_becomes_ours_without_the_text() -> None:
    async with await Memory.open(":memory:", embedder=RaisingEmbedder()) as memory:
        await tell(memory, "I work at Acme.")
        with pytest.raises(ModelError, match="ZeroDivisionError") as raised:
            await memory.reembed()
        assert "Acme" not in str(raised.value)


async def test_an_embedder_that_gives_too_few_vectors_is_refused() -> None:
    async with await Memory.open(":memory:", embedder=ShortEmbedder()) as memory:
        await tell(memory, "I work at Acme.")
        with pytest.raises(MalformedAnswer):
            await memory.reembed()


@pytest.mark.parametrize("other", [HashingEmbedder(name="another"), HashingEmbedder(dimension=32)])
async def test_another_model_is_a_clear_error_and_the_file_stays_as_it_is(
    tmp_path: Path, other: HashingEmbedder
) -> None:
    path = tmp_path / "memory.db"
    async with await Memory.open(path, embedder=HashingEmbedder()) as memory:
        await tell(memory, "I work at Acme.")
    before = path.read_bytes()

    with pytest.raises(EmbedderMismatch, match=r"hashing.*64.*graphmem reembed"):
        await Memory.open(path, embedder=other)

    assert path.read_bytes() == before
    assert other.texts == []


async def test_a_memory_is_made_over_for_another_model(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with await Memory.open(path, embedder=HashingEmbedder()) as memory:
        await tell(memory, "I work at Acme.", "I live in Oslo.")
    other = HashingEmbedder(name="another", dimension=32)

    async with await Memory.open(path) as memory:
        assert await memory.reembed(other) == 7
        found = await memory.search("works at Acme", recipe="vectors")
        assert found.notes == ()
        assert "Acme" in (found[0].facts[0].text if found[0].facts else found[0].episode.text)  # type: ignore[union-attr]

    async with await Memory.open(path, embedder=other) as memory:
        assert await memory.reembed() == 0


class BreakingEmbedder(HashingEmbedder):
    """Goes down after some batches of documents."""

    def __init__(self, batches: int) -> None:
        super().__init__(name="breaking")
        self.left = batches

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        if self.left == 0:
            raise ModelUnavailable("gone")
        self.left -= 1
        return await super().embed_tokens(texts, kind)


async def test_reembedding_goes_on_where_it_was_broken_off() -> None:
    async with await Memory.open(":memory:") as memory:
        await tell(memory, *(f"Remember the number {n}." for n in range(3 * BATCH)))
        broken, seen = BreakingEmbedder(batches=2), list[EmbeddingProgress]()

        with pytest.raises(ModelUnavailable):
            await memory.reembed(broken, progress=seen.append)
        assert [progress.done for progress in seen] == [BATCH, 2 * BATCH]
        found = await memory.search("number 7", targets=[SearchTarget.EPISODE], recipe="vectors")
        assert "without vectors" in found.notes[0].lower()  # it is still down

        broken.left = 100
        left = seen[-1].waiting
        assert await memory.reembed(broken, progress=seen.append) == left
        assert seen[-1].waiting == 0
        assert len(broken.texts) == len(set(broken.texts)) == 2 * BATCH + left


async def test_without_an_embedder_there_is_nothing_to_make() -> None:
    async with await Memory.open(":memory:") as memory:
        with pytest.raises(InvalidInput, match="local"):
            await memory.reembed()


async def test_what_an_erasure_leaves_is_searched_by_its_new_vectors() -> None:
    async with await Memory.open(":memory:", embedder=HashingEmbedder()) as memory:
        await tell(memory, "I work at Acme.", "I live in Oslo.")
        await memory.erase(entity="Acme")

        found = await memory.search("Acme", recipe="vectors", minimum=-1.0)
        assert found.notes == ()
        assert not any("Acme" in (hit.facts[0].text if hit.facts else str(hit.episode)) for hit in found)


async def test_a_double_gives_the_same_vector_for_the_same_text() -> None:
    texts = ["Ann drinks tea", "?"]
    once = await HashingEmbedder().embed(texts, TextKind.QUERY)
    again = await HashingEmbedder().embed(texts, TextKind.QUERY)

    assert np.array_equal(once, again)
    assert np.linalg.norm(once, axis=1).tolist() == pytest.approx([1.0, 0.0])
