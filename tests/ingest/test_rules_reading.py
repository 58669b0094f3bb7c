"""How the rules read: who is meant, what is not said, what is taken back, where time words belong."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem import resources
from graphmem.ingest.rules import RuleExtractor
from graphmem.ingest.rules.records import keys_from
from graphmem.model import Source
from graphmem.ports import ExtractionContext
from graphmem.timeline.instants import to_instant
from graphmem.timeline.phrases import TimeRole
from tests.ingest.turns import episode_of, said_in, tell


def _read(text: str) -> list[str]:
    return said_in(tell(("Ann", text)))


# ---------------------------------------------------------------- who is meant


def test_i_means_the_speaker_of_each_turn() -> None:
    assert said_in(tell(("Ann", "I live in Oslo."), ("Bo", "I live in Graz."))) == ["HOLD Bo LIVES_IN Graz"]


def test_he_means_the_man_spoken_of_in_an_earlier_turn() -> None:
    turns = (("Ann", "My brother Emeka works at Acme."), ("Ann", "He moved to Graz in May."))
    assert said_in(tell(*turns)) == ["HOLD Emeka LIVES_IN Graz"]


def test_she_passes_over_a_man() -> None:
    read = _read("My sister Lea and my brother Emeka came. Emeka works at Acme. She works at Globex.")
    assert read[-1] == "HOLD Lea WORKS_AT Globex"


def test_he_among_two_of_one_sentence_is_nobody() -> None:
    assert "Acme" not in " ".join(_read("Robin told Alex that he works at Acme."))


def test_my_sister_is_known_by_name_once_it_was_told() -> None:
    turns = (("Ann", "Lea is my sister."), ("Ann", "My sister lives in Graz."))
    assert said_in(tell(*turns)) == ["HOLD Lea LIVES_IN Graz"]


def test_my_boss_is_whoever_was_told_to_be_it() -> None:
    turns = (("Ann", "I report to Teodor."), ("Ann", "My boss lives in Graz."))
    assert said_in(tell(*turns)) == ["HOLD Teodor LIVES_IN Graz"]


def test_a_short_name_means_the_full_one() -> None:
    turns = (("Mara Lindqvist", "I work at Norrsken Foods."), ("Bo", "Mara lives in Lund."))
    assert said_in(tell(*turns)) == ["HOLD Mara Lindqvist LIVES_IN Lund"]


def test_two_persons_with_one_first_name_stay_two() -> None:
    read = _read("Clara Ripoll lives in Valencia. Clara Benítez lives in Seville. Clara works at Acme.")
    assert read[:2] == ["HOLD Clara Ripoll LIVES_IN Valencia", "HOLD Clara Benítez LIVES_IN Seville"]
    assert read[2:] == ["HOLD Clara WORKS_AT Acme"]


def test_a_definite_noun_means_the_thing_of_that_kind() -> None:
    turns = (("Ann", "I own the star quilt."), ("Ann", "I sold the quilt in May."))
    assert "EVENT Ann SOLD star quilt" in said_in(tell(*turns))


def test_the_band_means_the_club_spoken_of() -> None:
    read = _read("Delphine is a member of Fuzz Garden. Pablo joined the band in May.")
    assert read[-1] == "HOLD Pablo MEMBER_OF Fuzz Garden"


def test_a_left_out_subject_is_that_of_the_clause_before() -> None:
    read = _read("Lea left her job at Acme in March and moved to Graz in May.")
    assert read == ["STOP Lea WORKS_AT Acme", "HOLD Lea LIVES_IN Graz"]


def test_the_context_gives_the_same_whether_remembered_or_read_again() -> None:
    first = episode_of("My sister Lea works at Acme.", number=0)
    second = episode_of("She moved to Graz in May.", number=1)
    warm = RuleExtractor()
    warm.read(first, ExtractionContext())
    context = ExtractionContext(previous=[first])
    assert warm.read(second, context) == RuleExtractor().read(second, context)


# ---------------------------------------------------------------- what is not said


@pytest.mark.parametrize(
    "text",
    [
        "Does Bo work at Acme?",
        "Do you think Bo lives in Graz?",
        "If Bo moves to Graz, I buy the flat.",
        "I would move to Graz in May.",
        "I want to work at Acme.",
        "I dreamt that I lived in Graz and worked at Acme.",
        "Maybe I live in Graz next year.",
        "Bo almost bought the boat.",
        "I wish I lived in Graz.",
        'She said "I will marry the dentist" and laughed.',
        "I am going to buy a boat.",
        "I think Bo works at Acme.",
        "Bo offered to lead the choir.",
        "I bought a castle in May. Just kidding!",
        "I might switch to Gold.",
        "Nobody works at Acme.",
    ],
)
def test_nothing_is_read_where_nothing_issaid_in(text: str) -> None:
    assert _read(text) == []


def test_the_assistants_offers_are_not_its_doings() -> None:
    assert said_in(tell(("assistant", "I could assign CASE-9120 to Mayra. I live in the cloud."))) == []


def test_what_the_assistant_reports_issaid_in() -> None:
    assert said_in(tell(("assistant", "Order 5531 has been shipped today."))) == ["HOLD Order 5531 STATUS shipped"]


def test_a_condition_does_not_silence_the_part_before_it() -> None:
    read = _read("We live in Graz since May, the boat comes in July if the ice melts.")
    assert read == ["HOLD Ann LIVES_IN Graz"]


def test_a_tag_question_leaves_what_wassaid_in() -> None:
    assert _read("I work at Acme, is that weird?") == ["HOLD Ann WORKS_AT Acme"]


# ---------------------------------------------------------------- kinds


def test_tense_and_denial_turn_a_fact() -> None:
    assert _read("Bo used to work at Acme.") == ["PAST Bo WORKS_AT Acme"]
    assert _read("Bo no longer works at Acme.") == ["STOP Bo WORKS_AT Acme"]
    assert _read("Bo does not work at Acme any more.") == ["STOP Bo WORKS_AT Acme"]
    assert _read("Bo is still at Acme Foods.") == ["HOLD Bo WORKS_AT Acme Foods"]


def test_a_denial_takes_back_only_what_was_told() -> None:
    assert _read("I own no motorbike.") == []
    turns = (("Zeki", "Lale owns a motorbike."), ("Lale", "I own no motorbike."))
    assert said_in(tell(*turns)) == ["NEVER Lale OWNS motorbike"]


def test_used_to_and_now_give_both() -> None:
    assert _read("I used to work at Acme but now I am at Globex.") == [
        "PAST Ann WORKS_AT Acme",
        "HOLD Ann WORKS_AT Globex",
    ]


def test_a_switch_ends_the_one_and_begins_the_other() -> None:
    read = tell(("Ann", "I switched from Django to Rails in May."))
    assert said_in(read) == ["STOP Ann USES Django", "HOLD Ann USES Rails"]
    assert [s.times[0].role for s in read] == [TimeRole.END, TimeRole.START]


# ---------------------------------------------------------------- corrections


def test_a_corrected_object_replaces_the_old_one() -> None:
    turns = (("Ann", "I work at Acme since May 2024."), ("Ann", "Sorry, it is Globex, not Acme."))
    never, hold = tell(*turns)
    assert said_in([never, hold]) == ["NEVER Ann WORKS_AT Acme", "HOLD Ann WORKS_AT Globex"]
    assert hold.start is not None
    assert hold.start.lo == to_instant(datetime(2024, 5, 1, tzinfo=UTC))


def test_a_corrected_deadline_replaces_the_old_day() -> None:
    turns = (("Ann", "The deadline of the mural is 15 May 2026."), ("Bo", "It says 18 May 2026, not 15 May 2026."))
    assert said_in(tell(*turns)) == ["NEVER mural DEADLINE 2026-05-15", "HOLD mural DEADLINE 2026-05-18"]


def test_a_corrected_event_is_moved() -> None:
    turns = (("Ann", "I visited Rome on 3 May 2026."), ("Ann", "It was 5 May 2026, not 3 May 2026."))
    never, event = tell(*turns)
    assert said_in([never, event]) == ["NEVER Ann VISITED Rome", "EVENT Ann VISITED Rome"]
    assert never.start is None
    assert event.times[0].text == "5 May 2026"


def test_a_finer_day_dates_the_fact_again() -> None:
    turns = (("Ann", "I met Bo in May 2026."), ("Ann", "To be exact it was the 25th of May 2026."))
    (event,) = tell(*turns)
    assert (event.relation, event.times[0].text) == ("MET", "the 25th of May 2026")


def test_a_typo_takes_the_new_number_with_the_old_unit() -> None:
    turns = (("Ann", "The rate of the loan is 4.9 %."), ("Ann", "It was 4.7, not 4.9."))
    assert said_in(tell(*turns)) == ["NEVER loan RATE 4.9 %", "HOLD loan RATE 4.7 %"]


def test_a_correction_of_something_never_told_says_nothing() -> None:
    assert _read("It is Globex, not Acme.") == []


# ---------------------------------------------------------------- time words


def test_time_words_stay_verbatim_with_their_role() -> None:
    (statement,) = tell(("Ann", "I joined the Iron Hall on 1 April 2023."))
    assert [(t.text, t.role) for t in statement.times] == [("on 1 April 2023", TimeRole.START)]


def test_each_fact_of_a_sentence_keeps_its_own_date() -> None:
    read = tell(("Ann", "I visited Rome on 3 May 2026 and Paris on 5 May 2026."))
    assert [(s.object, s.times[0].text) for s in read] == [("Rome", "on 3 May 2026"), ("Paris", "on 5 May 2026")]


def test_a_date_at_the_head_counts_for_the_clause() -> None:
    (statement,) = tell(("Ann", "In May 2024 Bo moved to Graz."))
    assert statement.times[0].text == "In May 2024"


def test_the_same_night_means_the_night_named_before() -> None:
    read = tell(("Ann", "Bo left the Tidecallers on 5 May 2026, and joined the Emberwake the same night."))
    assert [s.times[0].text for s in read] == ["on 5 May 2026", "on 2026-05-05"]


def test_since_january_alone_dates_the_sentence_before() -> None:
    (statement,) = tell(("Ann", "Lale owns a motorbike! Since January 2026."))
    assert statement.times[0].text == "Since January 2026"


def test_an_appointment_is_a_fact_with_its_day_as_object() -> None:
    assert _read("My check-up was moved to 6 October 2026.") == ["HOLD check-up SCHEDULED_FOR 2026-10-06"]


# ---------------------------------------------------------------- records


def _record(text: str) -> list[str]:
    episode = episode_of(text, speaker=None, source=Source.JSON)
    return said_in(RuleExtractor().read(episode, ExtractionContext()).statements)


def test_a_flat_record_becomes_claims_by_its_keys() -> None:
    read = _record('{"ticket": "TLY-204", "status": "open", "assignee": "Renske", "priority": "P3", "note": "x"}')
    assert read == ["HOLD TLY-204 STATUS open", "HOLD TLY-204 ASSIGNED_TO Renske", "HOLD TLY-204 PRIORITY P3"]


def test_a_nested_record_tells_of_its_parts() -> None:
    read = _record(
        '{"project": "Well", "lead": {"name": "Mutua", "email": "m@x.example"}, "location": {"site": "Karri"}}'
    )
    assert "HOLD Well LED_BY Mutua" in read
    assert "HOLD Well LOCATED_IN Karri" in read


def test_a_list_of_records_tells_of_each() -> None:
    read = _record('[{"id": 41, "depot": "north"}, {"id": 14, "depot": "south"}]')
    assert read == ["HOLD 41 LOCATED_IN north", "HOLD 14 LOCATED_IN south"]


def test_a_person_is_read_by_the_keys_of_persons() -> None:
    read = _record('{"user": "Bo", "city": "Graz", "company": "Acme", "title": "welder"}')
    assert read == ["HOLD Bo LIVES_IN Graz", "HOLD Bo WORKS_AT Acme", "HOLD Bo HAS_ROLE welder"]


def test_a_number_keeps_the_digits_it_was_written_with() -> None:
    assert _record('{"hive": 3, "weight_kg": 44.0}') == ["HOLD hive 3 WEIGHT 44.0"]


def test_a_record_of_a_test_bed_states_nothing() -> None:
    assert _record('{"service": "Gantry", "env": "staging", "version": "9.3"}') == []


def test_text_that_only_claims_to_be_json_is_read_as_prose() -> None:
    assert _record("I am no JSON") == []


# ---------------------------------------------------------------- robustness


@pytest.mark.parametrize(
    "text", ["", " ", "?!", "·", "''", "a" * 20_000, "(" * 500, "and " * 2_000, "\ue000 I own a boat."]
)
def test_odd_texts_are_read_without_complaint(text: str) -> None:
    assert isinstance(RuleExtractor().read(episode_of(text or " "), ExtractionContext()).statements, tuple)


_WORDS = st.sampled_from(
    "I she they Bo Lea Acme Graz work works moved lives in at to the a my sister not never used if since May 2024 , . ? ' and but "
    'who is was has 3 % € (x) "y"'.split()
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_WORDS, max_size=25).map(" ".join))
def test_any_words_give_well_formed_statements(text: str) -> None:
    for s in RuleExtractor().read(episode_of(text + "."), ExtractionContext()).statements:
        assert s.subject.strip()
        assert s.object.strip()
        assert s.quote is None or 0 <= s.quote[0] <= s.quote[1] <= len(text) + 1


async def test_extract_and_read_agree() -> None:
    episode, context = episode_of("I work at Acme."), ExtractionContext()
    assert await RuleExtractor().extract(episode, context) == RuleExtractor().read(episode, context)


def test_another_name_that_was_told_means_the_same_person() -> None:
    turns = (("Robert Hale", "Please call me Bob."), ("Ann", "Bob lives in Graz."), ("Ann", "@Bob works at Acme."))
    assert said_in(tell(*turns[:2])) == ["HOLD Robert Hale LIVES_IN Graz"]
    assert said_in(tell(*turns)) == ["HOLD Robert Hale WORKS_AT Acme"]


def test_a_stated_other_name_is_handed_on() -> None:
    read = RuleExtractor().read(episode_of("Please call me Bob.", speaker="Robert Hale"), ExtractionContext())
    assert read.aliases == (("Bob", "Robert Hale"),)


def test_in_a_talk_of_two_he_is_not_the_other_one() -> None:
    turns = [("Ann" if i % 2 else "Bo", "Lovely day.") for i in range(6)]
    assert said_in(tell(*turns, ("Bo", "He works at Acme."))) == []


def test_other_keys_can_be_given_for_records() -> None:
    table = resources.read("ingest/rules/records.toml").replace(
        'PRIORITY = "priority', 'PRIORITY = "dringlichkeit priority'
    )
    episode = episode_of('{"ticket": "TLY-1", "dringlichkeit": "hoch"}', speaker=None, source=Source.JSON)
    read = RuleExtractor(record_keys=keys_from(table)).read(episode, ExtractionContext())
    assert said_in(read.statements) == ["HOLD TLY-1 PRIORITY hoch"]
