"""Scores of LoCoMo: the share of a question's evidence among the first found, by recipe, set and category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.evidence.figures import (
    Asked,
    by_set,
    fraction,
    interval_keys,
    of_kind,
    recall_all,
    recall_any,
    set_table,
    set_tables,
)
from benchmarks.report import Table

__all__ = ["CUTS", "intervals_of", "recipe_keys", "tables_of"]

CUTS = (5, 10, 20)
CATEGORIES = ("1", "2", "3", "4")
"""1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop."""


def recipe_keys(asked: Sequence[Asked]) -> dict[str, object]:
    """The keys of one recipe, in percent: share of the evidence by set and category, how often any and all of it is found."""
    return {
        **by_set(asked, fraction, CUTS),
        "by_category": {category: by_set(of_kind(asked, category), fraction, CUTS) for category in CATEGORIES},
        "any": by_set(asked, recall_any, CUTS),
        "all_of_it": by_set(asked, recall_all, CUTS),  # not "all": that is a set
    }


def intervals_of(asked: Sequence[Asked], seed: int) -> dict[str, dict[str, list[float]]]:
    """95 % bootstrap intervals of the share, over questions, in percent."""
    return interval_keys(asked, fraction, CUTS, seed)


def tables_of(by_recipe: Mapping[str, Sequence[Asked]]) -> list[Table]:
    """Recipes side by side, for each set and for the categories."""
    what = "share of the evidence found, %"
    of_categories = [
        set_table(
            f"category {category}: {what}",
            {recipe: of_kind(asked, category) for recipe, asked in by_recipe.items()},
            fraction,
            CUTS,
        )
        for category in CATEGORIES
    ]
    return [*set_tables(what, by_recipe, fraction, CUTS), *of_categories]
