"""The small language the sayings are written in, made into regular expressions over the plain form of a clause.

{s}          a noun phrase or pronoun; the first one stands where a clause can begin and may be left out ("and joined …")
{s:poss}     an owner: "my", "her", "Mara's"
{o:name}     a slot held to a type of slots.py or to a list of words.toml
{o+}         a slot that takes a list: "Alba, Bjarke and Cleo"
work~        any form of a verb; auxiliaries may stand before it
(at|for)     one of these
[the]        may be left out
...          at the head: may begin anywhere in the clause
$            the clause, or its part up to a comma, ends here
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.rules.plain import BREAK, HAS_DIGIT, HAS_EMAIL, HAS_OWNER, HAS_TIME, MARKS
from graphmem.ingest.rules.slots import (
    CAPITAL_FIRST,
    NAME_ENDS,
    NP,
    OWNER,
    OWNER_WORDS,
    STRICT,
    WORD,
    leading_slot,
    slot,
    slot_needs,
)
from graphmem.ingest.rules.words import verb_forms, words

__all__ = ["Pattern", "continuation_of", "keys_of", "pattern_of"]

_PIECE = re.compile(r"\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|\S+")
_TIMES = f"(?:(?:, )?[{MARKS}] )*"
_LEAD_TIMES = f"(?:[{MARKS}] (?:, )?)*"
_ANCHORS = (
    "and but so because since while as that when where then bc cause though although which who now or yet plus".split()
)
_ANCHOR = (
    rf"(?:^|(?<=[,{MARKS}] )|(?<=[{MARKS}] , )"
    + "".join(
        f"|(?<=(?:{'|'.join(w for w in _ANCHORS if len(w) == length)}) )"
        for length in sorted({len(w) for w in _ANCHORS})
    )
    + ")"
)
"""Where a clause can begin. One look back for all words of a length: a look back has a fixed width."""
_SUBJECT_PRONOUN = rf"(?<= )(?={BREAK}(?:I|he|she|we|they) )"
"""These stand nowhere but at the head of a clause ("remember I am allergic to it")."""
_TAIL = (
    rf"(?:(?<=[{MARKS}] ), )?(?:{BREAK}(?:from|at|in|on|for|with|to) (?:{WORD} ){{1,4}})?"
    rf"(?:, (?:{WORD} ){{1,5}}, )?(?:(?:, )?{BREAK}?(?:who|which|that) )?"
)
"""What may stand between a subject and its verb: "from Accounts", ", my sister,", "who"."""
_ADVERBS = "not|never|no longer|still|now|always|also|both|all|again|currently|only|ever|once"
_AFTER_BE = rf"(?:{BREAK}?(?:{_ADVERBS}|[a-z]+ly) {_TIMES})*"
_END_WORDS = "now|again|too|instead|together|already|back|here|there"
_CLAUSE_END = rf"(?=(?:[{MARKS}] |{BREAK}?(?:{_END_WORDS}) )*(?:, |$|{BREAK}(?!(?:me|you|him|us|them|it) )))"


_NOT_AFTER_TIME = dict.fromkeys(("", "np", "thing"), rf"(?<![{MARKS}] )")
"""What follows the time words after a verb is not its object ("the figurines I bought yesterday remind me …")."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A compiled saying: its expression, its slots in order with their types, its verbs, and which slots take lists."""

    regex: re.Pattern[str]
    types: tuple[tuple[str, str], ...]
    """(slot, type) in order."""
    verbs: tuple[tuple[str, int], ...]
    """Lemma of the verb in the group `verb{i}`, and the number of the group `aux{n}` that holds its auxiliaries."""
    lists: frozenset[str]
    first: str | None
    """The slot the clause begins with, if any."""
    needs: tuple[tuple[tuple[frozenset[str], ...], ...], ...]
    """For each fixed part its options, for each option its words, for each word its forms: what must be there at all."""

    def type_of(self, name: str) -> str | None:
        """The type of a slot; None for one the saying does not have."""
        return next((kind for slot_name, kind in self.types if slot_name == name), None)

    def could_match(self, words_there: frozenset[str]) -> bool:
        """Whether a clause with these words can match; cheap, asked before the expression is run."""
        return all(any(all(forms & words_there for forms in option) for option in part) for part in self.needs)


