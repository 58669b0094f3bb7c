"""Token vectors kept in memory, as they are on the disk: those of texts that were ranked anew lately."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

__all__ = ["TokenCache"]

_BYTES_HELD = 256 * 1024**2
_BYTES_AN_ENTRY = 200


class TokenCache:
    """Token vectors by the number of their vector, which is never given twice; up to a quarter of a gigabyte."""

    def __init__(self, *, bytes_held: int = _BYTES_HELD) -> None:
        self._bytes_held = bytes_held
        self._tokens: OrderedDict[int, bytes] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def known(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Those that are held; no bytes for a vector known to have no tokens."""
        with self._lock:
            found = {number: packed for number in numbers if (packed := self._tokens.get(number)) is not None}
            for number in found:
                self._tokens.move_to_end(number)
            return found

    def keep(self, tokens: Mapping[int, bytes]) -> None:
        """Hold these too; what was not asked for longest gives way."""
        with self._lock:
            for number, packed in tokens.items():
                if number not in self._tokens:
                    self._tokens[number] = packed
                    self._held += len(packed) + _BYTES_AN_ENTRY
            while self._held > self._bytes_held and self._tokens:
                _, dropped = self._tokens.popitem(last=False)
                self._held -= len(dropped) + _BYTES_AN_ENTRY

    def clear(self) -> None:
        """Hold nothing: some of it was taken away."""
        with self._lock:
            self._tokens.clear()
            self._held = 0
