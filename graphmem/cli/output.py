"""What a command prints: one report, as a table for people or as data for programs.

The JSON shape is versioned: {"version": 1, "kind": …, fields of the kind, "rows": […]}. Fields may be added; none changes its
meaning without a new version.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TextIO, TypeAlias

__all__ = ["SHAPE_VERSION", "Cell", "Format", "Report", "Row", "error_json", "print_report", "rendered", "visible"]

SHAPE_VERSION = 1

Cell: TypeAlias = bool | int | float | str | Sequence["Cell"] | Mapping[str, "Cell"] | None
Row: TypeAlias = Mapping[str, Cell]

# C0 and C1 controls but newline and tab; marks that reorder or hide text (bidi, zero width, line and paragraph separator, BOM)
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


class Format(StrEnum):
    """How a report is printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MD = "md"


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One answer of a command."""

    kind: str
    rows: Sequence[Row] = ()
    """Everything, for programs; jsonl and csv hold nothing else."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """What tables show: the key of a row and the heading of its column."""
    fields: Mapping[str, Cell] = field(default_factory=dict)
    """Beside the rows, for JSON."""
    text: str = ""
    """For people, above the table."""
    footer: str = ""
    """For people, below the table: the scope that was read, what to do next."""


def visible(text: str) -> str:
    r"""The text with nothing in it that a terminal would obey: controls and bidi marks become `\x1b` and the like.

    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return _UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def print_report(report: Report, form: Format, *, out: TextIO | None = None) -> None:
    """Print a report on stdout."""
    out = out or sys.stdout
    if form is Format.TABLE and out.isatty() and report.columns:
        _print_rich(report, out)
    else:
        out.write(rendered(report, form))
    out.flush()


def rendered(report: Report, form: Format) -> str:
    """A report as text, with a newline at its end."""
    render = {
        Format.TABLE: _plain,
        Format.JSON: _json,
        Format.JSONL: _jsonl,
        Format.CSV: _csv,
        Format.MD: _markdown,
    }[form]
    return render(report)


def error_json(name: str, message: str, exit_code: int) -> str:
    """An error as data, on one line."""
    return _dumped({"version": SHAPE_VERSION, "kind": "error", "error": name, "message": message, "exit": exit_code})


def _json(report: Report) -> str:
    whole = {"version": SHAPE_VERSION, "kind": report.kind, **report.fields, "rows": list(report.rows)}
    return _dumped(whole, indent=2) + "\n"


def _jsonl(report: Report) -> str:
    return "".join(_dumped({"version": SHAPE_VERSION, "kind": report.kind, **row}) + "\n" for row in _data_rows(report))


def _data_rows(report: Report) -> Sequence[Row]:
    """The rows; of a report that has none by its kind, its fields as one row."""
    return report.rows or ([report.fields] if report.fields and not report.columns else [])


def _dumped(value: Cell, indent: int | None = None) -> str:
    r"""JSON in which what a terminal would obey is written as \uXXXX; the data stays the same."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _csv(report: Report) -> str:
    rows = _data_rows(report)
    keys = list(dict.fromkeys(key for row in rows for key in row)) or list(report.columns)
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(keys)
    table.writerows([_flat(row.get(key)) for key in keys] for row in rows)
    return visible(written.getvalue())


def _flat(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Sequence):
        return ";".join(map(_flat, cell))
    return _dumped(cell) if isinstance(cell, Mapping) else str(cell)


def _shown(report: Report) -> tuple[list[str], list[list[str]]]:
    headings = list(report.columns.values())
    if not headings:
        return [], []
    lines = [[visible(_flat(row.get(key))).replace("\n", " ") for key in report.columns] for row in report.rows]
    return headings, lines


def _plain(report: Report) -> str:
    parts = [visible(report.text)] if report.text else []
    headings, lines = _shown(report)
    if lines:
        widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
        parts += [_aligned(line, widths) for line in (headings, *lines)]
    if report.footer:
        parts.append(visible(report.footer))
    return "\n".join(parts) + "\n" if parts else ""


def _aligned(line: Iterable[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _markdown(report: Report) -> str:
    headings, lines = _shown(report)
    parts = [visible(report.text)] if report.text else []
    if lines:
        rows = (headings, ["---"] * len(headings), *([cell.replace("|", "\\|") for cell in line] for line in lines))
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    if report.footer:
        parts.append(visible(report.footer))
    return "\n\n".join(parts) + "\n" if parts else ""


def _print_rich(report: Report, out: TextIO) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=out, highlight=False, markup=False, emoji=False)
    if report.text:
        console.print(Text(visible(report.text)))
    headings, lines = _shown(report)
    if lines:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for line in lines:
            table.add_row(*(Text(cell) for cell in line))
        console.print(table)
    if report.footer:
        console.print(Text(visible(report.footer), style="dim"))
