"""Taking content out for good, and overwriting what deleted rows leave behind."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import replace

from graphmem.errors import StoreUnavailable
from graphmem.model import Erasure
from graphmem.ports import SearchTarget
from graphmem.stores.search_text import fact_terms
from graphmem.stores.sqlite_commit import Receipt, index_entities, step_tau
from graphmem.stores.sqlite_rows import (
    decoded,
    entity_of,
    entity_row,
    fact_row,
    support_row,
    tombstone_row,
    version_row,
)
from graphmem.stores.sqlite_statements import first, listed, rows, run, run_many
from graphmem.stores.sqlite_texts import erase_group_texts, erase_texts, set_texts

__all__ = ["erase", "finish_scrub", "merge_indexes", "rewrite_file"]

_log = logging.getLogger(__name__)

_WHOLE_GROUP = (
    "erase_group_support",
    "erase_group_fact_version",
    "erase_group_withdrawal",
    "erase_group_retraction",
    "erase_group_claim",
    "erase_group_fact",
    "erase_group_mention",
    "erase_group_name",
    "erase_group_entity",
    "erase_group_job",
    "erase_group_episode",
    "erase_group_tx",
)


def erase(connection: sqlite3.Connection, erasure: Erasure) -> None:
    if erasure.whole_group:
        erase_group_texts(connection, erasure.group_id)
        for statement in _WHOLE_GROUP:
            run(connection, statement, group_id=erasure.group_id)
    else:
        _erase_parts(connection, erasure)
    run_many(connection, "put_tombstone", [tombstone_row(tombstone) for tombstone in erasure.tombstones])
    receipt = Receipt(based_on=erasure.based_on, tau=erasure.tau, kind="erase")
    step_tau(connection, erasure.group_id, [receipt])


def merge_indexes(connection: sqlite3.Connection) -> None:
    """Rewrite the full-text indexes: only then are the terms of deleted rows gone from them. The file is to be rewritten next."""
    run(connection, "put_unscrubbed")
    for index in SearchTarget:
        run(connection, f"merge_{index.value}_text")


def rewrite_file(connection: sqlite3.Connection) -> None:
    """Write the file anew, then move the write-ahead log into it and empty it. Outside any transaction.

    `secure_delete` zeroes deleted rows and freed pages, but when SQLite balances a tree, copies of keys stay in the gaps of
    pages: about one in two hundred erased rows left one. Only a rewritten file has no such gaps.
    """
    # A large store is not rewritten in memory; what stands in the temporary file is what stays.
    connection.execute("PRAGMA temp_store = FILE")
    try:
        run(connection, "rewrite_file")
    finally:
        connection.execute("PRAGMA temp_store = MEMORY")
    found = first(connection, "truncate_log")
    if found is None or found["busy"]:
        raise StoreUnavailable(
            "a reader holds an older state of the store, so erased content is still in its log: "
            "end that read, then open the store again, or call scrub()"
        )
    run(connection, "forget_unscrubbed")


def finish_scrub(connection: sqlite3.Connection) -> None:
    """Write the file anew where an erasure was cut short before that; where somebody holds it now, the next opening does it."""
    if first(connection, "unscrubbed") is None:
        return
    connection.execute("PRAGMA busy_timeout = 0")  # the one who erases may be at it
    try:
        rewrite_file(connection)
    except (sqlite3.OperationalError, StoreUnavailable) as error:
        _log.info("erased content is still to be overwritten: %s", error)


def _erase_parts(connection: sqlite3.Connection, erasure: Erasure) -> None:
    renamed = _erase_names(connection, erasure)
    _erase_facts(connection, erasure)
    _erase_claims(connection, erasure)
    _erase_episodes(connection, erasure)
    _erase_entities(connection, erasure)
    _put_replayed(connection, erasure)
    _reword(connection, erasure)
    index_entities(connection, erasure.group_id, renamed)


def _erase_names(connection: sqlite3.Connection, erasure: Erasure) -> set[str]:
    group_id = erasure.group_id
    taught = listed(erasure.episode_ids)
    run_many(
        connection,
        "erase_name",
        [{"group_id": group_id, "key": key, "entity_id": entity_id} for key, entity_id in erasure.names],
    )
    run(connection, "forget_where_learned", group_id=group_id, ids=taught)
    _rename(connection, erasure)
    return {entity_id for _, entity_id in erasure.names} | {entity.entity_id for entity in erasure.renamed}


def _rename(connection: sqlite3.Connection, erasure: Erasure) -> None:
    names = {entity.entity_id: entity.name for entity in erasure.renamed}
    found = rows(connection, "entities", group_id=erasure.group_id, entity_ids=listed(names))
    for entity in decoded(entity_of, found):
        run(connection, "rename_entity", **entity_row(replace(entity, name=names[entity.entity_id])))


def _erase_facts(connection: sqlite3.Connection, erasure: Erasure) -> None:
    changed, dropped = listed((*erasure.replayed, *erasure.dropped)), listed(erasure.dropped)
    run(connection, "erase_support_of_facts", group_id=erasure.group_id, ids=changed)
    run(connection, "erase_versions_of_facts", group_id=erasure.group_id, ids=changed)
    erase_texts(connection, SearchTarget.FACT, erasure.group_id, erasure.dropped)
    run(connection, "erase_facts", group_id=erasure.group_id, ids=dropped)


def _reword(connection: sqlite3.Connection, erasure: Erasure) -> None:
    texts: dict[int, str] = {}
    for fact in erasure.reworded:
        texts |= {row["fact_no"]: fact_terms(fact) for row in rows(connection, "reword_fact", **fact_row(fact))}
    set_texts(connection, SearchTarget.FACT, erasure.group_id, texts)


def _erase_claims(connection: sqlite3.Connection, erasure: Erasure) -> None:
    ids = listed(erasure.claim_ids)
    run(connection, "erase_withdrawals", group_id=erasure.group_id, ids=ids)
    run(connection, "erase_empty_retractions", group_id=erasure.group_id)
    run(connection, "erase_claims", group_id=erasure.group_id, ids=ids)


def _erase_episodes(connection: sqlite3.Connection, erasure: Erasure) -> None:
    ids = listed(erasure.episode_ids)
    run(connection, "erase_mentions_in", group_id=erasure.group_id, ids=ids)
    erase_texts(connection, SearchTarget.EPISODE, erasure.group_id, erasure.episode_ids)
    run(connection, "erase_episodes", group_id=erasure.group_id, ids=ids)


def _erase_entities(connection: sqlite3.Connection, erasure: Erasure) -> None:
    ids = listed(erasure.entity_ids)
    erase_texts(connection, SearchTarget.ENTITY, erasure.group_id, erasure.entity_ids)
    for statement in ("erase_mentions_of", "erase_names_of", "erase_entities"):
        run(connection, statement, group_id=erasure.group_id, ids=ids)


def _put_replayed(connection: sqlite3.Connection, erasure: Erasure) -> None:
    run_many(connection, "put_version", [version_row(version) for version in erasure.versions])
    run_many(connection, "put_support", [support_row(erasure.group_id, link) for link in erasure.support])
