"""Finds the known names in a question: whole, in part ("Mara" for "Mara Lindqvist"), or nearly spelled."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz, process

from graphmem.model import Name
from graphmem.retrieve.question_words import AUXILIARIES, PREPOSITIONS, Word, stem
from graphmem.terms import name_key

__all__ = ["Match", "Mention", "NameIndex"]

_PART = re.compile(r"[^\W_]+")
_FUZZY_CUTOFF = 86
_MIN_FUZZY_LENGTH = 5
_MIN_SHORT_LENGTH = 3
_MIN_PLURAL_LENGTH = 4
_MOST_MEANT = 8
_FUNCTION_WORDS = (
    AUXILIARIES
    | PREPOSITIONS
    | frozenset(
        "a an the and or not who what which where when how whose whom why that this these those it its he she they them his her "
        "their we our us you your i my me there then now one ones".split()
    )
)
_BEFORE_NOUNS = (PREPOSITIONS | {"the", "a", "an"}) - {"to"}
_NOUN_ASKERS = frozenset(stem(word) for word in ("which", "what", "many", "much"))


class Match(IntEnum):
    """How a name was recognised; more is better."""

    NEAR = 1
    PART = 2
    WHOLE = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Mention:
    """Words [first, last) of a question that name something; several ids where the name is ambiguous."""

    first: int
    last: int
    entity_ids: tuple[str, ...]
    match: Match
    is_plain: bool = False
    """One uncapitalised word: it may also be an ordinary word of the question."""


class _Entry(NamedTuple):
    """One spelling; a tuple, for there may be very many."""

    entity_id: str
    parts: tuple[str, ...]
    spelling: str


class NameIndex:
    """The names of some groups, ready for spotting."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._by_part: defaultdict[str, list[_Entry]] = defaultdict(list)
        self._words: dict[str, str] = {}
        self._inflected: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for name in names:
            raw = _PART.findall(name.spelling)
            parts = tuple(_folded(part) for part in raw)
            entry = _Entry(name.entity_id, _without_article(parts), name.spelling)
            if len(raw) == 1 and raw[0].islower() and raw[0].isascii():
                self._inflected[stem(raw[0])][name.entity_id] = None
            for part, word in zip(parts, raw, strict=True):
                entries = self._by_part[part]
                if not entries or entries[-1] is not entry:
                    entries.append(entry)
                if len(word) >= _MIN_FUZZY_LENGTH and word.isalpha():
                    self._words[word.casefold()] = part

    def spot(self, words: Sequence[Word]) -> tuple[Mention, ...]:
        """Mentions in the order of the words, none overlapping; longer and more exact ones win."""
        parts = [(index, part) for index, word in enumerate(words) for part in _parts_of(word)]
        found: list[tuple[int, Mention]] = []
        for start in range(len(parts)):
            found += self._from(parts, start, words)
        mentions = _best(found)
        together = sorted([*mentions, *self._near(words, mentions)], key=lambda mention: mention.first)
        return tuple(one for one in _joined(together) if not _belongs_to_another(one, together, words))

    def _from(
        self, parts: Sequence[tuple[int, str]], start: int, words: Sequence[Word]
    ) -> Iterable[tuple[int, Mention]]:
        """The longest run of words from here that stands in some name, and the longest that is one."""
        entries = self._by_part.get(parts[start][1], [])
        if not entries:
            yield from self._in_another_form(parts, start, words)
            return
        opens_with_function = _is_function(words[parts[start][0]])
        for length in range(len(parts) - start, 0, -1):
            run = tuple(part for _, part in parts[start : start + length])
            first, last = parts[start][0], parts[start + length - 1][0] + 1
            if _cuts_a_word(parts, start, length):
                continue
            same = [entry for entry in entries if entry.parts == run]
            if opens_with_function and (length == 1 or not same):
                continue
            if same:
                said = name_key(" ".join(word.text for word in words[first:last]))
                whole = _ids(entry for entry in same if name_key(entry.spelling) == said) or _ids(same)
                yield length, _mention(words, first, last, whole, Match.WHOLE)
                return
            number = words[last].text if last < len(words) and words[last].text.isdigit() else None
            partly = _ids(
                entry for entry in entries if _contains(entry.parts, run) and (number is None or number in entry.parts)
            )
            if (
                partly
                and len(partly) <= _MOST_MEANT
                and not _asks_for_kind(words, first)
                and not _is_function(words[last - 1])
            ):
                yield length, _mention(words, first, last, partly, Match.PART)

    def _in_another_form(
        self, parts: Sequence[tuple[int, str]], start: int, words: Sequence[Word]
    ) -> Iterable[tuple[int, Mention]]:
        """ "Refunded" and "opened" for the values "refund" and "open": ordinary words as names."""
        at = parts[start][0]
        meant = self._inflected.get(words[at].stem)
        if meant and words[at].text.islower() and not _is_function(words[at]) and not _cuts_a_word(parts, start, 1):
            yield 1, _mention(words, at, at + 1, tuple(meant), Match.PART)

    def _near(self, words: Sequence[Word], taken: Sequence[Mention]) -> Iterable[Mention]:
        """Names nearly spelled like a capitalised word; digits and identifiers are never guessed at.

        A short form ("Oye" for "Oyelaran") counts only where nothing else is named.
        """
        for index, word in enumerate(words):
            is_covered = any(mention.first <= index < mention.last for mention in taken)
            if index == 0 or is_covered or not word.text[:1].isupper() or not word.text.isalpha():
                continue
            near = self._alike(word.text.casefold()) or (None if taken else self._longer(word.text.casefold()))
            if near is not None:
                ids = _ids(self._by_part[self._words[near]])
                yield Mention(first=index, last=index + 1, entity_ids=ids[:_MOST_MEANT], match=Match.NEAR)

    def _alike(self, word: str) -> str | None:
        if len(word) < _MIN_FUZZY_LENGTH:
            return None
        best = process.extractOne(word, self._words.keys(), scorer=fuzz.ratio, score_cutoff=_FUZZY_CUTOFF)
        return None if best is None else str(best[0])

    def _longer(self, word: str) -> str | None:
        """The one word of the names that begins so."""
        longer = [one for one in self._words if len(word) >= _MIN_SHORT_LENGTH and one.startswith(word)]
        return longer[0] if len(longer) == 1 else None


