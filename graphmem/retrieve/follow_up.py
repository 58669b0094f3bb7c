"""Completes a follow-up question from the turns before it, by rule: "and before that?", "what about Bob?", "since when?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from graphmem.timeline.expressions import find_times

__all__ = ["MOST_TURNS", "FollowUp", "Shift", "complete"]

MOST_TURNS = 20
"""Older turns are not looked at."""
_LONGEST_TURN = 2_000


class Shift(StrEnum):
    """A step along the timeline from the answer of the question before."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, kw_only=True, slots=True)
class FollowUp:
    """A question that stands by itself."""

    question: str
    shifts: tuple[Shift, ...] = ()
    """Steps to take from its answer: what was before that, what came after."""
    is_completed: bool = False
    """Something was taken from the turns before it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Thread:
    """What the conversation is about so far."""

    base: FollowUp | None = None
    """The last question, completed."""
    said: str = ""
    """The last turn that asks nothing."""
    last: str = ""


def complete(question: str, recent_turns: Sequence[str], asked_at: datetime) -> FollowUp:
    """The question with what it leaves out taken from the turns before it, oldest first; itself where nothing is left out.

    >>> from datetime import UTC
    >>> turns = ["Where does Alice work?", "Alice works at Globex."]
    >>> complete("And Bob?", turns, datetime(2026, 6, 3, tzinfo=UTC)).question
    'Where does Bob work?'
    """
    thread = _Thread()
    turns = [recent_turns] if isinstance(recent_turns, str) else recent_turns
    for turn in turns[-MOST_TURNS:]:
        turn = " ".join(turn[:_LONGEST_TURN].split())
        if not turn:
            continue
        if _asks(turn):
            thread = replace(thread, base=_completed(turn, thread, asked_at), last=turn)
        else:
            thread = replace(thread, said=turn, last=turn)
    return _completed(question, thread, asked_at) if len(question) <= _LONGEST_TURN else FollowUp(question=question)


_ASKS = re.compile(
    r"(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|tell me|list)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:(?:and|but|so|ok|okay|well|hm+|also|then|right|alright)\b[,\s]*)+(?=\S)", re.IGNORECASE)
_OFFER = re.compile(r"(?:what|how) about\s+|(?:(?:and|or|but)\s+)+(?:what about\s+|how about\s+)?", re.IGNORECASE)
_THAT = r"(?:that|this|it|then|her|him|them)"
_BEFORE = re.compile(
    rf"(?:(?:just|right|and|what|the one|directly) )*before(?:hand| {_THAT})?|previously", re.IGNORECASE
)
_AFTER = re.compile(
    rf"(?:(?:just|right|and|what|the one) )*(?:after(?:wards?| {_THAT})|next|since then|then what|what then|then)",
    re.IGNORECASE,
)
_NOW = re.compile(r"(?:right )?now|today|nowadays|these days|at present|currently|at the moment", re.IGNORECASE)
_BARE = re.compile(
    r"(?:(?:since|until|till|from) when|when(?: exactly| was (?:that|this|it))?|for how long|how long|where|who|why"
    r"|how(?: so| often)?)",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"(?:(?:yes|yeah|yep|sure|please|ok|okay|no|nope|do|go|ahead|that|this|it|thanks|thank you|exactly|right|tell me|more"
    r"|go on|of course|fine|great)[\s,.!]*)+",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(he|she|they|him|them|his|her|hers|their|theirs)\b", re.IGNORECASE)
_POSSESSIVE = frozenset(["his", "their", "hers", "theirs"])
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our)\b")
_NAME = re.compile(r"\b[^\W\d_a-zß-ÿ][\w'’-]*(?:\s+[^\W\d_a-zß-ÿ][\w'’-]*)*")
_OWN_S = re.compile(r"['’]s$")
_NO_NAMES = frozenset(
    "i who whom whose what which where when why how is are was were do does did has have had can could will would should tell"
    " list since until for in on at by from the a an and or but so yes no ok okay please if as of my our your he she it they we"
    " you his her their this that these those there monday tuesday wednesday thursday friday saturday sunday january february"
    " march april may june july august september october november december give show name".split()
)
_MOST_WORDS_ABOUT = 5


def _asks(turn: str) -> bool:
    return turn.endswith("?") or _ASKS.match(_LEAD.sub("", turn, count=1)) is not None


def _completed(question: str, thread: _Thread, asked_at: datetime) -> FollowUp:
    question = " ".join(question.split())
    asked = question.rstrip("?!. ")
    rest = _LEAD.sub("", _OFFER.sub("", asked, count=1) if _OFFER.match(asked) else asked, count=1)
    itself = FollowUp(question=question)
    if thread.base is None and not thread.said:
        return itself
    if _CONSENT.fullmatch(asked):
        return FollowUp(question=thread.last, is_completed=True)
    if _BARE.fullmatch(rest):
        return FollowUp(question=_asked_of(rest, thread, asked_at), is_completed=True)
    if thread.base is not None and (elliptic := _elliptic(asked, rest, thread.base, asked_at)):
        return elliptic
    named = _with_names(question, thread)
    return itself if named == question else FollowUp(question=named, is_completed=True)


def _elliptic(asked: str, rest: str, base: FollowUp, asked_at: datetime) -> FollowUp | None:
    """A question that consists of its new part only; None where it is a whole one."""
    if _BEFORE.fullmatch(rest):
        return replace(base, shifts=(*base.shifts, Shift.BEFORE), is_completed=True)
    if _AFTER.fullmatch(rest) or _AFTER.fullmatch(asked):
        return replace(base, shifts=(*base.shifts, Shift.AFTER), is_completed=True)
    if _NOW.fullmatch(rest):
        return FollowUp(question=f"{_timeless(base.question, asked_at)} now?", is_completed=True)
    if _is_time(rest, asked_at):
        return FollowUp(question=f"{_timeless(base.question, asked_at)} {rest}?", is_completed=True)
    is_short = len(rest.split()) <= _MOST_WORDS_ABOUT and not _ASKS.match(rest)
    if is_short and (_OFFER.match(asked) or _NAME.fullmatch(rest)):
        return FollowUp(question=_about(rest, base.question), is_completed=True)
    return None


def _asked_of(words: str, thread: _Thread, asked_at: datetime) -> str:
    """ "Since when?" of what was said last, else of what was asked."""
    statement = re.split(r"(?<=[.!?])\s", thread.said or (thread.base.question if thread.base else ""), maxsplit=1)[0]
    words = re.sub(r" (?:exactly|so|was (?:that|this|it))$", "", words, flags=re.IGNORECASE)
    return f"{words[:1].upper()}{words[1:]} {_timeless(statement, asked_at).rstrip('.!? ')}?"


def _is_time(words: str, asked_at: datetime) -> bool:
    """Whether the words are a time and nothing else."""
    found = find_times(words, asked_at)
    return len(found) == 1 and found[0].clause is None and not (words[: found[0].start] + words[found[0].end :]).strip()


def _timeless(question: str, asked_at: datetime) -> str:
    """The question without its mark and without its own plain times."""
    for found in reversed(find_times(question, asked_at)):
        if found.clause is None and found.start > 0:
            question = question[: found.start] + question[found.end :]
    return " ".join(question.split()).rstrip("? ")


def _about(new: str, question: str) -> str:
    """The question asked of somebody or something else: in place of the first name in it, else of "I" and "my"."""
    new = _OWN_S.sub("", new)
    name = _first_name(question)
    if name is not None:
        owned = _OWN_S.search(name)
        return question.replace(name, f"{new}'s" if owned else new, 1)
    pronoun = _FIRST_PERSON.search(question) or _PRONOUN.search(question)
    if pronoun is None:
        return f"{question.rstrip('? ')} {new}?"
    owned_word = pronoun[0].lower() in ("my", "our", "his", "their")
    question = question[: pronoun.start()] + (f"{new}'s" if owned_word else new) + question[pronoun.end() :]
    return re.sub(r"\bdo (?=[A-Z])", "does ", re.sub(r"\bam (?=[A-Z])", "is ", question), count=1)


def _with_names(question: str, thread: _Thread) -> str:
    """The question with its first "she" or "her" replaced by whom the talk is of; as it is where it names somebody itself."""
    pronoun = _PRONOUN.search(question)
    if pronoun is None or _first_name(question[: pronoun.start()]):
        return question
    name = _first_name(thread.base.question if thread.base else "") or _first_name(thread.said)
    if name is None:
        return question
    name = _OWN_S.sub("", name)
    word = pronoun[0].lower()
    rest = question[pronoun.end() :]
    is_own = word in _POSSESSIVE or (word == "her" and re.match(r"\s+[a-z]", rest) and not _is_preposition(rest))
    return question[: pronoun.start()] + (f"{name}'s" if is_own else name) + rest


def _is_preposition(rest: str) -> bool:
    return (
        re.match(r"\s+(?:in|on|at|to|for|with|by|from|before|after|since|until|now|last|this|during)\b", rest)
        is not None
    )


def _first_name(text: str) -> str | None:
    """The first run of capitalised words that is no ordinary word at the beginning of a sentence."""
    for found in _NAME.finditer(text):
        words = found[0].split()
        while words and _OWN_S.sub("", words[0]).lower() in _NO_NAMES:
            words = words[1:]
        if words:
            return " ".join(words)
    return None
