"""What a search gives: the things it found, which lanes saw each and at which rank, and what it could not do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphmem.errors import InvalidLimit
from graphmem.model import DatedFact, Entity, Episode, Scope
from graphmem.ports import Adjacent, ItemKey, SearchTarget, Store
from graphmem.retrieve.fusion import LaneRank, Ranked
from graphmem.retrieve.reads import read_facts

__all__ = ["MAX_LIMIT", "MAX_NEIGHBOURS", "Findings", "Found", "check_limit", "fetched"]

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


def check_limit(limit: object, largest: int = MAX_LIMIT) -> int:
    """The limit, if it is a whole number from 1 to `largest`. Raises InvalidLimit."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= largest:
        raise InvalidLimit(f"limit must be a whole number from 1 to {largest:,}, not {limit!r:.40}")
    return limit


async def fetched(store: Store, scope: Scope, ranked: Sequence[Ranked], *, neighbours: int = 0) -> list[Found]:
    """The hits with what they stand for, in order; episodes with so many turns of their session on either side."""
    facts = await _facts(store, scope, [hit.key for hit in ranked if hit.key.target is SearchTarget.FACT])
    entities: dict[ItemKey, Entity] = {}
    episodes: dict[ItemKey, Episode] = {}
    for (target, group_id), ids in _by_place(ranked).items():
        if target is SearchTarget.ENTITY:
            entities |= {_key(group_id, target, e.entity_id): e for e in await store.entities(group_id, ids)}
        elif target is SearchTarget.EPISODE:
            episodes |= {_key(group_id, target, e.episode_id): e for e in await store.episodes(group_id, ids)}
    around = await _turns_around(store, scope, list(episodes), neighbours) if neighbours else {}
    return [
        Found(
            target=hit.key.target,
            item_id=hit.key.item_id,
            group_id=hit.key.group_id,
            rank=rank,
            score=hit.score,
            nearness=hit.nearness,
            facts=tuple(facts.get(hit.key, ())),
            entity=entities.get(hit.key),
            episode=episodes.get(hit.key),
            lanes=hit.lanes,
            before=around[hit.key][0] if hit.key in around else (),
            after=around[hit.key][1] if hit.key in around else (),
        )
        for rank, hit in enumerate(ranked, start=1)
    ]


async def _facts(store: Store, scope: Scope, keys: Sequence[ItemKey]) -> dict[ItemKey, list[DatedFact]]:
    facts: defaultdict[ItemKey, list[DatedFact]] = defaultdict(list)
    if keys:
        for fact in await read_facts(store, scope, fact_ids=[key.item_id for key in keys]):
            facts[_key(fact.fact.group_id, SearchTarget.FACT, fact.fact.fact_id)].append(fact)
    return facts


async def _turns_around(
    store: Store, scope: Scope, keys: Sequence[ItemKey], reach: int
) -> dict[ItemKey, tuple[tuple[Episode, ...], tuple[Episode, ...]]]:
    """The turns before and after each episode, up to `reach` on either side, oldest first."""
    around: dict[ItemKey, tuple[tuple[Episode, ...], tuple[Episode, ...]]] = {}
    by_group: defaultdict[str, list[ItemKey]] = defaultdict(list)
    for key in keys:
        by_group[key.group_id].append(key)
    for group_id, members in by_group.items():
        known = await _adjacency(store, scope, group_id, [key.item_id for key in members], reach)
        chains = {
            key: (_chain(known, key.item_id, reach, is_back=True), _chain(known, key.item_id, reach, is_back=False))
            for key in members
        }
        ids = dict.fromkeys(i for before, after in chains.values() for i in (*before, *after))
        turns = {episode.episode_id: episode for episode in await store.episodes(group_id, list(ids))}
        for key, (before, after) in chains.items():
            around[key] = tuple(turns[i] for i in reversed(before)), tuple(turns[i] for i in after)
    return around


async def _adjacency(store: Store, scope: Scope, group_id: str, ids: Sequence[str], reach: int) -> dict[str, Adjacent]:
    known: dict[str, Adjacent] = {}
    frontier = list(ids)
    for _ in range(reach):
        known |= await store.adjacent_episodes(scope, group_id, frontier)
        near = dict.fromkeys(i for a in known.values() for i in (a.before, a.after) if i is not None)
        frontier = [i for i in near if i not in known]
        if not frontier:
            break
    return known


def _chain(known: dict[str, Adjacent], episode_id: str, reach: int, *, is_back: bool) -> list[str]:
    """The ids one way from an episode, nearest first."""
    chain: list[str] = []
    at: str | None = episode_id
    while at in known and len(chain) < reach:
        at = known[at].before if is_back else known[at].after
        if at is not None:
            chain.append(at)
    return chain


def _by_place(ranked: Sequence[Ranked]) -> dict[tuple[SearchTarget, str], list[str]]:
    places: defaultdict[tuple[SearchTarget, str], list[str]] = defaultdict(list)
    for hit in ranked:
        places[hit.key.target, hit.key.group_id].append(hit.key.item_id)
    return places


def _key(group_id: str, target: SearchTarget, item_id: str) -> ItemKey:
    return ItemKey(group_id=group_id, target=target, item_id=item_id)
