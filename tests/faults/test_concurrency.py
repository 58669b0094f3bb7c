"""Many callers at once, in one process and in several: one entity, one episode, no lost write, no overlap."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from graphmem.errors import Erased, NotFound, StoreUnavailable
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Episode, JobState
from graphmem.ports import Extraction, ExtractionContext, Verdict
from tests.cases.table import case
from tests.faults.processes import new_queue, run_all
from tests.faults.turns import graph_of, turns

PROCESSES = 4


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def works_at(firm: str, who: str = "Ada Brandt", start: str | None = None) -> NewClaim:
    return NewClaim(subject=who, relation="WORKS_AT", object=firm, start=None if start is None else day(start))


async def tell_firms(path: Path, child: int, count: int) -> None:
    async with await Memory.open(path) as memory:
        for number in range(count):
            await memory.add_claims([works_at(f"Firm {child}-{number}")], said_at=day("2026-01-02"))


def tell_in_child(path: Path, child: int, count: int) -> None:
    asyncio.run(tell_firms(path, child, count))


async def test_twenty_first_mentions_in_one_process_make_one_person(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db") as memory:
        await asyncio.gather(
            *(memory.add_claims([works_at(f"Firm {n}")], said_at=day("2026-01-02")) for n in range(20))
        )
        assert len(await memory.entities("Ada Brandt")) == 1


def test_twenty_first_mentions_in_four_processes_make_one_person(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    run_all(*((tell_in_child, (path, child, 5)) for child in range(PROCESSES)))

    async def look() -> None:
        async with await Memory.open(path) as memory:
            assert len(await memory.entities("Ada Brandt")) == 1
            assert (await memory.count_jobs())[JobState.DONE] == 20
            assert len(await memory.claims()) == 20

    asyncio.run(look())


def name_in_child(path: Path, count: int) -> None:
    async def name() -> None:
        async with await Memory.open(path) as memory:
            for number in range(count):
                await memory.add_claims([NewClaim(subject=f"Thing {number}", relation="MADE_OF", object="wood")])

    asyncio.run(name())


@case("F-C01")
def test_two_processes_that_name_the_same_things_make_each_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    run_all((name_in_child, (path, 60)), (name_in_child, (path, 60)))

    async def look() -> None:
        async with await Memory.open(path) as memory:
            found = [await memory.entities(f"Thing {number}") for number in range(60)]
            assert [len(entities) for entities in found] == [1] * 60

    asyncio.run(look())


@case("F-C02")
async def test_two_writers_who_contradict_leave_one_current_fact_and_no_overlap(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with await Memory.open(path) as one, await Memory.open(path) as other:
        for attempt in range(10):
            who = f"Person {attempt}"
            told = [(one, "Acme", "2026-01-03"), (other, "Globex", "2026-01-04")]
            await asyncio.gather(
                *(
                    memory.add_claims([works_at(firm, who, "2026-01-01")], said_at=day(said))
                    for memory, firm, said in told
                )
            )
            held = await one.facts(subject=who, relation="WORKS_AT", during=(None, None))
            assert len(await one.facts(subject=who, relation="WORKS_AT", at=day("2026-02-01"))) == 1
            spells = sorted((f.version.valid_at or 0, f.version.invalid_at) for f in held)
            assert all(a[1] <= b[0] for a, b in pairwise(spells))
            assert len(await one.claims()) == 2 * (attempt + 1)


# ---- the same episode again and again


class CountingExtractor:
    """Notes each reading in a file that several processes share."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        with self._notes.open("a") as notes:
            notes.write("read\n")
        return Extraction()