@cache
def pattern_of(say: str) -> Pattern:
    """The compiled form of a saying's words.

    >>> bool(pattern_of("{s} work~ (at|for) {o:name}").regex.search("·I work ·at Norrsken Foods "))
    True
    """
    anywhere = say.startswith("...")
    pieces = _PIECE.findall(say.removeprefix("..."))
    builder = _Builder()
    last = len(pieces) - 1
    body = "".join(
        builder.piece(piece, leads=i == 0 and not anywhere, ends=i == last and not anywhere)
        for i, piece in enumerate(pieces)
    )
    return Pattern(
        regex=re.compile(_head(anywhere=anywhere, has_subject=builder.first is not None) + body),
        types=tuple(builder.slots),
        verbs=tuple(builder.verbs),
        lists=frozenset(builder.lists),
        first=builder.first,
        needs=tuple(needs for piece in pieces if (needs := _needs(piece))),
    )


def _head(*, anywhere: bool, has_subject: bool) -> str:
    if anywhere:
        return r"(?:^|(?<= ))"
    return rf"(?:{_ANCHOR}|{_SUBJECT_PRONOUN})" if has_subject else _ANCHOR + _LEAD_TIMES


class _Builder:
    """Collects the slots and verbs of a saying while its expression is put together."""

    def __init__(self) -> None:
        self.slots: list[tuple[str, str]] = []
        self.verbs: list[tuple[str, int]] = []
        self.groups = 0
        self.lists: set[str] = set()
        self.first: str | None = None

    def piece(self, piece: str, *, leads: bool, ends: bool) -> str:
        if piece.startswith("{"):
            return self._leading(piece[1:-1]) if leads else self._slot(piece[1:-1], ends=ends) + _TIMES
        if piece.startswith(("(", "[")):
            return self._either([option.split() for option in piece[1:-1].split("|")]) + (
                "?" if piece.startswith("[") else ""
            )
        return _CLAUSE_END if piece == "$" else self._word(piece)

    def _leading(self, spec: str) -> str:
        name, kind, takes_list = self._declared(spec)
        self.first = name
        if kind == "poss":
            return rf"(?P<{name}>{OWNER})"
        one = leading_slot(kind)
        several = rf"(?:(?:, {one})*(?:, )?{BREAK}and {one})?" if takes_list else ""
        may_be_left_out = "?" if name in ("s", "x", "o") else ""
        return rf"{_LEAD_TIMES}(?:(?P<{name}>{one}{several}){_TIMES}{_TAIL}){may_be_left_out}{_TIMES}"

    def _slot(self, spec: str, *, ends: bool = False) -> str:
        name, kind, takes_list = self._declared(spec)
        if kind == "poss":
            return rf"(?P<{name}>{OWNER})"
        one = slot(kind, strict=ends and kind in STRICT)
        if kind in ("name", "place") and ends:
            one += NAME_ENDS
        several = rf"(?:(?:, {one})*(?:, )?{BREAK}and {one}(?=$|, |[{MARKS}]|{BREAK}))?" if takes_list else ""
        return _NOT_AFTER_TIME.get(kind, "") + rf"(?P<{name}>{one}{several})"

    def _declared(self, spec: str) -> tuple[str, str, bool]:
        name, _, kind = spec.partition(":")
        takes_list = name.endswith("+")
        name = name.rstrip("+")
        self.slots.append((name, kind))
        if takes_list:
            self.lists.add(name)
        return name, kind, takes_list

    def _either(self, options: list[list[str]]) -> str:
        """One of the options; auxiliaries that may stand before each verb, and what options share, are written once."""
        if not all(option[0].endswith("~") for option in options):
            return "(?:" + "|".join(self._words(option) for option in options) + ")"
        self.groups += 1
        by_verb: dict[str, list[list[str]]] = {}
        for option in options:
            by_verb.setdefault(option[0], []).append(option[1:])
        verbs = "|".join(self._verb(verb[:-1]) + self._rests(rests) for verb, rests in by_verb.items())
        return rf"(?P<aux{self.groups}>{_auxiliaries()})(?:{verbs})"

    def _rests(self, rests: list[list[str]]) -> str:
        filled = [self._words(rest) for rest in rests if rest]
        if not filled:
            return ""
        return f"(?:{'|'.join(filled)})" + ("" if len(filled) == len(rests) else "?")

    def _words(self, words_: list[str]) -> str:
        return "".join(self._slot(w[1:-1]) + _TIMES if w.startswith("{") else self._word(w) for w in words_)

    def _word(self, word: str) -> str:
        if word == ",":
            return "(?:, )"
        if not word.endswith("~"):
            return rf"{BREAK}?(?i:{re.escape(word)}) {_TIMES}"
        self.groups += 1
        return rf"(?P<aux{self.groups}>{_auxiliaries()})" + self._verb(word[:-1])

    def _verb(self, lemma: str) -> str:
        forms = "|".join(sorted(set(verb_forms(lemma)), key=len, reverse=True))
        self.verbs.append((lemma, self.groups))
        after = _AFTER_BE if lemma == "be" else ""
        return rf"{BREAK}?(?P<verb{len(self.verbs) - 1}>(?i:{forms})) {_TIMES}{after}"


