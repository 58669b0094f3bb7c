"""A probe of the set as a query of the public API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.stories.loading import Anchored, Probe, StoryQuestion
from benchmarks.stories.moments import instant_of, window_of
from graphmem import Anchor, Hop, Memory, Position, Query, Slot

__all__ = ["query_of"]

_SLOTS: Mapping[str, Slot] = {
    "value": Slot.VALUE,
    "who": Slot.WHO,
    "path": Slot.PATH,
    "history": Slot.HISTORY,
    "nth": Slot.NTH,
    "count": Slot.COUNT,
    "rows": Slot.SPELLS,
    "past": Slot.PAST,
    "start": Slot.START,
    "end": Slot.END,
    "span": Slot.SPAN,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Names:
    """Finds entities by the names that a story gives them."""

    memory: Memory
    group_id: str
    others: Mapping[str, Sequence[str]]

    async def ids(self, name: str | None) -> tuple[str, ...] | None:
        """Ids of what is called so, by its canonical name or else by another; () for a free slot, None: never heard of."""
        if name is None:
            return ()
        for spelling in (name, *self.others.get(name, ())):
            entities = await self.memory.entities(spelling, group_ids=self.group_id)
            if entities:
                return tuple(entity.entity_id for entity in entities)
        return None


async def query_of(
    question: StoryQuestion, probe: Probe, memory: Memory, group_id: str, names: Mapping[str, Sequence[str]]
) -> Query | None:
    """The probe as a query; None when it names something the memory never heard of, so that nothing can answer it."""
    finder = _Names(memory=memory, group_id=group_id, others=names)
    subjects, objects = await finder.ids(probe.subject), await finder.ids(probe.object)
    if subjects is None or objects is None:
        return None
    anchor = None
    if probe.anchor is not None:
        anchor = await _anchor(probe.anchor, finder)
        if anchor is None:
            return None
    return Query(
        slot=_SLOTS[probe.op],
        group_ids=(group_id,),
        asked_at=question.asked_at,
        subjects=subjects,
        relations=() if probe.relation is None else (probe.relation,),
        objects=objects,
        path=tuple(_hop(step) for step in probe.path),
        n=probe.n,
        anchor=anchor,
        window=None if question.valid is None else window_of(question.valid),
        known_at=None if question.known_at is None else instant_of(question.known_at),
        possible=probe.possible,
    )


async def _anchor(anchored: Anchored, finder: _Names) -> Anchor | None:
    subjects, objects = await finder.ids(anchored.subject), await finder.ids(anchored.object)
    if subjects is None or objects is None:
        return None
    return Anchor(
        position=Position(anchored.position),
        subjects=subjects,
        relations=(anchored.relation,),
        objects=objects,
        n=anchored.n,
    )


def _hop(step: str) -> Hop:
    return Hop(relations=(step.removeprefix("^"),), inverse=step.startswith("^"))
