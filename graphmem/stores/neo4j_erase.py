"""Taking content out of a Neo4j store for good."""

from __future__ import annotations

from graphmem.errors import CommitConflict, InvalidInput
from graphmem.model import Erasure
from graphmem.stores.neo4j_commit import Batch, Called, Locked, check_interval, check_ours, lock_group, write
from graphmem.stores.neo4j_connections import Connections, Transaction
from graphmem.stores.neo4j_jobs import new_call
from graphmem.stores.neo4j_reads import group
from graphmem.stores.neo4j_rows import fact_row, tombstone_row
from graphmem.timeline.instants import MAX

__all__ = ["erase"]

IN_ONE_UP_TO = 10_000
"""Nodes and relationships of a group that go in one transaction, some 100 MB of the server's heap."""

_WHOLE_GROUP = ("claims", "retractions", "facts", "names", "entities", "jobs", "episodes", "commits")


async def erase(connections: Connections, erasure: Erasure) -> None:
    """In one transaction; the group keeps its last transaction time and its tombstones.

    A whole group that is too big for one goes in many, the last of which says that it is gone: broken off, it is erased anew.
    """
    if erasure.tau <= erasure.based_on:
        raise InvalidInput(
            f"transaction times of group {erasure.group_id!r} must rise: {erasure.tau} does not come after {erasure.based_on}"
        )
    if erasure.whole_group:
        await _sweep(connections, erasure)
    call = new_call()

    async def act(transaction: Transaction) -> None:
        batch = Batch(group_id=erasure.group_id, call=call)
        locked = await lock_group(
            transaction,
            batch,
            based_on=erasure.based_on,
            tau=erasure.tau,
            entity_ids={entity_id for _, entity_id in erasure.names} | {e.entity_id for e in erasure.renamed},
        )
        if locked.is_done:
            return
        check_ours(locked, erasure.group_id, erasure.based_on)
        if erasure.whole_group:
            for kind in _WHOLE_GROUP:
                await transaction.run(f"erase_group_{kind}", group_id=erasure.group_id)
        else:
            await _erase_parts(transaction, erasure)
        await transaction.run(
            "put_tombstones",
            group_id=erasure.group_id,
            tombstones=[tombstone_row(tombstone) for tombstone in erasure.tombstones],
        )
        batch.add_receipt(erasure.tau, "erase")
        _add_replayed(batch, erasure)
        await write(transaction, batch, locked, _called(erasure, locked))

    await connections.write(act)


async def _sweep(connections: Connections, erasure: Erasure) -> None:
    state = await group(connections, erasure.group_id)
    if state.tau != erasure.based_on:
        raise CommitConflict(
            f"group {erasure.group_id!r} is at {state.tau}, not at {erasure.based_on}: read it again and redo"
        )
    if state.episodes + state.entities + state.facts + state.versions + state.claims > IN_ONE_UP_TO:
        for kind in ("versions", *_WHOLE_GROUP):
            await connections.sweep(f"sweep_group_{kind}", group_id=erasure.group_id)


async def _erase_parts(transaction: Transaction, erasure: Erasure) -> None:
    group_id = erasure.group_id
    changed = [*erasure.replayed, *erasure.dropped]
    names = [{"key": key, "entity_id": entity_id} for key, entity_id in erasure.names]
    renamed = [{"id": entity.entity_id, "name": entity.name} for entity in erasure.renamed]
    reworded = [fact_row(fact) for fact in erasure.reworded]
    if names:
        await transaction.run("erase_names", group_id=group_id, names=names)
    if erasure.episode_ids:
        await transaction.run("forget_where_learned", group_id=group_id, episode_ids=list(erasure.episode_ids))
    if renamed:
        await transaction.run("rename_entities", group_id=group_id, entities=renamed)
    if reworded:
        await transaction.run("reword_facts", group_id=group_id, facts=reworded)
    await transaction.run("erase_support_of_facts", group_id=group_id, fact_ids=changed)
    await transaction.run("erase_versions_of_facts", group_id=group_id, fact_ids=changed)
    for kind, ids in (
        ("claim", erasure.claim_ids),
        ("fact", erasure.dropped),
        ("episode", erasure.episode_ids),
        ("entity", erasure.entity_ids),
    ):
        await _erase_kind(transaction, group_id, kind, ids)


async def _erase_kind(transaction: Transaction, group_id: str, kind: str, ids: tuple[str, ...]) -> None:
    plural = "entities" if kind == "entity" else f"{kind}s"
    [found] = await transaction.rows(f"erase_{plural}", group_id=group_id, **{f"{kind}_ids": list(ids)})
    if found["needed"]:
        raise CommitConflict(
            f"{found['needed']} of the {plural} to erase in group {group_id!r} are still referred to: read again and redo"
        )


def _add_replayed(batch: Batch, erasure: Erasure) -> None:
    for version in erasure.versions:
        check_interval(version)
    batch.versions = {version.version_id: version for version in erasure.versions}
    for link in erasure.support:
        if link.expired_at == MAX:
            batch.open_links[link.version_id, link.claim_id] = link
        else:
            batch.closed_links.append(link)


def _called(erasure: Erasure, locked: Locked) -> dict[str, Called]:
    """What the entities that lost a name are called now."""
    if erasure.whole_group:
        return {}
    lost = set(erasure.names)
    renamed = {entity.entity_id: entity.name for entity in erasure.renamed}
    return {
        entity_id: Called(
            name=renamed.get(entity_id, of.name),
            spellings={key: spelling for key, spelling in of.spellings.items() if (key, entity_id) not in lost},
        )
        for entity_id, of in locked.entities.items()
        if entity_id not in erasure.entity_ids
    }
