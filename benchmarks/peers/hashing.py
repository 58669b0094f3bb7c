"""Vectors of texts without a model: each word and each of its trigrams adds to a place of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from hashlib import sha256

__all__ = ["DIMENSION", "vector_of"]

DIMENSION = 256
_WORD = re.compile(r"\w+")


def vector_of(text: str) -> list[float]:
    """A unit vector; texts that share words, or parts of them, are near one another."""
    sums = [0.0] * DIMENSION
    for part, weight in _parts(text.lower()):
        number = int.from_bytes(sha256(part.encode()).digest()[:4])
        sums[number % DIMENSION] += weight if number & 0x10000 else -weight
    length = math.sqrt(sum(value * value for value in sums)) or 1.0
    return [value / length for value in sums]


def _parts(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text):
        yield word, 1.0
        for at in range(len(word) - 2):
            yield f"#{word[at : at + 3]}", 0.2
