"""Which relations the words of a question point to: from questions.toml or, for the user's own relations, from their names."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from graphmem.relations import builtin_relations
from graphmem.resources import read
from graphmem.retrieve.question_words import AUXILIARIES, PREPOSITIONS, Word, stems_of
from graphmem.timeline.claims import Relation

__all__ = ["Cue", "CueKind", "RelationWords", "question_examples"]

_MIN_SHARED_STEM = 5
_LINKING = AUXILIARIES | PREPOSITIONS | {"the", "a", "not"}


class CueKind(StrEnum):
    """What a word says of its relation; the values are the keys of questions.toml."""

    VERB = "verbs"
    REVERSE = "reverse"
    BEGIN = "begin"
    REVERSE_BEGIN = "reverse_begin"
    END = "end"
    REVERSE_END = "reverse_end"
    OBJECT = "object"
    SUBJECT = "subject"
    WEAK = "weak"

    @property
    def is_noun(self) -> bool:
        return self in (CueKind.OBJECT, CueKind.SUBJECT)

    @property
    def begins(self) -> bool:
        return self in (CueKind.BEGIN, CueKind.REVERSE_BEGIN)

    @property
    def ends(self) -> bool:
        return self in (CueKind.END, CueKind.REVERSE_END)

    @property
    def is_reverse(self) -> bool:
        """The grammatical subject of the word is the fact's object."""
        return self in (CueKind.REVERSE, CueKind.REVERSE_BEGIN, CueKind.REVERSE_END)


