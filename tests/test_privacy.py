"""The right to be forgotten, look by look: what an erased subject was and said is nowhere, and nobody else is touched."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import Erased, NotFound
from graphmem.inference.scripted import HashingEmbedder
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import JobState
from graphmem.ports import SearchTarget
from graphmem.retrieve.recipes import RECIPES
from tests.cases.table import case
from tests.clocks import SetClock, day

CANARY = "Zelphindrake"
START = day("2026-01-01")


class Setup:
    """A memory in which some speak of the subject, some of others, and some of both."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self.memory = memory
        self.folder = folder

    async def tell(self, text: str, speaker: str, number: int, group_id: str = "default") -> str:
        receipt = await self.memory.add_episode(
            text,
            speaker=speaker,
            group_id=group_id,
            episode_id=f"e{number}",
            said_at=START + timedelta(days=number),
            metadata={"of": speaker.replace(" ", "_")},
        )
        return receipt.episode_id

    async def forget(self) -> None:
        report = await self.memory.erase(entity=CANARY, reason="asked to")
        for episode_id in report.still_named:  # nothing was read in them about the subject, whose name they hold
            await self.memory.erase(episode_id=episode_id)


@pytest.fixture
async def zel(tmp_path: Path) -> AsyncIterator[Setup]:
    clock = SetClock(day("2026-06-01"))
    async with await Memory.open(tmp_path / "m.db", clock=clock, embedder=HashingEmbedder()) as memory:
        setup = Setup(memory, tmp_path)
        await setup.tell("Bo lives in Graz.", "Ann", 1)
        await setup.tell(f"Bo lives in Oslo, {CANARY} says. {CANARY} works at Acme.", "Ann", 2)  # ends Graz
        await setup.tell("Bo owns a boat.", "Ann", 3)
        await setup.tell(f"Bo owns a boat, as {CANARY} knows.", "Ann", 4)
        await setup.tell("I moved to Lyon.", CANARY, 5)
        await setup.tell("I like tea.", "Cy", 6)
        await setup.tell(f"{CANARY} owns a dog.", "Dee", 7, group_id="other")
        yield setup


async def shown(memory: Memory) -> str:
    """Everything of the group that any call shows, as known at any moment."""
    parts: list[object] = [
        await memory.facts(during=(None, None), possible=True),
        await memory.facts(during=(None, None), known_at=day("2026-05-31"), possible=True),
        await memory.recent(limit=100),
        await memory.claims(),
        await memory.jobs(group_ids="default"),
        await memory.merges(),
        await memory.rivalries(),
        await memory.diff(START, day("2026-07-01")),
        list((await memory.graph()).nodes(data=True)),
    ]
    for recipe in RECIPES if await memory.count_jobs(group_ids="default") else ():
        if recipe != "cross-encoder":
            targets = list(SearchTarget)
            parts.append(
                list(await memory.search("Bo Graz Oslo Acme Lyon tea", recipe=recipe, targets=targets, limit=50))
            )
    return repr(parts)


@case("V-001", "V-004", "V-007", "V-011", "V-015")
async def test_nothing_that_is_read_shows_what_was_erased_at_any_time(zel: Setup) -> None:
    assert CANARY in await shown(zel.memory)  # which also fills whatever is kept from one search to the next
    await zel.forget()
    assert CANARY not in await shown(zel.memory)
    assert "Lyon" not in await shown(zel.memory)
    assert await zel.memory.entities(CANARY) == []
    assert await zel.memory.verify() == []


@case("V-002")
async def test_what_only_an_erased_episode_had_ended_goes_on(zel: Setup) -> None:
    assert [f.object.name for f in await zel.memory.facts(subject="Bo", relation="LIVES_IN")] == ["Oslo"]
    await zel.forget()
    (fact,) = await zel.memory.facts(subject="Bo", relation="LIVES_IN")
    assert (fact.object.name, fact.invalid_at) == ("Graz", None)


@case("V-003")
async def test_a_fact_that_others_tell_too_stays_with_their_words(zel: Setup) -> None:
    await zel.forget()
    (fact,) = await zel.memory.facts(subject="Bo", relation="OWNS")
    assert fact.episode_ids == ("e3",)
    assert [one.episode.text for one in await zel.memory.why(fact.fact.fact_id)] == ["Bo owns a boat."]


