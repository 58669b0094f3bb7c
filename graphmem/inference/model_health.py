"""Whether a configured model can be used, in words for `graphmem doctor`."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.inference.patience import Patience

__all__ = ["HEALTH_PATIENCE", "ModelHealth"]

HEALTH_PATIENCE = Patience(attempt_s=10.0, total_s=20.0, attempts=2)
"""Somebody sits and waits for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelHealth:
    """What a provider says of a model."""

    words: str
    is_well: bool | None
    """None: neither; it may work."""
