"""Ways of asking that people use beside the plain ones: the change, the last day, an offered choice, a relative of a relative."""

from __future__ import annotations

import pytest

from graphmem.model import Window
from graphmem.retrieve.query import Hop, Position, Query, Slot
from tests.retrieve.small_memory import Memory, granule

HOPS = {
    "child": Hop(relations=("PARENT_OF",)),
    "parent": Hop(relations=("PARENT_OF",), inverse=True),
    "sibling": Hop(relations=("SIBLING_OF",)),
    "home": Hop(relations=("LIVES_IN",)),
}


def read(question: str, *facts: str, asked_at: str = "2026-06-03") -> Query:
    query = Memory.of(*facts).read(question, asked_at)
    assert query is not None
    return query


# ---- before the change


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the loan's interest rate before it became 3.9 percent?", "3.9 percent"),
        ("What did the loan's rate stand at before 3.9 percent?", "3.9 percent"),
    ],
)
def test_a_value_with_digits_dates_a_question(question: str, value: str) -> None:
    anchor = read(question, "loan RATE 4.2 percent", "loan RATE 3.9 percent, start 2026-02").anchor
    assert anchor is not None
    assert (anchor.position, anchor.relations, anchor.objects) == (Position.BEFORE, ("RATE",), (value,))


def test_a_version_is_no_time() -> None:
    query = read("Which release of Larkspur ran before 2.7?", "Larkspur VERSION 2.6", "Larkspur VERSION 2.7")
    assert (query.subjects, query.anchor is not None and query.anchor.objects) == (("Larkspur",), ("2.7",))


@pytest.mark.parametrize("clause", ["before the change", "before the last update", "before it changed"])
def test_before_the_change_counts_from_the_last_one(clause: str) -> None:
    anchor = read(f"What was Ravi's email {clause}?", "Ravi EMAIL r@a.example", "Ravi EMAIL r@b.example").anchor
    assert anchor is not None
    assert (anchor.position, anchor.subjects, anchor.relations, anchor.n) == (
        Position.BEFORE,
        ("Ravi",),
        ("EMAIL",),
        -1,
    )


def test_the_thing_that_came_next_dates_by_the_relation_that_is_asked_for() -> None:
    facts = ("Ravi PHONE Oak 3", "Ravi BOUGHT Elm 4, start 2026-02", "Ravi PHONE Elm 4, start 2026-02")
    anchor = read("Which phone did Ravi have before the Elm 4?", *facts).anchor
    assert anchor is not None
    assert (anchor.relations, anchor.objects) == (("PHONE",), ("Elm 4",))


# ---- first and last days


def test_a_last_day_is_an_end() -> None:
    query = read("What was Ravi's last day at the mill?", "Ravi WORKS_AT Bexley Mill")
    assert (query.slot, query.relations) == (Slot.END, ("WORKS_AT",))


def test_a_first_day_is_a_beginning() -> None:
    assert read("What was Ravi's first day at Bexley Mill?", "Ravi WORKS_AT Bexley Mill").slot is Slot.START


def test_a_last_pill_is_an_end() -> None:
    assert read("When did Ravi take his last ibuprofen?", "Ravi TAKES ibuprofen").slot is Slot.END


def test_coming_back_is_the_last_beginning() -> None:
    query = read("When did Ravi rejoin the chess club?", "Ravi MEMBER_OF chess club")
    assert (query.slot, query.n) == (Slot.START, -1)


def test_a_number_in_a_name_counts_nothing() -> None:
    query = read("When did Ravi open the second kiosk?", "Ravi OPENED second kiosk")
    assert (query.objects, query.n) == (("second kiosk",), None)


# ---- times that belong to names, to knowing, to each other


def test_a_time_of_day_in_a_name_is_no_time() -> None:
    query = read("What is Ravi's evening snack?", "evening snack PREFERS figs", "Ravi SUBSCRIBED_TO Pageturn")
    assert (query.subjects, query.relations, query.window) == (("evening snack",), ("PREFERS",), None)


def test_what_was_known_that_day_is_asked_of_that_day() -> None:
    query = read("Where did we believe Ravi lived on 9 April, going by what we knew that day?", "Ravi LIVES_IN Hull")
    assert (query.relations, query.known_at) == (("LIVES_IN",), granule("2026-04-09").hi - 1)


def test_until_when_is_an_end_as_it_was_known() -> None:
    query = read("As we knew it on 9 April, until when would Ravi stay at Hotel Alma?", "Ravi STAYS_AT Hotel Alma")
    assert (query.slot, query.known_at) == (Slot.END, granule("2026-04-09").hi - 1)


def test_a_bare_day_lies_near_the_day_of_knowing() -> None:
    query = read("On 9 April, where did we think Ravi had slept on the 6th?", "Ravi STAYS_AT Hotel Alma")
    day = granule("2026-04-06")
    assert query.window == Window(start=day.lo, until=day.hi)


@pytest.mark.parametrize("words", ["on St Patrick's Day, 17 March 2026", "in spring, in March 2026"])
def test_the_date_beside_the_name_of_a_time_is_what_is_meant(words: str) -> None:
    query = read(f"Where did Ravi live {words}?", "Ravi LIVES_IN Hull")
    march = granule("2026-03")
    assert query.window is not None
    assert march.lo <= query.window.start < query.window.until <= march.hi


