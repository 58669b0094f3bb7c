"""Books of rules: patterns with what they mean, looked up by the word they begin with."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from graphmem.timeline.passage import Passage, Reading
from graphmem.timeline.vocabulary import DIGIT

__all__ = ["Rule", "RuleBook"]

Rule: TypeAlias = Callable[[Passage, "re.Match[str]"], Reading | None]

_FIRST_WORD = re.compile(r"[a-z]+")


def _first_word(low: str, at: int) -> str:
    """The word at a place, DIGIT for a digit, or the character there."""
    if at < len(low) and low[at].isdigit():
        return DIGIT
    word = _FIRST_WORD.match(low, at)
    return word[0] if word else low[at : at + 1]


@dataclass(kw_only=True)
class _Entry:
    """A rule with its pattern, compiled when it is first tried: all of them together take a tenth of a second."""

    source: str
    rule: Rule

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source)


class RuleBook:
    """Rules of one subject, and those of the books it takes over."""

    def __init__(self, *books: RuleBook) -> None:
        self._entries: dict[str, list[_Entry]] = {}
        for book in books:
            for word, entries in book._entries.items():
                self._entries.setdefault(word, []).extend(entries)

    @property
    def words(self) -> frozenset[str]:
        """The words a rule of the book can begin with."""
        return frozenset(self._entries)

    def rule(self, words: str, pattern: str) -> Callable[[Rule], Rule]:
        """Enters a rule under the words its pattern can begin with."""

        def enter(rule: Rule) -> Rule:
            entry = _Entry(source=pattern, rule=rule)
            for word in words.split():
                self._entries.setdefault(word, []).append(entry)
            return rule

        return enter

    def longest(self, passage: Passage, at: int, best: Reading | None = None) -> Reading | None:
        """The longest reading at a place, if longer than the best so far; among equals the first rule's."""
        for entry in self._entries.get(_first_word(passage.low, at), ()):
            found = entry.pattern.match(passage.low, at)
            reading = entry.rule(passage, found) if found else None
            if reading and reading.meant.lo < reading.meant.hi and (best is None or reading.end > best.end):
                best = reading
        return best
