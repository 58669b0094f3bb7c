"""An embedder that makes the vectors of a text once, for runs that tell the same text to many memories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphmem.inference.embedders import open_embedder
from graphmem.ports import Embedded, EmbeddingModel, Floats, TextKind, TokenEmbedder

__all__ = ["RememberingEmbedder"]


class RememberingEmbedder:
    """Another embedder's vectors, kept as half floats while the run lasts; implements `graphmem.ports.TokenEmbedder`."""

    def __init__(self, name: str) -> None:
        inner = open_embedder(name)
        if not isinstance(inner, TokenEmbedder):
            raise ValueError(f"{name} gives no vectors of tokens")
        self._inner = inner
        self._known: dict[tuple[TextKind, str], tuple[Floats, Floats]] = {}

    @property
    def model(self) -> EmbeddingModel:
        return self._inner.model

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return (await self.embed_tokens(texts, kind)).vectors

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        unknown = list(dict.fromkeys(text for text in texts if (kind, text) not in self._known))
        if unknown:
            made = await self._inner.embed_tokens(unknown, kind)
            for text, vector, tokens in zip(unknown, made.vectors, made.tokens, strict=True):
                self._known[kind, text] = (vector, tokens.astype(np.float16))
        found = [self._known[kind, text] for text in texts]
        return Embedded(
            vectors=np.stack([vector for vector, _ in found])
            if found
            else np.zeros((0, self.model.dimension), np.float32),
            tokens=tuple(tokens.astype(np.float32) for _, tokens in found),
        )
