"""What `ask` shows where it has no exact answer: what a search finds nearest, flagged, never as the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.inference.scripted import HashingEmbedder
from graphmem.memory import Memory
from graphmem.retrieve.query import Answer
from tests.clocks import CountedIds, SetClock, day

FLAG = "Nearest found by search, which may not answer it: "


@pytest.fixture
def clock() -> SetClock:
    return SetClock(day("2025-02-10"))


@pytest.fixture(params=["words", "vectors"])
async def alice(request: pytest.FixtureRequest, clock: SetClock) -> AsyncIterator[Memory]:
    """A memory that is searched by words alone, and one that is searched by vectors too."""
    embedder = HashingEmbedder(dimension=512) if request.param == "vectors" else None
    async with await Memory.open(":memory:", clock=clock, ids=CountedIds(), embedder=embedder) as memory:
        await memory.add_episode("I work at Acme. The coffee at Acme is terrible.", speaker="Alice")
        clock.set(day("2026-06-03"))
        await memory.add_episode("I joined Globex in May.", speaker="Alice")
        await memory.add_episode("The coffee at Acme is free now.", speaker="mail", trusted=False)
        await memory.add_episode("The coffee at Acme is a secret.", speaker="Zoe", group_id="other")
        yield memory


def shown(answer: Answer) -> set[str]:
    return {fact.text for fact in answer.nearby_facts} | {turn.text for turn in answer.nearby_turns}


async def test_a_question_that_cannot_be_read_exactly_shows_the_nearest_turns_and_facts(alice: Memory) -> None:
    answer = await alice.ask("What is the coffee at Acme like?")

    assert (answer.is_known, answer.values, answer.facts) == (False, (), ())
    assert "I work at Acme. The coffee at Acme is terrible." in shown(answer)
    assert answer.text.startswith("Not known")
    assert FLAG in answer.text
    assert "Alice on 10 February 2025: “I work at Acme. The coffee at Acme is terrible”" in answer.nearest


async def test_facts_are_shown_with_their_dates(alice: Memory) -> None:
    answer = await alice.ask("What is the mood at Globex?")

    assert not answer.is_known
    assert "Alice works at Globex (since May 2026)" in answer.nearest


async def test_what_is_known_exactly_has_nothing_beside_it(alice: Memory) -> None:
    answer = await alice.ask("Where does Alice work?")

    assert answer.values == ("Globex",)
    assert (answer.nearby_facts, answer.nearby_turns) == ((), ())
    assert FLAG not in answer.text


async def test_what_is_near_to_nothing_shows_nothing(alice: Memory) -> None:
    answer = await alice.ask("How do quantum chromodynamics lattices converge?")

    assert (answer.is_known, shown(answer)) == (False, set())
    assert FLAG not in answer.text


async def test_nothing_is_shown_that_was_learned_later_or_elsewhere_or_from_an_untrusted_channel(alice: Memory) -> None:
    before = await alice.ask("What is the coffee at Globex and Acme like?", known_at=day("2025-12-31"))
    now = await alice.ask("What is the coffee at Globex and Acme like?")

    assert not any("Globex" in text for text in shown(before))
    assert not any("free" in text or "secret" in text for text in shown(before) | shown(now))


async def test_the_words_of_a_question_say_as_of_when(alice: Memory) -> None:
    answer = await alice.ask("What did we believe on 31 December 2025 about the coffee and Globex?")
    assert not any("Globex" in text for text in shown(answer))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from("who what where coffee acme globex alice works at in the not 2026 ?".split()), max_size=8)
)
async def test_what_is_not_known_has_no_values(alice: Memory, words: list[str]) -> None:
    answer = await alice.ask(" ".join(words))
    assert answer.is_known == bool(answer.values)
    assert answer.is_known or not answer.facts
    assert not (answer.is_known and (answer.nearby_facts or answer.nearby_turns))
