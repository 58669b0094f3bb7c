"""The command that writes a fact block: what the memory holds for a question, as text for a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED, NO_ANSWER
from graphmem.cli.nothing import notes_on_nothing
from graphmem.cli.options import AskedAt, KnownAt
from graphmem.cli.output import Report
from graphmem.cli.session import session_of
from graphmem.cli.text_input import text_of

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.retrieve.fact_block import FactBlock

__all__ = ["context"]

Turns = Annotated[
    list[str] | None,
    typer.Option("--turn", metavar="TEXT", help="What was said just before, oldest first; repeatable."),
]
Tokenizer = Annotated[
    str | None,
    typer.Option(
        "--tokenizer", metavar="FILE", help="What counts them: local, a tokenizer.json (env GRAPHMEM_TOKENIZER)."
    ),
]
Budget = Annotated[int, typer.Option("--budget", metavar="TOKENS", min=1, help="At most so many tokens.")]


def context(
    ctx: typer.Context,
    question: Annotated[list[str], typer.Argument(help="A question or any message; - reads it from stdin.")],
    turns: Turns = None,
    budget: Budget = 1_600,
    tokenizer: Tokenizer = None,
    known_at: KnownAt = None,
    asked_at: AskedAt = None,
) -> int:
    """Write what the memory holds for a question as a block of text for a prompt."""
    session = session_of(ctx)
    words = text_of(" ".join(question))

    async def act(memory: Memory) -> tuple[FactBlock, list[str]]:
        block = await memory.context(
            words,
            recent_turns=turns or (),
            group_ids=session.group_ids,
            asked_at=session.moment(asked_at) or session.now(),
            budget_tokens=budget,
            known_at=session.moment(known_at),
            count_tokens=tokenizer or session.settings.tokenizer.value,
        )
        is_found = bool(block.lines or block.turns)
        return block, [] if is_found else await notes_on_nothing(memory, session.group_ids)

    block, notes = session.run(act, embeds=True)
    session.print(_report(block, notes))
    return ANSWERED if block.lines or block.turns else NO_ANSWER


def _report(block: FactBlock, notes: Sequence[str]) -> Report:
    return Report(
        kind="context",
        text=block.text.rstrip("\n"),
        fields={
            "question": block.question,
            "stable": block.stable,
            "turn": block.turn,
            "tokens": block.tokens,
            "notes": [*block.notes, *notes],
        },
    )
