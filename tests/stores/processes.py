"""Small programs that tests run as processes of their own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import graphmem

_ROOT = Path(graphmem.__file__).parents[1]

_HEAD = """
import asyncio, os, sys
from pathlib import Path
from graphmem.errors import *
from graphmem.model import *
from graphmem.stores import open_store
from graphmem.timeline.instants import MIN
from tests.contract.build import *

store = open_store(sys.argv[1])
"""


def start(path: Path, program: str, *arguments: object) -> subprocess.Popen[str]:
    """Run `program`, the body of an async function that has `store`; what it prints can be read when it ends."""
    body = textwrap.indent(textwrap.dedent(program), "    ")
    code = f"{_HEAD}\nasync def main():\n{body}\n    await store.close()\nasyncio.run(main())\n"
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path), *map(str, arguments)],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str], timeout_s: float = 60) -> str:
    """What the program printed; fails the test if it ended with an error."""
    out, err = process.communicate(timeout=timeout_s)
    assert process.returncode == 0, err
    return out.strip()


def run(path: Path, program: str, *arguments: object) -> str:
    return ended(start(path, program, *arguments))
