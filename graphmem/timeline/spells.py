"""Spells: the claims of one fact that speak of one stretch of its being so, and the bounds they give it (R14 to R18)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.timeline.claims import Relation, Rivalry
from graphmem.timeline.cover import Stretch
from graphmem.timeline.instants import MIN, Instant
from graphmem.timeline.rivalry import Fact, RivalMarks
from graphmem.timeline.testimony import Order, Testimony, certain_from

__all__ = ["FactSpells", "RivalBeginnings", "Spell", "narrow_starts", "spells_of"]


@dataclass(kw_only=True, slots=True, eq=False)
class Spell:
    """Claims of one fact that touch, or whose gap default extension bridges (R14). Changes only while this module settles it."""

    fact: Fact
    inferred: bool
    """All its HOLDs are conclusions: it has default coverage only (R33)."""
    begins_at: Instant
    """The earliest beginning of its HOLDs, as told."""
    follows: Spell | None = None
    """The spell whose range this one's range continues without a gap (R14a)."""
    holds: list[Testimony] = field(default_factory=list)
    stops: list[Testimony] = field(default_factory=list)
    brakes: list[Testimony] = field(default_factory=list)
    """Inferred STOPs on stated testimony, by when it is over: they end its default extension only (R33)."""
    start: Stretch | None = None
    end: Stretch | None = None
    since: Instant = MIN
    """Canonical start: of its start granule, without one the ref of its first evidence (R4)."""
    told_until: Instant = MIN
    """Until when those vouch who told of its end (R10)."""
    support: frozenset[str] = frozenset()
    """Ids of its claims (R30); a trusted STOP that ends an untrusted spell does not support it (R34)."""

    def vouched_until(self, hold: Testimony) -> Instant:
        """Until when this HOLD covers explicitly (R10)."""
        until = max(hold.ref, self.since) + 1
        return until if self.end is None else min(self.end[1], max(until, self.told_until))

    def newest_first(self) -> list[Testimony]:
        return sorted(self.holds, key=_order, reverse=True)


class FactSpells(NamedTuple):
    """The spells of one fact, in order of their beginning, and the STOPs that found none to end."""

    stated: Sequence[Spell]
    inferred: Sequence[Spell]
    orphans: Sequence[Testimony]


class RivalBeginnings(NamedTuple):
    """Where the HOLDs of a relation begin: the stated ones, which alone cut stated spells (R33), and all of them."""

    stated: RivalMarks[Instant]
    every: RivalMarks[Instant]


def spells_of(said: Sequence[Testimony], beginnings: RivalBeginnings) -> FactSpells:
    """The settled spells of one fact, from all its testimony."""
    stops = [t for t in said if not t.is_hold]
    if len(stops) > 1:
        stops.sort(key=lambda t: (t.over_at, t.order))
    holds = [t for t in said if t.is_hold]
    if len(holds) > 1:
        holds.sort(key=lambda t: (t.begins_at, t.order))
    stated = _cut([t for t in holds if not t.inferred], [t for t in stops if not t.inferred], beginnings.stated)
    inferred = _cut([t for t in holds if t.inferred], stops, beginnings.every)
    orphans = [stop for stop in stops if not _end_latest(stop, stated, inferred)]
    for spell in (*stated, *inferred):
        _settle(spell)
    return FactSpells(stated, inferred, orphans)


def _order(testimony: Testimony) -> Order:
    return testimony.order


# ---- R14: which claims are one spell


class _Growing:
    """A spell while claims are added to it in the order of their beginnings."""

    __slots__ = ("first_range_end", "is_open", "newest", "newest_stop", "reach", "spell")

    def __init__(self, first: Testimony, follows: Spell | None) -> None:
        self.spell = Spell(fact=first.fact, inferred=first.inferred, begins_at=first.begins_at, follows=follows)
        self.reach = MIN
        self.is_open = True
        self.newest = first.order
        self.newest_stop: Order | None = None
        self.first_range_end: Instant | None = None
        self.add(first)

    def add(self, hold: Testimony) -> None:
        self.spell.holds.append(hold)
        self.reach = max(self.reach, hold.begins_at, hold.ref) if hold.end is None else max(self.reach, hold.end[1])
        self.is_open = self.is_open and hold.end is None
        self.newest = max(self.newest, hold.order)
        if hold.is_range and (self.first_range_end is None or hold.over_at < self.first_range_end):
            self.first_range_end = hold.over_at

    def pass_by(self, stop: Testimony) -> None:
        """Note a STOP that falls before the next claim to be added."""
        if stop.over_at > self.spell.begins_at and (self.newest_stop is None or self.newest_stop < stop.order):
            self.newest_stop = stop.order

    @property
    def is_stopped(self) -> bool:
        return self.newest_stop is not None and self.newest_stop > self.newest

    def is_apart_from(self, hold: Testimony) -> bool:
        """Ranges that do not overlap are separate testimony, also where they touch (R14a, R15a)."""
        return hold.is_range and self.first_range_end is not None and self.first_range_end <= hold.begins_at

    def continued_by(self, hold: Testimony) -> Spell | None:
        """This spell, if the range goes on where a range of it ends; two touching occasions are two events."""
        touches = not hold.is_occasion and any(
            t.is_range and not t.is_occasion and t.over_at == hold.begins_at for t in self.spell.holds
        )
        return self.spell if touches else None


