"""`python -m benchmarks.performance`: what telling, folding, reading and searching cost in an embedded store, or in several.

`python -m benchmarks.performance --store sqlite,neo4j --json OUT` does the same work on both, side by side.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.performance.folds import measure_fold
from benchmarks.performance.search_report import Searched, SearchReport, measure_search_report
from benchmarks.performance.servers import NoServer, measured_server
from benchmarks.performance.side_by_side import keys_of, tables_of
from benchmarks.performance.sizes import (
    ReadingFigures,
    SizeFigures,
    measure_reading,
    measure_rules,
    measure_size,
    peak_mb,
)
from benchmarks.performance.stores import Amounts, Place, StoreFigures, measure_store
from benchmarks.performance.timing import shown_spread, spread_ms
from benchmarks.performance.versions import build_versions, measure_point_reads
from benchmarks.report import Table, add_common_flags, write_report
from graphmem.errors import StoreUnavailable

__all__ = ["main"]

SEED = 1
_FOLD_CLAIMS = (10, 100, 1_000)
_PROGRESS_EVERY_S = 2.0


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    progress = _Progress()
    if arguments.only_searches:
        report = _searches(arguments, progress)
        keys: dict[str, object] = {"sqlite": report.keys()}
        tables = report.tables()
    elif arguments.store == ("sqlite",):
        keys, tables = _alone(arguments, progress)
    else:
        try:
            keys, tables = _side_by_side(arguments, progress)
        except (NoServer, StoreUnavailable) as error:
            parser.error(f"no Neo4j server: {error}")
    write_report("performance", arguments, {"seed": SEED, **keys}, tables)
    return 0


def _side_by_side(
    arguments: argparse.Namespace, progress: Callable[[str], None]
) -> tuple[dict[str, object], list[Table]]:
    """The stores named, each doing the same work."""
    amounts = Amounts(
        facts=arguments.facts or (1_000, 10_000, 100_000),
        uneven_groups=arguments.uneven_groups,
        small_groups=arguments.small_groups,
        imported=arguments.imported,
        hub=arguments.hub,
        repeats=arguments.repeats,
    )
    figures: list[StoreFigures] = []
    with TemporaryDirectory(prefix="performance-", dir=arguments.folder) as folder:
        for name in arguments.store:
            if name == "sqlite":
                figures.append(asyncio.run(measure_store(Place.file(Path(folder) / "side.db"), amounts, progress)))
            else:
                with measured_server(arguments.neo4j) as server:
                    figures.append(asyncio.run(measure_store(Place.server(server), amounts, progress)))
    return {"side_by_side": {one.name: keys_of(one) for one in figures}}, tables_of(figures)


def _alone(arguments: argparse.Namespace, progress: Callable[[str], None]) -> tuple[dict[str, object], list[Table]]:
    """The embedded store, and what is folded in it."""
    repeats = arguments.repeats
    fold_ms = {str(claims): measure_fold(claims, repeats) for claims in _FOLD_CLAIMS}
    with TemporaryDirectory(prefix="performance-", dir=arguments.folder) as folder:
        sizes = [
            asyncio.run(measure_size(Path(folder) / f"{facts}.db", facts, repeats, progress))
            for facts in arguments.facts or (1_000, 10_000)
        ]
        messages_per_s = asyncio.run(measure_rules(Path(folder) / "messages.db", 4 * repeats))
        reading = measure_reading(40 * repeats)
        store = Path(folder) / "versions.db"
        people = asyncio.run(build_versions(store, arguments.versions, progress))
        reads = asyncio.run(measure_point_reads(store, people, 20 * repeats, SEED))
    searches = _searches(arguments, progress)
    keys: dict[str, object] = {
        "sqlite": {
            **_size_keys(sizes),
            **searches.keys(),
            "fold_ms": fold_ms,
            "point_read_ms": spread_ms(reads.seconds),
            "versions": arguments.versions,
            "rules_messages_per_s": messages_per_s,
            "rules_alone_messages_per_s": {"cold": reading.cold, "warm": reading.warm},
            "memory_mb": peak_mb(),
        },
    }
    return keys, [*_tables(sizes, fold_ms, spread_ms(reads.seconds), messages_per_s, reading), *searches.tables()]


def _searches(arguments: argparse.Namespace, progress: Callable[[str], None]) -> SearchReport:
    """What searches cost; drawn, if the arguments say where."""
    with TemporaryDirectory(prefix="performance-", dir=arguments.folder) as folder:
        amounts = Searched(
            facts=arguments.searched, groups=arguments.groups, vectors=arguments.vectors, turns=arguments.turns
        )
        report = measure_search_report(Path(folder), amounts, arguments.repeats, progress)
    if arguments.plot:
        report.plot(arguments.plot)
    return report


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
        "search_without_vectors_ms": {str(size.facts): size.search_ms for size in sizes},
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
    sizes: Sequence[SizeFigures],
    fold_ms: dict[str, float],
    reads: dict[str, float],
    messages_per_s: float,
    reading: ReadingFigures,
) -> list[Table]:
    columns = ("facts", "accept", "lease", "apply", "whole", "search", "facts/s", "bytes a fact")
    rows = [
        (
            str(size.facts),
            *(shown_spread(s) for s in (size.accept_ms, size.lease_ms, size.apply_ms, size.episode_ms, size.search_ms)),
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
        ("point read", f"{shown_spread(reads)} ms", "<= 1 ms"),
        ("messages read by rules, told to a memory", f"{messages_per_s:.0f} a second", ""),
        (
            "messages read by rules alone, cold / warm",
            f"{reading.cold:.0f} / {reading.warm:.0f} a CPU second",
            ">= 300",
        ),
    ]
    return [
        Table(
            title="One episode and one search without vectors, ms (p50 / p95; goal: apply p50 <= 10, import >= 2,000 facts/s)",
            rows=(columns, *rows),
        ),
        Table(title="Fold and reads", rows=(("", "measured", "goal"), *others)),
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.performance", description=__doc__)
    parser.add_argument(
        "--store",
        type=_stores,
        default=("sqlite",),
        metavar="NAME,NAME",
        help="sqlite (default), neo4j, or both: then the same work on each, side by side",
    )
    parser.add_argument(
        "--neo4j", metavar="URL", help="a server to measure; what is told to it stays (default: one of the run's own)"
    )
    parser.add_argument(
        "--facts", type=_sizes, metavar="N,N", help="sizes to measure at (1000,10000; side by side also 100000)"
    )
    parser.add_argument("--uneven-groups", type=int, default=50, metavar="N", help="side by side: groups (50)")
    parser.add_argument(
        "--small-groups", type=int, default=1_000, metavar="N", help="and groups of 100, a transaction each (1000)"
    )
    parser.add_argument("--imported", type=int, default=5_000, metavar="N", help="and facts in episodes (5000)")
    parser.add_argument("--hub", type=int, default=10_000, metavar="N", help="and facts around a hub (10000)")
    parser.add_argument("--versions", type=int, default=1_000_000, metavar="N", help="versions to read among (1000000)")
    parser.add_argument(
        "--searched",
        type=_sizes,
        default=(1_000, 10_000, 100_000),
        metavar="N,N",
        help="sizes to search in with every lane (1000,10000,100000)",
    )
    parser.add_argument("--groups", type=int, default=10_000, metavar="N", help="groups of 100 to search among (10000)")
    parser.add_argument(
        "--vectors", type=int, default=120_000, metavar="N", help="vectors beyond the exact size; 0: none (120000)"
    )
    parser.add_argument(
        "--turns",
        type=int,
        default=600,
        metavar="N",
        help="turns to search with the local embedder, if installed (600)",
    )
    parser.add_argument("--only-searches", action="store_true", help="measure searches and nothing else")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw what searches cost by size here (SVG)")
    parser.add_argument("--repeats", type=int, default=100, metavar="N", help="how often each is measured (100)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the stores are made (default: temporary)")
    add_common_flags(parser)
    return parser


def _stores(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    if not set(names) <= {"sqlite", "neo4j"}:
        raise ValueError(f"{text}: stores are sqlite and neo4j")
    return names


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(sorted(int(size) for size in text.split(",")))
    if sizes[0] < 100:
        raise ValueError(f"{text}: a size must be at least 100 facts")
    return sizes


if __name__ == "__main__":
    sys.exit(main())
