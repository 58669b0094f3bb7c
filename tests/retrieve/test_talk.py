"""What a recipe makes of the talk around a turn: replies, sessions, speakers, kinds of statement, and age."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.model import Episode
from graphmem.ports import ItemKey, SearchTarget, Turn
from graphmem.retrieve.asked_for import asks_of_the_present, is_instruction, is_preference, named_speaker
from graphmem.retrieve.fusion import Ranked
from graphmem.retrieve.recipes import Recipe
from graphmem.retrieve.talk import Talk, newest_first, with_shares

BARE = Recipe(name="bare", lanes={})
SAID = [
    ("Ann", "one", "Where did you go?"),
    ("Bob", "one", "To the lake."),
    ("Bob", "one", "It rained."),
    ("Ann", "two", "Always answer in French."),
    ("Bob", "two", "I prefer trains."),
]


def key(number: int) -> ItemKey:
    return ItemKey("g", SearchTarget.EPISODE, f"t{number}")


AROUND = [(None, "t1"), ("t0", "t2"), ("t1", None), (None, "t4"), ("t3", None)]
TURNS = {
    key(at): Turn.of(
        Episode(
            episode_id=f"t{at}",
            group_id="g",
            text=text,
            speaker=who,
            session_id=session,
            said_at=at * 10,
            learned_at=at * 10,
        ),
        *AROUND[at],
    )
    for at, (who, session, text) in enumerate(SAID)
}
TALK = Talk(turns=TURNS)
SCORES = {key(0): 0.9, key(1): 0.1, key(2): 0.1, key(3): 0.1, key(4): 0.1}


def gains(recipe: Recipe, question: str = "What?", words: dict[ItemKey, float] | None = None) -> list[float]:
    """What each turn gains by a recipe."""
    found = with_shares(recipe, TALK, question, SCORES, words or {})
    return [pytest.approx(found[one] - SCORES[one], abs=1e-9) for one in SCORES]


def test_without_shares_nothing_changes() -> None:
    assert gains(BARE) == [0, 0, 0, 0, 0]


def test_a_reply_takes_a_share_of_what_it_replies_to_and_a_second_thought_of_the_same_speaker_does_not() -> None:
    found = with_shares(replace(BARE, share_before=1.0), TALK, "What?", SCORES, {})
    mean = sum(SCORES.values()) / len(SCORES)
    assert found[key(1)] == pytest.approx((0.1 + 0.9) / 2)
    assert found[key(2)] == pytest.approx((0.1 + mean) / 2)


def test_a_reply_takes_over_words_of_its_question() -> None:
    recipe = replace(BARE, word_share=0.5, words_before=0.4, words_after=0.2)
    assert gains(recipe, words={key(0): 1.0}) == [0.5, 0.2, 0, 0, 0]
    assert gains(recipe, words={key(1): 1.0}) == [0.1, 0.5, 0, 0, 0]


def test_a_turn_takes_a_share_of_the_best_of_its_session() -> None:
    assert gains(replace(BARE, session_share=0.1)) == [0.09, 0.09, 0.09, 0.01, 0.01]


def test_what_is_no_turn_stands_in_a_session_of_its_own() -> None:
    fact = ItemKey("g", SearchTarget.FACT, "f1")
    found = with_shares(replace(BARE, session_share=0.5), TALK, "What?", {**SCORES, fact: 0.4}, {})
    assert found[fact] == pytest.approx(0.6)


def test_a_question_that_names_a_speaker_counts_the_turns_of_others_less() -> None:
    recipe = replace(BARE, speaker_share=0.2)
    assert gains(recipe, "Where did Bob go?") == [-0.2, 0, 0, -0.2, 0]
    assert gains(recipe, "Where did Ann and Bob go?") == [0, 0, 0, 0, 0]


def test_instructions_count_for_all_but_the_talk_itself_and_preferences_for_those_that_ask_for_advice() -> None:
    recipe = replace(BARE, instruction_share=0.2, preference_share=0.1)
    assert gains(recipe, "Where is the lake?") == [0, 0, 0, 0.2, 0]
    assert gains(recipe, "In which order did I name the lakes?") == [0, 0, 0, 0, 0]
    assert gains(recipe, "How should I travel?") == [0, 0, 0, 0.2, 0.1]


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("What is my budget?", "210"),
        ("What is my budget now?", "210"),
        ("What was my budget?", "012"),
        ("Which budget did I name first?", "012"),
    ],
)
def test_of_a_question_about_the_present_the_newest_of_near_equals_stands_first(question: str, order: str) -> None:
    hits = [Ranked(key(at), 0.5 - at / 100) for at in range(4)]
    found = newest_first(replace(BARE, newest_share=0.3), TALK, question, hits)

    assert "".join(hit.key.item_id[1:] for hit in found) == f"{order}3"
    assert [hit.score for hit in found] == [hit.score for hit in hits]


def test_a_hit_that_is_far_better_stays_before_a_newer_one() -> None:
    hits = [Ranked(key(0), 0.9), Ranked(key(4), 0.1)]
    assert newest_first(replace(BARE, newest_share=0.3), TALK, "What is my budget?", hits) == hits


@pytest.mark.parametrize(
    "text", ["Always use APA style.", "please never shout", "Give dates when I ask about deadlines."]
)
def test_standing_instructions_are_known_by_their_words(text: str) -> None:
    assert is_instruction(text)


@pytest.mark.parametrize(
    "text",
    ["I always go by train.", "He never came.", "When I was young …", "Never been there.", "Always good to hear!"],
)
def test_a_habit_is_no_instruction(text: str) -> None:
    assert not is_instruction(text)


def test_preferences_are_known_by_their_words() -> None:
    assert is_preference("So I'd rather walk.")
    assert not is_preference("Do you like tea?")


def test_whole_and_first_names_name_a_speaker_and_roles_do_not() -> None:
    assert named_speaker("What does Ann paint?", ["Ann Lee", "Bob"]) == "Ann Lee"
    assert named_speaker("What does the annual report say?", ["Ann Lee"]) is None
    assert named_speaker("What may a user do?", ["user", "assistant"]) is None


def test_a_question_about_the_past_is_none_about_the_present() -> None:
    assert asks_of_the_present("How many books have I read?")
    assert not asks_of_the_present("How many books had I read?")
    assert asks_of_the_present("What time should I leave?")
    assert asks_of_the_present("When is the first sprint due?")
    assert not asks_of_the_present("Which is due first?")
