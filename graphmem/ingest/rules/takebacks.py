"""How something told is taken back: "18 May, not 15 May", "the 44 was a typo", "it was never shellfish", "scrap the 5,800"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphmem.ingest.rules.nouns import is_all_capital
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause
from graphmem.ingest.rules.slots import WORD

__all__ = [
    "Takeback",
    "announces",
    "bare_words",
    "denies_all",
    "is_off",
    "may_stand_for",
    "means",
    "same_value",
    "takebacks_in",
    "with_unit",
]

_END = rf"(?=$|, |[{MARKS}] |{BREAK}(?:and|but|as|because|so|that|on|in|at|from|since|to|all|by) )"
_NEW, _OLD = (
    rf"(?:^|(?<= ))(?:{BREAK}(?:on|in|at|by|with|to|from|for|of) )?(?P<{name}>[{MARKS}] |(?:{WORD} ){{1,5}})"
    for name in ("new", "old")
)
_IT_IS = rf"{BREAK}(?:[Ii]t|[Tt]hat|[Hh]e|[Ss]he) {BREAK}(?:is|was|has|should)(?: {BREAK}?(?:been|be|have|says))*"
_NOT_OLD = re.compile(rf"{_NEW}(?:, (?:a {WORD} )?)?(?:, )?(?:{BREAK}and )?{BREAK}(?:not|never) {_OLD}{_END}")
_OLD_BUT = re.compile(
    rf"{BREAK}(?:not|never) {_OLD}(?:{BREAK}(?:that|who) [^,]*)?(?:, )?(?:{BREAK}but )?(?:{_IT_IS} )?{_NEW}{_END}"
)
_WRONG = re.compile(
    rf"{_OLD}(?:[{MARKS}] )?{BREAK}(?:is|was) (?:(?:a|an) |{BREAK}not |{BREAK}all )*"
    rf"(?:typo|mistake|wrong|error|rubbish|nonsense|slip|misprint|false|true|invented|made|correct|right) "
    rf"(?:.*?(?:{_IT_IS}|{BREAK}says|reads) {_NEW}{_END})?"
)
_TAKEN_BACK = (
    re.compile(rf"{BREAK}(?:was|is|been|were) {BREAK}never {_OLD}{_END}"),
    re.compile(rf"{BREAK}never {BREAK}(?:was|been) {_OLD}{_END}"),
    re.compile(rf"{_OLD}{BREAK}?(?:{BREAK}was|has) {BREAK}never (?:{BREAK}been )?(?:the|it|true|one)"),
    re.compile(
        rf"^{BREAK}?(?:scrap|ignore|forget|strike|disregard|delete|drop|cross {BREAK}out|not) (?:{BREAK}about )?{_OLD}{_END}",
        re.IGNORECASE,
    ),
    re.compile(rf"^(?:{BREAK}there {BREAK}(?:is|was) )?{BREAK}?[Nn]o (?P<old>(?:{WORD} ){{1,3}})"),
    re.compile(rf"{BREAK}(?:is|was) {BREAK}not {_OLD}{BREAK}?(?:anything|after|at) "),
)
"""What is taken back, with nothing in its place so far."""
_PUT = "got had put wrote written typed"
_CUES = (
    r"corrections?|correct(?:s|ed|ing)?|typos?|misprint|mis-?typed|mis-?read|mis-?heard|mix-?up|mixed up|fat fingers",
    rf"swapped the digits|(?:{'|'.join(_PUT.split())}) (?:\w+ ){{1,4}}wrong",
    r"(?:was|were|is|'s) (?:all )?(?:wrong|incorrect|not right)",
    r"(?:made|was|is|'s) a (?:mistake|slip|mix-up)|my (?:mistake|bad)|misspoke|mis-?spoke|was (?:wrong|mistaken)|in error",
    r"wrong (?:row|number|way round|line|column)|take (?:\w+ ){1,3}back|i meant|meant to (?:say|write|type)",
    r"ignore (?:what|my|that|the)|disregard|scrap that|record straight|lied|one fix|erratum|can't read",
)
_CUE = re.compile(rf"\b(?:{'|'.join(_CUES)})\b")
"""In small letters, in which it is found faster than whatever the case."""
_NO = re.compile(r"no(?:pe)?, (?!thanks|not? )")
_DENIAL = re.compile(
    r"^(?:no,? |sorry,? |oops,? )*(?:(?:that|it|this)(?:'s| is| was) (?:all )?(?:wrong|incorrect|not right|a mistake)"
    r"|i (?:made a mistake|was (?:wrong|mistaken)|misspoke|got (?:that|it) wrong)|my mistake|my bad)\b"
)
_OFF = re.compile(
    rf"{BREAK}(?:did {BREAK}not happen|is {BREAK}off|has fallen through)|fell through|{BREAK}never happened"
    rf"|(?:{BREAK}(?:is|was|has)|has {BREAK}been) (?:called {BREAK}off|cancelled|canceled|scrapped)"
)
_SAYS_IT_IS = rf"(?:{_IT_IS}|{BREAK}?(?:it|which) says|[Tt]urns {BREAK}out {BREAK}it {BREAK}is)"
_BARE = re.compile(
    rf"^(?:{BREAK}?(?:so|but|and) )?(?:{_SAYS_IT_IS} )?(?:the |an? )?"
    rf"(?P<new>(?:{WORD} ){{1,4}})(?:(?:, )?{BREAK}?(?:{BREAK}?all along|instead|now|[{MARKS}]) )*$"
)


_SIGNS = frozenset(
    (
        "not never no typo mistake wrong error rubbish nonsense slip misprint false true invented made correct right scrap ignore"
        " forget strike disregard delete drop cross"
    ).split()
)
"""Without one of these words nothing is taken back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Takeback:
    """Words for what is taken back, and for what is right; as in the plain form."""

    old: str
    new: str | None
    place: int


