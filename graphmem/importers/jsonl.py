"""Chats as JSONL: one message a line ({"role", "content", "created_at"}) or one conversation a line ({"messages": […]}).

Names that are read, first one present wins. Text: content, text, message. Time: timestamp, created_at, ts, date, time,
create_time, as ISO (a naive one in the given zone), or seconds, milliseconds or microseconds since 1970. Who: name, speaker,
author, sender, from, else the role. Conversation: conversation_id, session_id, thread_id, chat_id. Message: id, message_id, uuid.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import blake2b
from typing import BinaryIO

from graphmem.errors import InvalidImport, InvalidInput
from graphmem.groups import DEFAULT_GROUP, shown
from graphmem.ingest.accept import KeepText, NewEpisode, checked_episode

__all__ = ["JsonlChat", "lines_of"]

MAX_LINE_BYTES = 64 * 1024 * 1024

_TEXT = ("content", "text", "message")
_TIME = ("timestamp", "created_at", "ts", "date", "time", "create_time")
_WHO = ("name", "speaker", "author", "sender", "from")
_CONVERSATION = ("conversation_id", "session_id", "thread_id", "chat_id")
_MESSAGE = ("id", "message_id", "uuid")
_NOT_SAID = frozenset({"system", "developer", "tool", "function", "tool_use", "tool_result"})

_NUMBER = re.compile(r"-?\d{9,20}(?:\.\d+)?")
_SLASHED = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?:\s*\([A-Za-z]+\))?(?:\s+(\d{1,2}:\d{2}(?::\d{2})?))?")
_MILLISECONDS_FROM = 1e11
_MICROSECONDS_FROM = 1e14

_FOREIGN = {"mapping": "ChatGPT", "chat_messages": "Claude"}
_WAY_OUT = (
    "in JSONL every line is one whole object; `jq -c '.[]' FILE` makes lines of a list, `jq -c . FILE` of objects"
)

_Json = Mapping[str, object]


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; one that is too long comes cut, just over the limit, so that memory stays bounded."""
    while line := stream.readline(MAX_LINE_BYTES + 1):
        yield line


