"""Okapi BM25 as SQLite's FTS5 has it (k1 = 1.2, b = 0.75): what a term weighs in a text, and how rare it is.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["rarity", "term_weights"]

_K1 = 1.2
_B = 0.75
_LEAST = 0.01
"""A term that most texts hold counts next to nothing, but something."""


def term_weights(
    counts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], average_length: float
) -> npt.NDArray[np.float64]:
    """What a term weighs in texts that hold it so often and are so long, in terms."""
    return counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * lengths / average_length))


def rarity(texts: int, holding: int) -> float:
    """What a term is worth that so many of the texts hold: its inverse document frequency."""
    return max(math.log((max(texts - holding, 0) + 0.5) / (holding + 0.5)), _LEAST)
