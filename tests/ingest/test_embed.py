"""Vectors after a commit: made at once, left waiting when the embedder fails, made anew for another model."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from graphmem.errors import EmbedderMismatch, InvalidInput, MalformedAnswer, ModelError, ModelUnavailable
from graphmem.inference.scripted import FailingEmbedder, HashingEmbedder
from graphmem.ingest.embed import BATCH, EmbeddingProgress
from graphmem.memory import Memory
from graphmem.ports import Embedded, EmbeddingModel, Floats, SearchTarget, TextKind
from tests.cases.table import case

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


class OddEmbedder(HashingEmbedder):
    """Gives what no embedder should give."""

    def __init__(self, given: Callable[[Embedded], object]) -> None:
        super().__init__()
        self.given = given

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        return cast("Embedded", self.given(await super().embed_tokens(texts, kind)))


@pytest.mark.parametrize(
    "given",
    [
        lambda embedded: None,
        lambda embedded: Embedded(vectors=embedded.vectors * np.nan, tokens=embedded.tokens),
        lambda embedded: Embedded(vectors=embedded.vectors[:, 1:], tokens=embedded.tokens),
        lambda embedded: Embedded(vectors=np.full(embedded.vectors.shape, "a"), tokens=embedded.tokens),
        lambda embedded: Embedded(vectors=np.full(embedded.vectors.shape, 1e308), tokens=embedded.tokens),
        lambda embedded: Embedded(vectors=np.full(embedded.vectors.shape, 3e38, np.float32), tokens=embedded.tokens),
        lambda embedded: Embedded(vectors=embedded.vectors, tokens=tuple(rows * np.inf for rows in embedded.tokens)),
        lambda embedded: Embedded(vectors=embedded.vectors, tokens=tuple(rows[:, 1:] for rows in embedded.tokens)),
    ],
    ids=["nothing", "nan", "dimension", "text", "huge", "huge in float32", "inf", "dimension of tokens"],
)
async def test_what_no_embedder_should_give_holds_nothing_up(given: Callable[[Embedded], object]) -> None:
    async with await Memory.open(":memory:", embedder=OddEmbedder(given)) as memory:
        await tell(memory, "I work at Acme.")

        found = await memory.search("where does Ann work")
        assert found[0].facts or found[0].episode
        assert found.notes[0].startswith("Without vectors")
        with pytest.raises(ModelError):
            await memory.reembed()


async def test_a_text_that_an_embedder_cannot_do_holds_up_no_other() -> None:
    def nothing_for_tea(texts: Sequence[str], embedded: Embedded) -> Embedded:
        vectors = [row * (np.nan if "tea" in text else 1) for text, row in zip(texts, embedded.vectors, strict=True)]
        return Embedded(vectors=np.array(vectors).reshape(embedded.vectors.shape), tokens=embedded.tokens)

    class Choosy(HashingEmbedder):
        async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
            return nothing_for_tea(texts, await super().embed_tokens(texts, kind))

    async with await Memory.open(":memory:", embedder=Choosy()) as memory:
        await tell(memory, "I like tea.")
        await tell(memory, *(f"I visited town {number}." for number in range(2 * BATCH)))

        found = await memory.search("town", recipe="vectors", targets=[SearchTarget.EPISODE], limit=200)
        assert len(found) == 2 * BATCH
        assert found.notes[0].startswith("3 items wait")
        with pytest.raises(MalformedAnswer):
            await memory.reembed()


async def test_a_vector_of_zeros_is_near_nothing_and_is_made_once() -> None:
    def nothing(embedded: Embedded) -> Embedded:
        return Embedded(vectors=embedded.vectors * 0, tokens=tuple(rows * 0 for rows in embedded.tokens))

    async with await Memory.open(":memory:", embedder=OddEmbedder(nothing)) as memory:
        assert await memory.search("work", recipe="vectors") == []  # of a store without a vector
        await tell(memory, "I work at Acme.")
        assert await memory.search("where does Ann work", recipe="vectors") == []
        assert (await memory.search("where does Ann work"))[0].facts
        assert await memory.reembed() == 0
        assert await memory.verify() == []


async def test_lists_of_numbers_are_vectors_too() -> None:
    def lists(embedded: Embedded) -> Embedded:
        return Embedded(vectors=cast("Floats", embedded.vectors.tolist()), tokens=())

    async with await Memory.open(":memory:", embedder=OddEmbedder(lists)) as memory:
        await tell(memory, "I work at Acme.")
        assert (await memory.search("Acme", recipe="vectors")).notes == ()


class AwayEmbedder(HashingEmbedder):
    """Cannot even be asked for its model while `is_away`."""

    is_away = True

    @property
    def model(self) -> EmbeddingModel:
        if self.is_away:
            raise ModelUnavailable("the endpoint is away")
        return super().model


async def test_an_embedder_that_is_away_when_a_memory_is_opened_holds_nothing_up() -> None:
    embedder = AwayEmbedder()
    async with await Memory.open(":memory:", embedder=embedder) as memory:
        await tell(memory, "I work at Acme.")
        found = await memory.search("where does Ann work")
        assert found[0].facts or found[0].episode
        assert "the endpoint is away" in found.notes[0]

        embedder.is_away = False
        await tell(memory, "I live in Oslo.")
        await tell(memory, "I like tea.")
        assert (await memory.search("where does Ann work")).notes == ()
        assert [hit.episode for hit in await memory.search("Acme", recipe="vectors") if hit.episode]
        assert (await memory.search("Acme"))[0].nearness == pytest.approx(1.0, abs=1e-2)  # ranked anew by its tokens


async def test_an_embedder_that_comes_back_is_checked_before_its_first_use(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with await Memory.open(path, embedder=HashingEmbedder()) as memory:
        await tell(memory, "I work at Acme.")
    embedder = AwayEmbedder(name="another")
    async with await Memory.open(path, embedder=embedder) as memory:
        embedder.is_away = False
        with pytest.raises(EmbedderMismatch, match="graphmem reembed"):
            await memory.search("where does Ann work")
        await tell(memory, "I live in Oslo.")


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


@case("F-X17")
@pytest.mark.parametrize(
    ("harm", "named", "made"),
    [
        (
            "DELETE FROM vector WHERE target = 'fact'",
            ["rows of 'vector_tokens'", "has no vector and waits for none"],
            1,
        ),
        ("DELETE FROM vector; DELETE FROM vector_tokens", ["has no vector and waits for none"], 4),
        ("DELETE FROM vector_tokens; INSERT INTO vector_tokens VALUES (99, x'00')", ["rows of 'vector_tokens'"], 0),
        ("UPDATE vector SET vector = x'00' WHERE target = 'fact'", ["the vector of fact", "is damaged"], 1),
        ("UPDATE vector_tokens SET tokens = x'00'", ["the vector of episode", "is damaged"], 4),
        ("INSERT INTO vector VALUES (99, 'fact', 'default', 'f-9', x'00')", ["is kept of fact 'f-9'"], 0),
        ("INSERT INTO unembedded VALUES ('default', 'entity', 'e-9')", ["entity 'e-9'"], 0),
    ],
)
async def test_reembedding_with_the_same_model_mends_what_was_done_behind_its_back(
    tmp_path: Path, harm: str, named: list[str], made: int
) -> None:
    path = tmp_path / "m.db"
    async with await Memory.open(path, embedder=HashingEmbedder()) as memory:
        await tell(memory, "I work at Acme.")
    with closing(sqlite3.connect(path)) as connection:  # which does not check what refers to what
        connection.executescript(harm)

    async with await Memory.open(path, embedder=HashingEmbedder()) as memory:
        wrong = await memory.verify()
        assert all(any(words in sentence for sentence in wrong) for words in named), wrong
        assert await memory.reembed() == made
        assert await memory.verify() == []
        found = await memory.search("Acme", recipe="vectors")
        assert found.notes == ()
        assert {one.target for one in found} == {SearchTarget.FACT, SearchTarget.EPISODE}


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
