"""Where terms stand in the texts of a group, and what they weigh there."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from graphmem.ports import SearchTarget
from graphmem.resources import query
from graphmem.stores.bm25 import term_weights
from graphmem.stores.sqlite_search_cache import Place, Postings
from graphmem.stores.sqlite_statements import plain_cursor
from graphmem.stores.sqlite_terms import marked_term

__all__ = ["read_postings"]

_STATEMENTS = {
    SearchTarget.FACT: "facts_of_term",
    SearchTarget.ENTITY: "entities_of_term",
    SearchTarget.EPISODE: "episodes_of_term",
}
_NONE = Postings(numbers=np.empty(0, dtype=np.int64), weights=np.empty(0))


def read_postings(
    connection: sqlite3.Connection, place: Place, terms: Sequence[str], average_length: float
) -> list[Postings]:
    """Of each of the terms, in their order; with the rows of groups whose terms bear the same mark."""
    target, group_id = place
    reading = plain_cursor(connection)
    statement = query("sql", _STATEMENTS[target])
    places: list[tuple[int, bytes]] = []
    begins = [0]
    for term in terms:
        places += reading.execute(statement, {"term": marked_term(group_id, term)}).fetchall()
        begins.append(len(places))
    if not places:
        return [_NONE] * len(terms)
    numbers = np.array([number for number, _ in places])
    return _weighed(numbers, _lengths([block for _, block in places]), begins, average_length)


def _weighed(
    numbers: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], begins: Sequence[int], average_length: float
) -> list[Postings]:
    """The places of each term begin where those of the term before end; a text comes once for each place."""
    is_first = np.empty(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=is_first[1:])
    is_first[[begin for begin in begins if begin < len(numbers)]] = True
    [firsts] = is_first.nonzero()
    counts = np.concatenate((firsts[1:], [len(numbers)])) - firsts
    texts, weights = numbers[firsts], term_weights(counts, lengths[firsts], average_length)
    bounds = firsts.searchsorted(begins).tolist()
    return [Postings(numbers=texts[begin:end], weights=weights[begin:end]) for begin, end in pairwise(bounds)]


def _lengths(blocks: Sequence[bytes]) -> npt.NDArray[np.int64]:
    joined = b"".join(blocks)
    if len(joined) == len(blocks):  # all below 128, as most are
        return np.frombuffer(joined, dtype=np.uint8).astype(np.int64)
    read = {block: _varint(block) for block in set(blocks)}
    return np.array([read[block] for block in blocks])


def _varint(block: bytes) -> int:
    """The first number of a record of SQLite: seven bits a byte, the highest bit says that more follow."""
    number = 0
    for byte in block:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number
