"""Full-text search: BM25 over the terms of a group, inside the scope."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from graphmem.model import Scope
from graphmem.ports import Hits, ItemKey, SearchTarget
from graphmem.resources import query
from graphmem.stores.hits import best_of
from graphmem.stores.search_text import query_terms
from graphmem.stores.sqlite_search_cache import Place, Postings, Snapshot
from graphmem.stores.sqlite_statements import first, numbered, rows
from graphmem.stores.sqlite_terms import marked_term
from graphmem.stores.sqlite_visible import seen

__all__ = ["search_text"]

_PLURALS = {SearchTarget.FACT: "facts", SearchTarget.ENTITY: "entities", SearchTarget.EPISODE: "episodes"}

_LEAST_IDF = 0.01
"""A term that most texts hold counts next to nothing, but something."""
_FTS5_LEAST_IDF = 1e-6
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
    """The rows of a group that hold any of the terms, by their numbers, and their BM25 (k1 = 1.2, b = 0.75)."""
    target, group_id = place
    stand = [_postings(connection, kept, target, marked_term(group_id, term)) for term in wanted]
    stand = [postings for postings in stand if len(postings.numbers)]
    if not stand:
        return np.empty(0, dtype=np.int64), np.empty(0)
    rows_there = _row_count(connection, kept, place)
    weighed = [postings.weights * _idf(rows_there, len(postings.numbers)) for postings in stand]
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
        statement = f"{_PLURALS[target]}_by_number"
        found = rows(connection, statement, group_id=group_id, numbers=numbered(missing))
        read = dict.fromkeys(missing, ItemKey(group_id, target, ""))
        read.update((row["no"], ItemKey(group_id, target, row["item_id"])) for row in found)
        kept.keep_keys(place, read)
        return [known.get(number) or read[number] for number in numbers]
    return [known[number] for number in numbers]


def _postings(connection: sqlite3.Connection, kept: Snapshot, target: SearchTarget, term: str) -> Postings:
    found = kept.postings(target, term)
    if found is None:
        found = _read_postings(connection, kept, target, term)
        kept.keep_postings(target, term, found)
    return found


def _read_postings(connection: sqlite3.Connection, kept: Snapshot, target: SearchTarget, term: str) -> Postings:
    reading = connection.cursor()
    reading.row_factory = None
    reading.execute(query("sql", f"{_PLURALS[target]}_of_term"), {"term": _quoted(term)})
    pairs = np.array(reading.fetchall(), dtype=np.float64).reshape(-1, 2)
    if not len(pairs):
        return Postings(numbers=np.empty(0, dtype=np.int64), weights=np.empty(0))
    # FTS5 multiplies with how rare the term is among the texts of all groups; that is taken out again.
    idf = _log_odds(_index_rows(connection, kept, target), len(pairs))
    return Postings(numbers=pairs[:, 0].astype(np.int64), weights=-pairs[:, 1] / (idf if idf > 0 else _FTS5_LEAST_IDF))


def _index_rows(connection: sqlite3.Connection, kept: Snapshot, target: SearchTarget) -> int:
    """How many rows a full-text index has: the first number of its averages record."""
    count = kept.index_rows.get(target)
    if count is None:
        found = first(connection, f"{target.value}_text_rows")
        count = kept.index_rows[target] = 0 if found is None else _varint(found["block"])
    return count


def _row_count(connection: sqlite3.Connection, kept: Snapshot, place: Place) -> int:
    count = kept.row_counts.get(place)
    if count is None:
        target, group_id = place
        [found] = rows(connection, f"{target.value}_count", group_id=group_id)
        count = kept.row_counts[place] = int(found["rows"])
    return count


def _idf(rows_there: int, rows_found: int) -> float:
    return max(_log_odds(rows_there, rows_found), _LEAST_IDF)


def _log_odds(rows_there: int, rows_found: int) -> float:
    return math.log((max(rows_there - rows_found, 0) + 0.5) / (rows_found + 0.5))


def _varint(block: bytes) -> int:
    """The first number of a record of SQLite: seven bits a byte, the highest bit says that more follow."""
    number = 0
    for byte in block:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number


def _quoted(term: str) -> str:
    """A phrase of FTS5: no sign of the term means anything to its parser."""
    return '"' + term.replace('"', '""') + '"'
