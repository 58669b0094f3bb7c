"""Instants as text: they keep their order, and every one comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.stores.neo4j_times import NEVER, OPEN, UNDATED, bound_text, instant_of, instant_text
from graphmem.timeline.instants import MAX, MIN

instants = st.integers(MIN, MAX)


@given(instants, instants)
def test_texts_are_ordered_as_their_instants(one: int, other: int) -> None:
    assert (instant_text(one) < instant_text(other)) == (one < other)
    assert len(instant_text(one)) == len(NEVER) == len(OPEN) == 27


@given(instants)
def test_an_instant_comes_back_from_its_text(instant: int) -> None:
    assert instant_of(instant_text(instant)) == instant


@given(instants)
def test_bounds_beyond_all_time_lie_beyond_every_text(instant: int) -> None:
    assert bound_text(MIN - 1) < instant_text(instant) < bound_text(MAX + 1) < UNDATED


@pytest.mark.parametrize("instant", [MIN, -1, 0, MAX])
def test_a_bound_within_time_is_the_text_of_its_instant(instant: int) -> None:
    assert bound_text(instant) == instant_text(instant)
