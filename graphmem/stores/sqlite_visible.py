"""Which of some things a scope sees: asked of the file once, then remembered until somebody writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from graphmem.model import BEST_KNOWN, Scope
from graphmem.ports import ItemKey, SearchTarget
from graphmem.resources import query
from graphmem.stores.sqlite_rows import scope_row
from graphmem.stores.sqlite_search_cache import Place, Snapshot
from graphmem.stores.sqlite_statements import listed, plain_cursor

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
    known = kept.visible(place, scope)
    missing = [key.item_id for key in keys if key.item_id not in known]
    if missing:
        kept.keep_visible(known, _read(connection, place, scope, missing))
    return known


def _read(connection: sqlite3.Connection, place: Place, scope: Scope, item_ids: Sequence[str]) -> dict[str, bool]:
    target, group_id = place
    if _is_all_seen(target, scope):
        return dict.fromkeys(item_ids, True)
    wanted = {"group_id": group_id, "item_ids": listed(item_ids), **scope_row(scope)}
    found = plain_cursor(connection).execute(query("sql", _STATEMENTS[target]), wanted)
    return dict.fromkeys(item_ids, False) | {item_id: True for (item_id,) in found}


def _is_all_seen(target: SearchTarget, scope: Scope) -> bool:
    """Whether nothing of the kind can be outside: entities and episodes are not bound to a time of the world."""
    if target is SearchTarget.FACT or scope.known_at < BEST_KNOWN:
        return False
    return target is SearchTarget.ENTITY or scope.filter.is_open
