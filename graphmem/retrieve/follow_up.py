"""Completes a follow-up question from the turns before it, by rule: "and before that?", "what about Bob?", "since when?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from graphmem.retrieve.follow_up_words import (
    ANSWERING,
    ASKED_AFTER,
    ASKS,
    AT_NAME,
    AT_THAT_TIME,
    BARE,
    BESIDE,
    CONSENT,
    FIRST_PERSON,
    FRAGMENT,
    LEAD,
    NAME,
    NO_NAMES,
    NOW,
    OF_EVENT,
    OFFER,
    OFFERED,
    ONWARD,
    OWN_S,
    OWNED,
    POSSESSIVE,
    PRONOUN,
    ROLE,
    STEP,
    STEP_WORDS,
    THERE,
    TO_THE_ASKER,
    TOWARDS,
)
from graphmem.retrieve.question_words import own_terms
from graphmem.timeline.calendar import local_time, zone_at
from graphmem.timeline.day_names import day_name, month_name
from graphmem.timeline.expressions import find_times
from graphmem.timeline.granules import Unit
from graphmem.timeline.timewords import Operator

__all__ = ["MOST_TURNS", "FollowUp", "Shift", "TimeOf", "complete"]

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
    when: TimeOf | None = None
    """The question is about this time: "where did she live then"."""
    is_completed: bool = False
    """Something was taken from the turns before it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeOf:
    """The time of an answer: while it held, or the moment before or after."""

    question: FollowUp
    shift: Shift | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Thread:
    """What the conversation is about so far."""

    base: FollowUp | None = None
    """The last question, completed."""
    said: str = ""
    """The last turn that asks nothing."""
    last: str = ""
    offered: str | None = None
    """What the last turn offers to look up: "where she worked before"; "": what was asked. None: it offers nothing."""


def complete(question: str, recent_turns: Sequence[str], asked_at: datetime) -> FollowUp:
    """The question with what it leaves out taken from the turns before it, oldest first; itself where nothing is left out.

    >>> from datetime import UTC
    >>> turns = ["Where does Alice work?", "Alice works at Globex."]
    >>> complete("And Bob?", turns, datetime(2026, 6, 3, tzinfo=UTC)).question
    'Where does Bob work?'
    """
    thread = _Thread()
    for turn in recent_turns[-MOST_TURNS:]:
        role, turn = _parted(" ".join(turn[:_LONGEST_TURN].split()))
        if turn:
            thread = _heard(turn, thread, asked_at, is_answer=role in ANSWERING)
    return _completed(question, thread, asked_at) if len(question) <= _LONGEST_TURN else FollowUp(question=question)


_MOST_WORDS_ABOUT = 5


def _parted(turn: str) -> tuple[str, str]:
    """Who speaks, where a turn begins with that, and what is said."""
    role = ROLE.match(turn)
    return ("", turn) if role is None else (role[1].lower(), turn[role.end() :])


def _heard(turn: str, thread: _Thread, asked_at: datetime, *, is_answer: bool) -> _Thread:
    """The thread after one more turn. What an assistant offers or asks back at its end is no question of the thread."""
    offer = OFFERED.search(turn)
    if offer is not None:
        said = turn[: offer.start()].strip()
        return replace(thread, said=said or thread.said, last=turn, offered=(offer["what"] or "").strip())
    asked_back = TO_THE_ASKER.search(turn)
    if asked_back is not None:
        return replace(thread, said=turn[: asked_back.start()].strip(), last=turn, offered="")
    if _asks(turn) and not is_answer:
        return replace(thread, base=_completed(turn, thread, asked_at), last=turn, offered=None)
    return replace(thread, said=turn, last=turn, offered=None)


def _asks(turn: str) -> bool:
    return turn.endswith("?") or ASKS.match(LEAD.sub("", turn, count=1)) is not None


def _completed(question: str, thread: _Thread, asked_at: datetime) -> FollowUp:
    question = " ".join(question.split())
    asked = question.rstrip("?!. ")
    rest = LEAD.sub("", OFFER.sub("", asked, count=1) if OFFER.match(asked) else asked, count=1)
    itself = FollowUp(question=question)
    if thread.base is None and not thread.said and not thread.last:
        return itself
    if CONSENT.fullmatch(asked):
        return _consented(thread, asked_at)
    if BARE.fullmatch(rest):
        return _asked_of(rest, thread, asked_at)
    if elliptic := _elliptic(asked, rest, thread, asked_at):
        return elliptic
    named = THERE.sub(_place(thread.said), _with_names(question, thread), count=1)
    if thread.base is not None and (found := AT_THAT_TIME.fullmatch(named.rstrip("?!. "))):
        return _at_the_time(found, thread.base, asked_at)
    return itself if named == question else FollowUp(question=named, is_completed=True)


