"""Copying a whole memory from one store into another, without loss: every id, every time, every receipt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from graphmem.errors import CommitConflict, InvalidInput
from graphmem.portable import GroupClock, Portable, RecordKind
from graphmem.ports import Store
from graphmem.timeline.instants import MIN

__all__ = ["Copied", "CopyProgress", "copy_store"]

_PAGE = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyProgress:
    """How far a copy has come."""

    group_id: str
    groups_done: int
    groups: int
    kind: RecordKind
    records: int
    """Copied in this run so far."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Copied:
    """What a copy came to."""

    groups: int
    """In the source."""
    groups_before: int
    """Of these, copied whole by an earlier run."""
    records: int
    digest: str
    """Of both stores."""


@runtime_checkable
class _HasRecords(Protocol):
    def records(self) -> Portable: ...


async def copy_store(
    source: Store, target: Store, *, progress: Callable[[CopyProgress], None] | None = None, page: int = _PAGE
) -> Copied:
    """Copy everything of `source` into `target`, which is empty or holds an earlier, broken-off copy of the same source.

    Run again after it was broken off, it goes on where it stopped. Nobody may write to either store meanwhile: the digests of
    both are compared in the end, and CommitConflict says that they differ. Raises InvalidInput where the target holds
    another memory, or one of the stores cannot be copied.
    """
    await target.ensure_schema()
    run = _Run(source=_records_of(source), target=_records_of(target), report=progress, page=page)
    await run.target.put_secret(await source.secret())
    await target.put_relations(await source.relations())
    clocks = await run.source.group_clocks()
    # A group whose clock never moved looks done from its beginning: it is looked through again.
    done = {clock for clock in await run.target.group_clocks() if clock.tau > MIN}
    for number, clock in enumerate(clocks):
        if clock not in done:
            await run.copy_group(clock, number, len(clocks))
    digest = await source.digest()
    if digest != await target.digest():
        raise CommitConflict(
            "the copy differs from its source: one of them was written to meanwhile; copy again into an empty store"
        )
    before = sum(clock in done for clock in clocks)
    return Copied(groups=len(clocks), groups_before=before, records=run.records, digest=digest)


@dataclass(kw_only=True, slots=True)
class _Run:
    """One run of a copy."""

    source: Portable
    target: Portable
    report: Callable[[CopyProgress], None] | None
    page: int
    records: int = 0

    async def copy_group(self, clock: GroupClock, number: int, groups: int) -> None:
        for kind in RecordKind:
            after = await self.target.last_key(kind, clock.group_id)
            while True:
                page = await self.source.page(kind, clock.group_id, after, self.page)
                if page.records:
                    await self.target.put_page(kind, clock.group_id, page.records)
                    self.records += len(page.records)
                self._tell(clock.group_id, number, groups, kind)
                if page.last is None:
                    break
                after = page.last
        await self.target.put_group_clock(clock)

    def _tell(self, group_id: str, number: int, groups: int, kind: RecordKind) -> None:
        if self.report is not None:
            self.report(
                CopyProgress(group_id=group_id, groups_done=number, groups=groups, kind=kind, records=self.records)
            )


def _records_of(store: Store) -> Portable:
    if not isinstance(store, _HasRecords):
        raise InvalidInput(f"a {type(store).__name__} cannot be copied: it gives no records")
    return store.records()
