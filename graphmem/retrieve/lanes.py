"""Lanes: each finds things in its own way, and only what the scope lets it see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from graphmem.model import Scope
from graphmem.ports import Edge, EmbeddingModel, Floats, Hits, ItemKey, SearchTarget, Store, TextSearch, VectorSearch
from graphmem.retrieve.fusion import Ranked, Ranking
from graphmem.retrieve.neighbourhood import Neighbourhood, Node, centralities
from graphmem.retrieve.reads import read_facts
from graphmem.retrieve.recipes import Lane
from graphmem.terms import kept_terms

__all__ = [
    "KEY_FACTS",
    "by_centrality",
    "by_distance",
    "by_key",
    "by_meaning",
    "by_mentions",
    "by_walk",
    "by_words",
    "named",
    "ranking_of",
    "seeds_of",
]

SEEDS = 8
KEY_FACTS = 10
"""So many of the best facts are given to `by_key`."""


def by_words(words: Sequence[str], depths: Mapping[SearchTarget, int]) -> list[TextSearch]:
    """By BM25 of the words, each kind of thing by itself and so deep."""
    return [TextSearch(target=target, terms=words, limit=depth) for target, depth in depths.items()]


def by_meaning(vector: Floats, model: EmbeddingModel | None, depths: Mapping[SearchTarget, int]) -> list[VectorSearch]:
    """By cosine to the question's vector, each kind of thing by itself and so deep."""
    return [VectorSearch(target=target, vector=vector, limit=depth, model=model) for target, depth in depths.items()]


def named(words: Sequence[str]) -> TextSearch:
    """The entities whose names share words with the question: where a walk begins (`seeds_of`)."""
    return TextSearch(target=SearchTarget.ENTITY, terms=words, limit=SEEDS)


def seeds_of(hits: Hits) -> dict[Node, float]:
    """Entities with their weights: those that share more words with the question weigh more, the best 1."""
    best = hits.scores[0] if hits else 1.0
    of_each = zip(hits.keys, hits.scores, strict=True)
    seeds = {Node(key.group_id, key.item_id): max(score, 0.0) / (best or 1.0) for key, score in of_each}
    return {node: weight for node, weight in seeds.items() if weight > 0}


def ranking_of(search: TextSearch | VectorSearch, hits: Hits) -> Ranking:
    """What a search of the lane of words or of vectors found."""
    lane = Lane.KEYWORD if isinstance(search, TextSearch) else Lane.VECTOR
    return Ranking(lane=lane, target=search.target, hits=hits)


def by_walk(words: Sequence[str], neighbourhood: Neighbourhood, depth: int) -> list[Ranking]:
    """The facts of a neighbourhood, by nearness and by BM25 among themselves."""
    from rank_bm25 import BM25Okapi  # here: it brings numpy along, which a command that searches nothing can do without

    texts = {key: kept_terms(near.text) for key, near in neighbourhood.facts.items()}
    keys = sorted(key for key, found in texts.items() if found)
    if not keys:
        return []
    scores = [max(float(score), 0.0) for score in BM25Okapi([texts[key] for key in keys]).get_scores(list(words))]
    best = max(scores) or 1.0
    worth = {
        key: neighbourhood.facts[key].nearness * (1 + score / best) for key, score in zip(keys, scores, strict=True)
    }
    return [_by_worth(Lane.WALK, SearchTarget.FACT, worth, depth)]


def by_key(facts: Sequence[Ranked], edges: Iterable[Edge]) -> list[Ranking]:
    """The episodes that these facts rest on, by what the edges say; a fact hands its score on to each."""
    worth: defaultdict[ItemKey, float] = defaultdict(float)
    scores = {(hit.key.group_id, hit.key.item_id): hit.score for hit in facts}
    for edge in edges:
        score = scores.get((edge.group_id, edge.fact_id))
        if score is not None:
            for episode_id in edge.episode_ids:
                key = ItemKey(edge.group_id, SearchTarget.EPISODE, episode_id)
                worth[key] = max(worth[key], score)
    return [_by_worth(Lane.KEY, SearchTarget.EPISODE, worth, len(worth))] if worth else []


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


def _by_worth(lane: Lane, target: SearchTarget, worth: Mapping[ItemKey, float], depth: int) -> Ranking:
    ranked = sorted([(-score, key) for key, score in worth.items()])[:depth]
    hits = Hits(keys=[key for _, key in ranked], scores=[-cost for cost, _ in ranked])
    return Ranking(lane=lane, target=target, hits=hits)


def _of_pool(
    lane: Lane, neighbourhood: Neighbourhood, pool: Sequence[Ranked], of_node: Mapping[Node, float]
) -> list[Ranking]:
    worth: dict[ItemKey, float] = {}
    for hit in pool:
        near = neighbourhood.facts.get(hit.key)
        if near is not None:
            worth[hit.key] = of_node.get(near.subject, 0.0) + of_node.get(near.object, 0.0)
    return [_by_worth(lane, SearchTarget.FACT, worth, len(worth))] if worth else []
