"""What holds of the fold for any claims: the invariants of the temporal contract."""

from __future__ import annotations

import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphmem.timeline import MAX, MIN, Claim, Granule, Instant, Kind, Relation, Row, fold
from graphmem.timeline.cover import Cover, joined
from graphmem.timeline.rivalry import Fact, RivalMarks, fact_of
from graphmem.timeline.spells import RivalBeginnings, Spell, narrow_starts, spells_of
from graphmem.timeline.sweep import sweep
from graphmem.timeline.testimony import read_claim
from tests.timeline.cutting import cut_timelines
from tests.timeline.drawn import OPEN_RELATIONS, RELATIONS, claims, examples, granules, instants
from tests.timeline.ledger import Ledger
from tests.timeline.oracle import are_rivals, slow_sweep

ORACLE = os.environ.get("GRAPHMEM_TIME_ORACLE")
HOUR = 3_600_000_000
LATER = 4_000_000_000_000_000


def rows_of(said: Iterable[Claim]) -> list[Row]:
    """The rows of claims of any relations, each relation folded whole."""
    by_relation: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in said:
        by_relation[claim.relation].append(claim)
    return [row for name, part in sorted(by_relation.items()) for row in fold(part, OPEN_RELATIONS[name])]


def full(rows: Iterable[Row]) -> set[tuple[Row, frozenset[str], tuple[tuple[Instant, Instant], ...]]]:
    return {(row, row.support, row.told) for row in rows}


def told_one_by_one(said: Sequence[Claim]) -> tuple[Ledger, list[tuple[Instant, set[Row]]]]:
    """A ledger of the claims in their order, and what it believed after each."""
    ledger = Ledger(OPEN_RELATIONS)
    snapshots = []
    for i, claim in enumerate(said):
        tau = ledger.tell([claim], now=LATER + i)
        snapshots.append((tau, ledger.rows()))
    return ledger, snapshots


def fact(row: Row) -> Fact:
    return (row.subject, row.object)


# ---- I1, I2, I4 to I6, I8, I11, I16: the log


@given(st.data())
@examples(150)
def test_any_order_and_any_batching_give_the_same_rows(data: st.DataObject) -> None:
    said = data.draw(claims(relations=OPEN_RELATIONS))
    shuffled = data.draw(st.permutations(said))
    ledger = Ledger(OPEN_RELATIONS)
    while shuffled:
        size = data.draw(st.integers(1, len(shuffled)))
        ledger.tell(shuffled[:size], now=LATER)
        shuffled = shuffled[size:]
    assert ledger.rows() == set(rows_of(said))
    assert full(rows_of(ledger.claims())) == full(rows_of(said))


@given(claims(relations=OPEN_RELATIONS))
@examples(150)
def test_what_was_believed_never_changes(said: list[Claim]) -> None:
    ledger, snapshots = told_one_by_one(said)
    for tau, snapshot in snapshots:
        assert ledger.rows(tau) == snapshot
    assert all(version.created_at < version.expired_at for version in ledger.versions)


@given(claims(relations=OPEN_RELATIONS, least=2), st.integers(0, 7))
@examples(150)
def test_a_retracted_claim_is_as_if_never_told_and_earlier_beliefs_stay(said: list[Claim], which: int) -> None:
    assume(said)
    gone = said[which % len(said)]
    ledger, snapshots = told_one_by_one(said)
    ledger.retract([gone.claim_id], now=2 * LATER)
    assert ledger.rows() == set(rows_of(claim for claim in said if claim is not gone))
    for tau, snapshot in snapshots:
        assert ledger.rows(tau) == snapshot


@given(claims(relations=OPEN_RELATIONS, least=2), st.integers(0, 7))
@examples(150)
def test_an_erased_claim_was_never_told_at_any_time(said: list[Claim], which: int) -> None:
    assume(said)
    gone = said[which % len(said)]
    ledger, snapshots = told_one_by_one(said)
    ledger.erase([gone.claim_id])
    for i, (tau, _) in enumerate(snapshots):
        assert ledger.rows(tau) == set(rows_of(claim for claim in said[: i + 1] if claim is not gone))
    assert all(gone.claim_id not in version.row.support for version in ledger.versions)


@given(claims(relations=OPEN_RELATIONS))
@examples(80)
def test_telling_everything_again_makes_no_version(said: list[Claim]) -> None:
    ledger, _ = told_one_by_one(said)
    before = ledger.rows(), len(ledger.versions)
    ledger.tell(said, now=2 * LATER)
    assert (ledger.rows(), len(ledger.versions)) == before


