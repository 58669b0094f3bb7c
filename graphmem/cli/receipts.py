"""Reports of what writing did: receipts, imports, erasures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphmem.cli.output import Cell, Report, Row
from graphmem.cli.session import Session

if TYPE_CHECKING:
    from graphmem.ingest.receipt import Receipt
    from graphmem.memory import ErasureReport, ImportReport, Memory

__all__ = ["erasure_report", "import_report", "receipt_report"]


async def receipt_report(memory: Memory, session: Session, receipt: Receipt) -> Report:
    """What became of an episode: a line a fact, then what was left out."""
    from graphmem.cli.rows import dates, fact_row

    marks = {
        **dict.fromkeys(receipt.added, "new"),
        **{r.fact_id: "re-dated" for r in receipt.redated},
        **dict.fromkeys(receipt.closed, "no longer believed"),
    }
    rows: list[Row] = []
    lines = [_state_words(receipt)]
    for fact_id, mark in marks.items():
        versions = await memory.history(fact_id, group_id=receipt.group_id)
        standing = [v for v in versions if v.expired_at is None] or versions[-1:]
        if mark == "re-dated":  # of a fact that came and went, only the stretches that are new
            newest = max(v.version.created_at for v in standing)
            standing = [v for v in standing if v.version.created_at == newest]
        for fact in standing:
            rows.append({"change": mark, **fact_row(fact, session.zone)})
            lines.append(f"  {mark}: {fact.text} {dates(fact, session.zone)}")
    lines += [f"  left out: {note}" for note in receipt.ignored]
    fields: dict[str, Cell] = {
        "episode_id": receipt.episode_id,
        "group_id": receipt.group_id,
        "verdict": receipt.verdict.value,
        "state": receipt.state.value,
        "claims": receipt.claims,
        "ignored": list(receipt.ignored),
        "reason": receipt.reason,
        "calls": receipt.calls,
        "tokens": receipt.tokens,
    }
    footer = f"episode {receipt.episode_id}" if session.is_verbose else ""
    return Report(kind="receipt", text="\n".join(lines), fields=fields, rows=rows, footer=footer)


def _state_words(receipt: Receipt) -> str:
    from graphmem.model import JobState
    from graphmem.ports import Verdict

    if receipt.state is JobState.DONE:
        told = "Known before" if receipt.verdict is Verdict.SAME else "Kept"
        return f"{told}; {receipt.claims or 'no'} claim{'' if receipt.claims == 1 else 's'} read in it."
    words = {JobState.QUARANTINED: "set aside", JobState.RETRYING: "waiting for another try"}
    reason = f": {receipt.reason}" if receipt.reason else ""
    return f"Kept, {words.get(receipt.state, receipt.state.value)}{reason}."


def import_report(report: ImportReport, skipped: Mapping[str, int]) -> Report:
    counts = {
        "accepted": report.accepted,
        "told before": report.repeated,
        "done": report.done,
        "set aside": report.quarantined,
        "waiting": report.waiting,
        "new facts": report.facts,
        **{f"skipped: {why}": count for why, count in sorted(skipped.items())},
    }
    shown = {name: count for name, count in counts.items() if count or name in ("accepted", "new facts")}
    fields: dict[str, Cell] = {
        "accepted": report.accepted,
        "repeated": report.repeated,
        "done": report.done,
        "quarantined": report.quarantined,
        "waiting": report.waiting,
        "facts": report.facts,
        "skipped": dict(skipped),
    }
    return Report(
        kind="import",
        columns={"what": "", "count": "episodes"},
        rows=[{"what": name, "count": count} for name, count in shown.items()],
        fields=fields,
    )


def erasure_report(report: ErasureReport) -> Report:
    counts = {"episodes": report.episodes, "claims": report.claims, "facts": report.facts, "entities": report.entities}
    words = ", ".join(f"{count} {name}" for name, count in counts.items())
    left = f" Still named in {', '.join(report.still_named)}." if report.still_named else ""
    return Report(
        kind="erasure",
        text=f"Erased {words}.{left}",
        footer=f"Out of reach: {', '.join(report.out_of_reach)}.",
        fields={
            "group_id": report.group_id,
            **counts,
            "still_named": list(report.still_named),
            "out_of_reach": list(report.out_of_reach),
        },
    )
