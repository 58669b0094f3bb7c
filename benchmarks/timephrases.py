"""`python -m benchmarks.timephrases [--ms FILE] [--locomo FILE]`: how many time phrases of two public sets are read rightly.

Microsoft's specifications (Recognizers-Text): a case is right if every expression the specification wants is found at its
place with one of its intervals, and none where it wants none. Its ranges leave the last unit out where ours include it, so
most ranges count as wrong. LoCoMo: a case is right if its message holds an expression with one of the gold intervals.
Neither set says whether a phrase looks back or ahead; either reading may be the right one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.report import Table, add_common_flags, share, write_report
from graphmem.timeline.expressions import TimeExpression, find_times
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant
from graphmem.timeline.phrases import Tense

__all__ = ["LocomoCase", "MicrosoftCase", "Score", "main", "read_locomo", "read_microsoft"]

_LAST_DEVELOPMENT_CONVERSATION = 44
"""LoCoMo's conversations 26 to 44 may be looked at; 47 to 50 are held out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """A gold interval; a point is met by what begins there."""

    lo: Instant
    hi: Instant
    is_point: bool = False

    def is_met_by(self, lo: Instant, hi: Instant) -> bool:
        return lo == self.lo and (self.is_point or hi == self.hi)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """An expression of a specification: characters [start, end) and the intervals that are right."""

    start: int
    end: int
    intervals: tuple[Interval, ...]

    def is_met_by(self, found: TimeExpression) -> bool:
        at_place = found.start < self.end and self.start < found.end
        return at_place and found.window is not None and any(one.is_met_by(*found.window) for one in self.intervals)


@dataclass(frozen=True, kw_only=True, slots=True)
class MicrosoftCase:
    """A sentence of Microsoft's specifications with all its time expressions."""

    case_id: str
    kind: str
    text: str
    said_at: datetime
    wanted: tuple[Wanted, ...]

    def is_right(self) -> bool:
        found = _found(self.text, self.said_at)
        if not self.wanted:
            return not found
        return all(any(wanted.is_met_by(one) for one in found) for wanted in self.wanted)


@dataclass(frozen=True, kw_only=True, slots=True)
class LocomoCase:
    """A LoCoMo message with the times that answer its question."""

    case_id: str
    text: str
    said_at: datetime
    intervals: tuple[Interval, ...]
    is_held_out: bool

    def is_right(self) -> bool:
        return any(
            gold.is_met_by(*times)
            for one in _found(self.text, self.said_at)
            for times in _times(one)
            for gold in self.intervals
        )


def _found(text: str, said_at: datetime) -> list[TimeExpression]:
    """The dated expressions of a text, looking back and looking ahead."""
    readings = (find_times(text, said_at, tense=tense) for tense in (Tense.PAST, Tense.FUTURE))
    return [one for reading in readings for one in reading if one.window is not None]


def _times(found: TimeExpression) -> Iterator[tuple[Instant, Instant]]:
    """What an expression may stand for as an answer: its window, or the unit it names ("since 2016": 2016)."""
    if found.window is not None:
        yield found.window
    if found.granule is not None:
        yield found.granule.lo, found.granule.hi


# The sets


def read_microsoft(path: Path) -> list[MicrosoftCase]:
    return [
        MicrosoftCase(
            case_id=str(row["id"]),
            kind=str(row["kind"]),
            text=str(row["input"]),
            said_at=_moment(row["ref"]),
            wanted=tuple(map(_wanted, row["results"])),
        )
        for row in _rows(path)
    ]


def _wanted(result: Mapping[str, Any]) -> Wanted:
    intervals = tuple(
        Interval(lo=_instant(lo, MIN), hi=_instant(hi, MAX), is_point=is_point) for lo, hi, is_point in result["values"]
    )
    return Wanted(start=result["start"], end=result["start"] + result["len"], intervals=intervals)


def read_locomo(path: Path, conversations: Path) -> list[LocomoCase]:
    """The cases, each put to the first conversation that has its message."""
    of_text = _conversation_by_text(conversations)
    return [
        LocomoCase(
            case_id=str(row["id"]),
            text=row["text"],
            said_at=_moment(row["ref"]),
            intervals=tuple(Interval(lo=_instant(lo, MIN), hi=_instant(hi, MAX)) for lo, hi in row["gold"]),
            is_held_out=of_text[row["text"].strip()] > _LAST_DEVELOPMENT_CONVERSATION,
        )
        for row in _rows(path)
    ]


