"""Writing what the engine decided on Neo4j: lock and read, write, commit.

A batch is flattened before it is sent: a version that appears and vanishes inside it is created with both times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graphmem.errors import CommitConflict, InvalidInput, NotFound
from graphmem.groups import check_group
from graphmem.model import Changes, Entity, FactVersion, Job, Name, Retraction, StoredClaim, Support
from graphmem.stores.neo4j_connections import Connections, Transaction
from graphmem.stores.neo4j_jobs import moved_values, new_call
from graphmem.stores.neo4j_rows import (
    Properties,
    claim_of,
    claim_row,
    decoded,
    entity_row,
    fact_row,
    job_of,
    name_row,
    support_row,
    version_row,
)
from graphmem.stores.neo4j_times import NEVER, OPEN, instant_of, instant_text
from graphmem.stores.promises import check_may_move
from graphmem.stores.search_text import entity_terms
from graphmem.timeline.instants import MAX, Instant

__all__ = ["Batch", "Called", "Locked", "called_after", "check_interval", "check_ours", "commit", "lock_group", "write"]

_MISSING = {
    "jobs": "a job",
    "names": "the entity or the episode of a new name",
    "mentions": "the episode or the entity of a mention",
    "facts": "an entity that a new fact refers to",
    "claims": "the fact, the episode or an entity of a new claim",
    "withdrawals": "a claim to withdraw",
    "versions": "the fact or an entity of a new version",
    "supported": "the version or the claim of a new link",
    "expired": "a version to expire, or it is not open",
    "unsupported": "a link to close, or it is not open",
}
"""What a count below the number of rows sent means."""
_SENT_AS = {"expired": "expire", "unsupported": "unsupport", "supported": "support"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Called:
    """What an entity is called: its name, and its spellings by their keys."""

    name: str
    spellings: Mapping[str, str] = field(default_factory=dict)

    @property
    def terms(self) -> str:
        return entity_terms(self.name, [spelling for _, spelling in sorted(self.spellings.items())])


@dataclass(frozen=True, kw_only=True, slots=True)
class Locked:
    """What a commit reads once it holds the group's lock."""

    is_done: bool
    """An earlier attempt of this call was written: there is nothing left to do."""
    is_ours: bool
    """The group still was where the caller had read it."""
    tau: Instant
    jobs: Mapping[str, Job]
    claims: Mapping[str, StoredClaim]
    entities: Mapping[str, Called]
    fact_ids: frozenset[str]


@dataclass(kw_only=True, slots=True)
class Batch:
    """The rows of one commit, as the statement takes them."""

    group_id: str
    call: str
    commits: list[Properties] = field(default_factory=list)
    jobs: list[Properties] = field(default_factory=list)
    entities: dict[str, Entity] = field(default_factory=dict)
    names: dict[tuple[str, str], Name] = field(default_factory=dict)
    forgotten: set[tuple[str, str]] = field(default_factory=set)
    """(key, entity id) of names taken away."""
    mentions: dict[tuple[str, str], None] = field(default_factory=dict)
    facts: dict[str, Properties] = field(default_factory=dict)
    claims: dict[str, StoredClaim] = field(default_factory=dict)
    retractions: list[Properties] = field(default_factory=list)
    withdrawals: list[Properties] = field(default_factory=list)
    expire: dict[str, Instant] = field(default_factory=dict)
    versions: dict[str, FactVersion] = field(default_factory=dict)
    unsupport: dict[tuple[str, str], Instant] = field(default_factory=dict)
    open_links: dict[tuple[str, str], Support] = field(default_factory=dict)
    closed_links: list[Support] = field(default_factory=list)

    def add(self, item: Changes) -> None:
        """Take in one transaction time; they come in order."""
        self.add_receipt(item.tau, item.kind, item.note)
        self._add_content(item)
        for retraction in item.retractions:
            self.add_retraction(retraction)
        for version_id in item.expire:
            self._expire(version_id, item.tau)
        for version in item.versions:
            check_interval(version)
            if version.version_id in self.versions:
                raise InvalidInput(f"version {version.version_id!r} exists already")
            self.versions[version.version_id] = version
        for link in item.unsupport:
            self._close(link, item.tau)
        for link in item.support:
            self._open(link, item.tau)

    def add_receipt(self, tau: Instant, kind: str, note: str = "") -> None:
        self.commits.append(
            {"group_id": self.group_id, "tau": instant_text(tau), "kind": kind, "note": note, "call": self.call}
        )

    def add_retraction(self, retraction: Retraction) -> None:
        self.retractions.append(
            {
                "id": retraction.retraction_id,
                "group_id": self.group_id,
                "tau": instant_text(retraction.tau),
                "reason": retraction.reason,
            }
        )
        self.withdrawals += [
            {"retraction_id": retraction.retraction_id, "claim_id": claim_id} for claim_id in retraction.claim_ids
        ]

    def _add_content(self, item: Changes) -> None:
        for entity in item.entities:
            self.entities.setdefault(entity.entity_id, entity)
        self.forgotten.update(item.forgotten_names)
        for name in item.names:
            self.names.setdefault((name.key, name.entity_id), name)
        self.mentions.update(dict.fromkeys(item.mentions))
        for fact in item.facts:
            self.facts.setdefault(fact.fact_id, fact_row(fact))
        for claim in item.claims:
            met = self.claims.setdefault(claim.claim.claim_id, claim)
            _check_same(met, claim)

    def _expire(self, version_id: str, tau: Instant) -> None:
        version = self.versions.get(version_id)
        if version_id in self.expire or (version is not None and version.expired_at != MAX):
            raise CommitConflict(f"version {version_id!r} is expired already: read again and redo")
        if version is None:
            self.expire[version_id] = tau
        else:
            self.versions[version_id] = replace(version, expired_at=tau)

    def _close(self, link: tuple[str, str], tau: Instant) -> None:
        opened = self.open_links.pop(link, None)
        if opened is not None:
            self.closed_links.append(replace(opened, expired_at=tau))
        elif link in self.unsupport:
            raise CommitConflict(f"the link of version {link[0]!r} to claim {link[1]!r} is closed already")
        else:
            self.unsupport[link] = tau

    def _open(self, link: tuple[str, str], tau: Instant) -> None:
        if link in self.open_links:
            raise InvalidInput(f"the link of version {link[0]!r} to claim {link[1]!r} is open already")
        version_id, claim_id = link
        self.open_links[link] = Support(version_id=version_id, claim_id=claim_id, created_at=tau)


