"""Full-text search: BM25 over the terms of a group, inside the scope."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from graphmem.model import Scope
from graphmem.ports import Hits, ItemKey, SearchTarget
from graphmem.resources import query
from graphmem.stores.bm25 import rarity
from graphmem.stores.hits import best_of
from graphmem.stores.search_text import query_terms
from graphmem.stores.sqlite_postings import read_postings
from graphmem.stores.sqlite_search_cache import GroupTexts, Place, Postings, Snapshot
from graphmem.stores.sqlite_statements import numbered, plain_cursor
from graphmem.stores.sqlite_texts import texts_of
from graphmem.stores.sqlite_visible import seen

__all__ = ["search_text"]

_PLURALS = {SearchTarget.FACT: "facts", SearchTarget.ENTITY: "entities", SearchTarget.EPISODE: "episodes"}

_DECIMALS = 6
"""Scores are rounded: what reads alike scores alike."""
_SPARSE = 16
"""Where the numbers of the rows found lie further apart than this, they are sorted and not counted through."""

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


def search_text(
    connection: sqlite3.Connection,
    kept: Snapshot,
    target: SearchTarget,
    terms: Sequence[str],
    scope: Scope,
    limit: int,
) -> Hits:
    wanted = query_terms(terms)
    if not wanted or not limit:
        return Hits()
    found: list[tuple[float, ItemKey]] = []
    for group_id in dict.fromkeys(scope.group_ids):
        numbers, scores = _ranked(connection, kept, (target, group_id), wanted)
        found += _visible_best(connection, kept, (target, group_id), scope, numbers, scores, limit)
    return best_of(found, limit)


def _ranked(
    connection: sqlite3.Connection, kept: Snapshot, place: Place, wanted: Sequence[str]
) -> tuple[Numbers, Scores]:
    """The rows of a group that hold any of the terms, by their numbers, and their BM25 among its texts."""
    there = _group_texts(connection, kept, place)
    stand = _postings(connection, kept, place, there, wanted)
    if not stand:
        return np.empty(0, dtype=np.int64), np.empty(0)
    weighed = [found.weights * rarity(there.texts, len(found.numbers)) for found in stand]
    numbers, scores = _summed([postings.numbers for postings in stand], weighed)
    return numbers, np.round(scores, _DECIMALS)


def _summed(numbers: Sequence[Numbers], weights: Sequence[Scores]) -> tuple[Numbers, Scores]:
    """Each number once, rising, with the sum of its weights."""
    low = min(int(some[0]) for some in numbers)
    span = max(int(some[-1]) for some in numbers) - low + 1
    if span > _SPARSE * sum(map(len, numbers)):
        each, places = np.unique(np.concatenate(numbers), return_inverse=True)
        sums = np.zeros(len(each))
        np.add.at(sums, places, np.concatenate(weights))
        return each, sums
    sums = np.zeros(span)
    for some, weight in zip(numbers, weights, strict=True):
        sums[some - low] += weight
    there = np.flatnonzero(sums)
    return there + low, sums[there]


def _visible_best(
    connection: sqlite3.Connection,
    kept: Snapshot,
    place: Place,
    scope: Scope,
    numbers: Numbers,
    scores: Scores,
    limit: int,
) -> Iterator[tuple[float, ItemKey]]:
    """(−score, key) of the best that the scope sees; where more tie for the last place, those kept first."""
    left = limit
    for portion in _portions(scores, limit + limit // 4):
        keys = _keys(connection, kept, place, numbers[portion].tolist())
        is_seen = seen(connection, kept, place, scope, keys)
        best = [one for one in zip((-scores[portion]).tolist(), keys, strict=True) if is_seen[one[1].item_id]][:left]
        yield from best
        left -= len(best)
        if not left:
            return


def _portions(scores: Scores, depth: int) -> Iterator[npt.NDArray[np.intp]]:
    """Positions, best first and then in their order; in portions, each four times as long as all before."""
    given = 0
    while given < len(scores):
        wanted = max(depth, 4 * given)
        yield _best(scores, wanted)[given:]
        given = wanted


def _best(scores: Scores, count: int) -> npt.NDArray[np.intp]:
    if count >= len(scores):
        return np.argsort(-scores, kind="stable")
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    better = np.flatnonzero(scores > least)
    chosen = np.concatenate([better, np.flatnonzero(scores == least)[: count - len(better)]])
    return chosen[np.lexsort((chosen, -scores[chosen]))]


def _keys(connection: sqlite3.Connection, kept: Snapshot, place: Place, numbers: Sequence[int]) -> list[ItemKey]:
    """The keys of rows of a group, in the order of their numbers; a row that is of another group has the id ""."""
    target, group_id = place
    known = kept.keys(place)
    missing = [number for number in numbers if number not in known]
    if missing:
        wanted = {"group_id": group_id, "numbers": numbered(missing)}
        found = plain_cursor(connection).execute(query("sql", f"{_PLURALS[target]}_by_number"), wanted)
        read = {number: ItemKey(group_id, target, item_id) for number, item_id in found}
        if len(read) < len(missing):
            read = dict.fromkeys(missing, ItemKey(group_id, target, "")) | read
        kept.keep_keys(place, read)
        return [known.get(number) or read[number] for number in numbers]
    return [known[number] for number in numbers]


def _group_texts(connection: sqlite3.Connection, kept: Snapshot, place: Place) -> GroupTexts:
    if place not in kept.group_texts:
        kept.group_texts |= texts_of(connection, place[1])
    return kept.group_texts[place]


def _postings(
    connection: sqlite3.Connection, kept: Snapshot, place: Place, there: GroupTexts, wanted: Sequence[str]
) -> list[Postings]:
    """Where those of the terms stand that any of the texts holds."""
    if not there.terms:
        return []
    stand = {term: kept.postings(place, term) for term in wanted}
    missing = [term for term, found in stand.items() if found is None]
    if missing:
        read = read_postings(connection, place, missing, there.average_length)
        for term, found in zip(missing, read, strict=True):
            stand[term] = own = _own(connection, kept, place, found) if there.is_mark_shared else found
            kept.keep_postings(place, term, own)
    return [found for found in stand.values() if found is not None and len(found.numbers)]


def _own(connection: sqlite3.Connection, kept: Snapshot, place: Place, found: Postings) -> Postings:
    """Without the rows of groups whose terms bear the same mark."""
    keys = _keys(connection, kept, place, found.numbers.tolist())
    is_own = np.array([key.item_id != "" for key in keys], dtype=bool)
    return Postings(numbers=found.numbers[is_own], weights=found.weights[is_own])
