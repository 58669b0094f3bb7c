"""Reading and judging: a model answers each question from its fact block, another says whether that is right."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.longmemeval.judging import judge_request, reader_request, verdict_of
from benchmarks.longmemeval.loading import Case
from benchmarks.longmemeval.recalling import Recalled, Recalling
from graphmem.errors import MalformedAnswer, ModelHalted, ModelRefused, ModelUnavailable, PromptTooLong
from graphmem.ports import LanguageModel, ModelAnswer

__all__ = ["Answered", "Run", "answer_cases"]

_ATTEMPTS = 2
"""How often a judge is asked whose verdict is neither yes nor no."""
_OF_ONE_QUESTION = (ModelRefused, MalformedAnswer, PromptTooLong)
"""What costs one question, not the run; an answer that was cut off is among them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """One question, read and judged."""

    case: Case
    block: Recalled
    answer: str
    is_right: bool
    fault: str = ""
    """Why there is no answer or no verdict; it counts as wrong."""
    read: tuple[ModelAnswer, ...] = ()
    judged: tuple[ModelAnswer, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What a run got to."""

    answered: tuple[Answered, ...]
    stopped_by: str = ""
    """Why it went no further; empty: it came to its end."""


async def answer_cases(cases: Sequence[Case], recalling: Recalling, reader: LanguageModel, judge: LanguageModel) -> Run:
    """Every case in order, until a model halts (a limit, a key) or stays away; progress goes to stderr."""
    answered: list[Answered] = []
    for case in cases:
        block = await recalling.block_of(case)
        try:
            answered.append(await _answered(case, block, reader, judge))
        except (ModelHalted, ModelUnavailable) as error:
            return Run(answered=tuple(answered), stopped_by=str(error))
        print(_progress(len(answered), len(cases), answered[-1]), file=sys.stderr, flush=True)
    return Run(answered=tuple(answered))


async def _answered(case: Case, block: Recalled, reader: LanguageModel, judge: LanguageModel) -> Answered:
    try:
        read = await reader.complete(reader_request(case, block.text))
    except _OF_ONE_QUESTION as error:
        return Answered(case=case, block=block, answer="", is_right=False, fault=f"reader: {error}")
    try:
        answer = read.whole_text().strip()
    except _OF_ONE_QUESTION as error:
        return Answered(case=case, block=block, answer="", is_right=False, fault=f"reader: {error}", read=(read,))
    verdict, fault, judged = await _verdict(case, answer, judge)
    return Answered(
        case=case, block=block, answer=answer, is_right=verdict, fault=fault, read=(read,), judged=tuple(judged)
    )


async def _verdict(case: Case, answer: str, judge: LanguageModel) -> tuple[bool, str, list[ModelAnswer]]:
    """Whether it is right, why there is no verdict, and all that the judge said."""
    judged: list[ModelAnswer] = []
    while len(judged) < _ATTEMPTS:
        try:
            judged.append(await judge.complete(judge_request(case, answer, attempt=len(judged) + 1)))
        except _OF_ONE_QUESTION as error:
            return False, f"judge: {error}", judged
        verdict = verdict_of(judged[-1].text)
        if verdict is not None:
            return verdict, "", judged
    return False, f"judge: neither yes nor no: {judged[-1].text[:60]!r}", judged


def _progress(number: int, of: int, one: Answered) -> str:
    how = "kept" if one.block.is_kept else f"{one.block.told_turns} turns in {one.block.tell_s:.0f} s"
    return f"{number} of {of}: {one.case.question_id} ({how}) {'right' if one.is_right else 'wrong'}"
