"""Questions in words become the query they mean, in wordings that are no examples of the table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.model import Window
from graphmem.retrieve.query import Hop, Position, Query, Slot
from graphmem.timeline import Relation
from graphmem.timeline.instants import to_instant
from tests.retrieve.small_memory import Memory, granule, moment

WORDINGS = """
Which firm employs Ines? | Ines Duarte WORKS_AT Bellwether Ltd; Ines Duarte LIVES_IN Porto | value WORKS_AT s
Who's on the payroll at Bellwether? | Ines Duarte WORKS_AT Bellwether Ltd | who WORKS_AT o
When did Ines quit Bellwether? | Ines Duarte WORKS_AT Bellwether Ltd | end WORKS_AT so
How long was Ines with Bellwether? | Ines Duarte WORKS_AT Bellwether Ltd | span WORKS_AT so
Is Ines still working at Bellwether? | Ines Duarte WORKS_AT Bellwether Ltd | yes_no WORKS_AT so
What position does Ines hold? | Ines Duarte HAS_ROLE analyst | value HAS_ROLE s
Who's Ines's superior? | Ines Duarte REPORTS_TO Tom Reyes | value REPORTS_TO s
Who answers to Tom Reyes? | Ines Duarte REPORTS_TO Tom Reyes | who REPORTS_TO o
Who chairs the Elm Street Choir? | Elm Street Choir LED_BY Nadia; Ines Duarte MEMBER_OF Elm Street Choir | value LED_BY s
Who sings in the Elm Street Choir? | Ines Duarte MEMBER_OF Elm Street Choir; Elm Street Choir LED_BY Nadia | who MEMBER_OF o
Until when did Nadia lead the choir? | Elm Street Choir LED_BY Nadia | end LED_BY so
When did Ines move to Porto? | Ines Duarte LIVES_IN Porto; Ines Duarte VISITED Braga | start LIVES_IN so
Which school does little Mia attend? | Mia STUDIES_AT Birch School; Mia STUDIES violin | value STUDIES_AT s
Who gives Mia violin lessons? | Mia TAUGHT_BY Mr Stone; Mia STUDIES violin | value TAUGHT_BY s
When did Ruben and Karl get married? | Ruben MARRIED_TO Karl | start MARRIED_TO so
Who is the father of Mia? | Karl PARENT_OF Mia | who PARENT_OF o
What are the names of Karl's children? | Karl PARENT_OF Mia | value PARENT_OF s
Who does Rex belong to? | Karl HAS_PET Rex | who HAS_PET o
What name does the boat go by? | boat NAMED Sea Wolf | value NAMED s
Whose cottage is it? | cottage OWNED_BY Karl | value OWNED_BY s
Which cloud does the shop backend run on? | shop backend HOSTED_ON Nimbus | value HOSTED_ON s
On what number can Lena be reached? | Lena PHONE_NUMBER 555-1234; Lena PHONE Pixel 8 | value PHONE_NUMBER s
How much ramipril does Lena take? | Lena TAKES ramipril; ramipril DOSE 5 mg | value DOSE s
Is Lena allergic to nuts? | Lena ALLERGIC_TO nuts | yes_no ALLERGIC_TO so
How expensive is the bike? | bike PRICE 300 | value PRICE s
How big was the design team? | design team HEADCOUNT 8 | value HEADCOUNT s
When was ticket 77 resolved? | ticket 77 STATUS resolved | start STATUS so
Whose desk is ticket 77 on? | ticket 77 STATUS open; ticket 77 ASSIGNED_TO Bea | value ASSIGNED_TO s
By when does the report have to be finished? | report DEADLINE 2026-07-01 | value DEADLINE s
What is in the attic? | tent LOCATED_IN attic | who LOCATED_IN o
When was Lena last in Peru? | Lena VISITED Peru | start VISITED so
How often has Lena been to Peru? | Lena VISITED Peru | spells VISITED so
When was Bellwether founded? | Tom FOUNDED Bellwether Ltd | start FOUNDED o
When did Bellwether take over Osprey? | Bellwether Ltd ACQUIRED Osprey | start ACQUIRED so
What was the first car Karl drove? | Karl DRIVES Volvo | nth DRIVES s
What did Ines use to play? | Ines Duarte PLAYS harp | past PLAYS s
Give me all the jobs Ines has had. | Ines Duarte HAS_ROLE analyst | history HAS_ROLE s
Did Ines ever live in Rome? | Ines Duarte LIVES_IN Porto; Tom LIVES_IN Rome | yes_no LIVES_IN so
"""


@pytest.mark.parametrize("line", WORDINGS.strip().splitlines(), ids=lambda line: line.split(" | ")[0])
def test_a_wording_is_understood(line: str) -> None:
    question, facts, wanted = line.split(" | ")
    slot, relation, ends = wanted.split()
    query = Memory.of(*facts.split("; ")).read(question)
    assert query is not None
    assert (query.slot, query.relations) == (slot, (relation,))
    assert ("s" if query.subjects else "") + ("o" if query.objects else "") == ends


def read(question: str, *facts: str, asked_at: str = "2026-06-03") -> Query:
    query = Memory.of(*facts).read(question, asked_at)
    assert query is not None
    return query


# ---- what no fact is known of


def test_a_question_without_a_known_name_is_not_understood() -> None:
    assert Memory.of("Ines WORKS_AT Acme").read("Where does Zebedee work?") is None


def test_a_word_of_no_relation_is_not_answered_from_linking_words() -> None:
    assert Memory.of("Ines WORKS_AT Acme").read("What is Acme's turnover?") is None


def test_the_question_asks_for_its_own_relation_even_where_another_is_known() -> None:
    assert read("Where does Ines live?", "Ines WORKS_AT Acme").relations == ("LIVES_IN",)


def test_between_two_people_the_wording_decides_even_against_the_facts() -> None:
    query = read("Who does Tom report to?", "Ines REPORTS_TO Tom")
    assert (query.relations[0], query.subjects, query.objects) == ("REPORTS_TO", ("Tom",), ())


def test_both_names_are_kept_where_no_fact_joins_them() -> None:
    query = read("When did Ines join Globex?", "Ines WORKS_AT Acme", "Tom WORKS_AT Globex")
    assert (query.slot, query.subjects, query.objects) == (Slot.START, ("Ines",), ("Globex",))


def test_a_name_of_the_question_is_not_its_answer() -> None:
    query = Memory.of("Lena SOLD kayak").read("Who did Lena sell the kayak to?")
    assert query is None or "SOLD" not in query.relations


@pytest.mark.parametrize(
    "question", ["When did Zebedee join Acme?", "Does Ines know Zebedee?", "How long was Zebedee at Acme?"]
)
def test_a_name_nobody_knows_is_not_passed_over(question: str) -> None:
    assert Memory.of("Ines WORKS_AT Acme", "Ines FRIEND_OF Tom").read(question) is None


# ---- one after another


@pytest.mark.parametrize(
    ("question", "position", "obj"),
    [
        ("Who succeeded Nadia as head of the archive?", Position.AFTER, "Nadia"),
        ("Who took over the archive from Nadia?", Position.AFTER, "Nadia"),
        ("Who did Otto replace at the archive?", Position.BEFORE, "Otto"),
        ("Who was Otto's predecessor?", Position.BEFORE, "Otto"),
    ],
)
def test_who_follows_and_who_precedes_is_counted_from_the_one_named(
    question: str, position: Position, obj: str
) -> None:
    query = read(question, "archive LED_BY Nadia", "archive LED_BY Otto")
    assert query.anchor is not None
    assert (query.slot, query.subjects, query.anchor.position, query.anchor.objects) == (
        Slot.VALUE,
        ("archive",),
        position,
        (obj,),
    )


# ---- relations of the user's own


@pytest.mark.parametrize(
    ("question", "relation", "ends"),
    [
        ("Who sponsors Harbour FC?", "SPONSORED_BY", "s"),
        ("Who is the sponsor of Harbour FC?", "SPONSORED_BY", "s"),
        ("What is Harbour FC's mascot?", "HAS_MASCOT", "s"),
        ("Who does Volta sponsor?", "SPONSORED_BY", "o"),
    ],
)
def test_a_declared_relation_is_found_by_the_words_of_its_name(question: str, relation: str, ends: str) -> None:
    memory = Memory.of(
        "Harbour FC SPONSORED_BY Volta",
        "Harbour FC HAS_MASCOT Otter",
        "Harbour FC COACHED_BY Bea",
        relations=[Relation(name="SPONSORED_BY"), Relation(name="HAS_MASCOT")],
    )
    query = memory.read(question)
    assert query is not None
    assert query.relations == (relation,)
    assert ("s" if query.subjects else "") + ("o" if query.objects else "") == ends


# ---- walks


@pytest.mark.parametrize(
    ("question", "facts", "path"),
    [
        (
            "Where does Ines's boss live?",
            ("Ines REPORTS_TO Tom", "Tom LIVES_IN Faro"),
            (Hop(relations=("REPORTS_TO",)), Hop(relations=("LIVES_IN",))),
        ),
        (
            "Who is the CEO of the company Ines works for?",
            ("Ines WORKS_AT Acme", "Kim CEO_OF Acme"),
            (Hop(relations=("WORKS_AT",)), Hop(relations=("CEO_OF",), inverse=True)),
        ),
        (
            "What does the person who reports to Tom earn?",
            ("Ines REPORTS_TO Tom", "Ines SALARY 4000"),
            (Hop(relations=("REPORTS_TO",), inverse=True), Hop(relations=("SALARY",))),
        ),
        (
            "On which island is Ines staying?",
            ("Ines STAYS_AT Pension Mare", "Pension Mare LOCATED_IN Vis"),
            (Hop(relations=("STAYS_AT",)), Hop(relations=("LOCATED_IN",))),
        ),
        (
            "What's the name of the cat Ines's sister has?",
            ("Ines SIBLING_OF Eva", "Eva HAS_PET Momo"),
            (Hop(relations=("SIBLING_OF",)), Hop(relations=("HAS_PET",))),
        ),
    ],
)
def test_a_relational_noun_or_clause_is_walked(question: str, facts: tuple[str, ...], path: tuple[Hop, ...]) -> None:
    query = read(question, *facts)
    assert (query.slot, query.path) == (Slot.PATH, path)


# ---- times


def test_a_time_without_a_word_of_knowing_is_valid_time() -> None:
    query = read("Where did Ines work in April 2026?", "Ines WORKS_AT Acme")
    april = granule("2026-04")
    assert (query.window, query.known_at) == (Window(start=april.lo, until=april.hi), None)


def test_a_time_beside_a_word_of_knowing_is_when_it_was_known() -> None:
    query = read("On 20 May 2026, where did we think Ines worked?", "Ines WORKS_AT Acme")
    assert (query.window, query.known_at) == (None, granule("2026-05-20").hi - 1)


def test_what_was_really_so_is_asked_of_valid_time() -> None:
    query = read("Which office did we really have for Ines on 20 May 2026?", "Ines LOCATED_IN Room 4")
    assert (query.window is not None, query.known_at) == (True, None)


def test_how_many_in_the_present_counts_what_is_now() -> None:
    query = read("How many cats does Ines have?", "Ines HAS_PET Momo", "Ines HAS_PET Rex")
    assert (query.slot, query.window) == (Slot.COUNT, Window.at(to_instant(moment("2026-06-03"))))


def test_how_many_ever_counts_all_time() -> None:
    assert read("How many employers has Ines had?", "Ines WORKS_AT Acme").window is None


def test_a_name_that_looks_like_a_day_is_no_time() -> None:
    query = read("When did Monday acquire Hollunder?", "Monday ACQUIRED Hollunder")
    assert (query.subjects, query.window) == (("Monday",), None)


def test_digits_of_a_name_are_no_time() -> None:
    assert read("Who handles ticket 2025?", "ticket 2025 ASSIGNED_TO Bea").window is None


JOBS = (
    "Ines WORKS_AT Acme",
    "Ines WORKS_AT Globex",
    "Ines LIVES_IN Porto",
    "Ines REPORTS_TO Tom",
    "Ines VISITED Bruges",
)


@pytest.mark.parametrize(
    ("question", "position", "relation", "obj"),
    [
        ("Where did Ines work before she joined Globex?", Position.BEFORE, "WORKS_AT", "Globex"),
        ("Where did Ines work before Globex?", Position.BEFORE, "WORKS_AT", "Globex"),
        ("Where did Ines work after she left Acme?", Position.AFTER, "WORKS_AT", "Acme"),
        ("Where did Ines work when she moved to Porto?", Position.START, "LIVES_IN", "Porto"),
        ("Where did Ines work when she lived in Porto?", Position.DURING, "LIVES_IN", "Porto"),
        ("Where did Ines live while she was at Acme?", Position.DURING, "WORKS_AT", "Acme"),
        ("Where did Ines work when Tom became her boss?", Position.START, "REPORTS_TO", "Tom"),
        ("Which towns had Ines visited before Bruges?", Position.UNTIL, "VISITED", "Bruges"),
    ],
)
def test_a_clause_fixes_the_time_by_the_fact_it_speaks_of(
    question: str, position: Position, relation: str, obj: str
) -> None:
    anchor = read(question, *JOBS).anchor
    assert anchor is not None
    assert (anchor.position, anchor.relations, anchor.objects) == (position, (relation,), (obj,))


def test_looking_after_something_is_no_time() -> None:
    query = read("Who is looking after the freezer?", "freezer ASSIGNED_TO Bea")
    assert (query.anchor, query.relations) == (None, ("ASSIGNED_TO",))


# ---- everything, and what changed


def test_all_that_is_known_is_asked_without_a_relation() -> None:
    query = read("What do you know about Ines?", *JOBS)
    assert (query.slot, query.subjects, query.relations) == (Slot.VALUE, ("Ines",), ())


def test_what_changed_is_asked_without_a_relation() -> None:
    query = read("What has changed for Ines since May 2026?", *JOBS)
    assert (query.slot, query.subjects, query.relations) == (Slot.CHANGES, ("Ines",), ())


def test_what_changed_may_be_asked_of_everything() -> None:
    query = read("What has changed since May 2026?", *JOBS)
    assert (query.slot, query.subjects, query.relations) == (Slot.CHANGES, (), ())
    assert query.window is not None


@given(
    st.lists(
        st.sampled_from(
            "who what where when which how many did does was is the of in at to for before after work live lead Ines Acme Globex she her 's ? , 2026 May name first used know".split()
        ),
        max_size=14,
    )
)
@settings(max_examples=150, deadline=None)
def test_no_run_of_words_is_an_error(words: list[str]) -> None:
    query = Memory.of(*JOBS).read(" ".join(words).replace(" 's", "'s"))
    assert query is None or query.group_ids


def test_the_unit_that_is_asked_for_is_kept() -> None:
    step = read("How many months did Ines work at Acme?", *JOBS).step
    assert step is not None
    assert step.value == "month"
