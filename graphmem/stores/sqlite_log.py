"""Whether the write-ahead log beside a store file is its own.

SQLite applies whatever `-wal` file lies there: that of another store, or one left behind when an older copy was put in place, and
then pages of both make one file. So every write transaction leaves a name of its own and that of the one before. The log goes on
from the file if what was last written to the file is what the first write of the log follows, or one of its writes (a log is
copied into the file from time to time and stays until it is begun anew).
"""

from __future__ import annotations

import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import StoreCorrupt
from graphmem.stores.sqlite_statements import first, run

__all__ = ["check_log", "name_write"]

_MARK = bytes.fromhex("ff676d656dff776c6f67ff4c1d92e7ff")
"""Comes before the two names. Nothing that is text holds it: it is no UTF-8."""
_NAME = 16
_HEADER = struct.Struct(">8xL4x8s8x")
"""Of the log: the size of a page, and the salts that its frames repeat."""
_FRAME = struct.Struct(">8x8s8x")
_PAUSES_S = (0.0, 0.01, 0.05, 0.2, 0.5)
"""Another process may begin the log anew just while both files are read."""


class _Write(NamedTuple):
    """The names of one write transaction and of the one before it."""

    before: bytes
    name: bytes

    @classmethod
    def of(cls, value: bytes) -> _Write:
        return cls(value[len(_MARK) : len(_MARK) + _NAME], value[len(_MARK) + _NAME : len(_MARK) + 2 * _NAME])


def name_write(connection: sqlite3.Connection) -> None:
    """Give the transaction in hand a name that follows the last one's."""
    run(connection, "put_last_write", mark=_MARK)


def check_log(path: Path, log: Path) -> None:
    """Do nothing if the log is the file's own, or names no writes. Raises StoreCorrupt; changes nothing."""
    for pause_s in _PAUSES_S:
        time.sleep(pause_s)
        if _is_own(path, log):
            return
    raise StoreCorrupt(
        f"{log} is not the log of {path}, but of another store or of a newer state of this one: was {path.name} replaced by a"
        f" copy? Move {log.name} away to open the file as it is, or put back the file that belongs to the log"
    )


def _is_own(path: Path, log: Path) -> bool:
    last = _last_write(path)
    if last is None:
        return True
    writes = list(_writes_in(log))
    return not writes or last.name == writes[0].before or any(last.name == write.name for write in writes)


def _last_write(path: Path) -> _Write | None:
    """The last write that was copied into the file; None where it names none, or is no store yet."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            found = first(connection, "last_write")
    except sqlite3.Error:  # damage, and files of other kinds, are found when the file is opened
        return None
    return None if found is None else _Write.of(found["value"])


def _writes_in(log: Path) -> Iterator[_Write]:
    """The writes that the frames of a log name, in its order."""
    try:
        with log.open("rb") as file:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                return
            page_size, salts = _HEADER.unpack(header)
            while len(frame := file.read(_FRAME.size + page_size)) == _FRAME.size + page_size:
                if _FRAME.unpack_from(frame)[0] != salts:
                    return  # what follows is left over from before the log was begun anew
                at = frame.find(_MARK)
                if at >= 0:
                    yield _Write.of(frame[at:])
    except FileNotFoundError:
        return
