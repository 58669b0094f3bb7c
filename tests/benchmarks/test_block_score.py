"""Whether a fact block holds an answer, as the benchmark counts it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from benchmarks.stories.answer_score import Reply
from benchmarks.stories.block_score import score_block
from benchmarks.stories.loading import StoryQuestion
from graphmem import BlockFact, BlockTurn, FactBlock

TURN = BlockTurn(ref="t1", said="2 May 2026", speaker="Ann", text="Ravel's leading it, 12 people by now.")
FACT = BlockFact(ref="f1", entity="Ann", text="Ann works at Norrsken Foods", when="since early May 2026")
BLOCK = FactBlock(
    stable="",
    turn="Ann works at Norrsken Foods since early May 2026\n2 May 2026 | Ann | Ravel's leading it, 12 people by now.",
    tokens=30,
    lines=(FACT,),
    turns=(TURN,),
)


def question(*answers: tuple[str, ...], type: str = "current") -> StoryQuestion:
    return StoryQuestion(
        n=0,
        text="?",
        asked_at=datetime(2026, 6, 1, tzinfo=UTC),
        type=type,
        valid=None,
        known_at=None,
        answers=answers,
        granule=None,
        durations=(),
        probe=None,
    )


@pytest.mark.parametrize(
    ("asked", "is_held"),
    [
        (question(("Norrsken Foods", "Norrsken")), True),
        (question(("the norrsken",)), True),
        (question(("Norr",)), False),
        (question(("Norrsken",), ("Ravel",)), True),
        (question(("Norrsken",), ("Acme",)), False),
        (question(("2026-05", "early May 2026")), True),
        (question(("2",)), False),  # stands in a date only
        (question(("12",)), True),
        (question(("12",), type="count"), False),
    ],
)
def test_a_block_holds_an_answer_when_an_alias_of_every_item_stands_in_it(asked: StoryQuestion, is_held: bool) -> None:
    assert score_block(asked, BLOCK, Reply(), ()).is_held is is_held


def test_a_right_answer_line_is_held_whatever_its_spelling() -> None:
    assert score_block(question(("2",), type="count"), BLOCK, Reply(values=("2",)), ()).is_held
