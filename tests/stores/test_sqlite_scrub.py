"""After erasing, no byte of the erased text is left in any file of the store."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.errors import StoreUnavailable
from graphmem.model import Changes, Erasure, Job, Retraction, Tombstone
from graphmem.ports import Store
from graphmem.stores import open_store
from graphmem.stores.sqlite import SqliteStore
from graphmem.stores.sqlite_connections import Connections
from graphmem.timeline.instants import MIN
from tests.contract.build import GROUP, Told, changes, name, told

FILLER = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu")


def canary(number: int) -> str:
    return f"Kanary{number:05d}x"


def left(folder: Path, numbers: list[int]) -> dict[str, int]:
    """How often the canaries stand in the files of the folder, in any case."""
    found = {}
    for path in folder.iterdir():
        content = path.read_bytes().lower()
        count = sum(content.count(canary(n).lower().encode()) for n in numbers)
        if count:
            found[path.name] = count
    return found


def item(number: int, tau: int, based_on: int, dice: random.Random) -> Told:
    """An episode whose person, object, alias, metadata, answer and time words all carry the canary of its number."""
    word = canary(number)
    text = f"{word} said: {' '.join(dice.choices(FILLER, k=dice.randint(1, 400)))} {word}"
    made = told(number, word, "LIKES", f"{word} things", tau=tau, based_on=based_on, speaker=word, metadata={"k": word})
    claim = replace(made.claim, phrase=f"since {word}")
    alias = name(f"Mrs {word}", made.subject.entity_id, episode_id=made.episode.episode_id)
    written = replace(made.changes, claims=(claim,), names=(*made.changes.names, alias))
    return replace(made, episode=replace(made.episode, text=text, digest=b""), claim=claim, changes=written)


async def fill(store: Store, count: int, dice: random.Random) -> list[Told]:
    items: list[Told] = []
    tau = MIN
    for number in dice.sample(range(count), count):
        made = item(number, max(tau, 0) + 1, tau, dice)
        tau = made.changes.tau
        items.append(made)
    for start in range(0, count, 20):
        batch = items[start : start + 20]
        answers = {m.episode.episode_id: f'{{"said": "{m.subject.name}"}}' for m in batch}
        await store.accept([m.episode for m in batch], 1, answers)
        await store.commit([m.changes for m in batch])
    return items


def erasure(items: list[Told], based_on: int) -> Erasure:
    return Erasure(
        group_id=GROUP,
        based_on=based_on,
        tau=based_on + 1,
        tombstones=tuple(
            Tombstone(group_id=GROUP, target_id=m.episode.episode_id, kind="episode", tau=based_on + 1) for m in items
        ),
        claim_ids=tuple(m.claim.claim.claim_id for m in items),
        episode_ids=tuple(m.episode.episode_id for m in items),
        entity_ids=tuple(e.entity_id for m in items for e in (m.subject, m.object)),
        dropped=tuple(m.fact.fact_id for m in items),
    )


@pytest.mark.parametrize("seed", [1, 2])
async def test_no_byte_of_an_erased_episode_is_left_in_any_file(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    store = open_store(str(tmp_path / "memory.db"))
    await store.ensure_schema()
    items = await fill(store, 200, dice)
    numbers = [int(m.episode.episode_id.removeprefix("ep-")) for m in items]
    gone = dice.sample(range(200), 25)
    assert left(tmp_path, [numbers[g] for g in gone])

    tau = items[-1].changes.tau
    await store.erase(erasure([items[g] for g in gone], tau))

    assert left(tmp_path, [numbers[g] for g in gone]) == {}
    assert left(tmp_path, [n for i, n in enumerate(numbers) if i not in gone])
    assert await store.verify() == []
    await store.close()
    assert left(tmp_path, [numbers[g] for g in gone]) == {}


async def test_no_byte_of_an_erased_group_is_left(tmp_path: Path) -> None:
    dice = random.Random(3)
    store = open_store(str(tmp_path / "memory.db"))
    await store.ensure_schema()
    items = await fill(store, 60, dice)
    last = items[-1].changes.tau
    withdrawn = Retraction(retraction_id="r", group_id=GROUP, claim_ids=("c-1",), tau=last + 1, reason=canary(1))
    noted = Changes(
        group_id=GROUP, based_on=last, tau=last + 1, kind="retract", note=canary(2), retractions=(withdrawn,)
    )
    await store.commit([noted])

    await store.erase(Erasure(group_id=GROUP, based_on=last + 1, tau=last + 2, tombstones=(), whole_group=True))

    assert left(tmp_path, list(range(60))) == {}
    await store.close()


async def test_a_name_that_only_an_erased_episode_taught_is_left_nowhere(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "memory.db"))
    await store.ensure_schema()
    kept = told(1, tau=10)
    await store.accept([kept.episode, replace(kept.episode, episode_id="ep-2", text=canary(9))], 1)
    await store.commit([kept.changes])
    await store.commit([changes(20, based_on=10, names=(name(canary(9), "e-Alice", episode_id="ep-2"),))])

    await store.erase(
        Erasure(
            group_id=GROUP,
            based_on=20,
            tau=30,
            tombstones=(),
            episode_ids=("ep-2",),
            names=((canary(9).lower(), "e-Alice"),),
        )
    )

    assert left(tmp_path, [9]) == {}
    await store.close()


async def test_a_reader_of_an_older_state_is_told_of_and_scrub_finishes_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    store._connections = Connections(path, patience_s=0.2)
    await store.ensure_schema()
    items = await fill(store, 40, random.Random(4))
    numbers = [int(items[0].episode.episode_id.removeprefix("ep-"))]
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM episode").fetchone()

        with pytest.raises(StoreUnavailable, match="scrub"):
            await store.erase(erasure(items[:1], items[-1].changes.tau))
        assert await store.episodes(GROUP, [items[0].episode.episode_id]) == []
        assert left(tmp_path, numbers)
        with pytest.raises(StoreUnavailable):
            await store.scrub()
        reader.execute("COMMIT")

    await store.scrub()
    assert left(tmp_path, numbers) == {}
    await store.close()


async def test_reads_of_the_same_store_do_not_keep_erased_bytes(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "memory.db"))
    await store.ensure_schema()
    items = await fill(store, 60, random.Random(5))
    jobs: list[Job] = []

    async def read() -> None:
        for _ in range(30):
            jobs.extend(await store.jobs(limit=3))

    numbers = [int(m.episode.episode_id.removeprefix("ep-")) for m in items[:10]]
    await asyncio.gather(read(), read(), store.erase(erasure(items[:10], items[-1].changes.tau)))

    assert left(tmp_path, numbers) == {}
    await store.close()
