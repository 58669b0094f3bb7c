"""One relation has one name, however it is spelled by whoever tells, declares or asks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graphmem.errors import InvalidInput
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Episode, Statement
from graphmem.ontology import EntityType, Ontology, RelationType
from graphmem.ports import Extraction, ExtractionContext
from graphmem.relations import builtin_relations, known_name
from graphmem.retrieve.query import Anchor, Hop, Position, Query, Slot
from graphmem.timeline.claims import Kind, Relation, Rivalry
from tests.clocks import SetClock, day

SPELLED = ["works_at", "Works at", "works-at", "WorksAt", " WORKS_AT ", "WORKS__AT"]
NOW = day("2026-06-01")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with await Memory.open(tmp_path / "m.db", clock=SetClock(NOW)) as opened:
        yield opened


async def tell(memory: Memory, relation: str, *objects: str) -> None:
    for month, obj in enumerate(objects, start=1):
        claim = NewClaim(subject="Alice", relation=relation, object=obj, start=day(f"2026-0{month}-01"))
        await memory.add_claims([claim], said_at=day(f"2026-0{month}-01"))


async def objects(memory: Memory, relation: str | None) -> list[str]:
    return [fact.object.name for fact in await memory.facts(subject="Alice", relation=relation)]


def test_no_two_built_in_relations_are_spelled_alike() -> None:
    assert {known_name(name.replace("_", " ").lower(), {}) for name in builtin_relations()} == set(builtin_relations())


@pytest.mark.parametrize("spelled", SPELLED)
async def test_what_is_told_of_a_known_relation_ends_what_was_told_before(memory: Memory, spelled: str) -> None:
    await tell(memory, "WORKS_AT", "Acme")
    claim = NewClaim(subject="Alice", relation=spelled, object="Globex", start=day("2026-02-01"))
    await memory.add_claims([claim], said_at=day("2026-02-01"))
    (fact,) = await memory.facts(subject="Alice")
    assert (fact.relation, fact.text) == ("WORKS_AT", "Alice works at Globex")


@pytest.mark.parametrize("spelled", SPELLED)
async def test_a_known_relation_is_found_by_any_spelling(memory: Memory, spelled: str) -> None:
    await tell(memory, "WORKS_AT", "Acme", "Globex")
    assert await objects(memory, spelled) == ["Globex"]


@pytest.mark.parametrize("spelled", ["works_at", "Works at"])
async def test_a_query_means_the_relation_however_it_is_spelled(memory: Memory, spelled: str) -> None:
    await tell(memory, "WORKS_AT", "Acme", "Globex")
    (alice,) = await memory.entities("Alice")
    await memory.add_claims(
        [NewClaim(subject="Alice", relation="LIVES_IN", object="Oslo", start=day("2026-01-10"), end=day("2026-01-20"))],
        said_at=NOW,
    )
    asked = Query(slot=Slot.VALUE, group_ids=("default",), asked_at=NOW, subjects=(alice.entity_id,))
    known = ("WORKS_AT",)
    for relations in (known, (spelled,)):
        plain = Query(
            slot=asked.slot, group_ids=asked.group_ids, asked_at=NOW, subjects=asked.subjects, relations=relations
        )
        assert (await memory.query(plain)).values == ("Globex",)
        colleagues = Query(
            slot=Slot.PATH,
            group_ids=asked.group_ids,
            asked_at=NOW,
            subjects=asked.subjects,
            path=(Hop(relations=relations),),
        )
        assert (await memory.query(colleagues)).values == ("Globex",)
    then = Query(
        slot=Slot.VALUE,
        group_ids=asked.group_ids,
        asked_at=NOW,
        subjects=asked.subjects,
        relations=(spelled,),
        anchor=Anchor(position=Position.DURING, subjects=asked.subjects, relations=("lives in",)),
    )
    assert (await memory.query(then)).values == ("Acme",)


async def test_a_relation_that_was_declared_in_small_letters_keeps_its_name(memory: Memory) -> None:
    await memory.declare([Relation(name="on call for", rivalry=Rivalry.SUBJ)])
    for month, spelled, obj in ((1, "on call for", "Billing"), (2, "ON_CALL_FOR", "Search")):
        claim = NewClaim(subject="Alice", relation=spelled, object=obj, start=day(f"2026-0{month}-01"))
        await memory.add_claims([claim], said_at=day(f"2026-0{month}-01"))
    for spelled in ("on call for", "ON_CALL_FOR", "OnCallFor"):
        assert await objects(memory, spelled) == ["Search"]
    assert {fact.relation for fact in await memory.facts(during=(None, None))} == {"on call for"}


async def test_an_open_relation_is_found_as_it_was_told_and_as_a_model_writes_it(memory: Memory) -> None:
    await tell(memory, "BREWED_BY", "Bo")
    await tell(memory, "aged in", "oak")
    assert await objects(memory, "brewed by") == await objects(memory, "BREWED_BY") == ["Bo"]
    assert await objects(memory, "aged in") == ["oak"]
    assert await objects(memory, "brewed") == []


async def test_nothing_is_declared_under_another_spelling_of_a_known_name(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="'WORKS_AT'"):
        await memory.declare([Relation(name="works_at")])
    await memory.declare([Relation(name="on call for")])
    with pytest.raises(InvalidInput, match="'on call for'"):
        await memory.declare([Relation(name="ON_CALL_FOR")])
    with pytest.raises(InvalidInput, match="'BREWED_BY'"):
        await memory.declare([Relation(name="BREWED_BY"), Relation(name="brewed by")])
    assert [relation.name for relation in await memory.relations()] == ["on call for"]


@pytest.mark.parametrize("spelled", SPELLED)
async def test_a_known_relation_is_no_open_one_however_it_is_spelled(memory: Memory, spelled: str) -> None:
    with pytest.raises(InvalidInput, match="'WORKS_AT' is no open relation"):
        await memory.set_rivalry(spelled, "none")
    assert await memory.rivalries() == []


# ---- an ontology, and an extractor of the user's own


class Person(EntityType):
    """A human being."""


class Company(EntityType):
    """A firm."""


class Employs(RelationType):
    """The company pays the person."""

    replaces = "-works at"


class Reads:
    """Reads one statement, whatever the text."""

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        told = Statement(kind=Kind.HOLD, subject="Alice", relation="works at", object="Acme")
        return Extraction(statements=(told,))


async def test_an_ontology_replaces_a_relation_however_it_is_spelled() -> None:
    ontology = Ontology(entities=[Person, Company], relations=[Employs])
    async with await Memory.open(":memory:", ontology=ontology, extractor=Reads()) as memory:
        await memory.add_episode("x")
        assert [(f.subject.name, f.relation) for f in await memory.facts()] == [("Acme", "EMPLOYS")]


def test_an_ontology_replaces_nothing_but_built_in_relations() -> None:
    class Pays(RelationType):
        replaces = "-EMPLOYED"

    with pytest.raises(InvalidInput, match="EMPLOYED"):
        Ontology(entities=[Person, Company], relations=[Pays])
