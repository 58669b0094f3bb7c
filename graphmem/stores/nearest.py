"""The vectors of one group in memory: exact by cosine, or above a size by their sign bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from graphmem.ports import Floats, ItemKey

__all__ = ["ExactVectors", "GroupVectors", "SignVectors", "cosines", "unit_rows"]

Positions: TypeAlias = npt.NDArray[np.intp]
_Rows = TypeVar("_Rows", np.float32, np.uint64)

_BYTES_A_KEY = 300
_DECIMALS = 6
"""Scores are rounded: equal vectors get equal scores, wherever they stand in a matrix."""
_NUMBERS_AT_ONCE = 8_192
"""From 9,216 on a linear algebra library may share a product out among threads. They wait for their next one in a loop, on a core
that the search needs: on two cores comparing 10,000 vectors took twice to twenty times as long."""


class GroupVectors(Protocol):
    """Vectors of one group and target by position, growing at the end."""

    keys: list[ItemKey]
    numbers: list[int]
    number_of: dict[ItemKey, int]
    """The numbers by the keys."""
    is_exact: bool
    """Whether cosines come with the positions."""

    def append(self, keys: Sequence[ItemKey], numbers: Sequence[int], vectors: Floats) -> None:
        """Add vectors (rows, dimension) behind those there are."""
        ...

    def nearest(self, query: Floats, depth: int) -> Iterator[tuple[Positions, Floats | None]]:
        """Positions nearest first, in portions that grow from `depth`, with their cosines where they are exact."""
        ...

    @property
    def bytes_held(self) -> int:
        """What it takes in memory."""
        ...


class ExactVectors:
    """All vectors as they are."""

    is_exact = True

    def __init__(self, dimension: int) -> None:
        self.keys: list[ItemKey] = []
        self.numbers: list[int] = []
        self.number_of: dict[ItemKey, int] = {}
        self._rows = np.empty((0, dimension), dtype=np.float32)

    def reserve(self, count: int) -> None:
        """Make room for so many more, so that adding them copies nothing."""
        self._rows = _with_room(self._rows, len(self.keys), count)

    def append(self, keys: Sequence[ItemKey], numbers: Sequence[int], vectors: Floats) -> None:
        self._rows = _appended(self._rows, len(self.keys), unit_rows(vectors))
        self.numbers = [*self.numbers, *numbers]
        self.number_of.update(zip(keys, numbers, strict=True))
        self.keys = [*self.keys, *keys]  # last: readers on other threads go by its length

    @property
    def rows(self) -> Floats:
        """(vectors, dimension), each row of length 1."""
        return self._rows[: len(self.keys)]

    def nearest(self, query: Floats, depth: int) -> Iterator[tuple[Positions, Floats | None]]:
        scores = cosines(self.rows, query)
        for portion in _portions(-scores, depth):
            yield portion, scores[portion]

    @property
    def bytes_held(self) -> int:
        return int(self._rows.nbytes) + _BYTES_A_KEY * len(self.keys)


class SignVectors:
    """One bit a number: whether it is positive. Near vectors differ in few bits; the caller scores the nearest exactly."""

    is_exact = False

    def __init__(self) -> None:
        self.keys: list[ItemKey] = []
        self.numbers: list[int] = []
        self.number_of: dict[ItemKey, int] = {}
        self._bits = np.empty((0, 0), dtype=np.uint64)

    def append(self, keys: Sequence[ItemKey], numbers: Sequence[int], vectors: Floats) -> None:
        bits = _sign_bits(vectors)
        if not self.keys:
            self._bits = np.empty((0, bits.shape[1]), dtype=np.uint64)
        self._bits = _appended(self._bits, len(self.keys), bits)
        self.numbers = [*self.numbers, *numbers]
        self.number_of.update(zip(keys, numbers, strict=True))
        self.keys = [*self.keys, *keys]  # last: readers on other threads go by its length

    def nearest(self, query: Floats, depth: int) -> Iterator[tuple[Positions, Floats | None]]:
        bits = self._bits[: len(self.keys)]
        differing = np.bitwise_count(bits ^ _sign_bits(query[None, :])).sum(axis=1, dtype=np.int32)
        for portion in _portions(differing, depth):
            yield portion, None

    @property
    def bytes_held(self) -> int:
        return int(self._bits.nbytes) + _BYTES_A_KEY * len(self.keys)


def unit_rows(vectors: Floats) -> Floats:
    """The rows at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def cosines(rows: Floats, query: Floats) -> Floats:
    """The cosine of each row (of length 1) to the query."""
    length = float(np.linalg.norm(query))
    return np.round(_products(rows, query / (length or 1.0)), _DECIMALS).astype(np.float32)


def _products(rows: Floats, vector: Floats) -> Floats:
    """`rows @ vector`, a few rows at a time and on this thread."""
    at_once = max(4, _NUMBERS_AT_ONCE // len(vector) // 4 * 4)  # by fours, as processors do: sums come out the same
    whole = len(rows) - len(rows) % at_once
    products = np.empty(len(rows), dtype=np.float32)
    np.matmul(rows[:whole].reshape(-1, at_once, len(vector)), vector, out=products[:whole].reshape(-1, at_once))
    np.matmul(rows[whole:], vector, out=products[whole:])
    return products


def _sign_bits(vectors: Floats) -> npt.NDArray[np.uint64]:
    packed = np.packbits(vectors > 0, axis=1)
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64)


def _portions(cost: npt.NDArray[np.float32] | npt.NDArray[np.int32], depth: int) -> Iterator[Positions]:
    """Positions of the lowest costs in portions, each four times as long as the one before; equal costs are never parted."""
    given, wanted = -np.inf, max(depth, 1)
    while wanted < len(cost):
        limit = float(np.partition(cost, wanted - 1)[wanted - 1])
        if limit > given:  # else all of them were given along with their equals
            yield np.flatnonzero((cost > given) & (cost <= limit))
        given, wanted = limit, wanted * 4
    rest = np.flatnonzero(cost > given)
    if len(rest):
        yield rest


def _appended(rows: npt.NDArray[_Rows], used: int, new: npt.NDArray[_Rows]) -> npt.NDArray[_Rows]:
    """The rows with new ones behind the used ones; room is doubled, so that adding one by one stays cheap.

    Readers of the rows before go on undisturbed: what they use is never written again.
    """
    if used + len(new) > len(rows):
        rows = _with_room(rows, used, max(len(new), used))
    rows[used : used + len(new)] = new
    return rows


def _with_room(rows: npt.NDArray[_Rows], used: int, count: int) -> npt.NDArray[_Rows]:
    if used + count <= len(rows):
        return rows
    room = np.empty((used + count, rows.shape[1]), dtype=rows.dtype)
    room[:used] = rows[:used]
    return room
