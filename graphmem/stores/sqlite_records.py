"""The records of a SQLite store, page by page, for copying a memory whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import cast

from graphmem.errors import InvalidInput
from graphmem.model import Entity, Fact, FactVersion, Name, Retraction, StoredClaim, Support, Tombstone
from graphmem.portable import Accepted, GroupClock, Key, Mentions, Page, Receipt, Record, RecordKind, Rests, only
from graphmem.ports import SearchTarget
from graphmem.stores.search_text import episode_terms
from graphmem.stores.sqlite_commit import index_entities, put_facts
from graphmem.stores.sqlite_connections import Connections
from graphmem.stores.sqlite_rows import (
    claim_of,
    claim_row,
    decoded,
    entity_of,
    entity_row,
    episode_of,
    episode_row,
    fact_of,
    job_of,
    job_row,
    name_of,
    name_row,
    support_of,
    support_row,
    tombstone_of,
    tombstone_row,
    version_of,
    version_row,
)
from graphmem.stores.sqlite_statements import Value, first, rows, run, run_many
from graphmem.stores.sqlite_texts import put_texts
from graphmem.timeline.instants import MAX, MIN

__all__ = ["SqliteRecords"]

Row = sqlite3.Row

_PLURALS = {RecordKind.ENTITY: "entities", RecordKind.SUPPORT: "support"}


class SqliteRecords:
    """A `graphmem.portable.Portable`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def group_clocks(self) -> Sequence[GroupClock]:
        found = await self._connections.read(lambda c: rows(c, "group_clocks"))
        return [GroupClock(group_id=row["group_id"], tau=row["tau"], fence=row["fence"]) for row in found]

    async def put_group_clock(self, clock: GroupClock) -> None:
        await self._connections.write(
            lambda c: run(c, "put_group_clock", group_id=clock.group_id, tau=clock.tau, fence=clock.fence)
        )

    async def put_secret(self, secret: bytes) -> None:
        def put(connection: sqlite3.Connection) -> None:
            run(connection, "replace_secret", value=secret)
            [kept] = rows(connection, "secret")
            if bytes(kept["value"]) != secret:
                raise InvalidInput("the store holds another memory already: copy into an empty one")

        await self._connections.write(put)

    async def page(self, kind: RecordKind, group_id: str, after: Key | None, limit: int) -> Page:
        start = after if after is not None else _START.get(kind, "")
        statement = f"page_{_PLURALS.get(kind, f'{kind}s')}"
        found = await self._connections.read(lambda c: rows(c, statement, group_id=group_id, after=start, limit=limit))
        read, key_of = _READERS[kind]
        # A page may be short by names and links that share a key: only an empty one is the last.
        return Page(records=read(found), last=key_of(found[-1]) if found else None)

    async def last_key(self, kind: RecordKind, group_id: str) -> Key | None:
        found = await self._connections.read(lambda c: first(c, f"last_{kind}", group_id=group_id))
        return None if found is None else cast("Key | None", found["last"])

    async def put_page(self, kind: RecordKind, group_id: str, records: Sequence[Record]) -> None:
        await self._connections.write(lambda c: _WRITERS[kind](c, group_id, records))


_START: dict[RecordKind, Key] = {RecordKind.EPISODE: 0, RecordKind.RECEIPT: MIN}


def _one_by_one(make: Callable[[Row], Record]) -> Callable[[Sequence[Row]], list[Record]]:
    return lambda found: decoded(make, found)


def _accepted(found: Sequence[Row]) -> list[Record]:
    episodes, jobs = decoded(episode_of, found), decoded(job_of, found)
    return [Accepted(episode=episode, job=job) for episode, job in zip(episodes, jobs, strict=True)]


def _mentions(found: Sequence[Row]) -> list[Record]:
    return [
        Mentions(entity_id=entity_id, episode_ids=tuple(row["episode_id"] for row in some))
        for entity_id, some in groupby(found, key=lambda row: str(row["entity_id"]))
    ]


def _rests(found: Sequence[Row]) -> list[Record]:
    links = decoded(support_of, found)
    return [
        Rests(version_id=version_id, links=tuple(some))
        for version_id, some in groupby(links, key=lambda link: link.version_id)
    ]


def _retractions(found: Sequence[Row]) -> list[Record]:
    retractions: list[Record] = []
    for _, some in groupby(found, key=lambda row: str(row["retraction_id"])):
        withdrawn = list(some)
        retractions.append(
            Retraction(
                retraction_id=withdrawn[0]["retraction_id"],
                group_id=withdrawn[0]["group_id"],
                claim_ids=tuple(row["claim_id"] for row in withdrawn if row["claim_id"] is not None),
                tau=withdrawn[0]["tau"],
                reason=withdrawn[0]["reason"],
            )
        )
    return retractions


