"""`python -m benchmarks.locomo FILE`: tells LoCoMo's conversations to a memory and looks for the turns that answer."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.evidence.asking import default_embedder, search_by_recipe
from benchmarks.evidence.figures import Asked, latency_keys, median_tokens
from benchmarks.locomo.figures import CUTS, intervals_of, recipe_keys, tables_of
from benchmarks.locomo.loading import corrections_of, load_locomo
from benchmarks.report import add_common_flags, add_store_flags, write_report

__all__ = ["main"]

SEED = 20230508
LIMIT = max(CUTS)


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        corrections = corrections_of(arguments.audit) if arguments.audit else None
        conversations, skipped = load_locomo(arguments.file, with_captions=arguments.captions, corrections=corrections)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.file} is no LoCoMo file: {type(error).__name__}: {error}")
    print(f"seed {SEED}", file=sys.stderr)
    with TemporaryDirectory(prefix="locomo-") as folder:
        url = arguments.store or str(Path(folder) / "locomo.db")
        embedder = arguments.embedder or asyncio.run(default_embedder())
        print(f"embedder {embedder}", file=sys.stderr)
        by_recipe = asyncio.run(search_by_recipe(conversations[: arguments.limit], url, embedder, limit=LIMIT))
    if arguments.wrong:
        _print_wrong(by_recipe["full"])
    keys = {
        "seed": SEED,
        "recipes": {name: recipe_keys(asked) for name, asked in by_recipe.items()},
        "intervals": {name: intervals_of(asked, SEED) for name, asked in by_recipe.items()},
        "latency_ms": latency_keys(by_recipe, "full"),
        "context_tokens_p50": median_tokens(by_recipe["full"]),
        "skipped": dict(sorted(skipped.items())),
    }
    write_report("locomo", arguments, keys, tables_of(by_recipe))
    return 0


def _print_wrong(asked: Sequence[Asked]) -> None:
    for one in asked:
        missed = [turn for turn in one.question.evidence if turn not in one.found]
        if missed:
            print(f"{one.question.kind}\t{one.question.text}\tmissed: {', '.join(missed)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.locomo", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="locomo10.json")
    parser.add_argument("--audit", type=Path, metavar="DIR", help="apply the corrected evidence of this folder")
    parser.add_argument("--captions", action="store_true", help="a turn with a picture says what the picture shows")
    add_common_flags(parser)
    add_store_flags(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
