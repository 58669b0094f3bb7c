"""Taking content out for good: what goes, what stays, and the history of what stays told anew at its old times (R31)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from graphmem.ingest.fold_state import FoldState, read_fold_state
from graphmem.ingest.withdraw import next_tau
from graphmem.model import Entity, Erasure, Fact, FactVersion, Name, Scope, StoredClaim, Support, Tombstone
from graphmem.ports import Clock, GroupState, SearchTarget, Store
from graphmem.relations import fact_text
from graphmem.terms import terms
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import MAX, MIN, Instant

__all__ = ["ErasureTargets", "names_of", "plan_erasure", "replay", "still_named_in", "whole_group_erasure"]

MOST_EPISODES_LOOKED_AT = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ErasureTargets:
    """What is to go: whole episodes with all they state, single claims, and what gets a tombstone."""

    kind: str
    target_ids: tuple[str, ...]
    episode_ids: tuple[str, ...] = ()
    claim_ids: tuple[str, ...] = ()


async def names_of(store: Store, group_id: str, entity_ids: Sequence[str]) -> tuple[str, ...]:
    """Every name these entities are called by, each once."""
    entities = [entity.name for entity in await store.entities(group_id, entity_ids)]
    names = [name.spelling for name in await store.names_of(group_id, entity_ids)]
    return tuple(dict.fromkeys([*entities, *names]))


async def still_named_in(store: Store, group_id: str, names: Iterable[str]) -> tuple[str, ...]:
    """The episodes of the group that hold one of these names as a word, in any case, or are spoken by it; by id.

    Nobody read them as speaking of the entity: a name may be a common word ("Will"), so whether they go too is not for us to say.
    """
    found: set[str] = set()
    for name in names:
        scope = Scope(group_ids=(group_id,))
        hits = await store.search_text(SearchTarget.EPISODE, terms(name), scope, limit=MOST_EPISODES_LOOKED_AT)
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        episodes = await store.episodes(group_id, [hit.item_id for hit in hits])
        found.update(e.episode_id for e in episodes if word.search(e.text) or word.search(e.speaker or ""))
    return tuple(sorted(found))


async def plan_erasure(
    store: Store,
    clock: Clock,
    relation_of: Callable[[str], Relation],
    group_id: str,
    targets: ErasureTargets,
    reason: str,
) -> Erasure:
    """The erasure that leaves the group as if the targets had never been told; nothing is written yet."""
    gone = await _claims_gone(store, group_id, targets)
    state = await read_fold_state(store, group_id, [c.claim for c in gone.values()], relation_of, is_replay=True)
    kept = [c for c in state.claims() if c.claim.claim_id not in gone]
    versions, support = replay(group_id, kept, relation_of)
    replayed = {c.fact_id for c in kept}
    ends = {end for c in gone.values() for end in (c.claim.subject, c.claim.object)}
    entities = await _EntityFate.read(store, group_id, ends, set(gone), set(targets.episode_ids))
    tau = next_tau(clock, state.tau)
    return Erasure(
        group_id=group_id,
        based_on=state.tau,
        tau=tau,
        tombstones=await _tombstones(store, group_id, targets, tau, reason),
        claim_ids=tuple(sorted(gone)),
        episode_ids=targets.episode_ids,
        entity_ids=entities.unreferenced,
        names=entities.lost_names,
        replayed=tuple(sorted(replayed)),
        dropped=tuple(sorted({c.fact_id for c in gone.values()} - replayed)),
        renamed=entities.renamed,
        reworded=await _reworded(store, group_id, entities.renamed, set(gone), relation_of),
        versions=versions,
        support=support,
    )


def whole_group_erasure(group: GroupState, clock: Clock, reason: str) -> Erasure:
    """The erasure that takes out everything of a group."""
    tau = next_tau(clock, group.tau)
    stone = Tombstone(group_id=group.group_id, target_id=group.group_id, kind="group", tau=tau, reason=reason)
    return Erasure(group_id=group.group_id, based_on=group.tau, tau=tau, tombstones=(stone,), whole_group=True)


def replay(
    group_id: str, claims: Iterable[StoredClaim], relation_of: Callable[[str], Relation]
) -> tuple[tuple[FactVersion, ...], tuple[Support, ...]]:
    """All versions and links that these claims and their retractions gave, each at its old transaction time."""
    told: defaultdict[Instant, list[StoredClaim]] = defaultdict(list)
    withdrawn: defaultdict[Instant, list[str]] = defaultdict(list)
    for claim in claims:
        told[claim.tau].append(replace(claim, retracted_at=MAX))
        if claim.retracted_at != MAX:
            withdrawn[claim.retracted_at].append(claim.claim.claim_id)
    state = FoldState(group_id, MIN, relation_of)
    versions: dict[str, FactVersion] = {}
    links: dict[tuple[str, str], list[Support]] = defaultdict(list)
    for tau in sorted({*told, *withdrawn}):
        for diff in (state.add(told[tau], tau), state.withdraw(withdrawn[tau], tau)):
            for gone in diff.expire:
                versions[gone.version_id] = replace(versions[gone.version_id], expired_at=tau)
            versions.update((v.version_id, v) for v in diff.versions)
            for link in diff.unsupport:
                links[link][-1] = replace(links[link][-1], expired_at=tau)
            for version_id, claim_id in diff.support:
                links[version_id, claim_id].append(Support(version_id=version_id, claim_id=claim_id, created_at=tau))
    lasting = {v.version_id: v for v in versions.values() if v.created_at < v.expired_at}
    kept_links = [s for some in links.values() for s in some if s.version_id in lasting and s.created_at < s.expired_at]
    return tuple(lasting.values()), tuple(kept_links)


async def _claims_gone(store: Store, group_id: str, targets: ErasureTargets) -> dict[str, StoredClaim]:
    gone: dict[str, StoredClaim] = {}
    if targets.episode_ids:
        of_episodes = await store.claims(group_id, episode_ids=targets.episode_ids)
        gone.update((c.claim.claim_id, c) for c in of_episodes)
    if targets.claim_ids:
        single = await store.claims(group_id, claim_ids=targets.claim_ids)
        gone.update((c.claim.claim_id, c) for c in single)
    return gone


async def _tombstones(
    store: Store, group_id: str, targets: ErasureTargets, tau: Instant, reason: str
) -> tuple[Tombstone, ...]:
    digests = {e.episode_id: e.digest for e in await store.episodes(group_id, targets.episode_ids)}
    stones = {
        i: Tombstone(group_id=group_id, target_id=i, kind="episode", tau=tau, reason=reason, digest=digests.get(i, b""))
        for i in targets.episode_ids
    }
    for target_id in targets.target_ids:
        stones.setdefault(
            target_id,
            Tombstone(group_id=group_id, target_id=target_id, kind=targets.kind, tau=tau, reason=reason),
        )
    return tuple(stones.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class _EntityFate:
    """What becomes of the entities an erasure touches."""

    unreferenced: tuple[str, ...]
    lost_names: tuple[tuple[str, str], ...]
    renamed: tuple[Entity, ...]

    @classmethod
    async def read(
        cls, store: Store, group_id: str, ends: set[str], gone: set[str], erased_episodes: set[str]
    ) -> _EntityFate:
        unreferenced: list[str] = []
        lost: list[tuple[str, str]] = []
        renamed: list[Entity] = []
        for entity in await store.entities(group_id, sorted(ends)):
            claims = await store.claims(group_id, entity_ids=[entity.entity_id])
            speaking = {c.episode_id for c in claims if c.claim.claim_id not in gone and c.episode_id}
            if not any(c.claim.claim_id not in gone for c in claims):
                unreferenced.append(entity.entity_id)
                continue
            names = await store.names_of(group_id, [entity.entity_id])
            forgotten = await _forgotten(store, group_id, names, speaking, erased_episodes)
            kept = [n for n in names if n not in forgotten]
            if not kept:
                continue
            lost.extend((n.key, n.entity_id) for n in forgotten)
            if entity.name not in {n.spelling for n in kept}:
                renamed.append(replace(entity, name=kept[0].spelling))
        return cls(unreferenced=tuple(unreferenced), lost_names=tuple(lost), renamed=tuple(renamed))


async def _forgotten(
    store: Store, group_id: str, names: Sequence[Name], speaking: set[str], erased_episodes: set[str]
) -> list[Name]:
    """Names learned in an erased episode that no episode which still speaks of the entity uses."""
    doubtful = [n for n in names if n.episode_id in erased_episodes]
    if not doubtful:
        return []
    episodes = await store.episodes(group_id, sorted(speaking))
    used = " ".join(f"{e.speaker or ''} {e.text}" for e in episodes).casefold()
    return [n for n in doubtful if n.spelling.casefold() not in used]


async def _reworded(
    store: Store,
    group_id: str,
    renamed: Sequence[Entity],
    gone: set[str],
    relation_of: Callable[[str], Relation],
) -> tuple[Fact, ...]:
    """The facts of renamed entities that stay, said with the names that stay."""
    if not renamed:
        return ()
    claims = await store.claims(group_id, entity_ids=[e.entity_id for e in renamed])
    fact_ids = sorted({c.fact_id for c in claims if c.claim.claim_id not in gone})
    facts = await store.facts(group_id, fact_ids)
    ends = sorted({end for f in facts for end in (f.subject, f.object)})
    names = {e.entity_id: e.name for e in await store.entities(group_id, ends)}
    names.update((e.entity_id, e.name) for e in renamed)
    return tuple(replace(f, text=fact_text(relation_of(f.relation), names[f.subject], names[f.object])) for f in facts)
