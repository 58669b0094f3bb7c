"""What searches find, put in order."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.ports import Hits, ItemKey

__all__ = ["best_of"]


def best_of(found: Iterable[tuple[float, ItemKey]], limit: int) -> Hits:
    """The best `limit` of what was found, with scores turned round (−score); ties by id, then by group."""
    ranked = list(found)
    if len({key.group_id for _, key in ranked}) > 1:
        ranked.sort(key=_place)
    else:
        ranked.sort()  # the same order, in half the time
    best = ranked[:limit]
    return Hits(keys=[key for _, key in best], scores=[-cost for cost, _ in best])


def _place(one: tuple[float, ItemKey]) -> tuple[float, str, str]:
    cost, key = one
    return cost, key.item_id, key.group_id
