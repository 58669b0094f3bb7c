"""How long an answer may be: a short message has few facts, and a model that goes in circles should be stopped early."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.ingest.by_model.request import estimated_tokens
from graphmem.model import Episode

__all__ = ["first_room", "goes_in_circles", "second_room"]

_LEAST = 1_000
_PER_TOKEN_READ = 12
"""Forty facts in a message of 400 tokens take about 4,000 tokens of answer: ten for one read."""
_JUDGED_WORDS = 400
_RUN = 8
_CIRCLES = 0.2
"""Of the runs of words in an answer about different facts about half are different, in a loop one in ten and fewer."""
_WORD = re.compile(r"[^\W\d_]+")
"""Without digits: a model in a loop goes on counting."""


def first_room(episodes: Sequence[Episode], most_tokens: int) -> int:
    """The tokens an answer about these messages may take, at most `most_tokens`."""
    read = sum(estimated_tokens(episode.text) for episode in episodes)
    return min(most_tokens, _LEAST + _PER_TOKEN_READ * read)


def second_room(first: int, most_tokens: int) -> int:
    """The tokens when the first answer was cut off: all there are, or twice as many where it had them already."""
    return most_tokens if first < most_tokens else 2 * most_tokens


def goes_in_circles(text: str) -> bool:
    """Whether an answer that was cut off ends with the same words over and over, so that more room would not end it."""
    words = _WORD.findall(text)[-_JUDGED_WORDS:]
    runs = [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
    return len(words) == _JUDGED_WORDS and len(set(runs)) < _CIRCLES * len(runs)
