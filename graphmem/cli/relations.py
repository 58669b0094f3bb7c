"""Commands on open relations, whether a new value ends the old one: rivalry, rivalries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.options import KnownAt, Reason, SaidAt
from graphmem.cli.output import Report, Row
from graphmem.cli.receipts import receipt_report
from graphmem.cli.session import session_of
from graphmem.cli.times import utc_text

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.open_relations import RelationRivalry

__all__ = ["rivalries", "rivalry"]

_Relation = Annotated[str, typer.Argument(metavar="RELATION", help="The relation, as facts name it: MENTORED_BY.")]
_Rivalry = Annotated[
    str,
    typer.Argument(
        metavar="none|subj|both",
        help="none: values stand side by side; subj: a new one ends the old; both: at either end.",
    ),
]


def rivalry(
    ctx: typer.Context,
    relation: _Relation,
    value: _Rivalry,
    said_at: SaidAt = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who says so.")] = None,
    reason: Reason = "",
) -> int:
    """Say whether a new value of an open relation ends the old one."""
    session = session_of(ctx)

    async def act(memory: Memory) -> Report:
        receipt = await memory.set_rivalry(
            relation,
            value,
            group_id=session.group_id,
            said_at=session.moment(said_at) or session.now(),
            speaker=speaker,
            reason=reason,
        )
        return await receipt_report(memory, session, receipt)

    session.print(session.run(act))
    return ANSWERED


def rivalries(ctx: typer.Context, known_at: KnownAt = None) -> int:
    """List which open relations hold one value at a time. With who says so, and since when that is known."""
    from graphmem.timeline.instants import to_datetime
    from graphmem.timeline.render import render_moment

    session = session_of(ctx)

    async def act(memory: Memory) -> Sequence[RelationRivalry]:
        return await memory.rivalries(group_id=session.group_id, known_at=session.moment(known_at))

    rows: list[Row] = [
        {
            "relation": one.relation,
            "rivalry": one.rivalry.value,
            "since": render_moment(one.claim.tau, session.zone),
            "created_at": utc_text(to_datetime(one.claim.tau)),
            "origin": one.claim.origin,
            "episode_id": one.claim.episode_id,
        }
        for one in session.run(act)
    ]
    columns = {
        "relation": "relation",
        "rivalry": "rivalry",
        "since": "known since",
        "origin": "by",
        "episode_id": "episode",
    }
    text = "" if rows else "Nothing was said of any open relation: their values stand side by side."
    session.print(Report(kind="rivalries", columns=columns, rows=rows, text=text))
    return ANSWERED
