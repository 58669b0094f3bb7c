"""Whom or what a speaker says they meant: "sorry, I meant 3109", "Larsen, I mean"."""

from __future__ import annotations

import re

from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.plain import BREAK, PlainClause
from graphmem.ingest.rules.slots import NAME
from graphmem.ingest.rules.who import Discourse
from graphmem.model import Statement

__all__ = ["meant_instead"]

_ONE = rf"(?:{NAME}|\d+ )"
_MEANT = re.compile(rf"(?:^|(?<=, ))(?:(?P<before>{_ONE}), )?{BREAK}I (?:mean|meant) (?P<after>{_ONE})?")


def meant_instead(clause: PlainClause, told: Statement, who: Discourse) -> str | None:
    """The subject that was meant in what was just told; None where the clause names none that could be it."""
    match = _MEANT.search(clause.text) if "mean" in clause.words or "meant" in clause.words else None
    spoken = (match["after"] or match["before"]) if match is not None else None
    if not spoken:
        return None
    meant = who.settle(without_determiner(clause.spoken(spoken)), "")
    if meant is None or meant.names[0] == told.subject:
        return None
    name = meant.names[0]
    is_code = any(c.isdigit() for c in name) and any(c.isdigit() for c in told.subject)
    is_fuller = set(told.subject.lower().split()) < set(name.lower().split())
    return name if is_code or is_fuller else None