def deliver_in_child(path: Path, deliveries: int, ids: Queue[object]) -> None:
    async def deliver() -> None:
        async with await Memory.open(path, extractor=CountingExtractor(path.with_suffix(".txt"))) as memory:
            for _ in range(deliveries):
                receipt = await memory.add_episode("I work at Acme.", episode_id="e1", speaker="Alice")
                ids.put((receipt.episode_id, str(receipt.state)))

    threads = [threading.Thread(target=asyncio.run, args=(deliver(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@case("F-D01")
def test_a_hundred_deliveries_from_eight_threads_in_two_processes_are_one_episode(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    ids = new_queue()
    run_all((deliver_in_child, (path, 13, ids)), (deliver_in_child, (path, 12, ids)))
    assert [ids.get(timeout=5) for _ in range(100)] == [("e1", "done")] * 100
    assert path.with_suffix(".txt").read_text() == "read\n"

    async def look() -> None:
        async with await Memory.open(path) as memory:
            assert sum((await memory.count_jobs()).values()) == 1

    asyncio.run(look())


# ---- several processes on one file


def open_in_child(path: Path) -> None:
    async def open_once() -> None:
        async with await Memory.open(path) as memory:
            await memory.groups()

    asyncio.run(open_once())


@case("F-C11")
@pytest.mark.parametrize("attempt", range(3))
def test_eight_processes_may_make_the_same_file_at_once(tmp_path: Path, attempt: int) -> None:
    run_all(*[(open_in_child, (tmp_path / "m.db",))] * 8)


def write_for_a_while(path: Path, child: int, seconds: float, told: Queue[object]) -> None:
    async def write() -> int:
        until, number = time.monotonic() + seconds, 0
        async with await Memory.open(path) as memory:
            while time.monotonic() < until:
                claim = works_at(f"Firm {number % 7}", f"Person {child} {number // 7}")
                await memory.add_claims([claim], group_id=f"g{number % 3}", said_at=day("2026-01-02"))
                number += 1
        return number

    told.put(asyncio.run(write()))


def writes_at_once(path: Path, processes: int, seconds: float) -> None:
    told = new_queue()
    run_all(*((write_for_a_while, (path, child, seconds, told)) for child in range(processes)))
    total = sum(int(str(told.get(timeout=5))) for _ in range(processes))

    async def look() -> None:
        async with await Memory.open(path) as memory:
            counts = await memory.count_jobs()
            distinct = {c.claim.claim_id for g in ("g0", "g1", "g2") for c in await memory.claims(group_id=g)}
            assert counts[JobState.DONE] == sum(counts.values()) == len(distinct)
            assert total == len(distinct)
            assert await memory.verify() == []

    asyncio.run(look())


@case("F-C08")
def test_processes_that_write_at_once_surface_no_lock_and_lose_nothing(tmp_path: Path) -> None:
    writes_at_once(tmp_path / "m.db", PROCESSES, 1.5)


@pytest.mark.soak
def test_eight_processes_that_write_for_half_a_minute_lose_nothing(tmp_path: Path) -> None:
    writes_at_once(tmp_path / "m.db", 8, 30.0)


@case("F-C09")
async def test_what_one_connection_was_told_the_other_sees_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with await Memory.open(path) as one, await Memory.open(path) as other:
        for number in range(40):
            await one.add_claims([works_at(f"Firm {number}", f"Person {number}")])
            assert len(await other.facts(subject=f"Person {number}", during=(None, None))) == 1


@case("Q-006")
async def test_many_workers_at_once_make_the_graph_of_one_after_another(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "serial.db") as memory:
        for new in turns(30):
            await memory.add_episodes([new])
        serial = await graph_of(memory)
    memories = [await Memory.open(tmp_path / "parallel.db") for _ in range(4)]
    accepted = [await memories[n % 4].add_episode(**given(new), wait=False) for n, new in enumerate(turns(30))]
    assert {receipt.verdict for receipt in accepted} == {Verdict.NEW}
    await asyncio.gather(*(memory.run_jobs() for memory in memories))
    await memories[0].add_episodes(turns(30))
    assert await graph_of(memories[0]) == serial
    for memory in memories:
        await memory.close()


def given(new: NewEpisode) -> dict[str, object]:
    return {
        "text": new.text,
        "group_id": new.group_id,
        "episode_id": new.episode_id,
        "speaker": new.speaker,
        "said_at": new.said_at,
    }


@case("Q-009")
async def test_a_single_job_of_another_group_does_not_wait_for_a_long_queue(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with await Memory.open(path) as memory:
        await asyncio.gather(
            *(memory.add_episode(f"note {n}", group_id="long", wait=False) for n in range(200)),
        )
        await memory.add_episode("note", group_id="short")
        assert (await memory.count_jobs(group_ids="short"))[JobState.DONE] == 1
        assert (await memory.count_jobs(group_ids="long"))[JobState.DONE] < 200


# ---- erasing beside others


@case("F-C13")
async def test_an_erasure_beside_a_telling_never_leaves_a_fact_without_its_episode(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with await Memory.open(path) as one, await Memory.open(path) as other:
        for attempt in range(10):
            who = f"Person {attempt}"
            await one.add_claims([works_at("Acme", who)])

            async def erase(name: str = who) -> None:
                with suppress(Erased, NotFound):
                    await one.erase(entity=name, reason="asked to")

            await asyncio.gather(erase(), other.add_claims([works_at("Globex", who)]))
            for fact in await one.facts(subject=who, during=(None, None)):
                assert await one.episodes(fact.episode_ids)
            assert await one.verify() == []


@pytest.mark.soak  # the store waits ten seconds for the reader
@case("F-C05")
async def test_an_erasure_is_not_called_done_while_a_reader_still_sees_the_content(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with await Memory.open(path) as memory:
        await memory.add_episode("The canary is called Quetzalcoatl.", episode_id="e1")
        reader = sqlite3.connect(path)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM episode").fetchone() == (1,)
        with pytest.raises(StoreUnavailable):
            await memory.erase(episode_id="e1")
        assert reader.execute("SELECT count(*) FROM episode").fetchone() == (1,)
        reader.close()
        await memory.add_episode("nothing of note", episode_id="e2")
        await memory.erase(episode_id="e2")
        assert await memory.episodes(["e1"]) == []
        assert all(b"Quetzalcoatl" not in p.read_bytes() for p in tmp_path.glob("m.db*"))
