"""The simplest store there can be: lists in memory. What it answers is what every store must answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from graphmem.errors import (
    CommitConflict,
    EmbedderMismatch,
    InvalidInput,
    LeaseLost,
    NotFound,
    StoreUnavailable,
)
from graphmem.groups import checked_groups
from graphmem.model import (
    Changes,
    Entity,
    Episode,
    Erasure,
    Fact,
    FactVersion,
    Filter,
    Hit,
    Job,
    JobOutcome,
    JobState,
    Name,
    Retraction,
    Scope,
    StoredClaim,
    Support,
    Tombstone,
)
from graphmem.ports import (
    Acceptance,
    Edge,
    EmbeddingModel,
    Floats,
    GroupState,
    ItemKey,
    ItemVector,
    SearchTarget,
    Telling,
    TextSearch,
    TimelineRead,
    Turn,
    VectorSearch,
    Verdict,
    WholeVersion,
)
from graphmem.stores.content_digest import Content, content_digest
from graphmem.stores.search_text import entity_terms, episode_terms, fact_terms, query_terms
from graphmem.timeline.claims import FactKey, Relation
from graphmem.timeline.instants import MAX, MIN, Instant

T = TypeVar("T")
_InGroup = TypeVar("_InGroup", Episode, Entity, Fact)
_READY = (JobState.QUEUED, JobState.RETRYING, JobState.RUNNING)


@dataclass
class _State:
    relations: list[Relation] = field(default_factory=list)
    receipts: list[tuple[str, Instant, str, str]] = field(default_factory=list)
    taus: dict[str, Instant] = field(default_factory=dict)
    fences: dict[str, int] = field(default_factory=dict)
    accepted: int = 0
    episodes: list[Episode] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    mentions: list[tuple[str, str, str]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    claims: list[StoredClaim] = field(default_factory=list)
    retractions: list[Retraction] = field(default_factory=list)
    versions: list[FactVersion] = field(default_factory=list)
    support: list[tuple[str, Support]] = field(default_factory=list)
    tombstones: list[Tombstone] = field(default_factory=list)
    model: EmbeddingModel | None = None
    vectors: dict[ItemKey, ItemVector] = field(default_factory=dict)

    def copied(self) -> _State:
        return _State(**{name: copy(value) for name, value in vars(self).items()})


class OracleStore:
    """`graphmem.ports.Store` on lists. Every write works on a copy that takes the old one's place when all went well."""

    def __init__(self) -> None:
        self._state = _State()
        self._is_closed = False

    @property
    def is_far(self) -> bool:
        return False

    async def ensure_schema(self) -> None:
        self._open()

    async def close(self) -> None:
        self._is_closed = True

    def _open(self) -> _State:
        if self._is_closed:
            raise StoreUnavailable("closed")
        return self._state

    # ---- settings

    async def secret(self) -> bytes:
        self._open()
        return bytes(32)

    async def relations(self) -> Sequence[Relation]:
        return sorted(self._open().relations, key=lambda r: r.name)

    async def put_relations(self, relations: Sequence[Relation]) -> None:
        kept = {r.name: r for r in self._open().relations} | {r.name: r for r in relations}
        self._state.relations = list(kept.values())

    # ---- accept and jobs

    async def accept(
        self, episodes: Sequence[Episode], now: Instant, answers: Mapping[str, str] | None = None
    ) -> Sequence[Acceptance]:
        state = self._open().copied()
        given = [_accept(state, episode, now, (answers or {}).get(episode.episode_id)) for episode in episodes]
        self._state = state
        return given

    async def lease(
        self, *, owner: str, now: Instant, until: Instant, limit: int, group_id: str | None = None
    ) -> Sequence[Job]:
        state = self._open().copied()
        _check_limit(limit)
        busy = {j.group_id for j in state.jobs if j.state is JobState.RUNNING and j.run_after > now}
        ready = [j for j in state.jobs if j.state in _READY and j.run_after <= now and j.group_id not in busy]
        if group_id is None and ready:
            group_id = min(ready, key=lambda j: (j.run_after, j.seq)).group_id
        taken = [j for j in ready if j.group_id == group_id][:limit]
        if not taken or group_id is None:
            return []
        fence = state.fences[group_id] = state.fences.get(group_id, 0) + 1
        leased = [
            replace(j, state=JobState.RUNNING, attempts=j.attempts + 1, fence=fence, owner=owner, run_after=until)
            for j in taken
        ]
        state.jobs = [next((new for new in leased if new.seq == j.seq), j) for j in state.jobs]
        self._state = state
        return leased

    async def extend(self, *, group_id: str, fence: int, until: Instant) -> None:
        state = self._open()
        mine = [j for j in state.jobs if j.group_id == group_id and j.state is JobState.RUNNING and j.fence == fence]
        if not mine:
            raise LeaseLost(group_id)
        state.jobs = [replace(j, run_after=until) if j in mine else j for j in state.jobs]

    async def finish(self, outcome: JobOutcome) -> None:
        state = self._open().copied()
        _finish(state, outcome)
        self._state = state

    async def jobs(
        self,
        *,
        group_ids: Sequence[str] | None = None,
        states: Sequence[JobState] | None = None,
        job_ids: Sequence[str] | None = None,
        limit: int = 1_000,
    ) -> Sequence[Job]:
        groups = None if group_ids is None else checked_groups(group_ids)
        found = [
            j
            for j in self._open().jobs
            if _any(groups, j.group_id) and _any(states, j.state) and _any(job_ids, j.job_id)
        ]
        return found[: _check_limit(limit)]

    async def count_jobs(self, group_ids: Sequence[str] | None = None) -> Mapping[JobState, int]:
        found = await self.jobs(group_ids=group_ids, limit=10**9)
        return {state: sum(j.state is state for j in found) for state in JobState}

    async def next_run_at(self, group_id: str | None = None) -> Instant | None:
        times = [
            j.run_after for j in self._open().jobs if j.state in _READY and (group_id is None or j.group_id == group_id)
        ]
        return min(times, default=None)

    # ---- writing

    async def commit(self, changes: Sequence[Changes]) -> None:
        state = self._open().copied()
        if len({item.group_id for item in changes}) > 1:
            raise InvalidInput("several groups")
        for item in changes:
            if item.job is not None:
                _finish(state, item.job)
        for item in changes:
            _step(state, item.group_id, item.based_on, (item.tau, item.kind, item.note))
            _write(state, item)
        _check_references(state)
        self._state = state

    async def erase(self, erasure: Erasure) -> None:
        state = self._open().copied()
        group_id = erasure.group_id
        before = _texts(state)
        if erasure.whole_group:
            _erase_group(state, group_id)
        else:
            _erase_parts(state, erasure)
        met = {(t.group_id, t.kind, t.target_id) for t in state.tombstones}
        for tombstone in erasure.tombstones:
            if (tombstone.group_id, tombstone.kind, tombstone.target_id) not in met:
                state.tombstones.append(tombstone)
        _step(state, group_id, erasure.based_on, (erasure.tau, "erase", ""))
        _check_references(state)
        after = _texts(state)
        state.vectors = {key: v for key, v in state.vectors.items() if after.get(key) == before.get(key)}
        self._state = state

    async def scrub(self) -> None:
        self._open()

    # ---- reading for the fold

    async def read_timelines(
        self,
        group_id: str,
        *,
        facts: Sequence[FactKey] = (),
        subjects: Sequence[tuple[str, str]] = (),
        objects: Sequence[tuple[str, str]] = (),
    ) -> TimelineRead:
        state = self._open()
        claims = [
            c
            for c in await self.claims(group_id)
            if c.claim.key in facts
            or (c.claim.relation, c.claim.subject) in subjects
            or (c.claim.relation, c.claim.object) in objects
        ]
        fact_ids = {c.fact_id for c in claims}
        versions = [
            v for v in state.versions if v.group_id == group_id and v.fact_id in fact_ids and v.expired_at == MAX
        ]
        open_ids = {v.version_id for v in versions}
        support = [s for g, s in state.support if g == group_id and s.version_id in open_ids and s.expired_at == MAX]
        return TimelineRead(
            tau=state.taus.get(group_id, MIN),
            claims=sorted(claims, key=lambda c: c.claim.claim_id),
            versions=sorted(versions, key=lambda v: v.version_id),
            support=sorted(support, key=lambda s: (s.version_id, s.claim_id)),
        )

    async def claims(
        self,
        group_id: str,
        *,
        claim_ids: Sequence[str] | None = None,
        episode_ids: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        entity_ids: Sequence[str] | None = None,
        relation: str | None = None,
    ) -> Sequence[StoredClaim]:
        found = [
            _with_retraction(self._state, c)
            for c in self._open().claims
            if c.group_id == group_id
            and _any(claim_ids, c.claim.claim_id)
            and _any(episode_ids, c.episode_id)
            and _any(fact_ids, c.fact_id)
            and (_any(entity_ids, c.claim.subject) or _any(entity_ids, c.claim.object))
            and relation in (None, c.claim.relation)
        ]
        return sorted(found, key=lambda c: c.claim.order)

    # ---- reading

    async def groups(self) -> Sequence[GroupState]:
        state = self._open()
        ids = (
            {e.group_id for e in state.episodes}
            | {e.group_id for e in state.entities}
            | {f.group_id for f in state.facts}
        )
        return [await self.group(group_id) for group_id in sorted(ids)]

    async def group(self, group_id: str) -> GroupState:
        state = self._open()

        def count(items: Iterable[Episode | Entity | Fact | FactVersion | StoredClaim]) -> int:
            return sum(item.group_id == group_id for item in items)

        return GroupState(
            group_id=group_id,
            tau=state.taus.get(group_id, MIN),
            episodes=count(state.episodes),
            entities=count(state.entities),
            facts=count(state.facts),
            versions=count(state.versions),
            claims=count(state.claims),
        )

    async def episodes(self, group_id: str, episode_ids: Sequence[str]) -> Sequence[Episode]:
        return _as_asked(self._open().episodes, group_id, episode_ids, lambda e: e.episode_id)

    async def recent_episodes(
        self,
        group_ids: Sequence[str],
        *,
        limit: int,
        before: Instant | None = None,
        known_at: Instant | None = None,
        filter: Filter | None = None,
    ) -> Sequence[Episode]:
        groups = checked_groups(group_ids)
        found = [
            e
            for e in self._open().episodes
            if e.group_id in groups
            and (before is None or e.said_at < before)
            and (known_at is None or e.learned_at <= known_at)
            and _matches(e, filter or Filter())
        ]
        oldest_first = sorted(found, key=lambda e: e.said_at)
        return oldest_first[max(0, len(found) - (_check_limit(limit) or 0)) :]

    async def turns(self, scope: Scope, keys: Sequence[ItemKey]) -> Mapping[ItemKey, Turn]:
        found: dict[ItemKey, Turn] = {}
        for key in _within(scope, SearchTarget.EPISODE, keys):
            within = replace(scope, group_ids=(key.group_id,))
            seen = {item_id for item_id, _ in _seen(self._open(), SearchTarget.EPISODE, within)}
            for episode in await self.episodes(key.group_id, [key.item_id]):
                session = [
                    e for e in self._state.episodes if (e.group_id, e.session_id) == (key.group_id, episode.session_id)
                ]
                session.sort(key=lambda e: e.said_at)  # stable: they stand in order of acceptance
                at = session.index(episode)
                before = [e.episode_id for e in session[:at] if e.episode_id in seen]
                after = [e.episode_id for e in session[at + 1 :] if e.episode_id in seen]
                found[key] = Turn.of(episode, before[-1] if before else None, after[0] if after else None)
        return found

    async def entities(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Entity]:
        return _as_asked(self._open().entities, group_id, entity_ids, lambda e: e.entity_id)

    async def entities_named(self, group_ids: Sequence[str], keys: Sequence[str]) -> Sequence[Name]:
        return [n for n in await self.list_names(group_ids) if n.key in keys]

    async def names_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[Name]:
        found = [n for n in self._open().names if n.group_id == group_id and n.entity_id in entity_ids]
        return sorted(found, key=lambda n: (n.entity_id, n.key))

    async def list_names(self, group_ids: Sequence[str], *, limit: int = 100_000) -> Sequence[Name]:
        groups = checked_groups(group_ids)
        found = [n for n in self._open().names if n.group_id in groups]
        return sorted(found, key=lambda n: (n.key, n.group_id, n.entity_id))[: _check_limit(limit)]

    async def facts(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[Fact]:
        return _as_asked(self._open().facts, group_id, fact_ids, lambda f: f.fact_id)

    async def mentions_of(self, group_id: str, entity_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        return sorted((ep, en) for g, ep, en in self._open().mentions if g == group_id and en in entity_ids)

    async def versions_in_scope(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[FactVersion]:
        state = self._open()
        found = [
            v
            for v in state.versions
            if _in_scope(state, v, scope)
            and _any(subjects, v.subject)
            and _any(relations, v.relation)
            and _any(objects, v.object)
            and (_any(touching, v.subject) or _any(touching, v.object))
            and _any(fact_ids, v.fact_id)
        ]
        found.sort(key=lambda v: (_begin(v), v.relation, v.subject, v.object, v.created_at, v.version_id))
        return found[: _check_limit(limit)]

    async def whole_versions(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        fact_ids: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[WholeVersion]:
        versions = await self.versions_in_scope(
            scope,
            subjects=subjects,
            relations=relations,
            objects=objects,
            touching=touching,
            fact_ids=fact_ids,
            limit=limit,
        )
        return [await self._whole(version, scope) for version in versions]

    async def _whole(self, version: FactVersion, scope: Scope) -> WholeVersion:
        group_id = version.group_id
        [fact] = await self.facts(group_id, [version.fact_id])
        ends = {end.entity_id: end for end in await self.entities(group_id, [version.subject, version.object])}
        claims = [claim for _, claim in await self.support_of(group_id, [version.version_id], scope.known_at)]
        return WholeVersion(
            version=version,
            fact=fact,
            subject=ends[version.subject],
            object=ends[version.object],
            support=tuple(Telling(claim.claim.ref, claim.episode_id, claim.told_by) for claim in claims),
        )

    async def edges_of(self, scope: Scope, keys: Sequence[ItemKey]) -> Sequence[Edge]:
        edges: list[Edge] = []
        for group_id, ids in _by_group(_within(scope, SearchTarget.FACT, keys)).items():
            versions = await self.versions_in_scope(replace(scope, group_ids=(group_id,)), fact_ids=ids)
            edges += [await self._edge(version, scope) for version in versions]
        return edges

    async def edges_around(
        self, scope: Scope, keys: Sequence[ItemKey], *, limit: int, enough: int, with_episodes: bool = True
    ) -> tuple[Sequence[Edge], Sequence[Edge]]:
        _check_limit(limit)
        begin = _within(scope, SearchTarget.ENTITY, keys)
        first, second = await self._touching(scope, begin, limit), list[Edge]()
        if len({(edge.group_id, edge.fact_id) for edge in first}) < enough:
            ends = [ItemKey(e.group_id, SearchTarget.ENTITY, end) for e in first for end in (e.subject, e.object)]
            second = await self._touching(scope, [end for end in ends if end not in begin], limit)
        if with_episodes:
            return first, second
        return [e._replace(episode_ids=()) for e in first], [e._replace(episode_ids=()) for e in second]

    async def _touching(self, scope: Scope, keys: Sequence[ItemKey], limit: int) -> list[Edge]:
        edges: list[Edge] = []
        for group_id, ids in _by_group(keys).items():
            within = replace(scope, group_ids=(group_id,))
            for version in await self.versions_in_scope(within, touching=ids, limit=limit):
                edges.append(await self._edge(version, scope))
        return edges

    async def _edge(self, version: FactVersion, scope: Scope) -> Edge:
        whole = await self._whole(version, scope)
        seen = _seen(self._state, SearchTarget.EPISODE, scope)
        behind = {i for _, i, _ in whole.support if i is not None and (i, version.group_id) in seen}
        return Edge(
            group_id=version.group_id,
            fact_id=version.fact_id,
            subject=version.subject,
            object=version.object,
            text=whole.fact.text,
            episode_ids=tuple(sorted(behind)),
        )

    async def versions_of(self, group_id: str, fact_ids: Sequence[str]) -> Sequence[FactVersion]:
        found = [v for v in self._open().versions if v.group_id == group_id and v.fact_id in fact_ids]
        return sorted(found, key=lambda v: (v.created_at, _begin(v), v.version_id))

    async def support_of(
        self, group_id: str, version_ids: Sequence[str], known_at: Instant
    ) -> Sequence[tuple[str, StoredClaim]]:
        by_id = {c.claim.claim_id: c for c in await self.claims(group_id)}
        found = [
            (s.version_id, by_id[s.claim_id])
            for g, s in self._open().support
            if g == group_id and s.version_id in version_ids and s.created_at <= known_at < s.expired_at
        ]
        return sorted(found, key=lambda pair: (pair[0], pair[1].claim.order))

    async def changed_between(self, group_ids: Sequence[str], after: Instant, until: Instant) -> Sequence[FactVersion]:
        groups = checked_groups(group_ids)
        found: list[tuple[Instant, str, FactVersion]] = []
        for v in self._open().versions:
            moments = [t for t in (v.created_at, v.expired_at) if after < t <= until and t != MAX]
            if v.group_id in groups and moments:
                found.append((min(moments), v.version_id, v))
        return [v for _, _, v in sorted(found, key=lambda item: item[:2])]

    async def tombstones(self, group_id: str, target_ids: Sequence[str] | None = None) -> Sequence[Tombstone]:
        found = [t for t in self._open().tombstones if t.group_id == group_id and _any(target_ids, t.target_id)]
        return sorted(found, key=lambda t: (t.tau, t.target_id, t.kind))

    async def at_one_moment(self, work: Callable[[], Coroutine[object, object, T]]) -> T:
        return await work()

    async def search_text(
        self, target: SearchTarget, terms: Sequence[str], scope: Scope, *, limit: int
    ) -> Sequence[Hit]:
        state = self._open()
        match target:
            case SearchTarget.FACT:
                texts = {(f.fact_id, f.group_id): fact_terms(f) for f in state.facts}
            case SearchTarget.ENTITY:
                texts = {(e.entity_id, e.group_id): _entity_text(state, e) for e in state.entities}
            case SearchTarget.EPISODE:
                texts = {(e.episode_id, e.group_id): episode_terms(e) for e in state.episodes}
        seen = _seen(state, target, scope)
        scores = {key: score for key, score in _bm25(texts, query_terms(terms)).items() if key in seen}
        ranked = sorted(scores, key=lambda key: (-scores[key], key))[: _check_limit(limit)]
        return [
            Hit(item_id=item_id, group_id=group_id, rank=rank, score=scores[item_id, group_id])
            for rank, (item_id, group_id) in enumerate(ranked, start=1)
        ]

    async def search_all(self, searches: Sequence[TextSearch | VectorSearch], scope: Scope) -> Sequence[Sequence[Hit]]:
        return [
            await self.search_text(one.target, one.terms, scope, limit=one.limit)
            if isinstance(one, TextSearch)
            else await self.search_vector(one.target, one.vector, scope, limit=one.limit)
            for one in searches
        ]

    # ---- vectors

    async def embedding_model(self) -> EmbeddingModel | None:
        return self._open().model

    async def start_vectors(self, model: EmbeddingModel) -> None:
        if self._open().model != model:
            self._state.model, self._state.vectors = model, {}

    async def unembedded(self, *, limit: int, group_ids: Sequence[str] | None = None) -> Sequence[ItemKey]:
        groups = None if group_ids is None else checked_groups(group_ids)
        state = self._open()
        waiting = [k for k in _texts(state) if k not in state.vectors and _any(groups, k.group_id)]
        return sorted(waiting)[: _check_limit(limit)] if state.model else []

    async def count_unembedded(self, group_ids: Sequence[str] | None = None) -> int:
        return len(await self.unembedded(limit=10**9, group_ids=group_ids))

    async def put_vectors(self, model: EmbeddingModel, vectors: Sequence[ItemVector]) -> None:
        state = self._open().copied()
        if state.model != model:
            raise EmbedderMismatch(model.name)
        for item in vectors:
            if item.vector.shape != (model.dimension,) or not np.isfinite(item.vector).all():
                raise InvalidInput(item.key.item_id)
            if item.key in _texts(state):
                state.vectors[item.key] = item
        self._state = state

    async def search_vector(self, target: SearchTarget, vector: Floats, scope: Scope, *, limit: int) -> Sequence[Hit]:
        state = self._open()
        if state.model is not None and vector.shape != (state.model.dimension,):
            raise InvalidInput("another dimension")
        seen = _seen(state, target, scope)
        scores = {
            (key.item_id, key.group_id): _cosine(item.vector, vector)
            for key, item in state.vectors.items()
            if key.target is target and (key.item_id, key.group_id) in seen
        }
        ranked = sorted(scores, key=lambda key: (-scores[key], key))[: _check_limit(limit)]
        return [
            Hit(item_id=item_id, group_id=group_id, rank=rank, score=scores[item_id, group_id])
            for rank, (item_id, group_id) in enumerate(ranked, start=1)
        ]

    async def vectors_of(self, target: SearchTarget, group_id: str, item_ids: Sequence[str]) -> Mapping[str, Floats]:
        keys = [ItemKey(group_id=group_id, target=target, item_id=item_id) for item_id in item_ids]
        return {key.item_id: self._open().vectors[key].vector for key in keys if key in self._state.vectors}

    async def nearest_tokens(self, keys: Sequence[ItemKey], question: Floats) -> Mapping[ItemKey, Floats]:
        if self._open().model is not None and question.shape[1:] != (self._state.model.dimension,):
            raise InvalidInput("another dimension")
        found = {key: self._state.vectors[key].tokens for key in keys if key in self._state.vectors}
        return {
            key: (tokens @ question.T).max(axis=0)
            for key, tokens in found.items()
            if tokens is not None and len(tokens)
        }

    # ---- upkeep

    async def verify(self) -> Sequence[str]:
        self._open()
        return []

    async def backup(self, target: Path) -> None:
        raise NotImplementedError("an oracle has no file")

    async def digest(self) -> str:
        state = self._open()
        return content_digest(
            Content(
                relations=await self.relations(),
                receipts=sorted(state.receipts),
                taus=sorted(state.taus.items()),
                episodes=sorted(state.episodes, key=lambda e: e.group_id),
                jobs=sorted(state.jobs, key=lambda j: j.group_id),
                entities=sorted(state.entities, key=lambda e: (e.group_id, e.entity_id)),
                names=sorted(state.names, key=lambda n: (n.group_id, n.key, n.entity_id)),
                mentions=sorted((g, entity_id, episode_id) for g, episode_id, entity_id in state.mentions),
                facts=sorted(state.facts, key=lambda f: (f.group_id, f.fact_id)),
                claims=sorted(
                    (_with_retraction(state, c) for c in state.claims), key=lambda c: (c.group_id, c.claim.claim_id)
                ),
                retractions=sorted((r.group_id, r.retraction_id, r.tau, r.reason) for r in state.retractions),
                withdrawals=sorted((r.group_id, r.retraction_id, c) for r in state.retractions for c in r.claim_ids),
                versions=sorted(state.versions, key=lambda v: (v.group_id, v.version_id)),
                support=sorted(
                    state.support, key=lambda link: (link[0], link[1].version_id, link[1].claim_id, link[1].created_at)
                ),
                tombstones=sorted(state.tombstones, key=lambda t: (t.group_id, t.kind, t.target_id)),
            )
        )


def _check_limit(limit: int | None) -> int | None:
    if limit is not None and limit < 0:
        raise InvalidInput("negative limit")
    return limit


def _any(wanted: Sequence[T] | None, value: T | None) -> bool:
    return wanted is None or value in wanted


def _as_asked(
    items: Sequence[_InGroup], group_id: str, ids: Sequence[str], id_of: Callable[[_InGroup], str]
) -> list[_InGroup]:
    by_id = {id_of(item): item for item in items if item.group_id == group_id}
    return [by_id[item_id] for item_id in dict.fromkeys(ids) if item_id in by_id]


def _accept(state: _State, episode: Episode, now: Instant, answer: str | None) -> Acceptance:
    def acceptance(verdict: Verdict, job: Job | None) -> Acceptance:
        return Acceptance(episode_id=episode.episode_id, verdict=verdict, job=job)

    key = (episode.group_id, episode.episode_id)
    if any((t.group_id, t.target_id) == key and t.kind == "episode" for t in state.tombstones):
        return acceptance(Verdict.ERASED, None)
    for met in state.episodes:
        if (met.group_id, met.episode_id) == key:
            verdict = Verdict.SAME if met.digest == episode.digest else Verdict.CONFLICT
            return acceptance(verdict, next(j for j in state.jobs if (j.group_id, j.job_id) == key))
    state.accepted += 1
    job = Job(job_id=key[1], group_id=key[0], seq=state.accepted, run_after=now, accepted_at=now, answer=answer)
    state.episodes.append(episode)
    state.jobs.append(job)
    return acceptance(Verdict.NEW, job)


def _finish(state: _State, outcome: JobOutcome) -> None:
    found = [j for j in state.jobs if (j.group_id, j.job_id) == (outcome.group_id, outcome.job_id)]
    if not found:
        raise NotFound(outcome.job_id)
    [job] = found
    if outcome.fence is None:
        if outcome.state is JobState.RUNNING:
            raise InvalidInput("only a lease makes a job run")
        if job.state is JobState.RUNNING or (job.state is JobState.DONE and outcome.state is not JobState.QUEUED):
            raise LeaseLost(job.job_id)
    elif job.state is not JobState.RUNNING or job.fence != outcome.fence:
        raise LeaseLost(job.job_id)
    moved = replace(
        job,
        state=outcome.state,
        reason=outcome.reason,
        run_after=job.run_after if outcome.run_after is None else outcome.run_after,
        answer=job.answer if outcome.answer is None else outcome.answer,
        receipt=job.receipt if outcome.receipt is None else outcome.receipt,
        owner=job.owner if outcome.state is JobState.RUNNING else "",
        attempts=0 if outcome.fence is None and outcome.state is JobState.QUEUED else job.attempts,
    )
    state.jobs = [moved if j.seq == job.seq else j for j in state.jobs]


def _step(state: _State, group_id: str, based_on: Instant, receipt: tuple[Instant, str, str]) -> None:
    last = state.taus.get(group_id, MIN)
    if last != based_on:
        raise CommitConflict(group_id)
    if receipt[0] <= last:
        raise InvalidInput("tau must rise")
    state.taus[group_id] = receipt[0]
    state.receipts.append((group_id, *receipt))


def _write(state: _State, item: Changes) -> None:
    group_id = item.group_id
    _add(state.entities, item.entities, lambda e: (e.group_id, e.entity_id))
    state.names = [
        n for n in state.names if n.group_id != item.group_id or (n.key, n.entity_id) not in item.forgotten_names
    ]
    _add(state.names, item.names, lambda n: (n.group_id, n.key, n.entity_id))
    _add(state.mentions, [(group_id, *mention) for mention in item.mentions], lambda m: m)
    _add(state.facts, item.facts, lambda f: (f.group_id, f.fact_id))
    _add_claims(state, item.claims)
    _add_new(state.retractions, item.retractions, lambda r: (r.group_id, r.retraction_id))
    for version_id in item.expire:
        _close_version(state, group_id, version_id, item.tau)
    _add_versions(state, item.versions)
    for link in item.unsupport:
        _close_link(state, group_id, link, item.tau)
    for version_id, claim_id in item.support:
        if _open_link(state, group_id, (version_id, claim_id)) is not None:
            raise InvalidInput("open already")
        state.support.append((group_id, Support(version_id=version_id, claim_id=claim_id, created_at=item.tau)))


def _add(kept: list[T], new: Iterable[T], key: Callable[[T], object]) -> None:
    met = {key(item) for item in kept}
    for item in new:
        if key(item) not in met:
            kept.append(item)
            met.add(key(item))


def _add_new(kept: list[T], new: Sequence[T], key: Callable[[T], object]) -> None:
    before = len(kept)
    _add(kept, new, key)
    if len(kept) != before + len(new):
        raise InvalidInput("exists already")


def _add_claims(state: _State, claims: Sequence[StoredClaim]) -> None:
    plain = [replace(c, retracted_at=MAX) for c in claims]
    _add(state.claims, plain, lambda c: (c.group_id, c.claim.claim_id))
    if any(c not in state.claims for c in plain):
        raise InvalidInput("another claim of this id exists")


def _add_versions(state: _State, versions: Sequence[FactVersion]) -> None:
    if any((v.valid_at is not None and v.valid_at >= v.invalid_at) or v.created_at >= v.expired_at for v in versions):
        raise InvalidInput("an interval ends before it begins")
    _add_new(state.versions, versions, lambda v: (v.group_id, v.version_id))


def _close_version(state: _State, group_id: str, version_id: str, tau: Instant) -> None:
    for index, v in enumerate(state.versions):
        if (v.group_id, v.version_id, v.expired_at) == (group_id, version_id, MAX):
            state.versions[index] = replace(v, expired_at=tau)
            return
    raise CommitConflict(version_id)


def _open_link(state: _State, group_id: str, link: tuple[str, str]) -> int | None:
    for index, (g, s) in enumerate(state.support):
        if (g, s.version_id, s.claim_id, s.expired_at) == (group_id, *link, MAX):
            return index
    return None


def _close_link(state: _State, group_id: str, link: tuple[str, str], tau: Instant) -> None:
    index = _open_link(state, group_id, link)
    if index is None:
        raise CommitConflict(link[0])
    state.support[index] = (group_id, replace(state.support[index][1], expired_at=tau))


def _check_references(state: _State) -> None:
    entities = {(e.group_id, e.entity_id) for e in state.entities}
    episodes = {(e.group_id, e.episode_id) for e in state.episodes} | {
        (group_id, None) for group_id, *_ in state.receipts
    }
    facts = {(f.group_id, f.fact_id) for f in state.facts}
    claims = {(c.group_id, c.claim.claim_id) for c in state.claims}
    versions = {(v.group_id, v.version_id) for v in state.versions}
    all_there = (
        all((n.group_id, n.entity_id) in entities and (n.group_id, n.episode_id) in episodes for n in state.names)
        and all((g, entity_id) in entities and (g, ep) in episodes for g, ep, entity_id in state.mentions)
        and all((f.group_id, end) in entities for f in state.facts for end in (f.subject, f.object))
        and all((c.group_id, c.fact_id) in facts and (c.group_id, c.episode_id) in episodes for c in state.claims)
        and all((v.group_id, v.fact_id) in facts for v in state.versions)
        and all((r.group_id, claim_id) in claims for r in state.retractions for claim_id in r.claim_ids)
        and all((g, s.version_id) in versions and (g, s.claim_id) in claims for g, s in state.support)
    )
    if not all_there:
        raise CommitConflict("something referred to is missing")


def _erase_group(state: _State, group_id: str) -> None:
    state.receipts = [r for r in state.receipts if r[0] != group_id]
    state.support = [link for link in state.support if link[0] != group_id]
    state.mentions = [m for m in state.mentions if m[0] != group_id]
    for name in ("episodes", "jobs", "entities", "names", "facts", "claims", "retractions", "versions"):
        setattr(state, name, [item for item in getattr(state, name) if item.group_id != group_id])


def _erase_parts(state: _State, erasure: Erasure) -> None:
    group_id = erasure.group_id

    def stays(item_group: str, gone: Iterable[object], *ids: object) -> bool:
        return item_group != group_id or not any(item_id in gone for item_id in ids)

    redone = (*erasure.replayed, *erasure.dropped)
    gone_versions = {v.version_id for v in state.versions if not stays(v.group_id, redone, v.fact_id)}
    state.support = [(g, s) for g, s in state.support if stays(g, gone_versions, s.version_id)]
    state.versions = [v for v in state.versions if stays(v.group_id, redone, v.fact_id)]
    state.facts = [f for f in state.facts if stays(f.group_id, erasure.dropped, f.fact_id)]
    state.claims = [c for c in state.claims if stays(c.group_id, erasure.claim_ids, c.claim.claim_id)]
    state.retractions = [
        replace(r, claim_ids=left)
        for r in state.retractions
        if (left := tuple(c for c in r.claim_ids if stays(r.group_id, erasure.claim_ids, c)))
    ]
    state.episodes = [e for e in state.episodes if stays(e.group_id, erasure.episode_ids, e.episode_id)]
    state.jobs = [j for j in state.jobs if stays(j.group_id, erasure.episode_ids, j.job_id)]
    state.mentions = [
        m for m in state.mentions if stays(m[0], erasure.episode_ids, m[1]) and stays(m[0], erasure.entity_ids, m[2])
    ]
    state.names = [
        n if stays(n.group_id, erasure.episode_ids, n.episode_id) else replace(n, episode_id=None)
        for n in state.names
        if stays(n.group_id, erasure.entity_ids, n.entity_id) and stays(n.group_id, erasure.names, (n.key, n.entity_id))
    ]
    new_names = {e.entity_id: e.name for e in erasure.renamed}
    state.entities = [
        replace(e, name=new_names[e.entity_id]) if not stays(e.group_id, new_names, e.entity_id) else e
        for e in state.entities
        if stays(e.group_id, erasure.entity_ids, e.entity_id)
    ]
    new_texts = {f.fact_id: f.text for f in erasure.reworded}
    state.facts = [
        f if stays(f.group_id, new_texts, f.fact_id) else replace(f, text=new_texts[f.fact_id]) for f in state.facts
    ]
    _add_versions(state, erasure.versions)
    state.support += [(group_id, link) for link in erasure.support]


def _with_retraction(state: _State, claim: StoredClaim) -> StoredClaim:
    taus = [r.tau for r in state.retractions if r.group_id == claim.group_id and claim.claim.claim_id in r.claim_ids]
    return replace(claim, retracted_at=min(taus, default=MAX))


def _begin(version: FactVersion) -> Instant:
    return MIN - 1 if version.valid_at is None else version.valid_at


def _in_scope(state: _State, version: FactVersion, scope: Scope) -> bool:
    start = version.start.lo if scope.possible else version.valid_at
    end = version.end.hi if scope.possible else version.invalid_at
    return (
        version.group_id in scope.group_ids
        and start is not None
        and start < scope.window.until
        and end > scope.window.start
        and version.created_at <= scope.known_at < version.expired_at
        and (scope.filter.is_open or _is_supported(state, version, scope))
    )


def _is_supported(state: _State, version: FactVersion, scope: Scope) -> bool:
    claim_ids = {
        s.claim_id
        for g, s in state.support
        if (g, s.version_id) == (version.group_id, version.version_id) and s.created_at <= scope.known_at < s.expired_at
    }
    told = [
        (c.episode_id, c.told_by)
        for c in state.claims
        if c.group_id == version.group_id and c.claim.claim_id in claim_ids
    ]
    return any(
        e.group_id == version.group_id
        and (
            _matches(e, scope.filter)
            or (told_by == scope.filter.speaker and _matches(e, replace(scope.filter, speaker=None)))
        )
        for e in state.episodes
        for episode_id, told_by in told
        if e.episode_id == episode_id
    )


def _matches(episode: Episode, wanted: Filter) -> bool:
    return (
        wanted.session_id in (None, episode.session_id)
        and wanted.source in (None, episode.source)
        and wanted.speaker in (None, episode.speaker)
        and all(episode.metadata.get(key) == value for key, value in wanted.metadata.items())
    )


def _within(scope: Scope, target: SearchTarget, keys: Sequence[ItemKey]) -> list[ItemKey]:
    return [key for key in dict.fromkeys(keys) if key.target is target and key.group_id in scope.group_ids]


def _by_group(keys: Sequence[ItemKey]) -> dict[str, list[str]]:
    return {g: [key.item_id for key in keys if key.group_id == g] for g in sorted({key.group_id for key in keys})}


def _seen(state: _State, target: SearchTarget, scope: Scope) -> set[tuple[str, str]]:
    """(item id, group id) of what a search sees in the scope."""
    match target:
        case SearchTarget.FACT:
            return {(v.fact_id, v.group_id) for v in state.versions if _in_scope(state, v, scope)}
        case SearchTarget.ENTITY:
            return {
                (e.entity_id, e.group_id)
                for e in state.entities
                if e.group_id in scope.group_ids and e.created_at <= scope.known_at
            }
        case SearchTarget.EPISODE:
            return {
                (e.episode_id, e.group_id)
                for e in state.episodes
                if e.group_id in scope.group_ids and e.learned_at <= scope.known_at and _matches(e, scope.filter)
            }


def _texts(state: _State) -> dict[ItemKey, str]:
    """What can have a vector, with the text it is made of."""
    texts = {ItemKey(group_id=f.group_id, target=SearchTarget.FACT, item_id=f.fact_id): f.text for f in state.facts}
    texts |= {
        ItemKey(group_id=e.group_id, target=SearchTarget.ENTITY, item_id=e.entity_id): e.name for e in state.entities
    }
    return texts | {
        ItemKey(group_id=e.group_id, target=SearchTarget.EPISODE, item_id=e.episode_id): e.text for e in state.episodes
    }


def _cosine(one: Floats, other: Floats) -> float:
    length = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    return round(float(one.astype(np.float64) @ other) / length, 6) if length else 0.0


def _entity_text(state: _State, entity: Entity) -> str:
    called = [n for n in state.names if (n.group_id, n.entity_id) == (entity.group_id, entity.entity_id)]
    return entity_terms(entity.name, (n.spelling for n in sorted(called, key=lambda n: n.key)))


def _bm25(texts: Mapping[T, str], terms: Sequence[str]) -> dict[T, float]:
    """Okapi BM25 with k1 = 1.2, b = 0.75 of the texts that have any of the terms."""
    words = {key: Counter(text.split()) for key, text in texts.items()}
    mean = sum(counts.total() for counts in words.values()) / max(1, len(words))
    scores: dict[T, float] = {}
    for term in terms:
        holders = [key for key in words if words[key][term]]
        idf = math.log(1 + (len(words) - len(holders) + 0.5) / (len(holders) + 0.5))
        for key in holders:
            count = words[key][term]
            weight = count * 2.2 / (count + 1.2 * (0.25 + 0.75 * words[key].total() / mean))
            scores[key] = scores.get(key, 0.0) + idf * weight
    return scores
