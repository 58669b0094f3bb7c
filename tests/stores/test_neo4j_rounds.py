"""How often in a row a search waits for the server, when nothing else keeps it waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from benchmarks.performance.world import episodes_of, person
from graphmem import Memory
from graphmem.inference.scripted import HashingEmbedder
from graphmem.retrieve.recipes import Lane

pytest.importorskip("neo4j", reason="needs the neo4j extra")

from graphmem.stores.neo4j_connections import Connections

FACTS = 60
QUESTION = f"Where does {person(2)} work?"


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The statements that are read, those asked before any of them is answered together."""
    asked: list[list[str]] = []
    reading = Connections.read
    sent: list[asyncio.Event] = []

    async def send() -> None:
        for _ in range(50):  # until whoever can ask without an answer has asked
            await asyncio.sleep(0)
        sent.pop().set()

    async def read(self: Connections, name: str, **parameters: object) -> Sequence[object]:
        if not sent:
            sent.append(asyncio.Event())
            asked.append([])
            asyncio.get_running_loop().create_task(send())
        asked[-1].append(name)
        await sent[-1].wait()
        return await reading(self, name, **parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(Connections, "read", read)
    return asked


@pytest.mark.neo4j
async def test_a_search_waits_three_times_for_the_server(neo4j_url: str, rounds: list[list[str]]) -> None:
    async with await Memory.open(neo4j_url, embedder=HashingEmbedder()) as memory:
        await memory.add_episodes(list(episodes_of(range(FACTS), facts_an_episode=5, group_id="ann")))
        await memory.reembed()
        await memory.search(QUESTION, group_ids="ann")  # the first one counts, to choose its statements
        rounds.clear()

        found = await memory.search(QUESTION, group_ids="ann")

    assert {rank.lane for hit in found for rank in hit.lanes} == {Lane.KEYWORD, Lane.VECTOR, Lane.WALK, Lane.KEY}
    assert [sorted(names) for names in rounds] == [
        [
            *("count_unembedded_of_groups", "embedding_model", "scan_episodes", "scan_facts"),
            *("search_entities", "search_episodes", "search_facts"),
        ],
        ["edges_around", "edges_by_fact"],
        ["embedding_model", "turns", "vector_tokens_of_episodes", "vector_tokens_of_facts", "versions_by_fact"],
    ]
