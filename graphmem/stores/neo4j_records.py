"""The records of a Neo4j store, page by page, for copying a memory whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from neo4j import Record as Row

from graphmem.errors import InvalidInput
from graphmem.model import Entity, Fact, FactVersion, Name, Retraction, StoredClaim, Support, Tombstone
from graphmem.portable import Accepted, GroupClock, Key, Mentions, Page, Receipt, Record, RecordKind, Rests, only
from graphmem.stores.neo4j_commit import Batch, called_after, check_ours, lock_group, write
from graphmem.stores.neo4j_connections import Connections, Transaction
from graphmem.stores.neo4j_jobs import new_call
from graphmem.stores.neo4j_rows import (
    Properties,
    claim_of,
    decoded,
    entity_of,
    episode_of,
    episode_row,
    fact_of,
    fact_row,
    job_of,
    job_row,
    name_of,
    tombstone_of,
    tombstone_row,
    version_of,
)
from graphmem.stores.neo4j_times import NEVER, instant_of, instant_text
from graphmem.timeline.instants import MIN

__all__ = ["Neo4jRecords", "receipt_of", "rests_of", "retraction_of"]


_PLURALS = {RecordKind.ENTITY: "entities", RecordKind.SUPPORT: "support"}


class Neo4jRecords:
    """A `graphmem.portable.Portable`."""

    def __init__(self, ready: Callable[[], Awaitable[Connections]]) -> None:
        self._ready = ready

    async def group_clocks(self) -> Sequence[GroupClock]:
        found = await (await self._ready()).read("all_taus")
        return [
            GroupClock(group_id=row["group_id"], tau=instant_of(row["tau"]), fence=int(row["fence"])) for row in found
        ]

    async def put_group_clock(self, clock: GroupClock) -> None:
        async def act(transaction: Transaction) -> None:
            await transaction.run(
                "put_group_clock", group_id=clock.group_id, tau=instant_text(clock.tau), fence=clock.fence
            )

        await (await self._ready()).write(act)

    async def put_secret(self, secret: bytes) -> None:
        async def act(transaction: Transaction) -> None:
            [kept] = await transaction.rows("replace_secret", secret=secret.hex())
            if kept["secret"] != secret.hex():
                raise InvalidInput("the store holds another memory already: copy into an empty one")

        await (await self._ready()).write(act)

    async def page(self, kind: RecordKind, group_id: str, after: Key | None, limit: int) -> Page:
        start: Key = after if after is not None else 0 if kind is RecordKind.EPISODE else ""
        if kind is RecordKind.RECEIPT and isinstance(after, int):
            start = instant_text(after)
        found = await (await self._ready()).read(
            f"page_{_PLURALS.get(kind, f'{kind}s')}", group_id=group_id, after=start, limit=limit
        )
        return Page(records=_READERS[kind](group_id, found), last=_key(kind, found[-1]["key"]) if found else None)

    async def last_key(self, kind: RecordKind, group_id: str) -> Key | None:
        found = await (await self._ready()).read(f"last_{kind}", group_id=group_id)
        return _key(kind, found[0]["last"]) if found else None

    async def put_page(self, kind: RecordKind, group_id: str, records: Sequence[Record]) -> None:
        call = new_call()

        async def act(transaction: Transaction) -> None:
            if transaction.attempt > 1:
                stored = await transaction.rows(f"last_{kind}", group_id=group_id)
                if stored and _key(kind, stored[0]["last"]) == _key_of(records[-1]):
                    return
            if kind is RecordKind.EPISODE:
                await _put_episodes(transaction, only(Accepted, records), call)
            elif kind is RecordKind.TOMBSTONE:
                rows = [tombstone_row(tombstone) for tombstone in only(Tombstone, records)]
                await transaction.run("put_tombstones", group_id=group_id, tombstones=rows)
            else:
                await _put_batch(transaction, _batch(kind, group_id, records, call))

        await (await self._ready()).write(act)


def _key(kind: RecordKind, stored: Key) -> Key:
    return instant_of(str(stored)) if kind is RecordKind.RECEIPT else stored


def _key_of(record: Record) -> Key:
    match record:
        case Accepted(job=job):
            return job.seq
        case Entity(entity_id=key) | Mentions(entity_id=key) | Name(key=key) | Fact(fact_id=key):
            return key
        case FactVersion(version_id=key) | Rests(version_id=key) | Retraction(retraction_id=key) | Tombstone(kind=key):
            return key
        case StoredClaim(claim=claim):
            return claim.claim_id
        case Receipt(tau=tau):
            return tau


async def _put_episodes(transaction: Transaction, accepted: Sequence[Accepted], call: str) -> None:
    rows: list[Properties] = [
        {"episode": episode_row(one.episode, one.job.seq), "job": job_row(one.job, call)} for one in accepted
    ]
    await transaction.run("put_episode", rows=rows, seq=max(one.job.seq for one in accepted), never=NEVER)


async def _put_batch(transaction: Transaction, batch: Batch) -> None:
    # The group keeps the time MIN until it is copied whole, so that nobody's commit gets in between.
    locked = await lock_group(transaction, batch, based_on=MIN, tau=MIN)
    check_ours(locked, batch.group_id, MIN)
    await write(transaction, batch, locked, called_after(batch, locked.entities))


def _batch(kind: RecordKind, group_id: str, records: Sequence[Record], call: str) -> Batch:
    batch = Batch(group_id=group_id, call=call)
    match kind:
        case RecordKind.ENTITY:
            batch.entities = {entity.entity_id: entity for entity in only(Entity, records)}
        case RecordKind.NAME:
            batch.names = {(name.key, name.entity_id): name for name in only(Name, records)}
        case RecordKind.MENTION:
            batch.mentions = {
                (episode_id, mentions.entity_id): None
                for mentions in only(Mentions, records)
                for episode_id in mentions.episode_ids
            }
        case RecordKind.FACT:
            batch.facts = {fact.fact_id: fact_row(fact) for fact in only(Fact, records)}
        case RecordKind.CLAIM:
            batch.claims = {claim.claim.claim_id: claim for claim in only(StoredClaim, records)}
        case RecordKind.RETRACTION:
            for retraction in only(Retraction, records):
                batch.add_retraction(retraction)
        case RecordKind.VERSION:
            batch.versions = {version.version_id: version for version in only(FactVersion, records)}
        case RecordKind.SUPPORT:
            batch.closed_links = [link for rests in only(Rests, records) for link in rests.links]
        case RecordKind.RECEIPT:
            for receipt in only(Receipt, records):
                batch.add_receipt(receipt.tau, receipt.kind, receipt.note)
        case _:
            raise InvalidInput(f"{kind} is not written by a commit")
    return batch


def retraction_of(group_id: str, row: Row) -> Retraction:
    item = row["item"]
    return Retraction(
        retraction_id=row["key"],
        group_id=group_id,
        claim_ids=tuple(row["claim_ids"]),
        tau=instant_of(item["tau"]),
        reason=item["reason"],
    )


def rests_of(row: Row) -> Rests:
    return Rests(
        version_id=row["key"],
        links=tuple(
            Support(
                version_id=row["key"],
                claim_id=link["claim_id"],
                created_at=instant_of(link["created_at"]),
                expired_at=instant_of(link["expired_at"]),
            )
            for link in row["items"]
        ),
    )


def receipt_of(row: Row) -> Receipt:
    return Receipt(tau=instant_of(row["key"]), kind=row["item"]["kind"], note=row["item"]["note"])


def _one_by_one(make: Callable[[Properties], Record]) -> Callable[[str, Sequence[Row]], list[Record]]:
    return lambda _, found: decoded(make, (row["item"] for row in found))


def _accepted(_: str, found: Sequence[Row]) -> list[Record]:
    episodes = decoded(episode_of, (row["item"] for row in found))
    jobs = decoded(job_of, (row["job"] for row in found))
    return [Accepted(episode=episode, job=job) for episode, job in zip(episodes, jobs, strict=True)]


def _names(_: str, found: Sequence[Row]) -> list[Record]:
    return [name for row in found for name in decoded(name_of, row["items"])]


def _mentions(_: str, found: Sequence[Row]) -> list[Record]:
    return [Mentions(entity_id=row["key"], episode_ids=tuple(row["items"])) for row in found if row["items"]]


_READERS: dict[RecordKind, Callable[[str, Sequence[Row]], Sequence[Record]]] = {
    RecordKind.EPISODE: _accepted,
    RecordKind.ENTITY: _one_by_one(entity_of),
    RecordKind.NAME: _names,
    RecordKind.MENTION: _mentions,
    RecordKind.FACT: _one_by_one(fact_of),
    RecordKind.CLAIM: _one_by_one(claim_of),
    RecordKind.RETRACTION: lambda group_id, found: [retraction_of(group_id, row) for row in found],
    RecordKind.VERSION: _one_by_one(version_of),
    RecordKind.SUPPORT: lambda _, found: [rests_of(row) for row in found if row["items"]],
    RecordKind.TOMBSTONE: _one_by_one(tombstone_of),
    RecordKind.RECEIPT: lambda _, found: [receipt_of(row) for row in found],
}
