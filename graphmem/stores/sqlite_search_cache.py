"""What searches have read, kept until somebody writes: where words stand, what a scope sees, which vectors there are."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from graphmem.model import Scope
from graphmem.ports import EmbeddingModel, ItemKey, SearchTarget, Turn
from graphmem.stores.sqlite_statements import rows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["GroupTexts", "Place", "Postings", "SearchCache", "Snapshot"]

Place: TypeAlias = tuple[SearchTarget, str]
"""What is searched in which group."""

_NUMBERS_HELD = 4_000_000
_TURNS_HELD = 20_000
_KEYS_HELD = 500_000
_VISIBLE_HELD = 500_000


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupTexts:
    """The texts of one kind that a group has."""

    texts: int = 0
    terms: int = 0
    """In all of them."""
    is_mark_shared: bool = False
    """Another group's terms bear the same mark."""

    @property
    def average_length(self) -> float:
        """In terms."""
        return self.terms / max(self.texts, 1)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Postings:
    """The rows of a group that hold one term."""

    numbers: npt.NDArray[np.int64]
    """Of the rows, rising."""
    weights: npt.NDArray[np.float64]
    """What the term weighs in each, for BM25: how often it stands there, by the length of the text."""


@dataclass(kw_only=True, slots=True)
class Snapshot:
    """What one connection read since anybody wrote."""

    version: int
    model: EmbeddingModel | None = None
    is_model_known: bool = False
    followed: set[Place] = field(default_factory=set)
    """Whose vectors were brought up to this snapshot."""
    group_texts: dict[Place, GroupTexts] = field(default_factory=dict)
    _keys: dict[Place, dict[int, ItemKey]] = field(default_factory=dict)
    _keys_held: int = 0
    _postings: OrderedDict[tuple[Place, str], Postings] = field(default_factory=OrderedDict)
    _numbers_held: int = 0
    _turns: dict[Hashable, dict[ItemKey, Turn]] = field(default_factory=dict)
    _visible: OrderedDict[tuple[Place, Hashable], dict[str, bool]] = field(default_factory=OrderedDict)
    _visible_held: int = 0

    def postings(self, place: Place, term: str) -> Postings | None:
        """Where a term stands, if that was read before."""
        found = self._postings.get((place, term))
        if found is not None:
            self._postings.move_to_end((place, term))
        return found

    def keep_postings(self, place: Place, term: str, found: Postings) -> None:
        """Keep where a term stands; what was not asked for longest gives way."""
        self._postings[place, term] = found
        self._numbers_held += len(found.numbers) + 1
        while self._numbers_held > _NUMBERS_HELD and len(self._postings) > 1:
            _, dropped = self._postings.popitem(last=False)
            self._numbers_held -= len(dropped.numbers) + 1

    def keys(self, place: Place) -> dict[int, ItemKey]:
        """The keys of rows by their numbers, as far as they were read."""
        return self._keys.setdefault(place, {})

    def keep_keys(self, place: Place, found: dict[int, ItemKey]) -> None:
        """Keep keys of rows; when they grow too many, those read before go."""
        self._keys_held += len(found)
        if self._keys_held > _KEYS_HELD:
            self._keys.clear()
            self._keys_held = len(found)
        self.keys(place).update(found)

    def turns(self, scope: Scope) -> dict[ItemKey, Turn]:
        """The turns asked about so far, as the scope sees what is around them; the caller adds what it learns."""
        if sum(map(len, self._turns.values())) > _TURNS_HELD:
            self._turns.clear()
        return self._turns.setdefault((scope.known_at, _filter_key(scope)), {})

    def visible(self, place: Place, scope: Scope) -> dict[str, bool]:
        """Of the things asked about so far: whether the scope sees them; `keep_visible` adds to it."""
        window = scope.window
        key = place, (window.start, window.until, scope.known_at, scope.possible, _filter_key(scope))
        known = self._visible.setdefault(key, {})
        self._visible.move_to_end(key)
        return known

    def keep_visible(self, known: dict[str, bool], found: Mapping[str, bool]) -> None:
        """Add to what `visible` gave last; what was not asked for longest gives way."""
        known.update(found)
        self._visible_held += len(found)
        while self._visible_held > _VISIBLE_HELD and len(self._visible) > 1:
            _, dropped = self._visible.popitem(last=False)
            self._visible_held -= len(dropped)


def _filter_key(scope: Scope) -> Hashable:
    wanted = scope.filter
    return wanted.session_id, wanted.source, wanted.speaker, tuple(sorted(wanted.metadata.items()))


class SearchCache:
    """A snapshot for each connection: SQLite tells a connection when others wrote, whichever process they are of."""

    def __init__(self) -> None:
        self._snapshots: dict[sqlite3.Connection, Snapshot] = {}
        self._lock = threading.Lock()

    def of(self, connection: sqlite3.Connection) -> Snapshot:
        """What this connection read since the last write. Ask inside a transaction that only reads."""
        [found] = rows(connection, "data_version")
        version = int(found["data_version"])
        with self._lock:
            kept = self._snapshots.get(connection)
            if kept is None or kept.version != version:
                kept = self._snapshots[connection] = Snapshot(version=version)
            return kept
