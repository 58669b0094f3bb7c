"""What one call of the command works with: settings, zone, groups and format, and how it opens the memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from graphmem.cli.model_use import ModelUse
from graphmem.cli.output import Format, Report, print_report
from graphmem.cli.times import local_zone, moment_words, named_zone, read_moment
from graphmem.errors import InvalidGroup, InvalidPath, InvalidQuery, NotFound

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.ports import LanguageModel
    from graphmem.retrieve.recipes import Recipe
    from graphmem.settings import Settings

__all__ = ["Session", "Window", "session_of"]

_T = TypeVar("_T")

Window = tuple[datetime | None, datetime | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One call of the command."""

    settings: Settings
    model_use: ModelUse
    groups: tuple[str, ...] = ()
    """As given by --group; empty: the one of the settings."""
    form: Format = Format.TABLE
    is_verbose: bool = False
    has_progress: bool = True

    @property
    def zone(self) -> tzinfo:
        name = self.settings.tz.value
        return named_zone(name) if name else local_zone()

    @property
    def group_ids(self) -> tuple[str, ...]:
        return self.groups or (self.settings.group.value,)

    @property
    def group_id(self) -> str:
        """The one group that is written to."""
        if len(self.group_ids) > 1:
            raise InvalidGroup("this command works on one group: give --group once")
        return self.group_ids[0]

    def moment(self, text: str | None) -> datetime | None:
        return None if text is None else read_moment(text, self.zone)

    def window(self, begin: str | None, until: str | None) -> Window | None:
        """The window of --from and --to; None when neither is given."""
        return None if begin is None and until is None else (self.moment(begin), self.moment(until))

    def scope(self, at: datetime | None, during: Window | None, known_at: datetime | None) -> str:
        """What a read looks at, in words: "valid on 10 April 2026, as known now"; `during` wins over `at`."""
        known = "now" if known_at is None else self.on(known_at)
        if during is not None:
            begin, until = during
            edges = (("from", begin), ("before", until))
            words = " and ".join(f"{word} {moment_words(edge, self.zone)}" for word, edge in edges if edge)
            return f"valid {words or 'at any time'}, as known {known}"
        moment = at or known_at
        return f"valid {'now' if moment is None else self.on(moment)}, as known {known}"

    def on(self, moment: datetime) -> str:
        """A moment as part of a sentence: "on 10 April 2026", "at 14:30 on 10 April 2026"."""
        words = moment_words(moment, self.zone)
        return f"at {words}" if ":" in words else f"on {words}"

    def now(self) -> datetime:
        return datetime.now(self.zone)

    def print(self, report: Report) -> None:
        print_report(report, self.form)

    @property
    def has_embedder(self) -> bool:
        return self.settings.embedder.value != "none"

    def run(
        self,
        act: Callable[[Memory], Awaitable[_T]],
        *,
        creates: bool = False,
        embeds: bool = False,
        reads: bool = False,
    ) -> _T:
        """Open the memory, act and close it. Only a command that tells something makes a memory where there is none.

        The embedder of the settings is loaded for commands that tell or search, the language model for those that tell or work
        off jobs (`reads`); either takes a second. What the model cost goes to standard error.
        """
        import asyncio

        from graphmem.memory import Memory

        self._check_file(creates)

        async def whole() -> _T:
            async with self.model_use.opened() if creates or reads else nullcontext() as model:
                return await with_model(model)

        async def with_model(model: LanguageModel | None) -> _T:
            memory = await Memory.open(
                self.settings.db.value,
                embedder=self.settings.embedder.value if creates or embeds else None,
                reranker=self.settings.reranker.value,
                recipe=self._recipe(),
                vectors=self.settings.vectors.value,
                model=model,
                fallback=self.settings.fallback.value,
            )
            async with memory:
                return await act(memory)

        try:
            return asyncio.run(whole())
        finally:
            if self.has_progress and (words := self.model_use.words()):
                sys.stderr.write(f"{words}\n")

    def _recipe(self) -> Recipe:
        from graphmem.retrieve.recipes import recipe_of, with_minimum

        recipe, minimum = recipe_of(self.settings.recipe.value), self.settings.minimum.value
        return with_minimum(recipe, float(minimum)) if minimum else recipe

    def _check_file(self, creates: bool) -> None:
        from graphmem.settings import Origin

        path = _path_of(self.settings.db.value)
        try:
            if path is None or path.exists():
                return
            if creates and self.settings.db.origin is Origin.DEFAULT:
                path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidPath(f"no memory can be at {path}: {error.strerror}") from error
        if not creates:
            raise NotFound(f"there is no memory at {path}: tell it something first, with `graphmem add`")
        if not path.parent.is_dir():
            raise InvalidPath(f"there is no folder {path.parent}: make it first, or name another file with --db")


def _path_of(url: str) -> Path | None:
    """The file a URL names; None for a server or a memory without a file."""
    scheme, is_url, rest = url.partition("://")
    name = url if not is_url else rest[1:] if scheme == "sqlite" else ""
    return Path(os.path.expanduser(name)) if name and name != ":memory:" else None


def session_of(ctx: typer.Context) -> Session:
    """The session that the main command put into the context."""
    session = ctx.obj
    if not isinstance(session, Session):
        raise InvalidQuery("a command runs under the main command only")
    return session
