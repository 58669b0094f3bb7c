"""Reading an episode again: what it was read to say before gives way to what is read now, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphmem.ingest.claim import StatedClaims
from graphmem.model import Job, StoredClaim
from graphmem.ports import Store
from graphmem.timeline.instants import MAX

__all__ = ["Earlier", "read_earlier"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Earlier:
    """What one episode was read to say before."""

    runs: int = 0
    """How often it was read."""
    standing: tuple[StoredClaim, ...] = ()
    """Its claims that were not withdrawn."""

    def replaced_by(self, told: StatedClaims) -> StatedClaims:
        """What is told now, in place of what stands; nothing at all where both say the same."""
        if not self.standing:
            return told
        if [_said(c) for c in self.standing] == [_said(c) for c in told.claims]:
            return replace(told, claims=(), facts=(), mentions=())
        return replace(told, replaced=self.standing)


async def read_earlier(store: Store, group_id: str, jobs: Sequence[Job]) -> Mapping[str, Earlier]:
    """What the episodes of these jobs were read to say before, by episode; of most jobs, which are new, nothing is asked."""
    again = [job.job_id for job in jobs if job.receipt is not None]
    if not again:
        return {}
    claims: dict[str, list[StoredClaim]] = {episode_id: [] for episode_id in again}
    for claim in await store.claims(group_id, episode_ids=again):
        claims[claim.episode_id or ""].append(claim)
    return {
        episode_id: Earlier(
            runs=len({claim.tau for claim in told}), standing=tuple(c for c in told if c.retracted_at == MAX)
        )
        for episode_id, told in claims.items()
    }


def _said(stored: StoredClaim) -> StoredClaim:
    """A claim without what differs when the same is read again."""
    return replace(stored, claim=replace(stored.claim, claim_id=""), tau=0, origin="", retracted_at=MAX)
