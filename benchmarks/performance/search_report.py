"""The part of the report that tells what searches cost: its keys, its tables and its plot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.performance.many_groups import GroupFigures, SignFigures, measure_groups, measure_signs
from benchmarks.performance.searching import SearchFigures, TurnFigures, measure_searches, measure_turns
from benchmarks.performance.timing import shown_spread
from benchmarks.plot import write_plot
from benchmarks.report import Table

__all__ = ["SearchReport", "Searched", "measure_search_report"]

_GOALS_MS = {1_000: 5.0, 10_000: 10.0, 100_000: 50.0}
_TURN_GOALS = ("<= 20 ms", "<= 45 ms", "<= 16 KB")
_PLOTTED = {"whole": "default search", "keyword": "keyword", "vector": "vector", "walk": "walk", "rerank": "rerank"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Searched:
    """How much is searched."""

    facts: Sequence[int]
    """Sizes of a group."""
    groups: int
    """Of 100 facts each."""
    vectors: int
    """Beyond the size up to which they are compared one by one; 0: none."""
    turns: int
    """Of a conversation, with the local embedder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchReport:
    """Everything measured of searches."""

    sizes: tuple[SearchFigures, ...]
    groups: GroupFigures
    signs: SignFigures | None
    turns: TurnFigures | None

    def keys(self) -> dict[str, object]:
        return {
            "search_ms": {str(size.facts): size.search_ms for size in self.sizes},
            "search_by_size": {str(size.facts): asdict(size) for size in self.sizes},
            "groups": {
                **asdict(self.groups),
                "ratio": _ratio(self.groups.search_ms, self.groups.lone_ms),
                "ratio_first": _ratio(self.groups.search_ms, self.groups.lone_first_ms),
                "ratio_again": _ratio(self.groups.again_ms, self.groups.lone_ms),
            },
            "recall_at_20": {} if self.signs is None else {str(self.signs.vectors): self.signs.recall_at_20},
            "beyond_exact": None if self.signs is None else asdict(self.signs),
            "turns": None if self.turns is None else asdict(self.turns),
            "embed_ms": None if self.turns is None else self.turns.embed_ms,
        }

    def tables(self) -> list[Table]:
        return [self._by_size(), self._lanes(), self._others()]

    def plot(self, path: Path) -> None:
        """Medians by size, with the goals, as an SVG file."""
        lines: dict[str, Mapping[float, float]] = {
            name: {float(size.facts): ms for size in self.sizes if (ms := _median_ms(size, key)) > 0}
            for key, name in _PLOTTED.items()
        }
        goals = {float(facts): ms for facts, ms in _GOALS_MS.items() if any(size.facts == facts for size in self.sizes)}
        write_plot(path, "One search in a group, median", "facts in the group", "ms", {**lines, "goal": goals})

    def _by_size(self) -> Table:
        columns = ("facts", "search", "goal p50", "open", "first search", "bytes a fact", "of them vectors")
        rows = [
            (
                f"{size.facts:,}",
                shown_spread(size.search_ms),
                f"{_GOALS_MS[size.facts]:g}" if size.facts in _GOALS_MS else "",
                f"{size.open_ms:.1f}",
                f"{size.first_ms:.1f}",
                f"{size.bytes_per_fact:,.0f}",
                f"{size.vector_bytes_per_fact:,.0f}",
            )
            for size in self.sizes
        ]
        return Table(
            title="One search of one group, every lane, embedding apart, ms (p50 / p95)", rows=(columns, *rows)
        )

    def _lanes(self) -> Table:
        names = tuple(_PLOTTED)[1:]
        rows = [(f"{size.facts:,}", *(f"{size.lane_ms[name]:.2f}" for name in names)) for size in self.sizes]
        return Table(title="Each lane alone, and what ranking anew adds, ms (p50)", rows=(("facts", *names), *rows))

    def _others(self) -> Table:
        groups = self.groups
        rows = [
            ("", "measured", "goal"),
            (f"a group of 100 among {groups.groups:,}, first search", f"{shown_spread(groups.search_ms)} ms", ""),
            ("a lone group of 100, searched before", f"{shown_spread(groups.lone_ms)} ms", ""),
            ("a lone group of 100, first search", f"{shown_spread(groups.lone_first_ms)} ms", ""),
            ("first to first, ratio of the medians", f"{_ratio(groups.search_ms, groups.lone_first_ms):.2f}", "<= 1.5"),
            (
                "a second search to the lone one searched before",
                f"{_ratio(groups.again_ms, groups.lone_ms):.2f}",
                "<= 1.5",
            ),
            (
                "a first one to the lone one searched before",
                f"{_ratio(groups.search_ms, groups.lone_ms):.2f}",
                "<= 1.5",
            ),
            ("opening it and searching", f"{groups.open_ms + groups.first_ms:.1f} ms", ""),
        ]
        if self.signs is not None:
            rows.append((f"recall@20 of {self.signs.vectors:,} vectors", f"{self.signs.recall_at_20:.4f}", ">= 0.98"))
        if self.turns is not None:
            turns = self.turns
            rows += [
                (
                    f"{turns.turns} turns, without the query's embedding",
                    f"{shown_spread(turns.search_ms)} ms",
                    _TURN_GOALS[0],
                ),
                (f"{turns.turns} turns, with it", f"{shown_spread(turns.whole_ms)} ms", _TURN_GOALS[1]),
                ("embedding a query", f"{shown_spread(turns.embed_ms)} ms", ""),
                ("token vectors of a turn", f"{turns.token_bytes_per_turn / 1_024:.1f} KB", _TURN_GOALS[2]),
            ]
        return Table(title="Groups, vectors beyond the exact size, turns with the local embedder", rows=tuple(rows))


def measure_search_report(
    folder: Path, amounts: Searched, repeats: int, progress: Callable[[str], None]
) -> SearchReport:
    """Measure searches of so much, each so often."""
    sizes = tuple(
        asyncio.run(measure_searches(folder / f"search-{size}.db", size, repeats, progress)) for size in amounts.facts
    )
    return SearchReport(
        sizes=sizes,
        groups=asyncio.run(measure_groups(folder, amounts.groups, progress)),
        signs=_signs(folder, amounts.vectors, repeats, progress),
        turns=asyncio.run(measure_turns(folder / "turns.db", amounts.turns, repeats, progress)),
    )


def _signs(folder: Path, vectors: int, repeats: int, progress: Callable[[str], None]) -> SignFigures | None:
    return asyncio.run(measure_signs(folder / "signs.db", vectors, repeats, progress)) if vectors else None


def _median_ms(size: SearchFigures, key: str) -> float:
    return size.search_ms["p50"] if key == "whole" else size.lane_ms[key]


def _ratio(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return round(one["p50"] / other["p50"], 2)
