"""Embedders and cross-encoders of sentence-transformers: any model name or folder (the extra `sentence-transformers`)."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphmem.errors import ConfigError, ModelError, ModelUnavailable
from graphmem.inference.unit_rows import unit_rows
from graphmem.ports import Embedded, EmbeddingModel, Floats, TextKind

if TYPE_CHECKING:
    import sentence_transformers
    import torch

__all__ = ["CrossEncoderScorer", "SentenceTransformersEmbedder"]

T = TypeVar("T")
_WEIGHTS = frozenset([".safetensors", ".bin", ".onnx"])


class SentenceTransformersEmbedder:
    """A `graphmem.ports.TokenEmbedder`. Queries and documents get the prompts that the model names for them."""

    def __init__(self, name: str, *, device: str | None = None) -> None:
        self._name = name
        self._device = device
        self._lock = threading.Lock()

    @property
    def model(self) -> EmbeddingModel:
        dimension = self._loaded.get_embedding_dimension()
        if dimension is None:
            raise ConfigError(f"the model {self._name!r} does not say of how many dimensions its vectors are")
        return EmbeddingModel(name=f"sentence-transformers:{self._weights}", dimension=dimension)

    @cached_property
    def _weights(self) -> str:
        """The name of the model; of a folder with a hash of its weights: it may hold others tomorrow."""
        folder = Path(self._name)
        return f"{folder.absolute().name}@{_digest(folder)[:12]}" if folder.is_dir() else self._name

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return await _apart(self._name, lambda: self._embed(texts, kind))

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        return await _apart(self._name, lambda: self._embed_tokens(texts, kind))

    def _embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        vectors = self._encode(kind)(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1)

    def _embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        vectors = self._embed(texts, kind)
        tokens = self._encode(kind)(list(texts), output_value="token_embeddings", show_progress_bar=False)
        # The first and the last token are the marks around the text.
        return Embedded(vectors=vectors, tokens=tuple(unit_rows(rows.float().cpu().numpy()[1:-1]) for rows in tokens))

    def _encode(self, kind: TextKind) -> Callable[..., Sequence[torch.Tensor]]:
        model = self._loaded
        encode: Callable[..., Sequence[torch.Tensor]] = (
            model.encode_query if kind is TextKind.QUERY else model.encode_document
        )
        return encode

    @property
    def _loaded(self) -> sentence_transformers.SentenceTransformer:
        with self._lock:
            return self._session

    @cached_property
    def _session(self) -> sentence_transformers.SentenceTransformer:
        try:
            from sentence_transformers import SentenceTransformer
        except ModuleNotFoundError as error:
            raise _missing(error) from error
        return _opened(self._name, lambda: SentenceTransformer(self._name, device=self._device))


class CrossEncoderScorer:
    """A `graphmem.ports.PairScorer`: a cross-encoder reads question and text together."""

    def __init__(self, name: str, *, device: str | None = None) -> None:
        self._name = name
        self._device = device
        self._lock = threading.Lock()

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return await _apart(self._name, lambda: self._score(question, texts))

    def _score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        with self._lock:
            model = self._session
        import torch

        pairs = [(question, text) for text in texts]
        scores = model.predict(pairs, activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)
        return [float(score) for score in scores]

    @cached_property
    def _session(self) -> sentence_transformers.CrossEncoder:
        try:
            from sentence_transformers import CrossEncoder
        except ModuleNotFoundError as error:
            raise _missing(error) from error
        return _opened(self._name, lambda: CrossEncoder(self._name, device=self._device))


def _digest(folder: Path) -> str:
    """A hash over the files of weights in a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _WEIGHTS):
        with path.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()


def _missing(error: ModuleNotFoundError) -> ConfigError:
    return ConfigError(f"this model needs {error.name}: pip install 'graphmem[sentence-transformers]'")


def _opened(name: str, load: Callable[[], T]) -> T:
    try:
        return load()
    except Exception as error:
        # Foreign code that raises what it likes: no such model, no network, a broken folder.
        raise ConfigError(f"the model {name!r} cannot be loaded: {type(error).__name__}") from error


async def _apart(name: str, act: Callable[[], T]) -> T:
    """Run on a thread; whatever the model raises becomes ours, without its words: they may hold the text."""
    try:
        return await asyncio.to_thread(act)
    except (ModelError, ConfigError):
        raise
    except Exception as error:
        raise ModelUnavailable(f"the model {name!r} failed with {type(error).__name__}") from error
