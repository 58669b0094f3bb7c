"""`python -m benchmarks.performance`: what telling, folding, reading and searching cost in an embedded store."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.performance.folds import measure_fold
from benchmarks.performance.sizes import SizeFigures, measure_rules, measure_size, peak_mb
from benchmarks.performance.timing import spread_ms
from benchmarks.performance.versions import build_versions, measure_point_reads
from benchmarks.report import Table, add_common_flags, write_report

__all__ = ["main"]

SEED = 1
_FOLD_CLAIMS = (10, 100, 1_000)
_PROGRESS_EVERY_S = 2.0


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    progress = _Progress()
    repeats = arguments.repeats
    fold_ms = {str(claims): measure_fold(claims, repeats) for claims in _FOLD_CLAIMS}
    with TemporaryDirectory(prefix="performance-", dir=arguments.folder) as folder:
        sizes = [
            asyncio.run(measure_size(Path(folder) / f"{facts}.db", facts, repeats, progress))
            for facts in arguments.facts
        ]
        messages_per_s = asyncio.run(measure_rules(Path(folder) / "messages.db", 4 * repeats))
        store = Path(folder) / "versions.db"
        people = asyncio.run(build_versions(store, arguments.versions, progress))
        reads = asyncio.run(measure_point_reads(store, people, 20 * repeats, SEED))
    keys: dict[str, object] = {
        "seed": SEED,
        "sqlite": {
            **_size_keys(sizes),
            "fold_ms": fold_ms,
            "point_read_ms": spread_ms(reads.seconds),
            "versions": arguments.versions,
            "rules_messages_per_s": messages_per_s,
            "memory_mb": peak_mb(),
        },
    }
    write_report("performance", arguments, keys, _tables(sizes, fold_ms, spread_ms(reads.seconds), messages_per_s))
    return 0


class _Progress:
    """Lines on stderr, not more often than every other second."""

    def __init__(self) -> None:
        self._shown_at = time.monotonic()

    def __call__(self, line: str) -> None:
        if time.monotonic() - self._shown_at >= _PROGRESS_EVERY_S:
            self._shown_at = time.monotonic()
            print(line, file=sys.stderr, flush=True)


def _size_keys(sizes: Sequence[SizeFigures]) -> dict[str, object]:
    """Those of the largest size, and under `by_size` those of each."""
    largest = sizes[-1]
    return {
        "episode": _episode_keys(largest),
        "search": {"rounds": largest.search_rounds},
        "search_ms": {str(size.facts): size.search_ms for size in sizes},
        "import_facts_per_s": largest.import_facts_per_s,
        "bytes_per_fact": largest.bytes_per_fact,
        "by_size": {
            str(size.facts): {
                "episode": _episode_keys(size),
                "import_facts_per_s": size.import_facts_per_s,
                "bytes_per_fact": size.bytes_per_fact,
            }
            for size in sizes
        },
    }


def _episode_keys(size: SizeFigures) -> dict[str, object]:
    return {
        "apply_ms": size.apply_ms,
        "accept_ms": size.accept_ms,
        "lease_ms": size.lease_ms,
        "whole_ms": size.episode_ms,
        "round_trips": size.round_trips,
    }


def _tables(
    sizes: Sequence[SizeFigures], fold_ms: dict[str, float], reads: dict[str, float], messages_per_s: float
) -> list[Table]:
    columns = ("facts", "accept", "lease", "apply", "whole", "search", "facts/s", "bytes a fact")
    rows = [
        (
            str(size.facts),
            *(_shown(s) for s in (size.accept_ms, size.lease_ms, size.apply_ms, size.episode_ms, size.search_ms)),
            f"{size.import_facts_per_s:.0f}",
            f"{size.bytes_per_fact:.0f}",
        )
        for size in sizes
    ]
    others = [
        *(
            (f"fold of {claims} claims", f"{ms} ms", goal)
            for (claims, ms), goal in zip(fold_ms.items(), ("", "< 3 ms", "< 40 ms"), strict=True)
        ),
        ("point read", f"{_shown(reads)} ms", "<= 1 ms"),
        ("messages read by rules", f"{messages_per_s:.0f} a second", ""),
    ]
    return [
        Table(
            title="One episode and one search, ms (p50 / p95; goal: apply p50 <= 10, import >= 2,000 facts/s)",
            rows=(columns, *rows),
        ),
        Table(title="Fold and reads", rows=(("", "measured", "goal"), *others)),
    ]


def _shown(spread: dict[str, float]) -> str:
    return f"{spread['p50']:.2f} / {spread['p95']:.2f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.performance", description=__doc__)
    parser.add_argument("--store", choices=["sqlite"], default="sqlite", help="the store to measure (default: sqlite)")
    parser.add_argument(
        "--facts", type=_sizes, default=(1_000, 10_000), metavar="N,N", help="sizes to measure at (1000,10000)"
    )
    parser.add_argument("--versions", type=int, default=1_000_000, metavar="N", help="versions to read among (1000000)")
    parser.add_argument("--repeats", type=int, default=100, metavar="N", help="how often each is measured (100)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the stores are made (default: temporary)")
    add_common_flags(parser)
    return parser


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(sorted(int(size) for size in text.split(",")))
    if sizes[0] < 100:
        raise ValueError(f"{text}: a size must be at least 100 facts")
    return sizes


if __name__ == "__main__":
    sys.exit(main())
