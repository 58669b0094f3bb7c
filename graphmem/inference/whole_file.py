"""Writing a file whole or not at all, whoever else writes the same."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from graphmem.errors import InvalidPath

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Put the content in place of what was there, with the folders above it. Raises InvalidPath where that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with open(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InvalidPath(f"{path} cannot be written: {error}") from error
