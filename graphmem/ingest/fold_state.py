"""The claims and open versions of the timelines a transaction touches, folded again and diffed as claims come and go.

This is the `fold` step of the stream: the store only reads and writes what is decided here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from graphmem.model import FactVersion, StoredClaim
from graphmem.ports import Store, TimelineRead
from graphmem.timeline.claims import Claim, FactKey, OpenRelation, Relation
from graphmem.timeline.fold import fold
from graphmem.timeline.instants import MAX, Instant
from graphmem.timeline.rivalry import Seat, fact_of, seats_of
from graphmem.timeline.rows import Identity, Row, identity
from graphmem.timeline.timelines import reads_for
from graphmem.timeline.told_rivalry import HAS_RIVALRY, relation_node, relation_told_of, told_rivalry

__all__ = ["FoldDiff", "FoldState", "canonical", "fact_id_of", "read_fold_state", "version_of"]


def fact_id_of(group_id: str, key: FactKey) -> str:
    """The id of a fact: the same subject, relation and object in a group always give the same."""
    text = "\0".join((group_id, key.subject, key.relation, key.object))
    return "f_" + blake2b(text.encode(), digest_size=12).hexdigest()


def canonical(claim: Claim, relation: Relation) -> Claim:
    """The claim with the ends of a symmetric relation in canonical order (R21)."""
    subject, obj = fact_of(claim, relation)
    return claim if subject == claim.subject else replace(claim, subject=subject, object=obj)


def version_of(row: Row, group_id: str, tau: Instant) -> FactVersion:
    """The version that a row becomes when it appears at `tau`; its id follows from both."""
    key = FactKey(subject=row.subject, relation=row.relation, object=row.object)
    fact_id = fact_id_of(group_id, key)
    text = "\0".join(map(str, (fact_id, tau, *identity(row))))
    return FactVersion(
        version_id="v_" + blake2b(text.encode(), digest_size=12).hexdigest(),
        fact_id=fact_id,
        group_id=group_id,
        subject=row.subject,
        relation=row.relation,
        object=row.object,
        valid_at=row.valid_at,
        invalid_at=row.invalid_at,
        start=row.start,
        end=row.end,
        start_stated=row.start_stated,
        end_stated=row.end_stated,
        trusted=row.trusted,
        created_at=tau,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldDiff:
    """What one transaction time changes: versions and support links to close and to open (R25, R30)."""

    expire: tuple[FactVersion, ...] = ()
    versions: tuple[FactVersion, ...] = ()
    unsupport: tuple[tuple[str, str], ...] = ()
    support: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, parts: Sequence[FoldDiff]) -> FoldDiff:
        return cls(
            expire=tuple(v for p in parts for v in p.expire),
            versions=tuple(v for p in parts for v in p.versions),
            unsupport=tuple(link for p in parts for link in p.unsupport),
            support=tuple(link for p in parts for link in p.support),
        )


class FoldState:
    """Claims and open versions of whole timelines of one group, kept current through a batch of transactions."""

    def __init__(self, group_id: str, tau: Instant, relation_of: Callable[[str], Relation]) -> None:
        self.group_id = group_id
        self.tau = tau
        """The group's last transaction time as read; commits are based on it."""
        self._declared = relation_of
        self._relations: dict[str, Relation] = {}
        self._claims: dict[str, StoredClaim] = {}
        self._about: defaultdict[str, set[str]] = defaultdict(set)
        """By relation: the claims that say what its rivalry is."""
        self._by_seat: defaultdict[tuple[str, Seat], set[str]] = defaultdict(set)
        self._open: defaultdict[FactKey, dict[Identity, FactVersion]] = defaultdict(dict)
        self._support: defaultdict[str, set[str]] = defaultdict(set)

    def load(self, read: TimelineRead) -> None:
        """Take in what the store holds of some timelines; the same again changes nothing."""
        for claim in sorted(read.claims, key=lambda c: relation_told_of(c.claim) is None):  # they rule the others
            self._put(claim)
        for version in read.versions:
            key = FactKey(subject=version.subject, relation=version.relation, object=version.object)
            self._open[key][identity(version)] = version
        for link in read.support:
            self._support[link.version_id].add(link.claim_id)

    @property
    def told_of(self) -> set[str]:
        """The relations whose rivalry was ever told of."""
        return set(self._about)

    def knows(self, claim_id: str) -> bool:
        return claim_id in self._claims

    def claims(self) -> Iterable[StoredClaim]:
        return self._claims.values()

    def relation_of(self, name: str) -> Relation:
        """How a relation behaves in this group: as declared, or of an open one as its claims say now."""
        if name not in self._relations:
            relation = self._declared(name)
            about = [self._claims[i] for i in self._about.get(name, ())] if isinstance(relation, OpenRelation) else []
            told = told_rivalry(c.claim for c in about if c.retracted_at == MAX)
            self._relations[name] = relation if told is None else replace(relation, rivalry=told.rivalry)
        return self._relations[name]

    def add(self, claims: Sequence[StoredClaim], tau: Instant) -> FoldDiff:
        """The difference that new claims make at `tau`."""
        return self.exchange((), claims, tau)

    def withdraw(self, claim_ids: Sequence[str], tau: Instant) -> FoldDiff:
        """The difference that taking claims back makes at `tau`."""
        return self.exchange(claim_ids, (), tau)

    def exchange(self, claim_ids: Sequence[str], claims: Sequence[StoredClaim], tau: Instant) -> FoldDiff:
        """The difference that taking claims back and telling others makes, both at `tau`.

        Where they change what the rivalry of a relation is, all its timelines are folded again: all must have been read.
        """
        touched = [*(self._claims[claim_id].claim for claim_id in claim_ids), *(c.claim for c in claims)]
        ruled = {name: self.relation_of(name) for name in map(relation_told_of, touched) if name is not None}
        for claim_id in claim_ids:
            stored = self._claims[claim_id]
            self._claims[claim_id] = replace(stored, retracted_at=min(tau, stored.retracted_at))
        for claim in claims:
            self._put(claim)
        for name, before in ruled.items():
            self._relations.pop(name, None)
            if self.relation_of(name) != before:
                touched += self._reseated(name)
        return self._refold(touched, tau)

    def refold(self, tau: Instant) -> FoldDiff:
        """The difference that other declarations of the relations make at `tau`."""
        return self._refold([c.claim for c in self._claims.values()], tau)

    def _put(self, stored: StoredClaim) -> None:
        claim = stored.claim
        if claim.claim_id in self._claims:
            return
        self._claims[claim.claim_id] = stored
        about = relation_told_of(claim)
        if about is None:
            self._seat(claim)
        else:
            self._about[about].add(claim.claim_id)
            self._relations.pop(about, None)

    def _seat(self, claim: Claim) -> None:
        for seat in self._seats_of(claim):
            self._by_seat[seat].add(claim.claim_id)

    def _reseated(self, name: str) -> list[Claim]:
        """The claims of a relation, in the seats of the rivalry that it has now."""
        for key in [key for key in self._by_seat if key[0] == name]:
            del self._by_seat[key]
        claims = [c.claim for c in self._claims.values() if c.claim.relation == name]
        for claim in claims:
            self._seat(claim)
        return claims

    def _refold(self, touched: Sequence[Claim], tau: Instant) -> FoldDiff:
        diffs: list[FoldDiff] = []
        folded: set[str] = set()
        for claim in touched:
            if claim.claim_id not in folded and relation_told_of(claim) is None:
                timeline = self._timeline_of(claim)
                folded |= timeline
                diffs.append(self._refold_timeline(timeline, tau))
        return FoldDiff.of(diffs)

    def _refold_timeline(self, claim_ids: frozenset[str], tau: Instant) -> FoldDiff:
        members = [self._claims[i] for i in claim_ids]
        relation = self.relation_of(members[0].claim.relation)
        rows = {identity(r): r for r in fold((m.claim for m in members if m.retracted_at == MAX), relation)}
        expire = self._take_gone({m.claim.key for m in members}, rows.keys())
        unsupport = [(v.version_id, c) for v in expire for c in sorted(self._support.pop(v.version_id, ()))]
        versions: list[FactVersion] = []
        support: list[tuple[str, str]] = []
        for same, row in rows.items():
            standing = self._open[FactKey(subject=row.subject, relation=row.relation, object=row.object)]
            version = standing.get(same)
            if version is None:
                version = standing[same] = version_of(row, self.group_id, tau)
                versions.append(version)
            held = self._support[version.version_id]
            unsupport.extend((version.version_id, c) for c in sorted(held - row.support))
            support.extend((version.version_id, c) for c in sorted(row.support - held))
            self._support[version.version_id] = set(row.support)
        return FoldDiff(
            expire=tuple(expire), versions=tuple(versions), unsupport=tuple(unsupport), support=tuple(support)
        )

    def _take_gone(self, keys: Iterable[FactKey], standing_rows: Container[Identity]) -> list[FactVersion]:
        gone: list[FactVersion] = []
        for key in sorted(keys):
            versions = self._open[key]
            gone += [versions.pop(same) for same in [i for i in versions if i not in standing_rows]]
        return gone

    def _timeline_of(self, claim: Claim) -> frozenset[str]:
        """Ids of the claims that a chain of shared seats joins to this one (see `timelines`)."""
        found: set[str] = set()
        waiting = {claim.claim_id}
        while waiting:
            found |= waiting
            seats = {seat for claim_id in waiting for seat in self._seats_of(self._claims[claim_id].claim)}
            waiting = {claim_id for seat in seats for claim_id in self._by_seat[seat]} - found
        return frozenset(found)

    def _seats_of(self, claim: Claim) -> Iterable[tuple[str, Seat]]:
        relation = self.relation_of(claim.relation)
        return ((claim.relation, seat) for seat in seats_of(fact_of(claim, relation), relation))


