"""A store and the list-based oracle driven side by side: every answer, refusal and digest must be the same."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from graphmem.errors import CommitConflict, GraphmemError, InvalidInput
from graphmem.model import (
    Changes,
    Erasure,
    FactVersion,
    Filter,
    Job,
    JobOutcome,
    JobState,
    Name,
    Retraction,
    Scope,
    Source,
    StoredClaim,
    Support,
    Tombstone,
    Window,
)
from graphmem.ports import ItemKey, SearchTarget, Store
from graphmem.stores import open_store
from graphmem.timeline.claims import FactKey, Relation, Rivalry
from graphmem.timeline.instants import MAX, MIN, Instant

from .build import claim, entity, episode, fact, version
from .oracle import OracleStore

GROUPS = ("ann", "bob")
ENTITIES = ("e0", "e1", "e2")
RELATIONS = ("WORKS_AT", "LIKES")
WORDS = ("tea", "rowing", "Acme", "Zoë")

times = st.integers(0, 12)
groups = st.sampled_from(GROUPS)
rarely = st.sampled_from([False] * 11 + [True])
ids = st.sampled_from([f"ep-{n}" for n in range(4)])
filters = st.sampled_from(
    [
        Filter(),
        Filter(),
        Filter(session_id="s"),
        Filter(source=Source.TEXT),
        Filter(speaker="Ann"),
        Filter(speaker="Ann", metadata={"k": "1"}),
        Filter(metadata={"k": "1"}),
    ]
)
a_few = st.one_of(st.none(), st.none(), st.lists(st.sampled_from(ENTITIES), max_size=3))


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    start = draw(st.sampled_from([MIN, MIN, *range(0, 12, 3)]))
    until = draw(st.sampled_from([MAX, MAX, start + 1, start + 4]))
    return Scope(
        group_ids=tuple(draw(st.lists(groups, min_size=1, max_size=2))),
        window=Window(start=start, until=until),
        known_at=draw(st.sampled_from([MAX - 1] * 6 + [9, 10, 25, 40, 100])),
        possible=draw(st.booleans()),
        filter=draw(filters),
    )


class StoreMachine(RuleBasedStateMachine):
    """Says the same to all; `told` runs one call on each and compares what came of it."""

    def open_stores(self) -> list[Store]:
        return [open_store(str(Path(self._folder.name) / "memory.db"))]

    @initialize()
    def begin(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="graphmem-test-")
        self._loop = asyncio.new_event_loop()
        self.stores = self.open_stores()
        self.oracle = OracleStore()
        for store in self.stores:
            self._run(store.ensure_schema())
        self.tau: dict[str, Instant] = dict.fromkeys(GROUPS, MIN)
        self.count = 0
        offered = [episode(i, "tea", group_id=g, session_id="s") for g in GROUPS for i in ("ep-0", "ep-1")]
        self.told(lambda s: s.accept(offered, 0))
        for group_id in GROUPS:
            self._settle(group_id)

    def _settle(self, group_id: str) -> None:
        """Two facts in the group, told by ep-0 and ep-1."""
        ends = (("e0", "WORKS_AT", "e1"), ("e1", "LIKES", "e0"))
        facts = [fact(f"f-{s}{r}{o}", s, r, o, f"{s} tea {o}", group_id=group_id) for s, r, o in ends]
        said = [claim(self.new_id("c"), of, tau=10, episode_id=f"ep-{n}") for n, of in enumerate(facts)]
        rows = [version(self.new_id("v"), of, valid_at=n, created_at=10, start_lo=-3) for n, of in enumerate(facts)]
        begun = Changes(
            group_id=group_id,
            based_on=MIN,
            tau=10,
            kind="claims",
            entities=tuple(entity(e, group_id=group_id, created_at=10) for e in ("e0", "e1")),
            facts=tuple(facts),
            claims=tuple(said),
            versions=tuple(rows),
            support=tuple((row.version_id, c.claim.claim_id) for row, c in zip(rows, said, strict=True)),
        )
        self.told(lambda s: s.commit([begun]))
        self.tau[group_id] = 10

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            self._close()
            self._loop.close()
            self._folder.cleanup()

    def _close(self) -> None:
        for store in self.stores:
            self._run(store.close())

    def _run(self, call: Awaitable[object]) -> object:
        return self._loop.run_until_complete(call)

    def told(self, call: Callable[[Store], Awaitable[object]]) -> object:
        answers = []
        for store in (*self.stores, self.oracle):
            try:
                answers.append(self._run(call(store)))
            except GraphmemError as error:
                # Which of several faults of one commit is named first is left to the store.
                answers.append(CommitConflict if isinstance(error, InvalidInput) else type(error))
        assert all(answer == answers[-1] for answer in answers)
        return answers[-1]

    @invariant()
    def content_is_the_same(self) -> None:
        if hasattr(self, "stores"):
            self.told(lambda s: s.digest())

    def new_id(self, kind: str) -> str:
        self.count += 1
        return f"{kind}-{self.count:04d}"

    def next_tau(self, group_id: str) -> Instant:
        return max(0, self.tau[group_id]) + 10

    # ---- writing

    @rule(
        group_id=groups,
        episode_ids=st.lists(ids, min_size=1, max_size=3),
        text=st.sampled_from(WORDS),
        said_at=times,
        session_id=st.sampled_from([None, "s"]),
        source=st.sampled_from(Source),
        metadata=st.sampled_from([{}, {"k": "1"}, {"k": "2", "l": "1"}]),
        speaker=st.sampled_from([None, "Ann"]),
        now=times,
        answer=st.sampled_from([None, "{}"]),
    )
    def accept(
        self, group_id: str, episode_ids: list[str], text: str, now: Instant, answer: str | None, **about: object
    ) -> None:
        offered = [episode(i, text, group_id=group_id, learned_at=now, **about) for i in episode_ids]  # type: ignore[arg-type]
        answers = None if answer is None else dict.fromkeys(episode_ids, answer)
        self.told(lambda s: s.accept(offered, now, answers))

    @rule(group_id=st.sampled_from([None, *GROUPS]), now=times, length=times, limit=st.integers(0, 3))
    def lease(self, group_id: str | None, now: Instant, length: int, limit: int) -> None:
        self.told(lambda s: s.lease(owner="w", now=now, until=now + length, limit=limit, group_id=group_id))

    @rule(group_id=groups, fence=st.integers(1, 3), until=times)
    def extend(self, group_id: str, fence: int, until: Instant) -> None:
        self.told(lambda s: s.extend(group_id=group_id, fence=fence, until=until))

    @rule(
        number=st.integers(0, 5),
        is_leased=st.booleans(),
        is_odd=rarely,
        state=st.sampled_from(JobState),
        run_after=st.one_of(st.none(), times),
        receipt=st.sampled_from([None, "[]"]),
    )
    def finish(
        self,
        number: int,
        is_leased: bool,
        is_odd: bool,
        state: JobState,
        run_after: Instant | None,
        receipt: str | None,
    ) -> None:
        jobs = self.oracle._state.jobs
        job = jobs[number % len(jobs)] if jobs else Job(job_id="ep-X", group_id="ann")
        outcome = JobOutcome(
            job_id=job.job_id,
            group_id=job.group_id,
            fence=job.fence + is_odd if is_leased else None,
            state=state,
            reason="because",
            run_after=run_after,
            receipt=receipt,
        )
        self.told(lambda s: s.finish(outcome))

    @rule(relation=st.sampled_from(RELATIONS), rivalry=st.sampled_from(Rivalry))
    def put_relations(self, relation: str, rivalry: Rivalry) -> None:
        self.told(lambda s: s.put_relations([Relation(name=relation, rivalry=rivalry)]))
        self.told(lambda s: s.relations())

    @rule(data=st.data(), group_id=groups)
    def commit_one(self, data: st.DataObject, group_id: str) -> None:
        self._commit(data, group_id, 1, is_stale=False)

    @rule(data=st.data(), group_id=groups, is_stale=rarely)
    def commit_batch(self, data: st.DataObject, group_id: str, is_stale: bool) -> None:
        self._commit(data, group_id, data.draw(st.integers(1, 3)), is_stale=is_stale)

    def _commit(self, data: st.DataObject, group_id: str, batch: int, *, is_stale: bool) -> None:
        base = self.tau[group_id] + (1 if is_stale else 0)
        items: list[Changes] = []
        for _ in range(batch):
            tau = max(0, base) + 10
            items.append(self._changes(data, group_id, base, tau))
            base = tau
        if self.told(lambda s: s.commit(items)) is None:
            self.tau[group_id] = base

    def _changes(self, data: st.DataObject, group_id: str, based_on: Instant, tau: Instant) -> Changes:
        known = [e.episode_id for e in self.oracle._state.episodes if e.group_id == group_id]
        source = "ep-X" if data.draw(rarely) else data.draw(st.sampled_from([None, *known]))
        subject, obj = data.draw(st.sampled_from(ENTITIES)), data.draw(st.sampled_from(ENTITIES))
        relation, spelling = data.draw(st.sampled_from(RELATIONS)), data.draw(st.sampled_from(WORDS))
        stated = fact(f"f-{subject}{relation}{obj}", subject, relation, obj, f"{spelling} {obj}", group_id=group_id)
        said = claim(
            "c-0001" if data.draw(rarely) else self.new_id("c"),
            stated,
            tau=tau,
            episode_id=source,
            ref=data.draw(times),
        )
        said = replace(said, told_by=data.draw(st.sampled_from([None, None, "Ann"])))
        row = self._version(data, stated, tau)
        versions = self._of(group_id, self.oracle._state.versions)
        open_ids = [v.version_id for v in versions if v.expired_at == MAX]
        links = [
            (s.version_id, s.claim_id) for g, s in self.oracle._state.support if g == group_id and s.expired_at == MAX
        ]
        claim_ids = [c.claim.claim_id for c in self._of(group_id, self.oracle._state.claims)]
        expire = data.draw(st.lists(st.sampled_from(open_ids), max_size=2, unique=True)) if open_ids else []
        unsupport = data.draw(st.lists(st.sampled_from(links), max_size=2, unique=True)) if links else []
        withdrawn = data.draw(st.lists(st.sampled_from(claim_ids), max_size=2, unique=True)) if claim_ids else []
        return Changes(
            group_id=group_id,
            based_on=based_on,
            tau=tau,
            kind="episode",
            note=spelling,
            entities=tuple(entity(e, f"{spelling} {e}", group_id=group_id, created_at=tau) for e in (subject, obj)),
            names=(
                Name(
                    group_id=group_id,
                    key=spelling.lower(),
                    entity_id=data.draw(st.sampled_from(ENTITIES if data.draw(rarely) else (subject, obj))),
                    spelling=spelling,
                    episode_id=source,
                ),
            ),
            mentions=((source, subject),) if source else (),
            facts=(stated,),
            claims=(said,),
            retractions=tuple(
                Retraction(retraction_id=self.new_id("r"), group_id=group_id, claim_ids=(c,), tau=tau)
                for c in withdrawn
            ),
            expire=tuple(expire),
            versions=(row,),
            unsupport=tuple(unsupport),
            support=((row.version_id, said.claim.claim_id),),
        )

    def _version(self, data: st.DataObject, of: object, tau: Instant) -> FactVersion:
        valid_at = data.draw(st.one_of(st.none(), times))
        length = 0 if data.draw(rarely) else data.draw(st.sampled_from([1, 5, MAX]))
        invalid_at = MAX if length == MAX else (valid_at or 0) + length
        slack = data.draw(st.integers(0, 3))
        return version(
            self.new_id("v"),
            of,  # type: ignore[arg-type]
            valid_at=valid_at,
            invalid_at=invalid_at,
            created_at=tau,
            start_lo=None if valid_at is None else valid_at - slack,
            end_hi=min(MAX, invalid_at + slack),
        )

    @staticmethod
    def _of(group_id: str, items: list[FactVersion] | list[StoredClaim]) -> list:  # type: ignore[type-arg]
        return [item for item in items if item.group_id == group_id]

    @rule(data=st.data(), group_id=groups, episode_id=ids, is_careless=rarely)
    def erase_episode(self, data: st.DataObject, group_id: str, episode_id: str, is_careless: bool) -> None:
        state, tau = self.oracle._state, self.next_tau(group_id)
        mine: list[StoredClaim] = self._of(group_id, state.claims)
        gone = [c for c in mine if c.episode_id == episode_id]
        left = {c.fact_id for c in mine if c.episode_id != episode_id}
        touched = {c.fact_id for c in gone}
        kept = [f for f in state.facts if f.group_id == group_id and f.fact_id in touched & left]
        rows = tuple(self._version(data, of, tau - 5) for of in kept)
        stays = [c for c in mine if c.episode_id != episode_id]
        links = tuple(
            Support(
                version_id=row.version_id,
                claim_id=next(c.claim.claim_id for c in stays if c.fact_id == row.fact_id),
                created_at=tau - 5,
            )
            for row in rows
        )
        taught = [n for n in state.names if n.group_id == group_id and n.episode_id == episode_id]
        erasure = Erasure(
            group_id=group_id,
            based_on=self.tau[group_id],
            tau=tau,
            tombstones=(Tombstone(group_id=group_id, target_id=episode_id, kind="episode", tau=tau),),
            claim_ids=tuple(c.claim.claim_id for c in gone[1 if is_careless else 0 :]),
            episode_ids=(episode_id,),
            names=tuple((n.key, n.entity_id) for n in taught if data.draw(st.booleans())),
            replayed=tuple(sorted(touched & left)),
            dropped=tuple(sorted(touched - left)),
            versions=rows,
            support=links,
        )
        if self.told(lambda s: s.erase(erasure)) is None:
            self.tau[group_id] = tau

    @rule(
        group_id=groups,
        entity_id=st.sampled_from(ENTITIES),
        what=st.sampled_from(["rename", "entity", "rename", "entity", "group"]),
    )
    def erase(self, group_id: str, entity_id: str, what: str) -> None:
        tau = self.next_tau(group_id)
        found = [e for e in self.oracle._state.entities if (e.group_id, e.entity_id) == (group_id, entity_id)]
        erasure = Erasure(
            group_id=group_id,
            based_on=self.tau[group_id],
            tau=tau,
            tombstones=(Tombstone(group_id=group_id, target_id=group_id, kind="group", tau=tau),),
            entity_ids=(entity_id,) if what == "entity" else (),
            renamed=tuple(replace(e, name="newly named") for e in found) if what == "rename" else (),
            whole_group=what == "group",
        )
        if self.told(lambda s: s.erase(erasure)) is None:
            self.tau[group_id] = tau

    @rule()
    def reopen(self) -> None:
        self._close()
        self.stores = self.open_stores()

    # ---- reading

    @rule(
        within=scopes(),
        subjects=a_few,
        relations=st.one_of(st.none(), st.none(), st.lists(st.sampled_from(RELATIONS), max_size=2)),
        objects=a_few,
        touching=a_few,
        limit=st.sampled_from([None, None, 0, 1, 3]),
    )
    def versions_in_scope(self, within: Scope, **selection: object) -> None:
        self.told(lambda s: s.versions_in_scope(within, **selection))  # type: ignore[arg-type]
        fact_ids = sorted({f.fact_id for f in self.oracle._state.facts})[:3]
        self.told(lambda s: s.versions_in_scope(within, **{**selection, "fact_ids": fact_ids}))  # type: ignore[arg-type]
        self.told(lambda s: s.whole_versions(within, **selection))  # type: ignore[arg-type]

    @rule(within=scopes(), begin=st.lists(st.sampled_from(ENTITIES), max_size=2), limit=st.sampled_from([0, 1, 3, 99]))
    def walk(self, within: Scope, begin: list[str], limit: int) -> None:
        entities = [ItemKey(group_id, SearchTarget.ENTITY, one) for group_id in GROUPS for one in begin]
        facts = [ItemKey(f.group_id, SearchTarget.FACT, f.fact_id) for f in self.oracle._state.facts]
        episodes = [ItemKey(e.group_id, SearchTarget.EPISODE, e.episode_id) for e in self.oracle._state.episodes]
        for how in ({"enough": 1}, {"enough": 99}, {"enough": 99, "with_episodes": False}):
            self.told(lambda s, how=how: s.edges_around(within, entities, limit=limit, **how))  # type: ignore[misc]
        self.told(lambda s: s.edges_of(within, facts))
        self.told(lambda s: s.turns(within, episodes))

    @rule(
        within=scopes(),
        ranked=st.sampled_from(SearchTarget),
        words=st.lists(st.sampled_from(["tea", "acm", "acme", "zoe", "e1", "ann", "januari"]), max_size=3),
    )
    def search_text(self, within: Scope, ranked: SearchTarget, words: list[str]) -> None:
        async def found(store: Store) -> set[tuple[str, str]]:
            hits = await store.search_text(ranked, words, within, limit=1_000)
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)
            assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
            return {(hit.group_id, hit.item_id) for hit in hits}

        self.told(found)

    @rule(
        group_id=groups,
        entity_id=st.sampled_from(ENTITIES),
        relation=st.sampled_from(RELATIONS),
        obj=st.sampled_from(ENTITIES),
        known_at=st.integers(0, 200),
        wanted=filters,
    )
    def everything_else(
        self, group_id: str, entity_id: str, relation: str, obj: str, known_at: Instant, wanted: Filter
    ) -> None:
        key = FactKey(subject=entity_id, relation=relation, object=obj)
        episode_ids = [f"ep-{n}" for n in range(4)]
        state = self.oracle._state
        fact_ids = [f.fact_id for f in state.facts][::-1]
        version_ids = [v.version_id for v in state.versions]
        calls: list[Callable[[Store], Awaitable[object]]] = [
            lambda s: s.read_timelines(group_id, facts=[key]),
            lambda s: s.read_timelines(group_id, subjects=[(relation, entity_id)], objects=[(relation, obj)]),
            lambda s: s.claims(group_id),
            lambda s: s.claims(group_id, entity_ids=[entity_id], relation=relation),
            lambda s: s.claims(group_id, episode_ids=episode_ids[:2]),
            lambda s: s.claims(group_id, fact_ids=fact_ids[:2]),
            lambda s: s.groups(),
            lambda s: s.group(group_id),
            lambda s: s.jobs(),
            lambda s: s.jobs(group_ids=[group_id], states=[JobState.QUEUED, JobState.RUNNING], limit=2),
            lambda s: s.count_jobs(),
            lambda s: s.next_run_at(group_id),
            lambda s: s.episodes(group_id, episode_ids),
            lambda s: s.recent_episodes(GROUPS, limit=3, before=known_at, known_at=known_at, filter=wanted),
            lambda s: s.recent_episodes([group_id], limit=2),
            lambda s: s.entities(group_id, ENTITIES),
            lambda s: s.facts(group_id, fact_ids),
            lambda s: s.entities_named(GROUPS, ["tea", "acme"]),
            lambda s: s.names_of(group_id, [entity_id, obj]),
            lambda s: s.list_names(GROUPS, limit=3),
            lambda s: s.mentions_of(group_id, [entity_id]),
            lambda s: s.versions_of(group_id, fact_ids),
            lambda s: s.support_of(group_id, version_ids, known_at),
            lambda s: s.changed_between(GROUPS, known_at - 30, known_at),
            lambda s: s.tombstones(group_id),
        ]
        for call in calls:
            self.told(call)


StoreMachine.TestCase.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
TestSqliteAgainstOracle = StoreMachine.TestCase