def check_interval(version: FactVersion) -> None:
    """Raises InvalidInput for a version that ends before it begins, in the world or in the memory."""
    if version.valid_at is not None and version.valid_at >= version.invalid_at:
        raise InvalidInput(f"version {version.version_id!r} must end after it begins")
    if version.created_at >= version.expired_at:
        raise InvalidInput(f"version {version.version_id!r} must expire after it was created")


async def commit(connections: Connections, changes: Sequence[Changes]) -> None:
    if not changes:
        return
    group_id = check_group(changes[0].group_id)
    if any(item.group_id != group_id for item in changes):
        raise InvalidInput("a commit is of one group: commit each group by itself")
    _check_rising(changes)
    call = new_call()

    async def act(transaction: Transaction) -> None:
        batch = Batch(group_id=group_id, call=call)
        for item in changes:
            batch.add(item)
        locked = await lock_group(
            transaction,
            batch,
            based_on=changes[0].based_on,
            tau=changes[-1].tau,
            job_ids=[item.job.job_id for item in changes if item.job is not None],
        )
        if locked.is_done:
            return
        # First: a lost lease says more than a conflict, for the one who holds it now has committed.
        batch.jobs = _moved(changes, locked.jobs, call)
        check_ours(locked, group_id, changes[0].based_on)
        batch.claims = _new_claims(batch.claims, locked.claims)
        if batch.forgotten:
            names = [{"key": key, "entity_id": entity_id} for key, entity_id in sorted(batch.forgotten)]
            await transaction.run("erase_names", group_id=group_id, names=names)
        await write(transaction, batch, locked, called_after(batch, locked.entities))

    await connections.write(act)


async def lock_group(
    transaction: Transaction,
    batch: Batch,
    *,
    based_on: Instant,
    tau: Instant,
    job_ids: Sequence[str] = (),
    entity_ids: Iterable[str] = (),
) -> Locked:
    """Take the group's lock, and read what must be read under it."""
    [found] = await transaction.rows(
        "lock_group",
        group_id=batch.group_id,
        based_on=instant_text(based_on),
        tau=instant_text(tau),
        call=batch.call,
        never=NEVER,
        job_ids=list(job_ids),
        claim_ids=sorted(batch.claims),
        fact_ids=sorted(batch.facts),
        entity_ids=sorted(
            {*entity_ids, *batch.entities, *(entity_id for _, entity_id in (*batch.names, *batch.forgotten))}
        ),
    )
    return Locked(
        is_done=found["is_done"],
        is_ours=found["is_ours"],
        tau=instant_of(found["tau"]),
        jobs={job.job_id: job for job in decoded(job_of, found["jobs"])},
        claims={claim.claim.claim_id: claim for claim in decoded(claim_of, found["claims"])},
        entities={
            row["entity_id"]: Called(name=row["name"], spellings=dict(row["spellings"])) for row in found["entities"]
        },
        fact_ids=frozenset(found["fact_ids"]),
    )


def check_ours(locked: Locked, group_id: str, based_on: Instant) -> None:
    """Raises CommitConflict if the group is not where the caller had read it."""
    if not locked.is_ours:
        raise CommitConflict(f"group {group_id!r} is at {locked.tau}, not at {based_on}: read it again and redo")


