"""What of an answer is believed: quotes, names and time words that stand in the text, and one bad item costs one item."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.errors import MalformedAnswer
from graphmem.ingest.by_model.grounding import place_of
from graphmem.ingest.claim import said_moment
from graphmem.model import Entity, Name
from graphmem.ports import ExtractionContext
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.granules import Unit
from graphmem.timeline.instants import to_instant
from tests.ingest.by_model.answers import ACME, answer, episode, fact, read, said, thing

TEXT = "I work at Acme since May. Tom moved to Oslo, Mia to Bergen, Jo to Turku and Eli to Graz."


def five(**bad: object) -> str:
    """Five facts; the third has `bad` fields."""
    towns = (("Tom", "Oslo"), ("Mia", "Bergen"), ("Jo", "Turku"), ("Eli", "Graz"))
    things = [thing(1, "Ann", "person", words="I"), thing(2, "Acme")]
    facts = [fact(1, "WORKS_AT", 2, "I work at Acme", start="since May")]
    for n, (name, town) in enumerate(towns):
        things += [thing(3 + 2 * n, name, "person"), thing(4 + 2 * n, town)]
        facts.append(fact(3 + 2 * n, "LIVES_IN", 4 + 2 * n, f"{name} {'moved ' if n == 0 else ''}to {town}"))
    facts[2].update(bad)
    return answer(things, [{k: v for k, v in f.items() if v != "drop"} for f in facts])


@pytest.mark.parametrize(
    "bad",
    [
        {"quote": "drop"},
        {"object": "drop"},
        {"object": 99},
        {"object": -1},
        {"subject": "nobody"},
        {"kind": "MAYBE"},
        {"relation": ""},
        {"quote": "Mia to Paris"},
        {"certainty": "doubtful"},
        {"message": "second"},
    ],
    ids=str,
)
async def test_one_bad_fact_among_five_is_left_out_and_told_and_four_are_kept(bad: dict[str, object]) -> None:
    extraction = await read(TEXT, five(**bad))

    assert [s.subject for s in extraction.statements] == ["Ann", "Tom", "Jo", "Eli"]
    assert len(extraction.notes) == 1
    assert not any(name in extraction.notes[0] for name in ("Mia", "Bergen", "Paris"))


async def test_a_whole_answer_gives_all_its_facts_with_their_quotes() -> None:
    extraction = await read(TEXT, five())

    assert len(extraction.statements) == 5
    assert extraction.notes == ()
    begin, end = extraction.statements[2].quote or (0, 0)
    assert TEXT[begin:end] == "Mia to Bergen"
    assert (extraction.calls, extraction.tokens > 0) == (1, True)
    assert extraction.origin.startswith("scripted extract@")


async def test_a_name_that_nobody_said_is_not_believed() -> None:
    invented = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Person mentioned in no text", words="Acme Inc")],
        [fact(1, "WORKS_AT", 2, "I work at Acme")],
    )
    assert (await read("I work at Acme.", invented)).statements == ()


async def test_a_pronoun_is_nobody() -> None:
    pronoun = answer([thing(1, "He", "person"), thing(2, "Oslo")], [fact(1, "LIVES_IN", 2, "He lives in Oslo")])
    assert (await read("He lives in Oslo.", pronoun)).statements == ()


async def test_a_pronoun_that_the_context_explains_is_the_one_it_names() -> None:
    he = answer(
        [thing(1, "Tom Berg", "person", words="He"), thing(2, "Oslo")], [fact(1, "LIVES_IN", 2, "He lives in Oslo")]
    )
    context = ExtractionContext(previous=[episode("Tom Berg called.", episode_id="e0")])
    assert said((await read("He lives in Oslo.", he, context=context)).statements) == [
        ("HOLD", "Tom Berg", "LIVES_IN", "Oslo")
    ]


async def test_a_thing_called_otherwise_than_it_is_named_is_believed_by_its_words() -> None:
    told = answer(
        [thing(1, "rent", words="The rent"), thing(2, "2026-04-30", "value", words="30 April")],
        [fact(1, "DEADLINE", 2, "The rent is due on 30 April")],
    )
    assert said((await read("The rent is due on 30 April.", told)).statements) == [
        ("HOLD", "rent", "DEADLINE", "2026-04-30")
    ]


async def test_the_same_fact_twice_is_one() -> None:
    twice = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Acme")], [fact(1, "WORKS_AT", 2, "I work at Acme")] * 2
    )
    assert len((await read("I work at Acme.", twice)).statements) == 1


async def test_dates_the_wrong_way_round_are_left_out_and_the_fact_is_kept() -> None:
    reversed_dates = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Acme")],
        [fact(1, "WORKS_AT", 2, "I work at Acme", start="2024-06-01", end="2024-05-01")],
    )
    extraction = await read("I work at Acme.", reversed_dates)

    (statement,) = extraction.statements
    assert (statement.start, statement.end, statement.times) == (None, None, ())
    assert "before it begins" in extraction.notes[0]


async def test_a_date_is_the_day_in_the_zone_of_the_message() -> None:
    dated = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Acme")],
        [fact(1, "WORKS_AT", 2, "I work at Acme", start="2024-05-01")],
    )
    (statement,) = (await read("I work at Acme since then.", dated)).statements

    assert statement.start is not None
    assert statement.start.lo == to_instant(datetime(2024, 5, 1, tzinfo=UTC))
    assert statement.start.unit is Unit.DAY


async def test_time_words_that_nobody_said_are_left_out() -> None:
    dated = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Acme")],
        [fact(1, "WORKS_AT", 2, "I work at Acme", start="since last spring")],
    )
    extraction = await read("I work at Acme.", dated)

    assert extraction.statements[0].times == ()
    assert "time words" in extraction.notes[0]


async def test_words_and_dates_may_stand_side_by_side() -> None:
    dated = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Acme")],
        [fact(1, "WORKS_AT", 2, "worked at Acme until March", start="2024", end="until March")],
    )
    (statement,) = (await read("I worked at Acme until March.", dated)).statements

    alone = bounds_of(statement.kind, statement.times, said_moment(episode("x")))
    assert statement.start is not None
    assert statement.start.unit is Unit.YEAR
    assert statement.end == alone.end is not None


async def test_hearsay_names_who_says_so() -> None:
    hearsay = answer(
        [thing(1, "Tom", "person"), thing(2, "Oslo")],
        [fact(1, "LIVES_IN", 2, "Mia says Tom lives in Oslo", says="Mia")],
    )
    (statement,) = (await read("Mia says Tom lives in Oslo.", hearsay)).statements
    assert statement.told_by == "Mia"


@pytest.mark.parametrize("says", ["me", "Alice", "the speaker", "Ruth", "2", "Mia " * 100])
async def test_nobody_says_so_but_the_speaker_where_nobody_else_is_named(says: str) -> None:
    hearsay = answer(
        [thing(1, "Tom", "person"), thing(2, "Oslo")],
        [fact(1, "LIVES_IN", 2, "Mia says Tom lives in Oslo", says=says)],
    )
    (statement,) = (await read("Mia says Tom lives in Oslo.", hearsay)).statements
    assert statement.told_by is None


async def test_another_name_that_the_text_gives_is_an_alias() -> None:
    told = answer(
        [thing(1, "Robert Hale", "person", also="Bob"), thing(2, "Acme")],
        [fact(1, "WORKS_AT", 2, "Robert Hale, call him Bob, works at Acme")],
    )
    extraction = await read("Robert Hale, call him Bob, works at Acme.", told)
    assert extraction.aliases == (("Bob", "Robert Hale"),)


async def test_names_known_in_the_group_may_be_meant() -> None:
    known = ExtractionContext(
        names=[Name(group_id="g", key="globex corporation", entity_id="e_1", spelling="Globex Corporation")],
        entities={"e_1": Entity(entity_id="e_1", group_id="g", name="Globex Corporation", created_at=0)},
    )
    told = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Globex Corporation", words="there")],
        [fact(1, "WORKS_AT", 2, "I still work there")],
    )
    assert len((await read("I still work there.", told, context=known)).statements) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{ACME}\n```",
        f"<think>She works {{there}}.</think>{ACME}",
        f"Sure! Here it is: {ACME} Hope this helps",
        f'{{"answer": {ACME}}}',
        "\ufeff" + ACME,
    ],
)
async def test_what_stands_around_the_answer_does_not_matter(text: str) -> None:
    assert said((await read("I work at Acme.", text)).statements) == [("HOLD", "Ann", "WORKS_AT", "Acme")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "I'm sorry, but I can't help with that.",
        ACME[:-20],
        '{"type": "object", "properties": {"entities": {}, "facts": {}}}',
        '{"entities": 5}',
        '[{"entity_name": "Grace Hopper"}]',
        "{" * 5_000,
    ],
)
async def test_what_is_no_answer_is_asked_for_once_more_and_then_refused(text: str) -> None:
    with pytest.raises(MalformedAnswer):
        await read("I work at Acme.", text, text)
    assert len((await read("I work at Acme.", text, ACME)).statements) == 1


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("It's  mine", "no, it’s mine!", "it’s mine"),
        ("a “quoted” word", 'A "quoted" word.', 'A "quoted" word'),
        ("she moved\nto Oslo", "She moved to   Oslo", "She moved to   Oslo"),
        ("never said", "Something else.", None),
        ("I", "I work.", None),
        ("Hello", "He\U000e0041llo there", "He\U000e0041llo"),
    ],
)
def test_a_quote_is_found_where_it_stands(quote: str, text: str, found: str | None) -> None:
    place = place_of(quote, text)
    assert (None if place is None else text[slice(*place)]) == found
