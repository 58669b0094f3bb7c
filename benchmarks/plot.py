"""Plots of reports: lines on two logarithmic axes, as an SVG of a few lines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["Line", "line_plot", "write_plot"]

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 150, 50, 50
_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf")
_GOAL = "#888888"


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """Points of one name, in the order in which they are joined; both numbers of each above zero."""

    name: str
    points: tuple[tuple[float, float], ...]
    is_goal: bool = False
    """Drawn dashed and grey."""


def line_plot(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """The lines as an SVG document; `across` and `up` name the axes."""
    points = [point for line in lines for point in line.points]
    columns, rows = _decades(x for x, _ in points), _decades(y for _, y in points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_LEFT, 24, title, size=15),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, across, anchor="middle"),
        _text(_LEFT, 42, up),
    ]
    for decade in columns:
        x = _place(10.0**decade, columns, _LEFT, _WIDTH - _RIGHT)
        parts += [_stroke(x, _TOP, x, _HEIGHT - _BOTTOM), _text(x, _HEIGHT - 32, _number(decade), anchor="middle")]
    for decade in rows:
        y = _place(10.0**decade, rows, _HEIGHT - _BOTTOM, _TOP)
        parts += [_stroke(_LEFT, y, _WIDTH - _RIGHT, y), _text(_LEFT - 8, y + 4, _number(decade), anchor="end")]
    colours = iter(_COLOURS * len(lines))
    for line in lines:
        placed = [
            (_place(x, columns, _LEFT, _WIDTH - _RIGHT), _place(y, rows, _HEIGHT - _BOTTOM, _TOP))
            for x, y in line.points
        ]
        parts += _drawn(line, placed, _GOAL if line.is_goal else next(colours))
    return "\n".join([*parts, "</svg>", ""])


def write_plot(path: Path, title: str, across: str, up: str, lines: Mapping[str, Mapping[float, float]]) -> None:
    """Write the lines (name: value by size) as SVG; names that begin with "goal" are drawn as goals."""
    drawn = [
        Line(name=name, points=tuple(sorted(points.items())), is_goal=name.startswith("goal"))
        for name, points in lines.items()
        if points
    ]
    path.write_text(line_plot(title, across, up, drawn), encoding="utf-8")


def _decades(values: Iterable[float]) -> range:
    logs = [math.log10(value) for value in values] or [0.0]
    low = math.floor(min(logs))
    return range(low, max(math.ceil(max(logs)), low + 1) + 1)


def _place(value: float, decades: range, first: float, last: float) -> float:
    share = (math.log10(value) - decades[0]) / (decades[-1] - decades[0])
    return round(first + share * (last - first), 1)


def _drawn(line: Line, placed: Sequence[tuple[float, float]], colour: str) -> list[str]:
    path = " ".join(f"{x},{y}" for x, y in placed)
    dashes = ' stroke-dasharray="5 4"' if line.is_goal else ""
    x, y = placed[-1]
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>',
        *(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in placed if not line.is_goal),
        _text(x + 8, y + 4, line.name, colour=colour),
    ]


def _stroke(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="#dddddd"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, colour: str = "black") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'


def _number(decade: int) -> str:
    return f"{10**decade:,}" if decade >= 0 else f"{10.0**decade:g}"