@given(claims(relations=OPEN_RELATIONS, least=3, most=10), st.data())
@examples(150)
def test_what_stands_is_the_fold_of_what_stands(said: list[Claim], data: st.DataObject) -> None:
    ledger = Ledger(OPEN_RELATIONS)
    for claim in said:
        ledger.tell([claim], now=LATER)
        ids = [other.claim_id for other in ledger.claims()]
        act = data.draw(st.sampled_from(["tell", "tell", "retract", "erase"]))
        if ids and act == "retract":
            ledger.retract([data.draw(st.sampled_from(ids))], now=LATER)
        elif ids and act == "erase":
            ledger.erase([data.draw(st.sampled_from(ids))])
        assert ledger.rows() == set(rows_of(ledger.claims()))


@given(claims(), st.lists(instants(3), min_size=8, max_size=8))
@examples(50)
def test_transaction_times_grow_whatever_the_clock_says(said: list[Claim], clock: list[Instant]) -> None:
    ledger = Ledger(RELATIONS)
    taus = [ledger.tell([claim], now=now) for claim, now in zip(said, clock, strict=False)]
    assert all(earlier < later for earlier, later in pairwise(taus))


# ---- I3, I9, I10, I13: the rows


@given(claims(most=12))
@examples(150)
def test_rows_are_sound_and_rivals_never_overlap(said: list[Claim]) -> None:
    dated = [row for row in rows_of(said) if row.valid_at is not None]
    for row in dated:
        assert row.valid_at is not None
        assert row.start.lo <= row.valid_at < row.invalid_at <= row.end.hi
        assert row.support
        assert all(row.valid_at <= lo < hi <= row.invalid_at for lo, hi in row.told)
        assert list(row.told) == joined(row.told)
    for one in dated:
        for other in dated:
            if one is other or one.relation != other.relation or not _overlap(one, other):
                continue
            assert fact(one) != fact(other)
            assert not are_rivals(fact(one), fact(other), RELATIONS[one.relation])


def _overlap(one: Row, other: Row) -> bool:
    return _first(one) < other.invalid_at and _first(other) < one.invalid_at


def _first(row: Row) -> Instant:
    return MIN if row.valid_at is None else row.valid_at


@given(claims(most=12))
@examples(150)
def test_rows_of_one_fact_touch_only_at_a_stated_bound_or_where_trust_changes(said: list[Claim]) -> None:
    dated = [row for row in rows_of(said) if row.valid_at is not None]
    for one in dated:
        for other in dated:
            same = one.relation == other.relation and fact(one) == fact(other) and one is not other
            if same and one.invalid_at == other.valid_at:
                assert one.end_stated or other.start_stated or one.trusted != other.trusted


@given(claims(), instants(), instants())
@examples(80)
def test_a_moment_is_a_window_and_a_window_is_its_halves(said: list[Claim], start: Instant, until: Instant) -> None:
    ledger, _ = told_one_by_one(said)
    for name, relation in RELATIONS.items():
        for subject in "ab":
            now = ledger.ask(name, subject=subject, start=start, until=start + 1)
            assert relation.rivalry == "none" or len(now) <= 1
            if until - start > 2:
                middle = (start + until) // 2
                whole = ledger.ask(name, subject=subject, start=start, until=until)
                first = ledger.ask(name, subject=subject, start=start, until=middle)
                assert set(whole) == {*first, *ledger.ask(name, subject=subject, start=middle, until=until)}


@given(claims(), instants())
@examples(80)
def test_what_is_certain_is_possible(said: list[Claim], moment: Instant) -> None:
    ledger, _ = told_one_by_one(said)
    for name in RELATIONS:
        for subject in "ab":
            certain = ledger.ask(name, subject=subject, start=moment, until=moment + 1)
            possible = ledger.ask(name, subject=subject, start=moment, until=moment + 1, possible=True)
            assert set(certain) <= set(possible)


@given(claims(), instants())
@examples(80)
def test_a_symmetric_fact_reads_the_same_from_either_end(said: list[Claim], moment: Instant) -> None:
    ledger, _ = told_one_by_one(said)
    for name in ("MARRIED", "FRIEND", "TWINNED"):
        held = {
            (one, other) for one in "abcd" for other in ledger.ask(name, subject=one, start=moment, until=moment + 1)
        }
        assert held == {(other, one) for one, other in held}


@given(claims())
@examples(80)
def test_turning_symmetric_claims_round_changes_nothing(said: list[Claim]) -> None:
    turned = [
        replace(claim, subject=claim.object, object=claim.subject) if RELATIONS[claim.relation].symmetric else claim
        for claim in said
    ]
    assert full(rows_of(turned)) == full(rows_of(said))


@given(claims(most=10), st.integers(-14 * HOUR, 11 * HOUR))
@examples(80)
def test_claims_told_in_another_zone_give_the_same_rows_in_that_zone(said: list[Claim], offset: Instant) -> None:
    moved = [_moved_claim(claim, offset) for claim in said]
    assert set(rows_of(moved)) == {_moved_row(row, offset) for row in rows_of(said)}