@case("V-013")
async def test_an_erased_episode_that_comes_again_is_refused(zel: Setup) -> None:
    await zel.forget()
    before = await zel.memory.digest()
    with pytest.raises(Erased):
        await zel.tell("I moved to Lyon.", CANARY, 5)
    assert await zel.memory.digest() == before


@case("V-014")
async def test_what_waits_to_be_read_goes_too(zel: Setup) -> None:
    await zel.memory.add_episodes([], wait=False)
    receipt = await zel.memory.add_episode(f"{CANARY} called.", speaker=CANARY, episode_id="waits", wait=False)
    await zel.memory.erase(episode_id=receipt.episode_id)
    assert await zel.memory.jobs(job_ids="waits") == []
    await zel.forget()
    counts = await zel.memory.count_jobs(group_ids="default")
    assert {state: count for state, count in counts.items() if count} == {JobState.DONE: 3}


@case("V-016")
async def test_no_log_holds_what_was_told_or_erased(zel: Setup, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await zel.tell(f"{CANARY} is away.", CANARY, 8)
        await zel.memory.ask(f"Where does {CANARY} work?")
        await zel.forget()
    assert CANARY not in caplog.text


@case("V-017", "V-049")
async def test_the_report_counts_and_says_what_is_out_of_reach(zel: Setup) -> None:
    await zel.tell("It rained all day.", CANARY, 9)
    report = await zel.memory.erase(entity=CANARY)
    assert CANARY not in repr(report)
    assert (report.episodes, report.entities) == (2, 4)
    assert "backups and exports made earlier" in report.out_of_reach
    assert report.still_named == ("e4", "e9")
    assert {e.episode_id for e in await zel.memory.recent() if CANARY in f"{e.text} {e.speaker}"} == {"e4", "e9"}


async def test_a_name_that_is_a_common_word_takes_nothing_along_by_itself(zel: Setup) -> None:
    await zel.memory.add_claims([NewClaim(subject="Will", relation="LIKES", object="chess")], said_at=START)
    await zel.tell("Will you come? I will.", "Cy", 10)
    await zel.tell("Goodwill matters.", "Cy", 11)
    report = await zel.memory.erase(entity="Will")
    assert report.still_named == ("e10",)
    assert len(await zel.memory.episodes(["e10", "e11"])) == 2


@case("V-019")
async def test_the_same_name_in_another_group_is_somebody_else(zel: Setup) -> None:
    before = (await zel.memory.recent(group_ids="other"), await zel.memory.facts(group_ids="other"))
    await zel.forget()
    assert (await zel.memory.recent(group_ids="other"), await zel.memory.facts(group_ids="other")) == before
    assert [f.subject.name for f in before[1]] == [CANARY]


@case("V-022")
async def test_no_file_holds_a_byte_of_it(zel: Setup) -> None:
    await zel.memory.erase(entity=CANARY, group_id="other")
    await zel.forget()
    assert not [p.name for p in zel.folder.iterdir() if CANARY.lower().encode() in p.read_bytes().lower()]


@case("V-050")
async def test_somebody_unknown_cannot_be_erased_and_nothing_is_written(zel: Setup) -> None:
    before = await zel.memory.digest()
    with pytest.raises(NotFound):
        await zel.memory.erase(entity="Nobody")
    assert await zel.memory.digest() == before


@case("V-052")
async def test_what_was_told_wrongly_is_corrected_and_its_old_value_can_be_taken_out(zel: Setup) -> None:
    (fact,) = await zel.memory.facts(subject="Cy", relation="LIKES")
    await zel.memory.correct(fact.fact.fact_id, object="coffee")
    assert [f.object.name for f in await zel.memory.facts(subject="Cy", relation="LIKES")] == ["coffee"]
    before = day("2026-05-31")
    assert [f.object.name for f in await zel.memory.facts(subject="Cy", known_at=before)] in ([], ["tea"])
    await zel.memory.erase(fact_id=fact.fact.fact_id)
    assert "tea" not in repr(await zel.memory.facts(subject="Cy", during=(None, None), possible=True))
