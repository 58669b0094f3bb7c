"""Where facts come from and how belief in them changed: evidence, histories and differences between two moments of knowing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphmem.errors import Erased, NotFound
from graphmem.model import BEST_KNOWN, DatedFact, Episode, FactVersion, StoredClaim
from graphmem.ports import Store
from graphmem.retrieve.reads import dated_facts
from graphmem.timeline.instants import MAX, Instant, to_datetime

__all__ = ["BeliefChange", "ChangeKind", "Evidence", "evidence_for", "history_of", "read_belief_changes"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One claim about a fact, with the episode that made it and the words that say it."""

    claim: StoredClaim
    episode: Episode
    sentence: str
    """The part of the episode's text the claim rests on; the whole text when it is not known."""

    @property
    def said_at(self) -> datetime | None:
        return to_datetime(self.episode.said_at)

    @property
    def is_retracted(self) -> bool:
        return self.claim.retracted_at != MAX

    @property
    def told_by(self) -> str | None:
        """Who says so, where it is not the episode's speaker."""
        return self.claim.told_by


class ChangeKind(StrEnum):
    """What became of a fact between two moments of knowing."""

    ADDED = "added"
    CLOSED = "closed"
    REDATED = "redated"


@dataclass(frozen=True, kw_only=True, slots=True)
class BeliefChange:
    """One fact that was believed otherwise at the later of two moments of knowing."""

    kind: ChangeKind
    fact_id: str
    before: tuple[DatedFact, ...]
    """Its versions as known at the earlier moment, by valid_at; empty for ADDED."""
    after: tuple[DatedFact, ...]
    """Its versions as known at the later moment; empty for CLOSED."""


async def evidence_for(store: Store, group_id: str, fact_id: str) -> list[Evidence]:
    """Every claim ever made about a fact, oldest testimony first, retracted ones marked.

    Raises NotFound for an unknown fact, Erased for one that was erased.
    """
    await existing_fact(store, group_id, fact_id)
    claims = await store.claims(group_id, fact_ids=[fact_id])
    ids = list(dict.fromkeys(c.episode_id for c in claims if c.episode_id))
    episodes = {e.episode_id: e for e in await store.episodes(group_id, ids)}
    return [
        Evidence(claim=c, episode=episodes[c.episode_id], sentence=_sentence(c, episodes[c.episode_id]))
        for c in claims
        if c.episode_id in episodes
    ]


async def history_of(store: Store, group_id: str, fact_id: str) -> list[DatedFact]:
    """Every version a fact ever had, in the order the memory came to believe them.

    Raises NotFound for an unknown fact, Erased for one that was erased.
    """
    await existing_fact(store, group_id, fact_id)
    versions = await store.versions_of(group_id, [fact_id])
    read: list[DatedFact] = []
    for version in versions:
        read.extend(await dated_facts(store, [version], min(version.expired_at - 1, BEST_KNOWN)))
    return read


async def read_belief_changes(
    store: Store, group_ids: Sequence[str], known_a: Instant, known_b: Instant
) -> list[BeliefChange]:
    """What the memory came to believe otherwise after `known_a` and up to `known_b`, by fact, in order of the first change."""
    touched = await store.changed_between(group_ids, known_a, known_b)
    by_fact: defaultdict[tuple[str, str], None] = defaultdict()
    for version in touched:
        by_fact.setdefault((version.group_id, version.fact_id))
    changes: list[BeliefChange] = []
    for group_id, fact_id in by_fact:
        versions = await store.versions_of(group_id, [fact_id])
        before = await dated_facts(store, _known(versions, known_a), known_a)
        after = await dated_facts(store, _known(versions, known_b), known_b)
        if {f.version.version_id for f in before} != {f.version.version_id for f in after}:
            changes.append(
                BeliefChange(kind=_kind(before, after), fact_id=fact_id, before=tuple(before), after=tuple(after))
            )
    return changes


async def existing_fact(store: Store, group_id: str, fact_id: str) -> None:
    if await store.facts(group_id, [fact_id]):
        return
    if await store.tombstones(group_id, [fact_id]):
        raise Erased(f"fact {fact_id!r} of group {group_id!r} was erased")
    raise NotFound(f"no fact {fact_id!r} in group {group_id!r}")


def _known(versions: Sequence[FactVersion], known_at: Instant) -> list[FactVersion]:
    return [v for v in versions if v.created_at <= known_at < v.expired_at]


def _kind(before: Sequence[DatedFact], after: Sequence[DatedFact]) -> ChangeKind:
    if not before:
        return ChangeKind.ADDED
    return ChangeKind.REDATED if after else ChangeKind.CLOSED


def _sentence(claim: StoredClaim, episode: Episode) -> str:
    if claim.quote is None:
        return episode.text
    begin, end = claim.quote
    return episode.text[begin:end]
