"""Fixtures that every folder of tests may use."""

from __future__ import annotations

import os

from hypothesis import settings

from tests.neo4j_server.fixtures import emptied, neo4j_server, neo4j_url

__all__ = ["emptied", "neo4j_server", "neo4j_url"]

# The same examples at every run, so that a failure is of the change at hand; `make soak` looks further.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("searching", derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("GRAPHMEM_HYPOTHESIS_PROFILE", "repeatable"))
