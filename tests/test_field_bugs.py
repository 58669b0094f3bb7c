"""What went wrong in the field with memories of this kind (ids of the collection of field bugs), told to the offline rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.new_claims import NewClaim
from graphmem.ports import SearchTarget
from graphmem.sync import SyncMemory
from tests.clocks import SetClock, day


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[SyncMemory]:
    with SyncMemory.open(tmp_path / "m.db", clock=SetClock(day("2026-12-01"))) as opened:
        yield opened


def tell(memory: SyncMemory, *said: tuple[str, str]) -> list[str]:
    return [memory.add_episode(text, speaker="Sam", said_at=day(at)).episode_id for at, text in said]


def test_g09_one_fact_told_twice_in_a_batch_has_two_sources(memory: SyncMemory) -> None:
    memory.add_episodes(
        NewEpisode(text="Lena owns the Ketch.", speaker="Sam", said_at=day(at)) for at in ("2026-01-01", "2026-01-02")
    )
    (fact,) = memory.facts(during=(None, None))
    assert len(fact.episode_ids) == 2


def test_g10_facts_of_different_kinds_do_not_end_one_another(memory: SyncMemory) -> None:
    tell(
        memory,
        ("2026-01-01", "Ivo is a nurse at Lindholm Clinic."),
        ("2026-01-02", "Ivo captains the clinic's football team."),
    )
    found = memory.facts(during=(None, None))
    assert {"Ivo is nurse", "Ivo works at Lindholm Clinic"} <= {fact.text for fact in found}
    assert all(fact.invalid_at is None for fact in found)


def test_g13_what_was_sold_is_owned_no_longer(memory: SyncMemory) -> None:
    tell(memory, ("2026-01-01", "Rhea owns a canoe."), ("2026-06-04", "Rhea sold the canoe on 3 June."))
    assert memory.facts(relation="OWNS") == []
    (owned,) = memory.facts(relation="OWNS", at=day("2026-03-01"))
    assert owned.invalid_at is not None
    assert day("2026-06-03") <= owned.invalid_at <= day("2026-06-04")


def test_g31_what_only_one_episode_named_goes_with_it(memory: SyncMemory) -> None:
    only, _ = tell(memory, ("2026-01-01", "Vex works at Umbra."), ("2026-01-02", "Bo works at Acme."))
    memory.erase(episode_id=only)
    assert memory.entities("Vex") == memory.entities("Umbra") == []
    assert memory.search("Vex Umbra", targets=list(SearchTarget)) == []
    assert memory.verify() == []


def test_g35_an_ended_home_is_no_present_one(memory: SyncMemory) -> None:
    tell(memory, ("2023-01-01", "Bo lived in Oslo until 2022."), ("2023-02-01", "Bo lives in Lyon."))
    assert memory.ask("Where does Bo live?").values == ("Lyon",)
    assert [fact.object.name for fact in memory.facts(subject="Bo")] == ["Lyon"]


def test_g36_a_correction_is_known_from_when_it_was_heard(tmp_path: Path) -> None:
    clock = SetClock(day("2026-01-05"))
    with SyncMemory.open(tmp_path / "m.db", clock=clock) as memory:
        tell(memory, ("2026-01-05", "Ana's office is in Rome."))
        clock.set(day("2026-02-09"))
        tell(memory, ("2026-02-09", "Ana's office has been in Milan since January, not Rome."))
        january = day("2026-01-20")
        (then,) = memory.facts(touching="Rome", at=january, known_at=january)
        assert then.text == "Ana's office is in Rome"
        assert [fact.object.name for fact in memory.facts(subject=then.subject.entity_id, at=january)] == ["Milan"]


def test_g48_a_fact_read_from_its_object_keeps_its_direction(memory: SyncMemory) -> None:
    memory.add_claims([NewClaim(subject="Ada", relation="MENTOR_OF", object="Bix")], said_at=day("2026-01-01"))
    for found in (memory.facts(touching="Bix"), memory.facts(object="Bix"), memory.timeline("Bix")):
        assert [(fact.subject.name, fact.object.name) for fact in found] == [("Ada", "Bix")]


def test_g68_news_of_a_relative_stands_beside_the_relation(memory: SyncMemory) -> None:
    tell(memory, ("2026-01-01", "Pim's brother is Jo."), ("2026-01-02", "Jo likes chess."))
    assert len(memory.facts()) == 2
    assert memory.ask("What does Pim's brother like?").values == ("chess",)
