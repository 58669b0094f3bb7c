"""What is reported of stores measured side by side."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.performance.stores import StoreFigures
from benchmarks.performance.timing import shown_spread
from benchmarks.report import Table

__all__ = ["keys_of", "tables_of"]


def keys_of(figures: StoreFigures) -> dict[str, object]:
    return {
        "episode": {
            str(facts): {
                "accept_ms": one.accept_ms,
                "lease_ms": one.lease_ms,
                "apply_ms": one.apply_ms,
                "whole_ms": one.whole_ms,
                "apply_round_trips": one.apply_round_trips,
            }
            for facts, one in figures.episode.items()
        },
        "search": {
            label: {
                "facts": one.facts,
                "vector_ms": one.vector_ms,
                "text_ms": one.text_ms,
                "recall_at_20": one.recall,
                "recall_at_20_year_ago": one.recall_year_ago,
                "least_recall_of_a_group": one.least_recall,
            }
            for label, one in figures.search.items()
        },
        "load": {
            label: {"facts_per_s": one.facts_per_s, "vectors_per_s": one.vectors_per_s}
            for label, one in figures.loads.items()
        },
        "import_facts_per_s": figures.whole.import_facts_per_s,
        "whole_search": {
            "ms": figures.whole.search_ms,
            "store_calls": figures.whole.search_calls,
            "round_trips": figures.whole.search_round_trips,
            "rounds_in_a_row": figures.whole.search_rounds,
        },
        "hub_walk_ms": figures.hub_walk_ms,
        "bytes_per_fact": figures.bytes_per_fact,
    }


def tables_of(stores: Sequence[StoreFigures]) -> list[Table]:
    """One column a store."""
    heads = ("", *(one.name for one in stores), "goal on Neo4j")
    return [
        Table(title="One episode told to a group, ms (p50 / p95)", rows=(heads, *_episodes(stores))),
        Table(title="The best 20 facts of a group, ms (p50 / p95) and recall", rows=(heads, *_searches(stores))),
        Table(title="Loading, walking, disk", rows=(heads, *_others(stores))),
    ]


def _episodes(stores: Sequence[StoreFigures]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for facts in stores[0].episode:
        told = [one.episode[facts] for one in stores]
        rows += [
            (f"accept, {facts:,} facts", *(shown_spread(one.accept_ms) for one in told), ""),
            (f"lease, {facts:,} facts", *(shown_spread(one.lease_ms) for one in told), ""),
            (f"apply, {facts:,} facts", *(shown_spread(one.apply_ms) for one in told), "p50 <= 40"),
            (f"whole, {facts:,} facts", *(shown_spread(one.whole_ms) for one in told), ""),
            (f"round trips of apply, {facts:,} facts", *(_count(one.apply_round_trips) for one in told), "<= 3"),
        ]
    return rows


def _searches(stores: Sequence[StoreFigures]) -> list[tuple[str, ...]]:
    goals = {"1000": "p50 <= 15", "10000": "p50 <= 20", "100000": "p50 <= 50"}
    rows: list[tuple[str, ...]] = []
    for label in stores[0].search:
        found = [one.search[label] for one in stores]
        rows += [
            (f"by vector, {label}", *(shown_spread(one.vector_ms) for one in found), goals.get(label, "")),
            (f"by words, {label}", *(shown_spread(one.text_ms) for one in found), ""),
            (f"recall now, {label}", *(f"{one.recall:.3f}" for one in found), ">= 0.98"),
            (f"recall a year ago, {label}", *(f"{one.recall_year_ago:.3f}" for one in found), ">= 0.98"),
            (f"least recall of a group, {label}", *(f"{one.least_recall:.3f}" for one in found), ">= 0.98"),
        ]
    whole = [one.whole for one in stores]
    return [
        *rows,
        ("every lane, reranked", *(shown_spread(one.search_ms) for one in whole), ""),
        ("its round trips", *(_count(one.search_round_trips) for one in whole), ""),
        ("its round trips in a row", *(_count(one.search_rounds) for one in whole), "<= 3"),
    ]


def _others(stores: Sequence[StoreFigures]) -> list[tuple[str, ...]]:
    return [
        *(
            (f"batches, facts a second, {label}", *(f"{one.loads[label].facts_per_s:,.0f}" for one in stores), goal)
            for label, goal in zip(stores[0].loads, _load_goals(stores), strict=True)
        ),
        *(
            (f"vectors a second, {label}", *(f"{one.loads[label].vectors_per_s:,.0f}" for one in stores), "")
            for label in stores[0].loads
        ),
        ("import of episodes, facts a second", *(f"{one.whole.import_facts_per_s:,.0f}" for one in stores), ""),
        ("two hops through a hub, ms", *(shown_spread(one.hub_walk_ms) for one in stores), ""),
        ("bytes a fact", *(_bytes(one.bytes_per_fact) for one in stores), ""),
    ]


def _load_goals(stores: Sequence[StoreFigures]) -> list[str]:
    """The goal is for batches; a small group is one."""
    return [">= 1,000" if "groups" not in label else "" for label in stores[0].loads]


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def _bytes(number: float | None) -> str:
    return "not seen" if number is None else f"{number:,.0f}"
