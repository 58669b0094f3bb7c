"""Reading LoCoMo: conversations as dated turns, questions with the turns that hold their answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.evidence.turns import Haystack, Question, Split, Turn
from graphmem.timeline.day_names import MONTHS

__all__ = ["Skipped", "corrections_of", "load_locomo"]

HELD_OUT = ("conv-47", "conv-48", "conv-49", "conv-50")
ADVERSARIAL = 5
_SESSION = re.compile(r"session_(\d+)")
_SEPARATORS = re.compile(r"[;,\s]+")
_SAID = re.compile(r"(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) (\w+), (\d{4})")
_PAUSE = timedelta(seconds=20)
"""Between two turns of a session, of which only the beginning is dated."""


Skipped = Counter[str]
"""What was left out, by why."""


def load_locomo(
    path: Path, *, with_captions: bool = False, corrections: Mapping[str, Sequence[str]] | None = None
) -> tuple[list[Haystack], Skipped]:
    """The conversations in file order.

    `corrections`: evidence in place of the file's, by question ("locomo_0_qa3": the first conversation, its fourth question).
    `with_captions`: a turn that shares a picture says what it shows. Raises OSError, ValueError or KeyError for another file.
    """
    skipped: Skipped = Counter()
    conversations = []
    for number, raw in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        turns = tuple(_turns(raw["conversation"], with_captions))
        known = {turn.turn_id for turn in turns}
        questions = tuple(_questions(raw["qa"], number, known, corrections or {}, skipped))
        name = raw["sample_id"]
        split = Split.HELD_OUT if name in HELD_OUT else Split.DEVELOPMENT
        conversations.append(Haystack(haystack_id=name, turns=turns, questions=questions, split=split))
    return conversations, skipped


def corrections_of(folder: Path) -> dict[str, list[str]]:
    """The corrected evidence of the audit in a folder, by question id."""
    found = json.loads((folder / "errors.json").read_text(encoding="utf-8"))
    return {
        error["question_id"]: list(error["correct_evidence"])
        for error in found
        if error.get("correct_evidence") and error["correct_evidence"] != error.get("cited_evidence")
    }


def _turns(raw: Mapping[str, object], with_captions: bool) -> Iterator[Turn]:
    sessions = sorted(int(found[1]) for key in raw if (found := _SESSION.fullmatch(key)))
    for session in sessions:
        began = _said_at(str(raw[f"session_{session}_date_time"]))
        turns = raw[f"session_{session}"]
        if not isinstance(turns, list):
            raise ValueError(f"session_{session} is no list of turns")
        for number, turn in enumerate(turns):
            caption = turn.get("blip_caption") if with_captions else None
            yield Turn(
                turn_id=turn["dia_id"],
                session_id=f"session-{session}",
                speaker=turn["speaker"],
                said_at=began + number * _PAUSE,
                text=f"{turn['text']} (shares {caption})" if caption else turn["text"],
            )


def _questions(
    raw: Sequence[Mapping[str, object]],
    conversation: int,
    known: set[str],
    corrections: Mapping[str, Sequence[str]],
    skipped: Skipped,
) -> Iterator[Question]:
    for number, item in enumerate(raw):
        category = int(str(item["category"]))
        if category == ADVERSARIAL:
            skipped["adversarial"] += 1
            continue
        question_id = f"locomo_{conversation}_qa{number}"
        cited = corrections.get(question_id, item["evidence"])
        if not isinstance(cited, list | tuple):
            raise ValueError(f"the evidence of {item['question']!r} is no list")
        ids = list(dict.fromkeys(part for text in cited for part in _SEPARATORS.split(text) if part))
        there = tuple(turn_id for turn_id in ids if turn_id in known)
        skipped["unknown turn ids"] += len(ids) - len(there)
        if there:
            yield Question(question_id=question_id, text=str(item["question"]), kind=str(category), evidence=there)
        else:
            skipped["without evidence"] += 1


def _said_at(text: str) -> datetime:
    found = _SAID.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no date of a session")
    hour = int(found[1]) % 12 + (12 if found[3] == "pm" else 0)
    return datetime(int(found[6]), MONTHS.index(found[5]) + 1, int(found[4]), hour, int(found[2]), tzinfo=UTC)
