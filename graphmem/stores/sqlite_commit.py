"""Writing what the engine decided: one batch of changes, inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from graphmem.errors import CommitConflict, InvalidInput
from graphmem.groups import check_group
from graphmem.model import Changes, Fact, Retraction, StoredClaim
from graphmem.ports import SearchTarget
from graphmem.stores.search_text import entity_terms, fact_terms
from graphmem.stores.sqlite_jobs import finish
from graphmem.stores.sqlite_rows import claim_of, claim_row, decoded, entity_row, fact_row, name_row, version_row
from graphmem.stores.sqlite_statements import Parameters, Value, first, listed, rows, run, run_many
from graphmem.stores.sqlite_texts import put_texts, set_texts
from graphmem.timeline.instants import MAX, MIN, Instant

__all__ = ["Receipt", "commit", "group_tau", "index_entities", "put_facts", "step_tau"]


def commit(connection: sqlite3.Connection, changes: Sequence[Changes]) -> None:
    if not changes:
        return
    group_id = check_group(changes[0].group_id)
    if any(item.group_id != group_id for item in changes):
        raise InvalidInput("a commit is of one group: commit each group by itself")
    for item in changes:
        if item.job is not None:
            finish(connection, item.job)
    step_tau(connection, group_id, [Receipt.of(item) for item in changes])
    # What is only ever added goes in for all items at once; what opens and closes goes item by item.
    _put_named(connection, changes)
    _put_facts(connection, group_id, [fact for item in changes for fact in item.facts])
    _put_claims(connection, group_id, [claim for item in changes for claim in item.claims])
    for retraction in (retraction for item in changes for retraction in item.retractions):
        _put_retraction(connection, retraction)
    for item in changes:
        _expire(connection, item)
        run_many(connection, "put_version", [version_row(version) for version in item.versions])
        _link(connection, item)
    called = [name.entity_id for item in changes for name in item.names]
    called += [entity_id for item in changes for _, entity_id in item.forgotten_names]
    index_entities(connection, group_id, (*called, *(entity.entity_id for item in changes for entity in item.entities)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """That a transaction took place."""

    based_on: Instant
    tau: Instant
    kind: str
    note: str = ""

    @classmethod
    def of(cls, item: Changes) -> Receipt:
        return cls(based_on=item.based_on, tau=item.tau, kind=item.kind, note=item.note)


def group_tau(connection: sqlite3.Connection, group_id: str) -> Instant:
    """The group's last transaction time; MIN if there was none."""
    found = first(connection, "group_tau", group_id=group_id)
    return MIN if found is None else int(found["tau"])


def step_tau(connection: sqlite3.Connection, group_id: str, receipts: Sequence[Receipt]) -> None:
    """Move the group's last transaction time on. Raises CommitConflict if it is not what the receipts are based on."""
    last = group_tau(connection, group_id)
    for receipt in receipts:
        if receipt.based_on != last:
            raise CommitConflict(f"group {group_id!r} is at {last}, not at {receipt.based_on}: read it again and redo")
        if receipt.tau <= last:
            raise InvalidInput(f"transaction times of group {group_id!r} must rise: {receipt.tau} is not after {last}")
        last = receipt.tau
    run(connection, "put_group_tau", group_id=group_id, tau=last)
    given: list[Parameters] = [{"group_id": group_id, "tau": r.tau, "kind": r.kind, "note": r.note} for r in receipts]
    run_many(connection, "put_tx", given)


def _put_named(connection: sqlite3.Connection, changes: Sequence[Changes]) -> None:
    run_many(connection, "put_entity", [entity_row(entity) for item in changes for entity in item.entities])
    gone: list[Parameters] = [
        {"group_id": item.group_id, "key": key, "entity_id": entity_id}
        for item in changes
        for key, entity_id in item.forgotten_names
    ]
    run_many(connection, "erase_name", gone)
    run_many(connection, "put_name", [name_row(name) for item in changes for name in item.names])
    mentions = [
        {"group_id": item.group_id, "episode_id": episode_id, "entity_id": entity_id}
        for item in changes
        for episode_id, entity_id in item.mentions
    ]
    run_many(connection, "put_mention", mentions)


