"""Fusing rankings: by reciprocal rank, and with an eye on variety. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphmem.ports import ItemKey, SearchTarget
from graphmem.retrieve.recipes import Lane

__all__ = ["RRF_K", "LaneRank", "Ranked", "Ranking", "diversified", "fused"]

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
    items: Sequence[tuple[ItemKey, float]]
    """With the lane's own scores, which fall."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """A hit with its score and the lanes that saw it."""

    key: ItemKey
    score: float
    lanes: tuple[LaneRank, ...]

    def rank_in(self, lane: Lane) -> LaneRank | None:
        """Where this lane saw it; None if it did not."""
        return next((seen for seen in self.lanes if seen.lane is lane), None)


def fused(rankings: Iterable[Ranking], weights: Mapping[Lane, float]) -> list[Ranked]:
    """All hits by the sum of weight / (60 + rank) over the lanes that saw them, best first; ties by key."""
    scores: defaultdict[ItemKey, float] = defaultdict(float)
    seen: defaultdict[ItemKey, list[LaneRank]] = defaultdict(list)
    for ranking in rankings:
        for rank, (key, score) in enumerate(ranking.items, start=1):
            scores[key] += weights[ranking.lane] / (RRF_K + rank)
            seen[key].append(LaneRank(lane=ranking.lane, rank=rank, score=score))
    ranked = [Ranked(key=key, score=score, lanes=tuple(seen[key])) for key, score in scores.items()]
    return sorted(ranked, key=lambda hit: (-hit.score, hit.key))


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
