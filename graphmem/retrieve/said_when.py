"""Turns said in the time that a question names: "What did I buy two weeks ago?" is answered by what was said then. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from graphmem.ports import ItemKey
from graphmem.retrieve.recipes import Recipe
from graphmem.retrieve.talk import Talk
from graphmem.timeline.instants import DAY, Instant
from graphmem.timeline.scope import Ask, read_scope

__all__ = ["time_named", "with_time"]

_LONGEST = 31 * DAY
"""A longer stretch ("this year") tells turns apart too little."""
_NEAR = 14 * DAY
"""So far from the time named the share fades away: "two weeks ago" is seldom exact, and what happens is told of later."""
_LONGEST_QUESTION = 400


def time_named(question: str, asked_at: datetime) -> tuple[Instant, Instant] | None:
    """The days that a question names, up to a month, half-open; None where it names none or asks how long something was.

    Raises InvalidTime for a moment without a time zone.
    """
    scope = read_scope(question[:_LONGEST_QUESTION], asked_at)
    if scope.window is None or scope.ask is Ask.DURATION:
        return None
    start, end = scope.window
    return scope.window if DAY <= end - start <= _LONGEST else None


def with_time(
    recipe: Recipe, talk: Talk, named: tuple[Instant, Instant] | None, scores: Mapping[ItemKey, float]
) -> dict[ItemKey, float]:
    """The scores with the share that a recipe gives to turns said in the time named, or near to it."""
    if named is None or not recipe.time_share:
        return dict(scores)
    start, end = named
    found = dict(scores)
    for key in scores.keys() & talk.turns.keys():
        said_at = talk.turns[key].episode.said_at
        away = max(start - said_at, said_at - end, 0)
        found[key] += recipe.time_share * max(0.0, 1 - away / _NEAR)
    return found
