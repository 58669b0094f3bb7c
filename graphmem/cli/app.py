"""The command `graphmem`: its options, its commands, and how it ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Annotated, NoReturn

import typer
from typer.core import TyperGroup, TyperOption

from graphmem.cli import ask, context, copy, demo, inspect, jobs, reextract, relations, same, tell, upkeep, vectors
from graphmem.cli.exits import FAILED, INTERRUPTED, exit_code_of
from graphmem.cli.model_use import ModelUse
from graphmem.cli.output import Format, error_json, visible
from graphmem.cli.session import Session
from graphmem.errors import GraphmemError, InvalidInput

__all__ = ["main", "run"]

_EXAMPLES = """Examples:

graphmem --db alice.db add "I work at Acme." --speaker Alice --said-at 2025-02-10

graphmem --db alice.db "where did Alice work in April 2025"

Exit codes: 0 answered, 1 failed, 2 wrong use, 3 wrong settings, 4 no answer, 5 imported in part, 130 interrupted.
"""


class _AskByDefault(TyperGroup):
    """A first word that names no command begins a question; the help shows commands by what they are for."""

    def format_commands(self, ctx, formatter):  # type: ignore[no-untyped-def]
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            panels.setdefault(panel, []).append((name, command.get_short_help_str(70)))
        for panel, members in panels.items():
            with formatter.section(panel):
                formatter.write_dl(members)

    def resolve_command(self, ctx, args):  # type: ignore[no-untyped-def]  # its types are private to typer
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        is_one_word = " " not in args[0].strip() and not args[0].startswith("-")
        meant = get_close_matches(args[0], self.commands, n=1, cutoff=0.8) if is_one_word else []
        if meant:
            raise InvalidInput(f"no command {args[0]!r}: did you mean {meant[0]!r}? To ask, put the question in quotes")
        return "ask", self.commands["ask"], args


app = typer.Typer(
    name="graphmem",
    cls=_AskByDefault,
    help="A temporal memory: tell it dated things, ask what was true when, and what was known when.",
    epilog=_EXAMPLES,
    rich_markup_mode=None,  # rich's help takes 0.1 s more to import
    pretty_exceptions_enable=False,
    context_settings={"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]},
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        sys.stdout.write(f"graphmem {upkeep.installed_version()}\n")
        raise typer.Exit


@app.callback()
def _session(
    ctx: typer.Context,
    db: Annotated[
        str | None, typer.Option("--db", metavar="FILE|URL", help="File or URL of the memory (env GRAPHMEM_DB).")
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="ID", help="Group; repeatable where a command reads (env GRAPHMEM_GROUP)."),
    ] = None,
    tz: Annotated[
        str | None,
        typer.Option("--tz", metavar="ZONE", help="Zone of dates without one (env GRAPHMEM_TZ, default local)."),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder", metavar="NAME", help="local, none, a folder … (env GRAPHMEM_EMBEDDER, default none)."
        ),
    ] = None,
    reranker: Annotated[
        str | None,
        typer.Option("--reranker", metavar="NAME", help="A cross-encoder's name or folder (env GRAPHMEM_RERANKER)."),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option("--vectors", metavar="FORM", help="float32, or int8 for a quarter (env GRAPHMEM_VECTORS)."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="rules, anthropic:MODEL, openai:URL#MODEL (env GRAPHMEM_MODEL, default rules).",
        ),
    ] = None,
    fallback: Annotated[
        str | None,
        typer.Option(
            "--fallback", metavar="NAME", help="rules: read offline what the model fails on (env GRAPHMEM_FALLBACK)."
        ),
    ] = None,
    max_cost: Annotated[
        str | None,
        typer.Option("--max-cost", metavar="USD", help="Stop before models cost more (env GRAPHMEM_MAX_COST)."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How results are printed.")] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="More: ids, sources.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress bars.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    from graphmem.settings import read_settings

    flags = {
        "db": db,
        "group": group[0] if group else None,
        "tz": tz,
        "embedder": embedder,
        "reranker": reranker,
        "vectors": vectors,
        "model": model,
        "fallback": fallback,
        "max_cost": max_cost,
    }
    settings = read_settings(flags=flags)
    ctx.obj = Session(
        settings=settings,
        model_use=ModelUse(settings),
        groups=tuple(group or ()),
        form=Format.JSON if as_json else form,
        is_verbose=verbose,
        has_progress=not (quiet or no_progress),
    )


_TELL, _ASK, _LOOK, _KEEP = "Tell", "Ask", "Look behind", "Keep"

app.command("add", rich_help_panel=_TELL)(tell.add)
app.command("import", rich_help_panel=_TELL)(tell.import_)
app.command("correct", rich_help_panel=_TELL)(tell.correct)
app.command("retract", rich_help_panel=_TELL)(tell.retract)
app.command("erase", rich_help_panel=_TELL)(tell.erase)
app.command("merge", rich_help_panel=_TELL)(same.merge)
app.command("unmerge", rich_help_panel=_TELL)(same.unmerge)
app.command("rivalry", rich_help_panel=_TELL)(relations.rivalry)
app.command("ask", rich_help_panel=_ASK)(ask.ask)
app.command("facts", rich_help_panel=_ASK)(ask.facts)
app.command("timeline", rich_help_panel=_ASK)(ask.timeline)
app.command("search", rich_help_panel=_ASK)(ask.search)
app.command("context", rich_help_panel=_ASK)(context.context)
app.command("history", rich_help_panel=_LOOK)(inspect.history)
app.command("diff", rich_help_panel=_LOOK)(inspect.diff)
app.command("why", rich_help_panel=_LOOK)(inspect.why)
app.command("merges", rich_help_panel=_LOOK)(same.merges)
app.command("rivalries", rich_help_panel=_LOOK)(relations.rivalries)
app.command("demo", rich_help_panel=_KEEP)(demo.demo)
app.add_typer(jobs.app, name="jobs", rich_help_panel=_KEEP)
app.command("groups", rich_help_panel=_KEEP)(upkeep.groups)
app.command("backup", rich_help_panel=_KEEP)(upkeep.backup)
app.command("copy", rich_help_panel=_KEEP)(copy.copy)
app.command("reembed", rich_help_panel=_KEEP)(vectors.reembed)
app.command("reextract", rich_help_panel=_KEEP)(reextract.reextract)
app.command("doctor", rich_help_panel=_KEEP)(upkeep.doctor)
app.add_typer(upkeep.config, name="config", rich_help_panel=_KEEP)


def main() -> NoReturn:
    """Run the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # one that cannot write a letter shows its number instead of failing
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code and never a traceback for what a user can get wrong."""
    command = typer.main.get_command(app)
    ordered = _hoisted(arguments, command.params) or ["--help"]
    is_data = "--json" in ordered
    if sys.stdout is None:
        return _failed("OutputClosed", "standard output is closed", FAILED, is_data)
    try:
        code = command.main(args=ordered, prog_name="graphmem", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # typer turns KeyboardInterrupt into it
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        return _failed("UsageError", error.format_message(), error.exit_code, is_data)
    except GraphmemError as error:
        return _failed(type(error).__name__, str(error), exit_code_of(error), is_data)
    except (KeyboardInterrupt, typer.Abort):
        return _failed("Interrupted", "interrupted; what was kept stays", INTERRUPTED, is_data)
    except BrokenPipeError:  # the reader of our output has gone, as in `graphmem facts | head`
        _close_output()
        return FAILED
    except OSError as error:  # of our output, as with `> /dev/full`; those of files have become ours where they arose
        _close_output()
        return _failed("OutputFailed", f"the output cannot be written: {error.strerror or error}", FAILED, is_data)


def _close_output() -> None:
    """Lead what is left in the buffer nowhere, so that nothing fails again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _hoisted(arguments: Sequence[str], parameters: Iterable[object]) -> list[str]:
    """The arguments with the options of the main command in front, wherever they stood before "--"."""
    options = {
        name: one.is_flag
        for one in parameters
        if isinstance(one, TyperOption) and not one.is_eager
        for name in one.opts
    }
    front: list[str] = []
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name = word.partition("=")[0]
        if word == "--":
            rest += [word, *words]
        elif options.get(word):
            front.append(word)
        elif options.get(name) is False:
            front += [word] if "=" in word else [word, *islice(words, 1)]
        else:
            rest.append(word)
    return front + rest


def _failed(name: str, message: str, code: int, is_data: bool) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"{error_json(name, message, code) if is_data else f'graphmem: {visible(line)}'}\n")
    return code
