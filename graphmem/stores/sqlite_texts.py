"""Texts in the full-text indexes of a store file, and how many and how long those of each group are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from graphmem.ports import SearchTarget
from graphmem.stores.sqlite_search_cache import GroupTexts, Place
from graphmem.stores.sqlite_statements import Parameters, listed, numbered, rows, run, run_many
from graphmem.stores.sqlite_terms import group_mark, marked_terms, term_count

__all__ = ["erase_group_texts", "erase_texts", "put_texts", "set_texts", "texts_of"]


def put_texts(connection: sqlite3.Connection, target: SearchTarget, group_id: str, texts: Mapping[int, str]) -> None:
    """Index new texts: the number of the row that each describes, and its terms (blank between them)."""
    put: list[Parameters] = [{"no": no, "terms": marked_terms(group_id, terms)} for no, terms in texts.items()]
    run_many(connection, f"put_{target.value}_text", put)
    _count(connection, target, group_id, len(texts), sum(map(term_count, texts.values())))


def set_texts(connection: sqlite3.Connection, target: SearchTarget, group_id: str, texts: Mapping[int, str]) -> None:
    """As `put_texts`, in place of what is indexed for these rows, if anything is."""
    there = {row["no"]: row["terms"] for row in rows(connection, f"{target.value}_terms", numbers=numbered(texts))}
    put_texts(connection, target, group_id, {no: terms for no, terms in texts.items() if no not in there})
    marked = {no: marked_terms(group_id, texts[no]) for no in there}
    changed: list[Parameters] = [{"no": no, "terms": terms} for no, terms in marked.items() if terms != there[no]]
    run_many(connection, f"reword_{target.value}_text", changed)
    _count(connection, target, group_id, 0, sum(term_count(marked[no]) - term_count(there[no]) for no in there))


def erase_texts(connection: sqlite3.Connection, target: SearchTarget, group_id: str, item_ids: Iterable[str]) -> None:
    """Take the texts of these things out of the index. Before the things themselves go."""
    ids = listed(item_ids)
    found = rows(connection, f"erased_{target.value}_terms", group_id=group_id, ids=ids)
    run(connection, f"erase_{target.value}_text", group_id=group_id, ids=ids)
    _count(connection, target, group_id, -len(found), -sum(term_count(row["terms"]) for row in found))


def erase_group_texts(connection: sqlite3.Connection, group_id: str) -> None:
    """Take every text of a group out of the indexes. Before the things themselves go."""
    for target in SearchTarget:
        run(connection, f"erase_group_{target.value}_text", group_id=group_id)
    run(connection, "erase_group_texts", mark=group_mark(group_id), group_id=group_id)


def texts_of(connection: sqlite3.Connection, group_id: str) -> dict[Place, GroupTexts]:
    """What is counted of a group, for each kind of text."""
    found = rows(connection, "texts_by_mark", mark=group_mark(group_id))
    is_shared = any(row["group_id"] != group_id and row["texts"] for row in found)
    none = {(target, group_id): GroupTexts() for target in SearchTarget}
    return none | {
        (SearchTarget(row["target"]), group_id): GroupTexts(
            texts=row["texts"], terms=row["terms"], is_mark_shared=is_shared
        )
        for row in found
        if row["group_id"] == group_id
    }


def _count(connection: sqlite3.Connection, target: SearchTarget, group_id: str, texts: int, terms: int) -> None:
    if texts or terms:
        mark = group_mark(group_id)
        run(connection, "count_texts", mark=mark, group_id=group_id, target=target.value, texts=texts, terms=terms)
