"""What may be told, and how it is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from graphmem.errors import InvalidEpisode, InvalidGroup, InvalidInput, InvalidMetadata, InvalidTime
from graphmem.ingest.accept import KeepText, NewEpisode, checked_episode, zone_name
from graphmem.model import Episode

NOW = datetime(2026, 6, 3, 9, 30, tzinfo=UTC)
SECRET = b"s" * 32


def checked(**given: object) -> Episode:
    new = NewEpisode(**{"text": "I work at Acme.", **given})  # type: ignore[arg-type]
    return checked_episode(new, now=NOW, secret=SECRET, redactor=KeepText())


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"text": ""}, InvalidEpisode),
        ({"text": "  \n"}, InvalidEpisode),
        ({"text": None}, InvalidEpisode),
        ({"text": b"\xff\xfeA\x00"}, InvalidEpisode),
        ({"source": "mail"}, InvalidEpisode),
        ({"source": "json", "text": "{'name': 'Alice'}"}, InvalidEpisode),
        ({"source": "json", "text": '{"a": NaN}'}, InvalidEpisode),
        ({"source": "json", "text": "[" * 100_000}, InvalidEpisode),
        ({"source": "json", "text": '{"n": ' + "9" * 5_000 + "}"}, InvalidEpisode),
        ({"group_id": ""}, InvalidGroup),
        ({"group_id": "a/b"}, InvalidGroup),
        ({"group_id": "x" * 129}, InvalidGroup),
        ({"group_id": "team\u200b"}, InvalidGroup),
        ({"said_at": datetime(2024, 5, 1, 10)}, InvalidTime),  # noqa: DTZ001
        ({"said_at": "yesterday"}, InvalidTime),
        ({"said_at": 1714557600000}, InvalidTime),
        ({"said_at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))}, InvalidTime),
        ({"said_at": datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(-timedelta(hours=12)))}, InvalidTime),
        ({"metadata": {"a": 1}}, InvalidMetadata),
        ({"metadata": {"uuid": "x"}}, InvalidMetadata),
        ({"metadata": {"k" * 200: "x"}}, InvalidMetadata),
        ({"metadata": ["a"]}, InvalidMetadata),
        ({"episode_id": "a b"}, InvalidEpisode),
        ({"speaker": "x" * 300}, InvalidEpisode),
    ],
)
def test_what_cannot_be_an_episode_is_refused_with_an_error_of_ours(given: dict[str, object], error: type) -> None:
    with pytest.raises(error) as caught:
        checked(**given)
    assert isinstance(caught.value, InvalidInput)
    assert len(str(caught.value)) < 300


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert checked(text="Alice \ud800 lives in Oslo").text == "Alice \ufffd lives in Oslo"


def test_the_last_moment_of_the_calendar_is_accepted_and_sorts_last() -> None:
    last = checked(said_at=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))
    assert last.said_at > checked(said_at=datetime(9999, 12, 31, tzinfo=UTC)).said_at


def test_the_zone_of_the_author_is_kept_by_name_or_offset() -> None:
    assert zone_name(datetime(2026, 6, 3, tzinfo=ZoneInfo("Europe/Oslo"))) == "Europe/Oslo"
    assert zone_name(datetime(2026, 6, 3, tzinfo=timezone(-timedelta(hours=3, minutes=30)))) == "-03:30"
    assert zone_name(datetime(2026, 6, 3, tzinfo=UTC)) == "UTC"


def test_the_same_words_of_one_speaker_at_one_moment_are_one_episode() -> None:
    said = {"said_at": NOW, "speaker": "Alice"}
    assert checked(**said).episode_id == checked(**said).episode_id
    assert checked(**said).episode_id != checked(said_at=NOW, speaker="Bob").episode_id
    assert checked(**said).episode_id != checked(said_at=NOW + timedelta(days=1), speaker="Alice").episode_id


def test_nothing_of_the_text_as_it_came_outlives_redaction() -> None:
    class Mask:
        def redact(self, text: str) -> str:
            return text.replace("4471", "…")

    new = NewEpisode(text="My PIN is 4471.")
    kept = checked_episode(new, now=NOW, secret=SECRET, redactor=Mask())
    assert "4471" not in repr(kept)
    assert kept.digest != checked(text="My PIN is ….").digest
