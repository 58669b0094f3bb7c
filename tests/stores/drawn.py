"""Vectors drawn at random, always the same ones."""

from __future__ import annotations

import numpy as np

from graphmem.ports import EmbeddingModel, Floats

MODEL = EmbeddingModel(name="drawn", dimension=16)


def drawn(count: int, seed: int) -> Floats:
    """So many rows of unit length."""
    rows = np.random.default_rng(seed).standard_normal((count, MODEL.dimension)).astype(np.float32)
    unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
