"""Every row of the fault, ingestion, tenant, poison and privacy tables is run by a test that names it."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import tests.faults
from tests.cases.table import covered, rows_of

for module in pkgutil.iter_modules(tests.faults.__path__):
    importlib.import_module(f"tests.faults.{module.name}")
for name in ("tests.test_tenants", "tests.cases.test_poison", "tests.test_privacy", "tests.ingest.test_embed"):
    importlib.import_module(name)

TABLES = ("faults", "ingestion", "tenants", "poison", "privacy")


@pytest.mark.parametrize("row", [row for table in TABLES for row in rows_of(table)], ids=lambda row: str(row["id"]))
def test_a_row_is_run_by_a_test(row: dict[str, object]) -> None:
    assert covered.get(str(row["id"])), f"no test is marked with {row['id']}"


def test_every_marked_row_is_in_a_table() -> None:
    known = {str(row["id"]) for table in TABLES for row in rows_of(table)}
    assert set(covered) <= known
