"""Reading all of one kind in a group, page by page, in the order of its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

from neo4j import Record

from graphmem.stores.neo4j_connections import Connections

__all__ = ["pages"]

_ROWS = 1_000


async def pages(
    connections: Connections, name: str, group_id: str, *, after: str | int = "", rows: int = _ROWS
) -> AsyncIterator[Record]:
    """Every row of the statement `page_{name}` in the group with a key beyond `after`; one page is held at a time."""
    while True:
        found = await connections.read(f"page_{name}", group_id=group_id, after=after, limit=rows)
        for row in found:
            yield row
        if len(found) < rows:
            return
        after = found[-1]["key"]
