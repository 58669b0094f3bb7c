"""Commands that write: add, import, correct, retract, erase."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED, FAILED, PARTIAL
from graphmem.cli.fact_names import find_fact
from graphmem.cli.options import FactName, Meta, Reason, SaidAt, filter_pairs
from graphmem.cli.output import Report, visible
from graphmem.cli.receipts import erasure_report, import_report, receipt_report
from graphmem.cli.session import Session, session_of
from graphmem.cli.text_input import text_of
from graphmem.errors import InvalidInput

if TYPE_CHECKING:
    from graphmem.memory import ErasureReport, Memory

__all__ = ["add", "correct", "erase", "import_", "retract"]

_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Oo]ur)\b")

_NOBODY = 'Nobody was named who says it: --speaker NAME tells who "I" is.'

EpisodeId = Annotated[str | None, typer.Option("--episode", metavar="ID", help="What this episode said.")]


def add(
    ctx: typer.Context,
    text: Annotated[list[str], typer.Argument(help="What was said; - reads it from stdin.")],
    speaker: Annotated[
        str | None, typer.Option("--speaker", metavar="NAME", help="Who said it: the 'I' of the text.")
    ] = None,
    said_at: SaidAt = None,
    episode_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="An id of yours: telling it again is a no-op.")
    ] = None,
    source: Annotated[str, typer.Option("--source", metavar="message|text|json", help="What the text is.")] = "message",
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The conversation it belongs to.")
    ] = None,
    meta: Meta = None,
    untrusted: Annotated[bool, typer.Option("--untrusted", help="It must not change what trusted text says.")] = False,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Keep it; `graphmem jobs run` reads it later.")] = False,
) -> int:
    """Tell the memory one thing."""
    session = session_of(ctx)
    words = text_of(" ".join(text))
    moment = session.moment(said_at) or session.now()

    async def act(memory: Memory) -> Report:
        receipt = await memory.add_episode(
            words,
            group_id=session.group_id,
            episode_id=episode_id,
            source=source,
            speaker=speaker,
            session_id=session_id,
            said_at=moment,
            metadata=filter_pairs(meta),
            trusted=not untrusted,
            wait=not no_wait,
        )
        report = await receipt_report(memory, session, receipt)
        is_nobody_s = speaker is None and receipt.claims == 0 and _FIRST_PERSON.search(words)
        return replace(report, footer=f"{report.footer}\n{_NOBODY}".strip()) if is_nobody_s and not no_wait else report

    return _print_receipt(session, session.run(act, creates=True))


def import_(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSONL: one message or one conversation a line; - reads stdin.")
    ],
    start: Annotated[
        str | None, typer.Option("--start", metavar="TIME", help="When the first undated message was said.")
    ] = None,
    step: Annotated[
        str, typer.Option("--step", metavar="LENGTH", help="From one undated message to the next: 30s, 5m, 2h, 1d.")
    ] = "1m",
    speakers: Annotated[
        list[str] | None, typer.Option("--speaker", metavar="ROLE=NAME", help="Who a role is: user=Alice; repeatable.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Names the source; the same name again is the same import (default the file's).",
        ),
    ] = None,
    batches: Annotated[
        bool,
        typer.Option(
            "--batches", help="Read by the model's batches: half the price, within a day; goes on after a stop."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count; nothing is written.")] = False,
) -> int:
    """Import a chat. Doing it again adds only what is new; after an interruption it goes on."""
    from graphmem.cli.import_run import ImportRun

    session = session_of(ctx)
    run = ImportRun(
        session=session,
        file=file,
        start=start,
        step=step,
        speakers=filter_pairs(speakers, "--speaker"),
        name=name,
        in_batches=batches,
    )
    if dry_run:
        session.print(run.count())
        return ANSWERED
    report = run.tell()
    if run.error is not None and report.accepted + report.repeated == 0:
        raise run.error
    session.print(import_report(report, run.skipped))
    if run.error is not None:
        sys.stderr.write(f"graphmem: stopped early: {visible(str(run.error))}\n")
    return PARTIAL if run.error or report.quarantined or report.waiting else ANSWERED


def correct(
    ctx: typer.Context,
    fact: FactName,
    object_: Annotated[str | None, typer.Option("--object", metavar="ENTITY", help="What it should have said.")] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="WHEN", help="When it began: time words or a date.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="WHEN", help="When it ended: time words or a date.")
    ] = None,
    said_at: SaidAt = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who corrects it.")] = None,
) -> int:
    """Say that a fact was told wrongly: another object, start or end."""
    session = session_of(ctx)

    async def act(memory: Memory) -> Report:
        receipt = await memory.correct(
            await find_fact(memory, fact, session.group_id),
            group_id=session.group_id,
            object=object_,
            start=start,
            end=end,
            said_at=session.moment(said_at) or session.now(),
            speaker=speaker,
        )
        return await receipt_report(memory, session, receipt)

    return _print_receipt(session, session.run(act, embeds=True))


def retract(
    ctx: typer.Context,
    fact: Annotated[
        str | None, typer.Argument(metavar="[FACT]", help="All that was said of this fact: id or sentence.")
    ] = None,
    episode_id: EpisodeId = None,
    claim_ids: Annotated[list[str] | None, typer.Option("--claim", metavar="ID", help="One claim; repeatable.")] = None,
    reason: Reason = "",
) -> int:
    """Withdraw what was said, as if unsaid from now on. What was known before stays known for then."""
    session = session_of(ctx)

    async def act(memory: Memory) -> int:
        return await memory.retract(
            group_id=session.group_id,
            fact_id=None if fact is None else await find_fact(memory, fact, session.group_id),
            episode_id=episode_id,
            claim_ids=claim_ids or (),
            reason=reason,
        )

    count = session.run(act)
    session.print(
        Report(kind="retraction", text=f"Withdrew {count} claim{'' if count == 1 else 's'}.", fields={"claims": count})
    )
    return ANSWERED


def erase(
    ctx: typer.Context,
    fact: Annotated[
        str | None,
        typer.Option("--fact", metavar="FACT", help="This fact, by id or sentence, and the episodes that say it."),
    ] = None,
    entity: Annotated[
        str | None, typer.Option("--entity", metavar="ENTITY", help="This entity and the episodes that name it.")
    ] = None,
    episode_id: EpisodeId = None,
    everything: Annotated[bool, typer.Option("--whole-group", help="All of the group.")] = False,
    reason: Reason = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Erase for good, from every past view too. Exactly one of --fact, --entity, --episode, --whole-group."""
    session = session_of(ctx)
    group_id = session.group_id
    if sum((fact is not None, entity is not None, episode_id is not None, everything)) != 1:
        raise InvalidInput("give exactly one of --fact, --entity, --episode and --whole-group")
    if not yes:
        _confirm(f"Erase {_named(fact, entity, episode_id, group_id)} for good?")

    async def act(memory: Memory) -> ErasureReport:
        return await memory.erase(
            group_id=group_id,
            fact_id=None if fact is None else await find_fact(memory, fact, group_id),
            entity=entity,
            episode_id=episode_id,
            whole_group=everything,
            reason=reason,
        )

    session.print(erasure_report(session.run(act, embeds=True)))
    return ANSWERED


def _confirm(question: str) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput("erasing cannot be undone: give --yes where nobody can be asked")
    if not typer.confirm(question, err=True):
        raise typer.Exit(FAILED)


def _named(fact: str | None, entity: str | None, episode_id: str | None, group_id: str) -> str:
    return repr(fact or entity or episode_id) if fact or entity or episode_id else f"the whole group {group_id!r}"


def _print_receipt(session: Session, report: Report) -> int:
    session.print(report)
    return FAILED if report.fields["state"] == "quarantined" else ANSWERED
