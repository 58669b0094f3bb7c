"""The graph around some entities: a walk in both directions, bounded in depth and width, hubs damped."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.model import Scope
from graphmem.ports import Edge, ItemKey, SearchTarget, Store

__all__ = ["Near", "Neighbourhood", "Node", "centralities", "walked"]

FACTS_PER_HOP = 1_000
ENOUGH_FACTS = 50
"""A walk that has met so many facts goes no further: what lies beyond is farther away than all of them."""
HUB_DEGREE = 200
"""A node with more facts is not walked through, unless the walk begins there: it stands near everything."""
FADING = 0.5
"""How much less each step counts."""
_PAGERANK_STEPS = 50


class Node(NamedTuple):
    """An entity in its group."""

    group_id: str
    entity_id: str


class Near(NamedTuple):
    """A fact between two nodes, and how near it is to where the walk began (1: at it, falling)."""

    subject: Node
    object: Node
    nearness: float
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbourhood:
    """What a walk met."""

    seeds: Mapping[Node, float]
    distances: Mapping[Node, int]
    """Steps from the nearest seed."""
    facts: Mapping[ItemKey, Near]
    edges: Sequence[Edge]
    """The versions of these facts that it went by."""


async def walked(
    store: Store, scope: Scope, seeds: Mapping[Node, float], *, with_episodes: bool = True
) -> Neighbourhood:
    """Walk from the seeds (with their weights) two steps over the facts inside the scope, whichever way they point.

    `with_episodes`: whether its edges name the episodes behind them.
    """
    walk = _Walk(weights=dict(seeds), distances=dict.fromkeys(seeds, 0))
    if seeds:
        keys = _keys(sorted(seeds))
        first, second = await store.edges_around(
            scope, keys, limit=FACTS_PER_HOP, enough=ENOUGH_FACTS, with_episodes=with_episodes
        )
        reached = walk.step(first, 1)
        if reached.thoroughfares and len(walk.facts) < ENOUGH_FACTS:
            if reached.hubs:  # many versions of few facts: the store went on from there too
                keys = _keys(reached.thoroughfares)
                second, _ = await store.edges_around(
                    scope, keys, limit=FACTS_PER_HOP, enough=0, with_episodes=with_episodes
                )
            walk.step(second, 2)
    return Neighbourhood(seeds=seeds, distances=walk.distances, facts=walk.facts, edges=walk.edges)


def centralities(neighbourhood: Neighbourhood) -> Mapping[Node, float]:
    """Personalised PageRank of the nodes, seen from the seeds; the graph is walked both ways."""
    import networkx as nx
    import numpy as np

    graph = nx.Graph()
    graph.add_nodes_from(neighbourhood.seeds)
    graph.add_edges_from((near.subject, near.object) for near in neighbourhood.facts.values())
    if not neighbourhood.seeds:
        return {}
    # Not nx.pagerank: it wants scipy, for graphs far larger than a neighbourhood.
    matrix = np.asarray(nx.google_matrix(graph, personalization=dict(neighbourhood.seeds)))
    ranks = np.full(len(graph), 1 / len(graph))
    for _ in range(_PAGERANK_STEPS):
        ranks = ranks @ matrix
    return dict(zip(graph.nodes, ranks.tolist(), strict=True))


class _Reached(NamedTuple):
    """The nodes that a step came to for the first time."""

    thoroughfares: list[Node]
    hubs: list[Node]


@dataclass(kw_only=True, slots=True)
class _Walk:
    """A walk under way."""

    weights: dict[Node, float]
    distances: dict[Node, int]
    facts: dict[ItemKey, Near] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def step(self, edges: Sequence[Edge], number: int) -> _Reached:
        self.edges += edges
        ends_of = [_ends(edge) for edge in edges]
        degrees = Counter(end for ends in ends_of for end in set(ends))
        damped = {
            node: self.weights[node] / (1 + math.log(count))
            for node, count in degrees.items()
            if node in self.weights and (count <= HUB_DEGREE or not self.distances[node])
        }
        reached: defaultdict[Node, float] = defaultdict(float)
        for edge, ends in zip(edges, ends_of, strict=True):
            nearness = max(damped.get(ends[0], 0.0), damped.get(ends[1], 0.0))
            if not nearness:  # it was come to through a hub alone
                continue
            key = ItemKey(edge.group_id, SearchTarget.FACT, edge.fact_id)
            known = self.facts.get(key)
            if known is None or known.nearness < nearness:
                self.facts[key] = Near(*ends, nearness, edge.text)
            for end in ends:
                reached[end] = max(reached[end], nearness * FADING)
        new = {end: weight for end, weight in reached.items() if end not in self.weights}
        self.weights.update(new)
        self.distances.update(dict.fromkeys(new, number))
        return _Reached(
            sorted(end for end in new if degrees[end] <= HUB_DEGREE), [end for end in new if degrees[end] > HUB_DEGREE]
        )


def _keys(nodes: Iterable[Node]) -> list[ItemKey]:
    return [ItemKey(node.group_id, SearchTarget.ENTITY, node.entity_id) for node in nodes]


def _ends(edge: Edge) -> tuple[Node, Node]:
    return Node(edge.group_id, edge.subject), Node(edge.group_id, edge.object)
