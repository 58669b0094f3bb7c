"""SyncMemory: generated, up to date, and at home in scripts, threads and running loops."""

from __future__ import annotations

import ast
import asyncio
import inspect
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem.errors import InvalidInput, StoreUnavailable
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import ImportReport, Memory
from graphmem.sync import SyncMemory
from tests.documents import ROOT
from tools.generate_sync import generated

SAID_AT = datetime(2025, 2, 10, tzinfo=UTC)


def test_the_facade_is_up_to_date() -> None:
    """If this fails: `make sync`."""
    source = (ROOT / "graphmem" / "memory.py").read_text(encoding="utf-8")
    written = (ROOT / "graphmem" / "sync.py").read_text(encoding="utf-8")
    assert body_of(written) == body_of(generated(source))


def body_of(text: str) -> list[str]:
    """The imported names in order, then the rest of the module: what the formatter leaves as it is."""
    tree = ast.parse(text)
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    names = sorted(f"{node.module}.{alias.name}" for node in imports for alias in node.names)
    return names + [ast.dump(node) for node in tree.body if node not in imports]


def test_both_facades_have_the_same_public_methods() -> None:
    def methods(facade: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(facade, callable) if name[0] != "_"}

    assert methods(SyncMemory) == methods(Memory)


def tell_and_read(path: Path) -> list[str]:
    with SyncMemory.open(path) as memory:
        memory.add_episode("I work at Acme.", speaker="Alice", said_at=SAID_AT)
        return [fact.text for fact in memory.facts(subject="Alice")]


def test_it_works_in_a_plain_script(tmp_path: Path) -> None:
    assert tell_and_read(tmp_path / "m.db") == ["Alice works at Acme"]


async def test_it_works_inside_the_thread_of_a_running_loop(tmp_path: Path) -> None:
    assert asyncio.get_running_loop().is_running()
    assert tell_and_read(tmp_path / "m.db") == ["Alice works at Acme"]


def test_many_threads_may_share_it(tmp_path: Path) -> None:
    with SyncMemory.open(tmp_path / "m.db") as memory:
        told = [[NewClaim(subject=f"Person {n}", relation="WORKS_AT", object="Acme")] for n in range(8)]
        threads = [threading.Thread(target=memory.add_claims, args=(one,), kwargs={"said_at": SAID_AT}) for one in told]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(memory.facts(object="Acme", at=SAID_AT)) == 8


def test_its_thread_ends_when_it_is_closed_and_closing_again_is_a_no_op(tmp_path: Path) -> None:
    before = threading.active_count()
    memory = SyncMemory.open(tmp_path / "m.db")
    memory.close()
    memory.close()
    assert threading.active_count() == before


def test_a_failed_opening_leaves_no_thread_behind(tmp_path: Path) -> None:
    (tmp_path / "m.db").write_bytes(b"not a database" * 100)
    before = threading.active_count()
    with pytest.raises(Exception, match=r"m\.db"):
        SyncMemory.open(tmp_path / "m.db")
    assert threading.active_count() == before


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = SyncMemory.open(tmp_path / "m.db")
    memory.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        memory.facts()


def test_a_callback_that_calls_the_memory_is_told_that_it_must_not(tmp_path: Path) -> None:
    with SyncMemory.open(tmp_path / "m.db") as memory:

        def ask_again(_: ImportReport) -> None:
            memory.facts()

        with pytest.raises(InvalidInput, match="callback"):
            memory.add_episodes([NewEpisode(text="I work at Acme.", said_at=SAID_AT)], progress=ask_again)


def test_errors_arrive_as_they_are(tmp_path: Path) -> None:
    with SyncMemory.open(tmp_path / "m.db") as memory, pytest.raises(InvalidInput, match="empty"):
        memory.add_episode("")
