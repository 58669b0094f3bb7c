"""Adds the results of all stories up: the keys of the report, and the tables that people read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.report import Table, share
from benchmarks.stories.claim_score import ClaimCounts
from benchmarks.stories.telling import Asked, StoryResult
from graphmem.inference.meter import Meter

__all__ = ["Score", "StoryFigures", "figures_of", "model_keys", "model_table", "report_keys", "tables_of"]

_DIFFICULTIES = ("plain", "natural", "hard")


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """How many questions were put, and how many answered right."""

    questions: int
    right: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StoryFigures:
    """Everything a run measured."""

    total: Score
    left_out: int
    by_difficulty: Mapping[str, Score]
    by_type: Mapping[str, Score]
    claims: ClaimCounts
    claims_by_difficulty: Mapping[str, ClaimCounts]
    blocks: Mapping[str, Score]
    """By difficulty: of how many questions the block holds the right answer; empty: not measured."""
    block_tokens_p50: int
    calls: int
    tokens: int
    seconds: float


def figures_of(results: Sequence[StoryResult], seconds: float) -> StoryFigures:
    pairs = [(result.story.difficulty, asked) for result in results for asked in result.asked]
    tokens = [asked.block.tokens for _, asked in pairs if asked.block is not None]
    put = [(difficulty, asked) for difficulty, asked in pairs if asked.reply is not None]
    return StoryFigures(
        total=_score(asked for _, asked in put),
        left_out=len(pairs) - len(put),
        by_difficulty=_by(put, lambda difficulty, _: difficulty, _DIFFICULTIES),
        by_type=_by(put, lambda _, asked: asked.question.type, sorted({a.question.type for _, a in put})),
        claims=_counts(results),
        claims_by_difficulty={
            name: _counts([result for result in results if result.story.difficulty == name]) for name in _DIFFICULTIES
        },
        blocks={name: _held(asked for d, asked in pairs if d == name) for name in _DIFFICULTIES} if tokens else {},
        block_tokens_p50=round(median(tokens)) if tokens else 0,
        calls=sum(result.calls for result in results),
        tokens=sum(result.tokens for result in results),
        seconds=seconds,
    )


def _counts(results: Iterable[StoryResult]) -> ClaimCounts:
    return sum((result.claims for result in results), ClaimCounts())


def _score(asked: Iterable[Asked]) -> Score:
    marks = [one.is_right for one in asked]
    return Score(questions=len(marks), right=sum(marks))


def _held(asked: Iterable[Asked]) -> Score:
    marks = [one.block.is_held for one in asked if one.block is not None]
    return Score(questions=len(marks), right=sum(marks))


def _by(put: Sequence[tuple[str, Asked]], key: Callable[[str, Asked], str], names: Sequence[str]) -> dict[str, Score]:
    return {name: _score(asked for d, asked in put if key(d, asked) == name) for name in names}


def report_keys(figures: StoryFigures, *, with_claims: bool) -> dict[str, object]:
    """The keys of the report, shares rounded to four places."""
    keys: dict[str, object] = {
        "questions": figures.total.questions,
        "right": figures.total.right,
        "left_out": figures.left_out,
        "by_difficulty": _score_keys(figures.by_difficulty),
        "by_type": _score_keys(figures.by_type),
        "seconds": round(figures.seconds, 2),
    }
    if figures.blocks:
        held = {name: {"questions": s.questions, "held": s.right} for name, s in figures.blocks.items()}
        keys["block"] = {**held, "tokens_p50": figures.block_tokens_p50}
    if with_claims:
        keys["claims_by_difficulty"] = {
            name: {"emitted": counts.emitted, "gold": counts.gold, "matched": counts.matched}
            for name, counts in figures.claims_by_difficulty.items()
        }
        keys |= _claim_keys(figures.claims) | {"calls": figures.calls, "tokens": figures.tokens}
    return keys


def _score_keys(scores: Mapping[str, Score]) -> dict[str, object]:
    return {name: {"questions": score.questions, "right": score.right} for name, score in scores.items()}


def _claim_keys(counts: ClaimCounts) -> dict[str, object]:
    return {
        "claims": {
            "emitted": counts.emitted,
            "gold": counts.gold,
            "matched": counts.matched,
            "precision": _fraction(counts.matched, counts.emitted),
            "recall": _fraction(counts.matched, counts.gold),
            "undated": {
                "matched": counts.undated,
                "precision": _fraction(counts.undated, counts.emitted),
                "recall": _fraction(counts.undated, counts.gold),
            },
            "outside": counts.outside,
            "must_not": {"rows": counts.must_not, "violated": counts.violated},
        },
        "rates": {name: _fraction(mistakes, counts.facts) for name, mistakes in _mistakes(counts)},
    }


def _mistakes(counts: ClaimCounts) -> tuple[tuple[str, int], ...]:
    return (
        ("duplicate", counts.duplicate),
        ("contradictory", counts.contradictory),
        ("stale", counts.stale),
        ("wrong_speaker", counts.wrong_speaker),
        ("invented", counts.invented),
        ("must_not", counts.violated),
    )


def _fraction(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def tables_of(figures: StoryFigures, *, with_claims: bool) -> list[Table]:
    tables = [
        _score_table("Questions", {**figures.by_difficulty, "all": figures.total}),
        _score_table("By type", figures.by_type),
    ]
    if figures.blocks:
        title = f"Fact block holds the answer ({figures.block_tokens_p50} tokens, median)"
        tables.append(_score_table(title, figures.blocks, mark="held"))
    if with_claims:
        tables += [_claims_table(figures.claims), _by_difficulty_table(figures), _mistakes_table(figures.claims)]
    return tables


def _score_table(title: str, scores: Mapping[str, Score], mark: str = "right") -> Table:
    rows = [(n, str(s.right), str(s.questions), share(s.right, s.questions)) for n, s in scores.items()]
    return Table(title=title, rows=(("", mark, "questions", "share"), *rows))


def _claims_table(counts: ClaimCounts) -> Table:
    rows = [
        (name, str(n), share(n, counts.emitted), share(n, counts.gold))
        for name, n in (("with dates", counts.matched), ("without dates", counts.undated))
    ]
    title = f"Claims: {counts.emitted} emitted ({counts.outside} more outside the set's relations), {counts.gold} gold"
    return Table(title=title, rows=(("matched", "claims", "precision", "recall"), *rows))


def _by_difficulty_table(figures: StoryFigures) -> Table:
    rows = [
        (name, str(n.matched), share(n.matched, n.emitted), share(n.matched, n.gold))
        for name, n in figures.claims_by_difficulty.items()
    ]
    return Table(title="Claims with dates", rows=(("", "matched", "precision", "recall"), *rows))


def _mistakes_table(counts: ClaimCounts) -> Table:
    rows = [(name.replace("_", " "), str(n), share(n, counts.facts)) for name, n in _mistakes(counts)]
    title = f"Mistakes among {counts.facts} facts emitted ({counts.violated} of {counts.must_not} traps taken)"
    return Table(title=title, rows=(("", "claims", "share"), *rows))


def model_keys(figures: StoryFigures, results: Sequence[StoryResult], meter: Meter) -> dict[str, object]:
    """What the model did: how many of its answers could be used, what it was asked and what that took."""
    episodes = sum(result.episodes for result in results)
    use = meter.total
    return {
        "episodes": episodes,
        "read": sum(result.read for result in results),
        "left_out": sum(result.left_out for result in results),
        "calls": use.calls,
        "cached": use.cached,
        "failed": use.failed,
        "prompt_tokens": use.usage.prompt_tokens,
        "output_tokens": use.usage.output_tokens,
        "cost_usd": round(use.cost_usd, 4),
        "seconds": round(figures.seconds, 1),
    }


def model_table(figures: StoryFigures, results: Sequence[StoryResult], by_rules: StoryFigures, meter: Meter) -> Table:
    """The model beside the offline rules on the same stories."""
    keys = model_keys(figures, results, meter)
    total, rules = figures.total, by_rules.total
    rows = (
        ("questions right", share(total.right, total.questions), share(rules.right, rules.questions)),
        ("claims: recall", *(share(f.claims.matched, f.claims.gold) for f in (figures, by_rules))),
        ("claims: precision", *(share(f.claims.matched, f.claims.emitted) for f in (figures, by_rules))),
        ("episodes read", f"{keys['read']} of {keys['episodes']}", "all"),
        ("facts left out", str(keys["left_out"]), "0"),
        ("calls", str(keys["calls"]), "0"),
        ("answers kept from an earlier run", str(keys["cached"]), "0"),
        ("tokens in, out", f"{keys['prompt_tokens']}, {keys['output_tokens']}", "0"),
        ("seconds", f"{figures.seconds:.0f}", f"{by_rules.seconds:.0f}"),
    )
    return Table(title="Model and rules on the same stories", rows=(("", "model", "rules"), *rows))
