"""Timelines: how claims are cut into units, and what must be read to have them whole. Property T stands with the fold's."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from graphmem.timeline import Claim, FactKey, Kind, Relation, Rivalry, TimelineReads, reads_for
from tests.timeline.cutting import cut_timelines
from tests.timeline.drawn import RELATIONS, claims, examples

SKILL = Relation(name="SKILL")
FRIEND = Relation(name="FRIEND", symmetric=True)
WORKS_AT = Relation(name="WORKS_AT", rivalry=Rivalry.SUBJ)
CEO_OF = Relation(name="CEO_OF", rivalry=Rivalry.BOTH)
MARRIED = Relation(name="MARRIED", rivalry=Rivalry.BOTH, symmetric=True)
DECLARED = {relation.name: relation for relation in (SKILL, FRIEND, WORKS_AT, CEO_OF, MARRIED)}


def said(subject: str, relation: Relation, obj: str, kind: Kind = Kind.HOLD) -> Claim:
    return Claim(claim_id=f"{subject}-{obj}", kind=kind, subject=subject, relation=relation.name, object=obj, ref=0)


def cut(*claims: Claim) -> list[list[str]]:
    return [[claim.claim_id for claim in part] for part in cut_timelines(claims, DECLARED[claims[0].relation])]


def reads(*claims: Claim) -> TimelineReads:
    return reads_for(claims, DECLARED.__getitem__)


def test_without_rivalry_a_timeline_is_one_fact() -> None:
    assert cut(said("ann", SKILL, "rust"), said("ann", SKILL, "go")) == [["ann-rust"], ["ann-go"]]


def test_a_symmetric_fact_without_rivalry_is_one_timeline_told_either_way() -> None:
    assert cut(said("zoe", FRIEND, "hal"), said("hal", FRIEND, "zoe"), said("zoe", FRIEND, "kim")) == [
        ["zoe-hal", "hal-zoe"],
        ["zoe-kim"],
    ]


def test_with_one_object_a_subject_a_timeline_is_one_subject() -> None:
    assert cut(said("ann", WORKS_AT, "acme"), said("bo", WORKS_AT, "acme"), said("ann", WORKS_AT, "umbra")) == [
        ["ann-acme", "ann-umbra"],
        ["bo-acme"],
    ]


def test_with_rivalry_at_both_ends_a_chain_of_shared_ends_is_one_timeline() -> None:
    chain = (said("lea", CEO_OF, "umbra"), said("kim", CEO_OF, "acme"), said("max", CEO_OF, "umbra"))
    assert cut(*chain) == [["lea-umbra", "max-umbra"], ["kim-acme"]]
    assert cut(*chain, said("max", CEO_OF, "acme")) == [["lea-umbra", "kim-acme", "max-umbra", "max-acme"]]


def test_the_same_name_at_the_other_end_joins_only_where_the_relation_is_symmetric() -> None:
    assert cut(said("ann", CEO_OF, "bo"), said("bo", CEO_OF, "cy")) == [["ann-bo"], ["bo-cy"]]
    assert cut(said("ann", MARRIED, "bo"), said("bo", MARRIED, "cy")) == [["ann-bo", "bo-cy"]]


def test_a_long_chain_is_joined_whatever_end_it_is_told_from() -> None:
    links = [said(f"p{i:04}", MARRIED, f"p{i + 1:04}") for i in range(2_000)]
    assert len(cut(*links[::2], *reversed(links[1::2]))) == 1


def test_no_claims_make_no_timeline_and_need_no_reads() -> None:
    assert cut_timelines([], SKILL) == []
    assert reads() == TimelineReads(facts=frozenset(), subjects=frozenset(), objects=frozenset())


def test_what_is_read_depends_on_the_rivalry() -> None:
    assert reads(said("ann", SKILL, "rust")).facts == {FactKey(subject="ann", relation="SKILL", object="rust")}
    assert reads(said("zoe", FRIEND, "hal")).facts == {FactKey(subject="hal", relation="FRIEND", object="zoe")}
    assert reads(said("ann", WORKS_AT, "acme")) == TimelineReads(
        facts=frozenset(), subjects=frozenset({("WORKS_AT", "ann")}), objects=frozenset()
    )
    assert reads(said("lea", CEO_OF, "umbra")) == TimelineReads(
        facts=frozenset(), subjects=frozenset({("CEO_OF", "lea")}), objects=frozenset({("CEO_OF", "umbra")})
    )
    both = {("MARRIED", "ann"), ("MARRIED", "bo")}
    assert reads(said("bo", MARRIED, "ann")) == TimelineReads(
        facts=frozenset(), subjects=frozenset(both), objects=frozenset(both)
    )


def test_an_undeclared_relation_is_read_by_fact() -> None:
    claim = replace(said("ann", SKILL, "vim"), relation="USES")
    found = reads_for([claim], lambda name: Relation(name=name))
    assert found.facts == {FactKey(subject="ann", relation="USES", object="vim")}


def test_a_never_is_read_for_like_any_claim() -> None:
    assert reads(said("ann", WORKS_AT, "acme", Kind.NEVER)).subjects == {("WORKS_AT", "ann")}


@given(claims(least=2, most=14))
@examples(150)
def test_reading_on_until_nothing_new_comes_gives_whole_timelines(everything: list[Claim]) -> None:
    for claim in everything:
        found = [claim]
        while found != (found := _read([claim, *found], everything)):
            pass
        relation = RELATIONS[claim.relation]
        of_relation = [other for other in everything if other.relation == claim.relation]
        (timeline,) = [part for part in cut_timelines(of_relation, relation) if claim in part]
        assert {other.claim_id for other in timeline} <= {other.claim_id for other in found}


def _read(known: list[Claim], everything: list[Claim]) -> list[Claim]:
    wanted = reads_for(known, RELATIONS.__getitem__)
    return [
        claim
        for claim in everything
        if (claim.relation, claim.subject) in wanted.subjects
        or (claim.relation, claim.object) in wanted.objects
        or reads_for([claim], RELATIONS.__getitem__).facts & wanted.facts
    ]