async def write(transaction: Transaction, batch: Batch, locked: Locked, called: Mapping[str, Called]) -> None:
    """Write what the batch has that is not stored; `called`: entities that are to be found by these names.

    Raises CommitConflict or InvalidInput.
    """
    sent = _parameters(batch, locked, called)
    [counts] = await transaction.rows("commit", group_id=batch.group_id, open=OPEN, **sent)
    if counts["open_already"]:
        raise InvalidInput(f"{counts['open_already']} of the links to open are open already")
    for kind, what in _MISSING.items():
        missing = len(sent[_SENT_AS.get(kind, kind)]) - counts[kind]
        if missing:
            raise CommitConflict(
                f"{what} is missing ({missing} of them, group {batch.group_id!r}): read again and redo"
            )


def _parameters(batch: Batch, locked: Locked, called: Mapping[str, Called]) -> dict[str, list[Properties]]:
    # In the order of their ids, so that two commits take the locks of shared nodes in the same order.
    # What is new is created: looking for it again, as MERGE does, is a third of the time of a big batch.
    new = {entity_id: entity for entity_id, entity in batch.entities.items() if entity_id not in locked.entities}
    links = [*batch.closed_links, *batch.open_links.values()]
    return {
        "commits": batch.commits,
        "jobs": batch.jobs,
        "entities": [
            {**entity_row(entity), "terms": called[entity_id].terms} for entity_id, entity in sorted(new.items())
        ],
        "names": [name_row(name) for _, name in sorted(batch.names.items())],
        "entity_terms": [
            {"id": entity_id, "terms": of.terms} for entity_id, of in sorted(called.items()) if entity_id not in new
        ],
        "mentions": [
            {"episode_id": episode_id, "entity_id": entity_id} for episode_id, entity_id in sorted(batch.mentions)
        ],
        "facts": [row for fact_id, row in sorted(batch.facts.items()) if fact_id not in locked.fact_ids],
        "claims": [claim_row(claim) for _, claim in sorted(batch.claims.items())],
        "retractions": batch.retractions,
        "withdrawals": batch.withdrawals,
        "expire": [{"version_id": key, "tau": instant_text(tau)} for key, tau in sorted(batch.expire.items())],
        "versions": [version_row(version) for _, version in sorted(batch.versions.items())],
        "unsupport": [
            {"version_id": version_id, "claim_id": claim_id, "tau": instant_text(tau)}
            for (version_id, claim_id), tau in sorted(batch.unsupport.items())
        ],
        "support": [
            {**support_row(batch.group_id, link), "is_of_new": link.version_id in batch.versions} for link in links
        ],
    }


def called_after(batch: Batch, stored: Mapping[str, Called]) -> dict[str, Called]:
    """What the entities of the batch are called once it is written; a name that exists keeps its spelling."""
    called = {entity_id: Called(name=entity.name) for entity_id, entity in batch.entities.items()} | dict(stored)
    for key, entity_id in batch.forgotten:
        if entity_id in called:
            left = {k: spelling for k, spelling in called[entity_id].spellings.items() if k != key}
            called[entity_id] = replace(called[entity_id], spellings=left)
    for (key, entity_id), name in batch.names.items():
        if entity_id in called:
            known = called[entity_id]
            called[entity_id] = replace(known, spellings={key: name.spelling, **known.spellings})
    return {entity_id: of for entity_id, of in called.items() if stored.get(entity_id) != of}


def _moved(changes: Sequence[Changes], stored: Mapping[str, Job], call: str) -> list[Properties]:
    """The rows of the jobs that move on. Raises LeaseLost or NotFound."""
    jobs = dict(stored)
    rows: list[Properties] = []
    for outcome in (item.job for item in changes if item.job is not None):
        job = jobs.get(outcome.job_id)
        if job is None or job.group_id != outcome.group_id:
            raise NotFound(f"group {outcome.group_id!r} has no job {outcome.job_id!r}")
        check_may_move(job, outcome)
        jobs[outcome.job_id] = replace(job, state=outcome.state)
        rows.append({"id": outcome.job_id, "values": moved_values(outcome, call)})
    return rows


def _new_claims(claims: Mapping[str, StoredClaim], stored: Mapping[str, StoredClaim]) -> dict[str, StoredClaim]:
    for claim_id, met in stored.items():
        _check_same(met, claims[claim_id])
    return {claim_id: claim for claim_id, claim in claims.items() if claim_id not in stored}


def _check_same(met: StoredClaim, claim: StoredClaim) -> None:
    if replace(met, retracted_at=MAX) != replace(claim, retracted_at=MAX):
        raise InvalidInput(f"claim {claim.claim.claim_id!r} exists with other content; claims never change")


def _check_rising(changes: Sequence[Changes]) -> None:
    last = changes[0].based_on
    for item in changes:
        if item.based_on != last:
            raise CommitConflict(
                f"group {item.group_id!r} will be at {last}, not at {item.based_on}: read it again and redo"
            )
        if item.tau <= last:
            raise InvalidInput(
                f"transaction times of group {item.group_id!r} must rise: {item.tau} does not come after {last}"
            )
        last = item.tau
