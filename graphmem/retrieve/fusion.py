"""Fusing rankings: by reciprocal rank, and with an eye on variety. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from graphmem.ports import Hits, ItemKey, SearchTarget
from graphmem.retrieve.recipes import Lane

__all__ = ["RRF_K", "LaneRank", "Ranked", "Ranking", "diversified", "fused", "in_order", "with_lanes"]

RRF_K = 60
"""Cormack, Clarke and Büttcher, SIGIR 2009."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LaneRank:
    """Where a lane saw a hit: its rank among those of one kind, from 1, and the lane's own score."""

    lane: Lane
    rank: int
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """What one lane found of one kind of thing, best first."""

    lane: Lane
    target: SearchTarget
    hits: Hits
    """With the lane's own scores."""


class Ranked(NamedTuple):
    """A hit with its score; the lanes that saw it are looked up for the hits that are given out (`with_lanes`)."""

    key: ItemKey
    score: float
    lanes: tuple[LaneRank, ...] = ()
    nearness: float | None = None
    """How near it is to the text, by a measure that does not depend on what else was found; None: it has no vector."""


def fused(rankings: Iterable[Ranking], weights: Mapping[Lane, float], *, limit: int | None = None) -> list[Ranked]:
    """The hits by the sum of weight / (60 + rank) over the lanes that saw them, best first; ties by key."""
    scores: dict[ItemKey, float] = {}
    for ranking in rankings:
        weight = weights[ranking.lane]
        for rank, key in enumerate(ranking.hits.keys, start=RRF_K + 1):
            scores[key] = scores.get(key, 0.0) + weight / rank
    return in_order(scores, limit=limit)


def in_order(
    scores: Mapping[ItemKey, float],
    *,
    nearness: Mapping[ItemKey, float] = MappingProxyType({}),
    limit: int | None = None,
) -> list[Ranked]:
    """Hits by their scores, best first; ties by key."""
    best = sorted([(-score, key) for key, score in scores.items()])
    return [Ranked(key, -score, (), nearness.get(key)) for score, key in best[:limit]]


def with_lanes(hits: Sequence[Ranked], rankings: Iterable[Ranking]) -> list[Ranked]:
    """The same hits, each with the lanes that saw it and at which rank."""
    lanes: dict[ItemKey, list[LaneRank]] = {hit.key: [] for hit in hits}
    for ranking in rankings:
        for place, key in enumerate(ranking.hits.keys):
            if key in lanes:
                lanes[key].append(LaneRank(lane=ranking.lane, rank=place + 1, score=ranking.hits.scores[place]))
    return [Ranked(hit.key, hit.score, tuple(lanes[hit.key]), hit.nearness) for hit in hits]


def diversified(
    ranked: Sequence[Ranked], likeness: Callable[[ItemKey, ItemKey], float], diversity: float, limit: int
) -> list[Ranked]:
    """The best `limit`, each chosen by score less its likeness (0 to 1) to those chosen before: MMR.

    Carbonell and Goldstein, SIGIR 1998. Scores are brought to 0 to 1 first, so that both count alike.
    """
    if not ranked:
        return []
    top, bottom = ranked[0].score, ranked[-1].score
    worth = {hit.key: (hit.score - bottom) / ((top - bottom) or 1.0) for hit in ranked}
    left, nearest = list(ranked), dict.fromkeys(worth, 0.0)
    chosen: list[Ranked] = []
    while left and len(chosen) < limit:
        best = max(left, key=lambda hit: (1 - diversity) * worth[hit.key] - diversity * nearest[hit.key])
        left.remove(best)
        chosen.append(best)
        for hit in left:
            nearest[hit.key] = max(nearest[hit.key], likeness(hit.key, best.key))
    return chosen
