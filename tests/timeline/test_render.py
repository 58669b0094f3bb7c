"""Times in words: as exact as they were said, and never a midnight that nobody said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.timeline import calendar
from graphmem.timeline.expressions import find_times
from graphmem.timeline.granules import ALWAYS, Granule, Unit
from graphmem.timeline.instants import MAX, MIN, to_instant
from graphmem.timeline.render import (
    render_duration,
    render_granule,
    render_moment,
    render_since,
    render_span,
    render_until,
)
from graphmem.timeline.spans import Step

_LISBON = ZoneInfo("Europe/Lisbon")
_SAID_AT = datetime(2026, 6, 3, 9, 30, tzinfo=_LISBON)
_DAY_US = 86_400_000_000


def _granule(text: str) -> Granule:
    [found] = find_times(text, _SAID_AT)
    assert found.granule is not None
    return found.granule


@pytest.mark.parametrize(
    ("said", "rendered"),
    [
        ("on 4 May 2026", "4 May 2026"),
        ("in May 2026", "May 2026"),
        ("in early May 2026", "early May 2026"),
        ("in mid-May 2026", "mid May 2026"),
        ("at the end of May 2026", "late May 2026"),
        ("in 2015", "2015"),
        ("in late 2024", "late 2024"),
        ("around 2015", "around 2015"),
        ("two weeks ago", "week of 2026-05-18"),
        ("last weekend", "weekend of 2026-05-30"),
        ("last summer", "summer 2025"),
        ("last winter", "winter 2025/26"),
        ("in Q2 2025", "Q2 2025"),
        ("in H2 2023", "second half of 2023"),
        ("in the 1990s", "the 1990s"),
        ("in the early 2000s", "the early 2000s"),
        ("in the 19th century", "the 19th century"),
        ("in the first week of May 2026", "week of 2026-05-01"),
        ("at 14:30", "14:30 on 3 June 2026"),
        ("last night", "2 June 2026"),
        ("a few years ago", "between 3 June 2021 and 2 June 2024"),
    ],
)
def test_a_granule_is_said_in_the_unit_it_was_said_in(said: str, rendered: str) -> None:
    assert render_granule(_granule(said), _LISBON) == rendered


def test_a_day_is_that_of_the_reader_s_calendar_wherever_it_was_cut() -> None:
    granule = calendar.day(date(2026, 5, 4), _LISBON)
    for hours in (-9, 0, 11):
        assert render_granule(granule, timezone(timedelta(hours=hours))) == "4 May 2026"


_PLACES = ["UTC", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Honolulu", "America/Los_Angeles", "Asia/Kathmandu"]


@pytest.mark.parametrize("cut_in", _PLACES)
@pytest.mark.parametrize("read_in", _PLACES)
def test_a_date_is_the_same_on_the_other_side_of_the_world(cut_in: str, read_in: str) -> None:
    zone, reader = ZoneInfo(cut_in), ZoneInfo(read_in)
    granules = {
        calendar.day(date(2024, 12, 25), zone): "25 December 2024",
        calendar.week(date(2026, 6, 3), zone): "week of 2026-06-01",
        calendar.month(2026, 5, zone): "May 2026",
        calendar.season("spring", 2026, zone): "spring 2026",
        calendar.year(2019, zone): "2019",
        Granule(lo=MIN, hi=calendar.year(2020, zone).lo): "before 2020",
    }
    for granule, rendered in granules.items():
        assert render_granule(granule, reader) == rendered


def test_a_unit_that_other_testimony_cut_short_is_said_by_its_edges() -> None:
    may = calendar.month(2026, 5, UTC)
    cut = Granule(lo=calendar.day(date(2026, 5, 20), UTC).lo, hi=may.hi, unit=Unit.MONTH)
    assert render_granule(cut, UTC) == "between 20 May 2026 and 31 May 2026"


def test_a_fuzzy_stretch_of_whole_years_is_said_in_years() -> None:
    stretch = Granule(lo=calendar.year(2015, UTC).lo, hi=calendar.year(2017, UTC).hi)
    assert render_granule(stretch, UTC) == "between 2015 and 2017"


@pytest.mark.parametrize(
    ("granule", "rendered"),
    [
        (ALWAYS, "always"),
        (Granule(lo=MIN, hi=calendar.year(2026, UTC).lo), "before 2026"),
        (Granule(lo=MIN, hi=calendar.month(2026, 6, UTC).lo), "before June 2026"),
        (Granule(lo=MIN, hi=calendar.day(date(2026, 6, 5), UTC).lo), "before 5 June 2026"),
        (Granule(lo=calendar.month(2026, 6, UTC).lo, hi=MAX), "June 2026 or later"),
        (Granule(lo=MIN, hi=MAX), "any time"),
    ],
)
def test_an_open_granule_says_its_known_side(granule: Granule, rendered: str) -> None:
    assert render_granule(granule, UTC) == rendered


def test_a_moment_at_midnight_is_said_as_its_day() -> None:
    assert render_moment(to_instant(datetime(2026, 5, 4, tzinfo=_LISBON)), _LISBON) == "4 May 2026"
    assert render_moment(to_instant(datetime(2026, 5, 4, 14, 30, tzinfo=_LISBON)), _LISBON) == "14:30 on 4 May 2026"


@pytest.mark.parametrize(
    ("start", "end", "rendered"),
    [
        (calendar.year(2015, UTC), calendar.year(2018, UTC), "from 2015 to 2018"),
        (calendar.month(2026, 5, UTC), None, "since May 2026"),
        (None, calendar.day(date(2026, 5, 4), UTC), "until 4 May 2026"),
        (calendar.month(2024, 5, UTC), calendar.month(2024, 5, UTC), "in May 2024"),
        (calendar.day(date(2024, 5, 11), UTC), calendar.day(date(2024, 5, 11), UTC), "on 11 May 2024"),
        (calendar.week(date(2024, 5, 11), UTC), calendar.week(date(2024, 5, 11), UTC), "in the week of 2024-05-06"),
        (ALWAYS, None, "always"),
        (ALWAYS, calendar.year(2018, UTC), "always until 2018"),
        (Granule(lo=MIN, hi=calendar.year(2019, UTC).lo), None, "since before 2019"),
        (None, None, ""),
    ],
)
def test_a_span_says_the_ends_it_has(start: Granule | None, end: Granule | None, rendered: str) -> None:
    assert render_span(start, end, UTC) == rendered


def test_a_start_and_an_end_can_be_said_alone() -> None:
    assert render_since(calendar.month(2026, 5, UTC), UTC) == "since May 2026"
    assert render_until(calendar.month(2026, 5, UTC), UTC) == "until May 2026"


def test_seasons_bear_the_names_of_the_reader_s_hemisphere() -> None:
    granule = calendar.season("summer", 2025, UTC, southern=True)
    assert render_granule(granule, UTC, southern=True) == "summer 2025/26"
    assert render_granule(granule, UTC) == "winter 2025/26"


@pytest.mark.parametrize(
    ("days", "step", "rendered"),
    [
        (426, None, "14 months"),
        (731, None, "2 years"),
        (12, None, "12 days"),
        (1, None, "24 hours"),
        (52, Step.WEEK, "7 weeks"),
        (189, Step.DAY, "189 days"),
        (365, Step.MONTH, "12 months"),
        (366, Step.YEAR, "1 year"),
        (0, None, "0 minutes"),
    ],
)
def test_a_duration_is_said_in_the_unit_asked_for_or_a_fitting_one(days: int, step: Step | None, rendered: str) -> None:
    assert render_duration(days * _DAY_US, days * _DAY_US, step=step) == rendered


def test_an_uncertain_duration_is_said_by_its_middle() -> None:
    assert render_duration(395 * _DAY_US, 456 * _DAY_US) == "14 months"


_EDGES = st.integers(MIN, MAX)


@given(one=_EDGES, other=_EDGES, unit=st.sampled_from(Unit), hours=st.integers(-11, 14))
@settings(max_examples=300, deadline=None)
def test_any_granule_can_be_said_without_a_midnight(one: int, other: int, unit: Unit, hours: int) -> None:
    granule = Granule(lo=min(one, other), hi=max(one, other), unit=unit)
    rendered = render_granule(granule, timezone(timedelta(hours=hours)))
    assert rendered
    assert "00:00" not in rendered


@given(on=st.dates(min_value=date(1500, 1, 1), max_value=date(2150, 1, 1)), hours=st.integers(-11, 14))
@settings(max_examples=200, deadline=None)
def test_what_is_rendered_is_read_back_as_the_same_granule(on: date, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    quarter = (on.month + 2) // 3
    granules = [
        calendar.day(on, zone),
        calendar.week(on, zone),
        calendar.month(on.year, on.month, zone),
        calendar.quarter(on.year, quarter, zone),
        calendar.season("summer", on.year, zone),
        calendar.year(on.year, zone),
    ]
    for granule in granules:
        [found] = find_times(render_granule(granule, zone), _SAID_AT.astimezone(zone))
        assert found.granule == granule
