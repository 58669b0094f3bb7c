"""Exit codes, the same for every command."""

from __future__ import annotations

from graphmem.errors import ConfigError, GraphmemError, InvalidInput, ModelMisconfigured, ModelNotAuthorized

__all__ = ["ANSWERED", "FAILED", "INTERRUPTED", "MISCONFIGURED", "NO_ANSWER", "PARTIAL", "USAGE", "exit_code_of"]

ANSWERED = 0
FAILED = 1
USAGE = 2
MISCONFIGURED = 3
NO_ANSWER = 4
PARTIAL = 5
INTERRUPTED = 130


def exit_code_of(error: GraphmemError) -> int:
    """The exit code that an error of ours ends the command with."""
    if isinstance(error, ConfigError | ModelNotAuthorized | ModelMisconfigured):
        return MISCONFIGURED
    return USAGE if isinstance(error, InvalidInput) else FAILED
