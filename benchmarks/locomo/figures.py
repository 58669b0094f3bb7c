"""Scores of LoCoMo: the share of a question's evidence among the first found, by recipe, set and category."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.locomo.loading import Question
from benchmarks.report import Table

__all__ = ["CUTS", "Asked", "interval_keys", "recipe_keys", "spread_ms", "tables_of"]

CUTS = (5, 10, 20)
CATEGORIES = (1, 2, 3, 4)
_RESAMPLES = 1_000
_SETS = ("development", "held_out", "all")

Measure = Callable[["Asked", int], float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question as one recipe answered it."""

    question: Question
    is_held_out: bool
    found: tuple[str, ...]
    """Ids of turns, best first."""
    seconds: float
    characters: int
    """Of the turns found."""

    def hits(self, cut: int) -> int:
        """How many of its evidence turns are among the first `cut`."""
        return len(set(self.question.evidence) & set(self.found[:cut]))


def _share(asked: Asked, cut: int) -> float:
    return asked.hits(cut) / len(asked.question.evidence)


def _any(asked: Asked, cut: int) -> float:
    return float(asked.hits(cut) > 0)


def _all(asked: Asked, cut: int) -> float:
    return float(asked.hits(cut) == len(asked.question.evidence))


def recipe_keys(asked: Sequence[Asked]) -> dict[str, object]:
    """The keys of one recipe, in percent: share of the evidence by set and category, how often any and all of it is found."""
    return {
        **_by_set(asked, _share),
        "by_category": {
            str(category): _by_set([a for a in asked if a.question.category == category], _share)
            for category in CATEGORIES
        },
        "any": _by_set(asked, _any),
        "all_of_it": _by_set(asked, _all),  # not "all": that is a set
    }


def interval_keys(asked: Sequence[Asked], seed: int) -> dict[str, object]:
    """95 % bootstrap intervals of the share, over questions, in percent."""
    return {name: _intervals(members, seed) for name, members in _sets(asked).items()}


def spread_ms(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    middle, high = np.percentile(np.array(seconds) * 1_000, [50, 95]) if seconds else (0.0, 0.0)
    return {"p50": round(float(middle), 2), "p95": round(float(high), 2)}


def tables_of(by_recipe: Mapping[str, Sequence[Asked]]) -> list[Table]:
    """Recipes side by side, for each set and for the categories."""
    of_sets = [
        _table(name.replace("_", " "), {recipe: _sets(asked)[name] for recipe, asked in by_recipe.items()})
        for name in _SETS
    ]
    of_categories = [
        _table(
            f"category {category}",
            {recipe: [a for a in asked if a.question.category == category] for recipe, asked in by_recipe.items()},
        )
        for category in CATEGORIES
    ]
    return [*of_sets, *of_categories]


def _table(title: str, by_recipe: Mapping[str, Sequence[Asked]]) -> Table:
    rows = [("recipe", "questions", *(f"@{cut}" for cut in CUTS))]
    for name, asked in by_recipe.items():
        rows.append((name, str(len(asked)), *(f"{_percent(asked, _share, cut):.1f}" for cut in CUTS)))
    return Table(title=f"{title}: share of the evidence found, %", rows=tuple(rows))


def _sets(asked: Sequence[Asked]) -> dict[str, Sequence[Asked]]:
    development = [one for one in asked if not one.is_held_out]
    held_out = [one for one in asked if one.is_held_out]
    return dict(zip(_SETS, (development, held_out, asked), strict=True))


def _by_set(asked: Sequence[Asked], measure: Measure) -> dict[str, dict[str, float]]:
    return {name: _at_cuts(members, measure) for name, members in _sets(asked).items()}


def _at_cuts(asked: Sequence[Asked], measure: Measure) -> dict[str, float]:
    return {f"at_{cut}": round(_percent(asked, measure, cut), 2) for cut in CUTS}


def _percent(asked: Sequence[Asked], measure: Measure, cut: int) -> float:
    return 100 * sum(measure(one, cut) for one in asked) / len(asked) if asked else 0.0


def _intervals(asked: Sequence[Asked], seed: int) -> dict[str, list[float]]:
    if not asked:
        return {}
    draw = np.random.default_rng(seed).integers(0, len(asked), size=(_RESAMPLES, len(asked)))
    keys = {}
    for cut in CUTS:
        shares = np.array([_share(one, cut) for one in asked])
        low, high = np.percentile(100 * shares[draw].mean(axis=1), [2.5, 97.5])
        keys[f"at_{cut}"] = [round(float(low), 2), round(float(high), 2)]
    return keys
