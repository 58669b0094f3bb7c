"""Which names may mean the same thing. It only proposes: digits, versions, identifiers and mixed scripts are never alike."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz import fuzz

__all__ = ["are_alike"]

_ALIKE = 88.0
"""Of 100, by `fuzz.token_sort_ratio`: one letter in eight may differ."""
_SHORTEST = 5
_NO_NAME = re.compile(r"[\d_@/\\#+=<>{}|~^*]|\w[.:]\w")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def are_alike(one: str, other: str) -> bool:
    """Whether two keys of names (`name_key`) are near enough to ask whether they mean the same.

    >>> are_alike("j. okafor", "jane okafor"), are_alike("globex corp", "globex corporation")
    (True, True)
    >>> are_alike("notice sn-2031-041", "notice sn-2031-042"), are_alike("python 3.11", "python 3.12")
    (False, False)
    """
    if one == other or _NO_NAME.search(one) or _NO_NAME.search(other):
        return False
    scripts = _scripts(one)
    if len(scripts) != 1 or scripts != _scripts(other):
        return False
    few, many = sorted((_WORD.findall(one), _WORD.findall(other)), key=len)
    if not few:
        return False
    if _is_short_for(few, many):
        return True
    return min(len(one), len(other)) >= _SHORTEST and fuzz.token_sort_ratio(one, other) >= _ALIKE


def _is_short_for(few: list[str], many: list[str]) -> bool:
    """Whether every word of the one stands in the other, whole or as its beginning or initial ("J.", "Corp")."""
    left = list(many)
    whole = 0
    for word in few:
        found = next((w for w in left if w == word), None) or next((w for w in left if w.startswith(word)), None)
        if found is None:
            return False
        whole += found == word
        left.remove(found)
    return whole > 0


@lru_cache(maxsize=4_096)
def _scripts(text: str) -> frozenset[str]:
    return frozenset(unicodedata.name(c, "?").split()[0] for c in text if c.isalpha())
