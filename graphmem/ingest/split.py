"""Long texts are read in parts cut at turns, paragraphs and sentences; each part knows where it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphmem.ingest.receipt import merged_notes
from graphmem.model import Statement
from graphmem.ports import Extraction

__all__ = ["PART_CHARACTERS", "joined", "parts_of", "shifted"]

PART_CHARACTERS = 6_000

_BORDERS = (
    re.compile(r"\n(?=\s*\n|[^\n:]{1,40}:\s)"),  # a blank line, or a turn "Name: …"
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…])[\"'”’)]*\s+"),
    re.compile(r"\s+"),
)


def parts_of(text: str, longest: int = PART_CHARACTERS) -> Iterator[tuple[int, str]]:
    """(offset, part) pairs that together are the text, in order; each at most `longest` characters.

    >>> list(parts_of("One. Two. Three.", longest=10))
    [(0, 'One. Two. '), (10, 'Three.')]
    """
    begin = 0
    while len(text) - begin > longest:
        end = _border(text, begin, longest)
        yield begin, text[begin:end]
        begin = end
    if begin < len(text):
        yield begin, text[begin:]


def _border(text: str, begin: int, longest: int) -> int:
    window = text[begin : begin + longest]
    for border in _BORDERS:
        ends = [match.end() for match in border.finditer(window, longest // 3)]
        if ends:
            return begin + ends[-1]
    return begin + longest


def shifted(part: Extraction, offset: int) -> Extraction:
    """What was read in a part, with its quotes where they stand in the whole text."""
    return replace(part, statements=tuple(_shifted(s, offset) for s in part.statements))


def joined(parts: Sequence[Extraction]) -> Extraction:
    """What was read in all parts of a text, in their order."""
    return Extraction(
        statements=tuple(s for part in parts for s in part.statements),
        aliases=tuple(a for part in parts for a in part.aliases),
        origin=parts[0].origin,
        notes=merged_notes(*(part.notes for part in parts)),
        calls=sum(part.calls for part in parts),
        tokens=sum(part.tokens for part in parts),
    )


def _shifted(statement: Statement, offset: int) -> Statement:
    if statement.quote is None:
        return statement
    begin, end = statement.quote
    return replace(statement, quote=(begin + offset, end + offset))
