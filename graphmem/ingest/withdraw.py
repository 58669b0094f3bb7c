"""Taking back what was told: retraction, as if it had not been said from now on, and refolding after new declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphmem.errors import NotFound
from graphmem.ingest.fold_state import FoldDiff, FoldState, read_fold_state
from graphmem.model import Changes, Retraction, StoredClaim
from graphmem.ports import Clock, IdSource, Store
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import MAX, Instant, to_instant

__all__ = ["refold_relation", "retract"]


async def retract(
    store: Store,
    clock: Clock,
    ids: IdSource,
    relation_of: Callable[[str], Relation],
    group_id: str,
    claims: Sequence[StoredClaim],
    reason: str,
) -> FoldDiff:
    """Withdraw claims of one group; those withdrawn before are left alone.

    Raises NotFound when none is active, CommitConflict when somebody committed meanwhile (nothing was written).
    """
    active = [c for c in claims if c.retracted_at == MAX]
    if not active:
        raise NotFound(f"nothing to retract in group {group_id!r}: no active claim was named")
    state = await read_fold_state(store, group_id, [c.claim for c in active], relation_of)
    tau = next_tau(clock, state.tau)
    claim_ids = tuple(c.claim.claim_id for c in active)
    diff = state.withdraw(claim_ids, tau)
    retraction = Retraction(
        retraction_id=ids.new_id("r"), group_id=group_id, claim_ids=claim_ids, tau=tau, reason=reason
    )
    await store.commit([upkeep_changes(state, diff, tau, kind="retract", note=reason, retractions=(retraction,))])
    return diff


async def refold_relation(
    store: Store, clock: Clock, relation_of: Callable[[str], Relation], group_id: str, name: str
) -> None:
    """Fold every timeline of a relation again, after its declaration changed."""
    claims = await store.claims(group_id, relation=name)
    if not claims:
        return
    state = await read_fold_state(store, group_id, [c.claim for c in claims], relation_of)
    tau = next_tau(clock, state.tau)
    diff = state.refold(tau)
    if diff != FoldDiff():
        await store.commit([upkeep_changes(state, diff, tau, kind="upkeep", note=f"declared {name}")])


def next_tau(clock: Clock, last: Instant) -> Instant:
    """The transaction time of a commit: the clock, but always after the last one (R23)."""
    return max(to_instant(clock.now()), last + 1)


def upkeep_changes(
    state: FoldState,
    diff: FoldDiff,
    tau: Instant,
    *,
    kind: str,
    note: str,
    retractions: tuple[Retraction, ...] = (),
) -> Changes:
    return Changes(
        group_id=state.group_id,
        based_on=state.tau,
        tau=tau,
        kind=kind,
        note=note,
        retractions=retractions,
        expire=tuple(v.version_id for v in diff.expire),
        versions=diff.versions,
        unsupport=diff.unsupport,
        support=diff.support,
    )
