"""`python -m tools.results_page [REPORTS_DIR]`: writes docs/results.md from the saved reports of benchmarks.

The words around the tables stand in tools/results_page.md. A report that is not there leaves a line that says so, with the
command that makes it. `--check` writes nothing and fails where the page is not what the reports say.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.result_tables import (
    ablation_tables,
    answer_tables,
    beam_tables,
    extraction_tables,
    locomo_tables,
    longmemeval_tables,
    model_reading_tables,
    peer_tables,
    performance_tables,
    rate_tables,
    side_by_side_tables,
    story_tables,
    timephrase_tables,
)
from tools.saved_reports import Report, load_report

__all__ = ["REPORTS", "main", "page_of"]

_ROOT = Path(__file__).resolve().parent.parent
_REPORTS = _ROOT / "benchmarks" / "results"
_PAGE = _ROOT / "docs" / "results.md"
_TEMPLATE = Path(__file__).with_suffix(".md")
_PLACE = re.compile(r"^\{\{(\w+)\}\}$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Section:
    """The tables of one report, and how the report is made."""

    file: str
    command: str
    tables: Callable[[Report], list[str]]


_STORIES = "python -m benchmarks.stories FOLDER/stories --block"
_STORIES_GOLD = "python -m benchmarks.stories FOLDER/stories --claims gold"
_STORIES_MODEL = "python -m benchmarks.stories FOLDER/stories --model http://127.0.0.1:8099/v1 --sample 40"
_QA = "python -m benchmarks.longmemeval longmemeval_s.json --mode qa --reader MODEL --judge MODEL --max-cost 20"
_REBUILT = "python -m benchmarks.longmemeval FOLDER/longmemeval_evidence.json --rebuilt FOLDER/longmemeval_s_mini.json"
_PHRASES = "python -m benchmarks.timephrases --ms FOLDER/ms_cases.jsonl --locomo FOLDER/locomo_cases.jsonl"
_SECTIONS = {
    "locomo": _Section(
        file="locomo.json", command="python -m benchmarks.locomo FOLDER/locomo10.json", tables=locomo_tables
    ),
    "ablation_locomo": _Section(
        file="ablation_locomo.json",
        command="python -m benchmarks.ablation locomo FOLDER/locomo10.json",
        tables=ablation_tables,
    ),
    "ablation_beam": _Section(
        file="ablation_beam.json",
        command="python -m benchmarks.ablation beam FOLDER/beam/100K",
        tables=ablation_tables,
    ),
    "longmemeval": _Section(file="longmemeval.json", command=_REBUILT, tables=longmemeval_tables),
    "beam": _Section(file="beam.json", command="python -m benchmarks.beam FOLDER/beam/100K", tables=beam_tables),
    "stories": _Section(file="stories.json", command=_STORIES, tables=story_tables),
    "stories_gold": _Section(file="stories_gold.json", command=_STORIES_GOLD, tables=story_tables),
    "rates": _Section(file="stories.json", command=_STORIES, tables=rate_tables),
    "stories_model": _Section(file="stories_model.json", command=_STORIES_MODEL, tables=model_reading_tables),
    "timephrases": _Section(file="timephrases.json", command=_PHRASES, tables=timephrase_tables),
    "longmemeval_qa": _Section(file="longmemeval_qa.json", command=_QA, tables=answer_tables),
    "peers": _Section(
        file="peers.json", command="python -m benchmarks.peers --python PEERS/bin/python", tables=peer_tables
    ),
    "performance": _Section(
        file="performance.json", command="python -m benchmarks.performance", tables=performance_tables
    ),
    "side_by_side": _Section(
        file="side_by_side.json",
        command="python -m benchmarks.performance --store sqlite,neo4j",
        tables=side_by_side_tables,
    ),
    "small_groups": _Section(
        file="small_groups.json",
        command="python -m benchmarks.performance --store neo4j --neo4j URL --facts 1000 --uneven-groups 2 --imported 1000"
        " --hub 1000 --small-groups 10000",
        tables=side_by_side_tables,
    ),
    "extraction": _Section(file="extraction.json", command="python -m benchmarks.extraction", tables=extraction_tables),
}

REPORTS = tuple(dict.fromkeys(section.file for section in _SECTIONS.values()))
"""The names of the files the page is made of."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.results_page", description=__doc__)
    parser.add_argument("reports", type=Path, nargs="?", default=_REPORTS, metavar="REPORTS_DIR")
    parser.add_argument(
        "--page", type=Path, default=_PAGE, metavar="FILE", help="where the page goes (docs/results.md)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is out of date")
    arguments = parser.parse_args(argv)
    try:
        page = page_of(arguments.reports)
    except ValueError as error:
        parser.error(str(error))
    if not arguments.check:
        arguments.page.write_text(page, encoding="utf-8")
        return 0
    if arguments.page.read_text(encoding="utf-8") != page:
        print(f"{arguments.page} is not what the reports say: python -m tools.results_page")
        return 1
    return 0


def page_of(reports: Path) -> str:
    """The page as the reports of this folder make it. Raises ValueError for a file that holds no report."""
    template = _TEMPLATE.read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: _filled(_SECTIONS[found[1]], reports), template)


def _filled(section: _Section, reports: Path) -> str:
    report = load_report(reports / section.file)
    if report is None:
        return f"Not measured: there is no report of `{section.command} --json benchmarks/results/{section.file}`."
    tables = [table for table in section.tables(report) if table]
    return "\n\n".join([*tables, _source(section, report)]) if tables else "Not in the saved report."


def _source(section: _Section, report: Report) -> str:
    limit = report.number("arguments", "limit")
    command = section.command + (f" --limit {limit:.0f}" if limit is not None else "")
    machine = report.part("machine")
    return (
        f"`{command}`: commit {report.text('commit')}, {report.text('created_at')[:10]},"
        f" {machine.number('cores') or 0:.0f} cores, {machine.number('memory_gb') or 0:.0f} GB,"
        f" Python {machine.text('python')}."
    )


if __name__ == "__main__":
    sys.exit(main())
