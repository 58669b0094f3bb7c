"""Scores of retrieval: how much of a question's evidence is among the first found, by set and kind, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.evidence.turns import Question, Split
from benchmarks.report import Table

__all__ = [
    "MEASURES",
    "SETS",
    "Asked",
    "Measure",
    "at_cuts",
    "by_set",
    "fraction",
    "interval_keys",
    "latency_keys",
    "median_tokens",
    "ndcg",
    "of_kind",
    "of_set",
    "recall_all",
    "recall_any",
    "set_table",
    "set_tables",
    "spread_ms",
]

SETS = (*(split.value for split in Split), "all")
_RESAMPLES = 1_000
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question as one recipe answered it."""

    question: Question
    split: Split
    found: tuple[str, ...]
    """Ids of turns (or of sessions), best first."""
    seconds: float
    characters: int
    """Of the turns found."""

    def hits(self, cut: int) -> int:
        """How many of its evidence turns are among the first `cut`."""
        return len(set(self.question.evidence) & set(self.found[:cut]))


Measure = Callable[[Asked, int], float]


def fraction(asked: Asked, cut: int) -> float:
    """Share of the evidence among the first `cut`."""
    return asked.hits(cut) / len(asked.question.evidence)


def recall_any(asked: Asked, cut: int) -> float:
    """1 where some of the evidence is among the first `cut`."""
    return float(asked.hits(cut) > 0)


def recall_all(asked: Asked, cut: int) -> float:
    """1 where all of the evidence is among the first `cut`."""
    return float(asked.hits(cut) == len(asked.question.evidence))


def ndcg(asked: Asked, cut: int) -> float:
    """Gain of the first `cut` over the best possible, as LongMemEval's own script counts it.

    There the second place is not discounted either: the gains after the first are divided by log2 of 2, 3, 4 …
    """
    wanted = set(asked.question.evidence)
    return _gain([found in wanted for found in asked.found[:cut]]) / _gain([True] * min(len(wanted), cut))


def _gain(relevant: Sequence[bool]) -> float:
    first = float(relevant[0]) if relevant else 0.0
    return first + sum(1 / math.log2(place) for place, hit in enumerate(relevant[1:], start=2) if hit)


MEASURES: Mapping[str, Measure] = {
    "recall_any": recall_any,
    "recall_all": recall_all,
    "fraction": fraction,
    "ndcg": ndcg,
}


def of_set(asked: Sequence[Asked], name: str) -> list[Asked]:
    """Those of "development", "held_out" or "all"."""
    return [one for one in asked if name in (one.split.value, "all")]


def of_kind(asked: Sequence[Asked], kind: str) -> list[Asked]:
    """Those whose question is of this kind."""
    return [one for one in asked if one.question.kind == kind]


def by_set(asked: Sequence[Asked], measure: Measure, cuts: Sequence[int]) -> dict[str, dict[str, float]]:
    """The measure at each cut, in percent, for development, held out and all."""
    return {name: at_cuts(of_set(asked, name), measure, cuts) for name in SETS}


def at_cuts(asked: Sequence[Asked], measure: Measure, cuts: Sequence[int]) -> dict[str, float]:
    """The mean of a measure at each cut, in percent."""
    return {f"at_{cut}": round(_percent(asked, measure, cut), 2) for cut in cuts}


def interval_keys(
    asked: Sequence[Asked], measure: Measure, cuts: Sequence[int], seed: int
) -> dict[str, dict[str, list[float]]]:
    """95 % bootstrap intervals of a measure over questions, in percent, for each set."""
    return {name: _intervals(of_set(asked, name), measure, cuts, seed) for name in SETS}


def _intervals(asked: Sequence[Asked], measure: Measure, cuts: Sequence[int], seed: int) -> dict[str, list[float]]:
    if not asked:
        return {}
    draw = np.random.default_rng(seed).integers(0, len(asked), size=(_RESAMPLES, len(asked)))
    keys = {}
    for cut in cuts:
        values = np.array([measure(one, cut) for one in asked])
        low, high = np.percentile(100 * values[draw].mean(axis=1), [2.5, 97.5])
        keys[f"at_{cut}"] = [round(float(low), 2), round(float(high), 2)]
    return keys


def latency_keys(by_recipe: Mapping[str, Sequence[Asked]], main: str) -> dict[str, object]:
    """Median and 95th percentile of a search in milliseconds, of the main recipe and of each."""
    spreads = {name: spread_ms([one.seconds for one in asked]) for name, asked in by_recipe.items()}
    return {**spreads[main], "by_recipe": spreads}


def spread_ms(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    middle, high = np.percentile(np.array(seconds) * 1_000, [50, 95]) if seconds else (0.0, 0.0)
    return {"p50": round(float(middle), 2), "p95": round(float(high), 2)}


def median_tokens(asked: Sequence[Asked]) -> int:
    """Tokens of what was found for the median question, estimated from its characters."""
    numbers = sorted(one.characters // _CHARACTERS_A_TOKEN for one in asked)
    return numbers[len(numbers) // 2] if numbers else 0


def set_table(title: str, by_recipe: Mapping[str, Sequence[Asked]], measure: Measure, cuts: Sequence[int]) -> Table:
    """Recipes side by side, in percent."""
    rows = [("recipe", "questions", *(f"@{cut}" for cut in cuts))]
    for name, asked in by_recipe.items():
        rows.append((name, str(len(asked)), *(f"{_percent(asked, measure, cut):.1f}" for cut in cuts)))
    return Table(title=title, rows=tuple(rows))


def set_tables(
    what: str, by_recipe: Mapping[str, Sequence[Asked]], measure: Measure, cuts: Sequence[int]
) -> list[Table]:
    """Recipes side by side, in percent: one table each for development, held out and all."""
    return [
        set_table(
            f"{name.replace('_', ' ')}: {what}",
            {recipe: of_set(asked, name) for recipe, asked in by_recipe.items()},
            measure,
            cuts,
        )
        for name in SETS
    ]


def _percent(asked: Sequence[Asked], measure: Measure, cut: int) -> float:
    return 100 * sum(measure(one, cut) for one in asked) / len(asked) if asked else 0.0
