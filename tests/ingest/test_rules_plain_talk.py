"""Plain sentences as different people say them: whose the time words are, what ends, what was wrong, who is told apart."""

from __future__ import annotations

import pytest

from graphmem.model import Statement
from tests.ingest.turns import said_in, tell


def _dated(statement: Statement) -> str:
    return f"{said_in([statement])[0]} {', '.join(f'{t.role}: {t.text}' for t in statement.times)}".rstrip()


# ---------------------------------------------------------------- time words


def test_a_date_belongs_to_the_verb_and_not_to_the_relative_who_acts() -> None:
    read = [_dated(s) for s in tell("My brother Karl moved to Bonn in May.")]
    assert read == ["HOLD Ann SIBLING_OF Karl", "HOLD Karl LIVES_IN Bonn start: in May"]


def test_a_beloved_animal_that_died_is_one_had_until_then() -> None:
    read = [_dated(s) for s in tell("Our dog Rex died in March.")]
    assert read == ["HOLD Ann HAS_PET Rex", "STOP Ann HAS_PET Rex end: in March"]


@pytest.mark.parametrize("life", ["all my life", "my whole life", "since birth"])
def test_all_ones_life_is_always(life: str) -> None:
    assert [_dated(s) for s in tell(f"I have lived in Bern {life}.")] == ["HOLD Ann LIVES_IN Bern at: always"]


def test_what_is_put_off_from_one_day_to_another_is_on_the_second() -> None:
    assert said_in(tell("My appointment was moved from 12 June to 14 June.")) == [
        "HOLD appointment SCHEDULED_FOR 2026-06-14"
    ]


def test_that_day_after_a_day_to_come_is_to_come() -> None:
    read = [_dated(s) for s in tell("The wedding is on 4 July. Ben moves to Oslo that day.")]
    assert read == ["HOLD wedding SCHEDULED_FOR 2026-07-04", "HOLD Ben LIVES_IN Oslo start: on 2026-07-04"]


def test_that_day_after_a_day_that_was_is_past() -> None:
    read = [_dated(s) for s in tell("We moved to Oslo on 3 July. That day Ben joined the Kite Choir.")]
    assert read[-1] == "HOLD Ben MEMBER_OF Kite Choir start: on 2025-07-03"


def test_a_club_may_be_called_after_a_weekday() -> None:
    assert said_in(tell("I joined the Thursday Dragons tonight.")) == ["HOLD Ann MEMBER_OF Thursday Dragons"]


def test_what_one_will_do_is_told_in_the_present_too() -> None:
    assert said_in(tell("I start at Globex on 15 June.")) == ["HOLD Ann WORKS_AT Globex"]


# ---------------------------------------------------------------- who and what


def test_a_name_with_a_verb_in_the_singular_is_somebody() -> None:
    assert said_in(tell("Tim likes strong coffee.")) == ["HOLD Tim LIKES strong coffee"]


@pytest.mark.parametrize("text", ["Everyone likes coffee.", "Work uses Slack.", "Nobody likes olives."])
def test_a_common_word_at_the_head_is_nobody(text: str) -> None:
    assert tell(text) == ()


def test_who_won_something_is_still_a_person() -> None:
    assert said_in(tell("Bo won the chess tournament in May. Bo lives in Cork."))[-1] == "HOLD Bo LIVES_IN Cork"


def test_namesakes_are_told_apart_by_what_they_do() -> None:
    assert said_in(tell("Anna the baker lives in Bonn. Anna the lawyer lives in Graz.")) == [
        "HOLD Anna the baker LIVES_IN Bonn",
        "HOLD Anna the lawyer LIVES_IN Graz",
    ]


def test_a_firm_and_its_product_with_a_longer_name_are_two() -> None:
    read = tell("Kelp launched Kelp Dry in May.", "Marenco acquired Kelp on Tuesday.")
    assert said_in(read) == ["EVENT Marenco ACQUIRED Kelp"]


def test_a_clause_after_a_comma_tells_of_what_stands_before_it() -> None:
    assert said_in(tell("I lead the theatre club, which meets in room 12."))[-1] == (
        "HOLD theatre club LOCATED_IN room 12"
    )


def test_a_verb_joined_by_and_is_the_speakers() -> None:
    assert said_in(tell("I work at Acme and teach French.")) == ["HOLD Ann WORKS_AT Acme", "HOLD Ann TEACHES French"]


def test_what_one_wants_to_do_is_not_done() -> None:
    assert tell("I want to stop and teach French.") == ()


def test_a_clause_between_commas_is_no_subject() -> None:
    read = said_in(tell("Bo leads the Junior Choir, and I have been in the Senior Choir since Tuesday."))
    assert read == ["HOLD Junior Choir LED_BY Bo", "HOLD Ann MEMBER_OF Senior Choir"]


def test_the_case_is_the_one_with_the_number() -> None:
    assert said_in(tell("C-2207 is with me and the case is open."))[-1] == "HOLD C-2207 STATUS open"


