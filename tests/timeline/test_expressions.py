"""What English time expressions denote: the golden table, the conventions behind it, and what must hold for any text."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import InvalidTime
from graphmem.timeline.calendar import day, week, zone_of
from graphmem.timeline.expressions import Operator, TimeExpression, find_times
from graphmem.timeline.granules import Unit
from graphmem.timeline.instants import MAX, MIN, Instant, to_datetime, to_instant
from graphmem.timeline.phrases import Tense

_GOLDEN = [
    json.loads(line) for line in Path(__file__).with_name("data").joinpath("expressions.jsonl").read_text().splitlines()
]
_STILL_WRONG: frozenset[str] = frozenset()
"""Ids of golden rows that are not read rightly yet. Only ever shrinks."""

_DAY_US = 86_400_000_000
_SAID_AT = datetime(2026, 6, 3, 9, 30, tzinfo=UTC)
"""A Wednesday, that of the golden table."""


def _dated(text: str, said_at: datetime = _SAID_AT, tense: Tense = Tense.PAST) -> list[TimeExpression]:
    return [found for found in find_times(text, said_at, tense=tense) if found.window is not None]


def _only(text: str, said_at: datetime = _SAID_AT, tense: Tense = Tense.PAST) -> TimeExpression:
    [found] = find_times(text, said_at, tense=tense)
    return found


def _at(text: str) -> Instant:
    return to_instant(datetime.fromisoformat(text).replace(tzinfo=UTC))


# The golden table


def _golden_sides(row: Mapping[str, object], said_at: Instant) -> Iterator[tuple[Instant, Instant]]:
    """The intervals that are right; "REF" is the moment of speaking."""
    for low, high in [[row["start"], row["end"]], *row["alt"]]:
        lo = MIN if low is None else said_at if low == "REF" else _at(low)
        hi = MAX if high is None else said_at if high == "REF" else _at(high)
        yield lo, hi


def _is_read_rightly(row: Mapping[str, object]) -> bool:
    said_at = datetime.fromisoformat(str(row["ref"])).replace(tzinfo=UTC)
    found = _dated(str(row["sentence"]), said_at, Tense.FUTURE if row["prefer"] == "future" else Tense.PAST)
    if row["expect"] == "none":
        return not found
    if len(found) != 1 or found[0].window is None:
        return False
    low, high = found[0].window
    slack_low, slack_high = (days * _DAY_US + 1 for days in row["tol_days"])
    return any(
        abs(low - lo) <= (slack_low if lo > MIN else 0) and abs(high - hi) <= (slack_high if hi < MAX else 0)
        for lo, hi in _golden_sides(row, to_instant(said_at))
    )


def test_the_golden_table_is_read_rightly_but_for_the_known_rows() -> None:
    wrong = {row["id"] for row in _GOLDEN if not _is_read_rightly(row)}
    assert wrong == _STILL_WRONG
    assert len(_GOLDEN) - len(wrong) >= 241


@pytest.mark.parametrize("row", [row for row in _GOLDEN if row["expect"] == "none"], ids=lambda row: row["id"])
def test_no_date_is_found_where_there_is_none(row: Mapping[str, object]) -> None:
    assert _dated(str(row["sentence"])) == []


_SAME_UNIT = frozenset({"day", "week", "month", "season", "quarter", "half", "year", "decade", "century", "minute"})


@pytest.mark.parametrize(
    "row",
    [r for r in _GOLDEN if r["gran"] in _SAME_UNIT and r["kind"] not in ("asof", "open", "range")],
    ids=lambda row: row["id"],
)
def test_the_granule_bears_the_unit_that_was_said(row: Mapping[str, object]) -> None:
    said_at = datetime.fromisoformat(str(row["ref"])).replace(tzinfo=UTC)
    [found] = _dated(str(row["sentence"]), said_at, Tense.FUTURE if row["prefer"] == "future" else Tense.PAST)
    assert found.granule is not None
    assert found.granule.unit == row["gran"]


# Conventions


@pytest.mark.parametrize(
    ("text", "operator", "lo", "hi"),
    [
        ("since March", Operator.SINCE, "2026-03-01", None),
        ("until March", Operator.UNTIL, None, "2026-04-01"),
        ("before March", Operator.BEFORE, None, "2026-03-01"),
        ("after March", Operator.AFTER, "2026-04-01", None),
        ("by March", Operator.BY, None, "2026-04-01"),
        ("as of 1 March", Operator.AS_OF, "2026-03-01", "2026-03-02"),
        ("from 2019 to 2022", Operator.RANGE, "2019-01-01", "2023-01-01"),
        ("no earlier than 20 September 2025", Operator.SINCE, "2025-09-20", None),
        ("until the end of July 2025", Operator.UNTIL, None, "2025-08-01"),
        ("from 10 to 14 October 2025", Operator.RANGE, "2025-10-10", "2025-10-15"),
    ],
)
def test_an_operator_opens_the_window_on_its_side(
    text: str, operator: Operator, lo: str | None, hi: str | None
) -> None:
    found = _only(text)
    assert found.operator is operator
    assert found.window == (_at(lo) if lo else MIN, _at(hi) if hi else MAX)


def test_since_before_a_time_is_certain_from_that_time_on() -> None:
    found = _only("since before 2019")
    assert found.granule is not None
    assert (found.granule.lo, found.granule.hi) == (MIN, _at("2019-01-01"))
    assert found.window == (_at("2019-01-01"), MAX)


@pytest.mark.parametrize(
    ("tense", "year"),
    [(Tense.PAST, 2025), (Tense.FUTURE, 2026), (Tense.UNKNOWN, 2026)],
    ids=["past", "future", "nearest"],
)
def test_the_tense_settles_an_open_year(tense: Tense, year: int) -> None:
    found = _only("in October", tense=tense)
    assert found.window == (_at(f"{year}-10-01"), _at(f"{year}-11-01"))


def test_both_ends_of_a_range_share_the_year_that_one_of_them_names() -> None:
    found = _only("from November to March 2025")
    assert found.granule is not None
    assert found.until is not None
    assert (found.granule.lo, found.until.hi) == (_at("2024-11-01"), _at("2025-04-01"))


def test_a_part_of_a_day_keeps_the_granule_of_its_day() -> None:
    found = _only("last night")
    assert found.granule == day(date(2026, 6, 2), UTC)
    assert found.window == (_at("2026-06-02T18:00"), _at("2026-06-03T06:00"))


def test_a_clock_range_ends_when_its_last_hour_strikes() -> None:
    found = _only("Monday from 10 to 11:30 am")
    assert found.window == (_at("2026-06-01T10:00"), _at("2026-06-01T11:30"))


def test_an_event_that_dates_something_is_given_as_its_words() -> None:
    found = _only("before she joined Globex")
    assert (found.operator, found.clause, found.window) == (Operator.BEFORE, "she joined Globex", None)


def test_times_within_the_words_of_an_event_are_found_too() -> None:
    event, month = find_times("while he lived in Graz in May 2024", _SAID_AT)
    assert (event.operator, event.clause) == (Operator.WHILE, "he lived in Graz in May 2024")
    assert month.window == (_at("2024-05-01"), _at("2024-06-01"))


def test_a_length_up_to_now_begins_that_long_ago_in_its_own_unit() -> None:
    found = _only("I have worked there for three years")
    assert found.operator is Operator.SINCE
    assert found.window == (_at("2023-01-01"), MAX)


def test_a_quantity_of_time_alone_is_no_date() -> None:
    assert find_times("The course took three years.", _SAID_AT) == []


def test_seasons_follow_the_hemisphere() -> None:
    [north] = find_times("in summer 2025", _SAID_AT)
    [south] = find_times("in summer 2025", _SAID_AT, southern=True)
    assert north.window == (_at("2025-06-01"), _at("2025-09-01"))
    assert south.window == (_at("2025-12-01"), _at("2026-03-01"))


@pytest.mark.parametrize(
    "text",
    [
        "Who did April thank?",
        "Will is 20 years older than June.",
        "Call 555-2020 or 2010-2015-86.",
        "They play at the summer concert.",
        "a Christmas card",
        "He lives on the 3rd floor.",
        "We haven't talked in a few days.",
        "She asked me to look after the house.",
        "It weighs 2019 grams.",
        "When did Monday acquire Hollunder?",
        "We sat in June Carter's garden.",
        "She works in June Ltd",
    ],
)
def test_names_and_numbers_are_left_alone(text: str) -> None:
    assert _dated(text) == []


@pytest.mark.parametrize(
    "text",
    ["In June I left.", "In May Bo married Cy.", "Back in March Priya Nair joined us.", "In September Lee left."],
)
def test_a_month_stands_before_a_name_that_begins_its_clause(text: str) -> None:
    assert len(_dated(text)) == 1


def test_places_are_those_of_the_text_as_it_was_given() -> None:
    text = "She  left\r\n on  3\tMay   2025 ."
    [found] = find_times(text, _SAID_AT)
    assert text[found.start : found.end] == found.text == "on  3\tMay   2025"
    assert found.granule == day(date(2025, 5, 3), UTC)


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(InvalidTime, match="time zone"):
        find_times("yesterday", _SAID_AT.replace(tzinfo=None))


# Time zones


def test_days_are_cut_in_the_zone_of_the_moment() -> None:
    auckland = ZoneInfo("Pacific/Auckland")
    found = _only("today", datetime(2026, 6, 3, 1, 0, tzinfo=auckland))
    assert found.granule == day(date(2026, 6, 3), auckland)


def test_a_day_on_which_the_clocks_change_is_as_long_as_it_was() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    granule = _only("yesterday", datetime(2026, 3, 30, 12, 0, tzinfo=berlin)).granule
    assert granule is not None
    assert granule.hi - granule.lo == 23 * 3_600_000_000


def test_hours_ago_are_real_hours_across_a_change_of_the_clocks() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    said_at = datetime(2026, 3, 29, 4, 0, tzinfo=berlin)
    granule = _only("two hours ago", said_at).granule
    assert granule is not None
    assert granule.lo == to_instant(said_at) - 2 * 3_600_000_000


def test_a_day_that_a_zone_left_out_is_still_a_granule() -> None:
    apia = ZoneInfo("Pacific/Apia")
    granule = _only("on 30 December 2011", datetime(2012, 2, 1, tzinfo=apia)).granule
    assert granule is not None
    assert granule.lo < granule.hi


_LOCAL = [str(row["sentence"]) for row in _GOLDEN if not str(row["text"]).endswith("Z")]


@given(text=st.sampled_from(_LOCAL), hours=st.integers(-11, 14), tense=st.sampled_from(Tense))
@settings(max_examples=300, deadline=None)
def test_the_same_words_at_the_same_local_time_give_the_same_local_dates(text: str, hours: int, tense: Tense) -> None:
    zone = timezone(timedelta(hours=hours))
    here = _dated(text, _SAID_AT, tense)
    there = _dated(text, _SAID_AT.replace(tzinfo=zone), tense)
    assert [(one.text, one.operator) for one in here] == [(one.text, one.operator) for one in there]
    for one, other in zip(here, there, strict=True):
        assert _wall(one, UTC) == _wall(other, zone)


def _wall(found: TimeExpression, zone: timezone) -> list[datetime | None]:
    """The edges of an expression on the local clock."""
    edges = [*(found.window or ()), *(edge for g in (found.granule, found.until) if g for edge in (g.lo, g.hi))]
    moments = [to_datetime(edge) for edge in edges]
    return [moment and moment.astimezone(zone).replace(tzinfo=None) for moment in moments]


@pytest.mark.parametrize("name", ["Europe/Lisbon", "UTC", "+02:00", "-0330", "Asia/Kathmandu"])
def test_a_zone_is_known_by_its_name_or_offset(name: str) -> None:
    assert datetime(2026, 6, 3, tzinfo=zone_of(name)).utcoffset() is not None


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "+25:00", "../etc/passwd", "/etc/localtime", "CEST+1\0"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(InvalidTime):
        zone_of(name)


def test_a_week_begins_on_monday_in_its_zone() -> None:
    lisbon = zone_of("Europe/Lisbon")
    granule = week(date(2026, 6, 3), lisbon)
    assert granule.unit is Unit.WEEK
    assert granule.lo == to_instant(datetime(2026, 6, 1, tzinfo=lisbon))


# Any text

_WORDS = st.sampled_from(
    "the a in on at from to until since before after by between and of last next this May March 3 31st 2019 2022 10:30 5pm "
    "Monday week month years ago two day early mid end first Christmas summer Q2 half past noon now when while - , . / 's "
    "29 February 1990s for about rolling fortnight 9999 0001 century".split()
)
_TEXT = st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=14).map(" ".join))
_MOMENT = st.datetimes(timezones=st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=14))]))


@given(text=_TEXT, said_at=_MOMENT, tense=st.sampled_from(Tense))
@settings(max_examples=600, deadline=None)
def test_any_text_gives_proper_windows_at_proper_places(text: str, said_at: datetime, tense: Tense) -> None:
    end = 0
    for found in find_times(text, said_at, tense=tense):
        assert text[found.start : found.end] == found.text
        assert (found.window is None) == (found.clause is not None)
        if found.window is None:
            continue
        assert found.granule is not None
        assert found.granule.lo < found.granule.hi
        assert MIN <= found.window[0] < found.window[1] <= MAX
        assert found.start >= end
        end = found.end


_LONG = 20_000


@pytest.mark.parametrize(
    "piece",
    [
        "the ",
        "a ",
        "1 ",
        "since ",
        "before x ",
        "the day before ",
        "5pm ",
        "on the 3rd of ",
        "May 1 to ",
        "2019-",
        "'",
        "  ",
        "in the last ",
    ],
)
def test_a_very_long_text_takes_time_in_proportion(piece: str) -> None:
    text = piece * (_LONG // len(piece))
    begun = time.process_time()
    find_times(text, _SAID_AT)
    assert time.process_time() - begun < 5
