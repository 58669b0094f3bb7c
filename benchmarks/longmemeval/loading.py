"""Reading LongMemEval: the published files as they are, and haystacks rebuilt around the evidence of each question."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from benchmarks.evidence.turns import Haystack, Question, Split, Turn

__all__ = ["Case", "Message", "Session", "excluded", "load_published", "load_rebuilt"]

FILLERS = 45
"""Sessions without the answer in a rebuilt haystack."""
ABSTENTION = "_abs"
_DATE = re.compile(r"(\d{4})/(\d{2})/(\d{2}) \(\w+\) (\d{2}):(\d{2})")
_PAUSE = timedelta(seconds=30)


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message of a session."""

    role: str
    text: str
    has_answer: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One session with an assistant."""

    session_id: str
    began_at: datetime
    messages: tuple[Message, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One question over the sessions of its haystack."""

    question_id: str
    kind: str
    text: str
    answer: str
    asked_at: datetime
    sessions: tuple[Session, ...]

    @property
    def is_abstention(self) -> bool:
        """Whether the right answer is that it was never said."""
        return self.question_id.endswith(ABSTENTION)

    @property
    def split(self) -> Split:
        """Development are the ids whose SHA-256 begins with 0 to 7."""
        return Split.DEVELOPMENT if sha256(self.question_id.encode()).hexdigest()[0] < "8" else Split.HELD_OUT

    def evidence_turns(self) -> tuple[str, ...]:
        """Ids of the user's turns that hold the answer."""
        return tuple(turn_id for turn_id, _, message in self._user_turns() if message.has_answer)

    def talk(self) -> tuple[Turn, ...]:
        """Both sides of all sessions."""
        return tuple(
            Turn(
                turn_id=turn_id,
                session_id=session.session_id,
                speaker=message.role,
                said_at=session.began_at + place * _PAUSE,
                text=message.text,
            )
            for turn_id, session, place, message in self._messages()
        )

    def evidence_talk(self) -> tuple[str, ...]:
        """Ids of the turns of either side that hold the answer."""
        return tuple(turn_id for turn_id, _, _, message in self._messages() if message.has_answer)

    def haystack(self) -> Haystack | None:
        """The user's turns, one question; None for one that retrieval is not scored by: abstention, or no evidence turn."""
        evidence = self.evidence_turns()
        if self.is_abstention or not evidence:
            return None
        turns = tuple(
            Turn(
                turn_id=turn_id,
                session_id=session.session_id,
                speaker="user",
                said_at=session.began_at + place * _PAUSE,
                text=message.text,
            )
            for place, (turn_id, session, message) in enumerate(self._user_turns())
        )
        question = Question(
            question_id=self.question_id, text=self.text, kind=self.kind, evidence=evidence, asked_at=self.asked_at
        )
        return Haystack(haystack_id=self.question_id, turns=turns, questions=(question,), split=self.split)

    def _user_turns(self) -> Iterator[tuple[str, Session, Message]]:
        for turn_id, session, _, message in self._messages():
            if message.role == "user":
                yield turn_id, session, message

    def _messages(self) -> Iterator[tuple[str, Session, int, Message]]:
        """Every message with its id, its session and its place in it, from 0."""
        for session in self.sessions:
            for place, message in enumerate(session.messages):
                yield f"{session.session_id}_{place + 1}", session, place, message


def load_published(path: Path) -> list[Case]:
    """The questions of a published file (oracle, S or M), in file order. Raises OSError, ValueError or KeyError for another."""
    return [_published(raw) for raw in _read(path)]


def load_rebuilt(evidence: Path, mini: Path) -> list[Case]:
    """The questions of the evidence file, each in a haystack rebuilt from sessions of the mini file.

    The haystack of a question: its evidence sessions followed by 45 of the fillers, drawn and shuffled by a generator that is
    seeded with the question's id. Questions of abstention and those without evidence sessions are left out.
    Raises OSError, ValueError or KeyError for other files.
    """
    fillers = _fillers(load_published(mini))
    return [
        _rebuilt(raw, fillers)
        for raw in _read(evidence)
        if raw["evidence_sessions"] and not str(raw["question_id"]).endswith(ABSTENTION)
    ]


def excluded(cases: Sequence[Case]) -> Counter[str]:
    """How many questions retrieval is not scored by, and why."""
    return Counter(
        "abstention" if case.is_abstention else "no evidence turn of the user"
        for case in cases
        if case.haystack() is None
    )


def _read(path: Path) -> list[Mapping[str, object]]:
    raw = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(raw, list) or not raw:
        raise ValueError("no list of questions")
    return raw


def _published(raw: Mapping[str, object]) -> Case:
    names = _strings(raw["haystack_session_ids"])
    dates = _strings(raw["haystack_dates"])
    contents = _list(raw["haystack_sessions"])
    sessions = tuple(
        Session(session_id=_once(names, place), began_at=_moment(date), messages=tuple(_messages(content)))
        for place, (date, content) in enumerate(zip(dates, contents, strict=True))
    )
    return _case(raw, sessions)


def _once(names: Sequence[str], place: int) -> str:
    """A session's id; a session that stands twice in one haystack gets its place behind it."""
    return names[place] if names[place] not in names[:place] else f"{names[place]}#{place}"


def _rebuilt(raw: Mapping[str, object], fillers: Sequence[Session]) -> Case:
    question_id = str(raw["question_id"])
    own = []
    for place, part in enumerate(_list(raw["evidence_sessions"])):
        if not isinstance(part, dict):
            raise ValueError(f"the evidence of {question_id} is no list of sessions")
        messages = tuple(_messages(part["turns"], has_answer=True))
        own.append(
            Session(session_id=f"answer_{question_id}_{place}", began_at=_moment(str(part["date"])), messages=messages)
        )
    drawing = random.Random(question_id)
    haystack = [*own, *drawing.sample(fillers, FILLERS)]
    drawing.shuffle(haystack)
    return _case(raw, tuple(haystack))


def _fillers(cases: Iterable[Case]) -> list[Session]:
    """Every session without an answer, once, in file order."""
    seen: dict[str, Session] = {}
    for case in cases:
        for session in case.sessions:
            name = session.session_id.split("#")[0]
            if "answer" not in name and not any(m.has_answer for m in session.messages):
                seen.setdefault(name, session)
    return list(seen.values())


def _case(raw: Mapping[str, object], sessions: tuple[Session, ...]) -> Case:
    answer = raw.get("answer", "")
    return Case(
        question_id=str(raw["question_id"]),
        kind=str(raw["question_type"]),
        text=str(raw["question"]),
        answer="; ".join(map(str, answer)) if isinstance(answer, list) else str(answer),
        asked_at=_moment(str(raw["question_date"])),
        sessions=sessions,
    )


def _messages(content: object, *, has_answer: bool = False) -> Iterator[Message]:
    for message in _list(content):
        if not isinstance(message, dict):
            raise ValueError("a session is no list of messages")
        yield Message(
            role=str(message["role"]),
            text=str(message["content"]),
            has_answer=has_answer or bool(message.get("has_answer")),
        )


def _moment(text: str) -> datetime:
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no date of LongMemEval")
    year, month, day, hour, minute = map(int, found.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def _strings(value: object) -> list[str]:
    return [str(item) for item in _list(value)]


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{type(value).__name__} where a list was expected")
    return value
