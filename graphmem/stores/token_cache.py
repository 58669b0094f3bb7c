"""Token vectors kept in memory, as they are on the disk: those of texts that were ranked anew lately."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

__all__ = ["TokenCache"]

_BYTES_HELD = 256 * 1024**2
_BYTES_AN_ENTRY = 150


class TokenCache:
    """Packed token vectors by the number of their vector, which is never given twice; up to a quarter of a gigabyte."""

    def __init__(self, *, bytes_held: int = _BYTES_HELD) -> None:
        self._bytes_held = bytes_held
        self._packed: OrderedDict[int, bytes] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def known(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Those that are held; empty bytes for a vector known to have no tokens."""
        with self._lock:
            found = {number: self._packed[number] for number in numbers if number in self._packed}
            for number in found:
                self._packed.move_to_end(number)
            return found

    def keep(self, packed: Mapping[int, bytes]) -> None:
        """Hold these too; what was not asked for longest gives way."""
        with self._lock:
            for number, tokens in packed.items():
                if number not in self._packed:
                    self._packed[number] = tokens
                    self._held += len(tokens) + _BYTES_AN_ENTRY
            while self._held > self._bytes_held and self._packed:
                _, dropped = self._packed.popitem(last=False)
                self._held -= len(dropped) + _BYTES_AN_ENTRY

    def clear(self) -> None:
        """Hold nothing: some of it was taken away."""
        with self._lock:
            self._packed.clear()
            self._held = 0
