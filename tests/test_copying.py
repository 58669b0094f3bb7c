"""Copying a whole memory from store to store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.copying import CopyProgress, copy_store
from graphmem.errors import CommitConflict, InvalidInput
from graphmem.model import Erasure, JobOutcome, JobState, Retraction, Tombstone
from graphmem.portable import RecordKind
from graphmem.ports import SearchTarget, Store, Verdict
from graphmem.stores import open_store
from graphmem.terms import terms
from graphmem.timeline.claims import Relation, Rivalry
from tests.contract.build import changes, entity, episode, name, scope, told, version

PAIRS = (
    ("sqlite", "sqlite"),
    pytest.param(("sqlite", "neo4j"), marks=pytest.mark.neo4j),
    pytest.param(("neo4j", "sqlite"), marks=pytest.mark.neo4j),
)


class Pair:
    """A source and a target, both empty."""

    def __init__(self, source: Store, target: Store) -> None:
        self.source = source
        self.target = target


@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-to-{pair[1]}")
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pair]:
    def url(backend: str, role: str) -> str:
        return str(request.getfixturevalue("neo4j_url")) if backend == "neo4j" else str(tmp_path / f"{role}.db")

    source, target = (open_store(url(backend, role)) for backend, role in zip(request.param, ("a", "b"), strict=True))
    await source.ensure_schema()
    await target.ensure_schema()
    yield Pair(source, target)
    await source.close()
    await target.close()


async def fill(store: Store) -> None:
    """Two groups with something of every kind in them, and a third with an accepted episode only."""
    await store.put_relations([Relation(name="WORKS_AT", rivalry=Rivalry.SUBJ, phrase="{subject} works at {object}")])
    first = told(1, tau=10, metadata={"k": "v", "a=b": "c%3D"}, speaker="Ann", session_id="s", zone="+02:00")
    second = told(2, obj="Globex", tau=20, based_on=10)
    other = told(1, group_id="zed", tau=15)
    await store.accept([first.episode, second.episode, other.episode, episode("waits", group_id="new")], 5)
    [job, _] = await store.lease(owner="w", now=6, until=9, limit=2, group_id="ann")
    done = JobOutcome(job_id=job.job_id, group_id="ann", fence=job.fence, state=JobState.DONE, receipt='{"facts": 1}')
    await store.commit([replace(first.changes, job=done)])
    await store.commit([second.changes, changes(25, based_on=20, expire=("v-1",), unsupport=(("v-1", "c-1"),))])
    withdrawn = Retraction(retraction_id="r-1", group_id="ann", claim_ids=("c-1",), tau=30, reason="wrong")
    undated = version("v-3", first.fact, valid_at=None, created_at=30)
    again = changes(30, based_on=25, retractions=(withdrawn,), versions=(undated,), support=(("v-3", "c-2"),))
    await store.commit([again, changes(31, based_on=30, names=(name("Ally", "e-Alice"),), note="alias")])
    await store.commit([other.changes])
    gone = Tombstone(group_id="zed", target_id="ep-0", kind="episode", tau=40, reason="asked", digest=b"x")
    await store.erase(Erasure(group_id="zed", based_on=15, tau=40, tombstones=(gone,)))


async def test_a_copy_has_the_digest_of_its_source(pair: Pair) -> None:
    await fill(pair.source)

    copied = await copy_store(pair.source, pair.target, page=1)

    assert copied.digest == await pair.source.digest() == await pair.target.digest()
    assert (copied.groups, copied.groups_before) == (3, 0)
    assert await pair.target.verify() == await pair.source.verify()
    assert await pair.target.groups() == await pair.source.groups()
    assert await pair.target.jobs() == await pair.source.jobs()


async def test_what_is_copied_is_found_and_goes_on_where_it_was(pair: Pair) -> None:
    await fill(pair.source)
    await copy_store(pair.source, pair.target)

    for words in ("ally", "alice"):
        [hit] = await pair.target.search_text(SearchTarget.ENTITY, terms(words), scope(), limit=5)
        assert hit.item_id == "e-Alice"
    [retry] = await pair.target.accept([episode("waits", group_id="new")], 50)
    [new] = await pair.target.accept([episode("later", group_id="new")], 50)
    await pair.target.commit([changes(60, based_on=31, entities=(entity("e-New"),))])

    assert retry.verdict is Verdict.SAME
    assert new.job is not None
    assert new.job.seq > 4
    assert await pair.target.secret() == await pair.source.secret()
    with pytest.raises(CommitConflict):
        await pair.target.commit([changes(60, based_on=31)])


async def test_a_copy_that_was_broken_off_goes_on(pair: Pair) -> None:
    await fill(pair.source)
    seen: list[CopyProgress] = []

    def break_off(progress: CopyProgress) -> None:
        seen.append(progress)
        if progress.kind is RecordKind.VERSION and progress.groups_done == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await copy_store(pair.source, pair.target, progress=break_off, page=1)
    rest = await copy_store(pair.source, pair.target, page=1)
    nothing = await copy_store(pair.source, pair.target)

    whole = seen[-1].records + rest.records
    assert seen[-1].records > 0
    assert (rest.groups_before, nothing.groups_before) == (0, 2)
    assert nothing.records == 0
    assert [p.kind for p in seen] == sorted((p.kind for p in seen), key=list(RecordKind).index)
    assert whole == 43  # every record once


async def test_a_target_with_another_memory_is_refused(pair: Pair) -> None:
    await fill(pair.source)
    await pair.target.accept([episode("mine")], 1)
    digest = await pair.target.digest()

    with pytest.raises(InvalidInput, match="another memory"):
        await copy_store(pair.source, pair.target)

    assert await pair.target.digest() == digest


async def test_a_source_that_is_written_to_meanwhile_is_noticed(pair: Pair) -> None:
    await fill(pair.source)
    await copy_store(pair.source, pair.target)
    await pair.source.accept([episode("late", group_id="zed")], 90)

    with pytest.raises(CommitConflict, match="differs"):
        await copy_store(pair.source, pair.target)
