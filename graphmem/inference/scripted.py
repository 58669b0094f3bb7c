"""Doubles for tests, ours and yours: deterministic, instant, no weights."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from graphmem.errors import ModelUnavailable
from graphmem.inference.unit_rows import unit_rows
from graphmem.ports import Embedded, EmbeddingModel, Floats, TextKind
from graphmem.terms import terms

__all__ = ["FailingEmbedder", "HashingEmbedder", "OverlapScorer"]


class HashingEmbedder:
    """A `graphmem.ports.TokenEmbedder` that gives each term a direction of its own; texts are near when they share terms."""

    def __init__(self, *, name: str = "hashing", dimension: int = 64) -> None:
        self._model = EmbeddingModel(name=name, dimension=dimension)
        self.texts: list[str] = []
        """What was embedded so far, in order."""

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return (await self.embed_tokens(texts, kind)).vectors

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        self.texts += texts
        tokens = tuple(self._tokens(text) for text in texts)
        sums = [rows.sum(axis=0) for rows in tokens]
        vectors = np.stack(sums) if sums else np.empty((0, self._model.dimension), dtype=np.float32)
        return Embedded(vectors=unit_rows(vectors), tokens=tokens)

    def _tokens(self, text: str) -> Floats:
        rows = [self._direction(term) for term in terms(text)]
        return np.stack(rows) if rows else np.empty((0, self._model.dimension), dtype=np.float32)

    def _direction(self, term: str) -> Floats:
        seed = int.from_bytes(hashlib.sha256(f"{self._model.name}\0{term}".encode()).digest()[:8])
        drawn = np.random.default_rng(seed).standard_normal(self._model.dimension).astype(np.float32)
        direction: Floats = drawn / np.linalg.norm(drawn)
        return direction


class FailingEmbedder(HashingEmbedder):
    """A `HashingEmbedder` that raises ModelUnavailable while `is_down`."""

    is_down = True

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        if self.is_down:
            raise ModelUnavailable("the scripted embedder is down")
        return await super().embed_tokens(texts, kind)


class OverlapScorer:
    """A `graphmem.ports.PairScorer`: the share of the question's terms that a text holds."""

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        wanted = set(terms(question))
        return [len(wanted & set(terms(text))) / max(1, len(wanted)) for text in texts]
