"""Lanes: each finds things in its own way, and only what the scope lets it see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from graphmem.model import Hit, Scope
from graphmem.ports import Floats, ItemKey, SearchTarget, Store
from graphmem.retrieve.fusion import Ranked, Ranking
from graphmem.retrieve.neighbourhood import Neighbourhood, Node, centralities, walked
from graphmem.retrieve.reads import read_facts
from graphmem.retrieve.recipes import Lane
from graphmem.terms import terms

__all__ = [
    "KEY_FACTS",
    "around",
    "by_centrality",
    "by_distance",
    "by_key",
    "by_meaning",
    "by_mentions",
    "by_walk",
    "by_words",
]

SEEDS = 8
KEY_FACTS = 10
"""So many of the best facts are given to `by_key`."""


async def by_words(
    store: Store, words: Sequence[str], scope: Scope, depths: Mapping[SearchTarget, int]
) -> list[Ranking]:
    """By BM25 of the words, each kind of thing by itself and so deep."""
    return [
        _ranking(Lane.KEYWORD, target, await store.search_text(target, words, scope, limit=depth))
        for target, depth in depths.items()
    ]


async def by_meaning(store: Store, vector: Floats, scope: Scope, depths: Mapping[SearchTarget, int]) -> list[Ranking]:
    """By cosine to the question's vector, each kind of thing by itself and so deep."""
    return [
        _ranking(Lane.VECTOR, target, await store.search_vector(target, vector, scope, limit=depth))
        for target, depth in depths.items()
    ]


async def around(store: Store, words: Sequence[str], scope: Scope, centre: Collection[Node] = ()) -> Neighbourhood:
    """The graph around a centre, or without one around the entities whose names the question shares words with.

    Those that share more words weigh more.
    """
    if centre:
        return await walked(store, scope, dict.fromkeys(centre, 1.0))
    hits = await store.search_text(SearchTarget.ENTITY, words, scope, limit=SEEDS)
    best = hits[0].score if hits else 1.0
    seeds = {Node(hit.group_id, hit.item_id): max(hit.score, 0.0) / (best or 1.0) for hit in hits}
    return await walked(store, scope, {node: weight for node, weight in seeds.items() if weight > 0})


async def by_walk(store: Store, words: Sequence[str], neighbourhood: Neighbourhood, depth: int) -> list[Ranking]:
    """The facts of a neighbourhood, by nearness and by BM25 among themselves."""
    from rank_bm25 import BM25Okapi  # here: it brings numpy along, which a command that searches nothing can do without

    texts = await _texts(store, neighbourhood)
    keys = sorted(key for key, found in texts.items() if found)
    if not keys:
        return []
    scores = [max(float(score), 0.0) for score in BM25Okapi([texts[key] for key in keys]).get_scores(list(words))]
    best = max(scores) or 1.0
    worth = {
        key: neighbourhood.edges[key].nearness * (1 + score / best) for key, score in zip(keys, scores, strict=True)
    }
    return [_by_worth(Lane.WALK, SearchTarget.FACT, worth, depth)]


async def by_key(store: Store, scope: Scope, facts: Sequence[Ranked]) -> list[Ranking]:
    """The episodes that these facts rest on, as far as the scope sees them; a fact hands its score on to each."""
    if not facts:
        return []
    worth: defaultdict[ItemKey, float] = defaultdict(float)
    scores = {(hit.key.group_id, hit.key.item_id): hit.score for hit in facts}
    for group_id, fact_id, episode_id in await _support(store, scope, [hit.key.item_id for hit in facts]):
        key = ItemKey(group_id, SearchTarget.EPISODE, episode_id)
        worth[key] = max(worth[key], scores.get((group_id, fact_id), 0.0))
    visible = await _visible(store, scope, worth)
    return [_by_worth(Lane.KEY, SearchTarget.EPISODE, {key: worth[key] for key in visible}, len(visible))]


