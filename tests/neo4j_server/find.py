"""The server that the tests use: one that is named, one in Docker, one from Maven artifacts, in this order."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.neo4j_server.maven import NEWEST, MavenServer, free_port, missing_tool

__all__ = ["NoServer", "asked_version", "running_server"]

_URL = "GRAPHMEM_TEST_NEO4J_URL"
_VERSION = "GRAPHMEM_TEST_NEO4J_VERSION"
_PASSWORD = "graphmem-tests"


class NoServer(Exception):
    """No server could be had; the message says why, for each way."""


def asked_version() -> str:
    """The release that a server is started of: the newest known, or what the environment says."""
    return os.environ.get(_VERSION, NEWEST)


@contextmanager
def running_server() -> Iterator[str]:
    """The URL of a server that runs until the block ends. Everything graphmem keeps there is deleted by the tests."""
    if os.environ.get(_URL):
        yield os.environ[_URL]
        return
    version = asked_version()
    if _has_docker():
        with _in_docker(version) as url:
            yield url
        return
    if missing := missing_tool(version):
        raise NoServer(f"{_URL} is not set, no Docker engine runs, and {missing}")
    with _from_maven(version) as url:
        yield url


def _has_docker() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


@contextmanager
def _in_docker(version: str) -> Iterator[str]:
    from testcontainers.neo4j import Neo4jContainer

    with Neo4jContainer(f"neo4j:{version}", password=_PASSWORD) as container:
        host, port = container.get_container_host_ip(), container.get_exposed_port(7687)
        yield f"bolt://neo4j:{_PASSWORD}@{host}:{port}"


@contextmanager
def _from_maven(version: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="graphmem-neo4j-") as folder:
        server = MavenServer(
            home=Path(folder),
            version=version,
            bolt_port=free_port(),
            http_port=free_port(),
            password=_PASSWORD,
            heap="512m",
            page_cache="256m",
            is_short_lived=True,
        )
        server.start()
        try:
            yield f"bolt://neo4j:{_PASSWORD}@127.0.0.1:{server.bolt_port}"
        finally:
            server.stop()
