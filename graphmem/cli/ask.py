"""Commands that read: ask, facts, timeline, search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED, NO_ANSWER
from graphmem.cli.nothing import notes_on_nothing
from graphmem.cli.options import AskedAt, At, From, KnownAt, Limit, Meta, To, filter_pairs
from graphmem.cli.output import Report, Row
from graphmem.cli.session import Session, session_of
from graphmem.cli.text_input import text_of
from graphmem.cli.times import utc_text
from graphmem.errors import InvalidQuery

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.model import DatedFact, Filter
    from graphmem.retrieve.query import Answer
    from graphmem.retrieve.search import Findings, Found

__all__ = ["ask", "facts", "search", "timeline"]

FoundIn = Annotated[
    list[str] | None, typer.Option("--in", metavar="fact|episode|entity", help="Where to look; repeatable.")
]


def ask(
    ctx: typer.Context,
    question: Annotated[list[str], typer.Argument(help="A question in plain English; - reads it from stdin.")],
    at: At = None,
    begin: From = None,
    until: To = None,
    known_at: KnownAt = None,
    asked_at: AskedAt = None,
    asker: Annotated[str | None, typer.Option("--asker", metavar="NAME", help='Who is "I" in the question.')] = None,
) -> int:
    """Answer a question, exactly or not at all. The command that is meant when none is named."""
    session = session_of(ctx)
    words = text_of(" ".join(question))

    async def act(memory: Memory) -> tuple[Answer, list[Row], list[str]]:
        answer = await memory.ask(
            words,
            group_ids=session.group_ids,
            asked_at=session.moment(asked_at) or session.now(),
            at=session.moment(at),
            during=session.window(begin, until),
            known_at=session.moment(known_at),
            asker=asker,
        )
        sources = await _sources(memory, answer) if session.is_verbose else []
        return answer, sources, [] if answer.is_known else await notes_on_nothing(memory, session.group_ids)

    answer, sources, notes = session.run(act)
    if not answer.is_known and session.has_embedder:  # exact answers need none; it takes a second to load
        answer, sources, notes = session.run(act, embeds=True)
    session.print(_answer_report(session, words, answer, sources, notes))
    return ANSWERED if answer.is_known else NO_ANSWER


def facts(
    ctx: typer.Context,
    about: Annotated[
        str | None, typer.Argument(metavar="[ENTITY]", help="Facts of this entity, at either end.")
    ] = None,
    subject: Annotated[str | None, typer.Option("--subject", metavar="ENTITY", help="Name or id.")] = None,
    relation: Annotated[str | None, typer.Option("--relation", metavar="NAME", help="For example WORKS_AT.")] = None,
    object_: Annotated[str | None, typer.Option("--object", metavar="ENTITY", help="Name or id.")] = None,
    at: At = None,
    begin: From = None,
    until: To = None,
    known_at: KnownAt = None,
    possible: Annotated[bool, typer.Option("--possible", help="Also what may have been true then.")] = False,
    session_id: Annotated[str | None, typer.Option("--session", metavar="ID", help="Told in this session.")] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Told by this speaker.")] = None,
    meta: Meta = None,
    limit: Limit = 1_000,
) -> int:
    """List the facts true at a moment or over a window. By default: true now, as known now."""
    session = session_of(ctx)
    moment, during, known = session.moment(at), session.window(begin, until), session.moment(known_at)

    async def act(memory: Memory) -> tuple[list[DatedFact], list[str]]:
        found = await memory.facts(
            group_ids=session.group_ids,
            at=moment,
            during=during,
            known_at=known,
            possible=possible,
            subject=subject,
            relation=relation,
            object=object_,
            touching=about,
            filter=_filter(session_id, speaker, meta),
            limit=limit,
        )
        return found, [] if found else await notes_on_nothing(memory, session.group_ids, about, subject, object_)

    found, notes = session.run(act)
    session.print(_facts_report(session, "facts", found, session.scope(moment, during, known), notes))
    return ANSWERED if found else NO_ANSWER


def timeline(
    ctx: typer.Context,
    entity: Annotated[str, typer.Argument(help="Name or id.")],
    known_at: KnownAt = None,
) -> int:
    """Show everything ever true of an entity, past and planned."""
    session = session_of(ctx)
    known = session.moment(known_at)

    async def act(memory: Memory) -> tuple[list[DatedFact], list[str]]:
        found = await memory.timeline(entity, group_ids=session.group_ids, known_at=known)
        return found, [] if found else await notes_on_nothing(memory, session.group_ids, entity)

    found, notes = session.run(act)
    scope = session.scope(None, (None, None), known)
    session.print(_facts_report(session, "timeline", found, scope, notes))
    return ANSWERED if found else NO_ANSWER


def search(
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(help="Words to look for; - reads them from stdin.")],
    targets: FoundIn = None,
    at: At = None,
    begin: From = None,
    until: To = None,
    known_at: KnownAt = None,
    session_id: Annotated[str | None, typer.Option("--session", metavar="ID", help="Told in this session.")] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Told by this speaker.")] = None,
    meta: Meta = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="At most so many.")] = 10,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", metavar="NAME", help="How it is ranked (env GRAPHMEM_RECIPE, default full)."),
    ] = None,
    minimum: Annotated[
        float | None, typer.Option("--minimum", help="Leave out what is less near (env GRAPHMEM_MINIMUM).")
    ] = None,
    neighbours: Annotated[int, typer.Option("--neighbours", min=0, max=10, help="Turns around each episode.")] = 0,
    centre: Annotated[
        str | None, typer.Option("--centre", metavar="ENTITY", help="Walk the graph from here: name or id.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which lanes saw each hit, and at which rank.")
    ] = False,
) -> int:
    """Find facts and raw episodes by their words and, with an embedder, by their meaning, best first."""
    from graphmem.ports import SearchTarget

    session = session_of(ctx)
    text = text_of(" ".join(words))
    moment, known = session.moment(at), session.moment(known_at)
    during = session.window(begin, until)
    unknown = sorted(set(targets or ()) - set(SearchTarget))
    if unknown:
        raise InvalidQuery(f"--in {unknown[0]!r} is none of {', '.join(SearchTarget)}")
    chosen = [SearchTarget(target) for target in targets or ("fact", "episode")]

    async def act(memory: Memory) -> tuple[Findings, list[str]]:
        found = await memory.search(
            text,
            group_ids=session.group_ids,
            targets=chosen,
            at=moment,
            during=during or (None, None),
            known_at=known,
            filter=_filter(session_id, speaker, meta),
            limit=limit,
            recipe=recipe,
            minimum=minimum,
            neighbours=neighbours,
            centre=centre,
            asked_at=session.now(),
        )
        return found, [] if found else await notes_on_nothing(memory, session.group_ids)

    found, notes = session.run(act, embeds=True)
    window = during or (None if moment else (None, None))
    session.print(_search_report(session, found, session.scope(moment, window, known), notes, is_explained=explain))
    return ANSWERED if found else NO_ANSWER


def _filter(session_id: str | None, speaker: str | None, meta: list[str] | None) -> Filter:
    from graphmem.model import Filter

    return Filter(session_id=session_id, speaker=speaker, metadata=filter_pairs(meta))


async def _sources(memory: Memory, answer: Answer) -> list[Row]:
    """What was said, for each fact of the answer."""
    rows: list[Row] = []
    for group_id, fact_id in dict.fromkeys((f.fact.group_id, f.fact.fact_id) for f in answer.facts):
        for evidence in await memory.why(fact_id, group_id=group_id):
            if evidence.episode.episode_id not in answer.episode_ids:
                continue
            rows.append(
                {
                    "speaker": evidence.episode.speaker,
                    "told_by": evidence.told_by,
                    "said_at": utc_text(evidence.said_at),
                    "sentence": evidence.sentence,
                }
            )
    return rows


def _answer_report(
    session: Session, question: str, answer: Answer, sources: Sequence[Row], notes: Sequence[str]
) -> Report:
    from graphmem.cli.rows import episode_row, fact_row

    footer = [
        f"{source['speaker'] or 'somebody'} said on {str(source['said_at'])[:10]}: {source['sentence']}"
        for source in sources
    ]
    return Report(
        kind="answer",
        text=answer.text,
        footer="\n".join(filter(None, [*footer, *notes, answer.scope])),
        fields={
            "question": question,
            "answer": answer.text,
            "values": list(answer.values),
            "is_known": answer.is_known,
            "is_certain": answer.is_certain,
            "nearest": answer.nearest,
            "nearby_facts": [fact_row(fact, session.zone) for fact in answer.nearby_facts],
            "nearby_turns": [episode_row(turn, session.zone) for turn in answer.nearby_turns],
            "scope": answer.scope,
            "asked_at": utc_text(answer.query.asked_at) if answer.query else None,
            "episode_ids": list(answer.episode_ids),
            "sources": list(sources),
            "notes": list(notes),
        },
        rows=[fact_row(fact, session.zone) for fact in answer.facts],
    )


def _facts_report(session: Session, kind: str, found: Sequence[DatedFact], scope: str, notes: Sequence[str]) -> Report:
    from graphmem.cli.rows import FACT_COLUMNS, fact_row

    others = {"told_by": "told by"} if any(fact.told_by for fact in found) else {}
    columns = {**FACT_COLUMNS, **others, **({"fact_id": "id"} if session.is_verbose else {})}
    return Report(
        kind=kind,
        text="" if found else "No facts.",
        columns=columns,
        rows=[fact_row(fact, session.zone) for fact in found],
        fields={"scope": scope, "notes": list(notes)},
        footer="\n".join([*notes, scope]),
    )


def _search_report(
    session: Session, found: Findings, scope: str, notes: Sequence[str], *, is_explained: bool
) -> Report:
    # Where an embedder is set, a note is of what it should have done.
    shows_notes = is_explained or session.is_verbose or session.has_embedder or not found
    columns = {"rank": "", "target": "kind", "text": "text", "from": "from", "to": "to"}
    if is_explained:
        columns = {"rank": "", "score": "score", "near": "near", "seen_by": "seen by", "target": "kind", "text": "text"}
    return Report(
        kind="search",
        text="" if found else "Nothing found.",
        columns=columns,
        rows=[row for one in found for row in _found_rows(session, one)],
        fields={"scope": scope, "recipe": found.recipe, "notes": [*found.notes, *notes]},
        footer="\n".join([*(found.notes if shows_notes else ()), *notes, scope]),
    )


def _found_rows(session: Session, found: Found) -> list[Row]:
    from graphmem.cli.rows import episode_row, fact_row

    head: Row = {
        "rank": found.rank,
        "target": found.target.value,
        "id": found.item_id,
        "score": round(found.score, 4),
        "near": None if found.nearness is None else round(found.nearness, 4),
        "lanes": [{"lane": seen.lane.value, "rank": seen.rank, "score": round(seen.score, 4)} for seen in found.lanes],
        "seen_by": ", ".join(f"{seen.lane} #{seen.rank} ({seen.score:.3g})" for seen in found.lanes),
    }
    if found.episode is not None:
        episode = episode_row(found.episode, session.zone)
        told = f"{found.episode.speaker}: {found.episode.text}" if found.episode.speaker else found.episode.text
        around: Row = {
            "before": [episode_row(turn, session.zone) for turn in found.before],
            "after": [episode_row(turn, session.zone) for turn in found.after],
        }
        return [{**head, **episode, **around, "text": told, "from": episode["said"]}]
    if found.entity is not None:
        return [{**head, "text": found.entity.name, "group_id": found.group_id}]
    return [{**head, **fact_row(fact, session.zone)} for fact in found.facts]
