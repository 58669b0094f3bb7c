"""Of two turns with unlike values of one kind, the one that tells of a change stands before the older one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from graphmem.model import Episode
from graphmem.ports import ItemKey, SearchTarget, Turn
from graphmem.retrieve.fusion import Ranked
from graphmem.retrieve.recipes import Recipe
from graphmem.retrieve.renewal import renewed_first, renews
from graphmem.retrieve.talk import Talk

RECIPE = Recipe(name="bare", lanes={}, renewed_share=0.3)
OLD, NEW = "I am meeting Dora at 3 pm.", "Dora moved our meeting to 4:30 pm."


def ranked(said: Sequence[tuple[int, str, float]], question: str, recipe: Recipe = RECIPE) -> list[str]:
    """The texts in the order in which they are found; each with when it was said and its score."""
    hits = [Ranked(ItemKey("g", SearchTarget.EPISODE, text), score) for _, text, score in said]
    turns = {
        hit.key: Turn(Episode(episode_id=text, group_id="g", text=text, said_at=at, learned_at=at), None, None)
        for hit, (at, text, _) in zip(hits, said, strict=True)
    }
    found = renewed_first(recipe, Talk(turns=turns), question, hits)
    assert [hit.score for hit in found] == [score for _, _, score in said]
    return [hit.key.item_id for hit in found]


def test_what_renews_a_value_stands_just_before_the_older_one() -> None:
    said = [(5, "Dora is kind.", 0.9), (1, OLD, 0.8), (2, "Dora sings.", 0.7), (3, NEW, 0.6)]
    assert ranked(said, "When is the meeting with Dora?") == ["Dora is kind.", NEW, OLD, "Dora sings."]


def test_an_older_turn_that_scores_far_higher_stays_before_its_renewal() -> None:
    said = [(1, OLD, 0.9), (3, NEW, 0.5)]
    assert ranked(said, "When is the meeting with Dora?") == [OLD, NEW]
    assert ranked(said, "When is the meeting with Dora?", replace(RECIPE, renewed_share=0.5)) == [NEW, OLD]


def test_the_older_of_two_changes_stays_behind() -> None:
    said = [(3, NEW, 0.9), (1, "Meeting Dora is at 3 pm now.", 0.8)]
    assert ranked(said, "When is the meeting with Dora?") == [NEW, "Meeting Dora is at 3 pm now."]


@pytest.mark.parametrize("question", ["When was the meeting with Dora?", "When did we plan to meet Dora at first?"])
def test_of_the_past_nothing_is_renewed(question: str) -> None:
    assert ranked([(1, OLD, 0.8), (3, NEW, 0.7)], question) == [OLD, NEW]


def test_without_the_share_nothing_is_renewed() -> None:
    said = [(1, OLD, 0.8), (3, NEW, 0.7)]
    assert ranked(said, "When is the meeting?", replace(RECIPE, renewed_share=0.0)) == [OLD, NEW]


def test_turns_that_share_no_two_words_of_the_question_renew_nothing() -> None:
    other = "Dora moved her lesson to 4:30 pm."
    assert ranked([(1, OLD, 0.8), (3, other, 0.7)], "When is the meeting with Dora?") == [OLD, other]
    assert ranked([(1, OLD, 0.8), (3, other, 0.7)], "When is Dora coming?") == [OLD, other]
    assert ranked([(1, OLD, 0.8), (3, other, 0.7)], "What is Dora up to?") == [other, OLD]


def test_only_the_best_few_are_compared() -> None:
    said = [(1, OLD, 0.8), *((9, f"Dora has cat {name}.", 0.75) for name in "ABCDE"), (3, NEW, 0.7)]
    assert ranked(said, "When is the meeting with Dora?") == [text for _, text, _ in said]


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The budget was raised to $6,200.", "I have a budget of $5,000."),
        ("My score increased to 95%.", "My score is 90 percent."),
        ("It is now due on April 5.", "It is due on 1 April."),
        ("They shortened it to 5-7 months.", "It takes 6-9 months."),
        ("I have 12 new books already.", "I own 9 books."),
        ("We switched to Thursday.", "We train on Mondays, and on Tuesday too."),
    ],
)
def test_money_shares_dates_weekdays_and_counts_are_renewed(newer: str, older: str) -> None:
    assert renews(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The budget is $6,200.", "I have a budget of $5,000."),  # no word of change
        ("It was raised to $5,000 again.", "I have a budget of $5,000."),  # the same value
        ("I now own 9 books.", "I own 4 cats."),  # other things counted
        ("Now it is nice.", "I own 4 cats."),  # no value
        ("word " * 100 + "now $6", "It costs $5."),  # far behind the beginning
    ],
)
def test_other_texts_renew_nothing(newer: str, older: str) -> None:
    assert not renews(newer, older)
