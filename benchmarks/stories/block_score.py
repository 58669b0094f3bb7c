"""Whether a fact block holds the right answer to a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.stories.answer_score import Reply, is_right
from benchmarks.stories.loading import GoldClaim, StoryQuestion
from benchmarks.stories.spelling import answer_key, plain
from graphmem import FactBlock

__all__ = ["BlockScore", "score_block"]

_SHORT_NUMBER = re.compile(r"\d{1,2}|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve")
_OWN_S = re.compile(r"['’]s\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockScore:
    """How one block did."""

    is_held: bool
    tokens: int


def score_block(question: StoryQuestion, block: FactBlock, reply: Reply, claims: Sequence[GoldClaim]) -> BlockScore:
    """Held: the answer line is right, or an alias of every answer stands in the text, word for word after folding.

    A bare number of one or two digits stands in many a date: it counts inside a statement or a turn only, and the result of
    counting in the answer line only.
    """
    text = _folded(block.text)
    told = "" if question.type == "count" else _told(block)
    in_text = all(any(_stands(alias, text, told) for alias in aliases) for aliases in question.answers)
    return BlockScore(is_held=in_text or is_right(question, reply, claims), tokens=block.tokens)


def _told(block: FactBlock) -> str:
    texts = [*(fact.text for fact in block.lines), *(turn.text for turn in block.turns)]
    return _folded("\n".join(texts))


def _folded(text: str) -> str:
    """Folded, with a blank at either end; "Ravel's" holds "Ravel"."""
    return f" {plain(_OWN_S.sub('', text))} "


def _stands(alias: str, text: str, told: str) -> bool:
    spellings = {plain(alias), answer_key(alias)} - {""}
    return any(f" {one} " in (told if _SHORT_NUMBER.fullmatch(one) else text) for one in spellings)
