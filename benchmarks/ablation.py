"""`python -m benchmarks.ablation SET PATH`: what each lever of the recipe `full` gives, by leaving it out.

Each set is told once, and searched with the recipe whole, without one lever after another, and without any.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from benchmarks.beam.loading import Renewal, load_beam
from benchmarks.evidence.asking import FLAT, default_embedder, search_by_recipe
from benchmarks.evidence.figures import Asked, by_set, fraction, of_set, recall_all
from benchmarks.evidence.turns import Haystack
from benchmarks.locomo.loading import load_locomo
from benchmarks.longmemeval.loading import load_rebuilt
from benchmarks.longmemeval.ranking import search_haystacks
from benchmarks.report import Table, add_common_flags, add_store_flags, write_report
from graphmem.retrieve.recipes import FULL, Lane, Recipe, Rerank

__all__ = ["LEVERS", "main"]

CUTS = (5, 10, 20)
LIMIT = 50
LOCOMO, BEAM, LONGMEMEVAL = "locomo", "beam", "longmemeval"
_LANES: Mapping[Lane, float] = MappingProxyType(
    {lane: weight for lane, weight in FULL.lanes.items() if lane not in (Lane.KEY, Lane.WALK)}
)
LEVERS: Mapping[str, Recipe] = MappingProxyType(
    {
        "full": FULL,
        "no late interaction": replace(FULL, rerank=Rerank.NONE),
        "no share of words": replace(FULL, word_share=0.0),
        "no words of replies": replace(FULL, words_before=0.0, words_after=0.0),
        "no scores of replies": replace(FULL, share_before=0.0, share_after=0.0),
        "no best of the session": replace(FULL, session_share=0.0),
        "no named speaker": replace(FULL, speaker_share=0.0),
        "no instructions": replace(FULL, instruction_share=0.0),
        "no preferences": replace(FULL, preference_share=0.0),
        "no newest first": replace(FULL, newest_share=0.0),
        "no renewed first": replace(FULL, renewed_share=0.0),
        "no time named": replace(FULL, time_share=0.0),
        "no facts as keys": replace(FULL, lanes=_LANES),
        "late interaction alone": Recipe(
            name="late interaction alone",
            lanes=_LANES,
            rerank=Rerank.MAXSIM,
            reranked=FULL.reranked,
            by_vector=FULL.by_vector,
        ),
    }
)
"""The recipe, and the recipe without one of its parts; the last without any."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("set", choices=[LOCOMO, BEAM, LONGMEMEVAL], metavar="SET", help="locomo, beam or longmemeval")
    parser.add_argument("path", type=Path, metavar="PATH", help="its file or folder; of longmemeval the evidence file")
    parser.add_argument("--rebuilt", type=Path, metavar="MINI", help="of longmemeval: the small published file")
    add_common_flags(parser)
    add_store_flags(parser)
    arguments = parser.parse_args(argv)
    if arguments.set == LONGMEMEVAL and arguments.rebuilt is None:
        parser.error("longmemeval needs --rebuilt MINI")
    try:
        haystacks, renewals = _load(arguments)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.path} is not of {arguments.set}: {type(error).__name__}: {error}")
    by_lever = asyncio.run(_search(arguments, haystacks[: arguments.limit]))
    keys = {name: _keys(asked, renewals) for name, asked in by_lever.items()}
    write_report(f"ablation-{arguments.set}", arguments, {"levers": keys}, _tables(by_lever, renewals))
    return 0


def _load(arguments: argparse.Namespace) -> tuple[Sequence[Haystack], Mapping[str, Renewal]]:
    if arguments.set == BEAM:
        beam = load_beam(arguments.path)
        return beam.haystacks, beam.renewals
    if arguments.set == LOCOMO:
        return load_locomo(arguments.path)[0], {}
    cases = load_rebuilt(arguments.path, arguments.rebuilt)
    return [haystack for case in cases if (haystack := case.haystack()) is not None], {}


async def _search(arguments: argparse.Namespace, haystacks: Sequence[Haystack]) -> dict[str, list[Asked]]:
    embedder = arguments.embedder or await default_embedder()
    if arguments.set == LONGMEMEVAL:
        by_lever = await search_haystacks(haystacks, embedder, arguments.store, recipes=LEVERS)
    else:
        with TemporaryDirectory(prefix="ablation-") as folder:
            url = arguments.store or str(Path(folder) / "ablation.db")
            by_lever = await search_by_recipe(haystacks, url, embedder, limit=LIMIT, recipes=LEVERS)
    return {name: asked for name, asked in by_lever.items() if name != FLAT}


def _keys(asked: Sequence[Asked], renewals: Mapping[str, Renewal]) -> dict[str, object]:
    return {
        "fraction": by_set(asked, fraction, CUTS),
        "all": by_set(asked, recall_all, CUTS),
        "new_over_old": _new_over_old(asked, renewals),
    }


def _new_over_old(asked: Sequence[Asked], renewals: Mapping[str, Renewal]) -> float | None:
    """How often the new value stands above the old one, in percent; None for a set without such questions."""
    right = [
        renewal.is_new_first(one.found)
        for one in asked
        if (renewal := renewals.get(one.question.question_id)) is not None
    ]
    return round(100 * sum(right) / len(right), 2) if right else None


def _tables(by_lever: Mapping[str, Sequence[Asked]], renewals: Mapping[str, Renewal]) -> list[Table]:
    return [
        Table(title=f"{part.replace('_', ' ')}: evidence found, %", rows=_rows(by_lever, renewals, part))
        for part in ("development", "held_out")
    ]


def _rows(
    by_lever: Mapping[str, Sequence[Asked]], renewals: Mapping[str, Renewal], part: str
) -> tuple[tuple[str, ...], ...]:
    rows = [
        ("recipe", "questions", *(f"@{cut}" for cut in CUTS), *(f"all of it @{cut}" for cut in CUTS), "new over old")
    ]
    for name, asked in by_lever.items():
        members = of_set(asked, part)
        found, whole = (by_set(members, measure, CUTS)["all"] for measure in (fraction, recall_all))
        new = _new_over_old(members, renewals)
        rows.append(
            (
                name,
                str(len(members)),
                *(f"{found[f'at_{cut}']:.1f}" for cut in CUTS),
                *(f"{whole[f'at_{cut}']:.1f}" for cut in CUTS),
                "" if new is None else f"{new:.0f}",
            )
        )
    return tuple(rows)


if __name__ == "__main__":
    sys.exit(main())
