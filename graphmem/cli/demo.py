"""The command `demo`: a short dated story, told to a memory of its own, and point-in-time questions about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.output import Report, Row
from graphmem.cli.session import session_of

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.retrieve.query import Answer

__all__ = ["QUESTIONS", "STORY", "Told", "demo"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """One sentence of the story: when it was said, and when the memory was told."""

    said_on: datetime
    learned_on: datetime
    speaker: str
    text: str


def _on(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


STORY = (
    Told(said_on=_on(2025, 2, 10), learned_on=_on(2025, 2, 10), speaker="Alice", text="I work at Acme."),
    Told(said_on=_on(2025, 3, 2), learned_on=_on(2025, 3, 2), speaker="Bob", text="I live in Oslo."),
    Told(said_on=_on(2026, 1, 15), learned_on=_on(2026, 1, 15), speaker="Bob", text="I moved to Graz last month."),
    Told(
        said_on=_on(2026, 6, 3),
        learned_on=_on(2026, 6, 3),
        speaker="Alice",
        text="I joined Globex at the start of May.",
    ),
    Told(said_on=_on(2026, 3, 1), learned_on=_on(2026, 6, 20), speaker="Alice", text="I still work at Acme."),
)
ASKED_ON = _on(2026, 7, 1)
QUESTIONS = (
    "Where did Alice work in April 2026?",
    "Where does Alice work?",
    "What did we believe on 20 May 2026 about where Alice works?",
    "Where did Bob live before he moved to Graz?",
    "When did Alice join Globex?",
)
GROUP = "demo"
NEXT = 'graphmem --db alice.db add "I work at Acme." --speaker Alice --said-at 2025-02-10'


class _StoryClock:
    """Stands at the day of the story that is being told."""

    def __init__(self) -> None:
        self.moment = STORY[0].learned_on

    def now(self) -> datetime:
        return self.moment


def demo(ctx: typer.Context) -> int:
    """Tell a short story and ask what was true when. With --db it stays in that memory, in the group "demo"."""
    import asyncio
    import tempfile

    from graphmem.settings import Origin

    session = session_of(ctx)
    with tempfile.TemporaryDirectory(prefix="graphmem-demo-") as folder:
        db = session.settings.db
        rows = asyncio.run(_told_and_asked(db.value if db.origin is Origin.FLAG else Path(folder) / "demo.db"))
    session.print(Report(kind="demo", text=_words(rows), rows=rows))
    return ANSWERED


async def _told_and_asked(db: str | Path) -> list[Row]:
    from graphmem.memory import Memory

    clock = _StoryClock()
    async with await Memory.open(db, clock=clock) as memory:
        for number, told in enumerate(STORY, start=1):
            clock.moment = told.learned_on
            # By an id, so that a second demo finds the story told.
            await memory.add_episode(
                told.text, group_id=GROUP, episode_id=f"demo-{number}", speaker=told.speaker, said_at=told.said_on
            )
        clock.moment = ASKED_ON
        answers = [await memory.ask(question, group_ids=GROUP, asked_at=ASKED_ON) for question in QUESTIONS]
        return [await _answer_row(memory, q, a) for q, a in zip(QUESTIONS, answers, strict=True)]


async def _answer_row(memory: Memory, question: str, answer: Answer) -> Row:
    """One answer with what it rests on, and what had been believed of the same facts before."""
    from graphmem.cli.rows import dates
    from graphmem.cli.times import moment_words
    from graphmem.timeline.instants import to_instant

    known_at = answer.query.known_at if answer.query and answer.query.known_at else to_instant(ASKED_ON)
    sources: list[str] = []
    superseded: list[str] = []
    for fact_id in dict.fromkeys(fact.fact.fact_id for fact in answer.facts):
        for evidence in await memory.why(fact_id, group_id=GROUP):
            if evidence.episode.episode_id in answer.episode_ids and evidence.said_at is not None:
                sources.append(
                    f"{moment_words(evidence.said_at, UTC)} by {evidence.episode.speaker}: {evidence.sentence}"
                )
        for version in await memory.history(fact_id, group_id=GROUP):
            if version.expired_at is not None and version.version.expired_at <= known_at:
                superseded.append(
                    f"until {moment_words(version.expired_at, UTC)}: {version.text} {dates(version, UTC)}"
                )
    return {
        "question": question,
        "answer": answer.text,
        "scope": answer.scope,
        "sources": sources,
        "superseded": superseded,
    }


def _words(rows: Sequence[Row]) -> str:
    lines = ["Told:"]
    for told in STORY:
        late = f"   (the memory heard it on {_date(told.learned_on)})" if told.learned_on != told.said_on else ""
        lines.append(f"  {_date(told.said_on):>16}  {told.speaker}: {told.text}{late}")
    for row in rows:
        lines += ["", f"{row['question']}", f"  {row['answer']}", f"  {row['scope']}"]
        lines += [f"  said on {source}" for source in _list(row["sources"])]
        lines += [f"  believed {past}" for past in _list(row["superseded"])]
    return "\n".join([*lines, "", "Begin a memory of your own:", f"  {NEXT}"])


def _list(cell: object) -> Sequence[str]:
    return cell if isinstance(cell, list) else ()


def _date(moment: datetime) -> str:
    from graphmem.timeline.day_names import day_name

    return day_name(moment)
