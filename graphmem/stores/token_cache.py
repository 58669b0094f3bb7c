"""Token vectors kept in memory, as they are on the disk: those of texts that were ranked anew lately."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from graphmem.stores.vector_coding import TokenRows

__all__ = ["TokenCache"]

_BYTES_HELD = 256 * 1024**2
_BYTES_AN_ENTRY = 500


class TokenCache:
    """Token vectors by the number of their vector, which is never given twice; up to a quarter of a gigabyte."""

    def __init__(self, *, bytes_held: int = _BYTES_HELD) -> None:
        self._bytes_held = bytes_held
        self._rows: OrderedDict[int, TokenRows] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def known(self, numbers: Sequence[int]) -> dict[int, TokenRows]:
        """Those that are held; no rows for a vector known to have no tokens."""
        with self._lock:
            found = {number: rows for number in numbers if (rows := self._rows.get(number)) is not None}
            for number in found:
                self._rows.move_to_end(number)
            return found

    def keep(self, rows: Mapping[int, TokenRows]) -> None:
        """Hold these too; what was not asked for longest gives way."""
        with self._lock:
            for number, tokens in rows.items():
                if number not in self._rows:
                    self._rows[number] = tokens
                    self._held += _bytes_of(tokens)
            while self._held > self._bytes_held and self._rows:
                _, dropped = self._rows.popitem(last=False)
                self._held -= _bytes_of(dropped)

    def clear(self) -> None:
        """Hold nothing: some of it was taken away."""
        with self._lock:
            self._rows.clear()
            self._held = 0


def _bytes_of(rows: TokenRows) -> int:
    return int(rows.numbers.nbytes + rows.scales.nbytes) + _BYTES_AN_ENTRY