def _conversation_by_text(path: Path) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for sample in json.loads(path.read_text(encoding="utf-8")):
        number = int(str(sample["sample_id"]).rpartition("-")[2])
        for session in sample["conversation"].values():
            for turn in session if isinstance(session, list) else ():
                numbers.setdefault(str(turn.get("text", "")).strip(), number)
    return numbers


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _moment(text: str) -> datetime:
    """A moment of a set; the sets know no time zones, UTC stands in."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _instant(text: str | None, otherwise: Instant) -> Instant:
    return otherwise if text is None else to_instant(_moment(text))


# Scores


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Cases put and cases read rightly."""

    cases: int
    right: int

    @classmethod
    def of(cls, cases: Sequence[MicrosoftCase | LocomoCase]) -> Score:
        return cls(cases=len(cases), right=sum(case.is_right() for case in cases))

    @property
    def keys(self) -> dict[str, object]:
        return {"cases": self.cases, "right": self.right}

    def row(self, name: str) -> tuple[str, ...]:
        return name, str(self.cases), str(self.right), share(self.right, self.cases)


_COLUMNS = ("", "cases", "right", "share")


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.ms is None and arguments.locomo is None:
        parser.error("give --ms FILE, --locomo FILE, or both")
    keys: dict[str, object] = {}
    tables: list[Table] = []
    try:
        if arguments.ms is not None:
            _score_microsoft(arguments, keys, tables)
        if arguments.locomo is not None:
            _score_locomo(arguments, keys, tables)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"the set cannot be read: {type(error).__name__}: {error}")
    write_report("timephrases", arguments, keys, tables)
    return 0


def _score_microsoft(arguments: argparse.Namespace, keys: dict[str, object], tables: list[Table]) -> None:
    cases = read_microsoft(arguments.ms)[: arguments.limit]
    _print_wrong(arguments, cases)
    total = Score.of(cases)
    kinds = {
        kind: Score.of([case for case in cases if case.kind == kind]) for kind in dict.fromkeys(c.kind for c in cases)
    }
    keys["ms"] = total.keys | {"by_kind": {kind: score.keys for kind, score in kinds.items()}}
    rows = (_COLUMNS, *(score.row(kind) for kind, score in kinds.items()), total.row("all"))
    tables.append(Table(title="Microsoft Recognizers-Text specifications", rows=rows))


def _score_locomo(arguments: argparse.Namespace, keys: dict[str, object], tables: list[Table]) -> None:
    conversations = arguments.locomo_set or arguments.locomo.parent / "locomo" / "locomo10.json"
    cases = read_locomo(arguments.locomo, conversations)[: arguments.limit]
    development, held_out = (Score.of([case for case in cases if case.is_held_out is held]) for held in (False, True))
    _print_wrong(arguments, [case for case in cases if not case.is_held_out])
    keys["locomo"] = {"development": development.keys, "held_out": held_out.keys}
    rows = (_COLUMNS, development.row("development (26 to 44)"), held_out.row("held out (47 to 50)"))
    tables.append(Table(title="LoCoMo time phrases", rows=rows))


def _print_wrong(arguments: argparse.Namespace, cases: Sequence[MicrosoftCase | LocomoCase]) -> None:
    """Held-out cases are never among these: whoever looks at them tunes on them."""
    if arguments.wrong:
        for case in cases:
            if not case.is_right():
                print(f"{case.case_id}\t{case.said_at:%Y-%m-%d}\t{case.text}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timephrases", description=__doc__)
    parser.add_argument("--ms", type=Path, metavar="FILE", help="Microsoft's specifications (ms_cases.jsonl)")
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="LoCoMo's time phrases (locomo_cases.jsonl)")
    parser.add_argument(
        "--locomo-set",
        type=Path,
        metavar="FILE",
        help="the conversations the phrases are from (default: locomo/locomo10.json beside the phrases)",
    )
    add_common_flags(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
