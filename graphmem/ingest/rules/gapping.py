"""Sayings that go on with their verb left out: "Heron is due on 3 May, Kite on 9 May"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from graphmem.ingest.rules.matching import Match
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause
from graphmem.ingest.rules.slots import NAME, NP, slot
from graphmem.ingest.rules.values import VALUE_TYPES

__all__ = ["gapped_after"]

_TIMES = f"(?:(?:, )?[{MARKS}] )*"
_SMALL = rf"{BREAK}(?:on|at|in|by|to|with|for|from) "

_GOES_ON = re.compile(rf"{_TIMES}(?:, |{BREAK}and )")
"""Cheap to ask before the expression of a gap is made."""


def gapped_after(match: Match, clause: PlainClause) -> Iterator[Match]:
    """The same saying of others that follow it, each with its own first and last slot."""
    first, types = match.saying.pattern.first, match.saying.pattern.types
    if first is None or match.aspect is None or len(types) < 2 or not {first, types[-1][0]} <= match.slots.keys():
        return
    last, kind = types[-1]
    if kind == "poss":
        return
    position = match.end
    while _GOES_ON.match(clause.text, position) and (found := _gap(kind).match(clause.text, position)) is not None:
        new = "first" if found["first"] is not None else "joined"
        yield Match(
            saying=match.saying,
            place=match.place,
            start=found.start(new),
            end=found.end("last"),
            slots={first: found[new], last: found["last"]},
            aspect=match.aspect,
            is_bare=False,
            used=frozenset(clause.times_in(found["last"]) if kind == "date" else ()),
        )
        position = found.end()


@cache
def _gap(kind: str) -> re.Pattern[str]:
    """Another subject, and another last slot: a value, or what a small word or "the" tells from a name that goes on."""
    one = NP if kind in ("", "thing", "np") else slot(kind)
    joint = f"(?:{_SMALL})?" if kind in VALUE_TYPES else f"(?:{_SMALL}|(?=the ))"
    return re.compile(
        rf"{_TIMES}(?:, (?:{BREAK}and )?(?P<first>{NAME}|{BREAK}(?:I|he|she) ){joint}"
        rf"|{BREAK}and (?P<joined>{NAME}){_SMALL})(?P<last>{one}){_TIMES}(?=$|, )"
    )
