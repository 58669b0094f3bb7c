"""Case tables: rows copied from the project's case collections, and which test runs which row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

_FOLDER = Path(__file__).parent
_Test = TypeVar("_Test", bound=Callable[..., object])

covered: dict[str, list[str]] = {}
"""Test names by case id, of every module imported so far."""


def rows_of(name: str) -> list[dict[str, object]]:
    """The rows of a table of this folder."""
    lines = (_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def case(*ids: str) -> Callable[[_Test], _Test]:
    """Marks a test as the one that runs these rows."""

    def mark(test: _Test) -> _Test:
        for case_id in ids:
            covered.setdefault(case_id, []).append(test.__name__)
        return test

    return mark
