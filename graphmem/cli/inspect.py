"""Commands that look behind a fact: history, diff, why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.fact_names import find_fact
from graphmem.cli.options import FactName
from graphmem.cli.output import Report, Row
from graphmem.cli.session import Session, session_of
from graphmem.cli.times import read_moment

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.model import DatedFact
    from graphmem.retrieve.provenance import BeliefChange, Evidence

__all__ = ["diff", "history", "why"]


def history(ctx: typer.Context, fact: FactName) -> int:
    """Show every version a fact ever had. In the order the memory came to believe them."""
    from graphmem.cli.rows import VERSION_COLUMNS, fact_row

    session = session_of(ctx)

    async def act(memory: Memory) -> list[DatedFact]:
        return await memory.history(await find_fact(memory, fact, session.group_id), group_id=session.group_id)

    rows = [fact_row(version, session.zone) for version in session.run(act)]
    session.print(Report(kind="history", columns=VERSION_COLUMNS, rows=rows))
    return ANSWERED


def diff(
    ctx: typer.Context,
    known_a: Annotated[str, typer.Argument(metavar="TIME", help="The earlier moment of knowing.")],
    known_b: Annotated[str, typer.Argument(metavar="[TIME]", help="The later one.")] = "now",
) -> int:
    """Show what the memory came to believe otherwise between two moments."""
    session = session_of(ctx)
    earlier, later = read_moment(known_a, session.zone), read_moment(known_b, session.zone)

    async def act(memory: Memory) -> list[BeliefChange]:
        return await memory.diff(earlier, later, group_ids=session.group_ids)

    rows = [row for change in session.run(act) for row in _change_rows(change, session)]
    session.print(
        Report(
            kind="diff",
            text="" if rows else "Nothing changed.",
            columns={"change": "change", "believed": "believed", "text": "fact", "dates": "dates"},
            rows=rows,
            footer=f"as known {session.on(earlier)} and {session.on(later)}",
        )
    )
    return ANSWERED


def why(ctx: typer.Context, fact: FactName) -> int:
    """Show the sentences that speak of a fact. Each with its episode; retracted ones are marked."""
    session = session_of(ctx)

    async def act(memory: Memory) -> list[Evidence]:
        return await memory.why(await find_fact(memory, fact, session.group_id), group_id=session.group_id)

    rows = [_evidence_row(evidence, session) for evidence in session.run(act)]
    columns = {"said": "said", "by": "by", "claim": "claims", "sentence": "sentence", "episode_id": "episode"}
    if not session.is_verbose:
        columns.pop("episode_id")
    session.print(Report(kind="why", columns=columns, rows=rows))
    return ANSWERED


def _change_rows(change: BeliefChange, session: Session) -> list[Row]:
    """The versions of one fact that were believed before, then those believed after."""
    from graphmem.cli.rows import dates, fact_row

    sides = (("before", change.before), ("after", change.after))
    return [
        {
            "change": change.kind.value,
            "believed": side,
            "dates": dates(version, session.zone),
            **fact_row(version, session.zone),
        }
        for side, versions in sides
        for version in versions
    ]


def _by(evidence: Evidence) -> str:
    """Who says so: the speaker, or whom the speaker names."""
    speaker = evidence.episode.speaker or ""
    if evidence.told_by is None:
        return speaker
    return f"{evidence.told_by}, told by {speaker}" if speaker else evidence.told_by


def _evidence_row(evidence: Evidence, session: Session) -> Row:
    from graphmem.cli.rows import episode_row

    claim = evidence.claim.claim
    return {
        **episode_row(evidence.episode, session.zone),
        "sentence": evidence.sentence,
        "by": _by(evidence),
        "told_by": evidence.told_by,
        "claim": f"{claim.kind.value} (retracted)" if evidence.is_retracted else claim.kind.value,
        "claim_id": claim.claim_id,
        "phrase": evidence.claim.phrase,
        "origin": evidence.claim.origin,
        "is_retracted": evidence.is_retracted,
        "is_inferred": claim.inferred,
    }
