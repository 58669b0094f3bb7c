"""The present perfect without a time asks for all there has been."""

from __future__ import annotations

import pytest

from graphmem.retrieve.question_phrases import ASKS_FOR_HISTORY


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Where has Alice worked?", True),
        ("where have the two brothers lived so far", True),
        ("Where has Alice worked since 2020?", False),
        ("Where does Alice work?", False),
        ("Where has the key been put?", False),
    ],
)
def test_where_somebody_has_lived_or_worked_is_a_history(question: str, asks: bool) -> None:
    assert bool(ASKS_FOR_HISTORY.search(question)) is asks
