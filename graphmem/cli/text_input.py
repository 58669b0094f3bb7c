"""Text arguments: `-` means standard input."""

from __future__ import annotations

import sys

from graphmem.errors import InvalidInput

__all__ = ["text_of"]


def text_of(argument: str) -> str:
    """The text that was given, or standard input for "-". Raises InvalidInput for bytes that are not UTF-8."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"standard input is not UTF-8 text: {error.reason} at byte {error.start}") from None
