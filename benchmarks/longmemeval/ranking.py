"""Retrieval over LongMemEval: one memory a question, turns and sessions scored as upstream defines it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.evidence.asking import NONE, RECIPES, search_by_recipe
from benchmarks.evidence.figures import MEASURES, Asked, at_cuts, interval_keys, of_kind, of_set, recall_all, set_table
from benchmarks.evidence.remembering import RememberingEmbedder
from benchmarks.evidence.turns import Haystack
from benchmarks.evidence.turns_alone import TurnsAlone
from benchmarks.report import Table
from graphmem.retrieve.recipes import Recipe

__all__ = ["CUTS", "intervals_of", "recipe_keys", "search_haystacks", "sessions_of", "tables_of"]

CUTS = (5, 10, 50)
LIMIT = max(CUTS)
_EACH = 20


async def search_haystacks(
    haystacks: Sequence[Haystack],
    embedder: str,
    url: str | None,
    *,
    recipes: Mapping[str, str | Recipe] = RECIPES,
    with_facts: bool = False,
) -> dict[str, list[Asked]]:
    """Each haystack's question by each recipe; haystacks share most of their sessions, so each text is embedded once.

    Facts are read only `with_facts`: for turns of other sessions they are read anew in each haystack, at several seconds each.
    """
    extractor = None if with_facts else TurnsAlone()
    chosen = embedder if embedder == NONE else RememberingEmbedder(embedder)
    by_recipe: dict[str, list[Asked]] = {}
    for number, haystack in enumerate(haystacks, start=1):
        with TemporaryDirectory(prefix="longmemeval-") as folder:
            place = url or str(Path(folder) / "haystack.db")
            found = await search_by_recipe(
                [haystack], place, chosen, limit=LIMIT, recipes=recipes, extractor=extractor, is_quiet=True
            )
        for name, asked in found.items():
            by_recipe.setdefault(name, []).extend(asked)
        if number % _EACH == 0:
            print(f"{number} of {len(haystacks)} questions", file=sys.stderr)
    return by_recipe


def sessions_of(asked: Asked) -> Asked:
    """The same question with sessions in place of turns: a session stands where its first turn stands."""

    def session(turn_id: str) -> str:
        return turn_id.rpartition("_")[0]

    evidence = tuple(dict.fromkeys(map(session, asked.question.evidence)))
    return replace(
        asked,
        question=replace(asked.question, evidence=evidence),
        found=tuple(dict.fromkeys(map(session, asked.found))),
    )


def recipe_keys(asked: Sequence[Asked]) -> dict[str, object]:
    """The keys of one recipe, in percent: each measure over turns and sessions by set, and by kind of question."""
    return {
        unit: {
            name: {
                **{part: at_cuts(of_set(units, part), measure, CUTS) for part in ("development", "held_out")},
                **at_cuts(units, measure, CUTS),
                "by_type": {
                    kind: at_cuts(of_kind(units, kind), measure, CUTS)
                    for kind in sorted({one.question.kind for one in units})
                },
            }
            for name, measure in MEASURES.items()
        }
        for unit, units in (("turn", asked), ("session", [sessions_of(one) for one in asked]))
    }


def intervals_of(asked: Sequence[Asked], seed: int) -> dict[str, object]:
    """95 % bootstrap intervals of recall_all over questions, in percent."""
    return {
        "turn": interval_keys(asked, recall_all, CUTS, seed),
        "session": interval_keys([sessions_of(one) for one in asked], recall_all, CUTS, seed),
    }


def tables_of(by_recipe: Mapping[str, Sequence[Asked]]) -> list[Table]:
    """Recipes side by side, each measure over turns and over sessions; development and held out for recall_all."""
    units = {
        "turn": by_recipe,
        "session": {name: [sessions_of(one) for one in asked] for name, asked in by_recipe.items()},
    }
    tables = [
        set_table(f"{unit}: {name}, %", of_unit, measure, CUTS)
        for unit, of_unit in units.items()
        for name, measure in MEASURES.items()
    ]
    for part in ("development", "held_out"):
        for unit, of_unit in units.items():
            asked = {name: of_set(some, part) for name, some in of_unit.items()}
            tables.append(set_table(f"{part.replace('_', ' ')}, {unit}: recall_all, %", asked, recall_all, CUTS))
    return tables
