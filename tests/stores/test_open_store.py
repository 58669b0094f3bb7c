"""Which store a URL names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphmem.errors import ConfigError
from graphmem.stores import open_store
from graphmem.stores.sqlite import SqliteStore


@pytest.mark.parametrize("form", ["{path}", "sqlite:///{path}"])
async def test_a_path_or_a_sqlite_url_is_a_file(tmp_path: Path, form: str) -> None:
    path = tmp_path / "with blank, ?&#% and ü.db"
    store = open_store(form.format(path=path))

    await store.ensure_schema()
    await store.close()

    assert path.is_file()
    assert {p.name for p in tmp_path.iterdir()} == {path.name}


async def test_a_relative_path_is_taken_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for url, name in (("a.db", "a.db"), ("sqlite:///b.db", "b.db")):
        store = open_store(url)
        await store.ensure_schema()
        await store.close()
        assert (tmp_path / name).is_file()


async def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    store = open_store("~/memory.db")

    await store.ensure_schema()
    await store.close()

    assert (tmp_path / "memory.db").is_file()


@pytest.mark.parametrize("url", [":memory:", "sqlite://", "sqlite:///:memory:"])
async def test_a_memory_store_is_private_and_goes_when_closed(url: str) -> None:
    one, other = open_store(url), open_store(url)
    assert isinstance(one, SqliteStore)
    path = one._connections.path
    await one.ensure_schema()
    await other.ensure_schema()

    assert await one.secret() != await other.secret()
    assert path.is_file()
    await one.close()
    await one.close()
    await other.close()
    assert not path.parent.exists()


def test_opening_touches_nothing(tmp_path: Path) -> None:
    open_store(str(tmp_path / "memory.db"))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url", ["", "sqlite:///", "a\0b", "sqlite://host/memory.db", "postgres://host/db", "file:///x", "://"]
)
def test_what_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        open_store(url)


@pytest.mark.parametrize("url", ["neo4j://localhost", "neo4j+s://localhost", "bolt://localhost:7687"])
def test_without_the_extra_a_neo4j_url_names_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith(("neo4j", "graphmem.stores.neo4j"))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "neo4j", None)

    with pytest.raises(ConfigError, match=r"graphmem\[neo4j\]"):
        open_store(url)
