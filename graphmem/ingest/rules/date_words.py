"""The time words of a clause: which words tell a time there, and what they mean; those that point back made explicit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from graphmem.ingest.rules.anaphora import PointingBack, date_ahead, pointing_back, points_back
from graphmem.ingest.rules.words import words
from graphmem.timeline.expressions import Operator, TimeExpression, find_times
from graphmem.timeline.granules import Granule

__all__ = ["DateWords", "date_words"]

_LOCAL_TIMES = frozenset(
    (
        "now",
        "still",
        "these days",
        "nowadays",
        "lately",
        "recently",
        "currently",
        "at the moment",
        "right now",
        "just",
        "already",
    )
)
_OF_A_TIME = re.compile(
    r"'s(?: [a-z]+(?: [a-z]+)?(?= [A-Z])"
    r"| (?:visit|meeting|layoffs|party|match|game|session|lesson|storm|flood|rehearsal|vote|call))?"
)
"""What stands behind a time and is dated by it: "last week's layoffs"."""
_AFTER = re.compile(r"^after ", re.IGNORECASE)
_LIFELONG = re.compile(
    r"\b(?:for )?all (?:of )?(?:my|his|her|their|our) li(?:fe|ves)\b|\b(?:my|his|her|their|our) (?:whole|entire) li(?:fe|ves)\b"
    r"|\bsince birth\b|\bsince (?:I|he|she|they) (?:was|were) born\b"
)
_SINCE_OR_UNTIL = re.compile(r"(?!as of|as from|effective|starting|beginning)", re.IGNORECASE)
"""Bounds that say how long it was so; "effective Monday" tells a day as well."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DateWords:
    """Time words of a clause, at [start, end) of its text; explicit words where they only point back."""

    text: str
    start: int
    end: int
    granule: Granule | None = None
    is_bound: bool = False
    """They say since when or until when, not when."""
    has_end: bool = False
    lasts: bool = False
    """They say since when or until when it was so; "as of Monday" need not."""


def date_words(text: str, said_at: datetime, last: Granule | None) -> tuple[DateWords, ...]:
    """The time words of a clause in its order; those that point back do so to the last date in it, else to `last`."""
    found: list[DateWords] = []
    for t in find_times(text, said_at):
        if t.clause is None and not _is_no_time(t, text) and (not found or found[-1].end <= t.start):
            found.append(_found(t, text))
    if points_back(text):
        here = next((t for t in reversed(found) if t.granule is not None), None)
        reference = last if here is None else date_ahead(text, here.text, said_at) or here.granule
        for back in pointing_back(text, reference, said_at):
            if all(back.end <= t.start or t.end <= back.start for t in found):
                found.append(_pointing(back))
    if ("life" in text or "birth" in text or "born" in text) and (life := _LIFELONG.search(text)) is not None:
        found.append(DateWords(text="always", start=life.start(), end=life.end(), is_bound=True, lasts=True))
    return tuple(sorted(found, key=lambda t: t.start))


def _found(t: TimeExpression, text: str) -> DateWords:
    """With what stands behind it and is dated by it."""
    owned = _OF_A_TIME.match(text, t.end)
    is_bound = t.operator in (Operator.SINCE, Operator.UNTIL, Operator.AS_OF, Operator.RANGE, Operator.BY)
    return DateWords(
        text=t.text if owned is None else _AFTER.sub("", t.text),
        start=t.start,
        end=t.end if owned is None else owned.end(),
        granule=t.granule,
        is_bound=is_bound,
        has_end=t.operator in (Operator.UNTIL, Operator.RANGE),
        lasts=is_bound and _SINCE_OR_UNTIL.match(t.text) is not None,
    )


def _pointing(back: PointingBack) -> DateWords:
    is_since = back.text.startswith("since")
    return DateWords(text=back.text, start=back.start, end=back.end, is_bound=is_since, lasts=is_since)


def _is_no_time(t: TimeExpression, text: str) -> bool:
    """Words that are not used as a date: "now", "still", and a bare name before a noun ("Christmas card", "the Sunday club")."""
    if t.text.lower() in _LOCAL_TIMES:
        return True
    following = text[t.end :].split(maxsplit=1)
    name = t.text.removeprefix("the ")
    if name != t.text and name.isalpha() and name[:1].isupper() and following and following[0][:1].isupper():
        return text[t.end : t.end + 1] == " "  # "the Thursday Dragons"
    bare = name.isalpha() and name[:1].isupper() and name.lower() not in ("today", "yesterday", "tomorrow", "tonight")
    return (
        bare
        and bool(following)
        and following[0][:1].islower()
        and following[0] not in words().breaks
        and text[t.end : t.end + 1] == " "
    )
