"""What is near enough to a text to be called relevant: irrelevant memories stay out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

from graphmem.ports import ItemKey
from graphmem.retrieve.fusion import Ranked, Ranking
from graphmem.retrieve.recipes import Lane, Relevance

__all__ = ["relevant", "with_cosines"]

_MANY = 200


def with_cosines(hits: Sequence[Ranked], rankings: Sequence[Ranking]) -> list[Ranked]:
    """The hits, as near as the lane of vectors says, where it saw them."""
    near = [ranking.hits for ranking in rankings if ranking.lane is Lane.VECTOR]
    cosines = {key: cosine for found in near for key, cosine in zip(found.keys, found.scores, strict=True)}
    return [hit._replace(nearness=cosines.get(hit.key)) for hit in hits]


def relevant(hits: Sequence[Ranked], rankings: Sequence[Ranking], wanted: Relevance) -> list[Ranked]:
    """The hits that are near enough, in their order. One whose nearness nobody knows stays: it has no vector."""
    known = [hit.nearness for hit in hits if hit.nearness is not None]
    share = _share(len(known)) if wanted.is_scaled else 1.0
    least = _scaled(wanted.hit, share) if max(known, default=0.0) >= _scaled(wanted.best, share) else float("inf")
    spared = _walked(rankings) if wanted.spares_walked else frozenset()
    return [hit for hit in hits if hit.nearness is None or hit.nearness >= least or hit.key in spared]


def _share(candidates: int) -> float:
    """The nearest of n unrelated texts is as near as the largest of n random numbers is large: about sqrt(ln n)."""
    return min(1.0, sqrt(log(candidates + 1) / log(_MANY + 1)))


def _scaled(minimum: float, share: float) -> float:
    return minimum * share if minimum > 0 else minimum


def _walked(rankings: Sequence[Ranking]) -> frozenset[ItemKey]:
    return frozenset(key for ranking in rankings if ranking.lane is Lane.WALK for key in ranking.hits.keys)
