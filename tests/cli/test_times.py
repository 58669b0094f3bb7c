"""Dates as they are typed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from graphmem.cli.times import local_zone, read_length, read_moment, utc_text
from graphmem.errors import InvalidTime
from tests.cli.calls import Graphmem

LISBON = ZoneInfo("Europe/Lisbon")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026", "2026-01-01T00:00:00+00:00"),
        ("2026-07", "2026-07-01T00:00:00+01:00"),
        ("2026-07-10", "2026-07-10T00:00:00+01:00"),
        (" 2026-07-10 14:30 ", "2026-07-10T14:30:00+01:00"),
        ("2026-07-10T14:30:05.25", "2026-07-10T14:30:05.250000+01:00"),
        ("2026-07-10T14:30Z", "2026-07-10T14:30:00+00:00"),
        ("2026-07-10T14:30+05:30", "2026-07-10T14:30:00+05:30"),
    ],
)
def test_a_naive_date_is_read_in_the_zone_and_a_bare_one_is_its_first_instant(text: str, expected: str) -> None:
    assert read_moment(text, LISBON).isoformat() == expected


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13", "2026-02-30", "0000", "26-01-01", "2026-01-01 25:00", "١٢٣٤٥"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(InvalidTime, match="no date"):
        read_moment(text, UTC)


def test_now_is_the_present() -> None:
    assert abs(read_moment("now", UTC) - datetime.now(UTC)) < timedelta(seconds=5)


def test_lengths_have_units() -> None:
    assert [read_length(text) for text in ("90s", "5m", "2h", "1 d")] == [
        timedelta(seconds=90),
        timedelta(minutes=5),
        timedelta(hours=2),
        timedelta(days=1),
    ]
    for wrong in ("5", "m", "-5m", "5y", "9999999999999d"):
        with pytest.raises(InvalidTime):
            read_length(wrong)


def test_a_moment_as_data_is_utc_with_a_z() -> None:
    assert utc_text(datetime(2026, 7, 1, tzinfo=LISBON)) == "2026-06-30T23:00:00Z"
    assert utc_text(None) is None


def test_the_local_zone_follows_tz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", ":Asia/Tokyo")
    assert str(local_zone()) == "Asia/Tokyo"


def test_a_wrong_tz_falls_back_to_the_zone_of_the_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "EST5EDT,M3.2.0,M11.1.0")
    assert datetime.now(local_zone()).utcoffset() is not None


def test_a_day_is_cut_in_the_zone_of_the_asker(graphmem: Graphmem) -> None:
    graphmem('--tz Asia/Tokyo add "I joined Globex on 4 May 2026." --speaker Alice --said-at 2026-06-03')
    before_midnight_in_tokyo = graphmem('--tz UTC facts --at "2026-05-03 14:59" --possible')
    after_midnight_in_tokyo = graphmem('--tz UTC facts --at "2026-05-03 15:00"')
    assert before_midnight_in_tokyo.code == 4
    assert "Globex" in after_midnight_in_tokyo.out


def test_the_scope_is_printed_on_both_axes(told: Graphmem) -> None:
    for options, words in {
        "": "valid now, as known now",
        "--at 2026-04-10": "valid on 10 April 2026, as known now",
        "--from 2026-01-01": "valid from 1 January 2026, as known now",
        "--from 2026-01-01 --to 2026-02-01": "valid from 1 January 2026 and before 1 February 2026, as known now",
        '--known-at "2026-05-20 12:30"': "valid at 12:30 on 20 May 2026, as known at 12:30 on 20 May 2026",
        "--at 2026-04-10 --known-at 2026-05-20": "valid on 10 April 2026, as known on 20 May 2026",
    }.items():
        assert told(f"facts {options}").out.splitlines()[-1] == words
