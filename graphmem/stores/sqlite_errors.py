"""What SQLite's errors mean to us: the one place where they become ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphmem.errors import (
    CommitConflict,
    ConfigError,
    GraphmemError,
    InvalidInput,
    ReadOnlyStore,
    SchemaMismatch,
    StoreCorrupt,
    StoreFull,
    StoreUnavailable,
)

__all__ = ["translated"]

_PRIMARY = 0xFF

_NO_ROOM = {
    # SQLite says FULL for ENOSPC only; a quota or a limit on the size of a file comes as a failed write.
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMMAP,
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Let only errors of graphmem out; `path` is named in their messages."""
    try:
        yield
    except UnicodeEncodeError:
        # Not chained: the codec's error carries the whole text.
        raise InvalidInput("a text holds half a surrogate pair, which is no character: replace it") from None
    except UnicodeDecodeError:
        # Damaged names of tables, which SQLite quotes in its message.
        raise StoreCorrupt(f"{path} is damaged: restore a backup") from None
    except OverflowError:
        raise InvalidInput("a number does not fit into 64 bits") from None
    except sqlite3.Error as error:
        raise _ours(error, path) from error
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be reached: {error.strerror}") from error


def _ours(error: sqlite3.Error, path: Path) -> GraphmemError:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return StoreUnavailable(f"{path}: {error}")
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return StoreUnavailable(f"{path} was moved or deleted while it was open: open the store again")
    if code in _NO_ROOM:
        return StoreFull(
            f"{path}: a write failed ({error}): the disk, a quota or the limit on file sizes leaves no room"
        )
    if code == sqlite3.SQLITE_IOERR_CORRUPTFS:
        return StoreCorrupt(f"{path}: the file system reports damage ({error}): restore a backup")
    if isinstance(error, sqlite3.IntegrityError):
        return _refused(error, code, path)
    return _by_primary_code(error, code & _PRIMARY, path)


def _refused(error: sqlite3.IntegrityError, code: int, path: Path) -> GraphmemError:
    if code == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
        return CommitConflict(
            f"{path}: something that is referred to is missing, or what stays refers to something erased"
        )
    if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
        return InvalidInput(f"{path}: an id that was to be new exists already ({error})")
    return InvalidInput(f"{path}: a value is not allowed where it stands ({error})")


def _by_primary_code(error: sqlite3.Error, code: int, path: Path) -> GraphmemError:
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreUnavailable(f"{path} stayed locked by another reader or writer: try again")
        case sqlite3.SQLITE_READONLY:
            return ReadOnlyStore(f"{path} takes no writes: the file, its folder or the disk is read-only")
        case sqlite3.SQLITE_FULL:
            return StoreFull(f"{path}: the disk is full; nothing of this was written")
        case sqlite3.SQLITE_CORRUPT:
            return StoreCorrupt(f"{path} is damaged ({error}): restore a backup")
        case sqlite3.SQLITE_NOTADB:
            return SchemaMismatch(f"{path} is no SQLite file: choose another path; the file was left as it is")
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreUnavailable(
                f"{path} cannot be opened: is it there, is it a file, may you read and write its folder?"
            )
        case sqlite3.SQLITE_TOOBIG:
            return InvalidInput(f"{path}: a text is too long to be stored")
        case sqlite3.SQLITE_ERROR if "no such module" in str(error):
            return ConfigError(f"the SQLite of this Python has no full-text search ({error}): use one built with FTS5")
        case sqlite3.SQLITE_ERROR:
            return StoreCorrupt(f"{path}: its tables are not as they should be ({error}): restore a backup")
        case _:
            return StoreUnavailable(f"{path}: {error}")