@dataclass(kw_only=True)
class JsonlChat:
    """The episodes of one JSONL file, read as a stream; iterate once, then `skipped` says what was left out and why.

    An episode's id is made from the source, its conversation and its message's id or place, so importing again is a no-op. A
    message without a time was said with the one before it in its conversation, or with the conversation; where nothing is dated,
    at `start` and one `step` later for each message. Raises InvalidImport, naming the line.

    >>> lines = ['{"role": "user", "content": "I work at Acme.", "created_at": "2025-02-10T09:00:00Z"}']
    >>> [episode] = JsonlChat(lines=lines, source="chat.jsonl", speakers={"user": "Alice"})
    >>> episode.speaker, episode.text, episode.said_at.isoformat()
    ('Alice', 'I work at Acme.', '2025-02-10T09:00:00+00:00')
    """

    lines: Iterable[str | bytes]
    source: str
    """Names the file; part of every id."""
    group_id: str = DEFAULT_GROUP
    zone: tzinfo = UTC
    start: datetime | None = None
    step: timedelta = timedelta(minutes=1)
    speakers: Mapping[str, str] = field(default_factory=dict)
    """Who a role is, where a message names nobody: {"user": "Alice"}."""
    skipped: Counter[str] = field(default_factory=Counter)
    """How many messages were left out, by the reason."""

    def __iter__(self) -> Iterator[NewEpisode]:
        loose = _Conversation(label=self.source, session_id=self.source)
        named: dict[str, _Conversation] = {}
        undated = 0
        for number, line in enumerate(self.lines, start=1):
            record = _record(line, number)
            if record is None:
                continue
            for conversation, message in self._messages(record, number, loose, named):
                place = conversation.places
                conversation.places += 1
                text = self._text(message, number)
                if text is None:
                    continue
                said_at = self._said_at(message, conversation, number, undated)
                undated += conversation.moment is None
                yield _acceptable(self._episode(message, conversation, place, text, said_at), said_at, number)

    def _messages(
        self, record: _Json, number: int, loose: _Conversation, named: dict[str, _Conversation]
    ) -> Iterator[tuple[_Conversation, _Json]]:
        """The messages of one line, each with its conversation."""
        self._check_group(record, number)
        messages = record.get("messages")
        if messages is None:
            _refuse_foreign(record, number)
            label = _label(record, _CONVERSATION)
            conversation = (
                loose if label is None else named.setdefault(label, _Conversation(label=label, session_id=label))
            )
            yield conversation, record
            return
        if not isinstance(messages, Sequence) or isinstance(messages, str):
            raise InvalidImport(f'line {number}: "messages" must be a list, not {shown(messages)}')
        label = _label(record, (*_CONVERSATION, "id", "uuid"))
        nameless = _Conversation(label=f"{self.source}#{number}", session_id=f"{self.source}#{number}")
        conversation = (
            nameless if label is None else named.setdefault(label, replace(nameless, label=label, session_id=label))
        )
        conversation.moment = self._time_in(record, number) or conversation.moment
        for message in messages:
            if not isinstance(message, Mapping):
                raise InvalidImport(f"line {number}: a message must be an object, not {shown(message)}")
            yield conversation, message

    def _check_group(self, record: _Json, number: int) -> None:
        group_id = record.get("group_id", self.group_id)
        if group_id != self.group_id:
            raise InvalidImport(
                f"line {number}: it belongs to group {shown(group_id)}, the import to {self.group_id!r}"
            )

    def _text(self, message: _Json, number: int) -> str | None:
        """What was said; None, counted, where nobody said anything."""
        role = _role(message)
        if role in _NOT_SAID:
            self.skipped[f"role {role}"] += 1
            return None
        content = next((message[key] for key in _TEXT if message.get(key) is not None), None)
        parts = [content] if isinstance(content, str) else content
        if parts is not None and not isinstance(parts, Sequence):
            raise InvalidImport(f"line {number}: content must be text or a list of parts, not {shown(content)}")
        text = "\n".join(filter(None, (self._part(part) for part in parts or ())))
        if not text.strip():
            self.skipped["no text"] += 1
            return None
        return text

    def _part(self, part: object) -> str:
        if isinstance(part, str):
            return part
        text = part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str):
            return text
        kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
        self.skipped[f"part of type {shown(kind, 40)}"] += 1
        return ""

    def _said_at(self, message: _Json, conversation: _Conversation, number: int, undated: int) -> datetime:
        moment = self._time_in(message, number)
        if moment is not None:
            conversation.moment = moment
        if conversation.moment is not None:
            return conversation.moment
        if self.start is None:
            raise InvalidImport(
                f"line {number}: it has no time and nothing before it has: say when the chat began (--start)"
            )
        try:
            return self.start + undated * self.step
        except OverflowError:
            raise InvalidImport(
                f"line {number}: {undated} steps after the start lies outside the years 1 to 9999"
            ) from None

    def _time_in(self, record: _Json, number: int) -> datetime | None:
        for key in _TIME:
            value = record.get(key)
            if value is not None and value != "":
                moment = _moment(value, self.zone)
                if moment is None:
                    raise InvalidImport(
                        f"line {number}: {key} {shown(value)} is no time: use ISO, or seconds since 1970"
                    )
                return moment
        return None

    def _episode(
        self, message: _Json, conversation: _Conversation, place: int, text: str, said_at: datetime
    ) -> NewEpisode:
        role = _role(message)
        message_id = _label(message, _MESSAGE)
        parts = ("jsonl", conversation.label, f"#{place}" if message_id is None else message_id)
        return NewEpisode(
            text=text,
            group_id=self.group_id,
            episode_id="jsonl_" + blake2b("\0".join(parts).encode(), digest_size=12).hexdigest(),
            speaker=_who(message) or self.speakers.get(role) or role or None,
            session_id=conversation.session_id,
            said_at=said_at,
            metadata={"role": role} if role else {},
        )


