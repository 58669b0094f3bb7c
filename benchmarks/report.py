"""Reports of benchmarks: what every one of them says of its run, its tables on the screen, and the files it writes."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["Table", "add_common_flags", "add_store_flags", "report_of", "share", "write_report"]

_ROOT = Path(__file__).resolve().parent.parent
_GB = 1024**3
_OUTPUTS = ("json", "markdown", "plot")


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A heading and rows of cells; the first row names the columns."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def add_common_flags(parser: argparse.ArgumentParser) -> None:
    """The flags every benchmark has: --json, --markdown, --limit, --wrong."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report here as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables here as Markdown")
    parser.add_argument("--limit", type=_positive, metavar="N", help="only the first N of the set, for a quick look")
    parser.add_argument("--wrong", action="store_true", help="print one line for each wrong item")


def add_store_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of benchmarks that fill a memory: --store, --embedder."""
    parser.add_argument("--store", metavar="URL", help="store to use (default: a temporary SQLite file)")
    parser.add_argument(
        "--embedder", metavar="NAME|PATH|none", help="embedder (default: `local` if installed, else none)"
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(f"{text} is not positive")
    return number


def report_of(name: str, arguments: argparse.Namespace, keys: Mapping[str, object]) -> dict[str, object]:
    """The report: what ran, where and when, beside the benchmark's own keys."""
    return {
        "benchmark": name,
        "version": _version(),
        "commit": _commit(),
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "memory_gb": _memory_gb(), "python": platform.python_version()},
        "arguments": {key: _plain(value) for key, value in sorted(vars(arguments).items()) if key not in _OUTPUTS},
        **keys,
    }


def write_report(
    name: str, arguments: argparse.Namespace, keys: Mapping[str, object], tables: Sequence[Table] = ()
) -> None:
    """Prints the tables, and writes the files that --json and --markdown name."""
    report = report_of(name, arguments, keys)
    for table in tables:
        print(_as_text(table))
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if arguments.markdown:
        arguments.markdown.write_text(_as_page(report, tables), encoding="utf-8")


def share(part: int, whole: int) -> str:
    """A share in percent, for a table; a dash of nothing.

    >>> share(1, 8), share(0, 0)
    ('12.5 %', '-')
    """
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _version() -> str:
    try:
        return version("graphmem")
    except PackageNotFoundError:
        return "uninstalled"


def _commit() -> str:
    """The commit the benchmark runs from, with a plus if files were changed since; "unknown" outside a checkout."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(_ROOT), *arguments], capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.strip()


def _memory_gb() -> float | None:
    """The machine's memory; None where the system does not tell."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GB, 1)
    except (AttributeError, OSError, ValueError):
        return None


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return value.name  # where it lies on this machine is nobody's business
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _as_text(table: Table) -> str:
    widths = [max(len(row[column]) for row in table.rows) for column in range(len(table.rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table.rows
    ]
    return "\n".join(["", table.title, *lines])


def _as_page(report: Mapping[str, object], tables: Sequence[Table]) -> str:
    """The tables as a page, headed by what ran."""
    lines = [
        f"# {report['benchmark']}",
        "",
        f"graphmem {report['version']}, commit {report['commit']}, {report['created_at']}",
    ]
    for table in tables:
        head, *rows = table.rows
        lines += ["", f"## {table.title}", "", _row(head), _row(tuple("---" for _ in head)), *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
