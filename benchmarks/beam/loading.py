"""Reading BEAM: chats as dated messages of the user, probing questions with the messages that hold their answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from benchmarks.evidence.turns import Haystack, Question, Split, Turn

__all__ = ["Beam", "Renewal", "load_beam"]

KINDS_RENEWED = {
    "knowledge_update": ("original_info", "updated_info"),
    "contradiction_resolution": ("first_statement", "second_statement"),
}
"""Kinds of question with an old and a new value, and where their messages are named."""
SUMMARIES = "summarization"
"""Asks for the whole chat: no message holds the answer, so it is left out."""
_MARK = re.compile(r"\s*->->\s*[\d,\s]*$")
"""Closes each of the user's messages in the files; it is no part of what was said."""
_PAUSE = timedelta(minutes=1)
_UNDATED = datetime(2024, 1, 1, 9, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewal:
    """The messages with the old value of a question, and those with the new one."""

    old: frozenset[str]
    new: frozenset[str]

    def is_new_first(self, found: Sequence[str]) -> bool:
        """Whether the first message with the new value is ranked above the first with the old one."""
        return _place(found, self.new) < _place(found, self.old)


@dataclass(frozen=True, kw_only=True, slots=True)
class Beam:
    """The set: chats with their questions, renewals by question, and what was left out, by why."""

    haystacks: tuple[Haystack, ...]
    renewals: Mapping[str, Renewal]
    skipped: Counter[str]


def load_beam(folder: Path) -> Beam:
    """The chats of a folder in the order of their numbers. Raises OSError, ValueError or KeyError for another folder.

    Development are the chats whose number's SHA-256 begins with 0 to 9 (hexadecimal), the others are held out.
    """
    skipped: Counter[str] = Counter()
    renewals: dict[str, Renewal] = {}
    chats = sorted((path for path in folder.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    if not chats:
        raise ValueError(f"{folder} holds no numbered chats")
    haystacks = []
    for chat in chats:
        turns = tuple(_turns(json.loads((chat / "chat.json").read_text(encoding="utf-8"))))
        probes = json.loads((chat / "probing_questions" / "probing_questions.json").read_text(encoding="utf-8"))
        known = {turn.turn_id for turn in turns}
        questions = tuple(_questions(chat.name, probes, known, renewals, skipped))
        haystacks.append(
            Haystack(haystack_id=f"beam-{chat.name}", turns=turns, questions=questions, split=_split(chat.name))
        )
    return Beam(haystacks=tuple(haystacks), renewals=renewals, skipped=skipped)


def _place(found: Sequence[str], ids: frozenset[str]) -> int:
    return next((place for place, one in enumerate(found) if one in ids), len(found))


def _split(name: str) -> Split:
    return Split.DEVELOPMENT if sha256(name.encode()).hexdigest()[0].isdigit() else Split.HELD_OUT


def _turns(batches: Iterable[Mapping[str, object]]) -> Iterator[Turn]:
    said_at = _UNDATED
    for batch in batches:
        for messages in _list(batch["turns"]):
            for message in _list(messages):
                anchor = message.get("time_anchor")
                said_at = _day(anchor) or said_at + _PAUSE if anchor else said_at + _PAUSE
                if message["role"] == "user":
                    yield Turn(
                        turn_id=str(message["id"]),
                        session_id=f"batch-{batch['batch_number']}",
                        speaker="user",
                        said_at=said_at,
                        text=_MARK.sub("", message["content"]),
                    )


def _day(anchor: str) -> datetime | None:
    """ "March-15-2024" at nine; None for what is no date."""
    try:
        return datetime.strptime(anchor, "%B-%d-%Y").replace(hour=9, tzinfo=UTC)
    except ValueError:
        return None


def _questions(
    chat: str,
    probes: Mapping[str, object],
    known: set[str],
    renewals: dict[str, Renewal],
    skipped: Counter[str],
) -> Iterator[Question]:
    for kind, items in probes.items():
        if kind == SUMMARIES:
            skipped["summaries"] += len(_list(items))
            continue
        for number, item in enumerate(_list(items)):
            question_id = f"{chat}-{kind}-{number}"
            sources: object = item.get("source_chat_ids") or []
            cited = tuple(dict.fromkeys(_ids(sources)))
            there = tuple(i for i in cited if i in known)
            skipped["messages of the assistant"] += len(cited) - len(there)
            if not there:
                skipped["questions without a message of the user"] += 1
                continue
            if kind in KINDS_RENEWED and isinstance(sources, dict):
                old, new = (frozenset(_ids(sources.get(key, []))) & known for key in KINDS_RENEWED[kind])
                renewals.update(_renewal(question_id, old, new))
            yield Question(question_id=question_id, text=item["question"], kind=kind, evidence=there)


def _renewal(question_id: str, one: frozenset[str], other: frozenset[str]) -> dict[str, Renewal]:
    """The later of two values is the new one, whichever the file names first."""
    if not one or not other or one & other:
        return {}
    old, new = sorted((one, other), key=lambda ids: min(map(int, ids)))
    return {question_id: Renewal(old=old, new=new)}


def _ids(sources: object) -> Iterator[str]:
    """Ids in a list, or in the lists of a table, however deep."""
    if isinstance(sources, dict):
        for part in sources.values():
            yield from _ids(part)
    elif isinstance(sources, list):
        for part in sources:
            yield from _ids(part)
    else:
        yield str(sources)


def _list(value: object) -> list[dict[str, str]]:
    if not isinstance(value, list):
        raise ValueError(f"{type(value).__name__} where a list was expected")
    return value
