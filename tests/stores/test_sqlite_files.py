"""What a path may hold: nothing, something else, an older or newer store, a store that cannot be written."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from graphmem.errors import SchemaMismatch, SchemaTooNew, StoreCorrupt, StoreError, StoreUnavailable
from graphmem.model import Filter
from graphmem.ports import SearchTarget, Store
from graphmem.stores import open_store
from graphmem.stores.sqlite_schema import APPLICATION_ID, MIGRATIONS, ensure_schema
from graphmem.terms import terms
from tests.contract.build import GROUP, episode, scope, told
from tests.stores.older_files import taken_back
from tests.stores.processes import run


@pytest.fixture
async def opened() -> AsyncIterator[Callable[[Path], Store]]:
    stores: list[Store] = []

    def open_it(path: Path) -> Store:
        stores.append(open_store(str(path)))
        return stores[-1]

    yield open_it
    for store in stores:
        await store.close()


async def made(path: Path, told_by: str | None = None) -> str:
    """A store with one told fact; its digest."""
    store, first = open_store(str(path)), told(1, tau=10)
    await store.ensure_schema()
    await store.accept([first.episode], 1)
    await store.commit([replace(first.changes, claims=(replace(first.claim, told_by=told_by),))])
    digest = await store.digest()
    await store.close()
    return digest


def other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
        connection.commit()


def marked_by_other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 252006675")


def versioned_by_other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")


def text(path: Path) -> None:
    path.write_text("dear diary, today I learned\n" * 200)


def short_text(path: Path) -> None:
    path.write_text("hi")


@pytest.mark.parametrize("fill", [other_program, marked_by_other_program, versioned_by_other_program, text, short_text])
async def test_a_file_of_another_kind_is_refused_and_left_as_it_is(
    tmp_path: Path, opened: Callable[[Path], Store], fill: Callable[[Path], None]
) -> None:
    path = tmp_path / "memory.db"
    fill(path)
    before = path.read_bytes()

    for call in (lambda s: s.ensure_schema(), lambda s: s.groups(), lambda s: s.accept([episode("ep-1")], 1)):
        with pytest.raises((SchemaMismatch, StoreCorrupt)):
            await call(opened(path))

    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["memory.db"]


async def test_a_newer_store_is_refused_and_left_as_it_is(tmp_path: Path, opened: Callable[[Path], Store]) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()

    for call in (lambda s: s.ensure_schema(), lambda s: s.groups(), lambda s: s.accept([episode("ep-1")], 1)):
        with pytest.raises(SchemaTooNew):
            await call(opened(path))

    assert path.read_bytes() == before


async def test_a_store_that_another_process_migrates_is_no_longer_written(
    tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    store = opened(path)
    await store.put_relations([])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")

    with pytest.raises(SchemaTooNew):
        await store.accept([episode("ep-9")], 1)


async def test_every_migration_is_done_once_and_its_number_kept(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    await made(path)

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_a_file_whose_claims_did_not_say_who_says_so_is_migrated(
    tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    taken_back(path, 4)

    store = opened(path)
    await store.ensure_schema()

    assert [(c.claim.claim_id, c.told_by) for c in await store.claims(GROUP)] == [("c-1", None)]
    second = told(2, "Bea", tau=20, based_on=10)
    await store.accept([second.episode], 2)
    await store.commit([replace(second.changes, claims=(replace(second.claim, told_by="Bo"),))])
    assert [c.told_by for c in await store.claims(GROUP)] == [None, "Bo"]
    seen = await store.versions_in_scope(scope(filter=Filter(speaker="Bo")))
    assert [v.fact_id for v in seen] == [second.fact.fact_id]
    assert await store.verify() == []


@pytest.mark.parametrize("number", range(1, len(MIGRATIONS)))
async def test_a_file_of_every_schema_before_finds_after_its_migration_what_a_new_one_finds(
    tmp_path: Path, opened: Callable[[Path], Store], number: int
) -> None:
    path, path_of_new = tmp_path / "memory.db", tmp_path / "new.db"
    digest = await made(path)
    await made(path_of_new)
    taken_back(path, number)

    store, new = opened(path), opened(path_of_new)
    with pytest.raises(SchemaMismatch):
        await store.groups()
    await store.ensure_schema()

    assert await store.verify() == []
    assert await store.digest() == digest
    second = told(2, "Bea", tau=20, based_on=10)
    for one in (store, new):
        await one.accept([second.episode], 2)
        await one.commit([second.changes])
    for target in SearchTarget:
        found, found_in_new = [
            list(await one.search_text(target, terms("Alice works Bea"), scope(), limit=9)) for one in (store, new)
        ]
        assert found == found_in_new != []
    assert await store.verify() == []


async def test_who_says_so_is_covered_by_the_checksum_of_its_claim(
    tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    path = tmp_path / "memory.db"
    await made(path, told_by="Bo")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER claim_is_immutable")
        connection.execute("UPDATE claim SET told_by = NULL")

    with pytest.raises(StoreCorrupt, match="c-1"):
        await opened(path).claims(GROUP)


async def test_an_empty_file_becomes_a_store_only_by_making_its_schema(
    tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    store = opened(path)

    with pytest.raises(SchemaMismatch):
        await store.groups()
    with pytest.raises(SchemaMismatch):
        await store.accept([episode("ep-1")], 1)
    assert path.stat().st_size == 0

    await store.ensure_schema()
    assert await store.groups() == []


def test_a_file_that_another_process_makes_meanwhile_is_no_file_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    def made_between(statement: str) -> None:
        if statement == "PRAGMA user_version":
            connection.set_trace_callback(None)
            other = sqlite3.connect(path, isolation_level=None, timeout=0)
            with closing(other), suppress(sqlite3.OperationalError):  # where it cannot come between, it has to wait
                ensure_schema(other, path, 0.0)

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.set_trace_callback(made_between)
        ensure_schema(connection, path, 1.0)
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


async def test_a_missing_file_is_made_only_by_making_its_schema(
    tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    store = opened(tmp_path / "memory.db")

    with pytest.raises(StoreUnavailable):
        await store.groups()
    assert list(tmp_path.iterdir()) == []


async def test_a_place_where_no_file_can_be_is_unavailable(tmp_path: Path, opened: Callable[[Path], Store]) -> None:
    (tmp_path / "file").touch()
    for path in (
        tmp_path,
        tmp_path / "no folder" / "memory.db",
        tmp_path / "file" / "memory.db",
        tmp_path / ("x" * 300),
    ):
        with pytest.raises(StoreUnavailable):
            await opened(path).ensure_schema()


@pytest.mark.parametrize("cut", [0.3, 0.7])
async def test_a_file_cut_short_is_reported(tmp_path: Path, opened: Callable[[Path], Store], cut: float) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    os.truncate(path, int(path.stat().st_size * cut) // 4096 * 4096)

    with pytest.raises(StoreError):
        await opened(path).verify()


async def test_zeroed_pages_never_give_a_wrong_answer_in_silence(
    tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    path = tmp_path / "memory.db"
    digest = await made(path)
    whole = path.read_bytes()
    for page in range(1, len(whole) // 4096, 5):
        path.write_bytes(whole[: page * 4096] + bytes(4096) + whole[(page + 1) * 4096 :])
        store = opened(path)
        try:
            told_of = bool(await store.verify()) or await store.digest() == digest
        except StoreError:
            told_of = True
        assert told_of, page
        await store.close()


READ_ONLY = """
    # What is imported and read from the package now can no longer be read by the other user.
    warm = open_store(":memory:")
    await warm.ensure_schema()
    await warm.accept([episode("ep-1")], 1)
    await warm.groups(), await warm.versions_in_scope(scope()), await warm.verify(), await warm.scrub()
    await warm.close()
    os.setgid(65534)
    os.setuid(65534)
    await store.ensure_schema()
    assert [g.group_id for g in await store.groups()] == ["ann"]
    assert len(await store.versions_in_scope(scope())) == 1
    assert await store.verify() == []
    for write in (store.accept([episode("ep-2")], 1), store.scrub(), store.commit([changes(20, based_on=10)])):
        try:
            await write
        except ReadOnlyStore:
            print("refused")
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may look into; those of pytest are closed to others."""
    with TemporaryDirectory(prefix="graphmem-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can become a user that may not write")
@pytest.mark.parametrize("what", ["file", "folder", "both"])
async def test_what_is_read_only_is_read_and_not_written(open_folder: Path, what: str) -> None:
    path = open_folder / "memory.db"
    digest = await made(path)
    path.chmod(0o666 if what == "folder" else 0o444)
    open_folder.chmod(0o777 if what == "file" else 0o555)

    assert run(path, READ_ONLY).split() == ["refused"] * 3

    store = open_store(str(path))
    assert await store.digest() == digest
    await store.close()


async def test_a_damaged_index_is_reported(tmp_path: Path, opened: Callable[[Path], Store]) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM fact_text_data WHERE id > 10")
        connection.commit()

    wrong = await opened(path).verify()

    assert any("'fact'" in sentence for sentence in wrong)


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        ("DELETE FROM fact_text", "f-Alice-WORKS_AT-Acme"),
        ("DELETE FROM episode_text", "ep-1"),
        ("DELETE FROM entity_text WHERE rowid = 1", "e-Alice"),
        ("UPDATE entity_text SET terms = 'mallory' WHERE rowid = 2", "e-Acme"),
        ("INSERT INTO fact_text (rowid, terms) VALUES (99, 'stray')", "99"),
        ("UPDATE group_texts SET terms = terms + 1 WHERE target = 'fact'", "group 'ann': its texts of kind 'fact'"),
        ("UPDATE group_texts SET texts = 0 WHERE target = 'entity'", "group 'ann': its texts of kind 'entity'"),
        ("DELETE FROM group_texts WHERE target = 'episode'", "group 'ann': its texts of kind 'episode'"),
        ("UPDATE group_texts SET mark = 'abcd' WHERE target = 'fact'", "group 'ann': its texts of kind 'fact'"),
        ("INSERT INTO group_texts VALUES ('abcd', 'bob', 'fact', 1, 1)", "group 'bob': its texts of kind 'fact'"),
        ("DELETE FROM job", "ep-1"),
        ("DELETE FROM entity WHERE entity_id = 'e-Acme'", "f-Alice-WORKS_AT-Acme"),
        ("DELETE FROM fact", "fact"),
        ("DELETE FROM support", "v-1"),
        ("INSERT INTO vector (target, group_id, item_id, vector) VALUES ('fact', 'ann', 'f-9', x'00')", "fact 'f-9'"),
        ("INSERT INTO vector_tokens VALUES (7, x'00')", "1 rows of 'vector_tokens'"),
        ("INSERT INTO unembedded VALUES ('ann', 'entity', 'e-9')", "entity 'e-9'"),
        ("INSERT INTO embedding_model VALUES (1, 'hashing', 8)", "episode 'ep-1' has no vector"),
        ("DROP TRIGGER fact_is_immutable; UPDATE fact SET object = 'e-Alice'", "f-Alice-WORKS_AT-Acme"),
        ("DROP TRIGGER claim_is_immutable; UPDATE claim SET relation = 'R'", "c-1"),
    ],
)
async def test_what_was_changed_behind_the_stores_back_is_reported(
    tmp_path: Path, opened: Callable[[Path], Store], harm: str, named: str
) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(harm)

    wrong = await opened(path).verify()

    assert any(named in sentence for sentence in wrong), wrong
    assert not any("Alice works" in sentence for sentence in wrong)


async def test_a_value_that_no_store_writes_is_corruption(tmp_path: Path, opened: Callable[[Path], Store]) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TRIGGER episode_is_immutable; UPDATE episode SET source = 'rumour'")
    store = opened(path)

    with pytest.raises(StoreCorrupt):
        await store.episodes("ann", ["ep-1"])
    assert len(await store.search_text(SearchTarget.EPISODE, terms("alice"), scope(), limit=5)) == 1


async def test_every_flipped_bit_that_changes_content_is_found(tmp_path: Path, opened: Callable[[Path], Store]) -> None:
    path, flipped = tmp_path / "memory.db", tmp_path / "flipped.db"
    digest = await made(path)
    whole, dice = path.read_bytes(), random.Random(7)
    changed, found = 0, 0
    for _ in range(80):
        bit = dice.randrange(len(whole) * 8)
        harmed = bytearray(whole)
        harmed[bit // 8] ^= 1 << bit % 8
        flipped.write_bytes(harmed)
        store = opened(flipped)
        try:
            is_told = bool(await store.verify())
            is_changed = await store.digest() != digest
        except StoreError:
            is_told = is_changed = True
        changed += is_changed
        found += is_changed and is_told
        await store.close()

    assert changed > 0
    assert found == changed


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE episode SET text = 'Mallory works at Acme.'",
        "UPDATE episode SET trusted = 0",
        "UPDATE fact_version SET valid_at = 11",
        "UPDATE claim SET ref = 11",
        "UPDATE entity SET name = 'Mallory'",
        "UPDATE name SET spelling = 'Mallory'",
        "UPDATE job SET attempts = 9",
        "UPDATE fact SET text = 'Mallory works at Acme'",
    ],
)
async def test_a_row_that_is_not_as_it_was_written_is_neither_read_nor_well(
    tmp_path: Path, opened: Callable[[Path], Store], harm: str
) -> None:
    path = tmp_path / "memory.db"
    await made(path)
    with closing(sqlite3.connect(path)) as connection:
        for [trigger] in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(harm)
        connection.commit()
    store = opened(path)

    assert await store.verify() != []
    with pytest.raises(StoreCorrupt):
        await read_everything(store)


async def read_everything(store: Store) -> None:
    await store.episodes("ann", ["ep-1"])
    await store.versions_in_scope(scope())
    await store.claims("ann")
    await store.entities("ann", ["e-Alice", "e-Acme"])
    await store.list_names(["ann"])
    await store.jobs()
    await store.facts("ann", ["f-Alice-WORKS_AT-Acme"])
