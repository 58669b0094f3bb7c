"""Single rules of the fold, where a scenario would hide them: odd granules, units, ranges, timeless relations, coverage."""

from __future__ import annotations

from dataclasses import replace

from graphmem.timeline import (
    ALWAYS,
    MAX,
    MIN,
    Claim,
    Granule,
    Kind,
    Relation,
    Rivalry,
    Row,
    Unit,
    fold,
    identity,
)
from tests.timeline.stories import granule, show

WORKS_AT = Relation(name="WORKS_AT", rivalry=Rivalry.SUBJ)
VISITED = Relation(name="VISITED", event=True)
BIRTHPLACE = Relation(name="BIRTHPLACE", rivalry=Rivalry.SUBJ, timeless=True)
SEATED_BY = Relation(name="SEATED_BY", rivalry=Rivalry.BOTH, symmetric=True)


def at(text: str) -> int:
    return granule(text).lo


def said(
    on: str,
    obj: str = "acme",
    *,
    kind: Kind = Kind.HOLD,
    start: Granule | str | None = None,
    end: Granule | str | None = None,
    seq: int = 0,
    inferred: bool = False,
    trusted: bool = True,
) -> Claim:
    """A claim about ann; `seq` tells claims of one day apart."""
    return Claim(
        claim_id=f"{on}/{obj}/{kind}/{seq}",
        kind=kind,
        subject="ann",
        relation="WORKS_AT",
        object=obj,
        ref=at(on),
        seq=seq,
        start=granule(start) if isinstance(start, str) else start,
        end=granule(end) if isinstance(end, str) else end,
        inferred=inferred,
        trusted=trusted,
    )


def only(rows: tuple[Row, ...]) -> Row:
    (row,) = rows
    return row


def shown(*claims: Claim, relation: Relation = WORKS_AT) -> list[str]:
    return [show(row) for row in fold(claims, relation)]


# ---- R3, R3a, R4: starts


def test_has_always_is_certain_without_a_beginning() -> None:
    row = only(fold([said("2026-01-01", start=ALWAYS)], WORKS_AT))
    assert (row.valid_at, row.start, row.start_stated) == (MIN, ALWAYS, True)


def test_by_a_date_is_certain_from_the_date_on_and_possible_before() -> None:
    by_2020 = Granule(lo=MIN, hi=at("2020"), unit=Unit.YEAR)
    row = only(fold([said("2026-01-01", start=by_2020)], WORKS_AT))
    assert (row.valid_at, row.start, row.start_stated) == (at("2020"), by_2020, True)


def test_by_a_date_is_narrowed_by_the_date_itself() -> None:
    by_2020 = Granule(lo=MIN, hi=at("2020"), unit=Unit.YEAR)
    row = only(fold([said("2026-01-01", start=by_2020), said("2025-01-01", start="2018-05")], WORKS_AT))
    assert (row.valid_at, row.start) == (at("2018-05"), granule("2018-05"))


def test_evidence_for_a_rival_leaves_what_is_certain_from_a_date_on() -> None:
    by_2020 = Granule(lo=MIN, hi=at("2020"), unit=Unit.YEAR)
    rows = fold([said("2019-06-01", "globex"), said("2026-01-01", start=by_2020)], WORKS_AT)
    assert [(row.object, row.valid_at) for row in rows] == [("globex", at("2019-06-01")), ("acme", at("2020"))]


def test_some_time_after_a_date_had_begun_when_it_was_told() -> None:
    after_2020 = Granule(lo=at("2021"), hi=MAX)
    row = only(fold([said("2026-01-01", start=after_2020)], WORKS_AT))
    assert (row.valid_at, row.start.lo, row.start.hi) == (at("2021"), at("2021"), at("2026-01-01"))


def test_a_granule_open_on_both_sides_bounds_nothing() -> None:
    anywhere = Granule(lo=MIN, hi=MAX)
    assert shown(said("2026-01-01", start=anywhere, end=anywhere)) == shown(said("2026-01-01"))


def test_a_start_at_an_instant_is_kept_as_it_was_said() -> None:
    moment = Granule(lo=at("2026-01-05"), hi=at("2026-01-05"), unit=Unit.INSTANT)
    row = only(fold([said("2026-02-01", start=moment), said("2026-03-01", start="2026-01")], WORKS_AT))
    assert (row.valid_at, row.start, row.start_stated) == (moment.lo, moment, True)


def test_an_end_at_an_instant_is_kept_as_it_was_said() -> None:
    moment = Granule(lo=at("2026-01-05"), hi=at("2026-01-05"), unit=Unit.INSTANT)
    row = only(fold([said("2026-01-01"), said("2026-02-01", kind=Kind.STOP, end=moment)], WORKS_AT))
    assert (row.invalid_at, row.end, row.end_stated) == (moment.lo, moment, True)


