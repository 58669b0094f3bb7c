"""What a search gives: the things it found, which lanes saw each and at which rank, and what it could not do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphmem.model import DatedFact, Entity, Episode, Scope
from graphmem.ports import ItemKey, SearchTarget, Store, Turn
from graphmem.retrieve.fusion import LaneRank, Ranked
from graphmem.retrieve.reads import read_facts
from graphmem.side_by_side import side_by_side

__all__ = [
    "MAX_LIMIT",
    "MAX_NEIGHBOURS",
    "Contents",
    "Findings",
    "Found",
    "contents_of",
    "fetched",
    "turns_of",
]

MAX_LIMIT = 1_000
MAX_NEIGHBOURS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One thing a search found: exactly one of `facts` (the versions of one fact in the scope), `entity`, `episode`."""

    target: SearchTarget
    item_id: str
    group_id: str
    rank: int
    score: float
    """Of the last step of the recipe; scores of different recipes cannot be compared."""
    nearness: float | None = None
    """How near it is to the text, from -1 to 1, whatever else was found: what a minimum is compared with. None: no vector."""
    facts: tuple[DatedFact, ...] = ()
    entity: Entity | None = None
    episode: Episode | None = None
    lanes: tuple[LaneRank, ...] = ()
    """Which lanes saw it, and at which rank."""
    before: tuple[Episode, ...] = ()
    """Of an episode, where asked for: the turns of its session before it, oldest first."""
    after: tuple[Episode, ...] = ()


class Findings(list[Found]):
    """What a search found, best first, and what to know about it."""

    def __init__(self, found: Iterable[Found] = (), *, recipe: str = "", notes: Sequence[str] = ()) -> None:
        super().__init__(found)
        self.recipe = recipe
        """The name of the recipe."""
        self.notes = tuple(notes)
        """What the search could not do, one sentence each: no embedder, items that wait for their vectors."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """What the things found stand for, as far as it was read."""

    facts: Mapping[ItemKey, Sequence[DatedFact]] = field(default_factory=dict)
    """The versions of each fact in the scope."""
    entities: Mapping[ItemKey, Entity] = field(default_factory=dict)
    turns: Mapping[ItemKey, Turn] = field(default_factory=dict)

    def __contains__(self, key: ItemKey) -> bool:
        return key in self.facts or key in self.entities or key in self.turns

    def joined(self, other: Contents) -> Contents:
        """Both together."""
        return Contents(
            facts={**self.facts, **other.facts},
            entities={**self.entities, **other.entities},
            turns={**self.turns, **other.turns},
        )


async def contents_of(store: Store, scope: Scope, keys: Iterable[ItemKey]) -> Contents:
    """What these things stand for, so far as they are there; read at once."""
    of_kind: defaultdict[SearchTarget, list[ItemKey]] = defaultdict(list)
    for key in keys:
        of_kind[key.target].append(key)
    if not of_kind:
        return Contents()
    if of_kind.keys() == {SearchTarget.FACT}:  # as it mostly is: episodes were read before
        return Contents(facts=await _facts(store, scope, of_kind[SearchTarget.FACT]))
    async with side_by_side() as reads:
        facts = reads.create_task(_facts(store, scope, of_kind[SearchTarget.FACT]))
        entities = reads.create_task(_entities(store, of_kind[SearchTarget.ENTITY]))
        turns = reads.create_task(turns_of(store, scope, of_kind[SearchTarget.EPISODE]))
    return Contents(facts=facts.result(), entities=entities.result(), turns=turns.result())


async def turns_of(store: Store, scope: Scope, keys: Iterable[ItemKey]) -> Mapping[ItemKey, Turn]:
    """Those of the things that are episodes and are there."""
    episodes = [key for key in keys if key.target is SearchTarget.EPISODE]
    return await store.turns(scope, episodes) if episodes else {}


async def fetched(
    store: Store, scope: Scope, ranked: Sequence[Ranked], known: Contents, *, neighbours: int = 0
) -> list[Found]:
    """The hits with what they stand for, in order; episodes with so many turns of their session on either side.

    `known`: what was read before, which is not read again. What was erased since it was found is left out.
    """
    missing = [hit.key for hit in ranked if hit.key not in known]
    if missing:
        known = known.joined(await contents_of(store, scope, missing))
    episodes = [hit.key for hit in ranked if hit.key in known.turns]
    around = await _turns_around(store, scope, known.turns, episodes, neighbours) if neighbours else {}
    return [
        Found(
            target=hit.key.target,
            item_id=hit.key.item_id,
            group_id=hit.key.group_id,
            rank=rank,
            score=hit.score,
            nearness=hit.nearness,
            facts=tuple(known.facts.get(hit.key, ())),
            entity=known.entities.get(hit.key),
            episode=known.turns[hit.key].episode if hit.key in known.turns else None,
            lanes=hit.lanes,
            before=around[hit.key][0] if hit.key in around else (),
            after=around[hit.key][1] if hit.key in around else (),
        )
        for rank, hit in enumerate((hit for hit in ranked if hit.key in known), start=1)
    ]


async def _facts(store: Store, scope: Scope, keys: Sequence[ItemKey]) -> dict[ItemKey, list[DatedFact]]:
    facts: defaultdict[ItemKey, list[DatedFact]] = defaultdict(list)
    if keys:
        for fact in await read_facts(store, scope, fact_ids=[key.item_id for key in keys]):
            facts[ItemKey(fact.fact.group_id, SearchTarget.FACT, fact.fact.fact_id)].append(fact)
    return facts


async def _entities(store: Store, keys: Sequence[ItemKey]) -> dict[ItemKey, Entity]:
    by_group: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_group[key.group_id].append(key.item_id)
    async with side_by_side() as reads:
        found = [reads.create_task(store.entities(group_id, ids)) for group_id, ids in sorted(by_group.items())]
    return {
        ItemKey(entity.group_id, SearchTarget.ENTITY, entity.entity_id): entity
        for task in found
        for entity in task.result()
    }


async def _turns_around(
    store: Store, scope: Scope, turns: Mapping[ItemKey, Turn], keys: Sequence[ItemKey], reach: int
) -> dict[ItemKey, tuple[tuple[Episode, ...], tuple[Episode, ...]]]:
    """The turns before and after each of these, up to `reach` on either side, oldest first."""
    known = dict(turns)
    frontier = list(keys)
    for _ in range(reach):
        frontier = [other for key in frontier if key in known for other in known[key][1:] if other is not None]
        missing = dict.fromkeys(key for key in frontier if key not in known)
        if missing:
            known.update(await store.turns(scope, list(missing)))
    around: dict[ItemKey, tuple[tuple[Episode, ...], tuple[Episode, ...]]] = {}
    for key in keys:
        before, after = _chain(known, key, reach, is_back=True), _chain(known, key, reach, is_back=False)
        around[key] = tuple(reversed(before)), tuple(after)
    return around


def _chain(known: Mapping[ItemKey, Turn], key: ItemKey, reach: int, *, is_back: bool) -> list[Episode]:
    """The turns one way from an episode, nearest first."""
    chain: list[Episode] = []
    turn: Turn | None = known[key]
    while turn is not None and len(chain) < reach:
        other = turn.before if is_back else turn.after
        turn = None if other is None else known.get(other)
        if turn is not None:
            chain.append(turn.episode)
    return chain
