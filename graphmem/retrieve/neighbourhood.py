"""The graph around some entities: a walk in both directions, bounded in depth and width, hubs damped."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from graphmem.model import FactVersion, Scope
from graphmem.ports import ItemKey, SearchTarget, Store

__all__ = ["Edge", "Neighbourhood", "Node", "centralities", "walked"]

DEPTH = 2
FACTS_PER_HOP = 1_000
ENOUGH_FACTS = 50
"""A walk that has met so many facts goes no further: what lies beyond is farther away than all of them."""
HUB_DEGREE = 200
"""A node with more facts is not walked through: it stands near everything."""
FADING = 0.5
"""How much less each step counts."""
_PAGERANK_STEPS = 50


class Node(NamedTuple):
    """An entity in its group."""

    group_id: str
    entity_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """A fact between two nodes, and how near it is to where the walk began (1: at it, falling)."""

    subject: Node
    object: Node
    nearness: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbourhood:
    """What a walk met."""

    seeds: Mapping[Node, float]
    distances: Mapping[Node, int]
    """Steps from the nearest seed."""
    edges: Mapping[ItemKey, Edge]


async def walked(store: Store, scope: Scope, seeds: Mapping[Node, float], *, depth: int = DEPTH) -> Neighbourhood:
    """Walk from the seeds (with their weights) over the facts inside the scope, whichever way they point."""
    weights = dict(seeds)
    distances = dict.fromkeys(seeds, 0)
    edges: dict[ItemKey, Edge] = {}
    frontier: Sequence[Node] = sorted(seeds)
    for step in range(1, depth + 1):
        versions = await _touching(store, scope, frontier)
        degrees = Counter(end for version in versions for end in set(_ends(version)))
        reached: defaultdict[Node, float] = defaultdict(float)
        for version in versions:
            ends = _ends(version)
            nearness = max(weights[end] / (1 + math.log(degrees[end])) for end in ends if end in weights)
            key = ItemKey(version.group_id, SearchTarget.FACT, version.fact_id)
            if key not in edges or edges[key].nearness < nearness:
                edges[key] = Edge(subject=ends[0], object=ends[1], nearness=nearness)
            for end in ends:
                reached[end] = max(reached[end], nearness * FADING)
        new = {end: weight for end, weight in reached.items() if end not in weights}
        weights.update(new)
        distances.update(dict.fromkeys(new, step))
        frontier = sorted(end for end in new if degrees[end] <= HUB_DEGREE)
        if not frontier or len(edges) >= ENOUGH_FACTS:
            break
    return Neighbourhood(seeds=seeds, distances=distances, edges=edges)


def centralities(neighbourhood: Neighbourhood) -> Mapping[Node, float]:
    """Personalised PageRank of the nodes, seen from the seeds; the graph is walked both ways."""
    import networkx as nx
    import numpy as np

    graph = nx.Graph()
    graph.add_nodes_from(neighbourhood.seeds)
    graph.add_edges_from((edge.subject, edge.object) for edge in neighbourhood.edges.values())
    if not neighbourhood.seeds:
        return {}
    # Not nx.pagerank: it wants scipy, for graphs far larger than a neighbourhood.
    matrix = np.asarray(nx.google_matrix(graph, personalization=dict(neighbourhood.seeds)))
    ranks = np.full(len(graph), 1 / len(graph))
    for _ in range(_PAGERANK_STEPS):
        ranks = ranks @ matrix
    return dict(zip(graph.nodes, ranks.tolist(), strict=True))


async def _touching(store: Store, scope: Scope, nodes: Iterable[Node]) -> list[FactVersion]:
    by_group: defaultdict[str, list[str]] = defaultdict(list)
    for node in nodes:
        by_group[node.group_id].append(node.entity_id)
    return [
        version
        for group_id, ids in sorted(by_group.items())
        for version in await store.versions_in_scope(
            replace(scope, group_ids=(group_id,)), touching=ids, limit=FACTS_PER_HOP
        )
    ]


def _ends(version: FactVersion) -> tuple[Node, Node]:
    return Node(version.group_id, version.subject), Node(version.group_id, version.object)