def _receipt_of(row: Row) -> Receipt:
    return Receipt(tau=row["tau"], kind=row["kind"], note=row["note"])


def _column(name: str) -> Callable[[Row], Key]:
    return lambda row: cast("Key", row[name])


_READERS: dict[RecordKind, tuple[Callable[[Sequence[Row]], list[Record]], Callable[[Row], Key]]] = {
    RecordKind.EPISODE: (_accepted, _column("seq")),
    RecordKind.ENTITY: (_one_by_one(entity_of), _column("entity_id")),
    RecordKind.NAME: (_one_by_one(name_of), _column("key")),
    RecordKind.MENTION: (_mentions, _column("entity_id")),
    RecordKind.FACT: (_one_by_one(fact_of), _column("fact_id")),
    RecordKind.CLAIM: (_one_by_one(claim_of), _column("claim_id")),
    RecordKind.RETRACTION: (_retractions, _column("retraction_id")),
    RecordKind.VERSION: (_one_by_one(version_of), _column("version_id")),
    RecordKind.SUPPORT: (_rests, _column("version_id")),
    RecordKind.TOMBSTONE: (_one_by_one(tombstone_of), _column("kind")),
    RecordKind.RECEIPT: (_one_by_one(_receipt_of), _column("tau")),
}


def _put_episodes(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    texts: dict[int, str] = {}
    for accepted in only(Accepted, records):
        job = accepted.job
        run(connection, "copy_episode", seq=job.seq, **episode_row(accepted.episode))
        run(connection, "put_job", **job_row(job))
        texts[job.seq] = episode_terms(accepted.episode)
    put_texts(connection, SearchTarget.EPISODE, group_id, texts)


def _put_entities(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    entities = only(Entity, records)
    run_many(connection, "put_entity", [entity_row(entity) for entity in entities])
    index_entities(connection, group_id, [entity.entity_id for entity in entities])


def _put_names(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    names = only(Name, records)
    run_many(connection, "put_name", [name_row(name) for name in names])
    index_entities(connection, group_id, [name.entity_id for name in names])


def _put_mentions(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    run_many(
        connection,
        "put_mention",
        [
            {"group_id": group_id, "entity_id": mentions.entity_id, "episode_id": episode_id}
            for mentions in only(Mentions, records)
            for episode_id in mentions.episode_ids
        ],
    )


def _put_facts(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    put_facts(connection, group_id, only(Fact, records))


def _put_claims(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    claims = [claim_row(replace(claim, retracted_at=MAX)) for claim in only(StoredClaim, records)]
    run_many(connection, "put_claim", claims)


def _put_retractions(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    for retraction in only(Retraction, records):
        key: dict[str, Value] = {"group_id": group_id, "retraction_id": retraction.retraction_id, "tau": retraction.tau}
        run(connection, "put_retraction", **key, reason=retraction.reason)
        run_many(connection, "put_withdrawal", [{**key, "claim_id": claim_id} for claim_id in retraction.claim_ids])


def _put_versions(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    run_many(connection, "put_version", [version_row(version) for version in only(FactVersion, records)])


def _put_support(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    links: list[Support] = [link for rests in only(Rests, records) for link in rests.links]
    run_many(connection, "put_support", [support_row(group_id, link) for link in links])


def _put_tombstones(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    run_many(connection, "put_tombstone", [tombstone_row(tombstone) for tombstone in only(Tombstone, records)])


def _put_receipts(connection: sqlite3.Connection, group_id: str, records: Iterable[Record]) -> None:
    receipts = only(Receipt, records)
    run_many(
        connection, "put_tx", [{"group_id": group_id, "tau": r.tau, "kind": r.kind, "note": r.note} for r in receipts]
    )


_WRITERS: dict[RecordKind, Callable[[sqlite3.Connection, str, Iterable[Record]], None]] = {
    RecordKind.EPISODE: _put_episodes,
    RecordKind.ENTITY: _put_entities,
    RecordKind.NAME: _put_names,
    RecordKind.MENTION: _put_mentions,
    RecordKind.FACT: _put_facts,
    RecordKind.CLAIM: _put_claims,
    RecordKind.RETRACTION: _put_retractions,
    RecordKind.VERSION: _put_versions,
    RecordKind.SUPPORT: _put_support,
    RecordKind.TOMBSTONE: _put_tombstones,
    RecordKind.RECEIPT: _put_receipts,
}
