"""The sweep once more, instant by instant as the rules say it, slow and without a trick: an oracle for the painting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from graphmem.timeline import MAX, Instant, Relation
from graphmem.timeline.cover import Stretch, joined
from graphmem.timeline.rivalry import Fact, seats_of
from graphmem.timeline.spells import Spell
from graphmem.timeline.testimony import Order

Closed = Callable[[Fact, Instant], bool]
"""Whether trusted rows keep a fact out of an instant."""


def are_rivals(one: Fact, other: Fact, relation: Relation) -> bool:
    """Whether the two are different facts that cannot both be true at one instant."""
    return one != other and not set(seats_of(one, relation)).isdisjoint(seats_of(other, relation))


def slow_sweep(
    spells: Sequence[Spell], relation: Relation, closed: Closed, edges: Iterable[Instant]
) -> list[tuple[list[Stretch], list[Stretch]]]:
    """For each spell where it holds explicitly, and where it holds at all."""
    cuts = sorted({MAX, *edges, *(cut for spell in spells for cut in _cuts(spell))})
    explicit: list[list[Stretch]] = [[] for _ in spells]
    whole: list[list[Stretch]] = [[] for _ in spells]
    carried: list[Spell] = []
    for lo, hi in pairwise(cuts):
        taken: list[Spell] = []

        def take(spell: Spell, taken: list[Spell] = taken, lo: Instant = lo) -> None:
            clashes = any(other.fact == spell.fact or are_rivals(other.fact, spell.fact, relation) for other in taken)
            if not clashes and not closed(spell.fact, lo):
                taken.append(spell)

        for _, spell in sorted(_vouching(spells, lo), key=lambda entry: entry[0], reverse=True):
            take(spell)
        told = list(taken)
        for _, spell in sorted(_beginning(spells, lo), key=lambda entry: entry[0], reverse=True):
            take(next((other for other in carried if other.fact == spell.fact), spell))
        for spell in carried:
            take(spell)
        for i, spell in enumerate(spells):
            if spell in told:
                explicit[i].append((lo, hi))
            if spell in taken:
                whole[i].append((lo, hi))
        carried = [spell for spell in taken if _goes_on_at(spell, hi)]
    return [(joined(told), joined(held)) for told, held in zip(explicit, whole, strict=True)]


def _cuts(spell: Spell) -> list[Instant]:
    cuts = [spell.since, *(spell.vouched_until(hold) for hold in spell.holds)]
    cuts += [brake.over_at for brake in spell.brakes] + [max(hold.begins_at, spell.since) for hold in spell.holds]
    return cuts + list(spell.end or ())


def _vouching(spells: Sequence[Spell], moment: Instant) -> list[tuple[Order, Spell]]:
    """The HOLDs that vouch for the instant (R10), none inside a stated end granule (R11)."""
    return [
        (hold.order, spell)
        for spell in spells
        if not spell.inferred and spell.since <= moment and not _is_inside_end(spell, moment)
        for hold in spell.holds
        if moment < spell.vouched_until(hold)
    ]


def _is_inside_end(spell: Spell, moment: Instant) -> bool:
    return spell.end is not None and spell.since < spell.end[0] <= moment


def _beginning(spells: Sequence[Spell], moment: Instant) -> list[tuple[Order, Spell]]:
    return [
        (hold.order, spell)
        for spell in spells
        if spell.inferred and _goes_on_at(spell, moment)
        for hold in spell.holds
        if max(hold.begins_at, spell.since) == moment
    ]


def _goes_on_at(spell: Spell, moment: Instant) -> bool:
    ended = spell.end is not None and spell.end[1] <= moment
    return not ended and all(brake.over_at != moment for brake in spell.brakes)
