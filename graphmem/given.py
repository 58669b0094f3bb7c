"""What callers give, checked before it is used: a wrong type is an error of ours too, and never a read that finds nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from graphmem.errors import InvalidQuery
from graphmem.groups import shown
from graphmem.model import Filter, JobState
from graphmem.ports import SearchTarget

__all__ = ["Pair", "given_filter", "given_pair", "given_states", "given_targets", "given_text"]

Pair = tuple[datetime | None, datetime | None]
_Member = TypeVar("_Member", bound=StrEnum)
_OPEN_FILTER = Filter()


def given_text(what: str, value: object) -> str:
    """The text. Raises InvalidQuery for anything else."""
    if not isinstance(value, str):
        raise InvalidQuery(f"{what} must be str, not {shown(value)}")
    return value


def given_filter(value: object) -> Filter:
    """The filter; None: one that lets all through. Raises InvalidQuery for anything else."""
    if value is None:
        return _OPEN_FILTER
    if not isinstance(value, Filter):
        raise InvalidQuery(f"a filter must be a Filter, not {shown(value)}")
    return value


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


def _members(kind: type[_Member], what: str, values: Iterable[_Member | str]) -> tuple[_Member, ...]:
    given = [values] if isinstance(values, str) else values
    found = []
    for value in given:
        try:
            found.append(kind(value))
        except ValueError:
            raise InvalidQuery(f"{what} is one of {', '.join(kind)}, not {shown(value)}") from None
    return tuple(dict.fromkeys(found))
