"""The graph as it was at one moment of the world, as known at one moment of the memory, for networkx."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from graphmem.model import DatedFact

if TYPE_CHECKING:
    import networkx

__all__ = ["graph_of"]


def graph_of(facts: Iterable[DatedFact]) -> networkx.MultiDiGraph:
    """Entities as nodes (attributes name, kind, group_id), facts as edges keyed by version id.

    Edge attributes: relation, text, fact_id, valid_at, invalid_at, created_at, last_confirmed_at (aware datetimes or None).
    """
    import networkx  # heavy: imported where it is used

    graph = networkx.MultiDiGraph()
    for fact in facts:
        for entity in (fact.subject, fact.object):
            graph.add_node(entity.entity_id, name=entity.name, kind=entity.kind.value, group_id=entity.group_id)
        graph.add_edge(
            fact.subject.entity_id,
            fact.object.entity_id,
            key=fact.version.version_id,
            relation=fact.relation,
            text=fact.text,
            fact_id=fact.fact.fact_id,
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
            created_at=fact.created_at,
            last_confirmed_at=fact.last_confirmed_at,
        )
    return graph