def _place(said: str) -> str:
    """What "there" means after a turn: "at Globex"."""
    found = AT_NAME.search(said)
    return "there" if found is None else found[0][:1].lower() + found[0][1:]


def _at_the_time(found: re.Match[str], base: FollowUp, asked_at: datetime) -> FollowUp:
    """A whole question about the time of the answer to the one before, or of the time that this one names."""
    shift = Shift(found["shift"].lower()) if found["shift"] else None
    times = [one.text for one in find_times(base.question, asked_at) if one.clause is None and one.start > 0]
    if shift is None and times and not base.shifts:
        return FollowUp(question=f"{found['head']} {times[-1]}?", is_completed=True)
    return FollowUp(question=f"{found['head']}?", when=TimeOf(question=base, shift=shift), is_completed=True)


def _consented(thread: _Thread, asked_at: datetime) -> FollowUp:
    """What was offered last, else the last turn itself."""
    if thread.offered:
        return replace(_completed(thread.offered, replace(thread, offered=None), asked_at), is_completed=True)
    if thread.offered is not None and thread.base is not None:
        return replace(thread.base, is_completed=True)
    return FollowUp(question=thread.last, is_completed=True)


def _elliptic(asked: str, rest: str, thread: _Thread, asked_at: datetime) -> FollowUp | None:
    """A question that consists of its new part only; None where it is a whole one."""
    base = thread.base
    shift = _step(asked, rest, base)
    if shift is not None and (base is not None or _first_name(thread.said)):
        base = base or FollowUp(question=thread.said)
        return replace(base, shifts=(*base.shifts, shift), is_completed=True)
    if base is None:
        return None
    if NOW.fullmatch(rest):
        return FollowUp(question=f"{_timeless(base.question, asked_at)} now?", is_completed=True)
    if beside := BESIDE.fullmatch(rest):
        time = _beside(beside, base.question, asked_at) or rest
        return FollowUp(question=f"{_timeless(base.question, asked_at)} {time}?", is_completed=True)
    if _is_time(rest, asked_at) or (TOWARDS.fullmatch(rest) and _is_short(rest)):
        return FollowUp(question=f"{_timeless(base.question, asked_at)} {rest}?", is_completed=True)
    if _is_short(rest) and not ASKS.match(rest) and (OFFER.match(asked) or NAME.fullmatch(rest)):
        return FollowUp(question=_about(_with_names(rest, thread), base.question), is_completed=True)
    return None


def _step(asked: str, rest: str, base: FollowUp | None) -> Shift | None:
    """Which way a question steps from the answer of the one before it; None where it asks for something else."""
    if ONWARD.fullmatch(rest) or ONWARD.fullmatch(asked):
        return Shift.AFTER
    found = STEP.fullmatch(rest)
    again = STEP_WORDS if base is None else STEP_WORDS | own_terms(base.question)
    if found is None or not own_terms(found["head"]) <= again:
        return None
    return Shift.AFTER if found["back"] is None else Shift.BEFORE


def _is_short(words: str) -> bool:
    return len(words.split()) <= _MOST_WORDS_ABOUT


def _asked_of(words: str, thread: _Thread, asked_at: datetime) -> FollowUp:
    """ "Since when?" of what was said last; of what was asked, where that is no sentence."""
    statement = re.split(r"(?<=[.!?])\s", thread.said, maxsplit=1)[0].rstrip(".!? ")
    is_sentence = _first_name(statement) is not None and not FRAGMENT.fullmatch(statement)
    words = re.sub(r" (?:exactly|so|was (?:that|this|it))$", "", words, flags=re.IGNORECASE)
    base = FollowUp(question=statement)
    if thread.base is not None and not is_sentence:
        base = thread.base
        words = "since when" if words.lower() == "when" and not OF_EVENT.match(base.question) else words
    of = _timeless(base.question, asked_at).rstrip(".!? ")
    of = of[:1].lower() + of[1:] if ASKS.match(of) else of
    asked = f"{words[:1].upper()}{words[1:]} {of}?"
    return replace(base, question=asked, is_completed=True)


