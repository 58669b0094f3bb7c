"""How spellings are compared: case, articles, punctuation, a leading preposition and the unit after a number do not matter."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["answer_key", "plain"]

_ARTICLES = frozenset({"a", "an", "the"})
_PREPOSITIONS = frozenset("on in at since from during with to by around about".split())
_NUMBERS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty".split()
)
_UNITS = frozenset(
    "pounds pound gbp euros euro eur dollars dollar usd pesos lira crowns rand kg kilo kilos kilograms percent degrees "
    "celsius mg mcg units people persons employees staff members pupils listeners".split()
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_GLUED_UNIT = re.compile(r"(?<=\d)(?=[^\W\d_])")
_TELEPHONE = re.compile(r"[\d -]{9,}")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def plain(text: str) -> str:
    """Case-folded words without articles and punctuation; `.`, `:`, `-` and `/` stay inside numbers, times and dates."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    folded = _THOUSANDS.sub("", folded)
    kept = "".join(_kept(folded, i) for i in range(len(folded)))
    return " ".join(word for word in _GLUED_UNIT.sub(" ", kept).split() if word not in _ARTICLES)


def _kept(text: str, i: int) -> str:
    character = text[i]
    if character.isalnum() or character.isspace() or unicodedata.combining(character):
        return character
    if character in ".:-/" and 0 < i < len(text) - 1 and text[i - 1].isalnum() and text[i + 1].isdigit():
        return character
    return "" if character == "'" else " "


def answer_key(text: str) -> str:
    """What is equal for two spellings of one answer: "in the shed" and "shed", "47 kg" and "47", "£4.80" and "4.80"."""
    words = plain(text).replace("doctor ", "dr ").split()
    if len(words) > 1 and words[0] in _PREPOSITIONS:
        words = words[1:]
    if len(words) > 2 and words[-2:] == ["per", "month"]:
        words = words[:-2]
    if len(words) > 1 and (words[0][0].isdigit() or words[0] in _NUMBERS):
        words = [words[0], *(word for word in words[1:] if word not in _UNITS)]
    key = " ".join(words)
    if _TELEPHONE.fullmatch(key) and not _ISO_DAY.match(key):
        return re.sub(r"[ -]", "", key)
    return key
