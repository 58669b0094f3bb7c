"""The words without which a saying cannot match: asked of all sayings at once, before any of them is looked for.

Every part of a saying that must be there, such as "(at|for)", has one bit, however many sayings hold it. The words of a clause
give the bits of the parts that may be in it; a saying all of whose bits are among them is worth looking for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from graphmem.ingest.rules.plain import HAS_DIGIT, HAS_EMAIL, HAS_OWNER, HAS_TIME
from graphmem.ingest.rules.slots import OWNER_WORDS, slot_needs
from graphmem.ingest.rules.words import verb_forms

__all__ = ["Candidates"]

_COMMON = frozenset(
    "be have at in on for from with by to of the a an is it and as was are my our out up back , now do get go".split()
)
_COMMON_KEYS = (
    _COMMON | OWNER_WORDS | {HAS_DIGIT, HAS_EMAIL, HAS_OWNER, HAS_TIME, *verb_forms("be"), *verb_forms("have")}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """A saying, and what a clause needs for it."""

    place: int
    bits: int
    several: tuple[_Part, ...]
    """The parts of which a bit does not tell enough."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """A part of a saying that must be there."""

    options: tuple[tuple[frozenset[str], ...], ...]
    """Its options, for each option its words, for each word its forms."""
    keys: frozenset[str]
    """Words of which one must be in the clause: of an option of several words the forms of its rarest."""
    is_common: bool
    bit: int
    """Of those in which a word of every option is; 0 where an option has none."""
    is_told_by_bit: bool
    """Every option is one word."""
    rows: list[_Row] = field(default_factory=list)
    """The sayings of which this is the rarest part."""

    def may_be_among(self, words: Set[str]) -> bool:
        """Whether all words of an option are there."""
        return any(not any(map(words.isdisjoint, option)) for option in self.options)


class Candidates:
    """Sayings by the words that they need."""

    def __init__(self, sayings: Iterable[list[str]]) -> None:
        """`sayings`: for each, in their order, the pieces it is written in."""
        self._parts: dict[str, _Part | None] = {}
        self._bits: defaultdict[str, int] = defaultdict(int)
        """For each word the bits of the parts that it may be."""
        self._count = 0
        self._rows: defaultdict[str, list[list[_Row]]] = defaultdict(list)
        """By the keys of their rarest parts."""
        self._always: list[_Row] = []
        for place, pieces in enumerate(sayings):
            self._enter(place, pieces)
        self._being = self._bits["being"]

    def _enter(self, place: int, pieces: list[str]) -> None:
        parts = [part for piece in pieces if (part := self._part(piece)) is not None]
        bits = 0
        for part in parts:
            bits |= part.bit
        row = _Row(place=place, bits=bits, several=tuple(part for part in parts if not part.is_told_by_bit))
        if not parts:
            self._always.append(row)
            return
        rarest = min(parts, key=lambda part: (part.is_common, len(part.keys)))
        if not rarest.rows:
            for key in rarest.keys:
                self._rows[key].append(rarest.rows)
        rarest.rows.append(row)

    def _part(self, piece: str) -> _Part | None:
        if piece not in self._parts:
            self._parts[piece] = self._new_part(piece)
        return self._parts[piece]

    def _new_part(self, piece: str) -> _Part | None:
        options, keys = _needs(piece), _keys(piece)
        if not options:
            return None
        bit = 0
        if all(options):
            bit = 1 << self._count
            self._count += 1
            for word in frozenset().union(*map(_rarest, options)):
                self._bits[word] |= bit
        return _Part(
            options=options,
            keys=keys,
            is_common=not _COMMON_KEYS.isdisjoint(keys),
            bit=bit,
            is_told_by_bit=all(len(option) == 1 for option in options),
        )

    def among(self, words: Set[str], *, is_bare: bool) -> list[int]:
        """The places of the sayings that a clause of these words can match, in order. `is_bare`: "be" may be left out."""
        there = self._being if is_bare else 0
        for bits in map(self._bits.get, words):
            if bits is not None:
                there |= bits
        missing = ~there
        rows = chain.from_iterable(self._rows[word] for word in words if word in self._rows)
        return sorted(
            {
                row.place
                for row in chain(self._always, *rows)
                if not row.bits & missing and all(part.may_be_among(words) for part in row.several)
            }
        )


def _rarest(option: tuple[frozenset[str], ...]) -> frozenset[str]:
    """The forms of a word of an option, of one that is not common if there is one."""
    return next((forms for forms in option if _COMMON_KEYS.isdisjoint(forms)), option[0])


def _keys(piece: str) -> frozenset[str]:
    if piece.startswith("{"):
        return slot_needs(piece[1:-1].partition(":")[2])
    return frozenset().union(*(_option_keys(option) for option in _options(piece)))


def _option_keys(option: list[str]) -> frozenset[str]:
    """The forms of the last word that is not a common one."""
    fixed = [word for word in option if not word.startswith("{")]
    return _forms(next((word for word in reversed(fixed) if word.rstrip("~") not in _COMMON), fixed[-1]))


def _needs(piece: str) -> tuple[tuple[frozenset[str], ...], ...]:
    if piece.startswith("{"):
        wanted = slot_needs(piece[1:-1].partition(":")[2])
        return ((wanted,),) if wanted else ()
    return tuple(tuple(_forms(w) for w in option if not w.startswith("{")) for option in _options(piece))


def _options(piece: str) -> list[list[str]]:
    """The options of a part that must be there, word by word; none for a part that may be left out."""
    if piece.startswith("[") or piece in ("$", ","):
        return []
    return [option.split() for option in (piece[1:-1].split("|") if piece.startswith("(") else [piece])]


@cache
def _forms(word: str) -> frozenset[str]:
    return frozenset(verb_forms(word[:-1])) if word.endswith("~") else frozenset((word.lower(),))
