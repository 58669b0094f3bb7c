"""An ontology of the user's own: types with attributes, allowed pairs, excluded types, for a model and for the offline rules."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import Field

from graphmem.errors import InvalidInput
from graphmem.inference.scripted import ScriptedModel
from graphmem.memory import Memory
from graphmem.model import EntityKind, Statement
from graphmem.ontology import IS_A, EntityType, Ontology, RelationType
from graphmem.timeline.claims import Kind, Rivalry
from tests.clocks import SetClock
from tests.ingest.by_model.answers import JUNE, answer, fact, thing


class Person(EntityType):
    """A human being, by name."""

    kind = EntityKind.PERSON
    role: Literal["auditor", "nurse"] | None = Field(default=None, description="what the person does")
    languages: list[str] = Field(default_factory=list)


class Company(EntityType):
    """A firm that pays people."""


class Animal(EntityType):
    """A pet or a wild animal."""


class Employs(RelationType):
    """The company pays the person for work."""

    pairs = ((Company, Person),)
    rivalry = Rivalry.NONE
    phrase = "{subject} employs {object}"
    replaces = "-WORKS_AT"


class MentorOf(RelationType):
    """Helps the other person grow."""

    pairs = ((Person, Person),)
    rivalry = Rivalry.SUBJ


ONTOLOGY = Ontology(entities=[Person, Company], relations=[Employs, MentorOf], excluded=[Animal])
CLOSED = Ontology(entities=[Person, Company], relations=[Employs], is_open=False)


async def told(text: str, reply: str, ontology: Ontology = ONTOLOGY) -> tuple[set[str], tuple[str, ...]]:
    model = ScriptedModel(lambda _: reply)
    async with await Memory.open(":memory:", model=model, ontology=ontology, clock=SetClock(JUNE)) as memory:
        receipt = await memory.add_episode(text, speaker="Ann", said_at=JUNE)
        return {f.text for f in await memory.facts()}, receipt.ignored


async def test_the_type_of_a_thing_and_its_attributes_are_facts() -> None:
    facts, ignored = await told(
        "Ruth is the auditor.",
        answer(
            [thing(1, "Ruth", "person", type="Person"), thing(2, "auditor", "value", type="")],
            [fact(1, "ROLE", 2, "Ruth is the auditor")],
        ),
    )
    assert facts == {"Ruth has the role auditor", "Ruth is a Person"}
    assert ignored == ()


async def test_a_thing_can_be_read_as_an_instance_of_its_type() -> None:
    told_of_ruth = answer(
        [
            thing(1, "Ruth", "person", type="Person"),
            thing(2, "auditor", "value"),
            thing(3, "Dutch", "value"),
            thing(4, "Thai", "value"),
        ],
        [
            fact(1, "ROLE", 2, "Ruth is the auditor"),
            fact(1, "LANGUAGES", 3, "speaks Dutch"),
            fact(1, "LANGUAGES", 4, "and Thai"),
        ],
    )
    model = ScriptedModel(lambda _: told_of_ruth)
    async with await Memory.open(":memory:", model=model, ontology=ONTOLOGY, clock=SetClock(JUNE)) as memory:
        await memory.add_episode("Ruth is the auditor, she speaks Dutch and Thai.", said_at=JUNE)

        ruth = ONTOLOGY.filled(await memory.facts(subject="Ruth"))

        assert isinstance(ruth, Person)
        assert ruth.role == "auditor"
        assert sorted(ruth.languages) == ["Dutch", "Thai"]
        assert ONTOLOGY.filled(await memory.facts(subject="Dutch")) is None


async def test_a_value_that_its_attribute_does_not_take_is_left_out_alone() -> None:
    facts, ignored = await told(
        "Ruth is the captain of Acme.",
        answer(
            [thing(1, "Ruth", "person", type="Person"), thing(2, "captain", "value"), thing(3, "Acme", type="Company")],
            [fact(1, "ROLE", 2, "Ruth is the captain"), fact(3, "EMPLOYS", 1, "Ruth is the captain of Acme")],
        ),
    )
    assert "Acme employs Ruth" in facts
    assert not any("captain" in text for text in facts)
    assert "role" in ignored[0]


async def test_a_relation_joins_only_the_types_it_may() -> None:
    facts, ignored = await told(
        "Rex hired Uma.",
        answer(
            [thing(1, "Rex", "person", type="Person"), thing(2, "Uma", "person", type="Person")],
            [fact(1, "EMPLOYS", 2, "Rex hired Uma")],
        ),
    )
    assert not any("employs" in text for text in facts)
    assert "may not join these types" in ignored[0]


async def test_facts_about_an_excluded_type_are_left_out() -> None:
    facts, ignored = await told(
        "I love my cat Miso and Bo.",
        answer(
            [
                thing(1, "Ann", "person", words="I", type="Person"),
                thing(2, "Miso", type="Animal"),
                thing(3, "Bo", "person"),
            ],
            [fact(1, "HAS_PET", 2, "my cat Miso"), fact(1, "LIKES", 3, "I love my cat Miso and Bo")],
        ),
    )
    assert facts == {"Ann likes Bo", "Ann is a Person"}
    assert any("excluded" in note for note in ignored)


async def test_a_closed_ontology_tells_only_its_own_relations() -> None:
    facts, ignored = await told(
        "Bo works at Acme and likes tea.",
        answer(
            [thing(1, "Bo", "person", type="Person"), thing(2, "Acme", type="Company"), thing(3, "tea")],
            [fact(2, "EMPLOYS", 1, "Bo works at Acme"), fact(1, "LIKES", 3, "likes tea")],
        ),
        CLOSED,
    )
    assert facts == {"Acme employs Bo", "Bo is a Person", "Acme is a Company"}
    assert len(ignored) == 1


async def test_the_offline_rules_follow_the_ontology_too() -> None:
    async with await Memory.open(":memory:", ontology=CLOSED, clock=SetClock(JUNE)) as memory:
        receipt = await memory.add_episode("I work at Acme. I like tea.", speaker="Ann", said_at=JUNE)

        assert [f.text for f in await memory.facts()] == ["Acme employs Ann"]
        assert any("no such relation" in note for note in receipt.ignored)


async def test_the_rivalry_of_a_relation_closes_what_it_replaces() -> None:
    replies = iter(
        [
            answer(
                [thing(1, "Ann", "person", words="I"), thing(2, "Bo", "person")],
                [fact(1, "MENTOR_OF", 2, "I mentor Bo")],
            ),
            answer(
                [thing(1, "Ann", "person", words="I"), thing(2, "Cy", "person")],
                [fact(1, "MENTOR_OF", 2, "I mentor Cy")],
            ),
        ]
    )
    model, clock = ScriptedModel(lambda _: next(replies)), SetClock(JUNE)
    async with await Memory.open(":memory:", model=model, ontology=ONTOLOGY, clock=clock) as memory:
        for text in ("I mentor Bo.", "I mentor Cy."):
            clock.tick()
            await memory.add_episode(text, speaker="Ann", said_at=clock.now())
        clock.tick()
        assert [f.object.name for f in await memory.facts(relation="MENTOR_OF")] == ["Cy"]


def test_the_model_reads_the_docstrings_and_the_attributes() -> None:
    text = ONTOLOGY.as_text()
    assert "Person: A human being, by name." in text
    assert "ROLE (what the person does)" in text
    assert "EMPLOYS (Company to Person): The company pays the person for work." in text
    assert "WORKS_AT" not in text
    assert "LIVES_IN" in text
    assert "LIVES_IN" not in CLOSED.as_text()


def test_the_relations_of_an_ontology_are_declared_with_their_rivalry() -> None:
    relations = ONTOLOGY.relations
    assert set(relations) == {IS_A, "ROLE", "LANGUAGES", "EMPLOYS", "MENTOR_OF"}
    assert relations["ROLE"].rivalry is Rivalry.SUBJ
    assert relations["LANGUAGES"].rivalry is Rivalry.NONE
    assert relations["MENTOR_OF"].rivalry is Rivalry.SUBJ


def test_two_types_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInput):
        Ontology(entities=[Person, Person])


@pytest.mark.parametrize(
    ("kinds", "stands"),
    [
        ((EntityKind.THING, EntityKind.PERSON), True),
        ((EntityKind.THING, EntityKind.THING), True),
        ((EntityKind.PERSON, EntityKind.PERSON), False),
    ],
)
def test_where_no_type_was_told_the_kind_may_speak_against_a_pair(
    kinds: tuple[EntityKind, EntityKind], stands: bool
) -> None:
    statement = Statement(
        kind=Kind.HOLD, subject="A", relation="EMPLOYS", object="B", subject_kind=kinds[0], object_kind=kinds[1]
    )
    kept, _ = ONTOLOGY.governed([statement])
    assert bool(kept) is stands
