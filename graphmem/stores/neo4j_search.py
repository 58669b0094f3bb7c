"""Full-text search on Neo4j: BM25 of its own index over our terms, inside the scope."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.model import Scope
from graphmem.ports import Hits, ItemKey, SearchTarget
from graphmem.stores.neo4j_connections import Connections
from graphmem.stores.neo4j_rows import group_term, scope_values
from graphmem.stores.search_text import query_terms

__all__ = ["search_text"]

_STATEMENTS = {
    SearchTarget.FACT: "search_facts",
    SearchTarget.ENTITY: "search_entities",
    SearchTarget.EPISODE: "search_episodes",
}
_CANDIDATES = 200
_MORE = 16


async def search_text(
    connections: Connections, target: SearchTarget, terms: Sequence[str], scope: Scope, limit: int
) -> Hits:
    wanted = [term for term in query_terms(terms) if term.isalnum()]
    if not wanted or not limit:
        return Hits()
    text = _query(wanted, scope.group_ids)
    candidates = max(_CANDIDATES, limit)
    # The index knows groups and terms, not times: ask for more until enough are inside the scope and none that was not read could
    # tie with the last of them.
    while True:
        [found] = await connections.read(
            _STATEMENTS[target], query=text, candidates=candidates, limit=limit, **scope_values(scope)
        )
        hits = found["hits"]
        is_enough = len(hits) >= limit and hits[-1]["score"] > found["least"]
        if is_enough or found["candidates"] < candidates:
            break
        candidates *= _MORE
    return Hits(
        keys=[ItemKey(hit["group_id"], target, hit["item_id"]) for hit in hits],
        scores=[hit["score"] for hit in hits],
    )


def _query(terms: Sequence[str], group_ids: Sequence[str]) -> str:
    """A Lucene query; groups and terms are letters and digits, so no sign of theirs means anything to its parser.

    The group decides and does not count: `^0`. Lower case: AND, OR and NOT are words of the parser.
    """
    groups = " ".join(group_term(group_id) for group_id in dict.fromkeys(group_ids))
    return f"+group_term:({groups})^0 +terms:({' '.join(terms)})"
