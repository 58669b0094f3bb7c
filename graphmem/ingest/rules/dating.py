"""Parts that only say when something just told began, happened or ended: "Since January.", "the deal closed last Friday"."""

from __future__ import annotations

import re
from dataclasses import replace

from graphmem.ingest.rules.parts import Part
from graphmem.ingest.rules.plain import BREAK, MARKS
from graphmem.model import Statement
from graphmem.timeline.claims import Kind
from graphmem.timeline.phrases import TimeRole

__all__ = ["dated_by", "is_only_a_date", "is_undated"]

_B = f"{BREAK}?"
_HAPPENS = (
    "closed happened started starting began beginning signed effective official applies counts landed completed finished done"
    " sealed valid dated back-dated backdated announced agreed"
)
_OF = rf"(?:[Tt]he|our|my|{_B}all) (?:last |first )?[^\s{BREAK}{MARKS}]+|last [^\s{BREAK}{MARKS}]+"
_WHAT = rf"(?:(?:{BREAK}(?:it|that|this|which|all)|{_OF}) )?"
_DID = rf"(?:{_B}(?:{'|'.join(_HAPPENS.split())}|took place|{_B}came {BREAK}into effect|kicked {BREAK}in|{_B}through|{_B}to) )*"
_ONLY_A_DATE = re.compile(
    rf"^(?:{_B}(?:and|but) )?{_WHAT}(?:{_B}(?:is|was|has|have|had|been|were|went) )*{_DID}"
    rf"(?:{_B}(?:that|so|there|here|this way|like that|the case|on|officially|only|already|it) )*"
    rf"[{MARKS}] (?:(?:, )?[{MARKS}] |{_B}(?:now|already) )*$"
)


def is_only_a_date(part: Part) -> bool:
    """Whether a part holds time words and nothing that they could date but what was told before."""
    return _ONLY_A_DATE.match(part.text) is not None


def is_undated(statement: Statement) -> bool:
    """Whether nothing says yet when it was."""
    return not statement.times and statement.start is None and statement.end is None


def dated_by(statement: Statement, part: Part) -> Statement | None:
    """The statement with the date of the part; None where it takes none."""
    if not is_undated(statement) or statement.kind not in _ROLES or _DAY.fullmatch(statement.object):
        return None
    return replace(statement, times=part.times(_ROLES[statement.kind]))


_DAY = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
"""An object that is a day itself takes no other."""
_ROLES = {Kind.HOLD: TimeRole.START, Kind.EVENT: TimeRole.AT, Kind.STOP: TimeRole.END}
