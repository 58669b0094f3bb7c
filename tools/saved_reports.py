"""Reports of benchmarks as they were saved: looked up by path, nothing taken for granted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Report", "load_report"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A report, or a part of one. What is not there is empty or None, for reports of older runs lack keys."""

    keys: Mapping[str, object]

    def part(self, *path: str) -> Report:
        """What stands under this path; empty where nothing does."""
        found = self._at(path)
        return Report(keys=found if isinstance(found, dict) else {})

    def parts(self) -> Iterator[tuple[str, Report]]:
        """The parts under their names, in the order of the report."""
        return ((name, self.part(name)) for name, value in self.keys.items() if isinstance(value, dict))

    def number(self, *path: str) -> float | None:
        found = self._at(path)
        return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None

    def text(self, *path: str) -> str:
        found = self._at(path)
        return found if isinstance(found, str) else ""

    def texts(self, *path: str) -> list[str]:
        found = self._at(path)
        return [str(item) for item in found] if isinstance(found, list) else []

    def _at(self, path: tuple[str, ...]) -> object:
        found: object = self.keys
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return found


def load_report(path: Path) -> Report | None:
    """The report of a file; None where there is no such file. Raises ValueError for a file that holds no report."""
    try:
        keys = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path} is no report: {error}") from error
    if not isinstance(keys, dict) or "benchmark" not in keys:
        raise ValueError(f"{path} is no report of a benchmark")
    return Report(keys=keys)
