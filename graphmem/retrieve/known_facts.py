"""What a parser may know of the graph: which facts touch an entity, so that ambiguous words fall into place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from graphmem.model import Scope, Window
from graphmem.retrieve.query import FactReader
from graphmem.timeline.claims import FactKey
from graphmem.timeline.instants import Instant

__all__ = ["KnownFacts", "read_known_facts"]

_MOST_FACTS = 2_000
_MOST_NEIGHBOURS = 200


class KnownFacts:
    """Which facts touch an entity, whenever they held; they were read beforehand."""

    def __init__(self, facts: Iterable[FactKey]) -> None:
        self._touching: defaultdict[str, dict[FactKey, None]] = defaultdict(dict)
        for fact in facts:
            self._touching[fact.subject][fact] = None
            self._touching[fact.object][fact] = None

    def touching(self, entity_id: str) -> Sequence[FactKey]:
        """Facts with the entity as subject or object; empty when none is known."""
        return tuple(self._touching.get(entity_id, ()))


async def read_known_facts(
    reader: FactReader, entity_ids: Sequence[str], *, group_ids: Sequence[str], known_at: Sequence[Instant]
) -> KnownFacts:
    """The facts that touch the entities or their neighbours, as known at any of these moments, at most a few thousand."""
    facts: dict[FactKey, None] = {}
    for moment in dict.fromkeys(known_at):
        scope = Scope(group_ids=tuple(group_ids), window=Window(), known_at=moment, possible=True)
        ends = list(dict.fromkeys(entity_ids))
        for _ in range(2):
            if not ends:
                break
            near = [dated.fact.key for dated in await reader(scope, touching=ends, limit=_MOST_FACTS)]
            facts.update(dict.fromkeys(near))
            ends = list({end: None for key in near for end in (key.subject, key.object)})[:_MOST_NEIGHBOURS]
    return KnownFacts(facts)
