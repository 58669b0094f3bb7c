"""Full-text search: BM25 of SQLite's own index, inside the scope."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby

from graphmem.model import Hit, Scope
from graphmem.ports import SearchTarget
from graphmem.resources import query
from graphmem.stores.search_text import query_terms
from graphmem.stores.sqlite_rows import scope_row
from graphmem.stores.sqlite_statements import listed

__all__ = ["search_text"]

_STATEMENTS = {
    SearchTarget.FACT: "search_facts",
    SearchTarget.ENTITY: "search_entities",
    SearchTarget.EPISODE: "search_episodes",
}


def search_text(
    connection: sqlite3.Connection, target: SearchTarget, terms: Sequence[str], scope: Scope, limit: int
) -> list[Hit]:
    wanted = query_terms(terms)
    if not wanted or not limit:
        return []
    parameters = {"query": _match(wanted), "group_ids": listed(scope.group_ids), **scope_row(scope)}
    found = connection.execute(query("sql", _STATEMENTS[target]), parameters)
    return [
        Hit(item_id=row["item_id"], group_id=row["group_id"], rank=rank, score=-row["rank"])
        for rank, row in enumerate(_best(found, limit), start=1)
    ]


def _best(found: Iterator[sqlite3.Row], limit: int) -> list[sqlite3.Row]:
    # Read no further than the last row that counts and those that tie with it: the checks of a row cost more than its rank.
    best: list[sqlite3.Row] = []
    for _, tied in groupby(found, key=lambda row: row["rank"]):
        best += sorted(tied, key=lambda row: (row["item_id"], row["group_id"]))
        if len(best) >= limit:
            break
    return best[:limit]


def _match(terms: Sequence[str]) -> str:
    """An FTS5 query for any of these terms; quoted, no sign of theirs means anything to its parser."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
