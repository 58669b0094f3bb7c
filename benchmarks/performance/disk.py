"""What a store takes on disk."""

from __future__ import annotations

from pathlib import Path

__all__ = ["file_bytes"]


def file_bytes(path: Path) -> int:
    """The bytes of a store file, with what SQLite keeps beside it."""
    return sum(part.stat().st_size for part in path.parent.glob(f"{path.name}*"))
