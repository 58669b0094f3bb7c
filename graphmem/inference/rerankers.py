"""Rerankers by name: cross-encoders of sentence-transformers."""

from __future__ import annotations

from graphmem.ports import PairScorer

__all__ = ["NO_RERANKER", "open_reranker"]

NO_RERANKER = "none"


def open_reranker(name: str) -> PairScorer | None:
    """The cross-encoder of this name or in this folder, of sentence-transformers; None for "none". Loaded when first used."""
    if name == NO_RERANKER:
        return None
    from graphmem.inference.sentence_transformers import CrossEncoderScorer

    return CrossEncoderScorer(name)
