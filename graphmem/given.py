"""What callers give, checked before it is used: a wrong type is an error of ours too, and never a read that finds nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from graphmem.errors import InvalidInput, InvalidLimit, InvalidPath, InvalidQuery, InvalidTime
from graphmem.groups import shown
from graphmem.model import Filter, JobState, Source
from graphmem.ports import SearchTarget
from graphmem.timeline.instants import to_instant

__all__ = [
    "Pair",
    "given_as",
    "given_call",
    "given_count",
    "given_filter",
    "given_flag",
    "given_id",
    "given_ids",
    "given_many",
    "given_moment",
    "given_name",
    "given_number",
    "given_pair",
    "given_part",
    "given_path",
    "given_states",
    "given_targets",
    "given_text",
    "given_texts",
]

Pair = tuple[datetime | None, datetime | None]
_Member = TypeVar("_Member", bound=StrEnum)
_Given = TypeVar("_Given")
_OPEN_FILTER = Filter()
_MOST = sys.float_info.max


# ---- text and ids


def given_text(what: str, value: object) -> str:
    """The text. Raises InvalidQuery for anything else."""
    if not isinstance(value, str):
        raise InvalidQuery(f"{what} must be str, not {shown(value)}")
    return value


def given_texts(what: str, values: object) -> tuple[str, ...]:
    """Several texts, or a single one by itself. Raises InvalidQuery for anything else."""
    if isinstance(values, str):
        return (values,)
    if not isinstance(values, Sequence) or isinstance(values, bytes | bytearray):
        raise InvalidQuery(f"{what} must be a list of str, not {shown(values)}")
    return tuple(given_text(f"each of {what}", value) for value in values)


def given_id(what: str, value: object) -> str:
    """The id. Raises InvalidInput for what is no text."""
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be str, not {shown(value)}")
    return value


def given_ids(what: str, values: Iterable[str]) -> tuple[str, ...]:
    """Several ids, or a single one by itself. Raises InvalidInput for anything else."""
    given = (values,) if isinstance(values, str) else given_many(what, values)
    return tuple(given_id(f"each of {what}", value) for value in given)


def given_name(what: str, value: object) -> str:
    """The name. Raises InvalidInput for what is no text or holds nothing but blanks."""
    if not given_id(what, value).strip():
        raise InvalidInput(f"{what} must be a name, not {shown(value)}")
    return str(value)


# ---- numbers, moments and switches


def given_count(what: str, value: object, most: int, *, least: int = 1) -> int:
    """The whole number from `least` to `most`. Raises InvalidLimit for anything else, True and 3.0 too."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidLimit(f"{what} must be a whole number from {least} to {most:,}, not {shown(value, 40)}")
    return value


def given_number(what: str, value: object, *, least: float = -_MOST) -> float:
    """The finite number of at least `least`. Raises InvalidLimit for anything else, True, NaN and a number as text too."""
    if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= _MOST:
        return value
    floor = "" if least == -_MOST else f" of at least {least:g}"
    raise InvalidLimit(f"{what} must be a finite number{floor}, not {shown(value, 40)}")


def given_moment(what: str, value: object) -> datetime:
    """The moment. Raises InvalidTime for a naive one, and for what is no datetime."""
    if not isinstance(value, datetime):
        raise InvalidTime(f"{what} must be an aware datetime, not {shown(value)}")
    try:
        to_instant(value)
    except InvalidTime as error:
        raise InvalidTime(f"{what}: {error}") from None
    return value


def given_flag(what: str, value: object) -> bool:
    """True or False. Raises InvalidInput for anything else: "no" would count as yes."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be True or False, not {shown(value)}")
    return value


# ---- several, and things of one type


def given_many(what: str, values: Iterable[_Given]) -> Iterable[_Given]:
    """What holds several things. Raises InvalidInput for a text, a mapping, and what cannot be gone through."""
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | bytearray | Mapping):
        raise InvalidInput(f"{what} must be a list, not {shown(values)}")
    return values


def given_as(kind: type[_Given], what: str, value: object) -> _Given:
    """The value, if it is of this type. Raises InvalidInput."""
    if not isinstance(value, kind):
        raise InvalidInput(f"{what} must be a {kind.__name__}, not {shown(value)}")
    return value


def given_part(what: str, value: _Given, *needed: str) -> _Given:
    """A part of the caller's own, if it has what is needed of it. Raises InvalidInput."""
    there = dir(value)  # hasattr would compute a property: an embedder's `model` loads it, or asks its endpoint
    missing = [name for name in needed if name not in there and not hasattr(value, name)]  # a proxy names nothing
    if missing or isinstance(value, type):
        raise InvalidInput(f"{what} must have {', '.join(needed)}: {shown(value)} does not")
    return value


def given_call(what: str, value: Callable[..., object] | None) -> None:
    """Raises InvalidInput for what cannot be called; None: nothing is to be called."""
    if value is not None and not callable(value):
        raise InvalidInput(f"{what} must be a function, not {shown(value)}")


def given_path(what: str, value: object) -> Path:
    """The path. Raises InvalidPath for what names no file."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str) or not os.fspath(value):
        raise InvalidPath(f"{what} must be a path, not {shown(value)}")
    return Path(value)


# ---- what reads are asked for


def given_filter(value: object) -> Filter:
    """The filter; None: one that lets all through. Raises InvalidQuery for anything else, also within it."""
    if value is None:
        return _OPEN_FILTER
    if not isinstance(value, Filter):
        raise InvalidQuery(f"a filter must be a Filter, not {shown(value)}")
    for what, wanted in (("session_id", value.session_id), ("speaker", value.speaker)):
        if wanted is not None:
            given_text(f"the {what} of a filter", wanted)
    if not isinstance(value.metadata, Mapping):
        raise InvalidQuery(f"the metadata of a filter must be a mapping of strings, not {shown(value.metadata)}")
    for key, wanted in value.metadata.items():
        given_text("a metadata key of a filter", key)
        given_text(f"the metadata {shown(key)} of a filter", wanted)
    if value.source is None or isinstance(value.source, Source):
        return value
    (source,) = _members(Source, "the source of a filter", [value.source])
    return replace(value, source=source)


def given_pair(during: object) -> Pair:
    """The two sides of a window. Raises InvalidQuery for what has not two."""
    if isinstance(during, str) or not isinstance(during, Sequence) or len(during) != 2:
        raise InvalidQuery(
            f"`during` must be two moments, the end excluded, None for an open side, not {shown(during)}"
        )
    return during[0], during[1]


def given_targets(values: Iterable[SearchTarget | str]) -> tuple[SearchTarget, ...]:
    """What to search, each once. Raises InvalidQuery for another word, and for none."""
    targets = _members(SearchTarget, "a search target", values)
    if not targets:
        raise InvalidQuery("a search needs at least one target; none was given")
    return targets


def given_states(values: Iterable[JobState | str]) -> tuple[JobState, ...]:
    """States of jobs, each once. Raises InvalidQuery for another word."""
    return _members(JobState, "a state of a job", values)


def _members(kind: type[_Member], what: str, values: Iterable[_Member | str] | object) -> tuple[_Member, ...]:
    if not isinstance(values, Iterable):
        raise InvalidQuery(f"{what} is one of {', '.join(kind)}, not {shown(values)}")
    found = []
    for value in [values] if isinstance(values, str) else values:
        try:
            found.append(kind(value))
        except ValueError:
            raise InvalidQuery(f"{what} is one of {', '.join(kind)}, not {shown(value)}") from None
    return tuple(dict.fromkeys(found))