def _cut(holds: Sequence[Testimony], stops: Sequence[Testimony], beginnings: RivalMarks[Instant]) -> list[Spell]:
    spells: list[Spell] = []
    growing: _Growing | None = None
    passed = 0
    for hold in holds:
        while passed < len(stops) and stops[passed].over_at <= hold.begins_at:
            if growing:
                growing.pass_by(stops[passed])
            passed += 1
        is_apart = growing is not None and growing.is_apart_from(hold)
        if growing and not is_apart and (hold.begins_at <= growing.reach or _is_bridged(growing, hold, beginnings)):
            growing.add(hold)
        else:
            growing = _Growing(hold, growing.continued_by(hold) if growing and is_apart else None)
            spells.append(growing.spell)
    return spells


def _is_bridged(growing: _Growing, hold: Testimony, beginnings: RivalMarks[Instant]) -> bool:
    """Whether default extension bridges the gap: nothing ended the spell, no newer STOP and no rival begins before the claim."""
    if not growing.is_open or growing.is_stopped:
        return False
    rival = beginnings.latest_before(hold.begins_at + 1, hold.fact)
    return rival is None or rival <= growing.spell.begins_at


# ---- R18: which spell a STOP ends


def _end_latest(stop: Testimony, stated: Sequence[Spell], inferred: Sequence[Spell]) -> bool:
    """Hand the STOP to the latest spell begun before it; whether there was one.

    A stated STOP ends a stated and an inferred spell alike. An inferred one ends the later of the two, and of a stated
    spell only the default extension (R33).
    """
    hits = [spell for spell in (_begun_before(stop.over_at, stated), _begun_before(stop.over_at, inferred)) if spell]
    if stop.inferred and hits:
        hits = [max(hits, key=lambda spell: spell.begins_at)]
    for spell in hits:
        (spell.brakes if stop.inferred and not spell.inferred else spell.stops).append(stop)
    return bool(hits)


def _begun_before(moment: Instant, spells: Sequence[Spell]) -> Spell | None:
    i = bisect_left(spells, moment, key=lambda spell: spell.begins_at)
    return spells[i - 1] if i else None


# ---- R15, R16: the bounds of a spell


def _settle(spell: Spell) -> None:
    newest = [*spell.holds, *spell.stops]
    if len(newest) > 1:
        newest.sort(key=_order, reverse=True)
    spell.start = _refined([t.start for t in newest if t.is_hold and t.start])
    spell.since = min([t.ref for t in newest]) if spell.start is None else certain_from(spell.start)
    spell.end = _refined(_standing_ends(spell, newest))
    if spell.end and spell.start and spell.end[1] <= spell.since:
        spell.end = None
    spell.support = frozenset([t.claim_id for t in newest if t.trusted is spell.holds[0].trusted])
    spell.told_until = max([t.ref + 1 for t in newest if t.end or not t.is_hold], default=MIN)


def _refined(newest_first: Iterable[Stretch]) -> Stretch | None:
    """The newest stretch, narrowed by the older ones that intersect it; a disjoint older one is a corrected date (R15)."""
    refined: Stretch | None = None
    for stretch in newest_first:
        if refined is None:
            refined = stretch
            continue
        lo, hi = max(refined[0], stretch[0]), min(refined[1], stretch[1])
        if lo < hi:
            refined = (lo, hi)
    return refined


def _standing_ends(spell: Spell, newest_first: Sequence[Testimony]) -> Iterator[Stretch]:
    """The ends told, newest first, without those that a newer open claim cancels by vouching for a later instant (R16)."""
    mentions = sorted(hold.ref for hold in spell.holds if hold.end is None)
    vouched = MIN - 1
    for t in newest_first:
        if t.is_hold and t.end is None:
            vouched = max(vouched, t.ref, t.begins_at)
        elif vouched < t.over_at:
            yield t.end or _since_last_mention(t.ref, mentions, spell)


def _since_last_mention(ref: Instant, mentions: Sequence[Instant], spell: Spell) -> Stretch:
    """When an undated STOP or PAST ended it: between the last evidence and its own ref (R5, R18)."""
    i = bisect_left(mentions, ref)
    lo = mentions[i - 1] if i else MIN if spell.start is None else spell.since
    return (lo, max(ref, lo + 1))


# ---- R17: stated evidence for a rival inside a start granule


def narrow_starts(spells: Sequence[Spell], relation: Relation) -> None:
    """Narrow start granules to what follows the last older evidence for a rival inside them.

    This comes before the spells are cut into rows, so that one fact never becomes two touching rows (R17a). A granule open
    to the past ("by X") is left: what is certain begins with X anyway.
    """
    narrowable = [(spell, spell.start) for spell in spells if spell.start and spell.start[0] > MIN]
    if not narrowable or relation.rivalry is Rivalry.NONE:
        return
    evidence = RivalMarks(
        (
            (hold.order, spell.fact)
            for spell in spells
            if not spell.inferred and spell.end is None
            for hold in spell.holds
        ),
        relation,
    )
    for spell, (lo, hi) in narrowable:
        _narrow_start(spell, lo, hi, evidence)


def _narrow_start(spell: Spell, lo: Instant, hi: Instant, evidence: RivalMarks[Order]) -> None:
    dated_by = max(hold.order for hold in spell.holds if hold.start)
    own = max((t.ref for t in spell.holds if t.start is None and t.order < dated_by), default=MIN)
    rival = evidence.latest_before(min(dated_by, (hi - 1, MIN, "")), spell.fact)
    if rival is not None and rival[0] >= lo and rival[0] > own:
        spell.start = (rival[0] + 1, hi)
        spell.since = rival[0] + 1
