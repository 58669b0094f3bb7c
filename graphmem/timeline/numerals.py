"""English numbers as time words use them: amounts ("two", "a couple of"), ordinals ("the 3rd", "first") and years."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = [
    "AMOUNT",
    "AMOUNT_WORDS",
    "CARDINAL_DAY",
    "DAY",
    "ORDINAL",
    "YEAR",
    "YEAR_WORDS",
    "Amount",
    "amount_of",
    "ordinal_of",
    "year_of",
]

_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TWENTY_TO_NINETY = "twenty thirty forty fifty sixty seventy eighty ninety"
_FIRST_TO_NINETEENTH = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
_SMALL = _TO_NINETEEN.split()


def _cardinals() -> dict[str, int]:
    words = {word: value for value, word in enumerate(_SMALL)}
    for index, ten in enumerate(_TWENTY_TO_NINETY.split()):
        words[ten] = 20 + 10 * index
        for one in range(1, 10):
            words[f"{ten} {_SMALL[one]}"] = 20 + 10 * index + one
    return words


def _ordinals() -> dict[str, int]:
    words = {word: value for value, word in enumerate(_FIRST_TO_NINETEENTH.split(), start=1)}
    words |= {f"twenty {word}": 20 + value for word, value in list(words.items())[:9]}
    return words | {"twentieth": 20, "thirtieth": 30, "thirty first": 31}


_CARDINALS = _cardinals()
_ORDINALS = _ordinals()


# Built by hand from their parts: an alternation of all ninety-nine numbers takes long to compile, and stands in many patterns.
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TWO_DIGITS = rf"(?:{_TENS})(?:[- ](?:{_ONES}))?|{_TEENS}"
_CARDINAL = rf"{_TWO_DIGITS}|{_ONES}"
_FIRST_TO_NINTH = "|".join(_FIRST_TO_NINETEENTH.split()[:9])
_TENTH_TO_NINETEENTH = "|".join(_FIRST_TO_NINETEENTH.split()[9:])
_VAGUE = {"a few": (2, 5, 4), "few": (2, 5, 4), "some": (2, 5, 4), "several": (2, 9, 6), "many": (8, 30, 12)}
_COUPLE = r"(?:a )?couple(?: of)?"

AMOUNT = rf"(?:\d{{1,4}}(?:\.5)?|a few|few|several|many|{_COUPLE}|half an?|a hundred|{_CARDINAL}|an?)"
"""Pattern of how many units: digits, words, or a vague amount."""

AMOUNT_WORDS = frozenset(word.split()[0] for word in _CARDINALS) - {"zero"} | {
    "a",
    "an",
    "few",
    "several",
    "many",
    "couple",
    "half",
}
"""The words an amount can begin with."""

DAY = r"(?:(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?![\d]))"
"""Pattern of a day of the month in digits."""

CARDINAL_DAY = rf"(?:twenty(?:[- ](?:{_ONES}))?|thirty(?:[- ]one)?|{_TEENS})"
"""Pattern of a day of the month as a plain number in words, from ten on ("May twenty nine")."""

ORDINAL = (
    rf"(?:twenty[- ](?:{_FIRST_TO_NINTH})|thirty[- ]first|twentieth|thirtieth|{_TENTH_TO_NINETEENTH}|{_FIRST_TO_NINTH})"
)
"""Pattern of an ordinal in words, up to 31."""

_DIGIT_YEAR = r"(?:1[0-9]|20|21)\d\d(?!\d)"
_SPOKEN_YEAR = (
    rf"(?:(?:sixteen|seventeen|eighteen|nineteen|twenty)[- ](?:oh?[- ](?:{_ONES})|{_TWO_DIGITS}"
    rf"|hundred(?:(?: and)? (?:{_CARDINAL}))?)|two thousand(?:(?: and)? (?:{_CARDINAL}))?)(?![a-z-])"
)
YEAR = rf"(?:{_DIGIT_YEAR}|{_SPOKEN_YEAR}|'\d\d(?!\w))"
"""Pattern of a year: in digits, spoken ("nineteen ninety nine"), or cut to two digits ("'98")."""

YEAR_WORDS = frozenset({"sixteen", "seventeen", "eighteen", "nineteen", "twenty", "two"})
"""The words a spoken year can begin with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """How many units; a vague amount ("a few") has bounds around its number."""

    number: float
    low: int
    high: int

    @property
    def is_vague(self) -> bool:
        return self.low != self.high


def amount_of(words: str) -> Amount:
    """The amount that AMOUNT matched.

    >>> amount_of("a couple of").number, amount_of("several").high
    (2.0, 9)
    """
    words = words.strip().replace("-", " ")
    if words in _VAGUE:
        low, high, usual = _VAGUE[words]
        return Amount(number=float(usual), low=low, high=high)
    number = _number(words)
    return Amount(number=number, low=int(number), high=int(number))


def _number(words: str) -> float:
    if words[0].isdigit():
        return float(words)
    if "couple" in words:
        return 2.0
    if words.startswith("half"):
        return 0.5
    if words == "a hundred":
        return 100.0
    return 1.0 if words in ("a", "an") else float(_CARDINALS[words])


def ordinal_of(words: str) -> int:
    """The number of a day or an ordinal that DAY or ORDINAL matched.

    >>> ordinal_of("3rd"), ordinal_of("twenty-first")
    (3, 21)
    """
    if digits := re.match(r"\d+", words):
        return int(digits[0])
    return _ORDINALS[words.replace("-", " ")]


def year_of(words: str) -> int:
    """The year that YEAR matched; two digits count from 1970 to 2069.

    >>> year_of("2015"), year_of("nineteen ninety nine"), year_of("'98")
    (2015, 1999, 1998)
    """
    if words[0].isdigit():
        return int(words)
    if words[0] == "'":
        short = int(words[1:])
        return short + (2000 if short < 70 else 1900)
    parts = words.replace("-", " ").replace(" and ", " ").split(" ", 2 if words.startswith("two thousand") else 1)
    if words.startswith("two thousand"):
        return 2000 + (_CARDINALS[parts[2]] if len(parts) > 2 else 0)
    century, rest = _CARDINALS[parts[0]] * 100, parts[1].split()
    if rest[0] in ("oh", "o", "hundred"):
        rest = rest[1:]
    return century + (_CARDINALS[" ".join(rest)] if rest else 0)
