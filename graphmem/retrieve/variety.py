"""Variety among the hits: maximal marginal relevance over their vectors, or their words where vectors are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from graphmem.ports import Floats, ItemKey, SearchTarget, Store
from graphmem.retrieve.fusion import Ranked, diversified
from graphmem.retrieve.rerank import read_texts
from graphmem.terms import terms

__all__ = ["varied"]

_CHOSEN_FROM = 4
"""So many times as many as are wanted are looked at."""


async def varied(store: Store, ranked: Sequence[Ranked], diversity: float, limit: int) -> list[Ranked]:
    """The best `limit`, each by its score less its likeness to those before it; of two hits likeness is the cosine.

    Two of which one has no vector are as like as the share of terms they have in common. See `diversified`.
    """
    best = ranked[: _CHOSEN_FROM * limit]
    keys = [hit.key for hit in best]
    vectors = await _vectors(store, keys)
    is_complete = len(vectors) == len(keys)
    words = (
        {} if is_complete else {key: frozenset(terms(text)) for key, text in (await read_texts(store, keys)).items()}
    )

    def likeness(one: ItemKey, other: ItemKey) -> float:
        if one in vectors and other in vectors:
            return max(0.0, float(vectors[one] @ vectors[other]))
        return _overlap(words.get(one, frozenset()), words.get(other, frozenset()))

    return diversified(best, likeness, diversity, limit)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


async def _vectors(store: Store, keys: Sequence[ItemKey]) -> Mapping[ItemKey, Floats]:
    places: defaultdict[tuple[SearchTarget, str], list[str]] = defaultdict(list)
    for key in keys:
        places[key.target, key.group_id].append(key.item_id)
    return {
        ItemKey(group_id=group_id, target=target, item_id=item_id): vector
        for (target, group_id), ids in places.items()
        for item_id, vector in (await store.vectors_of(target, group_id, ids)).items()
    }
