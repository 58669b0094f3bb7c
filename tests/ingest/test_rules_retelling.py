"""What the rules read of things known: new values, successors, dates told later, corrections, relatives named later."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.model import Source
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.instants import to_datetime
from tests.ingest.turns import FIRST, said_in, tell


def _said(*turns: str | tuple[str | None, str]) -> list[str]:
    return said_in(tell(*turns))


# ---------------------------------------------------------------- values of something known


@pytest.mark.parametrize(
    ("first", "then", "gives"),
    [
        ("My goat weighs 31 kg.", "33 kg!!", "HOLD goat WEIGHT 33 kg"),
        ("The oat bread costs €3.10.", "it's €3.60 now, sorry", "HOLD oat bread PRICE €3.60"),
        ("The loan is at 3.4 %.", "The bank cut the loan to 3.1 % today.", "HOLD loan RATE 3.1 %"),
        ("The heater is on version 2.3.", "ok, 2.4 on the heater since noon", "HOLD heater VERSION 2.4"),
        ("Plover Mills has 88 employees.", "Plover is down to 71 people.", "HOLD Plover Mills HEADCOUNT 71"),
    ],
)
def test_a_value_of_its_kind_is_the_new_one_of_something_known(first: str, then: str, gives: str) -> None:
    assert gives in _said(first, then)


@pytest.mark.parametrize(
    "then",
    [
        "My neighbour's goat is 44 kg.",
        "Is it 33 kg?",
        "Bo thinks it's 33 kg.",
        "It was 29 kg as a kid.",
        "We carried 40 kg of hay up.",
    ],
)
def test_a_value_of_something_else_changes_nothing(then: str) -> None:
    assert "goat" not in [s.subject for s in tell("My goat weighs 31 kg.", then)]


def test_a_value_may_be_named_by_what_it_is() -> None:
    assert _said("My rent is 700 euros.", "Rent's gone up to 740 since January, ugh") == ["HOLD Ann RENT 740"]


def test_a_deadline_that_was_pushed_is_another_day() -> None:
    assert _said("The deadline for the mural is 15 May 2026.", "They've pushed it to 22 June.") == [
        "HOLD mural DEADLINE 2026-06-22"
    ]


def test_still_tells_what_is_known_once_more() -> None:
    assert _said("Frau Lenz is my piano teacher.", "Not much to tell. Still Frau Lenz.") == [
        "HOLD Ann TAUGHT_BY Frau Lenz"
    ]
    assert _said("The oat bread costs €3.10.", "The oat bread stays put.") == ["HOLD oat bread PRICE €3.10"]


def test_what_is_still_going_is_told_once_more() -> None:
    assert _said("I play the banjo.", "Banjo's still going strong mind you!") == ["HOLD Ann PLAYS banjo"]


# ---------------------------------------------------------------- in the place of another


def test_whoever_takes_over_from_somebody_has_what_that_one_had() -> None:
    (read,) = tell("Tess leads the Reading Room.", "Igor took over from Tess on Monday.")
    assert (read.subject, read.relation, read.object) == ("Reading Room", "LED_BY", "Igor")
    assert read.times[0].text == "on Monday"


def test_nobody_succeeds_where_nothing_is_known() -> None:
    assert _said("Tess lives in Graz.", "Igor took over from Tess on Monday.") == []


def test_a_swap_of_tools_ends_one_and_begins_the_other() -> None:
    assert _said("We use Slate.", "We finally swapped Slate for Quill last week.") == [
        "STOP Ann USES Slate",
        "HOLD Ann USES Quill",
    ]


def test_a_thing_switched_to_another_firm_keeps_its_relation() -> None:
    read = _said("Our van is insured with Tilia Mutual.", "Switched the van to Gora Mutual in March.")
    assert read == ["HOLD van INSURED_BY Gora Mutual"]


def test_what_comes_after_an_end_stands_in_its_place() -> None:
    assert _said("I study botany.", "I dropped botany in May, it's geology now.")[-1] == "HOLD Ann STUDIES geology"


def test_back_with_a_bank_known_from_before() -> None:
    read = _said("I bank with Coral Bank.", "I switched to Delta Bank in May.", "Back with Coral since Monday.")
    assert read == ["HOLD Ann BANKS_WITH Coral Bank"]


# ---------------------------------------------------------------- dates that come after


def test_a_part_that_only_says_when_dates_what_was_told_last() -> None:
    (read,) = tell((None, "Plover Mills has bought Tarn Foods, the deal closed last Friday."))
    assert (read.relation, read.times[0].text) == ("ACQUIRED", "last Friday")


def test_an_event_that_nothing_dates_is_not_told() -> None:
    assert _said("I passed the mushrooms to Bo.") == []


def test_words_that_belong_to_a_time_go_with_it() -> None:
    (read,) = tell("Plover Mills has 88 employees.", "After last week's layoffs Plover is down to 71 people.")
    assert read.times[0].text == "last week"


def test_until_looks_ahead_of_what_is_said() -> None:
    (read,) = tell("I report to Tess.", "Igor is standing in for Tess until the end of August.")
    bounds = bounds_of(read.kind, read.times, FIRST)
    assert bounds.end is not None
    ends = to_datetime(bounds.end.hi)
    assert ends is not None
    assert (ends.year, ends.month) == (2026, 9)


# ---------------------------------------------------------------- corrections


@pytest.mark.parametrize(
    ("first", "then", "gives"),
    [
        (
            "My phone number is 0661 204 118.",
            "Ignore what I sent, fat fingers: it's 0661 204 181.",
            ["NEVER Ann PHONE_NUMBER 0661 204 118", "HOLD Ann PHONE_NUMBER 0661 204 181"],
        ),
        (
            "Plover Mills has 88 employees.",
            "Small correction: Plover Mills has 78 employees.",
            ["NEVER Plover Mills HEADCOUNT 88", "HOLD Plover Mills HEADCOUNT 78"],
        ),
        (
            "I am allergic to walnuts.",
            "Turns out it was never walnuts. Pollen.",
            ["NEVER Ann ALLERGIC_TO walnuts", "HOLD Ann ALLERGIC_TO Pollen"],
        ),
        ("I earn 3,900 euros a month.", "Scrap the 3,900.", ["NEVER Ann SALARY 3,900 euros"]),
        (
            "My rent is 700 euros.",
            "The 700 was a typo, it says 760.",
            ["NEVER Ann RENT 700 euros", "HOLD Ann RENT 760 euros"],
        ),
        (
            "I visited Bath on 3 May 2026.",
            "It wasn't the 3rd of May that I went, it was the 4th of May.",
            ["NEVER Ann VISITED Bath", "EVENT Ann VISITED Bath"],
        ),
        ("Bo will move to Lund on 1 September 2026.", "The Lund thing is off.", ["NEVER Bo LIVES_IN Lund"]),
    ],
)
def test_a_correction_takes_back_the_old_and_puts_the_new_in_its_place(first: str, then: str, gives: list[str]) -> None:
    assert _said(first, then) == gives


def test_a_corrected_value_holds_since_the_wrong_one_was_told() -> None:
    _never, read = tell("Plover Mills has 88 employees.", "Correction: Plover Mills has 78 employees.")
    assert read.start is not None
    assert to_datetime(read.start.lo) == datetime(2026, 6, 3, tzinfo=UTC)


def test_another_holder_follows_a_denial() -> None:
    assert _said("I report to Tess.", "Tess never was my boss, it's Igor.") == [
        "NEVER Ann REPORTS_TO Tess",
        "HOLD Ann REPORTS_TO Igor",
    ]


def test_sorry_makes_another_day_a_correction() -> None:
    (read,) = tell("Bo and Cleo got married on 3 May 2026.", "It was the 4th of May, sorry.")
    assert (read.relation, read.times[0].text) == ("MARRIED_TO", "the 4th of May")


def test_a_change_is_no_correction() -> None:
    assert _said("I live in Bath.", "One typo in my mail. I live in Lund now.") == ["HOLD Ann LIVES_IN Lund"]


def test_what_i_never_did_takes_nothing_from_another() -> None:
    assert _said(("Bo", "I visited Bath on 3 May 2026."), "I have never been to Bath.") == []


# ---------------------------------------------------------------- who is meant


def test_a_relative_brought_in_without_a_name_gets_it_later() -> None:
    assert _said("We have one son. His name is Aurel. He was born in Lund in 2019.") == [
        "HOLD Ann PARENT_OF Aurel",
        "EVENT Aurel BORN_IN Lund",
    ]


def test_two_who_are_joined_did_both() -> None:
    assert _said("Mila and I moved to Lund in May.") == ["HOLD Mila LIVES_IN Lund", "HOLD Ann LIVES_IN Lund"]
    assert _said("I saw Mila and Bo works at Acme.") == ["HOLD Bo WORKS_AT Acme"]


def test_it_means_the_thing_of_which_such_a_thing_was_told() -> None:
    turns = ("The heater is on version 2.3.", "My rent is 700 euros.", "All quiet. It's on version 2.4 since Monday.")
    assert _said(*turns) == ["HOLD heater VERSION 2.4"]


def test_whoever_is_spoken_to_is_not_he() -> None:
    assert "Marek" not in " ".join(_said("My brother Ivo came.", "Marek, good evening. He lives in Lund."))


def test_a_bare_ing_at_the_head_tells_of_the_speaker() -> None:
    assert _said("living in Lund since last Sunday and all is well") == ["HOLD Ann LIVES_IN Lund"]


def test_a_note_may_leave_out_that_i_am() -> None:
    assert _said("At Globex Foods since May.") == ["HOLD Ann WORKS_AT Globex Foods"]
    assert _said("On ibuprofen since Monday and it helps.") == ["HOLD Ann TAKES ibuprofen"]
    assert _said("At Globex Foods we met Bo since May.") == []
    assert _said("Bo moved to Lund in May. At Globex Foods since June.")[1:] == []


def test_a_label_and_what_stands_behind_its_colon_are_one() -> None:
    assert _said("My phone number: 0661 204 118, works from today") == ["HOLD Ann PHONE_NUMBER 0661 204 118"]
    assert _said("News: my brother laughed. Users: my mum and Bo") == []


def test_a_pet_gets_the_name_told_a_moment_later() -> None:
    assert _said("We have a dog. At last. Some terrier mix called Pepper.") == ["HOLD Ann HAS_PET Pepper"]


def test_an_owner_is_told_from_a_contraction() -> None:
    assert _said("The car's insured by Plover Mutual.") == ["HOLD car INSURED_BY Plover Mutual"]
    assert _said("Aunt Vi's moved to Lund in May.") == ["HOLD Aunt Vi LIVES_IN Lund"]


# ---------------------------------------------------------------- records


def test_the_items_of_a_persons_record_belong_to_the_person() -> None:
    text = '{"record": "list", "patient": "Bo", "date": "2026-06-01", "items": [{"drug": "iron", "dose": "5 mg"}]}'
    read = tell((None, text), source=Source.JSON)
    assert [f"{s.subject} {s.relation} {s.object}" for s in read] == ["Bo TAKES iron", "iron DOSE 5 mg"]
