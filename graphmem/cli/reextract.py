"""The command that reads stored episodes again: reextract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.options import filter_pairs
from graphmem.cli.output import Report
from graphmem.cli.session import session_of

if TYPE_CHECKING:
    from graphmem.memory import Memory

__all__ = ["reextract"]


def reextract(
    ctx: typer.Context,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="Said from here on.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Said before.")] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Said by.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", metavar="ID", help="Said in this session.")] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="KEY=VALUE", help="With this metadata; repeatable.")
    ] = None,
) -> int:
    """Read stored episodes again with the model there is now; what was read before gives way. Goes on where it stopped."""
    from graphmem.model import Filter

    session = session_of(ctx)
    chosen = Filter(session_id=session_id, speaker=speaker, metadata=filter_pairs(where, "--where"))

    async def act(memory: Memory) -> int:
        return await memory.reextract(
            group_id=session.group_id,
            since=session.moment(since),
            until=session.moment(until),
            filter=chosen,
        )

    count = session.run(act, reads=True)
    session.print(
        Report(
            kind="reextract",
            text=f"Read {count:,} episode{'' if count == 1 else 's'} again.",
            fields={"episodes": count},
        )
    )
    return ANSWERED
