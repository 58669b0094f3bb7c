"""The command `graphmem`: reads the command line, asks the memory and prints."""

from __future__ import annotations

import sys
from typing import NoReturn

from graphmem.cli.exits import INTERRUPTED

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line of this process."""
    try:
        from graphmem.cli import app  # takes a moment, in which an interrupt is no reason for a traceback
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    app.main()