# ---- who and what is meant


def test_offered_answers_are_not_what_the_question_is_about() -> None:
    query = read("Which ticket, T-11 or T-12, does Ravi have?", "T-11 ASSIGNED_TO Ravi", "T-12 ASSIGNED_TO Ravi")
    assert (query.slot, query.relations, query.objects) == (Slot.WHO, ("ASSIGNED_TO",), ("Ravi",))


def test_a_kind_of_one_relation_is_not_asked_of_another() -> None:
    query = Memory.of("Ravi TAKES ibuprofen").read("Which medicine is Ravi allergic to?", "2026-06-03")
    assert query is None or query.relations == ("ALLERGIC_TO",)


@pytest.mark.parametrize("person", ["roommate", "neighbour", "sister"])
def test_what_another_has_is_not_answered_by_what_one_has_oneself(person: str) -> None:
    query = Memory.of("Ravi SUBSCRIBED_TO Pageturn").read(f"What does Ravi's {person} subscribe to?", "2026-06-03")
    assert query is None or "SUBSCRIBED_TO" not in query.relations


def test_a_version_nobody_knows_is_not_passed_over() -> None:
    assert Memory.of("Larkspur VERSION 2.6").read("When did Larkspur get version 9.9?", "2026-06-03") is None


FAMILY = (
    "Ravi SIBLING_OF Mona",
    "Mona PARENT_OF Tess",
    "Ravi PARENT_OF Odd",
    "Tess LIVES_IN Hull",
    "Ravi LIVES_IN Cork",
)


@pytest.mark.parametrize(
    ("question", "root", "steps"),
    [
        ("Who is Ravi's niece?", "Ravi", "sibling child"),
        ("Where does Ravi's niece live?", "Ravi", "sibling child home"),
        ("Who is the uncle of Tess?", "Tess", "parent sibling"),
        ("Where does Tess's uncle live?", "Tess", "parent sibling home"),
        ("Who is Tess's cousin?", "Tess", "parent sibling child"),
    ],
)
def test_a_relative_is_a_walk_over_closer_ones(question: str, root: str, steps: str) -> None:
    query = read(question, *FAMILY)
    assert (query.slot, query.subjects) == (Slot.PATH, (root,))
    assert query.path == tuple(HOPS[step] for step in steps.split())


def test_a_relative_that_a_fact_names_needs_no_walk() -> None:
    query = read("Who is Ravi's niece?", *FAMILY, "Ravi RELATED_TO Tess")
    assert query.relations == ("RELATED_TO",)


def test_a_noun_before_a_name_asks_for_nothing() -> None:
    query = read("When was ticket T-11 reopened?", "T-11 STATUS reopened", "T-11 ASSIGNED_TO Ravi")
    assert (query.relations, query.subjects, query.objects) == (("STATUS",), ("T-11",), ("reopened",))


def test_a_possessive_may_come_before_the_one_it_means() -> None:
    query = read(
        "Which dose of her syrup does Mona take?", "Mona TAKES Halsol", "Halsol DOSE 5 ml", "Halsol NAMED syrup"
    )
    assert query.relations == ("DOSE",) or query.path[-1].relations == ("DOSE",)


# ---- length


def test_a_question_of_very_many_names_is_read_like_one_of_its_first() -> None:
    """Readings weigh all names together: without a bound a page of names takes minutes."""
    asked = "Where does Ravi live and who is the boss of her cousin, "
    assert read(asked * 8, *FAMILY) == read(asked * 16, *FAMILY)


# ---- dates, order, and now


@pytest.mark.parametrize(
    ("question", "fact", "slot"),
    [
        ("On which evening was the Salt Room opened?", "Tekla OPENED Salt Room", Slot.START),
        ("On which day was the thesis plan submitted?", "thesis plan STATUS submitted", Slot.START),
        ("What is Fionn's date of birth?", "Fionn BORN_IN Gdynia", Slot.START),
        ("Which firmware has the kettle had, one after the other?", "kettle VERSION 1.8", Slot.HISTORY),
        ("Which company insured the barn before Castrum?", "barn INSURED_BY Castrum", Slot.VALUE),
        ("When did Hanneke's time at Tidewater end?", "Hanneke WORKS_AT Tidewater", Slot.END),
    ],
)
def test_a_way_of_asking_opens_its_slot(question: str, fact: str, slot: Slot) -> None:
    query = read(question, fact)
    assert (query.slot, query.relations) == (slot, (fact.split()[1] if fact.split()[1].isupper() else fact.split()[2],))


def test_up_to_now_is_no_moment() -> None:
    assert read("How many exams has Thandeka passed up to now?", "Thandeka PASSED Statistics").window is None


@pytest.mark.parametrize(
    "question", ["Who'll be leading the garden in October?", "Who will be leading the garden in October?"]
)
def test_who_will_asks_of_what_is_to_come(question: str) -> None:
    window = read(question, "garden LED_BY Thulani").window
    assert window == Window(start=granule("2026-10").lo, until=granule("2026-10").hi)
