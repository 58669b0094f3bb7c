"""Full-text search on Neo4j: BM25 of its own index over our terms, inside the scope."""

from __future__ import annotations

from collections.abc import Sequence

from neo4j import Record

from graphmem.model import Hit, Scope
from graphmem.ports import SearchTarget
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
_MORE = 4


async def search_text(
    connections: Connections, target: SearchTarget, terms: Sequence[str], scope: Scope, limit: int
) -> list[Hit]:
    wanted = [term for term in query_terms(terms) if term.isalnum()]
    if not wanted or not limit:
        return []
    text = _query(wanted, scope.group_ids)
    candidates = max(_CANDIDATES, limit)
    # The index knows groups and terms, not times: ask for more until enough are inside the scope.
    while True:
        found = await connections.read_rows(
            _STATEMENTS[target], query=text, candidates=candidates, **scope_values(scope)
        )
        if len(found) < candidates or _is_enough(found, limit):
            break
        candidates *= _MORE
    visible = sorted(
        (row for row in found if row["is_visible"]), key=lambda row: (-row["score"], row["item_id"], row["group_id"])
    )
    return [
        Hit(row["item_id"], row["group_id"], rank, row["score"]) for rank, row in enumerate(visible[:limit], start=1)
    ]


def _is_enough(found: Sequence[Record], limit: int) -> bool:
    """Whether `limit` are visible, and none that was not read could tie with the last of them."""
    scores = [row["score"] for row in found if row["is_visible"]]
    return len(scores) >= limit and scores[limit - 1] > found[-1]["score"]


def _query(terms: Sequence[str], group_ids: Sequence[str]) -> str:
    """A Lucene query; groups and terms are letters and digits, so no sign of theirs means anything to its parser.

    The group decides and does not count: `^0`. Lower case: AND, OR and NOT are words of the parser.
    """
    groups = " ".join(group_term(group_id) for group_id in dict.fromkeys(group_ids))
    return f"+group_term:({groups})^0 +terms:({' '.join(terms)})"
