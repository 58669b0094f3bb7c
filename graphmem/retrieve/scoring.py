"""Asking a cross-encoder: foreign code, so what it gives is checked and what it raises becomes ours."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from graphmem.errors import GraphmemError, MalformedAnswer, ModelError
from graphmem.ports import PairScorer

__all__ = ["score_texts"]


async def score_texts(scorer: PairScorer, question: str, texts: Sequence[str]) -> Sequence[float]:
    """One score for each text, higher is better. Raises ModelError, whatever the scorer raised."""
    if not texts:
        return []
    try:
        scores = [float(score) for score in await scorer.score(question, texts)]
    except GraphmemError:
        raise
    except Exception as error:
        # No word of it: it may hold the text.
        raise ModelError(f"the cross-encoder failed with {type(error).__name__}") from error
    if len(scores) != len(texts) or not all(map(isfinite, scores)):
        raise MalformedAnswer(
            f"the cross-encoder gave {len(scores)} scores for {len(texts)} texts, or one that is not finite"
        )
    return scores
