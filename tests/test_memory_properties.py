"""Histories of any shape: what retracting, erasing, repeating and reordering leave behind (I2, I4, I5, I6, I16)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import StoredClaim
from graphmem.relations import relation_of
from graphmem.timeline.claims import Kind, Relation, Rivalry
from graphmem.timeline.fold import fold
from graphmem.timeline.instants import MAX
from graphmem.timeline.rows import identity
from graphmem.timeline.told_rivalry import HAS_RIVALRY, relation_node, relation_told_of, rivalry_node, told_rivalry
from tests.clocks import CountedIds, SetClock, day
from tests.contract.oracle import OracleStore

FIRST = day("2024-01-01")
OPEN = "HOSTS"
"""A relation that nobody declared: what its rivalry is, is told like anything else (R20b)."""
RELATIONS = ("WORKS_AT", "SKILL", "MARRIED_TO", "CEO_OF", "FRIEND_OF", OPEN, OPEN)

# (name, valid_at, invalid_at) of every fact over all time, as known at one moment
View = list[tuple[str, datetime | None, datetime | None]]


@dataclass(frozen=True)
class Told:
    """One claim of one episode, said and learned on some day."""

    number: int
    claim: NewClaim
    said_at: datetime

    @property
    def episode_id(self) -> str:
        return f"ep{self.number}"


@st.composite
def told_things(draw: st.DrawFn, least: int = 1, most: int = 6) -> list[Told]:
    things = []
    for number in range(draw(st.integers(least, most))):
        said_at = FIRST + timedelta(days=draw(st.integers(0, 700)))
        if draw(st.integers(0, 3)) == 0:
            things.append(Told(number=number, claim=draw(rivalry_claims()), said_at=said_at))
            continue
        kind = draw(st.sampled_from([Kind.HOLD] * 4 + [Kind.EVENT, Kind.STOP, Kind.PAST, Kind.NEVER]))
        dates = st.integers(0, 700).map(lambda n: (FIRST + timedelta(days=n)).date())
        start = draw(dates) if kind is Kind.EVENT else draw(st.none() | dates) if kind is Kind.HOLD else None
        claim = NewClaim(
            subject=draw(st.sampled_from(["ann", "bob"])),
            relation=draw(st.sampled_from(RELATIONS)),
            object=draw(st.sampled_from(["cid", "dee"])),
            kind=kind,
            start=start,
            end=draw(st.none() | dates) if kind is Kind.STOP else None,
        )
        things.append(Told(number=number, claim=claim, said_at=said_at))
    return things


@st.composite
def rivalry_claims(draw: st.DrawFn, *, is_plain: bool = False) -> NewClaim:
    rivalry = draw(st.sampled_from([Rivalry.SUBJ, Rivalry.NONE] if is_plain else Rivalry))
    return NewClaim(
        subject=OPEN,
        subject_id=relation_node(OPEN),
        relation=HAS_RIVALRY,
        object=rivalry.value,
        object_id=rivalry_node(rivalry),
        kind=Kind.HOLD if is_plain else draw(st.sampled_from([Kind.HOLD] * 4 + [Kind.NEVER])),
        inferred=not is_plain and draw(st.booleans()),
    )


@st.composite
def told_of_one_relation(draw: st.DrawFn) -> list[Told]:
    """Guests that one subject hosts, then what is said of whether a new one takes the place of the old; told in any order."""
    guests = [NewClaim(subject="ann", relation=OPEN, object=who) for who in ("cid", "dee", "eve")]
    said = [draw(rivalry_claims(is_plain=True)) for _ in range(draw(st.integers(1, 3)))]
    claims = [(FIRST + timedelta(days=day), claim) for day, claim in enumerate([*guests, *said])]
    in_order = draw(st.just(claims) | st.permutations(claims))
    return [Told(number=number, claim=claim, said_at=said_at) for number, (said_at, claim) in enumerate(in_order)]


def as_told(name: str, claims: Sequence[StoredClaim]) -> Relation:
    """The relation as these claims say it behaves."""
    relation = relation_of(name, {})
    told = told_rivalry(c.claim for c in claims if relation_told_of(c.claim) == name)
    return relation if told is None else replace(relation, rivalry=told.rivalry)


class History:
    """A memory over the simplest store, told one thing a day from 2030 on."""

    def __init__(self) -> None:
        self.clock = SetClock(day("2030-01-01"))
        self.store = OracleStore()

    async def __aenter__(self) -> History:
        self.memory = await Memory.open(self.store, clock=self.clock, ids=CountedIds())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.memory.close()

    async def tell(self, thing: Told) -> None:
        self.clock.set(day("2030-01-01") + timedelta(days=thing.number))
        await self.memory.add_claims(
            [thing.claim], episode=NewEpisode(text=thing.episode_id, episode_id=thing.episode_id, said_at=thing.said_at)
        )

    async def tell_all(self, things: Sequence[Told]) -> None:
        for thing in things:
            await self.tell(thing)

    async def view(self, number: int) -> View:
        """What was known at the end of the day the thing of this number was told."""
        known_at = day("2030-01-01") + timedelta(days=number, hours=23)
        facts = await self.memory.facts(during=(None, None), known_at=known_at, possible=True)
        return sorted(((f.text, f.valid_at, f.invalid_at) for f in facts), key=repr)


@settings(max_examples=60, deadline=None)
@given(told_things(2), st.integers(0, 5))
def test_an_erased_episode_is_as_if_never_told_at_every_moment(things: list[Told], pick: int) -> None:
    asyncio.run(check_erased(things, pick))


@settings(max_examples=60, deadline=None)
@given(told_of_one_relation(), st.integers(0, 5))
def test_so_is_one_erased_from_a_relation_that_was_thought_to_be_another(things: list[Told], pick: int) -> None:
    asyncio.run(check_erased(things, pick))


async def check_erased(things: list[Told], pick: int) -> None:
    gone = things[pick % len(things)]
    rest = [t for t in things if t is not gone]
    async with History() as erased, History() as never:
        await erased.tell_all(things)
        await erased.memory.erase(episode_id=gone.episode_id)
        await never.tell_all(rest)
        for number in range(len(things)):
            assert await erased.view(number) == await never.view(number)
        assert await erased.memory.verify() == []


@settings(max_examples=60, deadline=None)
@given(told_things(2) | told_of_one_relation(), st.integers(0, 5))
def test_a_retracted_episode_is_as_if_never_told_from_then_on_and_only_then(things: list[Told], pick: int) -> None:
    async def check() -> None:
        gone = things[pick % len(things)]
        rest = [t for t in things if t is not gone]
        async with History() as retracted, History() as never:
            await retracted.tell_all(things)
            before = [await retracted.view(number) for number in range(len(things))]
            retracted.clock.set(day("2030-02-01"))
            await retracted.memory.retract(episode_id=gone.episode_id)
            await never.tell_all(rest)
            assert await retracted.view(60) == await never.view(60)
            assert [await retracted.view(number) for number in range(len(things))] == before

    asyncio.run(check())


@settings(max_examples=60, deadline=None)
@given(told_things(1) | told_of_one_relation(), st.permutations(range(6)))
def test_what_is_believed_in_the_end_is_the_fold_of_the_active_claims_in_any_order(
    things: list[Told], order: list[int]
) -> None:
    async def check() -> None:
        async with History() as history:
            for position in order:
                if position < len(things):
                    await history.tell(things[position])
            claims = await history.store.claims("default")
            names = {c.claim.relation for c in claims} - {HAS_RIVALRY}
            expected = {
                identity(row)
                for n in names
                for row in fold([c.claim for c in claims if c.claim.relation == n], as_told(n, claims))
            }
            versions = await history.store.versions_of("default", sorted({c.fact_id for c in claims}))
            standing = [v for v in versions if v.expired_at == MAX]
            assert {identity(v) for v in standing} == expected
            assert len(standing) == len(expected)

    asyncio.run(check())


@settings(max_examples=30, deadline=None)
@given(told_things(1))
def test_telling_everything_again_changes_nothing(things: list[Told]) -> None:
    async def check() -> None:
        async with History() as history:
            await history.tell_all(things)
            before = await history.memory.digest()
            await history.tell_all(things)
            assert await history.memory.digest() == before

    asyncio.run(check())
