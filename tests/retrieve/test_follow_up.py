"""Follow-up questions completed by rule, as a table: the turns before, the question, what it stands for."""

from __future__ import annotations

import pytest

from graphmem.retrieve.follow_up import MOST_TURNS, FollowUp, Shift, TimeOf, complete
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
    (("What is Alice's phone number?",), "and her address?", "What is Alice's address?", ()),
    (("What is Alice's phone number?",), "and the address?", "What is Alice's address?", ()),
    (("What is Alice's phone number?",), "And Bob's address?", "What is Bob's address?", ()),
    (("what is alice's phone number?",), "and her address?", "what is alice's address?", ()),
    (("What is Alice's phone number?",), "and Bob?", "What is Bob's phone number?", ()),
    (("Where do I work?",), "What about Bob?", "Where does Bob work?", ()),
    (("What is my name?",), "and Bob's?", "What is Bob's name?", ()),
    (ALICE, "And in 2019?", "Where does Alice work in 2019?", ()),
    (("Where did Alice work in 2019?",), "and in March?", "Where did Alice work in March?", ()),
    (("Where did Alice work in 2019?",), "And now?", "Where did Alice work now?", ()),
    (ALICE, "Since when?", "Since when Alice works at Globex?", ()),
    (("Where does Alice work?",), "Since when?", "Since when where does Alice work?", ()),
    (ALICE, "Where does she live?", "Where does Alice live?", ()),
    (ALICE, "What is her phone number?", "What is Alice's phone number?", ()),
    (ALICE, "Who met her in May?", "Who met Alice in May?", ()),
    (("My brother Bob moved.",), "Where does he live?", "Where does Bob live?", ()),
    ((*ALICE, "Shall I look up where Bob lives?"), "Yes, do that.", "where Bob lives", ()),
    ((*ALICE, "Should I check?"), "Sounds good", "Where does Alice work?", ()),
    ((*ALICE, "Shall I tell you where she worked before?"), "Yes please!", "Where does Alice work?", (Shift.BEFORE,)),
    ((*ALICE, "Would you like to know since when?"), "sure, go for it", "Since when Alice works at Globex?", ()),
    (("I could list Bob's jobs.",), "ok, go ahead", "I could list Bob's jobs.", ()),
    (ALICE, "Where did she work before that?", "Where does Alice work?", (Shift.BEFORE,)),
    (ALICE, "What was it before?", "Where does Alice work?", (Shift.BEFORE,)),
    (ALICE, "And prior to that?", "Where does Alice work?", (Shift.BEFORE,)),
    (ALICE, "And earlier?", "Where does Alice work?", (Shift.BEFORE,)),
    (ALICE, "What came next?", "Where does Alice work?", (Shift.AFTER,)),
    (("Alice works at Globex.",), "And before that?", "Alice works at Globex.", (Shift.BEFORE,)),
    (ALICE, "And before Globex?", "Where does Alice work before Globex?", ()),
    ((*ALICE[:1], "At Globex. Anything else?"), "And before that?", "Where does Alice work?", (Shift.BEFORE,)),
    ((*ALICE[:1], "At Globex."), "Since when exactly?", "Since when where does Alice work?", ()),
    (
        (*ALICE[:1], "At Globex.", "And before that?", "Acme."),
        "when?",
        "Since when where does Alice work?",
        (Shift.BEFORE,),
    ),
    (ALICE, "And her brother?", "Where does Alice's brother work?", ()),
    (ALICE, "The same for Bob?", "Where does Bob work?", ()),
    (("where does alice work?", "at globex"), "and bob?", "where does bob work?", ()),
    (("what is alice's phone number?",), "and bob?", "what is bob's phone number?", ()),
    (("where does alice work?", "at globex"), "where does she live?", "where does alice live?", ()),
    (("Where did Alice work in 2019?", "At Acme."), "Where did she live then?", "Where did Alice live in 2019?", ()),
    (ALICE, "Does she still work there?", "Does Alice still work at Globex?", ()),
    (
        ("What is Alice's phone number?", "5551234."),
        "And her brother's?",
        "What is Alice's brother's phone number?",
        (),
    ),
    (("Who is Alice's manager?", "Bob."), "And where does he live?", "And where does Bob live?", ()),
    (("Who is Alice's manager?", "Her manager is Bob."), "And his wife?", "Who is Bob's wife?", ()),
    (("Did Alice visit Rome in 2024?", "Yes."), "When?", "When did Alice visit Rome?", ()),
    (("What did Alice buy yesterday?", "A bike."), "And the day before?", "What did Alice buy on 1 June 2026?", ()),
    (("Where did Alice work in 2019?", "At Acme."), "And the year after?", "Where did Alice work in 2020?", ()),
    (
        ("Where did Alice work in May 2019?", "At Acme."),
        "The previous month?",
        "Where did Alice work in April 2019?",
        (),
    ),
    (("What did Alice buy in 2019?", "A bike."), "And the day before?", "What did Alice buy the day before?", ()),
    (("Where does Alice work?", "At Globex. Is that right?"), "And Bob?", "Where does Bob work?", ()),
    (
        ("Where does Alice work?", "I don't know. Do you?"),
        "And before that?",
        "Where does Alice work?",
        (Shift.BEFORE,),
    ),
    (("Can I see where Alice works?",), "And Bob?", "Can I see where Bob works?", ()),
    (("Hi. Do you know where Alice works?",), "And Bob?", "Hi. Do you know where Bob works?", ()),
    (("Where does Alice work?", "Assistant: For whom shall I look?"), "And Bob?", "Where does Bob work?", ()),
    (("User: Where does Alice work?", "Assistant: At Globex."), "And Bob?", "Where does Bob work?", ()),
]

WHOLE = [
    ((), "And before that?"),
    ((), "What about Bob?"),
    (("Hello!",), "And before that?"),
    (ALICE, "Where does Carol live?"),
    (ALICE, "Does Carol know where she lives?"),
    (ALICE, "What has changed since March?"),
    ((), "Where did Carol live before that?"),
    (ALICE, "Where has Carol lived since then?"),
    (ALICE, "How many people are there?"),
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


@pytest.mark.parametrize(
    ("question", "meant", "shift"),
    [
        ("Where did she live then?", "Where did Alice live?", None),
        ("Where was she living at that time?", "Where was Alice living?", None),
        ("Where did she live before that?", "Where did Alice live?", Shift.BEFORE),
        ("Where did she live right after that?", "Where did Alice live?", Shift.AFTER),
    ],
)
def test_a_question_may_be_about_the_time_of_the_answer_before(question: str, meant: str, shift: Shift | None) -> None:
    found = complete(question, ALICE, day("2026-06-03"))
    assert found.question == meant
    assert found.when == TimeOf(question=FollowUp(question="Where does Alice work?"), shift=shift)


@pytest.mark.parametrize(("turns", "question"), WHOLE, ids=lambda part: str(part)[:40])
def test_a_question_that_stands_by_itself_stays_as_it_is(turns: tuple[str, ...], question: str) -> None:
    assert complete(question, turns, day("2026-06-03")) == FollowUp(question=question)


def test_turns_long_past_are_not_looked_at() -> None:
    chatter = ("Nice weather.",) * MOST_TURNS
    assert complete("And Bob?", (*ALICE, *chatter), day("2026-06-03")).question == "And Bob?"


def test_a_very_long_turn_takes_no_time() -> None:
    found = complete("And Bob?", ["Where does Alice work? " + "A b " * 200_000 + "?"], day("2026-06-03"))
    assert found.question.startswith("Where does Bob work?")
