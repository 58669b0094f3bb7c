"""Terms and name keys: what is found by what."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
import snowballstemmer
from hypothesis import example, given
from hypothesis import strategies as st
from snowballstemmer.porter_stemmer import PorterStemmer

from graphmem.terms import MAX_TERM_LENGTH, indexed_words, name_key, terms


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("cafe\u0301 owner Zoe\u0308", "café Zoë"),
        ("İstanbul office of Straße AG", "istanbul strasse ag"),
        ("\ufb01nance lead is \uff21lice", "finance alice"),
        ("She works in main_py daily", "working main py"),
        ("O'Brien sent it", "obrien"),
        ("Alice's cat", "alice cats"),
        ("東京タワー", "京タ"),
        ("ticket ABC-1234 is open", "abc1234"),
        ("Ali\u200bce works", "alice"),
    ],
)
def test_a_text_is_found_by_other_spellings_of_its_words(text: str, question: str) -> None:
    assert set(terms(question)) <= set(terms(text))


@pytest.fixture
def often_switched() -> Iterator[None]:
    """Threads that give way to one another as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often_switched")
def test_threads_do_not_mix_up_their_words() -> None:
    ends = ("ational", "fulness", "ing", "ization", "edly", "ies", "ness", "s")
    words = ["".join(parts) for parts in product("bcdfghjklm", "aeiou", "npqrstvwxz", ends)]
    shares = [words[start::4] for start in range(4)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda share: [terms(word) for word in share], shares))
    stem = snowballstemmer.stemmer("porter").stemWord
    assert found == [[[stem(word)] for word in share] for share in shares]


def test_characters_of_unspaced_scripts_are_not_found_one_by_one() -> None:
    assert not set(terms("京都")) & set(terms("東京"))


@given(st.text())
def test_every_term_is_letters_and_digits_and_short(text: str) -> None:
    for term in terms(text):
        assert term.isalnum() or all(c.isalnum() or not c.isascii() for c in term)
        assert '"' not in term
        assert " " not in term
        assert 0 < len(term) <= MAX_TERM_LENGTH


@given(st.text())
def test_indexed_words_are_the_terms_in_order(text: str) -> None:
    assert indexed_words(text).split(" ") == (terms(text) or [""])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "alice "),
        ("the Blue Ruin LP", "Blue  Ruin LP"),
        ("Zoë", "Zoe"),
        ("Ali\u200bce", "Alice"),
        ("\uff21lice", "Alice"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SN-2031-041", "SN-2031-042"),
        ("C++", "C#"),
        ("Python 3.11", "Python 3.12"),
        ("\u0410lice", "Alice"),
        ("김서준", "김서진"),
    ],
)
def test_names_that_differ_in_digits_signs_or_script_do_not_share_a_key(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@given(st.text(min_size=1).filter(str.strip))
def test_a_name_with_anything_in_it_has_a_key(name: str) -> None:
    assert name_key(name) or not name.strip()


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=16))
@example("generalizations")
@example("skies")
@example("agreed")
def test_terms_do_not_depend_on_what_is_installed(word: str) -> None:
    quick = pytest.importorskip("Stemmer", reason="PyStemmer is not installed (extra: local)")
    assert quick.Stemmer("porter").stemWord(word) == PorterStemmer().stemWord(word)
