"""The files of cypher/: every one is taken by the server, and none of them scans where an index is meant to lead."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.resources import query
from graphmem.stores import open_store
from graphmem.stores.neo4j_settings import neo4j_settings
from graphmem.timeline.instants import MIN
from tests.contract.build import told
from tests.neo4j_server.database import empty

neo4j = pytest.importorskip("neo4j", reason="needs the neo4j extra")

FOLDER = Path(__file__).parents[2] / "cypher"
NAMES = sorted(path.stem for path in FOLDER.glob("*.cypher"))

READS_ALL_OF_A_LABEL = {
    *("all_groups", "all_taus", "relations", "foreign_label", "replace_secret"),
    *("forget_entity_vectors", "forget_episode_vectors", "forget_fact_vectors"),
}
"""Few nodes, or the first one only, or all of them on purpose."""
SINCE_2026_02 = {"nearest_entities", "nearest_episodes", "nearest_facts"}

LED_BY = {
    "changed_between": ["FACT(group_id, created_at)", "FACT(group_id, expired_at)"],
    "claims_by_entity": ["Claim(group_id, subject, relation, object)", "Claim(group_id, object, relation)"],
    "commit": ["FACT(group_id, version_id)", "SUPPORTS(group_id, version_id, expired_at)", "Job(group_id, id)"],
    "count_jobs": ["Job(state, run_after, seq)"],
    "count_jobs_of_groups": ["Job(group_id, state, run_after)"],
    "edges_around": ["FACT(group_id, subject, expired_at)", "FACT(group_id, object, expired_at)"],
    "edges_by_fact": ["FACT(group_id, fact_id, expired_at)", "SUPPORTS(group_id, version_id, expired_at)"],
    "erase_versions_of_facts": ["FACT(group_id, fact_id, expired_at)"],
    "extend_lease": ["Job(group_id, state, run_after)"],
    "jobs": ["Job(seq)"],
    "jobs_by_group": ["Job(group_id, seq)"],
    "jobs_by_id": ["Job(id)"],
    "lease_jobs": ["Job(group_id, state, run_after)"],
    "list_names": ["Name(group_id, key)"],
    "next_run_at": ["Job(state, run_after, seq)"],
    "read_timelines": [
        "Claim(group_id, subject, relation, object)",
        "Claim(group_id, object, relation)",
        "FACT(group_id, fact_id, expired_at)",
        "SUPPORTS(group_id, version_id, expired_at)",
    ],
    "ready_group": ["Job(state, run_after, seq)"],
    "recent_episodes": ["Episode(group_id, said_at, seq)"],
    "search_facts": ["FACT(group_id, fact_id, expired_at)"],
    "support_of": ["SUPPORTS(group_id, version_id, expired_at)"],
    "versions_by_fact": ["FACT(group_id, fact_id, expired_at)"],
    "versions_by_group": ["FACT(group_id, expired_at)"],
    "versions_by_object": ["FACT(group_id, object, expired_at)"],
    "versions_by_subject": ["FACT(group_id, subject, expired_at)"],
    "versions_by_subject_relation": ["FACT(group_id, subject, relation, expired_at)"],
    "versions_of": ["FACT(group_id, fact_id, expired_at)"],
    "versions_touching": ["FACT(group_id, subject, expired_at)", "FACT(group_id, object, expired_at)"],
}
"""The index that must lead where the planner, on an empty database, would take another one with fewer columns."""

IN_INDEX_ORDER = {
    *("jobs", "page_facts", "page_claims", "page_versions", "last_fact", "last_version", "page_episodes", "turns"),
}
"""Read in the order of an index, so that a page costs what it holds, and a turn not all that were said before it."""


@pytest.fixture(scope="module")
def driver(neo4j_server: str) -> Iterator[object]:
    settings = neo4j_settings(neo4j_server)
    auth = (settings.user, settings.password) if settings.password else None
    with neo4j.GraphDatabase.driver(settings.url, auth=auth, notifications_min_severity="OFF") as opened:
        yield opened


async def fill(url: str, facts: int) -> None:
    """So many facts and what belongs to them, in a database that holds nothing else."""
    empty(url)
    store = open_store(url)
    await store.ensure_schema()
    for number in range(1, facts + 1):
        one = told(number, f"S{number}", tau=number, based_on=number - 1 or MIN)
        await store.accept([one.episode], number)
        await store.commit([one.changes])
    await store.close()


def plan_anew(url: str, driver: object, *, facts: int) -> None:
    """Fill the database and let the server forget its plans."""
    asyncio.run(fill(url, facts))
    with driver.session() as session:  # type: ignore[attr-defined]
        session.run("CALL db.resampleOutdatedIndexes()").consume()
        session.run("CALL db.clearQueryCaches()").consume()


@pytest.fixture(scope="module")
def prepared(neo4j_server: str, driver: object) -> None:
    """An empty database with our schema; to EXPLAIN changes nothing in it."""
    plan_anew(neo4j_server, driver, facts=0)


def filters_in_index(driver: object) -> bool:
    with driver.session() as session:  # type: ignore[attr-defined]
        return not str(session.run(query("cypher", "server_version")).single()["version"]).startswith("5.")


def operators(driver: object, name: str) -> list[tuple[str, str]]:
    """(operator, its details) of the plan of a statement."""
    statement = query("cypher", name)
    wanted = dict.fromkeys(re.findall(r"\$input\.(\w+)", statement))
    counts = {key: 10 for key in wanted if key in ("limit", "candidates", "n")}
    with driver.session() as session:  # type: ignore[attr-defined]
        plan = session.run("EXPLAIN " + statement, {"input": {**wanted, **counts}}).consume().plan
    return [(node["operatorType"].partition("@")[0], node["args"].get("Details", "")) for node in nodes(plan)]


def nodes(plan: dict[str, object]) -> Iterator[dict[str, dict[str, str]]]:
    yield plan  # type: ignore[misc]
    for child in plan.get("children", []):  # type: ignore[attr-defined]
        yield from nodes(child)


@pytest.mark.neo4j
@pytest.mark.parametrize("name", [name for name in NAMES if not query("cypher", name).startswith("SHOW")])
def test_a_statement_is_taken_and_does_not_scan(driver: object, prepared: None, name: str) -> None:
    if name in SINCE_2026_02 and not filters_in_index(driver):
        pytest.skip("this server's vector indexes know no groups; it is asked by the statements that end in _5")
    plan = operators(driver, name)

    scans = [details for operator, details in plan if "Scan" in operator]
    assert plan
    assert not scans or name in READS_ALL_OF_A_LABEL


@pytest.mark.neo4j
@pytest.mark.parametrize("name", LED_BY)
def test_a_statement_is_led_by_the_index_that_is_made_for_it(driver: object, prepared: None, name: str) -> None:
    seeks = [details for operator, details in operators(driver, name) if "Seek" in operator]

    for index in LED_BY[name]:
        assert any(index in details for details in seeks), (index, seeks)


@pytest.mark.neo4j
@pytest.mark.parametrize("name", sorted(IN_INDEX_ORDER))
def test_a_page_is_read_in_the_order_of_its_index(driver: object, prepared: None, name: str) -> None:
    assert not [operator for operator, _ in operators(driver, name) if operator in ("Sort", "Top", "PartialTop")]


# While there is one fact, the planner takes reading a whole index for as cheap as a seek; it keeps the plan when there are more.
@pytest.mark.neo4j
@pytest.mark.parametrize("name", ["lock_group", "commit", "read_timelines"])
def test_a_commit_seeks_from_the_first_fact_on(neo4j_server: str, driver: object, name: str) -> None:
    plan_anew(neo4j_server, driver, facts=1)

    plan = operators(driver, name)

    assert [details for operator, details in plan if "Seek" in operator]
    assert [details for operator, details in plan if "Scan" in operator] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_has_one_parameter_and_fixed_names(name: str) -> None:
    statement = query("cypher", name)

    assert set(re.findall(r"\$(\w+)", statement)) <= {"input"}
    # Labels, types and indexes are written out; a name in a variable would be text of a user in the language of the server.
    assert not re.search(r"[(\[]\w*:\$|USING INDEX (SEEK )?\w*:\$", statement)
    assert not [line for line in statement.splitlines() if ";" in line and not line.startswith("//")]


def test_every_file_of_statements_is_used() -> None:
    sources = [path.read_text(encoding="utf-8") for path in FOLDER.parent.glob("graphmem/stores/neo4j*.py")]
    text = "\n".join(sources)

    made_of_parts = re.compile(
        r"(page|last|erase|erase_group|forget|put|scan|sweep_group|nearest|unembedded|vector_tokens_of|vectors_of)_\w+"
    )
    unused = [name for name in NAMES if f'"{name}"' not in text and not made_of_parts.fullmatch(name)]
    assert unused == []