def takebacks_in(clause: PlainClause) -> Iterator[Takeback]:
    """What a clause takes back; first what it puts something in the place of."""
    if _SIGNS.isdisjoint(clause.words):
        return
    for pattern in (_NOT_OLD, _OLD_BUT, _WRONG):
        for match in pattern.finditer(clause.text):
            yield Takeback(old=match["old"], new=match["new"] or "", place=match.start())
    for pattern in _TAKEN_BACK:
        for match in pattern.finditer(clause.text):
            yield Takeback(old=match["old"], new=None, place=match.start())


def announces(clause: PlainClause) -> bool:
    """Whether a clause announces a correction of what was told before."""
    return _CUE.search(clause.raw.text.lower()) is not None or (
        clause.raw.opens and _NO.match(clause.raw.text.lower()) is not None
    )


def denies_all(clause: PlainClause) -> bool:
    """Whether a clause calls what was told last wrong, whatever it was: "That's wrong", "I made a mistake"."""
    return _DENIAL.search(clause.raw.text.lower()) is not None


def is_off(clause: PlainClause) -> bool:
    """Whether a clause says that something will not, or did not, happen."""
    return _OFF.search(clause.text) is not None


def bare_words(text: str) -> str | None:
    """The words of a part that say nothing but what is right: "it's 41", "Cashews"."""
    match = _BARE.match(text)
    return match["new"] if match is not None else None


def means(told: str, spoken: str) -> bool:
    """Whether spoken words mean an object: its value, a short form of its name, or a phrase around its name."""
    if same_value(told, spoken):
        return True
    there, name = set(spoken.lower().split()), set(told.lower().split())
    if not there or not spoken:
        return False
    short = there <= name and (is_all_capital(spoken) or len(there) > 1 or spoken.split()[-1] == told.split()[-1])
    return short or (is_all_capital(told) and name <= there and len(there) <= len(name) + 1)


def may_stand_for(old: str, new: str) -> bool:
    """Whether a new object is written like the old one: both with numbers, or both without, and not much longer."""
    has_number = [any(c.isdigit() for c in text) for text in (old, new)]
    if old[:1].isupper() and is_all_capital(old) and not any(has_number) and not any(c.isupper() for c in new):
        return False
    return has_number[0] == has_number[1] and len(new.split()) <= len(old.split()) + 2


def same_value(told: str, spoken: str) -> bool:
    """Whether two spellings mean one value: equal, or equal numbers whatever unit stands behind them."""
    if not spoken or not told:
        return False
    if told.lower() == spoken.lower():
        return True
    number = _number(spoken)
    return number is not None and number == _number(told)


def _number(text: str) -> float | None:
    match = re.fullmatch(r"\D{0,4}?(\d[\d,]*(?:\.\d+)?)(?: ?\D*)?", text)
    return float(match[1].replace(",", "")) if match is not None else None


def with_unit(told: str, right: str) -> str:
    """The new value with the unit of the old one, where it was left out."""
    unit = re.fullmatch(r"\d[\d.,]*( ?\D+)", told)
    return right + unit[1] if unit is not None and re.fullmatch(r"\d[\d.,]*", right) else right