async def read_fold_state(
    store: Store,
    group_id: str,
    claims: Sequence[Claim],
    relation_of: Callable[[str], Relation],
    *,
    is_replay: bool = False,
) -> FoldState:
    """The state of every timeline these claims belong to, read at one transaction time of the group.

    With the claims that say what the rivalry of an open relation is; for one of these itself, every timeline of the relation, and
    for a replay of old transaction times every timeline of a relation that was ever said to be anything: it was another then.
    For components the store is asked on until no new end point appears; when somebody commits in between, it starts over.
    """
    while True:
        state = await _try_read(store, group_id, claims, relation_of, is_replay=is_replay)
        if state is not None:
            return state


async def _try_read(
    store: Store,
    group_id: str,
    claims: Sequence[Claim],
    relation_of: Callable[[str], Relation],
    *,
    is_replay: bool,
) -> FoldState | None:
    told_of = {name for name in map(relation_told_of, claims) if name is not None}
    ruled = {name for name in told_of if isinstance(relation_of(name), OpenRelation)}
    others = [claim for claim in claims if relation_told_of(claim) is None]
    is_open = {c.relation for c in others if isinstance(relation_of(c.relation), OpenRelation)}
    about = {(HAS_RIVALRY, relation_node(name)) for name in told_of | is_open}
    wanted = reads_for(others, relation_of)
    facts, subjects, objects = set(wanted.facts), wanted.subjects | about, set(wanted.objects)
    read = await store.read_timelines(group_id, facts=sorted(facts), subjects=sorted(subjects), objects=sorted(objects))
    state = FoldState(group_id, read.tau, relation_of)
    state.load(read)
    met = [*claims, *(c.claim for c in read.claims)]
    if is_replay:
        ruled |= is_open & state.told_of
    for name in sorted(ruled):
        met += [c.claim for c in await store.claims(group_id, relation=name)]
    while True:
        further = reads_for((c for c in met if relation_told_of(c) is None), state.relation_of)
        new_subjects, new_objects = further.subjects - subjects, further.objects - objects
        new_facts = further.facts - facts if ruled else frozenset[FactKey]()  # else a fact by itself was read already
        if not new_facts and not new_subjects and not new_objects:
            return state
        facts |= new_facts
        subjects |= new_subjects
        objects |= new_objects
        read = await store.read_timelines(
            group_id, facts=sorted(new_facts), subjects=sorted(new_subjects), objects=sorted(new_objects)
        )
        if read.tau != state.tau:
            return None
        state.load(read)
        met = [c.claim for c in read.claims]
