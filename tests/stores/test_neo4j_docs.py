"""What the README and docs/neo4j.md say of Neo4j: commands that exist, queries that answer what the page shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from graphmem.stores.neo4j_settings import neo4j_settings
from tests.cli.calls import graphmem_in
from tests.documents import ROOT, blocks_of
from tests.neo4j_server.maven import LONG_TERM, NEWEST

neo4j = pytest.importorskip("neo4j", reason="needs the neo4j extra")

PAGE = ROOT / "docs" / "neo4j.md"
COMMAND = re.compile(r"^    ((?:\S+=\S+ )?(?:python3?|docker|graphmem|\.venv/bin/graphmem) .*)$", re.MULTILINE)


def commands_of(name: str) -> list[str]:
    return COMMAND.findall((ROOT / name).read_text(encoding="utf-8"))


def rows_of_the_table() -> list[list[str]]:
    """The cells of the page's table of employers, without its head."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| employer.name |"))
    rows = [line.strip("| ").split(" | ") for line in lines[first + 2 :]]
    return rows[: next(number for number, row in enumerate(rows) if row == [""])]


@pytest.mark.neo4j
def test_the_demo_stays_on_the_server_and_the_page_shows_what_is_there(
    neo4j_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphmem = graphmem_in(monkeypatch)
    told = [graphmem(f"--db {neo4j_url} demo --json") for _ in range(2)]
    answers = [str(row["answer"]).split(" (")[0] for row in json.loads(told[0].out)["rows"]]
    assert answers == ["Acme", "Globex", "Acme", "Oslo", "early May 2026"]
    assert told[0].out == told[1].out

    settings = neo4j_settings(neo4j_url)
    auth = (settings.user, settings.password) if settings.password else None
    queries = [block.text for block in blocks_of(PAGE) if block.language == "cypher"]
    with neo4j.GraphDatabase.driver(settings.url, auth=auth, notifications_min_severity="OFF") as driver:
        employers, at_a_moment, said = ([r.values() for r in driver.execute_query(q).records] for q in queries)
    assert employers == rows_of_the_table()
    assert [[node["name"] for node in path.nodes] for [path] in at_a_moment] == [["Alice", "Acme"]]
    assert said == [["Alice", "2026-06-03T00:00:00.000000Z", "I joined Globex at the start of May."]]


@pytest.mark.parametrize("name", ["README.md", "docs/neo4j.md"])
def test_a_server_is_started_by_commands_that_exist(name: str) -> None:
    commands = commands_of(name)
    with_docker = [command for command in commands if "docker compose" in command]
    without = [command for command in commands if "-m tests.neo4j_server" in command]

    assert with_docker
    assert all("-f docker-compose.neo4j.yml up -d --wait" in command for command in with_docker)
    assert without
    for command in without:
        arguments = command.partition("-m tests.neo4j_server ")[2]
        subprocess.run(
            [sys.executable, "-m", "tests.neo4j_server", *arguments.split(), "--help"],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
    assert any(command.endswith(" demo") and "--db bolt://localhost:7687" in command for command in commands)


def test_the_checks_run_on_both_releases_and_require_a_server() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "export GRAPHMEM_TEST_NEO4J_REQUIRED=1" in script
    assert f"GRAPHMEM_TEST_NEO4J_VERSION={LONG_TERM}" in script
    assert f"Neo4j {NEWEST}" in script
