"""Questions about what was: by yes or no, before what is now, and about times that are not named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from graphmem import Memory
from graphmem.errors import InvalidQuery
from graphmem.retrieve.query import Position, Query, Slot

TOLD = (
    ("Alice works at Acme since January 2024.", datetime(2024, 2, 1, tzinfo=UTC)),
    ("Alice moved to Oslo in March 2025.", datetime(2025, 4, 1, tzinfo=UTC)),
    ("Alice joined Globex in May 2026.", datetime(2026, 5, 20, tzinfo=UTC)),
    ("Carol works at Initech since 2020.", datetime(2026, 5, 21, tzinfo=UTC)),
)
ASKED = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    async with await Memory.open(":memory:") as opened:
        for text, said_at in TOLD:
            await opened.add_episode(text, speaker="Bob", said_at=said_at)
        yield opened


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Did Alice work at Acme?", "yes"),
        ("Was Alice employed by Acme?", "yes"),
        ("Has Alice ever worked at Acme?", "yes"),
        ("Did Alice work at Acme before?", "yes"),
        ("Has Alice been working at Acme?", "no"),
        ("Did Alice still work at Acme?", "no"),
        ("Does Alice work at Acme?", "no"),
        ("Did Alice work at Acme in 2025?", "yes"),
        ("Did Alice work at Globex in 2025?", "no"),
        ("Did Alice leave Acme?", "yes"),
        ("Has Alice left Acme?", "yes"),
        ("Did Alice leave Acme in 2025?", "no"),
        ("Did Alice leave Globex?", "no"),
        ("Did Alice join Globex in May 2026?", "yes"),
        ("Did Alice join Globex in 2025?", "no"),
        ("Did Alice move to Oslo in March 2025?", "yes"),
        ("Did Alice move to Oslo in 2026?", "no"),
        ("Did Alice ever work at Initech?", None),
        ("Did Alice join Initech?", None),
        ("Does Alice work at Initech?", "no"),
    ],
)
async def test_yes_or_no(memory: Memory, question: str, verdict: str | None) -> None:
    answer = await memory.ask(question, asked_at=ASKED)
    assert (answer.values[0] if answer.is_known else None) == verdict


@pytest.mark.parametrize(
    ("question", "month", "verdict"),
    [
        ("Has Alice left Acme?", 4, "no"),
        ("Has Alice left Acme?", 6, "yes"),
        ("Did Alice join Globex?", 4, "no"),
        ("Did Alice join Globex?", 6, "yes"),
    ],
)
async def test_an_edge_asked_of_a_moment_lies_before_it(
    memory: Memory, question: str, month: int, verdict: str
) -> None:
    answer = await memory.ask(question, asked_at=ASKED, at=datetime(2026, month, 1, tzinfo=UTC))
    assert answer.values == (verdict,)


async def test_what_was_before_an_edge_is_what_held_then(memory: Memory) -> None:
    turns = ("Did Alice leave Acme?", "Yes.")
    found = await memory.context("And before that?", recent_turns=turns, asked_at=ASKED)
    assert found.answer is not None
    assert found.answer.query is not None
    assert found.answer.query.edge is None


@pytest.mark.parametrize(
    "question",
    [
        "Where did Alice work before?",
        "Where did Alice work previously?",
        "Where did Alice previously work?",
        "Where did Alice work earlier?",
        "Where did Alice work beforehand?",
        "What was Alice's previous employer?",
    ],
)
async def test_what_was_before_what_is(memory: Memory, question: str) -> None:
    assert (await memory.ask(question, asked_at=ASKED)).values == ("Acme",)


@pytest.mark.parametrize(
    "when", ["before that", "after that", "then", "back then", "at that time", "until then", "since then"]
)
async def test_a_time_that_nobody_named_is_not_guessed(memory: Memory, when: str) -> None:
    answer = await memory.ask(f"Where did Alice work {when}?", asked_at=ASKED)

    assert not answer.is_known
    assert "Name the time" in answer.text
    found = await memory.context(f"Where did Alice work {when}?", asked_at=ASKED)
    assert found.answer is None


async def test_the_time_may_be_named_beside_it_or_by_a_clause(memory: Memory) -> None:
    assert (await memory.ask("Where did Alice work in 2025, back then?", asked_at=ASKED)).values == ("Acme",)
    asked = "Where did Alice work on 3 May 2026, as far as we knew then?"
    assert (await memory.ask(asked, asked_at=ASKED)).query is not None
    asked = "When Alice moved to Oslo, where did Alice work then?"
    assert (await memory.ask(asked, asked_at=ASKED)).values == ("Acme",)


def test_an_edge_is_a_beginning_or_an_end() -> None:
    for edge in (Position.START, Position.END):
        Query(slot=Slot.YES_NO, group_ids=("g",), asked_at=ASKED, subjects=("e",), edge=edge)
    with pytest.raises(InvalidQuery, match="edge"):
        Query(slot=Slot.YES_NO, group_ids=("g",), asked_at=ASKED, subjects=("e",), edge=Position.DURING)
