"""`python -m benchmarks.beam DIR`: tells BEAM's chats to a memory and looks for the user's messages that answer."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.beam.loading import Renewal, load_beam
from benchmarks.evidence.asking import default_embedder, search_by_recipe
from benchmarks.evidence.figures import (
    SETS,
    Asked,
    at_cuts,
    by_set,
    fraction,
    interval_keys,
    latency_keys,
    median_tokens,
    of_kind,
    of_set,
    set_table,
    set_tables,
)
from benchmarks.report import Table, add_common_flags, add_store_flags, share, write_report

__all__ = ["main"]

SEED = 20251031
CUTS = (5, 10, 20)
LIMIT = 50
"""So deep an old and a new value are looked for."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beam", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder with the numbered chats, as 100K")
    add_common_flags(parser)
    add_store_flags(parser)
    arguments = parser.parse_args(argv)
    try:
        beam = load_beam(arguments.folder)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.folder} is no folder of BEAM: {type(error).__name__}: {error}")
    print(f"seed {SEED}", file=sys.stderr)
    with TemporaryDirectory(prefix="beam-") as folder:
        url = arguments.store or str(Path(folder) / "beam.db")
        embedder = arguments.embedder or asyncio.run(default_embedder())
        print(f"embedder {embedder}", file=sys.stderr)
        haystacks = beam.haystacks[: arguments.limit]
        by_recipe = asyncio.run(search_by_recipe(haystacks, url, embedder, limit=LIMIT))
    if arguments.wrong:
        _print_wrong(by_recipe["full"])
    renewed = {name: _renewed(asked, beam.renewals) for name, asked in by_recipe.items()}
    keys = {
        "seed": SEED,
        "recipes": {name: _recipe_keys(asked) for name, asked in by_recipe.items()},
        "intervals": {name: interval_keys(asked, fraction, CUTS, SEED) for name, asked in by_recipe.items()},
        "new_over_old": {**_counts(renewed["full"]), "by_recipe": {n: _counts(r) for n, r in renewed.items()}},
        "latency_ms": latency_keys(by_recipe, "full"),
        "context_tokens_p50": median_tokens(by_recipe["full"]),
        "skipped": dict(sorted(beam.skipped.items())),
    }
    write_report("beam", arguments, keys, _tables(by_recipe, renewed))
    return 0


def _recipe_keys(asked: Sequence[Asked]) -> dict[str, object]:
    kinds = sorted({one.question.kind for one in asked})
    return {
        **by_set(asked, fraction, CUTS),
        "by_type": {kind: at_cuts(of_kind(asked, kind), fraction, CUTS) for kind in kinds},
    }


def _renewed(asked: Sequence[Asked], renewals: Mapping[str, Renewal]) -> list[tuple[Asked, bool]]:
    """The questions with an old and a new value, and whether the first message with the new one is ranked above the old."""
    return [
        (one, renewal.is_new_first(one.found))
        for one in asked
        if (renewal := renewals.get(one.question.question_id)) is not None
    ]


def _counts(renewed: Sequence[tuple[Asked, bool]]) -> dict[str, dict[str, int]]:
    counts = {}
    for name in SETS:
        is_first = [is_new for asked, is_new in renewed if of_set([asked], name)]
        counts[name] = {"questions": len(is_first), "right": sum(is_first)}
    return counts


def _tables(
    by_recipe: Mapping[str, Sequence[Asked]], renewed: Mapping[str, Sequence[tuple[Asked, bool]]]
) -> list[Table]:
    what = "share of the user's messages found, %"
    tables = set_tables(what, by_recipe, fraction, CUTS)
    full = by_recipe["full"]
    kinds = sorted({one.question.kind for one in full})
    by_kind = {kind: of_kind(full, kind) for kind in kinds}
    tables.append(set_table(f"full, by kind: {what}", by_kind, fraction, CUTS))
    rows = [("recipe", "questions", "new over old")]
    for name, pairs in renewed.items():
        counts = _counts(pairs)["all"]
        rows.append((name, str(counts["questions"]), share(counts["right"], counts["questions"])))
    return [*tables, Table(title="Is the new value ranked above the old", rows=tuple(rows))]


def _print_wrong(asked: Sequence[Asked]) -> None:
    for one in asked:
        missed = [turn for turn in one.question.evidence if turn not in one.found[: max(CUTS)]]
        if missed:
            print(f"{one.question.question_id}\t{one.question.text}\tmissed: {', '.join(missed)}")


if __name__ == "__main__":
    sys.exit(main())
