"""What goes over a connection, and what is left behind beside it."""

from __future__ import annotations

import logging

import pytest

from graphmem.stores import open_store
from tests.contract.build import told

pytestmark = pytest.mark.neo4j


# The driver writes every parameter out for a line of its log, also where nobody logs: nine tenths of the time of sending vectors.
async def test_what_is_told_is_never_written_out_for_the_log_of_the_driver(
    neo4j_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "neo4j")
    store = open_store(neo4j_url)
    one = told(1, "Rumpelstiltskin", tau=1)
    await store.ensure_schema()
    await store.accept([one.episode], 1)
    await store.commit([one.changes])
    await store.close()

    assert any("C: RUN" in message for message in caplog.messages)
    assert not any("Rumpelstiltskin" in message for message in caplog.messages)
