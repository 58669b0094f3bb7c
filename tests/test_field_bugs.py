"""What went wrong in the field with memories of this kind (ids of the collection of field bugs), told to the offline rules."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import InvalidGroup
from graphmem.inference.scripted import HashingEmbedder, ScriptedModel
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.by_model.extractor import SIDE_BY_SIDE
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Episode, JobState
from graphmem.ports import Extraction, ExtractionContext, ModelAnswer, ModelRequest, SearchTarget, Verdict
from graphmem.retrieve.recipes import RECIPES
from graphmem.sync import SyncMemory
from graphmem.timeline.claims import Kind
from tests.clocks import SetClock, day
from tests.ingest.by_model.answers import answer


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


def test_g01_g02_g29_what_is_told_twice_is_kept_once_under_its_id(memory: SyncMemory) -> None:
    first = memory.add_episode("Tova moved to Riga.", episode_id="c0ffee-1", said_at=day("2026-01-01"))
    again = memory.add_episode("Tova moved to Riga.", episode_id="c0ffee-1", said_at=day("2026-01-01"))
    assert (first.episode_id, first.verdict, again.verdict) == ("c0ffee-1", Verdict.NEW, Verdict.SAME)
    assert len(memory.recent()) == len(memory.facts(during=(None, None))) == 1
    known = len(memory.entities("Tova")) + len(memory.entities("Riga"))
    verdicts = [memory.add_episode("Mika likes tea.", said_at=day("2026-01-02")).verdict for _ in range(2)]
    assert verdicts == [Verdict.NEW, Verdict.SAME]
    assert len(memory.entities("Tova")) + len(memory.entities("Riga")) == known == 2


def test_g04_numbers_that_are_nearly_equal_are_two_things(memory: SyncMemory) -> None:
    for number, what in (("SN-2031-041", "pumps"), ("SN-2031-042", "valves")):
        memory.add_claims([NewClaim(subject=f"Notice {number}", relation="COVERS", object=what)])
    assert {(f.subject.name, f.object.name) for f in memory.facts()} == {
        ("Notice SN-2031-041", "pumps"),
        ("Notice SN-2031-042", "valves"),
    }


def test_g06_a_merge_that_is_undone_leaves_both_as_they_were(memory: SyncMemory) -> None:
    for name, firm in (("J. Okafor", "Globex"), ("Jane Okafor", "Acme")):
        memory.add_claims([NewClaim(subject=name, relation="OWNS", object=firm)], said_at=day("2026-01-01"))
    before = {(f.subject.entity_id, f.text) for f in memory.facts()}
    merge = memory.merge("Jane Okafor", "J. Okafor")
    assert {f.subject.name for f in memory.facts()} == {"Jane Okafor"}
    assert [one.merge_id for one in memory.merges()] == [merge.merge_id]
    memory.unmerge(merge.merge_id)
    assert {(f.subject.entity_id, f.text) for f in memory.facts()} == before


def test_g12_a_habit_that_was_given_up_gives_way_to_the_next(memory: SyncMemory) -> None:
    for said, kind, what, when in (
        ("2023-09-21", Kind.HOLD, "green tea", {"start": day("2023-09-21")}),
        ("2023-09-22", Kind.STOP, "green tea", {"end": day("2023-09-22")}),
        ("2023-09-23", Kind.HOLD, "coffee", {"start": day("2023-09-23")}),
    ):
        claim = NewClaim(subject="Nils", relation="BREWS", object=what, kind=kind, **when)  # type: ignore[arg-type]
        memory.add_claims([claim], said_at=day(said))
    assert [f.object.name for f in memory.facts(subject="Nils")] == ["coffee"]
    assert [f.object.name for f in memory.facts(subject="Nils", at=day("2023-09-21"))] == ["green tea"]


def test_g22_one_episode_that_cannot_be_read_holds_up_no_other(tmp_path: Path) -> None:
    class FailsOnce:
        async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
            if "bad" in episode.text:
                raise RuntimeError("closed")
            return Extraction()

    with SyncMemory.open(tmp_path / "m.db", extractor=FailsOnce()) as memory:
        memory.add_episode("bad", episode_id="e1", wait=False)
        memory.add_episode("good", episode_id="e2")
        assert {job.job_id: job.state is JobState.DONE for job in memory.jobs()} == {"e1": False, "e2": True}


def test_g24_g25_g26_g28_a_read_is_of_its_groups_and_says_which(memory: SyncMemory) -> None:
    for group_id, what in (("t1", "a boat"), ("t2", "a bird")):
        memory.add_claims([NewClaim(subject="Kestrel", relation="BUILT_AS", object=what)], group_id=group_id)
    assert [f.object.name for f in memory.facts(group_ids="t1")] == ["a boat"]
    found = memory.search("Kestrel", group_ids="t1", targets=[SearchTarget.ENTITY])
    assert {one.group_id for one in found} == {"t1"}
    with pytest.raises(InvalidGroup):
        memory.search("Kestrel", group_ids=[])
    answer = memory.ask("Where does Kestrel work?", group_ids="nobody")
    assert (answer.is_known, answer.values) == (False, ())
    assert [group.group_id for group in memory.groups()] == ["t1", "t2"]


def test_g30_what_was_erased_stands_in_no_field_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with SyncMemory.open(path) as memory:
        told, _ = tell(memory, ("2026-01-01", "Mara's PIN is 4471."), ("2026-01-02", "Mara lives in Gent."))
        memory.erase(episode_id=told)
        assert "4471" not in repr((memory.facts(), memory.timeline("Mara"), memory.recent(), memory.claims()))
        assert memory.search("4471", targets=list(SearchTarget)) == []
        assert [f.object.name for f in memory.facts(subject="Mara")] == ["Gent"]
    assert not any(b"4471" in file.read_bytes() for file in tmp_path.iterdir())


def test_g32_what_is_filled_in_later_is_dated_by_when_it_was_said(memory: SyncMemory) -> None:
    (told,) = tell(memory, ("2021-03-05", "Ivo works at Acme."))
    (fact,) = memory.facts()
    assert fact.valid_at == day("2021-03-05")
    memory.erase(episode_id=told)
    assert memory.facts(during=(None, None), possible=True) == []
    assert memory.verify() == []


def test_g34_the_newest_are_those_said_last(memory: SyncMemory) -> None:
    order = [7, 3, 19, 0, 12, 5, 18, 1, 9, 14, 2, 16, 4, 11, 17, 6, 13, 8, 15, 10]
    for n in order:
        memory.add_episode(f"Turn {n}.", episode_id=f"e{n}", said_at=day("2026-01-01") + timedelta(hours=n))
    memory.add_episode("Told last, said then too.", episode_id="tie", said_at=day("2026-01-01") + timedelta(hours=19))
    assert [e.episode_id for e in memory.recent(limit=3)] == ["e18", "e19", "tie"]


def test_g50_a_query_of_little_words_fails_not_and_finds_what_has_them(memory: SyncMemory) -> None:
    memory.add_claims([NewClaim(subject="The One", relation="LIVES_IN", object="Zion")])
    for recipe in RECIPES:
        assert memory.search("is a of", recipe=recipe, targets=list(SearchTarget)) == []
        assert all("The One" in repr(one) for one in memory.search("the", recipe=recipe, targets=[SearchTarget.ENTITY]))


def test_g60_what_is_told_to_one_file_is_in_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SyncMemory.open(tmp_path / "notes.db") as notes, SyncMemory.open() as usual:
        tell(notes, ("2026-01-01", "Bo works at Acme."))
        assert len(notes.facts()) == 1
        assert usual.facts() == []


def test_g63_g08_a_fact_told_five_times_is_one_with_five_sources(memory: SyncMemory) -> None:
    told = []
    for n, (one, other) in enumerate([("Gil", "Hana"), ("Hana", "Gil")] * 2 + [("gil", "HANA")], start=1):
        claim = NewClaim(subject=one, relation="FRIEND_OF", object=other)
        told.append(memory.add_claims([claim], said_at=day(f"2026-01-0{n}")).episode_id)
    (fact,) = memory.facts(touching="Gil")
    assert set(fact.episode_ids) == set(told)
    assert [one.episode.episode_id for one in memory.why(fact.fact.fact_id)] == told


def test_g65_what_is_read_holds_no_vector(tmp_path: Path) -> None:
    with SyncMemory.open(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        tell(memory, ("2026-01-01", "Bo works at Acme."))
        for found in (memory.facts(), memory.entities("Bo"), memory.recent(), memory.search("Bo", recipe="vectors")):
            assert found
            assert "array(" not in repr(found)
            assert "float32" not in repr(found)


class GatedModel(ScriptedModel):
    """Answers all the calls that are out together, when no more come: so many rounds are as many times its answer takes."""

    def __init__(self) -> None:
        super().__init__(lambda _: answer([], []))
        self.rounds = 0
        self._out = 0
        self._opened = asyncio.Event()

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        opened = self._opened
        self._out += 1
        await opened.wait()
        return await super().complete(request)

    async def answer_rounds(self) -> None:
        """Runs beside the work until it is cancelled."""
        seen = 0
        while True:
            await asyncio.sleep(0.05)
            if self._out and self._out == seen:
                self.rounds += 1
                self._out = seen = 0
                self._opened, opened = asyncio.Event(), self._opened
                opened.set()
            else:
                seen = self._out


async def test_g52_a_hundred_records_take_as_long_as_the_calls_side_by_side(tmp_path: Path) -> None:
    model = GatedModel()
    async with await Memory.open(tmp_path / "m.db", model=model) as memory:
        rounds = asyncio.create_task(model.answer_rounds())
        report = await memory.add_episodes(
            NewEpisode(text=f"Record {n}.", episode_id=f"e{n}", said_at=day("2026-01-01")) for n in range(100)
        )
        rounds.cancel()
    assert (report.done, len(model.requests)) == (100, 100)
    assert model.rounds <= math.ceil(100 / SIDE_BY_SIDE) * 1.1
