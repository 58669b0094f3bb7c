"""Long texts are read in parts cut at turns, paragraphs and sentences; each part knows where it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["PART_CHARACTERS", "parts_of"]

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
