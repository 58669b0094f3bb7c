"""`python -m benchmarks.longmemeval FILE`: does a memory find the turns and sessions that answer LongMemEval's questions."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.evidence.asking import default_embedder
from benchmarks.evidence.figures import Asked, latency_keys, median_tokens
from benchmarks.longmemeval.loading import Case, excluded, load_published, load_rebuilt
from benchmarks.longmemeval.ranking import intervals_of, recipe_keys, search_haystacks, tables_of
from benchmarks.report import add_common_flags, add_store_flags, write_report

__all__ = ["main"]

SEED = 20241014


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        cases = load_rebuilt(arguments.file, arguments.rebuilt) if arguments.rebuilt else load_published(arguments.file)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.file} is no file of LongMemEval: {type(error).__name__}: {error}")
    return _retrieval(arguments, cases[: arguments.limit])


def _retrieval(arguments: argparse.Namespace, cases: Sequence[Case]) -> int:
    print(f"seed {SEED}", file=sys.stderr)
    embedder = arguments.embedder or asyncio.run(default_embedder())
    print(f"embedder {embedder}", file=sys.stderr)
    haystacks = [haystack for case in cases if (haystack := case.haystack()) is not None]
    by_recipe = asyncio.run(search_haystacks(haystacks, embedder, arguments.store))
    if arguments.wrong:
        _print_wrong(by_recipe["full"])
    keys = {
        "seed": SEED,
        "recipes": {name: recipe_keys(asked) for name, asked in by_recipe.items()},
        "intervals": {name: intervals_of(asked, SEED) for name, asked in by_recipe.items()},
        "n": len(haystacks),
        "excluded": dict(sorted(excluded(cases).items())),
        "latency_ms": latency_keys(by_recipe, "full"),
        "context_tokens_p50": median_tokens(by_recipe["full"]),
    }
    write_report("longmemeval", arguments, keys, tables_of(by_recipe))
    return 0


def _print_wrong(asked: Sequence[Asked]) -> None:
    for one in asked:
        missed = [turn for turn in one.question.evidence if turn not in one.found[:5]]
        if missed:
            print(f"{one.question.question_id}\t{one.question.text}\tmissed: {', '.join(missed)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.longmemeval", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="a published file, or with --rebuilt the evidence file")
    parser.add_argument(
        "--rebuilt",
        type=Path,
        metavar="MINI",
        help="rebuild each haystack from the sessions of this small published file",
    )
    add_common_flags(parser)
    add_store_flags(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
