"""`graphmem copy`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.calls import Graphmem


def test_a_copy_answers_as_its_source_does_and_copying_again_changes_nothing(
    graphmem: Graphmem, tmp_path: Path
) -> None:
    source, target = tmp_path / "a.db", tmp_path / "b.db"
    graphmem(f'--db {source} add "I work at Acme." --speaker Alice --said-at 2025-02-10')
    first = graphmem(f"copy {source} {target}")
    assert first.code == 0
    assert "one digest" in first.out
    for question in ('"where does Alice work"', '"where did Alice work on 3 March 2025"'):
        assert graphmem(f"--db {target} {question}").out == graphmem(f"--db {source} {question}").out
    assert graphmem(f"copy {source} {target}").code == 0


def test_a_source_that_is_not_there_leaves_no_target_behind(graphmem: Graphmem, tmp_path: Path) -> None:
    called = graphmem(f"copy {tmp_path / 'none.db'} {tmp_path / 'b.db'}")
    assert called.code == 1
    assert called.err.count("\n") == 1
    assert not (tmp_path / "b.db").exists()
