"""The compose file for users: what the specification allows, and what a server of ours needs.

`compose-spec.json` is schema/compose-spec.json of github.com/compose-spec/compose-spec (commit 170098ba, Apache-2.0).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="needs PyYAML")
jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema")

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.neo4j.yml"
SCHEMA = json.loads((ROOT / "tests" / "neo4j_server" / "compose-spec.json").read_text(encoding="utf-8"))


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return loaded


def faults(compose: dict[str, Any]) -> list[str]:
    return [error.message for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(compose)]


def test_the_file_is_what_the_specification_allows(compose: dict[str, Any]) -> None:
    assert faults(compose) == []
    compose["services"]["neo4j"]["healthchek"] = {}
    assert faults(compose) != []


def test_only_this_machine_reaches_the_ports(compose: dict[str, Any]) -> None:
    assert all(port.startswith("127.0.0.1:") for port in compose["services"]["neo4j"]["ports"])


def test_the_data_outlives_the_container(compose: dict[str, Any]) -> None:
    mounted = dict(volume.split(":") for volume in compose["services"]["neo4j"]["volumes"])

    assert set(mounted) <= set(compose["volumes"])
    assert {"/data", "/logs"} == set(mounted.values())


def test_a_server_that_recovers_is_not_taken_for_dead(compose: dict[str, Any]) -> None:
    check = compose["services"]["neo4j"]["healthcheck"]

    assert int(check["start_period"].removesuffix("s")) >= 120
    assert "cypher-shell" in check["test"][1]


def test_memory_and_the_life_of_the_logs_are_bounded(compose: dict[str, Any]) -> None:
    environment = compose["services"]["neo4j"]["environment"]

    assert environment["NEO4J_server_memory_heap_max__size"] == "1g"
    assert environment["NEO4J_server_memory_pagecache_size"] == "512m"
    assert environment["NEO4J_db_tx__log_rotation_retention__policy"] == "1 days 512M"
    assert "NEO4J_PASSWORD:?" in environment["NEO4J_AUTH"]


def test_docker_reads_the_file() -> None:
    if shutil.which("docker") is None:
        pytest.skip("docker is not installed")
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("docker has no compose plugin")

    read = subprocess.run(
        ["docker", "compose", "-f", str(FILE), "config", "--quiet"],
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "NEO4J_PASSWORD": "long-enough"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert read.returncode == 0, read.stderr
