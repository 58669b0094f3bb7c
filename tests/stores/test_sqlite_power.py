"""Power that fails in the middle: a log cut anywhere, and a process killed while it erases."""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
from pathlib import Path

from graphmem.stores import open_store
from graphmem.timeline.instants import MIN
from tests.contract.build import GROUP, told
from tests.stores.processes import start
from tests.stores.test_sqlite_scrub import fill, left


async def test_a_log_cut_anywhere_leaves_a_whole_store_with_a_beginning_of_what_was_written(tmp_path: Path) -> None:
    path, folder = tmp_path / "memory.db", tmp_path / "cut"
    folder.mkdir()
    store = open_store(str(path))
    await store.ensure_schema()
    digests = [await store.digest()]
    for number in range(1, 9):
        item = told(number, f"Person{number}", tau=number, based_on=number - 1 or MIN)
        await store.accept([item.episode], number)
        digests.append(await store.digest())
        await store.commit([item.changes])
        digests.append(await store.digest())
    log = path.with_name("memory.db-wal").read_bytes()
    main = path.read_bytes()
    await store.close()

    kept: list[int] = []
    for cut in [*sorted(random.Random(1).sample(range(0, len(log), 512), 25)), len(log)]:
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "memory.db").write_bytes(main)
        (folder / "memory.db-wal").write_bytes(log[:cut])
        again = open_store(str(folder / "memory.db"))
        await again.ensure_schema()
        kept.append(digests.index(await again.digest()))
        assert await again.verify() == []
        await again.close()

    assert kept == sorted(kept)
    assert kept[-1] == len(digests) - 1


ERASE = """
    from tests.stores.test_sqlite_scrub import erasure, item
    import random
    print("ready", flush=True)
    dice, tau = random.Random(6), int(sys.argv[2])
    for number in range(40):
        made = item(number, 1, MIN, dice)
        await store.erase(erasure([made], tau))
        tau += 1
"""


async def test_a_process_killed_while_it_erases_leaves_nothing_half_erased(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = open_store(str(path))
    await store.ensure_schema()
    items = await fill(store, 40, random.Random(6))
    tau = items[-1].changes.tau
    await store.close()
    process = start(path, ERASE, tau)
    assert process.stdout is not None
    process.stdout.readline()
    await asyncio.sleep(0.35)
    process.send_signal(signal.SIGKILL)
    process.communicate()

    store = open_store(str(path))
    assert await store.verify() == []
    stones = {stone.target_id for stone in await store.tombstones(GROUP)}
    there = {e.episode_id for e in await store.episodes(GROUP, [m.episode.episode_id for m in items])}
    assert stones.isdisjoint(there)
    assert stones | there == {m.episode.episode_id for m in items}
    await store.scrub()
    assert left(tmp_path, [int(stone.removeprefix("ep-")) for stone in stones]) == {}
    await store.close()
