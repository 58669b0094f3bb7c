"""Both stores and the oracle side by side: every answer, refusal and digest of Neo4j is that of SQLite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from graphmem.ports import Store
from graphmem.stores import open_store
from tests.contract.test_state_machine import StoreMachine
from tests.contract.test_vector_machine import VectorMachine
from tests.neo4j_server.database import empty

pytestmark = pytest.mark.neo4j

EXAMPLES = int(os.environ.get("GRAPHMEM_TEST_NEO4J_EXAMPLES", "2"))


@pytest.fixture(params=[StoreMachine, VectorMachine])
def machine(request: pytest.FixtureRequest, neo4j_server: str) -> Iterator[type[StoreMachine]]:
    class SideBySide(request.param):  # type: ignore[name-defined, misc]
        def open_stores(self) -> list[Store]:
            if not hasattr(self, "oracle"):
                empty(neo4j_server)
            return [open_store(str(Path(self._folder.name) / "memory.db")), open_store(neo4j_server)]

    yield SideBySide
    empty(neo4j_server)


# A failure is not shrunk: each attempt talks to the server for seconds. The machines of SQLite alone do that quicker.
def test_both_stores_answer_alike_whatever_is_done(machine: type[StoreMachine]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=25,
            deadline=None,
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
