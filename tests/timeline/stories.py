"""Reads the stories of tests/cases/timeline.txt: told on, said, asked about, as known on, expected.

    # 9 A date is corrected
    told 2026-06-03: cy WORKS_AT globex, start 2026-05-01
    told 2026-06-05: cy WORKS_AT globex, start 2026-05-04
    ask cy WORKS_AT at 2026-05-02: nobody
    ask cy WORKS_AT at 2026-05-02 known 2026-06-04: globex

`told` is the day of the clock and, without `said`, of the words. A claim is KIND subject RELATION object with `start`, `end`,
`inferred`, `untrusted` after commas; HOLD is the kind that is not named; `|` stands between the claims of one telling. A granule
is a year, a month, a day, a minute, "always", or lo..hi with an open side left out. `ask` gives a subject or, with ?, an object;
`at` is the first instant of what is named, `in` all of it, `known` its last one. `rows` lists all rows that the story ends with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphmem.timeline import (
    ALWAYS,
    MAX,
    MIN,
    Claim,
    Granule,
    Instant,
    Kind,
    Relation,
    Rivalry,
    Row,
    Unit,
    to_datetime,
    to_instant,
)

RELATIONS = {
    relation.name: relation
    for relation in (
        Relation(name="WORKS_AT", rivalry=Rivalry.SUBJ),
        Relation(name="LIVES_IN", rivalry=Rivalry.SUBJ),
        Relation(name="STAYS_AT", rivalry=Rivalry.SUBJ),
        Relation(name="CEO_OF", rivalry=Rivalry.BOTH),
        Relation(name="MARRIED", rivalry=Rivalry.BOTH, symmetric=True),
        Relation(name="FRIEND", symmetric=True),
        Relation(name="SKILL"),
        Relation(name="OWNS"),
        Relation(name="LEASES"),
        Relation(name="HELD", event=True),
        Relation(name="BIRTHPLACE", rivalry=Rivalry.SUBJ, timeless=True),
    )
}
"""The relations of the stories; USES stays undeclared (R20)."""


@dataclass(frozen=True, kw_only=True)
class Telling:
    """What is told on one day."""

    now: Instant
    claims: tuple[Claim, ...]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, and the answers expected, in their order."""

    text: str
    relation: str
    subject: str | None
    object: str | None
    start: Instant
    until: Instant
    known: Instant | None
    possible: bool
    expected: list[str]


@dataclass(frozen=True, kw_only=True)
class Story:
    """One scenario of the contract."""

    number: int
    title: str
    tellings: tuple[Telling, ...]
    questions: tuple[Question, ...]
    rows: tuple[str, ...] | None


def granule(text: str) -> Granule:
    """The granule that a date names: its length is its unit."""
    if text == "always":
        return ALWAYS
    if ".." in text:
        lo, hi = text.split("..")
        return Granule(lo=granule(lo).lo if lo else MIN, hi=granule(hi).lo if hi else MAX)
    parts = [int(part) for part in re.split(r"[-T:]", text)]
    first = datetime(*[*parts, 1, 1][: max(3, len(parts))], tzinfo=UTC)
    if len(parts) == 1:
        return _granule(first, first.replace(year=first.year + 1), Unit.YEAR)
    if len(parts) == 2:
        return _granule(first, (first + timedelta(days=32)).replace(day=1), Unit.MONTH)
    if len(parts) == 3:
        return _granule(first, first + timedelta(days=1), Unit.DAY)
    return _granule(first, first + timedelta(minutes=1), Unit.MINUTE)


def _granule(lo: datetime, hi: datetime, unit: Unit) -> Granule:
    return Granule(lo=to_instant(lo), hi=to_instant(hi), unit=unit)


def read_stories(path: Path) -> list[Story]:
    chapters = re.split(r"^# ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_story(chapter.strip().splitlines()) for chapter in chapters]


def _story(lines: list[str]) -> Story:
    number, title = lines[0].split(" ", 1)
    by_word: dict[str, list[str]] = {"told": [], "ask": [], "rows": []}
    for line in filter(None, (line.strip() for line in lines[1:])):
        word, rest = line.split(" ", 1)
        by_word[word].append(rest)
    return Story(
        number=int(number),
        title=title,
        tellings=tuple(_telling(i, rest) for i, rest in enumerate(by_word["told"])),
        questions=tuple(_question(rest) for rest in by_word["ask"]),
        rows=tuple(rest for rest in by_word["rows"]) or None,
    )


def _telling(i: int, text: str) -> Telling:
    days, said = text.split(": ", 1)
    now, _, ref = days.partition(" said ")
    told_at = granule(ref or now).lo
    claims = tuple(_claim(f"c{i}.{seq}", seq, told_at, part) for seq, part in enumerate(said.split(" | ")))
    return Telling(now=granule(now).lo, claims=claims)


def _claim(claim_id: str, seq: int, ref: Instant, text: str) -> Claim:
    head, *rest = text.split(", ")
    words = head.split()
    kind = Kind(words.pop(0)) if words[0] in Kind.__members__ else Kind.HOLD
    bounds = dict(part.split(" ") for part in rest if " " in part)
    subject, relation, obj = words
    return Claim(
        claim_id=claim_id,
        kind=kind,
        subject=subject,
        relation=relation,
        object=obj,
        ref=ref,
        seq=seq,
        start=granule(bounds["start"]) if "start" in bounds else None,
        end=granule(bounds["end"]) if "end" in bounds else None,
        inferred="inferred" in rest,
        trusted="untrusted" not in rest,
    )


_QUESTION = re.compile(
    r"(?P<subject>\S+) (?P<relation>\S+)(?: (?P<object>(?!at |in )\S+))? (?P<how>at|in) (?P<when>\S+)"
    r"(?: known (?P<known>\S+))?(?P<possible> possible)?: (?P<expected>.+)"
)


def _question(text: str) -> Question:
    match = _QUESTION.fullmatch(text)
    assert match is not None, f"no question: {text!r}"
    when = granule(match["when"])
    expected = match["expected"]
    return Question(
        text=text,
        relation=match["relation"],
        subject=None if match["subject"] == "?" else match["subject"],
        object=match["object"],
        start=when.lo,
        until=when.lo + 1 if match["how"] == "at" else when.hi,
        known=granule(match["known"]).hi - 1 if match["known"] else None,
        possible=bool(match["possible"]),
        expected=[] if expected == "nobody" else expected.split(", "),
    )


def show(row: Row) -> str:
    """The row as the stories write it."""
    valid = "undated" if row.valid_at is None else _moment(row.valid_at)
    start = f"start {_shown(row.start)}{' stated' if row.start_stated else ''}"
    end = f"end {_shown(row.end)}{' stated' if row.end_stated else ''}"
    mark = "" if row.trusted else "; untrusted"
    return f"{row.subject} {row.object} {valid} .. {_moment(row.invalid_at)}; {start}; {end}{mark}"


def _shown(granule: Granule) -> str:
    if granule.lo == granule.hi:
        return "open" if granule.lo == MAX else f"{_moment(granule.lo)} {granule.unit}"
    return f"{_moment(granule.lo)}..{_moment(granule.hi)} {granule.unit}"


def _moment(instant: Instant) -> str:
    moment = to_datetime(instant)
    if moment is None:
        return ""
    return moment.strftime("%Y-%m-%d" if moment.time() == moment.min.time() else "%Y-%m-%dT%H:%M:%S.%f")
