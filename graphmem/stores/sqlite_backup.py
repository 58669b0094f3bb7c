"""A consistent copy of a SQLite store, while readers and writers go on."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from graphmem.errors import InvalidPath, StoreUnavailable
from graphmem.groups import shown
from graphmem.stores.sqlite_statements import run

__all__ = ["backup"]

_NO_PLACE = frozenset({errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.EISDIR})


def backup(connection: sqlite3.Connection, target: Path) -> None:
    """Write the copy beside `target` and give it its name when it is whole and on the disk."""
    _reserve(target)
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    try:
        run(connection, "backup", target=str(part.absolute()))
        _sync(part)
        os.replace(part, target)
        _sync(target.parent)
    except BaseException:
        part.unlink(missing_ok=True)
        target.unlink(missing_ok=True)
        raise


def _reserve(target: Path) -> None:
    try:
        target.touch(exist_ok=False)
    except FileExistsError:
        raise InvalidPath(f"{target} exists already: a backup overwrites nothing, choose another path") from None
    except ValueError as error:
        raise InvalidPath(f"{str(target)!r} is no path: {error}") from None
    except OSError as error:
        if error.errno in _NO_PLACE:
            raise InvalidPath(f"no file can be made at {shown(str(target))}: {error.strerror}") from error
        raise StoreUnavailable(f"{target} cannot be written: {error.strerror}") from error


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
