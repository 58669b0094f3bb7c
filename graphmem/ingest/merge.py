"""Two entities are one, or are not after all: claims move from one to the other and back, and nothing is lost.

A merge is told as an episode ("J. Okafor is Jane Okafor"), whose claim is the log. The claims of what is merged are withdrawn and
told of what stays, in one transaction, under ids that name the merge; so it can be undone, and the past reads as it did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphmem.errors import InvalidInput, NotFound
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.extract import extraction_of
from graphmem.ingest.fold_state import canonical, fact_id_of, read_fold_state
from graphmem.ingest.resolve import ALSO_CALLED
from graphmem.ingest.withdraw import next_tau, upkeep_changes
from graphmem.model import Entity, EntityKind, Fact, Name, Retraction, Source, Statement, StoredClaim
from graphmem.ports import Clock, IdSource, Store
from graphmem.relations import fact_text
from graphmem.terms import name_key
from graphmem.timeline.claims import Kind, Relation
from graphmem.timeline.instants import MAX

__all__ = ["Merge", "Merging", "episode_of_merge"]

_MARK = "~"
"""Between the id of a claim and that of the merge or split that told it anew."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Merge:
    """One name that was taken for another's, by a user or a model."""

    merge_id: str
    """What `unmerge` takes: the id of the episode that says so, or of the claim, where a model decided it in passing."""
    kept: Entity
    name: str
    """The other name."""
    origin: str
    is_undone: bool


def episode_of_merge(kept: Entity, merged: Entity, *, group_id: str, reason: str) -> NewEpisode:
    """The episode that tells a merge. Raises InvalidInput where there is nothing to merge."""
    if kept.entity_id == merged.entity_id:
        raise InvalidInput(f"{kept.name!r} cannot be merged with itself")
    sentence = f"{merged.name} is {kept.name}."
    text = f"Merge.\n{sentence}\n{reason}".rstrip()
    statement = Statement(
        kind=Kind.HOLD,
        subject=kept.name,
        subject_id=kept.entity_id,
        relation=ALSO_CALLED,
        object=merged.name,
        object_kind=EntityKind.VALUE,
        quote=(len("Merge.\n"), len("Merge.\n") + len(sentence)),
    )
    return NewEpisode(text=text, group_id=group_id, source=Source.TEXT, statements=(statement,))


