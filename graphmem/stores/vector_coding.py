"""Vectors as bytes: float32 as they are or in 8 bits each number, as vectors of tokens always are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from graphmem.errors import InvalidInput, StoreCorrupt
from graphmem.ports import EmbeddingModel, Floats, ItemVector, VectorForm
from graphmem.stores.promises import other_embedder

__all__ = [
    "best_cosines",
    "checked_query",
    "checked_tokens",
    "checked_vectors",
    "packed_tokens",
    "packed_vector",
    "unpacked_vectors",
]

_LEVELS = 127.0
_PRODUCTS_AT_ONCE = 500_000
"""From 524,288 on a linear algebra library may share them out among threads, which costs more than it gives (see `nearest`)."""
_TOKENS_AT_ONCE = 16
_TOKENS_TOGETHER = 8
"""A question of five tokens costs more than one of eight: it is filled up with zeros."""
_Key = TypeVar("_Key", bound=Hashable)


def checked_vectors(model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
    """Raise InvalidInput for the first that has another shape than the model gives, or is not finite."""
    for item in vectors:
        fits = item.vector.shape == (model.dimension,) and (
            item.tokens is None or (item.tokens.ndim == 2 and item.tokens.shape[1] == model.dimension)
        )
        if not fits:
            raise InvalidInput(f"the vector of {item.key.item_id!r} is not of {model.dimension} dimensions")
        if not (np.isfinite(item.vector).all() and (item.tokens is None or np.isfinite(item.tokens).all())):
            raise InvalidInput(f"the vector of {item.key.item_id!r} holds a number that is not finite")


def checked_query(model: EmbeddingModel, vector: Floats, of_model: EmbeddingModel | None = None) -> Floats:
    """The vector as float32.

    Raises EmbedderMismatch when it is of another model, InvalidInput when it has another dimension or is not finite.
    """
    if of_model is not None and of_model != model:
        raise other_embedder(model, of_model)
    if vector.shape != (model.dimension,):
        raise InvalidInput(f"the store keeps vectors of {model.dimension} dimensions, not of shape {vector.shape}")
    if not np.isfinite(vector).all():
        raise InvalidInput("a vector to search for must be finite")
    return vector.astype(np.float32)


def checked_tokens(model: EmbeddingModel, question: Floats) -> Floats:
    """The token vectors of a question as float32. Raises InvalidInput when they have another dimension or are not finite."""
    if question.ndim != 2 or question.shape[1] != model.dimension:
        raise InvalidInput(f"the store keeps vectors of {model.dimension} dimensions, not of shape {question.shape}")
    if not np.isfinite(question).all():
        raise InvalidInput("vectors to search for must be finite")
    return question.astype(np.float32)


def packed_vector(vector: Floats, form: VectorForm = VectorForm.FLOAT32) -> bytes:
    """The numbers, or in 8 bits the scale of the vector as float32 and then the numbers: the length tells which."""
    return packed_tokens(vector[None, :]) if form is VectorForm.INT8 else vector.astype("<f4").tobytes()


def unpacked_vectors(packed: Sequence[bytes], dimension: int) -> Floats:
    """(vectors, dimension), whichever form each of them has. Raises StoreCorrupt for one of another length."""
    joined = b"".join(packed)
    if len(joined) == 4 * dimension * len(
        packed
    ):  # the other form is shorter, or for one dimension longer: all are float32
        return np.frombuffer(joined, dtype="<f4").reshape(-1, dimension)
    vectors = np.empty((len(packed), dimension), dtype=np.float32)
    for row, blob in zip(vectors, packed, strict=True):
        if len(blob) == 4 * dimension:
            row[:] = np.frombuffer(blob, dtype="<f4")
        elif len(blob) != dimension + 4:
            raise StoreCorrupt(f"a vector of {len(blob)} bytes is none of {dimension} dimensions")
        else:
            row[:] = np.frombuffer(blob, dtype=np.int8, offset=4) * np.frombuffer(blob, dtype="<f4", count=1)
    return vectors


def packed_tokens(tokens: Floats) -> bytes:
    """For each token the scale of its row as float32, then the rows in 8 bits."""
    scales: Floats = np.abs(tokens).max(axis=1, initial=0.0) / _LEVELS
    rows = np.rint(tokens / np.where(scales > 0, scales, 1.0)[:, None]).astype(np.int8)
    return bytes(scales.astype("<f4").tobytes() + rows.tobytes())


def best_cosines(texts: Mapping[_Key, bytes], question: Floats) -> dict[_Key, Floats]:
    """For each text with tokens, the cosine of its nearest token to each token of the question (tokens, dimension).

    `texts`: the bytes of `packed_tokens`; none for a text without. Raises StoreCorrupt for bytes that it cannot have made.
    """
    dimension = question.shape[1]
    counts = {key: _count(packed, dimension) for key, packed in texts.items() if packed}
    if not counts or not len(question):
        return {}
    views = [(memoryview(texts[key]), 4 * count) for key, count in counts.items()]
    numbers = np.frombuffer(b"".join([packed[at:] for packed, at in views]), dtype=np.int8).reshape(-1, dimension)
    cosines = _products(numbers, question)
    cosines *= np.frombuffer(b"".join([packed[:at] for packed, at in views]), dtype="<f4")[:, None]
    starts = np.cumsum([0, *counts.values()])[:-1]
    return dict(zip(counts, np.maximum.reduceat(cosines, starts, axis=0), strict=True))


def _count(packed: bytes, dimension: int) -> int:
    count, rest = divmod(len(packed), dimension + 4)
    if rest:
        raise StoreCorrupt(f"token vectors of {len(packed)} bytes are none of {dimension} dimensions")
    return count


def _products(rows: npt.NDArray[np.int8], question: Floats) -> Floats:
    """`rows @ question.T`, in portions that stay in the processor's cache: to unpack all rows first takes as long again."""
    count, dimension = question.shape
    columns = np.zeros((dimension, count + -count % _TOKENS_TOGETHER), dtype=np.float32)
    columns[:, :count] = question.T
    tokens = columns.shape[1]
    at_once = max(1, _PRODUCTS_AT_ONCE // (dimension * min(tokens, _TOKENS_AT_ONCE)))
    products = np.empty((len(rows), tokens), dtype=np.float32)
    room = np.empty((at_once, dimension), dtype=np.float32)
    for first in range(0, len(rows), at_once):
        portion = rows[first : first + at_once]
        unpacked = room[: len(portion)]
        unpacked[:] = portion
        for token in range(0, tokens, _TOKENS_AT_ONCE):
            some = slice(token, token + _TOKENS_AT_ONCE)
            np.matmul(unpacked, columns[:, some], out=products[first : first + at_once, some])
    return products[:, :count]
