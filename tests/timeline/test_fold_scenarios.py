"""The worked scenarios of the temporal contract: the stories of tests/cases/timeline.txt, and those that need the log itself."""

from __future__ import annotations

from itertools import islice, permutations
from pathlib import Path

import pytest

from graphmem.timeline import MAX, Claim, Kind, Row, fold
from tests.timeline.ledger import Ledger
from tests.timeline.stories import RELATIONS, Story, Telling, granule, read_stories, show

STORIES = read_stories(Path(__file__).parents[1] / "cases" / "timeline.txt")
IN_THIS_FILE = {8, 27, 28, 29, 30, 32, 33}
"""Scenarios about retraction, erasure, restatement, the clock and reads across rows."""

each_story = pytest.mark.parametrize("story", STORIES, ids=[f"{story.number} {story.title}" for story in STORIES])


def at(text: str) -> int:
    return granule(text).lo


def claim(claim_id: str, obj: str, said: str, *, kind: Kind = Kind.HOLD, start: str = "", end: str = "") -> Claim:
    """What is said of alice's work."""
    return Claim(
        claim_id=claim_id,
        kind=kind,
        subject="alice",
        relation="WORKS_AT",
        object=obj,
        ref=at(said),
        start=granule(start) if start else None,
        end=granule(end) if end else None,
    )


ACME = claim("acme", "acme", "2025-02-10")
GLOBEX = claim("globex", "globex", "2026-06-03", start="2026-05-01..2026-05-11")


def told(tellings: tuple[Telling, ...]) -> Ledger:
    ledger = Ledger(RELATIONS)
    for telling in tellings:
        ledger.tell(telling.claims, now=telling.now)
    return ledger


def base_case() -> Ledger:
    ledger = Ledger(RELATIONS)
    ledger.tell([ACME], now=ACME.ref)
    ledger.tell([GLOBEX], now=GLOBEX.ref)
    return ledger


def full(rows: list[Row]) -> set[tuple[Row, frozenset[str], tuple[tuple[int, int], ...]]]:
    return {(row, row.support, row.told) for row in rows}


def works_at(ledger: Ledger, when: str, known: int | None = None) -> list[str]:
    moment = at(when)
    return ledger.ask("WORKS_AT", subject="alice", start=moment, until=moment + 1, known=known)


def test_every_scenario_of_the_contract_is_told() -> None:
    assert {story.number for story in STORIES} | IN_THIS_FILE == set(range(1, 48))


@each_story
def test_the_story_is_answered_as_expected(story: Story) -> None:
    ledger = told(story.tellings)
    assert story.questions or story.rows
    for q in story.questions:
        answers = ledger.ask(
            q.relation,
            subject=q.subject,
            object=q.object,
            start=q.start,
            until=q.until,
            known=q.known,
            possible=q.possible,
        )
        assert answers == q.expected, q.text
    if story.rows is not None:
        assert [show(row) for row in sorted(ledger.rows(), key=_order)] == list(story.rows)


def _order(row: Row) -> tuple[int, str]:
    return (row.invalid_at if row.valid_at is None else row.valid_at, row.object)


@each_story
def test_the_story_ends_the_same_in_every_order_of_arrival(story: Story) -> None:
    expected = told(story.tellings)
    for order in islice(permutations(story.tellings), 24):
        ledger = Ledger(RELATIONS)
        for i, telling in enumerate(order):
            ledger.tell(telling.claims, now=at("2030-01-01") + i)
        assert ledger.rows() == expected.rows()
        assert full(ledger.fold(ledger.claims())) == full(expected.fold(expected.claims()))


@each_story
def test_the_story_ends_the_same_when_told_claim_by_claim(story: Story) -> None:
    ledger = Ledger(RELATIONS)
    for telling in story.tellings:
        for part in telling.claims:
            ledger.tell([part], now=telling.now)
    assert ledger.rows() == told(story.tellings).rows()


# ---- 8, 30: taken back, erased


def test_8_a_retracted_claim_is_as_if_unsaid_from_then_on() -> None:
    ledger = Ledger(RELATIONS)
    ledger.tell([ACME], now=ACME.ref)
    ledger.retract(["acme"], now=at("2025-03-01"))
    assert works_at(ledger, "2025-02-20") == []
    assert works_at(ledger, "2025-02-20", known=at("2025-02-20")) == ["acme"]


def test_30_an_erased_claim_is_gone_at_every_transaction_time_and_the_rest_is_untouched() -> None:
    ledger = base_case()
    ledger.erase(["acme"])
    assert works_at(ledger, "2025-03-01", known=at("2025-04-01")) == []
    assert works_at(ledger, "2026-07-01") == ["globex"]
    assert works_at(ledger, "2026-07-01", known=GLOBEX.ref) == ["globex"]
    assert not any("acme" in version.row.support for version in ledger.versions)


# ---- 27, 28, 29: said twice, said again, the clock


def test_27_the_same_claim_twice_is_one_version() -> None:
    ledger = Ledger(RELATIONS)
    ledger.tell([ACME], now=ACME.ref)
    before = ledger.rows()
    ledger.tell([ACME], now=at("2025-03-01"))
    assert ledger.rows() == before
    assert len(ledger.versions) == 1
    assert fold([ACME, ACME], RELATIONS["WORKS_AT"]) == fold([ACME], RELATIONS["WORKS_AT"])


def test_28_a_restatement_adds_support_and_no_version() -> None:
    ledger = Ledger(RELATIONS)
    ledger.tell([ACME], now=ACME.ref)
    ledger.tell([claim("again", "acme", "2025-04-01")], now=at("2025-04-01"))
    (row,) = ledger.rows()
    assert (row.valid_at, row.invalid_at) == (ACME.ref, MAX)
    assert len(ledger.versions) == 1
    assert ledger.last_confirmed(row) == at("2025-04-01")
    assert ledger.last_confirmed(row, at("2025-03-02")) == ACME.ref


def test_29_transaction_times_grow_when_the_clock_stands_still_or_goes_back() -> None:
    ledger = Ledger(RELATIONS)
    taus = [ledger.tell([c], now=at(day)) for c, day in ((ACME, "2026-01-01"), (GLOBEX, "2026-01-01"))]
    taus.append(ledger.tell([claim("late", "umbra", "2025-12-31")], now=at("2025-12-31")))
    assert taus[0] < taus[1] < taus[2]


# ---- 32, 33: across rows


def test_32_before_she_joined_is_the_row_that_ends_where_the_new_one_begins() -> None:
    ledger = base_case()
    joined = next(row for row in ledger.rows() if row.object == "globex")
    assert joined.valid_at is not None
    assert ledger.ask("WORKS_AT", subject="alice", start=joined.valid_at - 1, until=joined.valid_at) == ["acme"]


def test_33_two_beliefs_differ_by_the_row_dated_anew_and_the_new_one() -> None:
    ledger = base_case()
    gained = ledger.rows(at("2026-06-03")) - ledger.rows(at("2026-06-01"))
    assert sorted((row.object, row.invalid_at) for row in gained) == [("acme", at("2026-05-01")), ("globex", MAX)]