def _moved_claim(claim: Claim, offset: Instant) -> Claim:
    start = claim.start and _moved(claim.start, offset)
    return replace(claim, ref=claim.ref + offset, start=start, end=claim.end and _moved(claim.end, offset))


def _moved_row(row: Row, offset: Instant) -> Row:
    return replace(
        row,
        valid_at=None if row.valid_at is None else row.valid_at + offset,
        invalid_at=_shift(row.invalid_at, offset),
        start=_moved(row.start, offset),
        end=_moved(row.end, offset),
    )


def _moved(granule: Granule, offset: Instant) -> Granule:
    return replace(granule, lo=_shift(granule.lo, offset), hi=_shift(granule.hi, offset))


def _shift(instant: Instant, offset: Instant) -> Instant:
    return instant if instant in (MIN, MAX) else instant + offset


# ---- R19, R33, R34


@given(claims(least=2, most=10, dense=True))
@examples(100)
def test_a_never_with_a_start_unsays_exactly_the_older_claims_that_began_inside_it(said: list[Claim]) -> None:
    for never in said:
        if never.kind is not Kind.NEVER or never.start is None:
            continue
        relation = RELATIONS[never.relation]
        unsaid = {
            claim.claim_id
            for claim in said
            if claim.kind is not Kind.NEVER
            and claim.relation == never.relation
            and fact_of(claim, relation) == fact_of(never, relation)
            and claim.order < never.order
            and claim.start is not None
            and never.start.contains(claim.start)
            and (claim.inferred or not never.inferred)
            and (never.trusted or not claim.trusted)
        }
        left = [claim for claim in said if claim is not never and claim.claim_id not in unsaid]
        assert full(rows_of(said)) == full(rows_of(left))


@given(claims(least=2, most=10))
@examples(150)
def test_conclusions_leave_the_explicit_stretches_of_testimony_as_they_are(said: list[Claim]) -> None:
    stated = [claim for claim in said if not claim.inferred and claim.trusted]
    trusted = [claim for claim in said if claim.trusted]
    assert _explicit(rows_of(trusted)) == _explicit(rows_of(stated))
    told = {claim.claim_id for claim in said if not claim.inferred}
    assert all(row.support & told or not row.told for row in rows_of(said))


def _explicit(rows: Iterable[Row]) -> dict[tuple[str, Fact], list[tuple[Instant, Instant]]]:
    stretches: defaultdict[tuple[str, Fact], list[tuple[Instant, Instant]]] = defaultdict(list)
    for row in rows:
        stretches[row.relation, fact(row)] += row.told
    return {key: joined(parts) for key, parts in stretches.items() if parts}


@given(claims(relations=OPEN_RELATIONS, least=2, most=10))
@examples(150)
def test_untrusted_claims_change_nothing_that_is_trusted(said: list[Claim]) -> None:
    sure = {claim.claim_id for claim in said if claim.trusted}
    alone = rows_of(claim for claim in said if claim.trusted)
    both = rows_of(said)
    assert full(row for row in both if row.trusted) == full(alone)
    assert full(row for row in both if row.support & sure) == full(alone)
    for weak in (row for row in both if not row.trusted):
        assert weak.support
        for row in (row for row in alone if row.relation == weak.relation):
            if are_rivals(fact(weak), fact(row), OPEN_RELATIONS[row.relation]):
                assert weak.end.hi <= row.start.lo or row.end.hi <= _first(weak)
            elif fact(weak) == fact(row) and None not in (weak.valid_at, row.valid_at):
                assert not _overlap(weak, row)


# ---- T, I7: locality


@given(claims(relations=OPEN_RELATIONS, least=2, most=12))
@examples(150)
def test_a_timeline_folded_alone_gives_the_rows_it_gives_among_others(said: list[Claim]) -> None:
    for name in {claim.relation for claim in said}:
        relation = OPEN_RELATIONS[name]
        of_relation = [claim for claim in said if claim.relation == name]
        timelines = cut_timelines(of_relation, relation)
        assert sorted(c.claim_id for part in timelines for c in part) == sorted(c.claim_id for c in of_relation)
        alone = [row for part in timelines for row in fold(part, relation)]
        assert len(alone) == len(fold(of_relation, relation))
        assert full(alone) == full(fold(of_relation, relation))


# ---- against a slow sweep


@given(claims(least=4, most=14, dense=True), st.lists(granules(90), max_size=2))
@examples(200)
def test_painting_gives_what_the_rules_give_instant_by_instant(said: list[Claim], walled: list[Granule]) -> None:
    walls = Cover((wall.lo, wall.hi) for wall in walled)

    def closed(of: Fact, moment: Instant) -> bool:
        return of[1] == "x" and walls.free_until(moment) == moment

    for name in {claim.relation for claim in said}:
        relation = RELATIONS[name]
        spells = _spells([claim for claim in said if claim.relation == name], relation)
        courses = sweep(spells, relation, lambda of: (walls,) if of[1] == "x" else ())
        edges = [edge for wall in walled for edge in (wall.lo, wall.hi)]
        slow = slow_sweep(spells, relation, closed, edges)
        assert [(course.explicit, joined((*course.explicit, *course.default))) for course in courses] == slow


