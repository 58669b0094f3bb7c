"""Several reads of one moment of the store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from graphmem.errors import StoreUnavailable
from graphmem.ports import Store
from graphmem.side_by_side import side_by_side
from graphmem.stores import open_store
from tests.contract.build import GROUP, episode


async def test_it_gives_what_the_work_gives_and_raises_what_it_raises(store: Store) -> None:
    await store.accept([episode("ep-1"), episode("ep-2")], 1)

    async def both() -> list[str]:
        async with side_by_side() as reads:
            one = reads.create_task(store.episodes(GROUP, ["ep-1"]))
            other = reads.create_task(store.episodes(GROUP, ["ep-2"]))
        return [e.episode_id for e in (*one.result(), *other.result())]

    async def failing() -> None:
        async with side_by_side() as reads:
            reads.create_task(store.episodes(GROUP, ["ep-1"]))
        raise StoreUnavailable("away")

    assert await store.at_one_moment(both) == ["ep-1", "ep-2"]
    with pytest.raises(StoreUnavailable, match="away"):
        await store.at_one_moment(failing)
    assert await store.at_one_moment(both) == ["ep-1", "ep-2"]
    assert [e.episode_id for e in await store.episodes(GROUP, ["ep-1"])] == ["ep-1"]


async def test_many_at_a_time_get_their_own(store: Store) -> None:
    await store.accept([episode(f"ep-{n}") for n in range(20)], 1)

    async def own(number: int) -> str:
        async def work() -> str:
            [found] = await store.episodes(GROUP, [f"ep-{number}"])
            return found.episode_id

        return await store.at_one_moment(work)

    assert await asyncio.gather(*map(own, range(20))) == [f"ep-{n}" for n in range(20)]


async def test_an_embedded_store_shows_nothing_that_others_write_meanwhile(tmp_path: Path) -> None:
    store, other = open_store(str(tmp_path / "m.db")), open_store(str(tmp_path / "m.db"))
    await store.ensure_schema()

    async def before_and_after() -> tuple[int, int]:
        before = len(await store.episodes(GROUP, ["ep-1"]))
        asyncio.run_coroutine_threadsafe(other.accept([episode("ep-1")], 1), loop).result(10)
        return before, len(await store.episodes(GROUP, ["ep-1"]))

    loop = asyncio.get_running_loop()
    assert await store.at_one_moment(before_and_after) == (0, 0)
    assert len(await store.episodes(GROUP, ["ep-1"])) == 1
    await other.close()
    await store.close()


async def test_work_that_waits_for_something_else_is_refused_and_the_store_goes_on(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "m.db"))
    await store.ensure_schema()

    async def waiting() -> None:
        await asyncio.Future[None](loop=loop)

    loop = asyncio.get_running_loop()
    with pytest.raises(RuntimeError, match="waited for something"):
        await store.at_one_moment(waiting)
    assert await store.episodes(GROUP, ["ep-1"]) == []
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.at_one_moment(waiting)