_WEIGHTS = {
    CueKind.VERB: 2.5,
    CueKind.REVERSE: 2.5,
    CueKind.OBJECT: 2.4,
    CueKind.SUBJECT: 2.4,
    CueKind.BEGIN: 2.2,
    CueKind.REVERSE_BEGIN: 2.2,
    CueKind.END: 2.2,
    CueKind.REVERSE_END: 2.2,
    CueKind.WEAK: 0.6,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Cue:
    """Words of a question that point to a relation."""

    relation: str
    kind: CueKind
    at: tuple[int, ...]
    """Indexes of its content words (of its linking words, where it has no others)."""
    weight: float
    is_weak: bool = False
    """Linking words only: they fit many relations, and count for known facts alone."""
    is_idiom: bool = False
    """It holds a preposition: a noun in it may have its article ("at the helm")."""
    is_copula: bool = False
    """Nothing but "be"."""
    is_passive: bool = False
    """The entry itself is a passive ("be assigned to"): its grammatical subject is meant as it stands."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    relation: str
    kind: CueKind
    content: tuple[str, ...]
    linking: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RelationWords:
    """The words of some relations, ready for matching."""

    entries: Mapping[str, tuple[_Entry, ...]]
    """By the first content stem, or by the first stem where there is no content word."""
    derived: tuple[_Entry, ...]
    asks: Mapping[str, frozenset[str]]
    same_kind: frozenset[str]
    symmetric: frozenset[str]
    numeric: frozenset[str]

    @classmethod
    def of(cls, relations: Mapping[str, Relation]) -> RelationWords:
        """For these relations and the built-in ones: from the table, or, where it has none, from the relation's name."""
        table = _table()
        known = {**builtin_relations(), **relations}
        return cls(
            entries=_table_entries(),
            derived=tuple(entry for name in known if name not in table for entry in _entries_of_name(name)),
            asks={name: frozenset(_strings(row, "asks")) for name, row in table.items()},
            same_kind=frozenset(name for name, row in table.items() if row.get("same_kind")),
            symmetric=frozenset(name for name, relation in known.items() if relation.symmetric),
            numeric=frozenset(name for name, row in table.items() if row.get("numeric")),
        )

    def cues(self, words: Sequence[Word]) -> list[Cue]:
        """Every relation the words point to, with how and how strongly."""
        stems = [word.stem for word in words]
        found = [cue for index in range(len(stems)) for cue in self._cues_at(stems, index)]
        exact = [f"={word.text.casefold()}" for word in words]
        found += [cue for index in range(len(exact)) for cue in self._cues_at(exact, index)]
        return found + [cue for entry in self.derived for cue in _derived_cues(entry, stems)]

    def _cues_at(self, stems: Sequence[str], index: int) -> Iterable[Cue]:
        for entry in self.entries.get(stems[index], ()):
            at = _match(entry, stems, index)
            if at is not None:
                yield _cue(entry, at, sharers=len({other.relation for other in self.entries[stems[index]]}))


@cache
def _table() -> Mapping[str, Mapping[str, object]]:
    return tomllib.loads(read("retrieve/questions.toml"))


@cache
def _table_entries() -> Mapping[str, tuple[_Entry, ...]]:
    by_stem: defaultdict[str, list[_Entry]] = defaultdict(list)
    for name, row in _table().items():
        for entry in _entries(name, row):
            by_stem[(entry.content or entry.linking)[0]].append(entry)
    return {first: tuple(entries) for first, entries in by_stem.items()}


def question_examples() -> Iterable[tuple[str, str, str]]:
    """(relation, slot, question with {s} and {o}) of every example in the table."""
    for name, row in _table().items():
        for example in _strings(row, "examples"):
            slot, _, question = example.partition(": ")
            yield name, slot, question


def _strings(row: Mapping[str, object], key: str) -> list[str]:
    value = row.get(key, [])
    return [str(item) for item in value] if isinstance(value, list) else []


def _entries(relation: str, row: Mapping[str, object]) -> Iterable[_Entry]:
    for kind in CueKind:
        for text in _strings(row, kind.value):
            yield _entry(relation, kind, (text,) if text.startswith("=") else stems_of(text))


def _entry(relation: str, kind: CueKind, stems: Sequence[str]) -> _Entry:
    content = tuple(one for one in stems if one not in _LINKING)
    linking = tuple(one for one in stems if one in _LINKING)
    return _Entry(relation=relation, kind=kind, content=content, linking=linking)


def _entries_of_name(name: str) -> Iterable[_Entry]:
    """SPONSORED_BY: the one who sponsors, the sponsor; HAS_MASCOT: the mascot; PATRON_OF: the patron."""
    stems = stems_of(name.replace("_", " ").lower())
    content = tuple(one for one in stems if one not in _LINKING)
    if not content:
        return
    if stems[-1] == "by":
        kinds = (CueKind.REVERSE, CueKind.OBJECT)
    elif stems[0] == "have":
        kinds = (CueKind.OBJECT, CueKind.OBJECT)
    elif stems[-1] == "of":
        kinds = (CueKind.SUBJECT, CueKind.SUBJECT)
    else:
        kinds = (CueKind.VERB, CueKind.OBJECT)
    for kind in dict.fromkeys(kinds):
        yield _Entry(relation=name, kind=kind, content=content, linking=())


def _match(entry: _Entry, stems: Sequence[str], index: int) -> tuple[int, ...] | None:
    """Where the entry stands with its first content word here; its prepositions may stand anywhere, "be" may be left out."""
    if not entry.content:
        return (index,) if all(one in stems for one in entry.linking) else None
    at, position = [index], index
    for one in entry.content[1:]:
        near = next(
            (later for later in range(position + 1, min(position + 5, len(stems))) if stems[later] == one), None
        )
        if near is None:
            return None
        at.append(near)
        position = near
    needed = [one for one in entry.linking if one in PREPOSITIONS]
    return tuple(at) if all(one in stems for one in needed) else None


def _cue(entry: _Entry, at: tuple[int, ...], *, sharers: int) -> Cue:
    is_weak = entry.kind is CueKind.WEAK or not entry.content
    weight = _WEIGHTS[entry.kind] if entry.content else _WEIGHTS[CueKind.WEAK]
    if not is_weak:
        weight += 0.5 * (len(entry.content) - 1) + 0.2 * sum(one in PREPOSITIONS for one in entry.linking)
        weight -= 0.05 * min(sharers, 8)
    return Cue(
        relation=entry.relation,
        kind=entry.kind,
        at=at,
        weight=weight,
        is_weak=is_weak,
        is_idiom=any(one in PREPOSITIONS for one in entry.linking),
        is_copula=not entry.content and entry.linking == ("be",),
        is_passive="be" in entry.linking,
    )


def _derived_cues(entry: _Entry, stems: Sequence[str]) -> Iterable[Cue]:
    """Each word of the name that is found counts; a shared beginning is enough ("sponsorship")."""
    at = tuple(index for index, one in enumerate(stems) if any(_alike(one, part) for part in entry.content))
    if at:
        hits = len({part for part in entry.content for index in at if _alike(stems[index], part)})
        yield Cue(
            relation=entry.relation, kind=entry.kind, at=at, weight=_WEIGHTS[entry.kind] * hits / len(entry.content)
        )


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    shared = min(len(one), len(other))
    return shared >= _MIN_SHARED_STEM and one[:shared] == other[:shared]