def _spells(said: list[Claim], relation: Relation) -> list[Spell]:
    testimony = [read_claim(c, fact_of(c, relation), relation) for c in said if c.kind is not Kind.NEVER]
    every = RivalMarks(((t.begins_at, t.fact) for t in testimony if t.is_hold), relation)
    stated = RivalMarks(((t.begins_at, t.fact) for t in testimony if t.is_hold and not t.inferred), relation)
    spells = []
    for of in sorted({t.fact for t in testimony}):
        found = spells_of([t for t in testimony if t.fact == of], RivalBeginnings(stated, every))
        spells += [*found.stated, *found.inferred]
    narrow_starts(spells, relation)
    return spells


# ---- against the reference model, where there is one


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    if ORACLE is None:
        pytest.skip("GRAPHMEM_TIME_ORACLE names no folder with the reference model (bitemp.py)")
    spec = spec_from_file_location("bitemp", Path(ORACLE) / "bitemp.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["bitemp"] = module
    spec.loader.exec_module(module)
    module.two_events = _apart  # the model does not know R14a, which widens its rule from events to ranges
    return module


def _apart(one: object, other: object) -> bool:
    bounds = [getattr(c, side) for c in (one, other) for side in ("start", "end")]
    if None in bounds:
        return False
    start, end, other_start, other_end = bounds
    return bool(end[1] <= other_start[0] or other_end[1] <= start[0])


def _of_reference(reference: ModuleType, said: Iterable[Claim]) -> set[object]:
    epoch = datetime(1970, 1, 1)  # noqa: DTZ001 - the model is naive

    def naive(instant: Instant) -> datetime:
        return epoch + timedelta(microseconds=instant)

    def pair(granule: Granule | None) -> tuple[datetime, datetime] | None:
        return granule and (naive(granule.lo), naive(granule.hi))

    def instant(moment: datetime | None) -> Instant | None:
        return None if moment is None else (moment - epoch) // timedelta(microseconds=1)

    schema = {name: reference.Rel(str(r.rivalry), r.symmetric) for name, r in RELATIONS.items()}
    told = [
        reference.Claim(
            c.claim_id, str(c.kind), c.subject, c.relation, c.object, naive(c.ref), pair(c.start), pair(c.end), c.seq,
            c.inferred, c.trusted,
        )
        for c in said
    ]  # fmt: skip
    return {
        (
            *(w.r, w.s, w.o),
            *map(instant, (w.vf, w.vt, w.start_lo, w.start_hi, w.end_lo, w.end_hi)),
            *(w.stated_start, w.stated_end, w.trusted, w.support),
            tuple((instant(a), instant(b)) for a, b in w.told),
        )
        for w in reference.fold(told, schema)
    }


def _comparable(row: Row) -> object:
    return (
        *(row.relation, row.subject, row.object),
        *(row.valid_at, row.invalid_at, row.start.lo, row.start.hi, row.end.lo, row.end.hi),
        *(row.start_stated, row.end_stated, row.trusted, row.support),
        row.told,
    )


def _has_touching_ranges(said: Sequence[Claim]) -> bool:
    ranges = [c for c in said if c.kind is Kind.HOLD and c.start and c.end]
    return any(
        one.end and other.start and one.relation == other.relation and one.end.hi == other.start.lo
        for one in ranges
        for other in ranges
    )


@given(said=claims(least=2, most=14, undated_ends=False))
@examples(150)
def test_rows_are_those_of_the_reference_model(reference: ModuleType, said: list[Claim]) -> None:
    assume(not _has_touching_ranges(said))
    assert {_comparable(row) for row in rows_of(said)} == _of_reference(reference, said)


def test_a_long_history_is_that_of_the_reference_model(reference: ModuleType) -> None:
    said = _long_history(random.Random(7), 60)
    assert {_comparable(row) for row in rows_of(said)} == _of_reference(reference, said)


def _long_history(chance: random.Random, count: int) -> list[Claim]:
    day = 24 * HOUR
    return [
        Claim(
            claim_id=f"c{i}",
            kind=chance.choice([Kind.HOLD, Kind.HOLD, Kind.HOLD, Kind.STOP, Kind.PAST]),
            subject="a",
            relation="WORKS_AT",
            object=chance.choice("vwxyz"),
            ref=i * 30 * day,
            inferred=chance.random() < 0.2,
        )
        for i in range(count)
    ]
