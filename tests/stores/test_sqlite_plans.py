"""Every statement comes to its rows by an index."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import graphmem
from graphmem.stores import open_store

_SQL = Path(graphmem.__file__).parent / "sql"

WALK_EVERYTHING = re.compile(
    r"all_|await_all_|count_all_|verify_|page_|jobs$|count_jobs|relations$|next_run_at$|group_clocks$|replace_secret$"
    r"|embedding_model$|forget_vectors$|forget_all_|unembedded$"
)
"""Statements whose answer is made of every row of a table, or of the first rows in its order."""

HOT = {
    "versions_by_subject_relation": "v USING INDEX version_subject (group_id=? AND subject=? AND relation=?)",
    "versions_by_subject": "v USING INDEX version_subject (group_id=? AND subject=?)",
    "versions_by_object_relation": "v USING INDEX version_object (group_id=? AND object=? AND relation=?)",
    "versions_by_object": "v USING INDEX version_object (group_id=? AND object=?)",
    "versions_touching": "o USING INDEX version_object (group_id=? AND object=?)",
    "versions_by_fact": "v USING INDEX version_fact (group_id=? AND fact_id=?",
    "edges_touching": "o USING INDEX version_object (group_id=? AND object=?)",
    "edges_by_fact": "v USING INDEX version_fact (group_id=? AND fact_id=?",
    "support_times": "s USING PRIMARY KEY (group_id=? AND version_id=?)",
    "versions_by_group": "v USING INDEX version_valid (group_id=?",
    "versions_of": "v USING INDEX version_fact (group_id=? AND fact_id=?)",
    "open_versions": "v USING INDEX version_fact (group_id=? AND fact_id=? AND expired_at=?)",
    "open_support_of": "s USING PRIMARY KEY (group_id=? AND version_id=?)",
    "support_of": "s USING PRIMARY KEY (group_id=? AND version_id=?)",
    "timeline_claims": "f USING INDEX claim_subject (group_id=? AND subject=? AND relation=? AND object=?)",
    "claims_by_episode": "c USING INDEX claim_episode (group_id=? AND episode_id=?)",
    "claims_by_fact": "c USING INDEX claim_fact (group_id=? AND fact_id=?)",
    "claims_by_entity": "s USING INDEX claim_subject (group_id=? AND subject=?)",
    "changed_between": "x USING INDEX version_expired (group_id=? AND expired_at>? AND expired_at<?)",
    "recent_episodes": "e USING INDEX episode_time (group_id=? AND said_at<?)",
    "entities_named": "name USING PRIMARY KEY (group_id=? AND key=?)",
    "names_of": "name USING INDEX name_entity (group_id=? AND entity_id=?)",
    "spellings": "n USING INDEX name_entity (group_id=? AND entity_id=?)",
    "ready_group": "job USING INDEX job_ready (run_after<?)",
    "ready_jobs": "job USING INDEX job_waiting (group_id=?)",
    "leased_jobs": "job USING INDEX job_state (state=? AND group_id=?)",
    "expire_version": "fact_version USING INDEX sqlite_autoindex_fact_version_1 (group_id=? AND version_id=?)",
    "visible_facts": "v USING INDEX version_fact (group_id=? AND fact_id=?",
    "facts_by_number": "f USING INTEGER PRIMARY KEY (rowid=?)",
    "episodes_by_number": "e USING INTEGER PRIMARY KEY (rowid=?)",
    "texts_by_mark": "group_texts USING PRIMARY KEY (mark=?)",
    "facts_of_term": "d USING INTEGER PRIMARY KEY (rowid=?)",
    "erased_fact_terms": "f USING INDEX sqlite_autoindex_fact_1 (group_id=? AND fact_id=?)",
    "erase_versions_of_facts": "fact_version USING INDEX version_fact (group_id=? AND fact_id=?)",
}


@pytest.fixture
async def plans(tmp_path: Path) -> dict[str, list[str]]:
    """The plan of every statement, by name, on an empty store: the planner's picture of the tables ships with the schema."""
    path = tmp_path / "memory.db"
    store = open_store(str(path))
    await store.ensure_schema()
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        return {name: list(_plan(connection, text)) for name, text in _statements()}


def _statements() -> Iterator[tuple[str, str]]:
    for path in sorted(_SQL.glob("*.sql")):
        text = path.read_text(encoding="utf-8")
        if not text.startswith(("PRAGMA", "VACUUM")) and "_text) VALUES ('" not in text:
            yield path.stem, text


def _plan(connection: sqlite3.Connection, statement: str) -> Iterator[str]:
    parameters = dict.fromkeys(re.findall(r":(\w+)", statement))
    for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters):
        yield row[3]


async def test_hot_statements_use_the_index_made_for_them(plans: dict[str, list[str]]) -> None:
    # Whether an index alone is enough depends on the version of SQLite.
    steps = {name: " ".join(plans[name]).replace("COVERING ", "") for name in HOT}
    missed = {name: plans[name] for name, wanted in HOT.items() if f"SEARCH {wanted}" not in steps[name]}

    assert missed == {}


async def test_no_statement_walks_a_table(plans: dict[str, list[str]]) -> None:
    walks = {
        name: step
        for name, steps in plans.items()
        for step in steps
        if step.startswith("SCAN") and "VIRTUAL TABLE" not in step and "CONSTANT ROW" not in step
        if not WALK_EVERYTHING.match(name) and f"CO-ROUTINE {step.removeprefix('SCAN ')}" not in steps
    }

    assert sorted(walks) == []


async def test_every_statement_file_is_one_statement_that_names_its_group(plans: dict[str, list[str]]) -> None:
    nameless = [
        name
        for name, text in _statements()
        if text.startswith("SELECT")
        and re.search(r"\b(fact|claim|episode|entity|fact_version|support|mention)\b", text)
        if ":group_id" not in text and not WALK_EVERYTHING.match(name)
    ]

    assert [name for name, text in _statements() if ";" in re.sub("--.*", "", text)] == []
    assert nameless == []
