"""Names are found in a question whole, in part and nearly spelled, and nothing else is."""

from __future__ import annotations

import pytest

from graphmem.model import Name
from graphmem.retrieve.name_spotting import Match, NameIndex
from graphmem.retrieve.question_words import cut_words
from graphmem.terms import name_key


def spot(text: str, *names: str) -> list[tuple[str, ...]]:
    index = NameIndex(Name(group_id="g", key=name_key(n), entity_id=n, spelling=n) for n in names)
    return [mention.entity_ids for mention in index.spot(cut_words(text))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Where does Mara work?", "Mara Lindqvist"),
        ("where does mara lindqvist work?", "Mara Lindqvist"),
        ("What is Mara's job?", "Mara Lindqvist"),
        ("Who has the laptop?", "field laptop"),
        ("Who repairs the keypads?", "keypad 12"),
        ("Where does Zoe live?", "Zoë"),
        ("Who runs the Blue Ruin LP?", "The Blue Ruin LP"),
        ("What was the address before the Myrsky one?", "p.laine@myrsky.example"),
        ("Who had CASE-9120 then?", "CASE-9120"),
        ("When was it opened?", "open"),
        ("Where does Mara Lindquist work?", "Mara Lindqvist"),
    ],
)
def test_a_name_is_found(text: str, name: str) -> None:
    assert spot(text, name) == [(name,)]


def test_a_longer_name_wins_over_its_part() -> None:
    assert spot("Where does Little Eirik live?", "Eirik", "Little Eirik") == [("Little Eirik",)]


def test_a_part_shared_by_two_names_is_ambiguous() -> None:
    assert spot("Where does Clara live?", "Clara Ripoll", "Clara Benítez") == [("Clara Ripoll", "Clara Benítez")]


def test_the_exact_word_wins_over_one_of_the_same_stem() -> None:
    assert spot("How much was the refund?", "refund", "refunded") == [("refund",)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Which firmware does node-9 run?", "node-7"),
        ("Where is keypad 9?", "keypad 12"),
        ("Which team is Kim on?", "platform team"),
        ("What is on the desk?", "On Holiday"),
        ("Where is CASE-9121?", "CASE-9120"),
        ("When did Mara Jensen leave?", "Mara Lindqvist"),
    ],
)
def test_another_thing_is_not_taken_for_the_name(text: str, name: str) -> None:
    assert spot(text, name) == []


def test_a_near_spelling_counts_as_near() -> None:
    index = NameIndex([Name(group_id="g", key="x", entity_id="x", spelling="Mara Lindqvist")])
    [mention] = index.spot(cut_words("Where does Lindquist work?"))
    assert mention.match is Match.NEAR
