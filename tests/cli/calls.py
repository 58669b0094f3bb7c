"""Calls the command line in this process, as a user would type it."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from graphmem.cli.app import run

__all__ = ["Called", "Graphmem", "graphmem_in"]


@dataclass(frozen=True, kw_only=True)
class Called:
    """How one call ended."""

    code: int
    out: str
    err: str


Graphmem = Callable[..., Called]


def graphmem_in(monkeypatch: pytest.MonkeyPatch) -> Graphmem:
    """`graphmem(line)` runs "graphmem LINE"; `stdin=` is what is piped in."""

    def graphmem(line: str, stdin: bytes = b"") -> Called:
        out, err = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            code = run(shlex.split(line))
        return Called(code=code, out=out.getvalue(), err=err.getvalue())

    return graphmem
