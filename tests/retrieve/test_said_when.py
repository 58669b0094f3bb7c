"""Turns said in the time that a question names come to the front, the less the farther from it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphmem.errors import InvalidTime
from graphmem.inference.scripted import HashingEmbedder
from graphmem.memory import Memory
from graphmem.model import Episode
from graphmem.ports import ItemKey, SearchTarget, Turn
from graphmem.retrieve.recipes import Recipe
from graphmem.retrieve.said_when import time_named, with_time
from graphmem.retrieve.talk import Talk
from graphmem.timeline.instants import to_instant

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
RECIPE = Recipe(name="bare", lanes={}, time_share=0.28)


def day(day: int, month: int = 11) -> int:
    return to_instant(datetime(2026, month, day, tzinfo=UTC))


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did I buy 10 days ago?", (day(20), day(21))),
        ("Who came in October?", (day(1, 10), day(1))),
        ("What did I buy?", None),
        ("What have I read this year?", None),  # too long
        ("What am I reading now?", None),  # no day
        ("How many days ago did I meet Dora?", None),
    ],
)
def test_a_question_may_name_the_days_it_is_about(question: str, named: tuple[int, int] | None) -> None:
    assert time_named(question, NOW) == named


def test_days_are_counted_in_the_zone_of_the_asker() -> None:
    with pytest.raises(InvalidTime):
        time_named("What did I buy yesterday?", datetime(2026, 11, 30, 9))  # noqa: DTZ001


def test_the_share_fades_over_two_weeks_before_and_after() -> None:
    days = [day(31, 10), day(4), day(11), day(18), day(19), day(26), day(3, 12)]
    turns = {
        ItemKey("g", SearchTarget.EPISODE, str(at)): Turn(
            Episode(episode_id=str(at), group_id="g", text="", said_at=at, learned_at=at), None, None
        )
        for at in days
    }
    fact = ItemKey("g", SearchTarget.FACT, "f")
    scores = dict.fromkeys([*turns, fact], 0.5)
    found = with_time(RECIPE, Talk(turns=turns), (day(18), day(19)), scores)

    gains = [found[key] - 0.5 for key in scores]
    assert gains == pytest.approx([0, 0, 0.14, 0.28, 0.28, 0.14, 0, 0])


def test_without_a_time_or_a_share_scores_stay() -> None:
    scores = {ItemKey("g", SearchTarget.EPISODE, "t"): 0.5}
    assert with_time(RECIPE, Talk(turns={}), None, scores) == scores
    assert with_time(Recipe(name="none", lanes={}), Talk(turns={}), (day(1), day(2)), scores) == scores


async def test_a_search_counts_time_words_from_when_it_is_asked() -> None:
    async with await Memory.open(":memory:", embedder=HashingEmbedder()) as memory:
        for days in (3, 10, 40):
            said_at = NOW - timedelta(days=days)
            await memory.add_episode("I bought a kitchen thing.", episode_id=f"{days}", said_at=said_at)

        async def first(text: str, asked_at: datetime) -> str:
            found = await memory.search(text, targets=[SearchTarget.EPISODE], asked_at=asked_at)
            return found[0].item_id

        assert await first("Which kitchen thing did I buy 10 days ago?", NOW) == "10"
        assert await first("Which kitchen thing did I buy 3 days ago?", NOW) == "3"
        assert await first("Which kitchen thing did I buy 10 days ago?", NOW - timedelta(days=30)) == "40"


async def test_a_moment_without_a_zone_is_refused_by_every_recipe() -> None:
    async with await Memory.open(":memory:") as memory:
        for recipe in ("words", "full"):
            with pytest.raises(InvalidTime):
                await memory.search("tea", recipe=recipe, asked_at=datetime(2026, 11, 30))  # noqa: DTZ001
