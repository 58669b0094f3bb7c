"""What is printed, in each format."""

from __future__ import annotations

import csv
import io
import json

import pytest

from graphmem.cli.output import Format, Report, print_report, rendered, visible
from tests.cli.calls import Graphmem

HOSTILE = "Al\x1b[31mice\x07 \u202egnp.exe\u2066 [bold]x[/bold]\x9b2J"
REPORT = Report(
    kind="facts",
    columns={"text": "fact", "count": "n"},
    rows=[{"text": HOSTILE, "count": 1, "tags": ["a", "b"]}, {"text": "b|c", "count": None, "tags": []}],
    fields={"scope": "valid now, as known now"},
    footer="valid now, as known now",
)
ESCAPES = ("\x1b", "\x07", "\u202e", "\u2066", "\x9b")


@pytest.mark.parametrize("form", Format)
def test_nothing_that_a_terminal_would_obey_is_printed(form: Format) -> None:
    text = rendered(REPORT, form)
    assert not any(mark in text for mark in ESCAPES)
    assert "[bold]x[/bold]" in text


def test_json_keeps_hostile_text_as_data() -> None:
    assert json.loads(rendered(REPORT, Format.JSON))["rows"][0]["text"] == HOSTILE


def test_json_has_a_version_a_kind_and_rows() -> None:
    whole = json.loads(rendered(REPORT, Format.JSON))
    assert (whole["version"], whole["kind"], whole["scope"]) == (1, "facts", "valid now, as known now")
    assert whole["rows"][1] == {"text": "b|c", "count": None, "tags": []}


def test_jsonl_has_one_row_a_line() -> None:
    lines = rendered(REPORT, Format.JSONL).splitlines()
    assert [json.loads(line)["count"] for line in lines] == [1, None]


def test_csv_has_every_key_as_a_column() -> None:
    table = list(csv.reader(io.StringIO(rendered(REPORT, Format.CSV))))
    assert table[0] == ["text", "count", "tags"]
    assert table[1][1:] == ["1", "a;b"]


def test_a_report_without_rows_by_its_kind_has_its_fields_as_its_one_row() -> None:
    report = Report(kind="merge", text="Done.", fields={"merge_id": "m1", "kept": "e1"})
    assert rendered(report, Format.CSV) == "merge_id,kept\nm1,e1\n"
    assert json.loads(rendered(report, Format.JSONL))["merge_id"] == "m1"


def test_markdown_cells_keep_their_bars_to_themselves() -> None:
    assert "| b\\|c |  |" in rendered(REPORT, Format.MD)


def test_a_table_is_aligned_and_ends_with_its_scope() -> None:
    plain = Report(kind="x", columns={"a": "name", "b": "n"}, rows=[{"a": "long one", "b": 1}], footer="valid now")
    assert rendered(plain, Format.TABLE) == "name      n\nlong one  1\nvalid now\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_too_text_is_only_text() -> None:
    terminal = Terminal()
    print_report(REPORT, Format.TABLE, out=terminal)
    shown = terminal.getvalue()
    assert "[bold]x[/bold]" in shown.replace("\n", "")
    assert "\\x1b[31mice" in shown
    assert not any(mark in shown for mark in ("\x1b[31m", "\x07", "\u202e", "\x9b"))


def test_visible_leaves_ordinary_text_alone() -> None:
    assert visible("Zoë\n\tü 東京 ✓") == "Zoë\n\tü 東京 ✓"


def test_hostile_names_reach_the_terminal_as_visible_marks(graphmem: Graphmem) -> None:
    told = graphmem('add - --speaker "Al\x1b[31mice" --said-at 2025-02-10', stdin=b"I work at Ac\x1b[2Jme.")
    assert told.code == 0
    shown = [graphmem("search acme me work"), graphmem("facts --possible"), graphmem("-v jobs list --state done")]
    assert not any("\x1b" in called.out + called.err for called in (told, *shown))


def test_facts_have_the_same_rows_in_every_format(told: Graphmem) -> None:
    whole = json.loads(told("facts --at 2026-04-10 --json").out)
    lines = [json.loads(line) for line in told("facts --at 2026-04-10 --format jsonl").out.splitlines()]
    table = list(csv.DictReader(io.StringIO(told("facts --at 2026-04-10 --format csv").out)))
    assert whole["scope"] == "valid on 10 April 2026, as known now"
    assert [row["text"] for row in whole["rows"]] == ["Alice works at Acme"]
    assert [row["fact_id"] for row in lines] == [row["fact_id"] for row in table] == [whole["rows"][0]["fact_id"]]


def test_the_shape_of_a_fact_is_stable(told: Graphmem) -> None:
    (row,) = json.loads(told("facts --at 2026-04-10 --json").out)["rows"]
    promised = (
        "text subject relation object valid_at invalid_at start end created_at expired_at last_confirmed_at is_certain"
        " is_trusted group_id fact_id version_id episode_ids"
    )
    assert set(promised.split()) <= set(row)
    assert (row["valid_at"], row["invalid_at"]) == ("2025-02-10T00:00:00Z", "2026-05-01T00:00:00Z")
    assert (row["expired_at"], row["last_confirmed_at"]) == (None, "2025-02-10T00:00:00Z")
