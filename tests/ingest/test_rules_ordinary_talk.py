"""What the rules read in ordinary talk: who of two is meant, verbs left out, small words that are names, what is meant instead."""

from __future__ import annotations

import pytest

from graphmem.model import Source
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.instants import to_datetime
from tests.ingest.turns import FIRST, said_in, tell


def _said(*turns: str | tuple[str | None, str], source: Source = Source.MESSAGE) -> list[str]:
    """The claims of the last of some turns, a day apart; a bare text is Ann's."""
    return said_in(tell(*turns, source=source))


def _start(text: str) -> str:
    """The day on which the only claim of a text begins."""
    (statement,) = tell(text)
    granule = bounds_of(statement.kind, statement.times, FIRST).start
    assert granule is not None
    moment = to_datetime(granule.lo)
    assert moment is not None
    return moment.date().isoformat()


@pytest.mark.parametrize(
    ("then", "gives"),
    [
        ("I lead the former, Cy leads the latter.", ["HOLD Lark LED_BY Ann", "HOLD Stoat LED_BY Cy"]),
        ("I lead the former, Cy the latter.", ["HOLD Lark LED_BY Ann", "HOLD Stoat LED_BY Cy"]),
        ("Cy leads the second.", ["HOLD Stoat LED_BY Cy"]),
    ],
)
def test_the_former_and_the_latter_are_the_two_named_last(then: str, gives: list[str]) -> None:
    assert _said("Lark is due on 25 July. Stoat is due on 9 August.", then) == gives


def test_both_tickets_are_the_two_named_last() -> None:
    labels = "TK-12: the lift squeaks. TK-13: the tap drips."
    assert _said(f"{labels} Both open, both low.") == [
        "HOLD TK-12 STATUS open",
        "HOLD TK-13 STATUS open",
        "HOLD TK-12 PRIORITY low",
        "HOLD TK-13 PRIORITY low",
    ]


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        (
            "Lark is due on 25 July, Stoat on 9 August.",
            ["HOLD Lark DEADLINE 2026-07-25", "HOLD Stoat DEADLINE 2026-08-09"],
        ),
        ("I live in Ghent, Bo in Cork.", ["HOLD Ann LIVES_IN Ghent", "HOLD Bo LIVES_IN Cork"]),
        ("I live in Ghent, Bo Larsen laughs.", ["HOLD Ann LIVES_IN Ghent"]),
    ],
)
def test_a_verb_left_out_is_that_of_the_saying_before(text: str, gives: list[str]) -> None:
    assert _said(text) == gives


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        ("Per is my brother.", ["HOLD Ann SIBLING_OF Per"]),
        ("Will moved to Bergen in May.", ["HOLD Will LIVES_IN Bergen"]),
        ("Per month it is 40 euros.", []),
        ("Will you come?", []),
    ],
)
def test_a_small_word_before_a_verb_may_be_a_name(text: str, gives: list[str]) -> None:
    assert _said(text) == gives


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        ("Bo's taken TK-12 off my hands.", ["HOLD TK-12 ASSIGNED_TO Bo"]),
        ("Bo's changed schools to Kite Academy since Monday.", ["HOLD Bo STUDIES_AT Kite Academy"]),
        ("Bo's lost wallet is blue.", []),
    ],
)
def test_an_apostrophe_before_what_somebody_has_done_is_has(text: str, gives: list[str]) -> None:
    assert _said(text) == gives


def test_who_is_called_upon_is_named_without_the_calling_word() -> None:
    assert _said("Remember Fenwick? Fenwick closed its Bonn plant on Monday.") == ["EVENT Fenwick CLOSED Bonn plant"]


def test_a_code_has_no_other_name_with_the_word_for_what_it_is() -> None:
    assert _said("Ticket ZL-40 is pending.", "Bo is handling ZL-40.") == ["HOLD ZL-40 ASSIGNED_TO Bo"]
    assert _said("Order 5531 was shipped on Monday.") == ["HOLD Order 5531 STATUS shipped"]


def test_the_number_of_a_code_means_the_code() -> None:
    assert _said("QX-3108 is open.", "3108 is solved.") == ["HOLD QX-3108 STATUS solved"]


def test_what_was_meant_takes_the_place_of_what_was_said() -> None:
    assert _said("QX-3108 is open. QX-3109 is open.", "3108 is solved. Sorry. I meant 3109, the router.") == [
        "HOLD QX-3109 STATUS solved"
    ]


def test_an_animal_is_named_by_what_it_answers_to() -> None:
    assert _said("We took in a hen in May. She answers to Pim.") == ["HOLD Ann HAS_PET Pim"]


def test_a_thing_is_nobodys_boss() -> None:
    assert _said("Otto has managed the Mill Lane site since April.") == ["HOLD Mill Lane site LED_BY Otto"]


def test_we_who_were_named_together_go_together() -> None:
    assert _said("Bo and I are at Hotel Mirna since Monday.", "We went up to Tarvo yesterday.") == [
        "EVENT Bo VISITED Tarvo",
        "EVENT Ann VISITED Tarvo",
    ]


def test_one_of_a_club_is_a_member() -> None:
    assert _said("The Herons won the Harbour Cup in May.", "I'm a Heron since June.") == ["HOLD Ann MEMBER_OF Herons"]


def test_a_head_noun_takes_those_that_follow_it() -> None:
    assert _said("I passed the bar exam in May.") == ["EVENT Ann PASSED bar exam"]


def test_what_is_so_as_of_a_weekday_has_been_since_the_last_one() -> None:
    assert _start("I'm over in logistics as of Monday.") == "2026-06-01"


def test_time_words_right_before_a_clause_inside_another_date_it() -> None:
    assert _start("Meaning from next Monday I answer to Bo.") == "2026-06-08"


def test_an_event_that_takes_effect_is_dated_by_it() -> None:
    assert _said("Tarn and Beck have merged, effective yesterday.") == ["EVENT Tarn MERGED_WITH Beck"]


def test_small_words_with_a_question_mark_ask_for_nothing_else() -> None:
    assert _said("I joined Globex Foods in May, and honestly?") == ["HOLD Ann WORKS_AT Globex Foods"]
    assert _said("Is Bo at Globex Foods, then?") == []


def test_a_clause_of_its_own_is_not_denied_by_the_one_before() -> None:
    assert _said("I was born in Cork.", "I wasn't born in Cork, I was born in Galway.") == [
        "NEVER Ann BORN_IN Cork",
        "EVENT Ann BORN_IN Galway",
    ]


def test_a_day_that_was_denied_is_replaced_by_the_one_that_follows() -> None:
    assert _said("Lark is due on 9 July.", "Lark never was due on 9 July, it's 19 July.") == [
        "NEVER Lark DEADLINE 2026-07-09",
        "HOLD Lark DEADLINE 2026-07-19",
    ]


def test_somebody_else_did_what_another_did_not() -> None:
    assert _said("Bo won the Harbour Open on Saturday.", "Bo didn't win the Harbour Open, Cy did.") == [
        "NEVER Bo WON Harbour Open",
        "EVENT Cy WON Harbour Open",
    ]


def test_a_booking_says_where_its_guest_lodges_and_when() -> None:
    record = '{"booking": "T-9", "guest": "Bo", "property": "Kite Rooms", "check_in": "2026-07-05"}'
    (statement,) = tell((None, record), source=Source.JSON)
    assert (statement.subject, statement.relation, statement.object) == ("Bo", "STAYS_AT", "Kite Rooms")
    assert [phrase.text for phrase in statement.times] == ["since 2026-07-05"]
