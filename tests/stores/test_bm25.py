"""BM25: what a term weighs in a text, and how rare it is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphmem.stores.bm25 import rarity, term_weights

lengths = st.integers(1, 10_000)
averages = st.floats(1, 1_000)


def weight(count: int, length: int, average: float) -> float:
    return float(term_weights(np.array([count]), np.array([length]), average)[0])


def test_a_word_that_stands_once_in_a_text_of_average_length_weighs_one() -> None:
    assert weight(1, 12, 12.0) == 1.0


@given(count=st.integers(1, 500), length=lengths, average=averages)
def test_more_of_a_word_weighs_more_and_a_longer_text_makes_it_weigh_less(
    count: int, length: int, average: float
) -> None:
    assert 0 < weight(count, length, average) < weight(count + 1, length, average) < 2.2
    assert weight(count, length + 1, average) < weight(count, length, average)


@given(texts=st.integers(1, 10_000), holding=st.integers(0, 10_000))
def test_a_rarer_word_is_never_worth_less_and_the_commonest_is_worth_something(texts: int, holding: int) -> None:
    assert rarity(texts, holding) >= rarity(texts, holding + 1) >= 0.01
    assert rarity(texts + 1, holding) >= rarity(texts, holding)
