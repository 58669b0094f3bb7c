"""Noun phrases with a word of a list as their head ("ticket BJ-31", "School of Art"), found by looking words up.

An expression of the hundreds of words of a list says the same, and takes milliseconds to compile; the slots that need more than
a head have one (`slots.slot_body`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Body", "Expression", "HeadedPhrase"]

_MAX_BEFORE = 4
"""Words before the head."""


class Body(Protocol):
    """What a slot may hold; places are characters of the plain form."""

    def end_of(self, text: str, start: int) -> int:
        """Where the likeliest one that begins here ends; -1 for none."""

    def covers(self, text: str, start: int, end: int) -> bool:
        """Whether one stands from here to there."""


@dataclass(frozen=True, slots=True)
class Expression:
    """What an expression describes."""

    pattern: re.Pattern[str]

    def end_of(self, text: str, start: int) -> int:
        found = self.pattern.match(text, start)
        return found.end() if found is not None else -1

    def covers(self, text: str, start: int, end: int) -> bool:
        return self.pattern.fullmatch(text, start, end) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadedPhrase:
    """A few words, none of them an owner, then a head, then what may follow a head."""

    heads: frozenset[str]
    is_capital: bool
    """The heads are written with a capital, and found as they are written."""
    word: re.Pattern[str]
    after_head: re.Pattern[str]

    def end_of(self, text: str, start: int) -> int:
        head_end = self._last_of_heads(text, start)
        after = self.after_head.match(text, head_end) if head_end >= 0 else None
        return after.end() if after is not None else head_end

    def covers(self, text: str, start: int, end: int) -> bool:
        return any(self.after_head.fullmatch(text, head_end, end) for head_end in self._head_ends(text, start, end))

    def _last_of_heads(self, text: str, start: int) -> int:
        """Where the first head ends, and those that follow it word by word: "half marathon", "bar exam"."""
        end = -1
        for head_end in self._head_ends(text, start, len(text)):
            if end >= 0 and " " in text[end : head_end - 1]:
                break
            end = head_end
        return end

    def _head_ends(self, text: str, start: int, limit: int) -> Iterator[int]:
        for _ in range(_MAX_BEFORE + 1):
            blank = text.find(" ", start, limit)
            if blank < 0:
                return
            token = text[start:blank]
            if (token if self.is_capital else token.lower()) in self.heads:
                yield blank + 1
            if (len(token) > 2 and token.endswith("'s")) or self.word.fullmatch(token) is None:
                return
            start = blank + 1
