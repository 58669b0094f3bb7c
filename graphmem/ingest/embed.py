"""Making the vectors of what the memory holds: after each commit, and anew for another model."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from graphmem.embedding import embed_texts
from graphmem.errors import (
    EmbedderMismatch,
    ModelError,
    ModelHalted,
    ModelUnavailable,
    ReadOnlyStore,
    StoreFull,
    StoreUnavailable,
)
from graphmem.item_texts import entity_text, episode_text, fact_text
from graphmem.ports import (
    Embedded,
    Embedder,
    EmbeddingModel,
    Floats,
    ItemKey,
    ItemVector,
    SearchTarget,
    Store,
    TextKind,
)

__all__ = ["Embedding", "EmbeddingProgress"]

BATCH = 64
AFTER_COMMIT = 256
"""So many items at most are embedded after one batch of jobs: a backlog is worked off over several, or by `reembed`."""
_MOST_FAILED = 10
"""An embedder that fails at more is taken to fail at all."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingProgress:
    """How far the vectors have come."""

    done: int
    """Vectors made in this run."""
    waiting: int
    """Items that still wait for one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedding:
    """Gives vectors to what waits for one in a store."""

    store: Store
    embedder: Embedder

    async def start(self) -> None:
        """Check that the store keeps vectors of this model, or let it begin to. Raises EmbedderMismatch; then nothing changed."""
        model = await asyncio.to_thread(lambda: self.embedder.model)
        kept = await self.store.embedding_model()
        if kept is not None and kept != model:
            raise EmbedderMismatch(
                f"the vectors of this memory were made by {kept.name!r} ({kept.dimension} dimensions), not by "
                f"{model.name!r} ({model.dimension}): open it with that embedder, or run `graphmem reembed`"
            )
        if kept is None:
            with suppress(ReadOnlyStore):  # what cannot be written can be searched by its words
                await self.store.start_vectors(model)

    async def started(self) -> Embedder:
        """The embedder, checked as `start` does; one that cannot be reached is checked before each use, and holds nothing up."""
        try:
            await self.start()
        except ModelUnavailable as error:
            _log.info("the embedder is waited for: %s", error)
            return _AwaitedEmbedder(embedding=self)
        return self.embedder

    async def restart(self) -> None:
        """Let the store keep vectors of this model from now on; those of another one go."""
        await self.store.start_vectors(await asyncio.to_thread(lambda: self.embedder.model))

    async def embed_waiting(
        self,
        *,
        group_ids: Sequence[str] | None = None,
        limit: int | None = None,
        progress: Callable[[EmbeddingProgress], None] | None = None,
    ) -> int:
        """Embed what waits, in batches that are each kept at once; how many. Raises ModelError; what was kept stays.

        What the embedder cannot do alone holds up nothing else: its error is raised when all the rest is done.
        """
        done = 0
        failed: dict[ItemKey, ModelError] = {}
        while limit is None or done < limit:
            batch = BATCH if limit is None else min(BATCH, limit - done)
            waiting = await self.store.unembedded(limit=batch + len(failed), group_ids=group_ids)
            made = await self._embed([key for key in waiting if key not in failed], failed)
            if not made:
                break
            done += made
            if progress is not None:
                progress(EmbeddingProgress(done=done, waiting=await self.store.count_unembedded(group_ids)))
        for error in failed.values():
            raise error
        return done

    async def after_commit(self, group_id: str) -> None:
        """Embed what a commit left waiting in a group. A failure leaves it waiting: the commit stands without it."""
        try:
            await self.embed_waiting(group_ids=[group_id], limit=AFTER_COMMIT)
        except (ModelError, EmbedderMismatch, StoreFull, StoreUnavailable) as error:
            _log.info("vectors of group %s wait: %s", group_id, error)

    async def _embed(self, keys: Sequence[ItemKey], failed: dict[ItemKey, ModelError]) -> int:
        """So many were embedded; those that the embedder fails at, each by itself, are noted. Raises as it does otherwise."""
        try:
            return await self._embed_at_once(keys)
        except (ModelUnavailable, ModelHalted):
            raise
        except ModelError as error:
            if len(failed) == _MOST_FAILED:
                raise
            if len(keys) < 2:
                failed.update(dict.fromkeys(keys, error))
                return 0
        half = len(keys) // 2
        return await self._embed(keys[:half], failed) + await self._embed(keys[half:], failed)

    async def _embed_at_once(self, keys: Sequence[ItemKey]) -> int:
        texts = await _texts_of(self.store, keys)
        there = [key for key in keys if key in texts]
        embedded = await embed_texts(self.embedder, [texts[key] for key in there], TextKind.DOCUMENT)
        tokens: Sequence[Floats | None] = embedded.tokens or [None] * len(there)
        vectors = [
            ItemVector(key=key, vector=vector, tokens=of_text)
            for key, vector, of_text in zip(there, embedded.vectors, tokens, strict=True)
        ]
        if vectors:
            await self.store.put_vectors(self.embedder.model, vectors)
        return len(vectors)


@dataclass(frozen=True, kw_only=True, slots=True)
class _AwaitedEmbedder:
    """A `graphmem.ports.TokenEmbedder` that nobody could ask for its model yet; without tokens where the embedder has none."""

    embedding: Embedding

    @property
    def model(self) -> EmbeddingModel:
        return self.embedding.embedder.model

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return (await self.embed_tokens(texts, kind)).vectors

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        await self.embedding.start()
        return await embed_texts(self.embedding.embedder, texts, kind)


async def _texts_of(store: Store, keys: Sequence[ItemKey]) -> Mapping[ItemKey, str]:
    """The texts of those items that are still there."""
    ids: defaultdict[tuple[SearchTarget, str], list[str]] = defaultdict(list)
    for key in keys:
        ids[key.target, key.group_id].append(key.item_id)
    texts: dict[ItemKey, str] = {}
    for (target, group_id), item_ids in ids.items():
        found = await _READ[target](store, group_id, item_ids)
        texts.update((ItemKey(group_id=group_id, target=target, item_id=i), text) for i, text in found)
    return texts


async def _facts(store: Store, group_id: str, ids: Sequence[str]) -> list[tuple[str, str]]:
    return [(fact.fact_id, fact_text(fact)) for fact in await store.facts(group_id, ids)]


async def _entities(store: Store, group_id: str, ids: Sequence[str]) -> list[tuple[str, str]]:
    return [(entity.entity_id, entity_text(entity)) for entity in await store.entities(group_id, ids)]


async def _episodes(store: Store, group_id: str, ids: Sequence[str]) -> list[tuple[str, str]]:
    return [(episode.episode_id, episode_text(episode)) for episode in await store.episodes(group_id, ids)]


_READ = {SearchTarget.FACT: _facts, SearchTarget.ENTITY: _entities, SearchTarget.EPISODE: _episodes}
