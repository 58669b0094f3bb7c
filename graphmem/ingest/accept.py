"""The accept step: what a caller offers becomes a checked, redacted episode that can be kept."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b

from graphmem.errors import InvalidEpisode, InvalidMetadata, InvalidTime
from graphmem.given import given_moment
from graphmem.groups import DEFAULT_GROUP, check_group, shown
from graphmem.model import Episode, Source, Statement
from graphmem.ports import Redactor
from graphmem.timeline.instants import MAX, MIN, to_instant

__all__ = ["KeepText", "NewEpisode", "checked_episode", "digest_of", "storable", "zone_name"]

MAX_TEXT_BYTES = 16 * 1024 * 1024
MAX_METADATA_KEYS = 64
MAX_METADATA_CHARACTERS = 4_096

_ID = re.compile(r"[\x21-\x7e]{1,256}")
_METADATA_KEY = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_RESERVED = frozenset({"uuid", "episode_id", "group_id", "said_at", "learned_at", "trusted", "digest"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DIGITS = 4_300


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEpisode:
    """One thing to tell the memory, before it is accepted.

    Without an `episode_id` the same text with the same statements, said by the same speaker at the same `said_at`, is the same
    episode; without a `said_at` it is said now.
    """

    text: str
    group_id: str = DEFAULT_GROUP
    episode_id: str | None = None
    source: Source | str = Source.MESSAGE
    speaker: str | None = None
    session_id: str | None = None
    said_at: datetime | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = True
    statements: tuple[Statement, ...] | None = None
    """What it states, when a program has read it already; None: the extractor reads it."""


class KeepText:
    """The redactor that takes nothing out."""

    def redact(self, text: str) -> str:
        return text


def checked_episode(new: NewEpisode, *, now: datetime, secret: bytes, redactor: Redactor) -> Episode:
    """The episode to keep. Raises InvalidEpisode, InvalidGroup, InvalidTime or InvalidMetadata."""
    group_id = check_group(new.group_id)
    source = _source(new.source)
    text = _text(new.text, source)
    said_at = new.said_at if new.said_at is not None else now
    said_instant = _said(said_at)
    speaker, session_id = _label("speaker", new.speaker), _label("session_id", new.session_id)
    digest = digest_of(text, secret)
    if not isinstance(new.trusted, bool):
        raise InvalidEpisode(f"trusted must be True or False, not {shown(new.trusted)}")
    if new.statements is not None and not all(isinstance(told, Statement) for told in _listed(new.statements)):
        raise InvalidEpisode(f"statements must be a tuple of Statement, not {shown(new.statements)}")
    return Episode(
        episode_id=_episode_id(new, said_instant, secret, text),
        group_id=group_id,
        text=redactor.redact(text),
        source=source,
        said_at=said_instant,
        zone=zone_name(said_at),
        speaker=speaker,
        session_id=session_id,
        metadata=_metadata(new.metadata),
        trusted=new.trusted,
        learned_at=to_instant(now),
        digest=digest,
    )


def digest_of(text: str, secret: bytes) -> bytes:
    """The keyed digest that tells a retry from a conflict; without the store's secret it says nothing about the text."""
    return blake2b(text.encode(), key=secret, digest_size=16).digest()


def storable(text: str) -> str:
    """The text with lone surrogates, which are no characters, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def zone_name(moment: datetime) -> str:
    """The IANA name of a moment's zone, else its fixed offset ("+02:00"), else "UTC"."""
    key = getattr(moment.tzinfo, "key", None)
    if isinstance(key, str):
        return key
    offset = moment.utcoffset()
    if not offset:
        return "UTC"
    minutes = int(offset.total_seconds() // 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _source(source: Source | str) -> Source:
    try:
        return Source(source)
    except ValueError:
        raise InvalidEpisode(f"source {shown(source)} is none of {', '.join(Source)}") from None


def _text(text: object, source: Source) -> str:
    if not isinstance(text, str):
        raise InvalidEpisode(f"the text of an episode must be str, not {type(text).__name__}")
    if not text.strip():
        raise InvalidEpisode("the text of an episode is empty")
    text = storable(text)
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise InvalidEpisode(f"the text of an episode is over {MAX_TEXT_BYTES:,} bytes: split it")
    if source is Source.JSON:
        _check_json(text)
    return text


def _check_json(text: str) -> None:
    try:
        json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant, parse_int=_bounded_int)
    except RecursionError:
        raise InvalidEpisode("the JSON is nested too deeply") from None
    except ValueError as error:
        raise InvalidEpisode(f"source json, but the text is not JSON: {error}") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _bounded_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is too long")
    return int(digits)


def _listed(statements: object) -> tuple[object, ...] | list[object]:
    return statements if isinstance(statements, tuple | list) else (statements,)


def _said(moment: object) -> int:
    said_at = given_moment("said_at", moment)
    instant = to_instant(said_at)
    try:
        said_at.astimezone(UTC)
    except OverflowError:
        raise InvalidTime(f"said_at {said_at.isoformat()} lies outside the years 1 to 9999 in UTC") from None
    return max(MIN + 1, min(instant, MAX - 1))


def _episode_id(new: NewEpisode, said_at: int, secret: bytes, text: str) -> str:
    if new.episode_id is not None:
        if not isinstance(new.episode_id, str) or not _ID.fullmatch(new.episode_id):
            raise InvalidEpisode(f"episode id {shown(new.episode_id)} must be 1 to 256 visible ASCII characters")
        return new.episode_id
    told = map(repr, new.statements or ())  # their dates do not stand in the text that is made of them
    parts = (str(said_at), new.speaker or "", new.session_id or "", str(new.source), text, *told)
    return "ep_" + blake2b(storable("\0".join(parts)).encode(), key=secret, digest_size=12).hexdigest()


def _label(what: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidEpisode(f"{what} must be str, not {type(value).__name__}")
    clean = storable(value).strip()
    if len(clean) > 256:
        raise InvalidEpisode(f"{what} is over 256 characters")
    return clean or None


def _metadata(metadata: object) -> dict[str, str]:
    if not isinstance(metadata, Mapping):
        raise InvalidMetadata(f"metadata must be a mapping of strings, not {type(metadata).__name__}")
    if len(metadata) > MAX_METADATA_KEYS:
        raise InvalidMetadata(f"metadata has {len(metadata)} keys, over {MAX_METADATA_KEYS}")
    checked: dict[str, str] = {}
    for key, value in metadata.items():
        if not isinstance(key, str) or not _METADATA_KEY.fullmatch(key):
            raise InvalidMetadata(f"metadata key {shown(key)} must be 1 to 128 letters, digits, '_', '.' or '-'")
        if key in _RESERVED:
            raise InvalidMetadata(f"metadata key {key!r} is reserved: it is set by graphmem itself")
        if not isinstance(value, str) or len(value) > MAX_METADATA_CHARACTERS:
            raise InvalidMetadata(f"metadata {key!r} must be str of at most {MAX_METADATA_CHARACTERS:,} characters")
        checked[key] = storable(value)
    return checked
