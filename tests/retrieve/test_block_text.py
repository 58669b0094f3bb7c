"""The text of a fact block: nothing told can break out of its line, and the text gives back the facts it holds."""

from __future__ import annotations

import sys
import unicodedata
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import InvalidInput
from graphmem.retrieve.block_text import (
    BlockFact,
    BlockTurn,
    clean,
    escaped,
    framed,
    grouped_lines,
    line_of,
    parse_block,
    unescaped,
)
from graphmem.retrieve.tokens import estimate_tokens

NASTY = st.sampled_from(
    [
        *(
            "<",
            ">",
            "</memory>",
            "</recalled>\n",
            "<recalled>\n",
            "[f1] ",
            "[f9 over] x | y | confirmed | z",
            " | ",
            "|",
            "# ",
        ),
        *(
            "&",
            "&lt;",
            "&amp;",
            "&amp;lt;",
            "&#124;",
            "&#",
            "\n",
            "\r\n",
            "\u2028",
            "\u202e",
            "\u200d",
            "\u200b",
            "\x00",
        ),
        *(
            "\x1b[31m",
            "\U000e0041",
            "\ud800",
            "a" + 6 * "\u0301",
            "\ufe0f",
            "\U000e0100",
            "`",
            "```",
            "confirmed ",
            "é",
        ),
    ]
)
TEXTS = st.lists(st.one_of(NASTY, st.text(st.characters(), max_size=6)), max_size=5).map("".join)
CLEAN = TEXTS.map(clean)
MARKS = st.lists(st.sampled_from(["over", "planned", "uncertain", "external"]), unique=True, max_size=2).map(tuple)
FACTS = st.builds(
    BlockFact,
    ref=st.sampled_from(["p1", "p20", "f1", "f321"]),
    entity=CLEAN,
    text=CLEAN,
    when=CLEAN,
    last_confirmed=CLEAN,
    source=CLEAN,
    marks=MARKS,
)


@settings(max_examples=100)
@given(st.lists(FACTS, max_size=3), st.lists(FACTS, max_size=2), TEXTS, TEXTS)
def test_a_block_gives_back_exactly_the_facts_it_holds(
    stable: list[BlockFact], turn: list[BlockFact], said: str, speaker: str
) -> None:
    told = BlockTurn(ref="t1", said="3 June 2026", speaker=clean(speaker), text=clean(said))
    text = framed("memory", grouped_lines(stable)) + framed("recalled", [*grouped_lines(turn), line_of(told)], 'on="x"')
    assert parse_block(f"You are helpful.\n{text}\n[f1] not in the frame") == (*stable, *turn)
    assert parse_block(text.replace("\n", "\r\n")) == (*stable, *turn)


@settings(max_examples=100)
@given(TEXTS)
def test_cleaned_text_is_one_printable_line_and_cleaning_again_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert len(once.splitlines()) <= 1
    assert not set(once) & set("\u200b\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\x00\x1b\x7f")
    assert not any(0xE0000 <= ord(character) <= 0xE01EF or 0xD800 <= ord(character) <= 0xDFFF for character in once)


@settings(max_examples=100)
@given(CLEAN)
def test_escaped_text_holds_no_delimiter_and_comes_back(text: str) -> None:
    assert not set(escaped(text)) & set("<>|[`")
    assert unescaped(escaped(text)) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a" + "\u0301" * 40 + "b", "a" + "\u0301" * 4 + "b"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a" + "\u200d\u200c" * 30 + "b", "a\u200db"),
        ("two\n\n\nlines\tand\u00a0blanks ", "two lines and blanks"),
        ("pay\U000e0070\U000e0061\U000e0079", "pay"),
        ("\uff1c/memory\uff1e", "</memory>"),
        ("\uff5c\uff3bf1] \uff40x\uff40 \ufe47f2]", "|[f1] `x` [f2]"),
        ("R&D, 5 > 4", "R&D, 5 > 4"),
    ],
)
def test_what_hides_or_disturbs_is_cut(text: str, kept: str) -> None:
    assert clean(text) == kept


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_no_sign_becomes_a_delimiter_when_a_tokenizer_brings_a_text_to_a_normal_form(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"],
) -> None:
    signs = "".join(chr(number) for number in range(0xA0, sys.maxunicode + 1))
    assert not set(unicodedata.normalize(form, escaped(clean(signs)))) & set("<>|[`")


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    assert clean("word " * 100, 20) == "word word word word…"


@pytest.mark.parametrize("line", ["[f1] only text", "[fx] a | b | confirmed | d", "[f1] a | b | c | d"])
def test_a_changed_line_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput, match="not a line of a fact block"):
        parse_block(framed("recalled", [line]))


def test_a_text_without_a_frame_holds_no_facts() -> None:
    assert parse_block("[f1] Alice works at Acme | now | confirmed | Alice") == ()


@settings(max_examples=50)
@given(TEXTS, TEXTS)
def test_the_estimate_of_a_whole_is_no_more_than_that_of_its_parts(one: str, other: str) -> None:
    assert max(map(estimate_tokens, (one, other))) <= estimate_tokens(one + other)
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)
