"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmem.errors import InvalidInput

__all__ = ["AskedAt", "At", "FactName", "From", "KnownAt", "Limit", "Meta", "Reason", "SaidAt", "To", "filter_pairs"]

At = Annotated[str | None, typer.Option("--at", metavar="TIME", help="True at this moment.")]
From = Annotated[str | None, typer.Option("--from", metavar="TIME", help="True at some time from here on.")]
To = Annotated[str | None, typer.Option("--to", metavar="TIME", help="Up to here, excluded.")]
KnownAt = Annotated[
    str | None, typer.Option("--known-at", metavar="TIME", help="As the memory knew it then (default now).")
]
AskedAt = Annotated[
    str | None, typer.Option("--asked-at", metavar="TIME", help="The question's now: what 'last week' counts from.")
]
SaidAt = Annotated[
    str | None, typer.Option("--said-at", metavar="TIME", help="When it was said: what 'last week' in it counts from.")
]
FactName = Annotated[str, typer.Argument(metavar="FACT", help="Its id, or its sentence: 'Alice works at Acme'.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100_000, help="At most so many.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept with the record of the act.")]
Meta = Annotated[list[str] | None, typer.Option("--meta", metavar="KEY=VALUE", help="Metadata; repeatable.")]


def filter_pairs(words: list[str] | None, option: str = "--meta") -> dict[str, str]:
    """The pairs of KEY=VALUE options."""
    pairs = {}
    for word in words or ():
        key, equals, value = word.partition("=")
        if not (key and equals):
            raise InvalidInput(f"{option} {word!r} is not KEY=VALUE")
        pairs[key] = value
    return pairs
