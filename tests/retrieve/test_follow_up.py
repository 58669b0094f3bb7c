"""Follow-up questions completed by rule, as a table: the turns before, the question, what it stands for."""

from __future__ import annotations

import pytest

from graphmem.retrieve.follow_up import MOST_TURNS, FollowUp, Shift, complete
from tests.clocks import day

ALICE = ("Where does Alice work?", "Alice works at Globex since May 2026.")

COMPLETED = [
    (ALICE, "And before that?", "Where does Alice work?", (Shift.BEFORE,)),
    (ALICE, "and just before then", "Where does Alice work?", (Shift.BEFORE,)),
    (ALICE, "Previously?", "Where does Alice work?", (Shift.BEFORE,)),
    (ALICE, "and after that?", "Where does Alice work?", (Shift.AFTER,)),
    (ALICE, "and then?", "Where does Alice work?", (Shift.AFTER,)),
    ((*ALICE, "And before that?", "Acme."), "and before that?", "Where does Alice work?", (Shift.BEFORE,) * 2),
    ((*ALICE, "And before that?", "Acme."), "and after that?", "Where does Alice work?", (Shift.BEFORE, Shift.AFTER)),
    ((*ALICE, "And before that?", "Acme."), "And Bob?", "Where does Bob work?", ()),
    (ALICE, "What about Bob?", "Where does Bob work?", ()),
    (ALICE, "And Ann Lee's?", "Where does Ann Lee work?", ()),
    (("What is Alice's phone number?",), "and Bob?", "What is Bob's phone number?", ()),
    (("Where do I work?",), "What about Bob?", "Where does Bob work?", ()),
    (("What is my name?",), "and Bob's?", "What is Bob's name?", ()),
    (ALICE, "And in 2019?", "Where does Alice work in 2019?", ()),
    (("Where did Alice work in 2019?",), "and in March?", "Where did Alice work in March?", ()),
    (("Where did Alice work in 2019?",), "And now?", "Where did Alice work now?", ()),
    (ALICE, "Since when?", "Since when Alice works at Globex?", ()),
    (("Where does Alice work?",), "Since when?", "Since when Where does Alice work?", ()),
    (ALICE, "Where does she live?", "Where does Alice live?", ()),
    (ALICE, "What is her phone number?", "What is Alice's phone number?", ()),
    (ALICE, "Who met her in May?", "Who met Alice in May?", ()),
    (("My brother Bob moved.",), "Where does he live?", "Where does Bob live?", ()),
    ((*ALICE, "Shall I look up where Bob lives?"), "Yes, do that.", "Shall I look up where Bob lives?", ()),
    (("I could list Bob's jobs.",), "ok, go ahead", "I could list Bob's jobs.", ()),
]

WHOLE = [
    ((), "And before that?"),
    ((), "What about Bob?"),
    (ALICE, "Where does Carol live?"),
    (ALICE, "Does Carol know where she lives?"),
    (ALICE, "What has changed since March?"),
    (("",), "Where does she live?"),
    (("nobody in particular",), "Where does she live?"),
    (ALICE, ""),
]


@pytest.mark.parametrize(("turns", "question", "meant", "shifts"), COMPLETED, ids=lambda part: str(part)[:40])
def test_a_follow_up_is_completed_from_the_turns_before_it(
    turns: tuple[str, ...], question: str, meant: str, shifts: tuple[Shift, ...]
) -> None:
    found = complete(question, turns, day("2026-06-03"))
    assert found == FollowUp(question=meant, shifts=shifts, is_completed=True)


@pytest.mark.parametrize(("turns", "question"), WHOLE, ids=lambda part: str(part)[:40])
def test_a_question_that_stands_by_itself_stays_as_it_is(turns: tuple[str, ...], question: str) -> None:
    assert complete(question, turns, day("2026-06-03")) == FollowUp(question=question)


def test_one_turn_may_be_given_by_itself() -> None:
    assert complete("And Bob?", "Where does Alice work?", day("2026-06-03")).question == "Where does Bob work?"


def test_turns_long_past_are_not_looked_at() -> None:
    chatter = ("Nice weather.",) * MOST_TURNS
    assert complete("And Bob?", (*ALICE, *chatter), day("2026-06-03")).question == "And Bob?"


def test_a_very_long_turn_takes_no_time() -> None:
    found = complete("And Bob?", ["Where does Alice work? " + "A b " * 200_000 + "?"], day("2026-06-03"))
    assert found.question.startswith("Where does Bob work?")
