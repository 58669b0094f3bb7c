"""Rows at length 1: the form in which embedders give vectors."""

from __future__ import annotations

import numpy as np

from graphmem.ports import Floats

__all__ = ["unit_rows"]

_SMALLEST = np.float32(1e-12)


def unit_rows(rows: Floats) -> Floats:
    """The rows divided by their lengths; a row of zeros stays one."""
    unit: Floats = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _SMALLEST)).astype(np.float32)
    return unit
