"""Fixtures that every folder of tests may use."""

from __future__ import annotations

from tests.neo4j_server.fixtures import neo4j_server, neo4j_url

__all__ = ["neo4j_server", "neo4j_url"]