def _is_time(words: str, asked_at: datetime) -> bool:
    """Whether the words are a time and nothing else."""
    found = find_times(words, asked_at)
    return len(found) == 1 and found[0].clause is None and not (words[: found[0].start] + words[found[0].end :]).strip()


def _beside(found: re.Match[str], question: str, asked_at: datetime) -> str | None:
    """The unit before or after the one that a question names; None where it names no such unit."""
    unit = (found["unit"] or found["other"]).lower()
    named = [
        one.granule
        for one in find_times(question, asked_at)
        if one.operator is Operator.AT and one.clause is None and one.granule is not None and one.granule.unit == unit
    ]
    is_back = found["back"] or found["previous"]
    edge = local_time(named[-1].lo - 1 if is_back else named[-1].hi, zone_at(asked_at)) if named else None
    if edge is None:
        return None
    on = edge.date()
    return {
        Unit.DAY: f"on {day_name(on)}",
        Unit.WEEK: f"in the week of {day_name(on)}",
        Unit.MONTH: f"in {month_name(on)}",
        Unit.YEAR: f"in {on.year}",
    }[Unit(unit)]


def _timeless(question: str, asked_at: datetime) -> str:
    """The question without its mark and without its own plain times."""
    for found in reversed(find_times(question, asked_at)):
        if found.clause is None and found.start > 0:
            question = question[: found.start] + question[found.end :]
    return " ".join(question.split()).rstrip("? ")


def _about(new: str, question: str) -> str:
    """The question asked of somebody or something else: in place of the first name in it, else of "I" and "my"."""
    is_person = OWN_S.search(new) is not None
    new = OWN_S.sub("", new)
    name = _asked_about(question)
    if name is not None:
        owned = OWN_S.search(name)
        if (
            owned and not is_person and (thing := OWNED.fullmatch(new))
        ):  # another thing of hers: "and her address", "and the address"
            before, _, _ = question.partition(name)
            return f"{before}{thing['owner'] or name} {thing['thing']}?"
        return question.replace(name, f"{new}'s" if owned else new, 1)
    pronoun = FIRST_PERSON.search(question) or PRONOUN.search(question)
    if pronoun is None:
        return f"{question.rstrip('? ')} {new}?"
    owned_word = pronoun[0].lower() in ("my", "our", "his", "their")
    question = question[: pronoun.start()] + (f"{new}'s" if owned_word else new) + question[pronoun.end() :]
    return re.sub(r"\bdo (?=[A-Z])", "does ", re.sub(r"\bam (?=[A-Z])", "is ", question), count=1)


def _with_names(question: str, thread: _Thread) -> str:
    """The question with its first "she" or "her" replaced by whom the talk is of; as it is where it names somebody itself."""
    pronoun = PRONOUN.search(question)
    if pronoun is None or _first_name(question[: pronoun.start()]):
        return question
    name = (
        _answered_name(thread) or _asked_about(thread.base.question if thread.base else "") or _first_name(thread.said)
    )
    if name is None:
        return question
    name = OWN_S.sub("", name)
    word = pronoun[0].lower()
    rest = question[pronoun.end() :]
    is_own = word in POSSESSIVE or (word == "her" and re.match(r"\s+[a-z]", rest) and not _is_preposition(rest))
    return question[: pronoun.start()] + (f"{name}'s" if is_own else name) + rest


def _answered_name(thread: _Thread) -> str | None:
    """Who was the answer to "who is …?"."""
    if thread.base is None or not re.match(r"who\b", thread.base.question, re.IGNORECASE):
        return None
    return next((name for name in _names(thread.said) if OWN_S.sub("", name) not in thread.base.question), None)


def _is_preposition(rest: str) -> bool:
    return (
        re.match(r"\s+(?:in|on|at|to|for|with|by|from|before|after|since|until|now|last|this|during)\b", rest)
        is not None
    )


def _first_name(text: str) -> str | None:
    return next(_names(text), None)


def _names(text: str) -> Iterator[str]:
    """The runs of capitalised words that are no ordinary words at the beginning of a sentence."""
    for found in NAME.finditer(text):
        words = found[0].split()
        while words and OWN_S.sub("", words[0]).lower() in NO_NAMES:
            words = words[1:]
        if words:
            yield " ".join(words)


def _asked_about(question: str) -> str | None:
    """The first name in a question; in one without capitals what stands behind its verb: "where does alice work"."""
    if question != question.lower():
        return _first_name(question)
    found = ASKED_AFTER.search(question)
    return None if found is None or OWN_S.sub("", found[1]) in NO_NAMES else found[1]
