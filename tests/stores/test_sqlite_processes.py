"""Several processes on one file, and processes that die in the middle."""

from __future__ import annotations

import signal
from pathlib import Path

from graphmem.model import JobState
from graphmem.stores import open_store
from tests.contract.build import episode
from tests.stores.processes import ended, run, start

WRITE = """
    await store.ensure_schema()
    group, done = sys.argv[2], 0
    while done < int(sys.argv[3]):
        tau = (await store.group("shared")).tau
        note = f"{group}-{done}"
        await store.accept([episode(f"ep-{note}", group_id=group)], done)
        try:
            await store.commit([changes(max(tau, 0) + 1, based_on=tau, group_id="shared", entities=(entity(note, group_id="shared"),))])
        except CommitConflict:
            continue
        done += 1
    print(done, (await store.secret()).hex())
"""

LEASE = """
    taken = []
    while True:
        jobs = await store.lease(owner=sys.argv[2], now=10, until=10**6, limit=3)
        if not jobs:
            break
        for job in jobs:
            taken.append(f"{job.group_id}/{job.job_id}")
            await store.finish(JobOutcome(job_id=job.job_id, group_id=job.group_id, fence=job.fence, state=JobState.DONE))
    print(*taken)
"""

ACCEPT_FOR_EVER = """
    await store.ensure_schema()
    number = int(sys.argv[2])
    while True:
        tau = (await store.group("ann")).tau
        item = told(number, f"Person{number}", tau=max(tau, 0) + 1, based_on=tau)
        await store.accept([item.episode], number)
        await store.commit([item.changes])
        print(number, flush=True)
        number += 1
"""


async def test_eight_processes_make_one_file_and_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    printed = [ended(process).split() for process in [start(path, WRITE, f"g{n}", 15) for n in range(8)]]

    store = open_store(str(path))
    secret = (await store.secret()).hex()
    assert printed == [["15", secret]] * 8
    assert (await store.group("shared")).entities == 8 * 15
    assert (await store.group("shared")).tau == 8 * 15
    assert {g.group_id: g.episodes for g in await store.groups()} == {f"g{n}": 15 for n in range(8)} | {"shared": 0}
    assert await store.verify() == []
    await store.close()


async def test_a_job_is_leased_by_one_process_only(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = open_store(str(path))
    await store.ensure_schema()
    offered = [episode(f"ep-{n}", group_id=f"g{n % 7}") for n in range(70)]
    await store.accept(offered, 1)

    taken = " ".join(ended(process) for process in [start(path, LEASE, f"w{n}") for n in range(3)]).split()

    assert sorted(taken) == sorted(f"{e.group_id}/{e.episode_id}" for e in offered)
    assert (await store.count_jobs())[JobState.DONE] == 70
    assert {job.attempts for job in await store.jobs()} == {1}
    await store.close()


async def test_a_killed_process_loses_nothing_acknowledged_and_leaves_nothing_half(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    acknowledged: list[int] = []
    for _ in range(3):
        process = start(path, ACCEPT_FOR_EVER, len(acknowledged) and acknowledged[-1] + 2)
        assert process.stdout is not None
        for _ in range(6):
            acknowledged.append(int(process.stdout.readline()))
        process.send_signal(signal.SIGKILL)
        process.communicate()

        store = open_store(str(path))
        assert await store.verify() == []
        known = {c.episode_id for c in await store.claims("ann")}
        assert {f"ep-{n}" for n in acknowledged} <= known
        state = await store.group("ann")
        assert state.facts == state.claims == state.versions
        assert state.episodes - state.claims <= len(acknowledged) // 6
        await store.close()


async def test_the_write_of_another_process_is_seen_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = open_store(str(path))
    await store.ensure_schema()
    assert await store.groups() == []

    run(path, 'await store.accept([episode("ep-1")], 1)')

    assert (await store.group("ann")).episodes == 1
    await store.close()