@dataclass(frozen=True, kw_only=True)
class Merging:
    """Moves claims between entities of one group."""

    store: Store
    clock: Clock
    ids: IdSource
    relation_of: Callable[[str], Relation]
    group_id: str

    async def merge(self, merge_id: str, kept: Entity, merged: Entity) -> int:
        """Tell of `kept` what was told of `merged`; how many claims moved. CommitConflict: nothing was written, call again."""
        told = await self._active_of([merged.entity_id])
        names = [
            replace(name, entity_id=kept.entity_id, episode_id=merge_id)
            for name in await self.store.names_of(self.group_id, [merged.entity_id])
        ]
        own = {name.key for name in await self.store.names_of(self.group_id, [kept.entity_id])}
        moved = [self._told_of(c, {merged.entity_id: kept.entity_id}, merge_id) for c in told]
        await self._exchange(told, moved, names=[n for n in names if n.key not in own], note=merge_id)
        return len(told)

    async def unmerge(self, merge_id: str) -> int:
        """Tell again as it was before a merge; how many claims moved back. Raises NotFound where it is not in force."""
        ending = f"{_MARK}{merge_id}"
        claims = await self.store.claims(self.group_id)
        decided = [c for c in claims if c.claim.claim_id == merge_id and c.retracted_at == MAX]
        if decided:
            return await self._tell_apart(decided[0])
        moved = [c for c in claims if c.claim.claim_id.endswith(ending) and c.retracted_at == MAX]
        log = [
            c for c in claims if c.episode_id == merge_id and c.claim.relation == ALSO_CALLED and c.retracted_at == MAX
        ]
        if not log:
            raise NotFound(f"group {self.group_id!r} has no merge {merge_id!r} in force")
        split_id = self.ids.new_id("split")
        merged_at = min((c.tau for c in claims if c.claim.claim_id.endswith(ending)), default=None)
        # By the time and not by the ids: what both had said of one another was withdrawn and told of nobody.
        originals = [c for c in claims if c.retracted_at == merged_at]
        back = [self._told_of(c, {}, split_id) for c in originals]
        lost = [n for n in await self.store.names_of(self.group_id, [log[0].claim.subject]) if n.episode_id == merge_id]
        await self._exchange([*moved, *log], back, forgotten=[(n.key, n.entity_id) for n in lost], note=merge_id)
        return len(back)

    async def _tell_apart(self, log: StoredClaim) -> int:
        """Make a name that was taken for another's in passing mean something of its own again, with what was said under it."""
        kept = log.claim.subject
        [literal] = await self.store.entities(self.group_id, [log.claim.object])
        key, split_id = name_key(literal.name), self.ids.new_id("split")
        told = [c for c in await self._active_of([kept]) if c.episode_id]
        episodes = sorted({c.episode_id or "" for c in told})
        jobs = await self.store.jobs(group_ids=[self.group_id], job_ids=episodes, limit=len(episodes) or 1)
        answers = {job.job_id: extraction_of(job.answer).statements for job in jobs if job.answer}
        moved = [c for c in told if _is_spelled(c, answers.get(c.episode_id or "", ()), kept, key)]
        apart = Entity(entity_id=self.ids.new_id("e"), group_id=self.group_id, name=literal.name, created_at=log.tau)
        name = Name(
            group_id=self.group_id, key=key, entity_id=apart.entity_id, spelling=literal.name, episode_id=log.episode_id
        )
        await self._exchange(
            [*moved, log],
            [self._told_of(c, {kept: apart.entity_id}, split_id) for c in moved],
            entities=[apart],
            names=[name],
            forgotten=[(key, kept)],
            note=log.claim.claim_id,
        )
        return len(moved)

    async def log(self) -> Sequence[Merge]:
        """Every merge of the group, oldest first, those undone too."""
        told = await self.store.claims(self.group_id, relation=ALSO_CALLED)
        ends = sorted({end for c in told for end in (c.claim.subject, c.claim.object)})
        entities = {e.entity_id: e for e in await self.store.entities(self.group_id, ends)}
        return [
            Merge(
                merge_id=c.episode_id if c.origin == "program" and c.episode_id else c.claim.claim_id,
                kept=entities[c.claim.subject],
                name=entities[c.claim.object].name,
                origin=c.origin,
                is_undone=c.retracted_at != MAX,
            )
            for c in told
            if c.claim.subject in entities and c.claim.object in entities
        ]

    async def _active_of(self, entity_ids: Sequence[str]) -> list[StoredClaim]:
        told = await self.store.claims(self.group_id, entity_ids=entity_ids)
        return [c for c in told if c.retracted_at == MAX and c.claim.relation != ALSO_CALLED]

    def _told_of(self, stored: StoredClaim, of: Mapping[str, str], act_id: str) -> StoredClaim | None:
        """The claim told of other entities; None where both its ends would be the same."""
        claim = stored.claim
        subject, obj = of.get(claim.subject, claim.subject), of.get(claim.object, claim.object)
        if subject == obj:
            return None
        told = canonical(
            replace(claim, claim_id=f"{claim.claim_id}{_MARK}{act_id}", subject=subject, object=obj),
            self.relation_of(claim.relation),
        )
        return replace(stored, claim=told, fact_id=fact_id_of(self.group_id, told.key), retracted_at=MAX)

    async def _exchange(
        self,
        withdrawn: Sequence[StoredClaim],
        told: Sequence[StoredClaim | None],
        *,
        entities: Sequence[Entity] = (),
        names: Sequence[Name] = (),
        forgotten: Sequence[tuple[str, str]] = (),
        note: str,
    ) -> None:
        """Withdraw some claims and tell others at one transaction time."""
        new = [c for c in told if c is not None]
        state = await read_fold_state(
            self.store, self.group_id, [c.claim for c in (*withdrawn, *new)], self.relation_of
        )
        tau = next_tau(self.clock, state.tau)
        new = [replace(c, tau=tau) for c in new]
        claim_ids = tuple(c.claim.claim_id for c in withdrawn)
        diff = state.exchange(claim_ids, new, tau)
        retraction = Retraction(
            retraction_id=self.ids.new_id("r"), group_id=self.group_id, claim_ids=claim_ids, tau=tau, reason=note
        )
        changes = upkeep_changes(
            state, diff, tau, kind="merge", note=note, retractions=(retraction,) if claim_ids else ()
        )
        await self.store.commit(
            [
                replace(
                    changes,
                    entities=tuple(entities),
                    names=tuple(names),
                    forgotten_names=tuple(forgotten),
                    facts=await self._facts_of(new, entities),
                    mentions=tuple(
                        dict.fromkeys(
                            (c.episode_id, end)
                            for c in new
                            if c.episode_id
                            for end in (c.claim.subject, c.claim.object)
                        )
                    ),
                    claims=tuple(new),
                )
            ]
        )

    async def _facts_of(self, claims: Sequence[StoredClaim], made: Sequence[Entity]) -> tuple[Fact, ...]:
        ends = sorted({end for c in claims for end in (c.claim.subject, c.claim.object)})
        names = {e.entity_id: e.name for e in (*made, *await self.store.entities(self.group_id, ends))}
        return tuple(
            Fact(
                fact_id=c.fact_id,
                group_id=self.group_id,
                subject=c.claim.subject,
                relation=c.claim.relation,
                object=c.claim.object,
                text=fact_text(self.relation_of(c.claim.relation), names[c.claim.subject], names[c.claim.object]),
            )
            for c in {c.fact_id: c for c in claims}.values()
        )


def _is_spelled(stored: StoredClaim, statements: Sequence[Statement], entity_id: str, key: str) -> bool:
    """Whether the statement of a claim calls the entity by this name."""
    if entity_id not in (stored.claim.subject, stored.claim.object) or stored.claim.seq >= len(statements):
        return False
    statement = statements[stored.claim.seq]
    return key in (name_key(statement.subject), name_key(statement.object))
