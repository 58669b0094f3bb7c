"""An embedder that costs next to nothing: every term has an invented direction, as large as those of a real model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from zlib import crc32

import numpy as np

from graphmem.ports import Embedded, EmbeddingModel, Floats, TextKind
from graphmem.terms import terms

__all__ = ["WordVectors"]

_DIMENSION = 384


class WordVectors:
    """A `graphmem.ports.TokenEmbedder`; `seconds` is the time that it took so far."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(name="words", dimension=_DIMENSION)

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return (await self.embed_tokens(texts, kind)).vectors

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        began = time.perf_counter()
        tokens = tuple(np.stack([_direction(term) for term in terms(text) or [""]]) for text in texts)
        sums = np.array([rows.sum(axis=0) for rows in tokens]).reshape(len(texts), _DIMENSION)
        vectors: Floats = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
        self.seconds += time.perf_counter() - began
        return Embedded(vectors=vectors, tokens=tokens)


@cache
def _direction(term: str) -> Floats:
    drawn = np.random.default_rng(crc32(term.encode())).standard_normal(_DIMENSION).astype(np.float32)
    direction: Floats = drawn / np.linalg.norm(drawn)
    return direction
