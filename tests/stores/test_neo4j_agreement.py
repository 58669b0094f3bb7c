"""The state machine of the contract, driven on Neo4j: every answer, refusal and digest as the oracle's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from graphmem.ports import Store
from graphmem.stores import open_store
from tests.contract.test_state_machine import StoreMachine
from tests.neo4j_server.database import empty

pytestmark = pytest.mark.neo4j

EXAMPLES = int(os.environ.get("GRAPHMEM_TEST_NEO4J_EXAMPLES", "4"))


@pytest.fixture
def machine(neo4j_server: str) -> Iterator[type[StoreMachine]]:
    class Neo4jMachine(StoreMachine):
        def open_store(self) -> Store:
            if not hasattr(self, "oracle"):
                empty(neo4j_server)
            return open_store(neo4j_server)

    yield Neo4jMachine
    empty(neo4j_server)


# A failure is not shrunk: each attempt talks to the server for seconds. The SQLite twin of this machine does that quicker.
def test_neo4j_answers_as_the_oracle_does(machine: type[StoreMachine]) -> None:
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
