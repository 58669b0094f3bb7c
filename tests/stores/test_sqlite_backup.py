"""Backups of a SQLite store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from graphmem.errors import GraphmemError, InvalidInput
from graphmem.stores import open_store
from tests.contract.build import changes, episode, told


async def test_a_backup_is_a_store_with_the_same_content(tmp_path: Path) -> None:
    store, first = open_store(str(tmp_path / "memory.db")), told(1, tau=10)
    await store.ensure_schema()
    await store.accept([first.episode], 1)
    await store.commit([first.changes])
    target = tmp_path / "it's a copy, ü?.db"

    await store.backup(target)
    await store.commit([changes(20, based_on=10, expire=("v-1",))])

    copy = open_store(str(target))
    assert [v.version_id for v in await copy.versions_of("ann", [first.fact.fact_id]) if v.expired_at > 20] == ["v-1"]
    assert await copy.secret() == await store.secret()
    assert await copy.verify() == []
    [second] = await copy.accept([episode("ep-2")], 2)
    assert second.job is not None
    assert second.job.seq == 2
    await copy.close()
    await store.close()
    assert {p.name for p in tmp_path.iterdir()} == {"memory.db", target.name}


async def test_readers_and_writers_go_on_while_a_backup_is_taken(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "memory.db"))
    await store.ensure_schema()
    await store.accept([episode(f"ep-{n}", "words " * 200) for n in range(500)], 1)

    taken, *_ = await asyncio.gather(
        store.backup(tmp_path / "copy.db"),
        *(store.accept([episode(f"later-{n}")], 2) for n in range(20)),
        *(store.group("ann") for _ in range(20)),
    )

    assert taken is None
    copy = open_store(str(tmp_path / "copy.db"))
    assert 500 <= (await copy.group("ann")).episodes <= 520
    assert await copy.verify() == []
    await copy.close()
    await store.close()


@pytest.mark.parametrize(
    ("target", "error"), [("memory.db", InvalidInput), ("no folder/copy.db", InvalidInput), ("a\0b", InvalidInput)]
)
async def test_a_place_that_cannot_be_written_is_refused(
    tmp_path: Path, target: str, error: type[GraphmemError]
) -> None:
    store = open_store(str(tmp_path / "memory.db"))
    await store.ensure_schema()
    digest = await store.digest()

    with pytest.raises(error):
        await store.backup(tmp_path / target)

    assert await store.digest() == digest
    await store.close()
