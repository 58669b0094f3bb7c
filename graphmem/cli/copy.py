"""`graphmem copy`: a whole memory from one store into another, also from a file to a server and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.output import Cell, Report
from graphmem.cli.progress import WorkProgress
from graphmem.cli.session import session_of

if TYPE_CHECKING:
    from graphmem.copying import Copied, CopyProgress

__all__ = ["copy"]


def copy(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(help="A file or a url, as for --db.")],
    target: Annotated[str, typer.Argument(help="An empty store, or one that an earlier copy left unfinished.")],
) -> int:
    """Copy a memory into another store without loss; run it again to go on after a break."""
    import asyncio

    session = session_of(ctx)
    with WorkProgress(f"copying to {target}", total=None, is_wanted=session.has_progress) as progress:
        copied = asyncio.run(_copied(source, target, progress))
    fields: dict[str, Cell] = {"groups": copied.groups, "records": copied.records, "digest": copied.digest}
    words = f"Copied {copied.records:,} records of {copied.groups:,} groups; both stores have one digest."
    session.print(Report(kind="copy", text=words, fields=fields))
    return ANSWERED


async def _copied(source: str, target: str, progress: WorkProgress) -> Copied:
    from graphmem.copying import copy_store  # stores and drivers take a moment to import
    from graphmem.stores import open_store

    def show(at: CopyProgress) -> None:
        progress.show(at.records, f"group {at.groups_done + 1} of {at.groups}, {at.records:,} records")

    read = open_store(source)
    try:
        await read.groups()  # a source that cannot be read leaves no target behind
        written = open_store(target)
        try:
            return await copy_store(read, written, progress=show)
        finally:
            await written.close()
    finally:
        await read.close()
