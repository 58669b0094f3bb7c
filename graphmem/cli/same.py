"""Commands on who is who: merge, unmerge, merges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.options import Reason
from graphmem.cli.output import Report, Row
from graphmem.cli.session import session_of

if TYPE_CHECKING:
    from graphmem.ingest.merge import Merge
    from graphmem.memory import Memory

__all__ = ["merge", "merges", "unmerge"]

_Kept = Annotated[str, typer.Argument(metavar="KEPT", help="The entity that stays, by name or id.")]
_Merged = Annotated[str, typer.Argument(metavar="OTHER", help="The entity that is the same, by name or id.")]
_MergeId = Annotated[str, typer.Argument(metavar="MERGE", help="Its id, as `graphmem merges` shows it.")]


def merge(ctx: typer.Context, kept: _Kept, merged: _Merged, reason: Reason = "") -> int:
    """Take two entities for one; `unmerge` takes it back."""
    session = session_of(ctx)

    async def act(memory: Memory) -> Merge:
        return await memory.merge(kept, merged, group_id=session.group_id, reason=reason)

    done = session.run(act)
    text = f"{done.name} is {done.kept.name} from now on; undo with `graphmem unmerge {done.merge_id}`."
    session.print(Report(kind="merge", text=text, fields={"merge_id": done.merge_id, "kept": done.kept.entity_id}))
    return ANSWERED


def unmerge(ctx: typer.Context, merge_id: _MergeId) -> int:
    """Undo a merge, a user's or a model's."""
    session = session_of(ctx)

    async def act(memory: Memory) -> int:
        return await memory.unmerge(merge_id, group_id=session.group_id)

    count = session.run(act)
    session.print(Report(kind="unmerge", text=f"Told apart; {count:,} claims moved back.", fields={"claims": count}))
    return ANSWERED


def merges(ctx: typer.Context) -> int:
    """List which names were taken for another's, by whom, and what was undone."""
    session = session_of(ctx)

    async def act(memory: Memory) -> Sequence[Merge]:
        return await memory.merges(group_id=session.group_id)

    columns = {name: name for name in ("merge_id", "kept", "name", "origin", "undone")}
    rows: list[Row] = [
        {"merge_id": m.merge_id, "kept": m.kept.name, "name": m.name, "origin": m.origin, "undone": m.is_undone}
        for m in session.run(act)
    ]
    session.print(Report(kind="merges", columns=columns, rows=rows, text="" if rows else "No merges."))
    return ANSWERED