def test_a_verb_may_be_left_out_after_and() -> None:
    assert said_in(tell("The Senior Choir is led by Bo and the Junior Choir by Cy.")) == [
        "HOLD Senior Choir LED_BY Bo",
        "HOLD Junior Choir LED_BY Cy",
    ]


def test_hers_is_hers() -> None:
    assert said_in(tell("My sister Lea called. The tent is hers."))[-1] == "HOLD tent OWNED_BY Lea"


def test_a_dose_is_no_price() -> None:
    read = tell("Metoprolol costs 9 euros.", "Metoprolol goes down to 23.75 mg from tonight.")
    assert not any(s.relation == "PRICE" for s in read)


# ---------------------------------------------------------------- ends and changes


@pytest.mark.parametrize("end", ["I quit yesterday.", "I was fired in May.", "I retired in May."])
def test_a_job_ends_without_its_name(end: str) -> None:
    assert said_in(tell("I work at Acme.", end)) == ["STOP Ann WORKS_AT Acme"]


@pytest.mark.parametrize(
    "parting", ["I left for Spain on Monday.", "I left at five.", "We left at noon.", "I left with Bo."]
)
def test_who_sets_out_ends_nothing(parting: str) -> None:
    assert said_in(tell("I work at Acme. I'm a member of the Kite Club.", parting)) == []


def test_a_second_club_is_not_the_first() -> None:
    told = tell("I belong to the Kite Club.", "I have been a member of the Rowers since May.")
    assert said_in(told) == ["HOLD Ann MEMBER_OF Rowers"]


def test_a_site_on_the_web_moves_to_another_host() -> None:
    told = tell("The booking site is hosted on Stratus.", "The booking site moved to Cairn Cloud on 8 March 2025.")
    assert said_in(told) == ["HOLD booking site HOSTED_ON Cairn Cloud"]


def test_the_place_that_is_left_is_told_with_the_new_one() -> None:
    assert said_in(tell("Bo moved from Leeds to Porto in March.")) == [
        "STOP Bo LIVES_IN Leeds",
        "HOLD Bo LIVES_IN Porto",
    ]


def test_a_change_is_one_of_what_the_old_one_was_known_for() -> None:
    assert said_in(tell("I'm insured by Kite.", "I changed from Kite to Tarn in May.")) == [
        "STOP Ann INSURED_BY Kite",
        "HOLD Ann INSURED_BY Tarn",
    ]


def test_there_is_where_one_was_told_to_be_last() -> None:
    assert [_dated(s) for s in tell("Noor works at Acme.", "Noor has been there since 2021.")] == [
        "HOLD Noor WORKS_AT Acme start: since 2021"
    ]


# ---------------------------------------------------------------- what was wrong


@pytest.mark.parametrize(
    "correction",
    [
        "That's wrong, I live in Lisbon.",
        "I made a mistake: it's Lisbon.",
        "No, I live in Lisbon.",
        "I misspoke: it's Lisbon.",
    ],
)
def test_what_was_told_wrong_is_taken_back(correction: str) -> None:
    assert said_in(tell("I live in Porto.", correction)) == ["NEVER Ann LIVES_IN Porto", "HOLD Ann LIVES_IN Lisbon"]


def test_a_wrong_day_is_taken_back() -> None:
    assert said_in(tell("My appointment is on 12 June.", "That's wrong, it's 14 June.")) == [
        "NEVER appointment SCHEDULED_FOR 2026-06-12",
        "HOLD appointment SCHEDULED_FOR 2026-06-14",
    ]


def test_a_wrong_month_is_put_right() -> None:
    (statement,) = tell("Tim moved to Oslo in March.", "It was April, not March.")
    assert _dated(statement) == "HOLD Tim LIVES_IN Oslo start: in April"


@pytest.mark.parametrize(
    "correction",
    [
        "It wasn't Bo who won, it was Cy.",
        "It was Cy, not Bo, who won the tournament.",
        "Cy won it, not Bo.",
    ],
)
def test_it_was_another(correction: str) -> None:
    assert said_in(tell("Bo won the chess tournament in May.", correction)) == [
        "NEVER Bo WON chess tournament",
        "EVENT Cy WON chess tournament",
    ]


def test_another_one_is_the_boss() -> None:
    assert said_in(tell("My boss is Mara.", "Mara is not my boss, Ben is.")) == [
        "NEVER Ann REPORTS_TO Mara",
        "HOLD Ann REPORTS_TO Ben",
    ]


# ---------------------------------------------------------------- records


def test_lines_of_labels_and_values_are_a_record() -> None:
    text = "Name: Clara Voss\nEmployer: Acme Ltd\nRole: senior buyer\nCity: Ghent"
    assert said_in(tell((None, text))) == [
        "HOLD Clara Voss WORKS_AT Acme Ltd",
        "HOLD Clara Voss HAS_ROLE senior buyer",
        "HOLD Clara Voss LIVES_IN Ghent",
    ]
