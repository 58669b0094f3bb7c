"""Doubles for tests, ours and yours: deterministic, instant, no weights."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from graphmem.errors import ModelError, ModelMisconfigured, ModelUnavailable, NotFound
from graphmem.inference.batch_checks import check_batch
from graphmem.inference.unit_rows import unit_rows
from graphmem.ports import (
    BatchProgress,
    BatchResult,
    Embedded,
    EmbeddingModel,
    Floats,
    ModelAnswer,
    ModelRequest,
    ModelUsage,
    TextKind,
)
from graphmem.terms import terms

__all__ = ["FailingEmbedder", "HashingEmbedder", "OverlapScorer", "ScriptedModel", "ScriptedReply"]

ScriptedReply: TypeAlias = str | ModelAnswer | ModelError
"""A text, a whole answer, or an error to raise."""


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


class ScriptedModel:
    """A `graphmem.ports.BatchModel` that says what it is told to: replies in their order, or what a function makes of a request.

    `requests` holds what was asked. Asked beyond its script it raises ModelMisconfigured; while `is_down`, ModelUnavailable.
    A batch has ended when it is handed in. Tokens are a quarter of the characters.
    """

    def __init__(
        self, replies: Iterable[ScriptedReply] | Callable[[ModelRequest], ScriptedReply], *, name: str = "scripted"
    ) -> None:
        self._name = name
        self._function = replies if callable(replies) else None
        self._left = [] if callable(replies) else list(replies)
        self._batches: dict[str, list[BatchResult]] = {}
        self.requests: list[ModelRequest] = []
        self.is_down = False

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        if self.is_down:
            raise ModelUnavailable("the scripted model is down")
        reply = self._reply(request)
        if isinstance(reply, ModelError):
            raise reply
        return reply if isinstance(reply, ModelAnswer) else self._answer(request, reply)

    async def submit(self, requests: Mapping[str, ModelRequest]) -> str:
        check_batch(requests)
        batch_id = f"batch-{len(self._batches) + 1}"
        self._batches[batch_id] = [
            BatchResult(custom_id=custom_id, outcome=await self._outcome(request))
            for custom_id, request in requests.items()
        ]
        return batch_id

    async def poll(self, batch_id: str) -> BatchProgress:
        outcomes = [result.outcome for result in self._batch(batch_id)]
        failed = sum(isinstance(outcome, ModelError) for outcome in outcomes)
        return BatchProgress(is_ended=True, answered=len(outcomes) - failed, failed=failed)

    async def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        for result in reversed(self._batch(batch_id)):
            yield result

    async def aclose(self) -> None:
        """Nothing is held."""

    def _reply(self, request: ModelRequest) -> ScriptedReply:
        if self._function is not None:
            return self._function(request)
        if not self._left:
            raise ModelMisconfigured(
                f"the script of {self._name!r} was over at request {len(self.requests)}: give it more"
            )
        return self._left.pop(0)

    def _answer(self, request: ModelRequest, text: str) -> ModelAnswer:
        asked = (len(request.system) + len(request.prompt)) // 4
        usage = ModelUsage(input_tokens=asked, output_tokens=len(text) // 4)
        return ModelAnswer(text=text, usage=usage, model=self._name, request_id=f"scripted-{len(self.requests)}")

    async def _outcome(self, request: ModelRequest) -> ModelAnswer | ModelError:
        try:
            return await self.complete(request)
        except ModelError as error:
            return error

    def _batch(self, batch_id: str) -> list[BatchResult]:
        if batch_id not in self._batches:
            raise NotFound(f"the scripted model knows no batch {batch_id!r}")
        return self._batches[batch_id]