def by_distance(neighbourhood: Neighbourhood, pool: Sequence[Ranked]) -> list[Ranking]:
    """The facts of the pool by how few steps they are from what the question names; others are not ranked."""
    return _of_pool(
        Lane.DISTANCE, neighbourhood, pool, {node: 1 / (1 + d) for node, d in neighbourhood.distances.items()}
    )


def by_centrality(neighbourhood: Neighbourhood, pool: Sequence[Ranked]) -> list[Ranking]:
    """The facts of the pool by personalised PageRank of their ends; others are not ranked."""
    return _of_pool(Lane.PAGERANK, neighbourhood, pool, centralities(neighbourhood))


async def by_mentions(store: Store, scope: Scope, pool: Sequence[Ranked]) -> list[Ranking]:
    """The facts of the pool by how many episodes say them."""
    keys = {(hit.key.group_id, hit.key.item_id): hit.key for hit in pool if hit.key.target is SearchTarget.FACT}
    if not keys:
        return []
    worth: dict[ItemKey, float] = {}
    for fact in await read_facts(store, scope, fact_ids=[item_id for _, item_id in keys]):
        key = keys.get((fact.fact.group_id, fact.fact.fact_id))
        if key is not None:
            worth[key] = max(worth.get(key, 0.0), float(len(fact.episode_ids)))
    return [_by_worth(Lane.MENTIONS, SearchTarget.FACT, worth, len(worth))]


def _ranking(lane: Lane, target: SearchTarget, hits: Sequence[Hit]) -> Ranking:
    keyed = [(ItemKey(hit.group_id, target, hit.item_id), hit.score) for hit in hits]
    return Ranking(lane=lane, target=target, items=keyed)


def _by_worth(lane: Lane, target: SearchTarget, worth: dict[ItemKey, float], depth: int) -> Ranking:
    ranked = sorted(worth.items(), key=lambda item: (-item[1], item[0]))
    return Ranking(lane=lane, target=target, items=ranked[:depth])


def _of_pool(
    lane: Lane, neighbourhood: Neighbourhood, pool: Sequence[Ranked], of_node: Mapping[Node, float]
) -> list[Ranking]:
    worth: dict[ItemKey, float] = {}
    for hit in pool:
        edge = neighbourhood.edges.get(hit.key)
        if edge is not None:
            worth[hit.key] = of_node.get(edge.subject, 0.0) + of_node.get(edge.object, 0.0)
    return [_by_worth(lane, SearchTarget.FACT, worth, len(worth))] if worth else []


async def _texts(store: Store, neighbourhood: Neighbourhood) -> dict[ItemKey, list[str]]:
    by_group: defaultdict[str, list[ItemKey]] = defaultdict(list)
    for key in neighbourhood.edges:
        by_group[key.group_id].append(key)
    texts: dict[ItemKey, list[str]] = {}
    for group_id, keys in by_group.items():
        found = {fact.fact_id: fact for fact in await store.facts(group_id, [key.item_id for key in keys])}
        texts.update((key, terms(found[key.item_id].text)) for key in keys if key.item_id in found)
    return texts


async def _support(store: Store, scope: Scope, fact_ids: Sequence[str]) -> list[tuple[str, str, str]]:
    """(group, fact, episode) for what these facts rest on, so far as they lie in the scope."""
    by_group: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for version in await store.versions_in_scope(scope, fact_ids=fact_ids):
        by_group[version.group_id][version.version_id] = version.fact_id
    return [
        (group_id, fact_of[version_id], claim.episode_id)
        for group_id, fact_of in by_group.items()
        for version_id, claim in await store.support_of(group_id, list(fact_of), scope.known_at)
        if claim.episode_id
    ]


async def _visible(store: Store, scope: Scope, keys: Collection[ItemKey]) -> list[ItemKey]:
    by_group: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_group[key.group_id].append(key.item_id)
    return [
        ItemKey(group_id=group_id, target=SearchTarget.EPISODE, item_id=episode.episode_id)
        for group_id, ids in by_group.items()
        for episode in await store.episodes(group_id, ids)
        if episode.learned_at <= scope.known_at and scope.filter.matches(episode)
    ]
