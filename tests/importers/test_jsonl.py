"""JSONL chats as episodes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from graphmem.errors import InvalidImport
from graphmem.importers.jsonl import JsonlChat, lines_of
from graphmem.ingest.accept import NewEpisode

START = datetime(2025, 1, 1, tzinfo=UTC)


def chat(*records: object, **given: object) -> JsonlChat:
    lines = [record if isinstance(record, str | bytes) else json.dumps(record) for record in records]
    return JsonlChat(lines=lines, source="chat.jsonl", **{"start": START, **given})  # type: ignore[arg-type]


def one(record: object, **given: object) -> NewEpisode:
    (episode,) = chat(record, **given)
    return episode


def said(record: object, **given: object) -> str:
    said_at = one(record, **given).said_at
    assert said_at is not None
    return said_at.isoformat()


def test_one_message_a_line() -> None:
    episode = one({"role": "user", "content": "I work at Acme.", "created_at": "2025-02-10T09:00:00Z", "name": "Alice"})
    assert (episode.text, episode.speaker, episode.metadata) == ("I work at Acme.", "Alice", {"role": "user"})
    assert episode.said_at == datetime(2025, 2, 10, 9, tzinfo=UTC)


def test_one_conversation_a_line_keeps_its_session() -> None:
    episodes = list(
        chat({"id": "c1", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]})
    )
    assert [(e.text, e.session_id, e.speaker) for e in episodes] == [("a", "c1", "user"), ("b", "c1", "assistant")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2025-02-10", "2025-02-10T00:00:00+00:00"),
        ("2025-02-10T09:00:00+02:00", "2025-02-10T09:00:00+02:00"),
        (1739178000, "2025-02-10T09:00:00+00:00"),
        (1739178000.5, "2025-02-10T09:00:00.500000+00:00"),
        (1739178000000, "2025-02-10T09:00:00+00:00"),
        (1739178000000000, "2025-02-10T09:00:00+00:00"),
        ("1739178000", "2025-02-10T09:00:00+00:00"),
        ("1739178000.000200", "2025-02-10T09:00:00.000200+00:00"),
        ("20250210", "2025-02-10T00:00:00+00:00"),
        ("2025/02/10 (Mon) 9:05", "2025-02-10T09:05:00+00:00"),
    ],
)
@pytest.mark.parametrize("key", ["timestamp", "created_at", "ts", "date"])
def test_times_come_as_iso_seconds_or_milliseconds(key: str, value: object, expected: str) -> None:
    assert said({"role": "user", "content": "x", key: value}) == expected


@pytest.mark.parametrize("value", ["soon", "2025-02-30", [], True, float("nan"), 1e300, 10**400, "2025/13/01"])
def test_a_time_that_is_none_names_its_line(value: object) -> None:
    with pytest.raises(InvalidImport, match="line 2: ts"):
        list(chat({"content": "x"}, {"content": "x", "ts": value}))


def test_naive_times_are_read_in_the_given_zone() -> None:
    assert said({"content": "x", "ts": "2025-07-10 09:00"}, zone=ZoneInfo("Asia/Tokyo")) == "2025-07-10T09:00:00+09:00"


def test_undated_messages_stand_a_step_apart_from_the_start() -> None:
    episodes = list(
        chat({"content": "a"}, {"role": "system", "content": "s"}, {"content": "b"}, step=timedelta(hours=1))
    )
    assert [e.said_at for e in episodes] == [START, START + timedelta(hours=1)]


def test_an_undated_message_is_said_with_the_one_before_it() -> None:
    first, second = chat({"content": "a", "ts": "2025-02-10"}, {"content": "b"})
    assert second.said_at == first.said_at


def test_an_undated_message_is_said_with_its_conversation() -> None:
    assert said({"created_at": "2025-02-10", "messages": [{"content": "a"}]}) == "2025-02-10T00:00:00+00:00"


def test_without_any_time_the_start_is_asked_for() -> None:
    with pytest.raises(InvalidImport, match="line 1: it has no time"):
        list(chat({"content": "a"}, start=None))


@pytest.mark.parametrize(
    ("message", "speaker"),
    [
        ({"role": "user", "name": "Bob"}, "Bob"),
        ({"speaker": "Bob"}, "Bob"),
        ({"author": {"role": "user", "name": "Bob"}}, "Bob"),
        ({"author": {"role": "user"}}, "Alice"),
        ({"role": "User"}, "Alice"),
        ({"role": "assistant"}, "assistant"),
        ({}, None),
    ],
)
def test_who_spoke_is_the_name_else_the_one_of_the_role(message: dict[str, object], speaker: str | None) -> None:
    assert one({**message, "content": "x"}, speakers={"user": "Alice"}).speaker == speaker


def test_content_may_be_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": "I work"}, "at Acme.", {"type": "image_url", "image_url": {"url": "x"}}]
    read = chat({"role": "user", "content": parts})
    assert [e.text for e in read] == ["I work\nat Acme."]
    assert read.skipped == {"part of type 'image_url'": 1}


def test_what_nobody_said_is_skipped_and_counted() -> None:
    roles = [{"role": role, "content": "x"} for role in ("system", "tool", "developer", "function", "system")]
    read = chat(*roles, {"role": "user", "content": "  "}, {"role": "user", "content": None}, "")
    assert list(read) == []
    assert read.skipped == {"role system": 2, "role tool": 1, "role developer": 1, "role function": 1, "no text": 2}


def ids(*records: object, **given: object) -> list[str | None]:
    return [episode.episode_id for episode in chat(*records, **given)]


def test_ids_are_the_same_every_time_and_differ_within_a_file() -> None:
    records = [
        {"content": "a"},
        {"content": "a"},
        {"content": "a", "id": "m1"},
        {"content": "a", "conversation_id": "c"},
    ]
    assert ids(*records) == ids(*records)
    assert len(set(ids(*records))) == 4


def test_an_id_does_not_hang_on_what_is_skipped_or_on_the_text() -> None:
    assert ids({"role": "system", "content": "s"}, {"content": "a"}) == ids(
        {"role": "system", "content": "t"}, {"content": "b"}
    )


def test_interleaved_conversations_count_their_own_places() -> None:
    a, b = ({"content": "x", "conversation_id": label} for label in "ab")
    assert sorted(map(str, ids(a, b, a, b))) == sorted(map(str, ids(a, a, b, b)))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON.*jq"),
        ("[\n", "not JSON.*jq"),
        ('{"content": "x" 1}', "not JSON: Expecting ',' delimiter at character 17"),
        ("[1]", "no JSON object but a list.*jq"),
        ('{"id": "c", "mapping": {"a": {"message": null}}}', "ChatGPT's own export"),
        ('{"uuid": "c", "chat_messages": []}', "Claude's own export"),
        ('{"content": "x", "date": "0001-01-01T00:00:00+14:00"}', "years 1 to 9999"),
        ('"x"', "no JSON object"),
        (b"\x80\x04\x95", "not UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ('{"messages": "x"}', "must be a list"),
        ('{"messages": ["x"]}', "must be an object"),
        ('{"content": {"a": 1}}', "text or a list"),
        ('{"content": "x", "group_id": "other"}', "belongs to group"),
        ('{"content": "x", "ts": ' + "9" * 5_000 + "}", "not JSON"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str | bytes, words: str) -> None:
    with pytest.raises(InvalidImport, match=f"line 2.*{words}"):
        list(chat({"content": "x"}, line))


def test_a_text_that_no_memory_takes_names_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.ingest.accept.MAX_TEXT_BYTES", 100)
    read = iter(chat({"content": "a"}, {"content": "b" * 101}))
    assert next(read).text == "a"
    with pytest.raises(InvalidImport, match="line 2: the text of an episode is over 100 bytes"):
        next(read)


def test_a_byte_order_mark_and_windows_line_ends_are_read_over() -> None:
    stream = io.BytesIO('\ufeff{"content": "a"}\r\n\r\n{"content": "b"}'.encode())
    assert [e.text for e in JsonlChat(lines=lines_of(stream), source="x", start=START)] == ["a", "b"]


def test_a_line_without_an_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.importers.jsonl.MAX_LINE_BYTES", 1_000)
    with pytest.raises(InvalidImport, match="line 1 is over 1,000 bytes"):
        list(JsonlChat(lines=lines_of(io.BytesIO(b"x" * 10_000)), source="x", start=START))


def test_a_file_is_read_as_a_stream() -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield json.dumps({"content": f"line {read}"})

    episodes = iter(JsonlChat(lines=endless(), source="x", start=START))
    assert [next(episodes).text for _ in range(3)] == ["line 1", "line 2", "line 3"]
    assert read == 3