def test_an_end_before_the_start_of_the_same_claim_bounds_nothing() -> None:
    assert shown(said("2026-01-01", start="2020", end="2018")) == shown(said("2026-01-01", start="2020"))


def test_an_unknown_start_of_an_untrusted_row_is_possible_back_to_the_trusted_rival() -> None:
    rows = fold(
        [said("2020-01-01", "globex", start="2019", end="2019"), said("2026-01-01", trusted=False)],
        WORKS_AT,
    )
    assert [(row.object, row.start) for row in rows] == [
        ("globex", granule("2019")),
        ("acme", Granule(lo=at("2020"), hi=at("2026-01-01"))),
    ]


# ---- units


def test_a_bound_left_between_two_granules_has_no_unit() -> None:
    row = only(
        fold([said("2026-06-01", start="2026-05-10..2026-06-01"), said("2026-07-01", start="2026-05")], WORKS_AT)
    )
    assert row.start == Granule(lo=at("2026-05-10"), hi=at("2026-06-01"), unit=Unit.FUZZY)


def test_a_bound_said_in_two_units_has_the_finer_one_whoever_said_it_last() -> None:
    month = granule("2026-05")
    fuzzy = replace(month, unit=Unit.FUZZY)
    for first, second in ((month, fuzzy), (fuzzy, month)):
        row = only(fold([said("2026-06-01", start=first), said("2026-07-01", start=second)], WORKS_AT))
        assert row.start.unit is Unit.MONTH


def test_a_start_narrowed_by_a_rival_has_no_unit() -> None:
    rows = fold([said("2026-05-20", "globex"), said("2026-06-03", start="2026-05")], WORKS_AT)
    assert rows[1].start == Granule(lo=at("2026-05-20") + 1, hi=at("2026-06-01"), unit=Unit.FUZZY)


# ---- events


def test_an_event_of_an_instant_lasts_for_it() -> None:
    moment = Granule(lo=at("2026-01-05"), hi=at("2026-01-05"), unit=Unit.INSTANT)
    row = only(fold([said("2026-02-01", "rome", kind=Kind.EVENT, start=moment)], VISITED))
    assert (row.valid_at, row.invalid_at, row.start) == (moment.lo, moment.lo + 1, moment)
    assert row.end.hi == row.invalid_at


def test_an_event_before_a_date_is_possible_before_and_certain_at_its_last_instant() -> None:
    before = Granule(lo=MIN, hi=at("2020"))
    row = only(fold([said("2026-02-01", "rome", kind=Kind.EVENT, start=before)], VISITED))
    assert (row.valid_at, row.invalid_at, row.start) == (at("2020"), at("2020") + 1, before)
    assert row.end.hi == row.invalid_at


def test_an_event_that_happened_some_time_had_happened_when_it_was_told() -> None:
    some_time = Granule(lo=MIN, hi=MAX)
    row = only(fold([said("2026-02-01", "rome", kind=Kind.EVENT, start=some_time)], VISITED))
    assert (row.valid_at, row.invalid_at) == (at("2026-02-01"), at("2026-02-01") + 1)


def test_an_event_with_an_end_of_its_own_lasts_until_then() -> None:
    row = only(fold([said("2026-02-01", "fair", kind=Kind.EVENT, start="2026-01-05", end="2026-01-07")], VISITED))
    assert (row.valid_at, row.invalid_at) == (at("2026-01-05"), at("2026-01-08"))


def test_events_on_touching_stretches_stay_two() -> None:
    events = [
        said("2026-02-01", "fair", kind=Kind.EVENT, start="2026-01-05", end="2026-01-07"),
        said("2026-02-02", "fair", kind=Kind.EVENT, start="2026-01-08", end="2026-01-09"),
    ]
    assert len(fold(events, VISITED)) == 2


# ---- R14a: ranges


def test_three_touching_ranges_read_as_one_stretch() -> None:
    ranges = [
        said("2026-01-02", start="2026-01", end="2026-03"),
        said("2026-03-20", start="2026-04", end="2026-06"),
        said("2026-06-20", start="2026-07", end="2026-09"),
    ]
    row = only(fold(ranges, WORKS_AT))
    assert (row.valid_at, row.invalid_at, row.end) == (at("2026-01"), at("2026-10"), granule("2026-09"))
    assert row.support == {claim.claim_id for claim in ranges}


def test_overlapping_ranges_are_one_testimony_and_the_newest_wins() -> None:
    ranges = [said("2026-01-02", start="2026-01", end="2026-06"), said("2026-02-02", start="2026-02", end="2026-08")]
    row = only(fold(ranges, WORKS_AT))
    assert (row.valid_at, row.invalid_at) == (at("2026-02"), at("2026-09"))


