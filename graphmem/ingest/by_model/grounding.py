"""Where a model's words stand in a text: quotes, time words and names that are not there are not believed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from graphmem.terms import name_key

__all__ = ["is_named_in", "place_of", "shown_text"]

_UNSHOWN = re.compile("[\U000e0000-\U000e007f\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u2060\ufeff]")
"""Tags and control characters: nobody sees them, a model would read them."""
_QUOTES = {"'": "['’‘‚`´]", '"': '["“”„«»]', "-": "[-–—‐‑]", "…": r"(?:…|\.\.\.)"}
_ALIKE = {alike: pattern for plain, pattern in _QUOTES.items() for alike in (plain, *pattern.strip("[]"))}
_MARKS_AROUND = " \t\r\n\"'“”‘’…"
_WORD = re.compile(r"\w+")
_MIN_LETTERS = 2


def shown_text(text: str) -> str:
    """The text as a model sees it.

    >>> shown_text("Hello\\U000e0041 there")
    'Hello there'
    """
    return _UNSHOWN.sub("", text)


def place_of(words: str, text: str) -> tuple[int, int] | None:
    """Characters [from, to) of the text that say these words; blanks, quotation marks and case do not matter.

    None when they are not there, or are too few to be a quote of anything.

    >>> place_of("it’s  mine", "No, It's mine.")
    (4, 13)
    """
    bare = shown_text(words).strip(_MARKS_AROUND)
    if len("".join(_WORD.findall(bare))) < _MIN_LETTERS and bare != text.strip():
        return None
    begin = text.find(bare)
    if begin >= 0:
        return begin, begin + len(bare)
    found = _pattern(bare).search(text)
    return None if found is None else found.span()


@lru_cache(maxsize=256)
def _pattern(words: str) -> re.Pattern[str]:
    unseen = f"{_UNSHOWN.pattern}*"
    pieces = [unseen.join(_ALIKE.get(character, re.escape(character)) for character in word) for word in words.split()]
    return re.compile(rf"(?:\s|{_UNSHOWN.pattern})+".join(pieces), re.IGNORECASE)


def is_named_in(name: str, texts: Iterable[str]) -> bool:
    """Whether every word of a name occurs in one of the texts."""
    wanted = set(_WORD.findall(name_key(name)))
    return bool(wanted) and any(wanted <= _words(text) for text in texts)


@lru_cache(maxsize=128)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name_key(text.replace("_", " ")))) | frozenset(_WORD.findall(name_key(text)))