def _put_facts(connection: sqlite3.Connection, group_id: str, facts: Sequence[Fact]) -> None:
    ends = {end for fact in facts for end in (fact.subject, fact.object)}
    missing = first(connection, "missing_entity", group_id=group_id, entity_ids=listed(ends)) if ends else None
    if missing is not None:
        raise CommitConflict(f"entity {missing['entity_id']!r}, which a new fact refers to, is missing")
    put_facts(connection, group_id, facts)


def put_facts(connection: sqlite3.Connection, group_id: str, facts: Iterable[Fact]) -> None:
    """Write facts of a group, and let them be found; those that exist stay as they are."""
    texts: dict[int, str] = {}
    for fact in facts:
        # No row comes back for a fact that exists.
        texts |= {new["fact_no"]: fact_terms(fact) for new in rows(connection, "put_fact", **fact_row(fact))}
    put_texts(connection, SearchTarget.FACT, group_id, texts)


def _put_claims(connection: sqlite3.Connection, group_id: str, claims: Sequence[StoredClaim]) -> None:
    written = run_many(connection, "put_claim", [claim_row(claim) for claim in claims])
    if written == len(claims):
        return
    ids = listed(claim.claim.claim_id for claim in claims)
    found = rows(
        connection,
        "claims_by_id",
        group_id=group_id,
        claim_ids=ids,
        episode_ids=None,
        fact_ids=None,
        entity_ids=None,
        relation=None,
    )
    stored = {claim.claim.claim_id: replace(claim, retracted_at=MAX) for claim in decoded(claim_of, found)}
    for claim in claims:
        if stored[claim.claim.claim_id] != replace(claim, retracted_at=MAX):
            raise InvalidInput(f"claim {claim.claim.claim_id!r} exists with other content; claims never change")


def _put_retraction(connection: sqlite3.Connection, retraction: Retraction) -> None:
    key: dict[str, Value] = {
        "group_id": retraction.group_id,
        "retraction_id": retraction.retraction_id,
        "tau": retraction.tau,
    }
    run(connection, "put_retraction", **key, reason=retraction.reason)
    run_many(connection, "put_withdrawal", [{**key, "claim_id": claim_id} for claim_id in retraction.claim_ids])


def _expire(connection: sqlite3.Connection, item: Changes) -> None:
    closed = run_many(
        connection,
        "expire_version",
        [{"group_id": item.group_id, "tau": item.tau, "version_id": version_id} for version_id in item.expire],
    )
    if closed != len(item.expire):
        raise CommitConflict(f"{len(item.expire) - closed} of the versions to expire are not open: read again and redo")


def _link(connection: sqlite3.Connection, item: Changes) -> None:
    closed = run_many(connection, "close_support", _link_rows(item, item.unsupport))
    if closed != len(item.unsupport):
        raise CommitConflict(f"{len(item.unsupport) - closed} of the links to close are not open: read again and redo")
    opened = run_many(connection, "open_support", _link_rows(item, item.support))
    if opened != len(item.support):
        raise InvalidInput(f"{len(item.support) - opened} of the links to open are open already")


def _link_rows(item: Changes, links: Sequence[tuple[str, str]]) -> list[Parameters]:
    return [
        {"group_id": item.group_id, "tau": item.tau, "version_id": version_id, "claim_id": claim_id}
        for version_id, claim_id in links
    ]


def index_entities(connection: sqlite3.Connection, group_id: str, entity_ids: Iterable[str]) -> None:
    """Let these entities be found by the names they have now."""
    found = rows(connection, "spellings", group_id=group_id, entity_ids=listed(dict.fromkeys(entity_ids)))
    texts: dict[int, str] = {}
    for entity_no, named in groupby(found, key=lambda row: row["entity_no"]):
        entity = list(named)
        spellings = [row["spelling"] for row in entity if row["spelling"] is not None]
        texts[entity_no] = entity_terms(entity[0]["name"], spellings)
    set_texts(connection, SearchTarget.ENTITY, group_id, texts)
