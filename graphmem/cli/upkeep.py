"""Commands for keeping a memory well: groups, backup, doctor, config."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED, FAILED
from graphmem.cli.output import Report, Row
from graphmem.cli.session import Session, session_of
from graphmem.cli.times import moment_words, utc_text
from graphmem.errors import GraphmemError, NotFound

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.model import JobState
    from graphmem.ports import GroupState

__all__ = ["backup", "config", "doctor", "groups", "installed_version"]

config = typer.Typer(help="Show the settings in force.")

_EMPTY = {"tz": "(of this computer)"}

EXTRAS = {
    "anthropic": "anthropic",
    "neo4j": "neo4j",
    "local": "onnxruntime",
    "sentence-transformers": "sentence_transformers",
}


def groups(ctx: typer.Context) -> int:
    """List the groups with their counts."""
    session = session_of(ctx)

    async def act(memory: Memory) -> Sequence[GroupState]:
        return await memory.groups()

    columns = {name: name for name in ("group_id", "episodes", "entities", "facts", "versions", "claims", "changed")}
    rows = [_group_row(group, session) for group in session.run(act)]
    session.print(Report(kind="groups", columns=columns, rows=rows, text="" if rows else "No groups."))
    return ANSWERED


def backup(ctx: typer.Context, target: Annotated[Path, typer.Argument(help="The copy; must not exist.")]) -> int:
    """Copy the memory, consistently, while it may be in use."""
    session = session_of(ctx)

    async def act(memory: Memory) -> None:
        await memory.backup(target)

    session.run(act)
    session.print(Report(kind="backup", text=f"Copied to {target}.", fields={"target": str(target)}))
    return ANSWERED


def doctor(ctx: typer.Context) -> int:
    """Check Python, SQLite, the extras, the models and the memory itself."""
    session = session_of(ctx)
    rows = [_row("python", sys.version.split()[0], True), *_sqlite_rows(), *_extra_rows()]
    rows += [*_model_rows(session.settings.model.value), *_embedder_rows(session.settings.embedder.value)]
    rows += _store_rows(session)
    columns = {"check": "check", "result": "result", "verdict": ""}
    session.print(Report(kind="doctor", columns=columns, rows=rows))
    return FAILED if any(row["is_well"] is False for row in rows) else ANSWERED


@config.callback()
def _config() -> None:
    """Show the settings in force."""  # without a callback `show` would be the whole command


@config.command("show")
def show_config(ctx: typer.Context) -> int:
    """Show the settings in force and where each comes from."""
    session = session_of(ctx)
    settings = session.settings
    rows: list[Row] = [
        {
            "name": name,
            "value": found.value or _EMPTY.get(name, "(none)"),
            "origin": found.origin.value,
            "place": found.place,
        }
        for name, found in ((field.name, getattr(settings, field.name)) for field in fields(settings))
    ]
    session.print(Report(kind="config", columns={name: name for name in rows[0]}, rows=rows))
    return ANSWERED


def _group_row(group: GroupState, session: Session) -> Row:
    from graphmem.timeline.instants import to_datetime

    changed = to_datetime(group.tau)
    return {
        "group_id": group.group_id,
        "episodes": group.episodes,
        "entities": group.entities,
        "facts": group.facts,
        "versions": group.versions,
        "claims": group.claims,
        "changed": "" if changed is None else moment_words(changed, session.zone),
        "changed_at": utc_text(changed),
    }


def _row(check: str, result: str, is_well: bool | None) -> Row:
    """`is_well` None: neither good nor bad."""
    return {
        "check": check,
        "result": result,
        "is_well": is_well,
        "verdict": {True: "ok", False: "PROBLEM", None: ""}[is_well],
    }


def _sqlite_rows() -> list[Row]:
    import sqlite3

    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
        has_fts = True
    except sqlite3.OperationalError:
        has_fts = False
    finally:
        connection.close()
    return [
        _row("sqlite", sqlite3.sqlite_version, True),
        _row("sqlite full text (FTS5)", "there" if has_fts else "missing", has_fts),
    ]


def _extra_rows() -> list[Row]:
    from importlib.util import find_spec

    rows = [_row("graphmem", installed_version(), True)]
    for extra, module in EXTRAS.items():
        there = find_spec(module) is not None
        rows.append(
            _row(f"extra {extra}", "installed" if there else f"not installed: pip install 'graphmem[{extra}]'", None)
        )
    return rows


def installed_version() -> str:
    """The version of graphmem that is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("graphmem")
    except PackageNotFoundError:
        return "from a checkout"


def _model_rows(name: str) -> list[Row]:
    """Asks the provider of the configured model whether it is there."""
    import asyncio

    from graphmem.inference.language_models import model_health

    check = f"model {name}"
    try:
        health = asyncio.run(model_health(name))
    except GraphmemError as error:
        return [_row(check, str(error), False)]
    return [_row(check, "the offline rules", None) if health is None else _row(check, health.words, health.is_well)]


def _embedder_rows(name: str) -> list[Row]:
    """Loads the configured embedder, or asks its endpoint for the dimension."""
    from graphmem.inference.embedders import open_embedder

    check = f"embedder {name}"
    try:
        embedder = open_embedder(name)
        model = None if embedder is None else embedder.model
    except GraphmemError as error:
        return [_row(check, str(error), False)]
    return [] if model is None else [_row(check, f"{model.name}, {model.dimension} dimensions", True)]


def _store_rows(session: Session) -> list[Row]:
    name = f"memory {session.settings.db.value}"

    async def act(memory: Memory) -> tuple[Sequence[str], Mapping[JobState, int]]:
        return await memory.verify(), await memory.count_jobs()

    try:
        wrong, jobs = session.run(act)
    except NotFound:
        return [_row(name, "not made yet", None)]
    except GraphmemError as error:
        return [_row(name, str(error), False)]
    counts = ", ".join(f"{count} {state}" for state, count in jobs.items() if count)
    rows = [_row(name, "all is well", True)] if not wrong else [_row(name, sentence, False) for sentence in wrong]
    return [*rows, _row("jobs", counts or "none", None)]
