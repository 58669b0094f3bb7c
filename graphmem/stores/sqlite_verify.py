"""Looking for what is wrong in a store, naming ids and no content."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import groupby

from graphmem.errors import StoreCorrupt
from graphmem.relations import builtin_relations
from graphmem.resources import query
from graphmem.stores.search_text import entity_terms, episode_terms, fact_terms
from graphmem.stores.sqlite_rows import (
    claim_of,
    decoded,
    entity_of,
    episode_of,
    fact_of,
    job_of,
    name_of,
    relation_of,
    tombstone_of,
    version_of,
)
from graphmem.stores.sqlite_statements import listed, rows, run
from graphmem.stores.sqlite_terms import group_mark, marked_terms, term_count
from graphmem.timeline.claims import Relation, Rivalry

__all__ = ["broken_indexes", "wrongs"]

_REFERENCES = {
    "verify_fact_ends": "group {group_id!r}: fact {fact_id!r} lacks an entity at one of its ends",
    "verify_versions": "group {group_id!r}: version {version_id!r} has other ends than its fact",
    "verify_claims": "group {group_id!r}: claim {claim_id!r} has other ends than its fact",
    "verify_support": "group {group_id!r}: version {version_id!r} is believed and rests on no claim",
    "verify_jobs": "group {group_id!r}: episode {episode_id!r} has no job",
    "verify_taus": "group {group_id!r}: its last transaction time is not that of its last receipt",
    "verify_retractions": "group {group_id!r}: the withdrawal of claim {claim_id!r} and its retraction differ",
    "verify_references": "{breaks} rows of {child!r} refer to a missing row of {parent!r}",
    "verify_facts_overlap": "group {group_id!r}: versions {version_id!r} and {other_id!r} of one fact overlap",
    "verify_stray_texts": "search row {row_no} describes no {kind}",
    "verify_vectors": "group {group_id!r}: the vector of {target} {item_id!r} is damaged",
    "verify_lost_vectors": "group {group_id!r}: {target} {item_id!r} has no vector and waits for none: reembed",
    "verify_stray_vectors": "group {group_id!r}: a vector is kept of {target} {item_id!r}, which is not there: reembed",
    "verify_stray_waiting": "group {group_id!r}: {target} {item_id!r}, which is not there, waits for a vector: reembed",
}

_OVERLAP = "group {group_id!r}: versions {version_id!r} and {other_id!r} exclude one another and overlap"


_READABLE: tuple[tuple[str, Callable[[sqlite3.Row], object]], ...] = (
    ("relations", relation_of),
    ("all_episodes", episode_of),
    ("all_jobs", job_of),
    ("all_entities", entity_of),
    ("all_names", name_of),
    ("all_facts", fact_of),
    ("all_claims", claim_of),
    ("all_versions", version_of),
    ("all_tombstones", tombstone_of),
)


def wrongs(connection: sqlite3.Connection) -> list[str]:
    """Everything that reading can find, one sentence each; where rows cannot be read, only that."""
    damage = [*_damage(connection), *_unreadable(connection)]
    if damage:
        return damage
    return [
        *_told(connection, _REFERENCES),
        *_overlaps(connection),
        *_wrong_fact_texts(connection),
        *_wrong_entity_texts(connection),
        *_wrong_episode_texts(connection),
        *_wrong_counts(connection),
    ]


def broken_indexes(connection: sqlite3.Connection) -> list[str]:
    """Full-text indexes that do not hold the terms of their rows. SQLite counts the question as a write."""
    return [
        f"the full-text index of {index!r} is damaged"
        for index in ("fact", "entity", "episode")
        if not _is_whole(connection, index)
    ]


def _is_whole(connection: sqlite3.Connection, index: str) -> bool:
    try:
        run(connection, f"check_{index}_text")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CORRUPT:
            return False
        raise
    return True


def _damage(connection: sqlite3.Connection) -> list[str]:
    # From SQLite 3.44 on, the check looks into full-text indexes and trusts what the connection kept of them, though others may
    # have written since; opening an index drops that.
    rows(connection, "all_indexes_opened")
    return [f"the file is damaged: {row[0]}" for row in rows(connection, "verify_file") if row[0] != "ok"]


def _unreadable(connection: sqlite3.Connection) -> Iterator[str]:
    for statement, make in _READABLE:
        for row in connection.execute(query("sql", statement)):
            try:
                decoded(make, [row])
            except StoreCorrupt as error:
                yield str(error)


def _told(connection: sqlite3.Connection, sentences: dict[str, str]) -> Iterator[str]:
    for statement, sentence in sentences.items():
        for row in rows(connection, statement):
            yield sentence.format(**dict(row))


def _overlaps(connection: sqlite3.Connection) -> Iterator[str]:
    declared = {relation.name: relation for relation in decoded(relation_of, rows(connection, "relations"))}
    relations = list({**builtin_relations(), **declared}.values())
    checks = {
        "verify_rival_subjects": [r for r in relations if r.rivalry is not Rivalry.NONE],
        "verify_rival_objects": [r for r in relations if r.rivalry is Rivalry.BOTH or _is_symmetric_rival(r)],
        "verify_rival_ends": [r for r in relations if _is_symmetric_rival(r)],
    }
    for statement, rivals in checks.items():
        for row in rows(connection, statement, relations=listed(relation.name for relation in rivals)):
            yield _OVERLAP.format(**dict(row))


def _is_symmetric_rival(relation: Relation) -> bool:
    return relation.symmetric and relation.rivalry is not Rivalry.NONE


def _wrong_fact_texts(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute(query("sql", "verify_fact_texts")):
        [fact] = decoded(fact_of, [row])
        if row["terms"] != marked_terms(fact.group_id, fact_terms(fact)):
            yield f"group {fact.group_id!r}: fact {fact.fact_id!r} is not indexed as it stands"


def _wrong_entity_texts(connection: sqlite3.Connection) -> Iterator[str]:
    found = connection.execute(query("sql", "verify_entity_texts"))
    for _, named in groupby(found, key=lambda row: row["entity_no"]):
        entity = list(named)
        spellings = [row["spelling"] for row in entity if row["spelling"] is not None]
        group_id = entity[0]["group_id"]
        if entity[0]["terms"] != marked_terms(group_id, entity_terms(entity[0]["name"], spellings)):
            yield f"group {group_id!r}: entity {entity[0]['entity_id']!r} is not indexed as it is called"


def _wrong_episode_texts(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute(query("sql", "verify_episode_texts")):
        [episode] = decoded(episode_of, [row])
        if row["terms"] != marked_terms(episode.group_id, episode_terms(episode)):
            yield f"group {episode.group_id!r}: episode {episode.episode_id!r} is not indexed as it stands"


def _wrong_counts(connection: sqlite3.Connection) -> Iterator[str]:
    wanted: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in connection.execute(query("sql", "all_text_terms")):
        counts = wanted[group_mark(row["group_id"]), row["group_id"], row["target"]]
        counts[0] += 1
        counts[1] += term_count(row["terms"])
    counted = {
        (row["mark"], row["group_id"], row["target"]): [row["texts"], row["terms"]]
        for row in rows(connection, "all_group_texts")
    }
    for place in sorted(wanted.keys() | counted.keys()):
        if wanted.get(place, [0, 0]) != counted.get(place, [0, 0]):
            _, group_id, target = place
            yield f"group {group_id!r}: its texts of kind {target!r} are not counted as they are"
