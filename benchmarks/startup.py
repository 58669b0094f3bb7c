"""How long the command line takes from start to end: `python -m benchmarks.startup [--repeat N] [--json FILE]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from statistics import median

from benchmarks.report import Table, add_common_flags, write_report

__all__ = ["main"]

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "help": ("--help",),
    "add": ("add", "I work at Acme.", "--speaker", "Alice", "--said-at", "2025-02-10"),
    "ask": ("where did Alice work in March 2025",),
    "facts": ("facts", "--at", "2025-03-01"),
    "demo": ("demo",),
}
GOALS_MS = {"help": 300, "demo": 5_000}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    add_common_flags(parser)
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each command [default: 5]")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = {name: _milliseconds(command, folder, arguments.repeat) for name, command in COMMANDS.items()}
    rows = [
        (name, f"{ms['best']:.0f}", f"{ms['p50']:.0f}", str(GOALS_MS.get(name, "-"))) for name, ms in figures.items()
    ]
    table = Table(title="start to end, ms", rows=(("command", "best", "p50", "goal"), *rows))
    write_report("startup", arguments, {"command_ms": figures}, [table])


def _milliseconds(command: tuple[str, ...], folder: str, repeat: int) -> dict[str, float]:
    """The best and the middle of `repeat` runs, after one that warms the caches."""
    taken: list[float] = []
    for _ in range(repeat + 1):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "graphmem", "--db", f"{folder}/startup.db", *command],
            check=True,
            capture_output=True,
        )
        taken.append(1_000 * (time.perf_counter() - begin))
    return {"best": round(min(taken[1:]), 1), "p50": round(median(taken[1:]), 1)}


if __name__ == "__main__":
    main()
