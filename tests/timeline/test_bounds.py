"""The granules in which a fact begins and ends, as its time words say for each kind of claim."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import InvalidTime
from graphmem.timeline.bounds import Bounds, bounds_of
from graphmem.timeline.calendar import day, month, season, year
from graphmem.timeline.claims import Kind
from graphmem.timeline.granules import ALWAYS, Granule, Unit
from graphmem.timeline.instants import MAX, MIN, to_instant
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole

_SAID_AT = datetime(2026, 6, 3, 9, 30, tzinfo=UTC)
"""A Wednesday."""
_MAY = month(2026, 5, UTC)
_MARCH = month(2026, 3, UTC)
_2019 = year(2019, UTC)


def _bounds(kind: Kind, *texts: str, role: TimeRole = TimeRole.AT, tense: Tense | None = None) -> Bounds:
    return bounds_of(kind, [TimePhrase(text=text, role=role, tense=tense) for text in texts], _SAID_AT)


@pytest.mark.parametrize("text", ["since May", "from May on", "starting May 2026", "Since May"])
def test_since_begins_a_state(text: str) -> None:
    assert _bounds(Kind.HOLD, text) == Bounds(start=_MAY)


def test_until_ends_a_state() -> None:
    assert _bounds(Kind.HOLD, "until March 2026") == Bounds(end=_MARCH)


def test_a_range_does_both() -> None:
    assert _bounds(Kind.HOLD, "from 2019 to May 2026") == Bounds(start=_2019, end=_MAY)


def test_a_beginning_and_an_end_may_come_in_two_phrases() -> None:
    assert _bounds(Kind.HOLD, "since 2019", "until May 2026") == Bounds(start=_2019, end=_MAY)


def test_a_beginning_and_an_end_may_come_in_one_phrase() -> None:
    assert _bounds(Kind.HOLD, "since 2019, until May 2026") == Bounds(start=_2019, end=_MAY)


def test_a_state_that_was_so_in_a_time_that_is_over_began_and_ended_in_it() -> None:
    assert _bounds(Kind.HOLD, "in 2019") == Bounds(start=_2019, end=_2019)


def test_a_state_that_began_in_a_time_only_began_in_it() -> None:
    assert _bounds(Kind.HOLD, "in 2019", role=TimeRole.START) == Bounds(start=_2019)


def test_a_state_that_ended_in_a_time_only_ended_in_it() -> None:
    assert _bounds(Kind.HOLD, "in 2019", role=TimeRole.END) == Bounds(end=_2019)


@pytest.mark.parametrize(("text", "granule"), [("this year", year(2026, UTC)), ("today", day(date(2026, 6, 3), UTC))])
def test_a_state_in_a_time_that_goes_on_has_only_begun(text: str, granule: Granule) -> None:
    assert _bounds(Kind.HOLD, text) == Bounds(start=granule)


def test_an_event_happened_in_its_time() -> None:
    assert _bounds(Kind.EVENT, "last Friday") == Bounds(start=day(date(2026, 5, 29), UTC))


def test_a_stop_ends_in_its_time() -> None:
    assert _bounds(Kind.STOP, "in March") == Bounds(end=_MARCH)


def test_over_since_march_is_an_end_in_march() -> None:
    assert _bounds(Kind.STOP, "since March") == Bounds(end=_MARCH)


def test_no_longer_from_today_on_is_an_end_before_today() -> None:
    assert _bounds(Kind.STOP, "from today") == Bounds(end=Granule(lo=MIN, hi=day(date(2026, 6, 3), UTC).lo))


def test_a_denied_occurrence_is_the_one_of_its_time() -> None:
    assert _bounds(Kind.NEVER, "on 15 May") == Bounds(start=day(date(2026, 5, 15), UTC))


def test_an_undated_past_takes_no_dates_and_says_so() -> None:
    assert _bounds(Kind.PAST, "in 2019") == Bounds(unread=("in 2019",))


def test_by_a_time_is_certain_from_that_time_on() -> None:
    assert _bounds(Kind.HOLD, "by May 2026") == Bounds(start=Granule(lo=MIN, hi=_MAY.hi))
    assert _bounds(Kind.STOP, "by the end of May") == Bounds(end=Granule(lo=MIN, hi=_MAY.hi))


def test_since_before_a_time_is_certain_from_its_beginning_on() -> None:
    assert _bounds(Kind.HOLD, "since before 2019") == Bounds(start=Granule(lo=MIN, hi=_2019.lo))


def test_after_a_time_lies_between_it_and_now() -> None:
    assert _bounds(Kind.EVENT, "after March 2026") == Bounds(start=Granule(lo=_MARCH.hi, hi=to_instant(_SAID_AT)))


def test_after_a_time_to_come_is_open() -> None:
    assert _bounds(Kind.EVENT, "after March 2027") == Bounds(start=Granule(lo=month(2027, 3, UTC).hi, hi=MAX))


@pytest.mark.parametrize("text", ["always", "has always", "all along"])
def test_always_is_certain_without_a_beginning(text: str) -> None:
    assert _bounds(Kind.HOLD, text) == Bounds(start=ALWAYS)


def test_a_length_said_now_began_that_long_ago() -> None:
    assert _bounds(Kind.HOLD, "for two years") == Bounds(start=day(date(2024, 6, 3), UTC))
    assert _bounds(Kind.HOLD, "for the past three years") == Bounds(start=day(date(2023, 6, 3), UTC))
    assert _bounds(Kind.HOLD, "for ten minutes").start == Granule(
        lo=to_instant(_SAID_AT) - 600_000_000, hi=to_instant(_SAID_AT) - 540_000_000, unit=Unit.MINUTE
    )


def test_a_length_after_a_beginning_ends_on_its_last_day() -> None:
    assert _bounds(Kind.HOLD, "from Monday for a week") == Bounds(
        start=day(date(2026, 6, 8), UTC), end=day(date(2026, 6, 14), UTC)
    )


def test_a_part_of_a_day_keeps_the_granule_of_its_day() -> None:
    assert _bounds(Kind.HOLD, "since last night") == Bounds(start=day(date(2026, 6, 2), UTC))


def test_now_is_said_of_a_day() -> None:
    assert _bounds(Kind.HOLD, "from now on") == Bounds(start=day(date(2026, 6, 3), UTC))


def test_the_event_around_a_date_tells_how_it_is_meant() -> None:
    assert _bounds(Kind.HOLD, "since the gig on Saturday") == Bounds(start=day(date(2026, 5, 30), UTC))


def test_a_plan_looks_ahead() -> None:
    assert _bounds(Kind.HOLD, "in the summer", role=TimeRole.START, tense=Tense.FUTURE) == Bounds(
        start=season("summer", 2026, UTC)
    )
    assert _bounds(Kind.HOLD, "until Friday") == Bounds(end=day(date(2026, 6, 5), UTC))
    assert _bounds(Kind.HOLD, "from 1 September") == Bounds(start=day(date(2026, 9, 1), UTC))


@pytest.mark.parametrize("text", ["since then", "the same day", "two months after the flood", "from day one", ""])
def test_words_that_give_no_date_are_left_unread(text: str) -> None:
    assert _bounds(Kind.HOLD, text) == Bounds(unread=(text,))


def test_an_unread_phrase_does_not_hide_a_read_one() -> None:
    assert _bounds(Kind.HOLD, "since then", "since May") == Bounds(start=_MAY, unread=("since then",))


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(InvalidTime, match="time zone"):
        bounds_of(Kind.HOLD, [TimePhrase(text="since May")], _SAID_AT.replace(tzinfo=None))


_PHRASES = st.sampled_from(
    [
        "since May",
        "until Friday",
        "from 2019 to 2022",
        "last night",
        "for two years",
        "always",
        "by March",
        "in early 2025",
    ]
)


@given(
    kind=st.sampled_from(Kind),
    text=_PHRASES | st.text(max_size=30),
    role=st.sampled_from(TimeRole),
    hours=st.integers(-11, 14),
)
@settings(max_examples=200, deadline=None)
def test_bounds_are_cut_on_the_local_clock_and_never_begin_after_they_end(
    kind: Kind, text: str, role: TimeRole, hours: int
) -> None:
    phrases = [TimePhrase(text=text, role=role)]
    here = bounds_of(kind, phrases, _SAID_AT)
    there = bounds_of(kind, phrases, _SAID_AT.replace(tzinfo=timezone(timedelta(hours=hours))))
    assert here.unread == there.unread
    for one, other in ((here.start, there.start), (here.end, there.end)):
        assert (one is None) == (other is None)
        if one and other:
            assert one.lo <= one.hi
            assert other == _shifted(one, hours)


def _shifted(granule: Granule, hours: int) -> Granule:
    lo, hi = (edge if edge in (MIN, MAX) else edge - hours * 3_600_000_000 for edge in (granule.lo, granule.hi))
    return Granule(lo=lo, hi=hi, unit=granule.unit)