@cache
def _auxiliaries() -> str:
    options = "|".join(sorted(words().auxiliaries, key=len, reverse=True))
    pairs = rf"no longer|{BREAK}?used {BREAK}?to|going {BREAK}?to|about {BREAK}?to|getting {BREAK}?to"
    return rf"(?:{BREAK}?(?:(?i:{options}|{pairs})|[a-z]+ly) {_TIMES})*"


@cache
def continuation_of(say: str) -> re.Pattern[str] | None:
    """What goes on after a saying that ends in a slot: ", Antwerp yesterday", "and the Hue shop on the 11th"; else None.

    A time expression must follow each item, otherwise it could be the subject of a clause of its own.
    """
    last = _PIECE.findall(say)[-1]
    if not last.startswith("{"):
        return None
    kind = last[1:-1].partition(":")[2]
    one = NP if kind in ("", "thing", "np") else slot(kind)
    joined = rf"{_TIMES}(?:, )?(?:{BREAK}(?:and|then) ){{1,2}}{_TIMES}(?P<more>{one})(?=[{MARKS}] )"
    listed = rf"{_TIMES}, (?=(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur) |{CAPITAL_FIRST})(?P<other>{one})(?=[{MARKS}] )"
    return re.compile(f"{joined}|{listed}")


def keys_of(say: str) -> frozenset[str]:
    """Words of which one must be in a clause for the saying to match: those of its rarest fixed part."""
    parts = [_part_keys(piece) for piece in _PIECE.findall(say.removeprefix("..."))]
    fixed = [part for part in parts if part]
    return min(fixed, key=_commonness) if fixed else frozenset()


_COMMON = frozenset(
    "be have at in on for from with by to of the a an is it and as was are my our out up back , now do get go".split()
)
_COMMON_KEYS = (
    _COMMON | OWNER_WORDS | {HAS_DIGIT, HAS_EMAIL, HAS_OWNER, HAS_TIME, *verb_forms("be"), *verb_forms("have")}
)


def _commonness(keys: frozenset[str]) -> tuple[bool, int]:
    return (bool(keys & _COMMON_KEYS), len(keys))


def _part_keys(piece: str) -> frozenset[str]:
    if piece.startswith("{"):
        return slot_needs(piece[1:-1].partition(":")[2])
    return frozenset().union(*(_option_keys(option) for option in _options(piece)))


def _option_keys(option: list[str]) -> frozenset[str]:
    """The forms of the last word that is not a common one."""
    word = next((w for w in reversed(option) if w.rstrip("~") not in _COMMON), option[-1])
    return _forms(word)


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


def _forms(word: str) -> frozenset[str]:
    return frozenset(verb_forms(word[:-1])) if word.endswith("~") else frozenset((word.lower(),))
