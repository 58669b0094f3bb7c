"""The command that makes vectors: reembed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.output import Report
from graphmem.cli.progress import WorkProgress
from graphmem.cli.session import session_of
from graphmem.errors import ConfigError

if TYPE_CHECKING:
    from graphmem.ingest.embed import EmbeddingProgress
    from graphmem.memory import Memory

__all__ = ["reembed"]


def reembed(ctx: typer.Context) -> int:
    """Make the vectors that are missing; all of them anew where --embedder names another model. Goes on where it stopped."""
    session = session_of(ctx)
    embedder = session.settings.embedder.value
    if embedder == "none":
        raise ConfigError("there is no embedder: name one with --embedder, such as --embedder local")

    async def act(memory: Memory) -> int:
        with WorkProgress("making vectors", total=None, is_wanted=session.has_progress) as progress:

            def show(made: EmbeddingProgress) -> None:
                progress.show(made.done, f"{made.done:,} made, {made.waiting:,} left")

            return await memory.reembed(embedder, progress=show)

    made = session.run(act)
    session.print(Report(kind="reembed", text=f"Made {made:,} vectors.", fields={"made": made}))
    return ANSWERED