@dataclass(kw_only=True)
class _Conversation:
    label: str
    session_id: str
    places: int = 0
    """How many messages it had so far, skipped ones too."""
    moment: datetime | None = None
    """When the last dated message was said, or the conversation began."""


def _record(line: str | bytes, number: int) -> _Json | None:
    """The object of one line; None for an empty one."""
    if len(line) > MAX_LINE_BYTES:
        raise InvalidImport(f"line {number} is over {MAX_LINE_BYTES:,} bytes")
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line.removeprefix("\ufeff")
        record = json.loads(text) if text.strip() else None
    except UnicodeDecodeError as error:
        raise InvalidImport(f"line {number} is not UTF-8 text: {error.reason}") from None
    except RecursionError:
        raise InvalidImport(f"line {number} is nested too deeply") from None
    except json.JSONDecodeError as error:
        if text.strip() in ("[", "{"):
            raise InvalidImport(f"line {number} is not JSON, only the beginning of it: {_WAY_OUT}") from None
        raise InvalidImport(f"line {number} is not JSON: {error.msg} at character {error.pos + 1}") from None
    except ValueError as error:
        raise InvalidImport(f"line {number} is not JSON: {error}") from None
    if isinstance(record, list):
        raise InvalidImport(f"line {number} is no JSON object but a list: {_WAY_OUT}")
    if record is not None and not isinstance(record, Mapping):
        raise InvalidImport(f"line {number} is no JSON object but {shown(record)}")
    return record


def _refuse_foreign(record: _Json, number: int) -> None:
    """A whole conversation of another form is not to be counted as one message without text."""
    for key, whose in _FOREIGN.items():
        if isinstance(record.get(key), Sequence | Mapping):
            raise InvalidImport(
                f"line {number} is a conversation of {whose}'s own export ({key!r}), which is not read: "
                'only messages ({"role", "content", "created_at"}) and {"messages": […]} are'
            )


def _acceptable(episode: NewEpisode, said_at: datetime, number: int) -> NewEpisode:
    """The episode, if a memory takes it: the lines before one that it does not take are told before the import stops there."""
    try:
        checked_episode(episode, now=said_at, secret=b"", redactor=KeepText())
    except InvalidInput as error:
        raise InvalidImport(f"line {number}: {error}") from None
    return episode


def _role(message: _Json) -> str:
    role = message.get("role")
    author = message.get("author")
    if role is None and isinstance(author, Mapping):
        role = author.get("role")
    return role.strip().lower()[:256] if isinstance(role, str) else ""


def _who(message: _Json) -> str | None:
    for key in _WHO:
        value = message.get(key)
        if isinstance(value, Mapping):
            value = value.get("name")
        if isinstance(value, str) and value.strip():
            return value.strip()[:256]
    return None


def _label(record: _Json, keys: Sequence[str]) -> str | None:
    found = (record[key] for key in keys if isinstance(record.get(key), str | int) and record[key] != "")
    return next((str(value)[:256] for value in found), None)


def _moment(value: object, zone: tzinfo) -> datetime | None:
    """The moment of an ISO text or an epoch; None when it is neither."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        words = value.strip()
        if _NUMBER.fullmatch(words):
            return _epoch(words)
        return _iso(words, zone)
    return _epoch(value) if isinstance(value, int | float) else None


def _epoch(value: str | int | float) -> datetime | None:
    try:
        number = float(value)
        size = abs(number)
        seconds = number / (1e6 if size >= _MICROSECONDS_FROM else 1e3 if size >= _MILLISECONDS_FROM else 1)
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return None


def _iso(words: str, zone: tzinfo) -> datetime | None:
    if slashed := _SLASHED.fullmatch(words):
        year, month, day, clock = slashed.groups()
        words = f"{year}-{int(month):02d}-{int(day):02d}" + (f"T{clock:0>5}" if clock else "")
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
