"""Questions in the first person are about the one who asks."""

from __future__ import annotations

import doctest

import pytest

from graphmem import Memory
from graphmem.retrieve import first_person
from graphmem.retrieve.first_person import in_third_person


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Where do I live?", "Where do Ann live?"),
        ("Am I still at Acme?", "is Ann still at Acme?"),
        ("Which bank have I been with since I'm in Hull?", "Which bank have Ann been with since Ann is in Hull?"),
        ("Who is my boss?", "Who is Ann's boss?"),
        ("Remind me who teaches me.", "Remind me who teaches Ann."),
        ("Where did I think Ben lived?", "Where did I think Ben lived?"),
        ("As I knew it in May, who was my boss?", "As I knew it in May, who was Ann's boss?"),
        ("Who is Imre?", "Who is Imre?"),
    ],
)
def test_the_first_person_is_the_asker_where_a_fact_is_asked_for(question: str, meant: str) -> None:
    assert in_third_person(question, "Ann") == meant


def test_the_example_of_the_module_holds() -> None:
    assert doctest.testmod(first_person).failed == 0


async def test_i_is_whoever_asks() -> None:
    async with await Memory.open(":memory:") as memory:
        await memory.add_episode("I work at Acme.", speaker="Ann")
        await memory.add_episode("I work at Globex.", speaker="Ben")
        assert (await memory.ask("Where do I work?", asker="Ann")).values == ("Acme",)
        assert (await memory.ask("Where do I work?", asker="Ben")).values == ("Globex",)
        assert not (await memory.ask("Where do I work?")).is_known
