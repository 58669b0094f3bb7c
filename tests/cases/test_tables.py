"""Every row of the fault and ingestion tables is run by a test that names it."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import tests.faults
from tests.cases.table import covered, rows_of

for module in pkgutil.iter_modules(tests.faults.__path__):
    importlib.import_module(f"tests.faults.{module.name}")


@pytest.mark.parametrize("row", [*rows_of("faults"), *rows_of("ingestion")], ids=lambda row: str(row["id"]))
def test_a_row_is_run_by_a_test(row: dict[str, object]) -> None:
    assert covered.get(str(row["id"])), f"no test is marked with {row['id']}"


def test_every_marked_row_is_in_a_table() -> None:
    known = {str(row["id"]) for table in ("faults", "ingestion") for row in rows_of(table)}
    assert set(covered) <= known