def _best(found: Iterable[tuple[int, Mention]]) -> tuple[Mention, ...]:
    taken: list[Mention] = []
    for _, mention in sorted(found, key=lambda item: (-(item[0] + (item[1].match is Match.WHOLE) / 2), item[1].first)):
        if not any(mention.first < other.last and other.first < mention.last for other in taken):
            taken.append(mention)
    return tuple(sorted(taken, key=lambda mention: mention.first))


def _joined(mentions: Sequence[Mention]) -> list[Mention]:
    """Neighbours that mean the same are one mention: "Mara Lindquist", half of it nearly spelled."""
    joined: list[Mention] = []
    for mention in mentions:
        before = joined[-1] if joined else None
        shared = set(before.entity_ids) & set(mention.entity_ids) if before and before.last == mention.first else set()
        if before is None or not shared or Match.NEAR not in (before.match, mention.match):
            joined.append(mention)
            continue
        ids = tuple(one for one in before.entity_ids if one in shared)
        joined[-1] = Mention(first=before.first, last=mention.last, entity_ids=ids, match=Match.NEAR)
    return joined


def _belongs_to_another(mention: Mention, mentions: Sequence[Mention], words: Sequence[Word]) -> bool:
    """ "Mara" in "Mara Jensen" where no Jensen is known: that is somebody else."""
    if (
        mention.last >= len(words)
        or words[mention.last - 1].is_possessive
        or not words[mention.first].text[:1].isupper()
    ):
        return False
    after = words[mention.last].text
    is_known = any(one.first <= mention.last < one.last for one in mentions)
    return not is_known and after.isalpha() and after[:1].isupper() and not after.isupper()


def _mention(words: Sequence[Word], first: int, last: int, ids: tuple[str, ...], match: Match) -> Mention:
    before = words[first - 1] if first else None
    is_noun = before is not None and (before.is_possessive or before.stem in _BEFORE_NOUNS)
    plain = last - first == 1 and not words[first].is_name_like and not is_noun
    return Mention(first=first, last=last, entity_ids=ids, match=match, is_plain=plain)


def _parts_of(word: Word) -> list[str]:
    return [_folded(part) for part in _PART.findall(word.text)]


@lru_cache(maxsize=65_536)
def _folded(part: str) -> str:
    """One word of a name without case, accents and plural: cheap, for names are many."""
    lower = part.lower() if part.isascii() else name_key(part)
    is_plural = len(lower) >= _MIN_PLURAL_LENGTH and lower.endswith("s") and not lower.endswith(("ss", "us", "is"))
    return lower[:-1] if is_plural else lower


def _ids(entries: Iterable[_Entry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.entity_id for entry in entries))


def _without_article(parts: tuple[str, ...]) -> tuple[str, ...]:
    return parts[1:] if len(parts) > 1 and parts[0] in ("the", "a", "an") else parts


def _contains(parts: tuple[str, ...], run: tuple[str, ...]) -> bool:
    return any(parts[at : at + len(run)] == run for at in range(len(parts) - len(run) + 1))


def _is_function(word: Word) -> bool:
    return word.text.casefold() in _FUNCTION_WORDS or (word.stem in _FUNCTION_WORDS and not word.is_name_like)


def _cuts_a_word(parts: Sequence[tuple[int, str]], start: int, length: int) -> bool:
    """Whether the run begins or ends inside a word: "node" of "node-9" is another thing than "node-7"."""
    end = start + length
    inside_first = start > 0 and parts[start - 1][0] == parts[start][0]
    return inside_first or (end < len(parts) and parts[end][0] == parts[end - 1][0])


def _asks_for_kind(words: Sequence[Word], first: int) -> bool:
    """ "Which team", "how many shops": an uncapitalised word there says of what kind the answer is, it names nothing."""
    return first > 0 and words[first - 1].stem in _NOUN_ASKERS and not words[first].is_name_like
