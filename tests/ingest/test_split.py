"""Long texts are read in parts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphmem.ingest.split import parts_of


@given(st.text(alphabet="ab .\n:", max_size=400), st.integers(5, 60))
def test_parts_put_together_are_the_text_and_none_is_too_long(text: str, longest: int) -> None:
    parts = list(parts_of(text, longest))
    assert "".join(part for _, part in parts) == text
    assert all(len(part) <= longest for _, part in parts)
    assert all(text[offset : offset + len(part)] == part for offset, part in parts)


def test_a_text_is_cut_between_sentences_where_there_are_any() -> None:
    assert [p for _, p in parts_of("Ann came. Bob left. Cid stayed.", 21)] == ["Ann came. Bob left. ", "Cid stayed."]


def test_one_endless_word_is_cut_all_the_same() -> None:
    assert sum(len(p) for _, p in parts_of("x" * 100_000, 6_000)) == 100_000
