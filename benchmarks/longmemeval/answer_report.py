"""Adds up a run of questions that were read and judged: accuracy by kind, tokens, cost, and what the blocks held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median

import numpy as np

from benchmarks.evidence.figures import spread_ms
from benchmarks.longmemeval.answering import Answered, Run
from benchmarks.longmemeval.judging import JUDGE, READER, prompt_hash
from benchmarks.report import Table, share
from graphmem.inference.language_models import facts_of, parse_model
from graphmem.inference.meter import Meter
from graphmem.inference.model_table import model_table
from graphmem.ports import ModelAnswer

__all__ = ["answer_keys", "answer_tables"]

_RESAMPLES = 1_000


def answer_keys(run: Run, *, asked: int, reader: str, judge: str, meter: Meter, seed: int) -> dict[str, object]:
    """The keys of the report. Abstention counts in its question's kind too, as upstream counts it."""
    done = run.answered
    read = [answer for one in done for answer in one.read]
    judged = [answer for one in done for answer in one.judged]
    by_kind = _by_kind(done)
    return {
        "seed": seed,
        "n": len(done),
        "not_reached": asked - len(done),
        "stopped_by": run.stopped_by,
        "faults": [f"{one.case.question_id}: {one.fault}" for one in done if one.fault],
        "accuracy": {
            "all": _score(done) | {"interval": _interval(done, seed)},
            "mean_of_types": round(100 * fmean(_rate(some) for some in by_kind.values()), 2) if by_kind else None,
            "by_type": {kind: _score(some) for kind, some in by_kind.items()},
            "abstention": _score([one for one in done if one.case.is_abstention]),
            **{part: _score([one for one in done if one.case.split == part]) for part in ("development", "held_out")},
        },
        "evidence": _evidence_keys(done),
        "reader": {"name": reader, "answered_by": _pinned(read)},
        "judge": {"name": judge, "answered_by": _pinned(judged)},
        "prompts": prompt_hash(),
        "tokens": {READER: _token_keys(read), JUDGE: _token_keys(judged)},
        "cost_usd": round(_cost_usd(reader, read) + _cost_usd(judge, judged), 4),
        "spent_usd": round(meter.total.cost_usd, 4),
        "calls": {"made": meter.total.calls, "cached": meter.total.cached, "failed": meter.total.failed},
        "context_tokens_p50": round(median(one.block.tokens for one in done)) if done else None,
        "latency_ms": spread_ms([one.block.context_s for one in done]) if done else {},
        "turns_told_p50": round(median(one.block.told_turns for one in done)) if done else None,
        "tell_seconds_p50": round(median(one.block.tell_s for one in done), 1) if done else None,
    }


def answer_tables(keys: Mapping[str, object], run: Run) -> list[Table]:
    """Accuracy by kind, and what it took."""
    done = run.answered
    rows = [(kind, *_cells(some)) for kind, some in _by_kind(done).items()]
    rows.append(("of them abstention", *_cells([one for one in done if one.case.is_abstention])))
    rows.append(("all", *_cells(done)))
    pinned = {who: ", ".join(_pinned(of)) or "nobody" for who, of in _answers(done).items()}
    title = f"Questions read by {pinned[READER]}, judged by {pinned[JUDGE]}"
    took = [
        ("the block holds all evidence turns", _held(done)),
        ("tokens of a block, median", str(keys["context_tokens_p50"])),
        ("cost of all answers, $", str(keys["cost_usd"])),
        ("of it spent by this run, $", str(keys["spent_usd"])),
        ("questions not reached", str(keys["not_reached"])),
    ]
    return [
        Table(title=title, rows=(("kind", "right", "questions", "accuracy"), *rows)),
        Table(title="What it took", rows=(("", "figure"), *took)),
    ]


def _answers(done: Sequence[Answered]) -> dict[str, list[ModelAnswer]]:
    return {
        READER: [answer for one in done for answer in one.read],
        JUDGE: [answer for one in done for answer in one.judged],
    }


def _by_kind(done: Sequence[Answered]) -> dict[str, list[Answered]]:
    return {kind: [one for one in done if one.case.kind == kind] for kind in sorted({one.case.kind for one in done})}


def _score(some: Sequence[Answered]) -> dict[str, object]:
    return {"questions": len(some), "right": sum(one.is_right for one in some)}


def _rate(some: Sequence[Answered]) -> float:
    return fmean(one.is_right for one in some)


def _cells(some: Sequence[Answered]) -> tuple[str, str, str]:
    right = sum(one.is_right for one in some)
    return str(right), str(len(some)), share(right, len(some))


def _interval(done: Sequence[Answered], seed: int) -> list[float]:
    """95 % bootstrap over questions, in percent."""
    if not done:
        return []
    right = np.array([one.is_right for one in done], dtype=float)
    draw = np.random.default_rng(seed).integers(0, len(done), size=(_RESAMPLES, len(done)))
    low, high = np.percentile(100 * right[draw].mean(axis=1), [2.5, 97.5])
    return [round(float(low), 2), round(float(high), 2)]


def _with_evidence(done: Iterable[Answered]) -> list[tuple[set[str], set[str]]]:
    """Evidence turns and turns in the block, of the questions that have evidence."""
    pairs = [(set(one.case.evidence_talk()), set(one.block.turn_ids)) for one in done if not one.case.is_abstention]
    return [pair for pair in pairs if pair[0]]


def _evidence_keys(done: Sequence[Answered]) -> dict[str, int]:
    pairs = _with_evidence(done)
    return {
        "questions": len(pairs),
        "all_in_block": sum(evidence <= held for evidence, held in pairs),
        "some_in_block": sum(bool(evidence & held) for evidence, held in pairs),
    }


def _held(done: Sequence[Answered]) -> str:
    keys = _evidence_keys(done)
    return f"{keys['all_in_block']} of {keys['questions']}"


def _pinned(answers: Iterable[ModelAnswer]) -> list[str]:
    """The models as the provider names them."""
    return sorted({answer.model for answer in answers if answer.model})


def _token_keys(answers: Sequence[ModelAnswer]) -> dict[str, int]:
    return {
        "calls": len(answers),
        "prompt": sum(answer.usage.prompt_tokens for answer in answers),
        "output": sum(answer.usage.output_tokens for answer in answers),
    }


def _cost_usd(name: str, answers: Iterable[ModelAnswer]) -> float:
    """Of all answers by the table of prices, those that were kept from earlier runs among them."""
    parsed = parse_model(name)
    if parsed is None:
        return 0.0
    prices = facts_of(parsed, model_table()).prices
    return sum(prices.cost_usd(answer.usage) for answer in answers)
