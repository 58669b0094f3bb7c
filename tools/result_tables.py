"""Tables of the results page, each from one saved report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tools.saved_reports import Report

__all__ = [
    "ablation_tables",
    "answer_tables",
    "beam_tables",
    "extraction_tables",
    "locomo_tables",
    "longmemeval_tables",
    "model_reading_tables",
    "peer_tables",
    "performance_tables",
    "rate_tables",
    "side_by_side_tables",
    "story_tables",
    "timephrase_tables",
]

_SETS = {"development": "development", "held_out": "held out"}
_CUTS = ("at_5", "at_10", "at_20")
_CATEGORIES = {"1": "1 multi-hop", "2": "2 temporal", "3": "3 open-domain", "4": "4 single-hop"}
_RATES = {
    "duplicate": "duplicate",
    "contradictory": "contradictory",
    "wrong_speaker": "wrong speaker",
    "invented": "invented",
    "stale": "stale",
    "must_not": "trap taken",
}
_DASH = "–"

Row = Sequence[str]


def locomo_tables(report: Report) -> list[str]:
    """Recipes side by side, development and held out; categories of the default recipe; latency."""
    categories = [
        (name, *_of_sets(report.part("recipes", "full", "by_category", key))) for key, name in _CATEGORIES.items()
    ]
    return [
        _recipe_table(report),
        _table(("category, `full`", *_set_columns()), categories),
        _latency_table(report),
    ]


def beam_tables(report: Report) -> list[str]:
    """Recipes side by side, then whether the new value of what changed stands above the old one."""
    renewed = [
        (f"`{recipe}`", *(_score(part.part(name), "right") for name in _SETS))
        for recipe, part in report.part("new_over_old", "by_recipe").parts()
    ]
    kinds = [
        (kind.replace("_", " "), *(_figure(part.number(cut)) for cut in _CUTS))
        for kind, part in report.part("recipes", "full", "by_type").parts()
    ]
    return [
        _recipe_table(report),
        _table(("new value above the old", *_SETS.values()), renewed),
        _table(("kind, `full`", "@5", "@10", "@20"), kinds),
        _latency_table(report),
    ]


def longmemeval_tables(report: Report) -> list[str]:
    """All evidence among the first k, over turns and sessions; then the other measures of the default recipe."""
    cuts = ("at_5", "at_10")
    tables = []
    for unit in ("turn", "session"):
        rows = [
            (
                f"`{recipe}`",
                *(_figure(part.number(unit, "recall_all", name, cut)) for name in _SETS for cut in cuts),
                *(_figure(part.number(unit, "recall_all", cut)) for cut in cuts),
                _interval(report.part("intervals", recipe, unit, "all"), "at_5"),
            )
            for recipe, part in report.part("recipes").parts()
        ]
        heads = [f"{name} @{cut[3:]}" for name in (*_SETS.values(), "all") for cut in cuts]
        tables.append(_table((f"{unit}s, all of the evidence", *heads, "all @5, interval"), rows))
    full = report.part("recipes", "full")
    measures = [
        (f"{unit}s: {measure.replace('_', ' ')}", *(_figure(full.number(unit, measure, cut)) for cut in cuts))
        for unit in ("turn", "session")
        for measure in ("recall_any", "recall_all", "fraction", "ndcg")
    ]
    kinds = [
        (
            kind,
            *(_figure(part.number(cut)) for cut in cuts),
            _figure(full.number("turn", "recall_all", "by_type", kind, "at_5")),
        )
        for kind, part in full.part("session", "recall_all", "by_type").parts()
    ]
    return [
        *tables,
        _table(("`full`", "@5", "@10"), measures),
        _table(("kind, `full`, recall all", "sessions @5", "sessions @10", "turns @5"), kinds),
        _latency_table(report),
    ]


def ablation_tables(report: Report) -> list[str]:
    """The recipe whole, and without one lever each: shares of the evidence found."""
    levers = list(report.part("levers").parts())
    has_updates = any("new_over_old" in part.keys for _, part in levers)
    rows = [
        (name, *_of_sets(part.part("fraction")), *([_figure(part.number("new_over_old"))] if has_updates else []))
        for name, part in levers
    ]
    return [_table(("", *_set_columns(), *(["new over old"] if has_updates else [])), rows)]


def story_tables(report: Report) -> list[str]:
    """Questions right by difficulty, and what was read of the claims."""
    rows = [
        (name, _score(part, "right"), _score(report.part("block", name), "held"))
        for name, part in report.part("by_difficulty").parts()
    ]
    rows.append(("all", _score(report, "right"), ""))
    claims = report.part("claims")
    read = [
        ("with their dates", _percent(claims.number("precision")), _percent(claims.number("recall"))),
        (
            "dates left aside",
            _percent(claims.number("undated", "precision")),
            _percent(claims.number("undated", "recall")),
        ),
    ]
    title = f"claims ({_count(claims.number('emitted'))} made, {_count(claims.number('gold'))} gold)"
    return [
        _table(("questions", "answered right", "the fact block holds the answer"), rows),
        _table((title, "precision", "recall"), read) if claims.keys else "",
    ]


def rate_tables(report: Report) -> list[str]:
    """Mistakes as a share of the facts."""
    rates = report.part("rates")
    rows = [(name, _percent(rates.number(key))) for key, name in _RATES.items() if key in rates.keys]
    return [_table(("mistake", "share of the facts"), rows)] if rows else []


def model_reading_tables(report: Report) -> list[str]:
    """A language model beside the offline rules on the same stories."""
    model, rules = report.part("model"), report.part("rules")
    difficulties = [name for name, _ in report.part("by_difficulty").parts()]
    rows = [
        (f"{name} questions right", *(_score(part.part("by_difficulty", name), "right") for part in (report, rules)))
        for name in difficulties
    ]
    rows += [
        ("all questions right", _score(report, "right"), _score(rules, "right")),
        *(
            (f"claims: {key}", *(_percent(part.number("claims", key)) for part in (report, rules)))
            for key in ("precision", "recall")
        ),
        *(
            (f"facts {name}", *(_percent(part.number("rates", key)) for part in (report, rules)))
            for key, name in _RATES.items()
        ),
        ("messages with a usable answer", _score(model, "read", of="episodes"), "all"),
        ("calls", _count(model.number("calls")), "0"),
        ("prompt tokens", _count(model.number("prompt_tokens")), "0"),
        ("output tokens", _count(model.number("output_tokens")), "0"),
        ("seconds", _count(model.number("seconds")), _figure(rules.number("seconds"))),
    ]
    return [_table(("", "model", "offline rules"), rows)]


def timephrase_tables(report: Report) -> list[str]:
    """Time expressions read right."""
    rows = [
        ("Microsoft Recognizers-Text", _score(report.part("ms"), "right", of="cases")),
        ("LoCoMo, development", _score(report.part("locomo", "development"), "right", of="cases")),
        ("LoCoMo, held out", _score(report.part("locomo", "held_out"), "right", of="cases")),
    ]
    return [_table(("time expressions", "read right"), rows)]


def answer_tables(report: Report) -> list[str]:
    """Accuracy by kind and abstention, and what it cost."""
    accuracy = report.part("accuracy")
    rows = [(kind, _score(part, "right")) for kind, part in accuracy.part("by_type").parts()]
    interval = report.texts("accuracy", "all", "interval")
    total = _score(accuracy.part("all"), "right") + (f" [{interval[0]}, {interval[1]}]" if len(interval) == 2 else "")
    rows += [("of them abstention", _score(accuracy.part("abstention"), "right")), ("all", total)]
    who = [
        (
            name,
            report.text(name, "name"),
            ", ".join(report.texts(name, "answered_by")),
            _count(report.number("tokens", name, "prompt")),
            _count(report.number("tokens", name, "output")),
        )
        for name in ("reader", "judge")
    ]
    return [
        _table(("kind", "right"), rows),
        _table(("", "asked for", "answered by", "prompt tokens", "output tokens"), who),
        f"Cost ${report.number('cost_usd') or 0:.2f}; tokens of a block, median {_count(report.number('context_tokens_p50'))};"
        f" prompts {report.text('prompts')}.",
    ]


def peer_tables(report: Report) -> list[str]:
    """Every system on the same facts."""
    rows = [
        (
            f"{name} {part.text('version')}".strip(),
            _figure(part.number("ingest_s")),
            _figure(part.number("search_ms", "p50"), places=2),
            _count(part.number("calls")),
            _count(part.number("prompt_tokens")),
            _score(part.part("as_of"), "right"),
            _score(part.part("current"), "right"),
            part.text("note") or part.text("skipped"),
        )
        for name, part in report.part("systems").parts()
    ]
    columns = (
        "system",
        "ingest, s",
        "search p50, ms",
        "calls",
        "prompt tokens",
        "as of a day, right",
        "now, right",
        "note",
    )
    return [f"{_count(report.number('facts'))} facts.", _table(columns, rows)]


def performance_tables(report: Report) -> list[str]:
    """The embedded store: one episode, one search and one point read."""
    store = report.part("sqlite")
    rows = [
        (
            f"{int(size):,}",
            _spread(part.part("episode", "whole_ms")),
            _count(part.number("import_facts_per_s")),
            _count(part.number("bytes_per_fact")),
        )
        for size, part in store.part("by_size").parts()
    ]
    searches = [(f"{int(size):,}", _spread(part)) for size, part in store.part("search_ms").parts()]
    turns = store.part("turns")
    others = [
        ("one read at a moment, ms", _spread(store.part("point_read_ms"))),
        ("search of 600 turns, query embedded before, ms", _spread(turns.part("search_ms"))),
        ("search of 600 turns, query embedded, ms", _spread(turns.part("whole_ms"))),
        ("token vectors of a turn, bytes", _count(turns.number("token_bytes_per_turn"))),
    ]
    return [
        _table(("facts in the store", "one episode, ms (p50 / p95)", "import, facts/s", "bytes a fact"), rows),
        _table(("facts searched, every lane", "ms (p50 / p95)"), searches),
        _table(("", "p50 / p95"), [row for row in others if row[1] != _DASH]),
    ]


def side_by_side_tables(report: Report) -> list[str]:
    """A file and a server under the same work: telling, finding, loading."""
    stores = dict(report.part("side_by_side").parts())
    told = [
        (f"{what}, {int(facts):,} facts", *(_spread(part.part("episode", facts, key)) for part in stores.values()))
        for facts in _names(stores, "episode")
        for what, key in _OF_AN_EPISODE.items()
    ]
    found = [
        (f"{what}, {_amount(place)}", *(_spread(part.part("search", place, key)) for part in stores.values()))
        for place in _names(stores, "search")
        for what, key in _OF_A_SEARCH.items()
    ]
    recalled = [
        (_amount(place), *(_figure(part.number("search", place, key), places=3) for key in _RECALLS.values()))
        for part in [stores.get("neo4j", Report(keys={}))]
        for place in _names(stores, "search")
    ]
    others = [
        ("every lane, reranked, ms", *(_spread(part.part("whole_search", "ms")) for part in stores.values())),
        ("two hops through a hub, ms", *(_spread(part.part("hub_walk_ms")) for part in stores.values())),
        ("import of episodes, facts/s", *(_count(part.number("import_facts_per_s")) for part in stores.values())),
        *(
            (
                f"{_amount(place)} in batches, facts/s",
                *(_count(p.number("load", place, "facts_per_s")) for p in stores.values()),
            )
            for place in _names(stores, "load")
        ),
        ("bytes a fact", *(_count(part.number("bytes_per_fact")) for part in stores.values())),
    ]
    return [
        _table(("one episode, ms (p50 / p95)", *stores), told),
        _table(("the best 20 facts of a group, ms (p50 / p95)", *stores), found),
        _table(("recall@20 by vector on Neo4j, against every vector", *_RECALLS), recalled),
        _table(("", *stores), others),
    ]


_OF_AN_EPISODE = {"accept": "accept_ms", "apply": "apply_ms", "all of it": "whole_ms"}
_OF_A_SEARCH = {"by vector": "vector_ms", "by words": "text_ms"}
_RECALLS = {
    "now": "recall_at_20",
    "a year ago": "recall_at_20_year_ago",
    "the least of a group": "least_recall_of_a_group",
}


def _names(stores: Mapping[str, Report], key: str) -> list[str]:
    """What was measured in any of the stores under this key, in their order."""
    return list(dict.fromkeys(name for part in stores.values() for name, _ in part.part(key).parts()))


def _amount(place: str) -> str:
    return f"{int(place):,} facts" if place.isdigit() else place


def extraction_tables(report: Report) -> list[str]:
    """What reading one message asks of a model."""
    messages = report.keys.get("messages")
    parts = [Report(keys=one) for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    rows = [
        (
            part.text("message"),
            *(_count(part.number(name)) for name in ("episode", "calls", "prompt_tokens", "context_tokens", "facts")),
        )
        for part in parts
    ]
    return [_table(("message", "episode of its group", "calls", "prompt tokens", "of them context", "facts"), rows)]


# ---- cells and tables


def _recipe_table(report: Report) -> str:
    rows = [
        (f"`{recipe}`", *_of_sets(part), _interval(report.part("intervals", recipe, "held_out"), "at_10"))
        for recipe, part in report.part("recipes").parts()
    ]
    return _table(("recipe", *_set_columns(), "held out @10, interval"), rows)


def _set_columns() -> list[str]:
    return [f"{name} @{cut[3:]}" for name in _SETS.values() for cut in _CUTS]


def _of_sets(part: Report) -> list[str]:
    return [_figure(part.number(name, cut)) for name in _SETS for cut in _CUTS]


def _latency_table(report: Report) -> str:
    rows = [(f"`{recipe}`", _spread(part)) for recipe, part in report.part("latency_ms", "by_recipe").parts()]
    note = f"\n\nTokens of what `full` found, median: {_count(report.number('context_tokens_p50'))}."
    return _table(("recipe", "one search, ms (p50 / p95)"), rows) + note


def _interval(part: Report, cut: str) -> str:
    ends = part.texts(cut)
    return f"[{float(ends[0]):.1f}, {float(ends[1]):.1f}]" if len(ends) == 2 else _DASH


def _score(part: Report, key: str, *, of: str = "questions") -> str:
    right, questions = part.number(key), part.number(of)
    if right is None or not questions:
        return _DASH
    return f"{right:.0f} of {questions:.0f} ({100 * right / questions:.1f} %)"


def _spread(part: Report) -> str:
    middle, high = part.number("p50"), part.number("p95")
    return _DASH if middle is None or high is None else f"{middle:.1f} / {high:.1f}"


def _figure(number: float | None, *, places: int = 1) -> str:
    return _DASH if number is None else f"{number:.{places}f}"


def _percent(share: float | None) -> str:
    return _DASH if share is None else f"{100 * share:.1f} %"


def _count(number: float | None) -> str:
    return _DASH if number is None else f"{number:,.0f}"


def _table(head: Row, rows: Sequence[Row]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