def test_a_range_with_a_rival_in_between_is_not_read_as_one_stretch() -> None:
    rows = fold(
        [
            said("2026-01-02", start="2026-01", end="2026-03"),
            said("2026-07-20", start="2026-04", end="2026-06"),
            said("2026-08-01", "globex", start="2026-03-20", end="2026-04-10"),
        ],
        WORKS_AT,
    )
    assert [(row.object, row.valid_at) for row in rows] == [
        ("acme", at("2026-01")),
        ("globex", at("2026-03-20")),
        ("acme", at("2026-04-10")),
    ]


def test_leaving_and_returning_the_next_month_is_not_one_stretch() -> None:
    rows = fold(
        [
            said("2026-01-02", start="2026-01"),
            said("2026-04-01", kind=Kind.STOP, end="2026-03"),
            said("2026-05-01", start="2026-04"),
        ],
        WORKS_AT,
    )
    assert [(row.valid_at, row.invalid_at) for row in rows] == [(at("2026-01"), at("2026-04")), (at("2026-04"), MAX)]


# ---- R5, R14b: undated past


def test_a_stop_without_a_hold_keeps_the_lower_side_of_its_end() -> None:
    row = only(fold([said("2026-06-01", kind=Kind.STOP, end="2026-03")], WORKS_AT))
    assert (row.valid_at, row.invalid_at, row.end, row.end_stated) == (None, at("2026-04"), granule("2026-03"), True)


def test_an_end_after_the_telling_without_a_start_holds_from_the_telling() -> None:
    row = only(fold([said("2026-06-01", end="2026-09")], WORKS_AT))
    assert (row.valid_at, row.invalid_at, row.end) == (at("2026-06-01"), at("2026-10"), granule("2026-09"))


def test_a_concluded_undated_past_does_not_outweigh_a_stated_one() -> None:
    rows = fold([said("2026-01-01", end="2018"), said("2026-02-01", end="2020", inferred=True)], WORKS_AT)
    assert [show(row) for row in rows] == shown(said("2026-01-01", end="2018"))


def test_an_untrusted_undated_past_gives_way_to_anything_trusted_of_its_time() -> None:
    trusted = said("2015-01-01", "globex", start="2014")
    past = said("2026-01-01", end="2018", trusted=False)
    assert shown(trusted, past) == shown(trusted)


def test_a_trusted_undated_past_keeps_untrusted_rivals_out_of_its_possible_time() -> None:
    past = said("2026-01-01", "globex", end="2018")
    assert shown(past, said("2026-02-01", start="2015", end="2016", trusted=False)) == shown(past)


# ---- R10: what is told, what extends by default


def test_explicit_stretches_are_what_testimony_vouches_for() -> None:
    row = only(fold([said("2026-03-01", start="2026-01")], WORKS_AT))
    assert row.told == ((at("2026-01"), at("2026-03-01") + 1),)


def test_the_inside_of_a_stated_end_granule_is_not_explicit() -> None:
    row = only(fold([said("2026-01-10", start="2026-01"), said("2026-04-05", kind=Kind.STOP, end="2026-03")], WORKS_AT))
    assert (row.told, row.invalid_at) == (((at("2026-01"), at("2026-03")),), at("2026-04"))


def test_a_conclusion_has_no_explicit_stretch() -> None:
    assert only(fold([said("2026-03-01", start="2026-01", inferred=True)], WORKS_AT)).told == ()


# ---- R17: evidence for a rival inside a start granule


def held(*claims: Claim) -> list[tuple[str, int | None]]:
    return [(row.object, row.valid_at) for row in fold(claims, WORKS_AT)]


def test_a_mention_of_the_fact_after_the_rival_keeps_its_start_granule_whole() -> None:
    rival, mention = said("2026-05-20", "globex"), said("2026-05-25")
    assert held(rival, mention, said("2026-06-03", start="2026-05")) == [("acme", at("2026-05"))]


def test_a_mention_newer_than_the_date_does_not_keep_the_granule_whole() -> None:
    rival, mention = said("2026-05-20", "globex"), said("2026-05-21", seq=1)
    assert held(rival, said("2026-05-21", start="2026-05"), mention) == [
        ("globex", at("2026-05-20")),
        ("acme", at("2026-05-20") + 1),
    ]


def test_a_rival_that_is_known_to_have_ended_narrows_no_start() -> None:
    ended = (said("2026-05-20", "globex"), said("2026-05-30", "globex", kind=Kind.STOP, end="2026-05-22"))
    assert held(*ended, said("2026-06-03", start="2026-05")) == [("acme", at("2026-05"))]


def test_a_concluded_rival_narrows_no_start() -> None:
    assert held(said("2026-05-20", "globex", inferred=True), said("2026-06-03", start="2026-05")) == [
        ("acme", at("2026-05"))
    ]


# ---- R33: conclusions


