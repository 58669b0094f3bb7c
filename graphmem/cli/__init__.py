"""The command `graphmem`: reads the command line, asks the memory and prints."""

from graphmem.cli.app import main

__all__ = ["main"]
