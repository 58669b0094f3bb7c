"""Embeddings from any endpoint that speaks OpenAI's protocol, with the standard library alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ValidationError

from graphmem.errors import ConfigError, MalformedAnswer, PromptTooLong
from graphmem.inference.http_json import exchange
from graphmem.inference.openai_errors import error_of_reply
from graphmem.inference.unit_rows import unit_rows
from graphmem.ports import EmbeddingModel, Floats, TextKind

__all__ = ["OpenAICompatibleEmbedder"]

_TIMEOUT_S = 60.0
_BATCH = 128
_SHORTEST = 200
"""Characters: what does not take so little takes nothing."""


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Row]


class OpenAICompatibleEmbedder:
    """A `graphmem.ports.Embedder` over HTTP: `POST URL/embeddings`. The dimension is asked for once, with a text of one word.

    Texts that are too many or too long for the endpoint are sent in fewer; of one that is too long by itself its beginning is.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        dimension: int | None = None,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        if not url.startswith(("http://", "https://")) or not model:
            raise ConfigError(f"an endpoint is named like 'https://HOST/v1#MODEL', not {url!r} with model {model!r}")
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._key = (key or "").strip() or None
        self._dimension = dimension
        self._timeout_s = timeout_s

    @property
    def model(self) -> EmbeddingModel:
        if self._dimension is None:
            self._dimension = self._ask(["dimension"]).shape[1]
        return EmbeddingModel(name=self._model, dimension=self._dimension)

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        parts = [await asyncio.to_thread(self._fitting, texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self._dimension or 0), dtype=np.float32)

    def _fitting(self, texts: Sequence[str]) -> Floats:
        try:
            return self._ask(texts)
        except PromptTooLong:
            if len(texts) == 1 and len(texts[0]) <= _SHORTEST:
                raise
        half = max(1, len(texts) // 2)
        if len(texts) > 1:
            return np.concatenate([self._fitting(texts[:half]), self._fitting(texts[half:])])
        return self._fitting([texts[0][: len(texts[0]) // 2]])

    def _ask(self, texts: Sequence[str]) -> Floats:
        content = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        reply = exchange(self._url, content=content, key=self._key, timeout_s=self._timeout_s)
        if not 200 <= reply.status < 300:
            raise error_of_reply(reply, self._url)
        return unit_rows(_vectors(reply.body, len(texts)))


def _vectors(raw: bytes, count: int) -> Floats:
    try:
        rows = sorted(_Answer.model_validate_json(raw).data, key=lambda row: row.index)
    except ValidationError as error:
        raise MalformedAnswer(f"the endpoint's answer holds no embeddings: {error.error_count()} faults") from None
    if [row.index for row in rows] != list(range(count)) or len({len(row.embedding) for row in rows}) != 1:
        raise MalformedAnswer(f"the endpoint gave {len(rows)} embeddings for {count} texts, or of several dimensions")
    vectors: Floats = np.array([row.embedding for row in rows], dtype=np.float32)
    if not np.isfinite(vectors).all():
        raise MalformedAnswer("the endpoint gave an embedding with a number that is not finite")
    return vectors