def test_a_conclusion_adds_nothing_where_its_fact_is_held_by_default() -> None:
    mention, conclusion = said("2026-01-01"), said("2026-05-01", start="2026-03", inferred=True)
    row = only(fold([mention, conclusion], WORKS_AT))
    assert (row.valid_at, row.start_stated, row.support) == (at("2026-01-01"), False, {mention.claim_id})


def test_a_conclusion_again_holds_its_fact_against_an_older_one_for_a_rival_of_the_same_day() -> None:
    mention = said("2026-01-01")
    rival = said("2026-05-01", "globex", start="2026-03", inferred=True)
    again = said("2026-05-01", start="2026-03", seq=1, inferred=True)
    assert held(mention, rival, again) == [("acme", at("2026-01-01"))]
    assert held(mention, rival) == [("acme", at("2026-01-01")), ("globex", at("2026-03"))]


def test_a_concluded_stop_ends_the_later_of_a_stated_and_a_concluded_spell() -> None:
    stated, concluded = said("2020-06-01", start="2020"), said("2024-01-01", start="2023", inferred=True)
    row = only(fold([stated, concluded, said("2025-01-01", kind=Kind.STOP, end="2024", inferred=True)], WORKS_AT))
    assert (row.valid_at, row.invalid_at) == (at("2020"), MAX)


# ---- R20a: timeless relations


def test_a_timeless_fact_is_certain_at_any_instant() -> None:
    row = only(fold([said("2026-03-01", "naxos")], BIRTHPLACE))
    assert (row.valid_at, row.invalid_at, row.start, row.start_stated) == (MIN, MAX, ALWAYS, False)


def test_dates_told_with_a_timeless_fact_bound_nothing() -> None:
    plain = fold([said("2026-03-01", "naxos")], BIRTHPLACE)
    assert fold([said("2026-03-01", "naxos", start="1980")], BIRTHPLACE) == plain
    assert fold([said("2026-03-01", "naxos", kind=Kind.EVENT, start="1980")], BIRTHPLACE) == plain


def test_the_newest_of_two_timeless_rivals_has_all_time() -> None:
    row = only(fold([said("2026-03-01", "naxos"), said("2026-04-01", "paros")], BIRTHPLACE))
    assert (row.object, row.valid_at, row.invalid_at) == ("paros", MIN, MAX)


def test_a_timeless_fact_ends_with_a_stop_and_goes_with_a_never() -> None:
    fact = said("2026-03-01", "naxos")
    ended = only(fold([fact, said("2026-05-01", "naxos", kind=Kind.STOP, end="2026-04")], BIRTHPLACE))
    assert (ended.valid_at, ended.invalid_at) == (MIN, at("2026-05"))
    assert fold([fact, said("2026-05-01", "naxos", kind=Kind.NEVER)], BIRTHPLACE) == ()


# ---- order, identity, pathological claims


def test_rows_come_by_start_with_undated_past_first() -> None:
    rows = fold(
        [
            said("2026-03-01", "c"),
            said("2026-03-01", "b"),
            said("2026-02-01", "a"),
            said("2026-05-01", "z", kind=Kind.PAST),
        ],
        Relation(name="SKILL"),
    )
    assert [row.object for row in rows] == ["z", "a", "b", "c"]


def test_no_claims_give_no_rows() -> None:
    assert fold([], WORKS_AT) == ()
    assert fold([said("2026-01-01", kind=Kind.NEVER)], WORKS_AT) == ()


def test_equal_rows_have_one_identity_whatever_supports_them() -> None:
    (once,) = fold([said("2026-01-01")], WORKS_AT)
    (twice,) = fold([said("2026-01-01"), said("2026-02-01")], WORKS_AT)
    assert once == twice
    assert identity(once) == identity(twice)
    assert once.support != twice.support
    assert identity(once) != identity(replace(once, end_stated=True))


def test_a_symmetric_fact_of_one_entity_with_itself_is_one_row() -> None:
    claim = replace(said("2026-01-01", "ann"), relation="SEATED_BY")
    assert only(fold([claim], SEATED_BY)).object == "ann"


def test_the_claims_given_are_not_changed() -> None:
    claims = [said("2026-06-03", start="2026-05"), said("2026-05-20", "globex")]
    before = list(claims)
    fold(claims, WORKS_AT)
    assert claims == before


def test_an_instant_is_told_apart_from_the_epoch_and_from_no_instant() -> None:
    at_epoch = Granule(lo=0, hi=1, unit=Unit.INSTANT)
    rows = fold([said("1960-01-01", "globex"), said("1980-01-01", start=at_epoch)], WORKS_AT)
    assert [(row.object, row.valid_at, row.invalid_at) for row in rows] == [
        ("globex", at("1960-01-01"), 0),
        ("acme", 0, MAX),
    ]
