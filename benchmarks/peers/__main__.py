"""`python -m benchmarks.peers`: graphmem, graphiti-core and mem0ai on the same facts, each in a process of its own.

The peers are not installed with graphmem: `python -m venv PEERS; PEERS/bin/pip install graphiti-core[kuzu] mem0ai`, then
`--python PEERS/bin/python`. A peer that is not there, or does not run, is skipped and the table says why. No network, no key.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.peers.measuring import SYSTEMS
from benchmarks.peers.world import FACTS_A_PERSON, SEED
from benchmarks.report import Table, add_common_flags, share, write_report

__all__ = ["main"]

_ROOT = Path(__file__).resolve().parents[2]
_OWN = "graphmem"
_LONGEST_S = 1_800
_COLUMNS = ("system", "ingest, s", "search p50, ms", "calls", "prompt tokens", "as of a day, right", "now, right", "")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "--python",
        type=Path,
        default=Path(sys.executable),
        metavar="FILE",
        help="the interpreter that has the peers installed (default: this one)",
    )
    parser.add_argument("--facts", type=int, default=200, metavar="N", help=f"{FACTS_A_PERSON} a person (default: 200)")
    add_common_flags(parser)
    arguments = parser.parse_args(argv)
    if arguments.facts < FACTS_A_PERSON:
        parser.error(f"--facts: {FACTS_A_PERSON} or more")
    print(f"seed {SEED}", file=sys.stderr)
    systems: dict[str, Mapping[str, object]] = {}
    for name in list(SYSTEMS)[: arguments.limit]:
        print(name, file=sys.stderr, flush=True)
        interpreter = Path(sys.executable) if name.startswith(_OWN) else arguments.python
        systems[name] = _figures(name, interpreter, arguments.facts)
    keys = {"seed": SEED, "facts": arguments.facts, "systems": systems}
    write_report("peers", arguments, keys, [_table(systems, arguments.facts)])
    return 0


def _figures(name: str, interpreter: Path, facts: int) -> Mapping[str, object]:
    """What one system measured, or why it did not."""
    command = [str(interpreter), "-m", "benchmarks.peers.measuring", name, "--facts", str(facts)]
    try:
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=_LONGEST_S, check=True)
    except OSError as error:
        return {"skipped": f"{interpreter.name} does not run: {error.strerror}"}
    except subprocess.TimeoutExpired:
        return {"skipped": f"not done after {_LONGEST_S} s"}
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines()
        return {"skipped": lines[-1][:200] if lines else f"ended with {error.returncode}"}
    figures: Mapping[str, object] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _table(systems: Mapping[str, Mapping[str, object]], facts: int) -> Table:
    rows = [(name, *_cells(figures)) for name, figures in systems.items()]
    return Table(title=f"The same {facts} facts, one process each", rows=(_COLUMNS, *rows))


def _cells(figures: Mapping[str, object]) -> tuple[str, ...]:
    if "skipped" in figures:
        return (*["-"] * 6, f"skipped: {figures['skipped']}")
    search = figures["search_ms"]
    return (
        str(figures["ingest_s"]),
        str(search["p50"]) if isinstance(search, dict) else "-",
        str(figures["calls"]),
        f"{figures['prompt_tokens']:,}",
        _right(figures["as_of"]),
        _right(figures["current"]),
        str(figures["note"]),
    )


def _right(score: object) -> str:
    return share(score["right"], score["questions"]) if isinstance(score, dict) else "-"


if __name__ == "__main__":
    sys.exit(main())
