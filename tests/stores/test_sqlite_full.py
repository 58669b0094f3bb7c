"""No room left: an error of its own, and nothing lost that was acknowledged."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.errors import StoreFull
from graphmem.stores import open_store, sqlite_connections
from tests.contract.build import episode
from tests.stores.processes import run

FILL = """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    await store.ensure_schema()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    kept = 0
    try:
        for number in range(5000):
            await store.accept([episode(f"ep-{number}", "some words " * 50)], number)
            kept = number + 1
    except StoreFull:
        print("full", kept)
    group = await store.group("ann")
    print(group.episodes, len(await store.recent_episodes(["ann"], limit=10000)))
"""


@pytest.mark.parametrize("most_bytes", [700_000, 1_048_576])
async def test_a_limit_on_file_size_loses_nothing_acknowledged(tmp_path: Path, most_bytes: int) -> None:
    path = tmp_path / "memory.db"

    [full, kept, *counted] = run(path, FILL, most_bytes).split()

    assert full == "full"
    assert int(kept) > 5
    assert counted == [kept, kept]
    store = open_store(str(path))
    assert await store.verify() == []
    await store.accept([episode("ep-after", "there is room again")], 1)
    assert (await store.group("ann")).episodes == int(kept) + 1
    await store.close()


async def test_a_full_file_refuses_and_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.db"
    store = open_store(str(path))
    await store.ensure_schema()
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        [pages] = connection.execute("PRAGMA page_count").fetchone()
    monkeypatch.setattr(
        sqlite_connections, "_PRAGMAS", (*sqlite_connections._PRAGMAS, f"PRAGMA max_page_count = {pages + 30}")
    )
    small = open_store(str(path))
    kept: list[str] = []

    async def fill() -> None:
        for number in range(1_000):
            await small.accept([episode(f"ep-{number}", "some words " * 50)], number)
            kept.append(f"ep-{number}")

    with pytest.raises(StoreFull):
        await fill()

    assert kept
    assert [e.episode_id for e in await small.episodes("ann", [*kept, f"ep-{len(kept)}"])] == kept
    assert [job.job_id for job in await small.jobs()] == kept
    assert await small.verify() == []
    await small.close()


async def test_a_backup_that_finds_no_room_leaves_no_part_behind(tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    path = tmp_path / "memory.db"
    program = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        await store.ensure_schema()
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            await store.backup(Path(sys.argv[2]))
        except StoreError as error:
            print(type(error).__name__)
    """

    assert run(path, program, tmp_path / "copy.db") == "StoreFull"
    assert not list(tmp_path.glob("copy*"))
