"""Which of some things a scope sees: asked of the file once, then remembered until somebody writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from graphmem.model import Scope
from graphmem.ports import ItemKey, SearchTarget
from graphmem.stores.sqlite_rows import scope_row
from graphmem.stores.sqlite_search_cache import Place, Snapshot
from graphmem.stores.sqlite_statements import listed, rows

__all__ = ["seen"]

_STATEMENTS = {
    SearchTarget.FACT: "visible_facts",
    SearchTarget.ENTITY: "visible_entities",
    SearchTarget.EPISODE: "visible_episodes",
}


def seen(
    connection: sqlite3.Connection, kept: Snapshot, place: Place, scope: Scope, keys: Sequence[ItemKey]
) -> Mapping[str, bool]:
    """By id, of these things of a group and of others: whether the scope sees them."""
    target, group_id = place
    known = kept.visible(place, scope)
    missing = [key.item_id for key in keys if key.item_id not in known]
    if missing:
        found = rows(connection, _STATEMENTS[target], group_id=group_id, item_ids=listed(missing), **scope_row(scope))
        kept.keep_visible(known, {**dict.fromkeys(missing, False), **{row["item_id"]: True for row in found}})
    return known
