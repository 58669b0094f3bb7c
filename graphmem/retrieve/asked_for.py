"""What a question asks turns for, and what kind of statement a turn makes, by their words. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

__all__ = [
    "HEAD",
    "asks_about_the_talk",
    "asks_for_advice",
    "asks_of_the_present",
    "is_instruction",
    "is_preference",
    "named_speaker",
]

HEAD = 400
"""So many characters of a turn tell its kind: what follows is often code or a quotation."""
_INSTRUCTION = re.compile(
    r"\W*(?:please\s+)?(?:from now on\b|whenever\b|(?:always|never)\b(?!\s+(?:an?|the|so|too|i|you|we|mind|good|nice|great|fun"
    r"|happy|glad|lovely|best|better|been|had|seen|heard|done|tried|thought|knew|met|wanted|loved|liked)\b))",
    re.IGNORECASE,
)
"""Not what a habit or an experience is told with: "Never been there", "Always good to hear"."""
_WHEN_ASKED = re.compile(r"[Ww]hen(?:ever)? (?:I|you|we) (?:ask|answer|reply|explain|write)\b")
_PREFERENCE = re.compile(
    r"\bI(?:['’]d| would)? (?:really |much |usually |always |generally )?"
    r"(?:prefer|rather|like to|would like|want to keep)\b|\bmy preference\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:suggest|recommend|how (?:should|would|can|do|could)|can you|could you|what (?:steps|options|libraries|tools)"
    r"|help me|best|plan|planning|advice)\b",
    re.IGNORECASE,
)
_OF_THE_PRESENT = re.compile(
    r"^\W*(?:what(?:['’]s| is| are)|how (?:many|much|long|often|old|far|is|are|do|does|have|has)|have|has|do|does|am|is|are"
    r"|which|(?:when|who|where) (?:is|are|do|does|has|have)|what \w+ (?:should|can|is|are|am|do|does|has|have))\b"
    r"|\b(?:now|current|currently|latest|recent|recently|these days|at the moment|still|so far)\b",
    re.IGNORECASE,
)
_OF_THE_PAST = re.compile(
    r"\b(?:order|(?<!the )first|before|initially|originally|between|previous|previously|used to|throughout|ago|earlier|was"
    r"|were|did|had|across)\b",
    re.IGNORECASE,
)
_OF_THE_TALK = re.compile(r"\b(?:order|brought up|our conversations|throughout|across)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ROLES = frozenset(["user", "assistant", "system", "human", "ai"])


def is_instruction(text: str) -> bool:
    """Whether a turn tells how to do things from now on.

    >>> is_instruction("Always give dates when I ask about deadlines.")
    True
    """
    return _is_instruction(text[:HEAD])


@lru_cache(maxsize=16_384)
def _is_instruction(head: str) -> bool:
    return _INSTRUCTION.match(head) is not None or _WHEN_ASKED.search(head) is not None


def is_preference(text: str) -> bool:
    """Whether a turn tells what somebody likes better.

    >>> is_preference("I prefer trains.")
    True
    """
    return _PREFERENCE.search(text, 0, HEAD) is not None


def asks_about_the_talk(question: str) -> bool:
    """Whether the talk itself is asked about, which no instruction governs: "In which order did I bring them up?"."""
    return _OF_THE_TALK.search(question) is not None


def asks_for_advice(question: str) -> bool:
    """Whether what the asker likes better matters to the answer: "What would you suggest?"."""
    return _ADVICE.search(question) is not None


def asks_of_the_present(question: str) -> bool:
    """Whether what holds now is asked for, so that the newer of two statements counts: "How many books have I read?"."""
    return _OF_THE_PRESENT.search(question) is not None and _OF_THE_PAST.search(question) is None


def named_speaker(question: str, speakers: Collection[str]) -> str | None:
    """The speaker whom a question names, by the whole or the first name; None for several, for nobody, and for roles.

    >>> named_speaker("What does Ann paint?", ["Ann Lee", "Bob"])
    'Ann Lee'
    """
    words = frozenset(_WORD.findall(question))
    named = [name for name in speakers if name.casefold() not in _ROLES and words.intersection(_WORD.findall(name)[:1])]
    return named[0] if len(named) == 1 else None
