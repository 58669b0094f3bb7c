"""Counting tokens by a tokenizer.json, and a fact block held to its budget by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.errors import ConfigError
from graphmem.inference.embedders import is_local_installed
from graphmem.inference.token_counters import open_token_counter
from graphmem.memory import Memory
from graphmem.retrieve.tokens import estimate_tokens
from tests.clocks import day

tokenizers = pytest.importorskip("tokenizers", reason="the extra `local` is not installed")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A tokenizer that takes each word and sign for a token, cut at three and filled up to three: that must not count."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=3)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def test_a_file_or_its_folder_is_a_counter(file: Path) -> None:
    for name in (file, file.parent):
        count = open_token_counter(str(name))
        assert [count(text) for text in ("", "one", "one two, three four")] == [0, 1, 5]


async def test_a_block_is_held_to_its_budget_by_a_tokenizer(file: Path) -> None:
    count = open_token_counter(str(file))
    async with await Memory.open(":memory:") as memory:
        for number in range(30):
            text = f"Alice visited town number {number} and wrote a letter."
            await memory.add_episode(text, speaker="Alice", said_at=day("2025-03-03"))
        for budget in (260, 400, 900):
            block = await memory.context("Which towns did Alice visit?", budget_tokens=budget, count_tokens=str(file))
            assert block.turns
            assert block.tokens == count(block.text) <= budget


@pytest.mark.skipif(not is_local_installed(), reason="the extra `local` is not installed")
def test_the_estimate_is_on_the_safe_side_of_the_local_tokenizer() -> None:
    text = "[f1] Alice works at Globex | since early May 2026 | confirmed 3 June 2026 | Alice\n" * 20
    assert open_token_counter("local")(text) <= estimate_tokens(text)


def test_what_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tokenizer\.json"):
        open_token_counter("gpt")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigError, match="no tokenizer that can be read"):
        open_token_counter(str(tmp_path))("text")
