"""What is told of an open relation itself, in every store: known from a day on, corrected, taken back, copied, erased."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory, NewClaim, NewEpisode, Query, Relation, Rivalry, SearchTarget, Slot, Window
from graphmem.copying import copy_store
from graphmem.errors import InvalidInput
from graphmem.stores import open_store
from graphmem.timeline.instants import to_instant
from tests.clocks import SetClock, day

SAID = day("2026-01-01")
NOW = day("2026-06-01")
BEFORE = NOW + timedelta(hours=1)
"""When the mentors were told and nothing yet of the relation."""


@pytest.fixture
async def memory(store_url: str) -> AsyncIterator[Memory]:
    """Told one mentor a month from January on, and on 2 June which of them count."""
    async with await Memory.open(store_url, clock=SetClock(NOW)) as opened:
        for number, name in enumerate(("Bo", "Cy", "Di")):
            await mentored(opened, name, SAID + timedelta(days=30 * number))
        clock_of(opened).set(NOW + timedelta(days=1))
        yield opened


def clock_of(memory: Memory) -> SetClock:
    clock = memory._ingestion.clock
    assert isinstance(clock, SetClock)
    return clock


async def mentored(memory: Memory, name: str, said_at: datetime, *, group_id: str = "default") -> None:
    claim = NewClaim(subject="Ann", relation="MENTORED_BY", object=name)
    episode = NewEpisode(text=f"{name} mentors Ann", episode_id=f"e-{name}", group_id=group_id, said_at=said_at)
    await memory.add_claims([claim], group_id=group_id, episode=episode)


async def mentors(memory: Memory, known_at: datetime | None = None, group_id: str = "default") -> list[str]:
    facts = await memory.facts(relation="MENTORED_BY", at=NOW, known_at=known_at, group_ids=group_id)
    return [fact.object.name for fact in facts]


async def test_a_new_value_ends_the_old_one_from_the_day_that_is_known(memory: Memory) -> None:
    assert await mentors(memory) == ["Bo", "Cy", "Di"]

    receipt = await memory.set_rivalry("MENTORED_BY", "subj", reason="one at a time")

    assert await mentors(memory) == ["Di"]
    assert await mentors(memory, known_at=BEFORE) == ["Bo", "Cy", "Di"]
    whole = await memory.facts(relation="MENTORED_BY", during=(None, None))
    assert [(f.object.name, f.invalid_at) for f in whole] == [
        ("Bo", SAID + timedelta(days=30)),
        ("Cy", SAID + timedelta(days=60)),
        ("Di", None),
    ]
    assert (len(receipt.redated), receipt.added, receipt.closed) == (2, (), ())
    (known,) = await memory.rivalries()
    assert (known.relation, known.rivalry, known.claim.episode_id) == ("MENTORED_BY", Rivalry.SUBJ, receipt.episode_id)
    assert await memory.rivalries(known_at=BEFORE) == []
    assert await memory.verify() == []


async def test_what_comes_later_is_folded_as_was_told_and_the_last_word_counts(memory: Memory) -> None:
    await memory.set_rivalry("MENTORED_BY", Rivalry.SUBJ)
    clock_of(memory).tick(timedelta(days=1))
    await mentored(memory, "Ed", SAID + timedelta(days=45))  # told late: between Cy and Di
    assert [f.object.name for f in await memory.facts(relation="MENTORED_BY", at=SAID + timedelta(days=50))] == ["Ed"]

    clock_of(memory).tick(timedelta(days=1))
    await memory.set_rivalry("MENTORED_BY", Rivalry.NONE)
    assert await mentors(memory) == ["Bo", "Cy", "Ed", "Di"]
    clock_of(memory).tick(timedelta(days=1))
    older = await memory.set_rivalry("MENTORED_BY", Rivalry.SUBJ, said_at=SAID)
    assert await mentors(memory) == ["Bo", "Cy", "Ed", "Di"]
    assert (older.added, older.closed, older.redated) == ((), (), ())
    assert [f.object.name for f in await memory.facts(relation="MENTORED_BY", at=NOW, known_at=day("2026-06-03"))] == [
        "Di"
    ]
    assert await memory.verify() == []


async def test_where_either_end_is_one_at_a_time_a_mentor_has_one_too(memory: Memory) -> None:
    await memory.add_claims(
        [NewClaim(subject="Zed", relation="MENTORED_BY", object="Di")], said_at=SAID + timedelta(days=90)
    )
    await memory.set_rivalry("MENTORED_BY", "both")
    facts = await memory.facts(relation="MENTORED_BY", at=NOW)
    assert [(f.subject.name, f.object.name) for f in facts] == [("Zed", "Di")]
    assert await memory.verify() == []


async def test_it_is_taken_back_like_anything_that_was_told(memory: Memory) -> None:
    before = await mentors(memory)
    receipt = await memory.set_rivalry("MENTORED_BY", "subj")
    clock_of(memory).tick(timedelta(days=1))

    await memory.retract(episode_id=receipt.episode_id)

    assert await mentors(memory) == before
    assert await memory.rivalries() == []
    assert await mentors(memory, known_at=NOW + timedelta(days=1, seconds=1)) == ["Di"]
    assert await memory.verify() == []


async def test_erased_it_was_never_told_at_any_moment_of_knowing(memory: Memory) -> None:
    receipt = await memory.set_rivalry("MENTORED_BY", "subj")
    clock_of(memory).tick(timedelta(days=1))
    await mentored(memory, "Ed", SAID + timedelta(days=120))
    assert await mentors(memory) == ["Ed"]

    report = await memory.erase(episode_id=receipt.episode_id)

    assert (report.claims, report.entities) == (1, 2)
    assert await mentors(memory) == ["Bo", "Cy", "Di", "Ed"]
    assert await mentors(memory, known_at=NOW + timedelta(days=1, seconds=1)) == ["Bo", "Cy", "Di"]
    assert await memory.rivalries(known_at=NOW + timedelta(days=1, seconds=1)) == []
    assert await memory.verify() == []


async def test_an_erasure_of_something_else_leaves_the_history_that_it_made(memory: Memory) -> None:
    await memory.set_rivalry("MENTORED_BY", "subj")
    clock_of(memory).tick(timedelta(days=1))

    await memory.erase(episode_id="e-Di")

    assert await mentors(memory) == ["Cy"]
    assert await mentors(memory, known_at=BEFORE) == ["Bo", "Cy"]
    assert await mentors(memory, known_at=NOW + timedelta(days=1, seconds=1)) == ["Cy"]
    assert await memory.verify() == []


async def test_an_erasure_also_undoes_what_it_did_while_the_relation_was_thought_to_be_another(memory: Memory) -> None:
    first = await memory.set_rivalry("MENTORED_BY", "subj")
    clock_of(memory).tick(timedelta(days=1))
    await memory.set_rivalry("MENTORED_BY", "none")
    then = NOW + timedelta(days=1, hours=1)
    assert await mentors(memory, known_at=then) == ["Di"]
    clock_of(memory).tick(timedelta(days=1))

    await memory.erase(episode_id="e-Di")

    assert await mentors(memory, known_at=then) == ["Cy"]
    assert await mentors(memory) == ["Bo", "Cy"]
    await memory.retract(episode_id=first.episode_id)
    assert await mentors(memory, known_at=then) == ["Cy"]
    assert await memory.verify() == []


async def test_what_is_told_in_one_group_rules_that_group_alone(memory: Memory) -> None:
    for name in ("Bo", "Cy"):
        await mentored(memory, name, SAID, group_id="other")
    await memory.set_rivalry("MENTORED_BY", "subj")
    assert await mentors(memory, group_id="other") == ["Bo", "Cy"]
    assert await memory.rivalries(group_id="other") == []


async def test_a_declaration_wins_for_good(memory: Memory) -> None:
    await memory.set_rivalry("MENTORED_BY", "subj")
    clock_of(memory).tick(timedelta(days=1))
    await memory.declare([Relation(name="MENTORED_BY")])
    assert await mentors(memory) == ["Bo", "Cy", "Di"]
    assert await memory.rivalries() == []
    with pytest.raises(InvalidInput, match="no open relation"):
        await memory.set_rivalry("MENTORED_BY", "subj")
    assert await memory.verify() == []


async def test_it_is_no_fact_of_the_world_and_no_search_finds_it(memory: Memory) -> None:
    await memory.set_rivalry("MENTORED_BY", "subj")
    assert {f.relation for f in await memory.facts(during=(None, None), possible=True)} == {"MENTORED_BY"}
    targets = [SearchTarget.FACT, SearchTarget.ENTITY]
    found = await memory.search("mentored by value rivalry relation", targets=targets)
    assert {hit.facts[0].object.name for hit in found if hit.facts} == {"Bo", "Cy", "Di"}
    assert {hit.entity.name for hit in found if hit.entity} <= {"Ann", "Bo", "Cy", "Di"}
    assert await memory.entities("MENTORED_BY") == []


async def test_a_question_goes_by_what_was_known_of_the_relation_then(memory: Memory) -> None:
    await memory.add_claims([NewClaim(subject="Zed", relation="LIKES", object="tea")], said_at=SAID)
    await memory.set_rivalry("MENTORED_BY", "subj")
    [ann], [zed] = await memory.entities("Ann"), await memory.entities("Zed")
    is_zed = Query(
        slot=Slot.YES_NO,
        group_ids=("default",),
        asked_at=NOW,
        subjects=(ann.entity_id,),
        relations=("MENTORED_BY",),
        objects=(zed.entity_id,),
        window=Window.at(to_instant(NOW)),
    )
    answer = await memory.query(is_zed)
    assert (answer.is_known, answer.values) == (True, ("no",))  # Di is, and nobody beside her
    answer = await memory.query(replace(is_zed, known_at=to_instant(BEFORE)))
    assert not answer.is_known


async def test_a_copy_carries_it(memory: Memory, tmp_path: Path, store_url: str) -> None:
    await memory.set_rivalry("MENTORED_BY", "subj")
    await memory.close()
    source, target = open_store(store_url), open_store(str(tmp_path / "copy.db"))
    await source.ensure_schema()
    await copy_store(source, target)
    await source.close()
    async with await Memory.open(target, clock=SetClock(NOW + timedelta(days=9))) as copied:
        assert [one.rivalry for one in await copied.rivalries()] == [Rivalry.SUBJ]
        await mentored(copied, "Ed", SAID + timedelta(days=120))
        assert await mentors(copied) == ["Ed"]
