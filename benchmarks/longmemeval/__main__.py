"""`python -m benchmarks.longmemeval FILE`: does a memory find the turns and sessions that answer LongMemEval's questions.

With `--mode qa` a model answers each question from its fact block, and another one judges the answer.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing
from enum import StrEnum
from pathlib import Path

from benchmarks.evidence.asking import default_embedder
from benchmarks.evidence.figures import Asked, latency_keys, median_tokens
from benchmarks.longmemeval.answer_report import answer_keys, answer_tables
from benchmarks.longmemeval.answering import Run, answer_cases
from benchmarks.longmemeval.loading import Case, excluded, load_published, load_rebuilt
from benchmarks.longmemeval.ranking import intervals_of, recipe_keys, search_haystacks, tables_of
from benchmarks.longmemeval.recalling import Recalling
from benchmarks.model_keys import missing_key
from benchmarks.report import add_common_flags, add_store_flags, write_report
from graphmem.errors import ConfigError, InvalidInput
from graphmem.inference.language_models import open_model
from graphmem.inference.meter import Meter
from graphmem.ports import LanguageModel

__all__ = ["main"]

SEED = 20241014
_BUDGET_TOKENS = 4_000
_STOPPED = 3
"""The exit code of a run that a limit, a key or a provider out of reach has stopped."""


class Mode(StrEnum):
    """What is measured."""

    RETRIEVAL = "retrieval"
    QA = "qa"


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        cases = load_rebuilt(arguments.file, arguments.rebuilt) if arguments.rebuilt else load_published(arguments.file)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.file} is no file of LongMemEval: {type(error).__name__}: {error}")
    if arguments.mode is Mode.QA:
        return _answering(parser, arguments, cases[: arguments.limit])
    return _retrieval(arguments, cases[: arguments.limit])


def _retrieval(arguments: argparse.Namespace, cases: Sequence[Case]) -> int:
    print(f"seed {SEED}", file=sys.stderr)
    embedder = arguments.embedder or asyncio.run(default_embedder())
    print(f"embedder {embedder}", file=sys.stderr)
    haystacks = [haystack for case in cases if (haystack := case.haystack()) is not None]
    by_recipe = asyncio.run(search_haystacks(haystacks, embedder, arguments.store, with_facts=arguments.facts))
    if arguments.wrong:
        _print_wrong(by_recipe["full"])
    keys = {
        "seed": SEED,
        "recipes": {name: recipe_keys(asked) for name, asked in by_recipe.items()},
        "intervals": {name: intervals_of(asked, SEED) for name, asked in by_recipe.items()},
        "n": len(haystacks),
        "facts": arguments.facts,
        "excluded": dict(sorted(excluded(cases).items())),
        "latency_ms": latency_keys(by_recipe, "full"),
        "context_tokens_p50": median_tokens(by_recipe["full"]),
    }
    write_report("longmemeval", arguments, keys, tables_of(by_recipe))
    return 0


def _answering(parser: argparse.ArgumentParser, arguments: argparse.Namespace, cases: Sequence[Case]) -> int:
    for name in (arguments.reader, arguments.judge):
        if not name:
            parser.error("--mode qa needs --reader MODEL and --judge MODEL")
        if variable := missing_key(name):
            print(f"{variable} is not set, so {name} cannot be asked: skipped")
            return 0
    try:
        run, meter = asyncio.run(_answered(arguments, cases))
    except (ConfigError, InvalidInput) as error:
        parser.error(str(error))
    names = {"reader": arguments.reader, "judge": arguments.judge}
    keys = answer_keys(run, asked=len(cases), meter=meter, seed=SEED, **names)
    if arguments.wrong:
        _print_wrongly_answered(run)
    write_report("longmemeval_qa", arguments, keys, answer_tables(keys, run))
    if run.stopped_by:
        print(f"stopped: {run.stopped_by}", file=sys.stderr)
        print("What was answered is kept: the same command goes on from there.", file=sys.stderr)
    return _STOPPED if run.stopped_by else 0


async def _answered(arguments: argparse.Namespace, cases: Sequence[Case]) -> tuple[Run, Meter]:
    meter = Meter(max_cost_usd=arguments.max_cost)
    async with AsyncExitStack() as stack:
        reader, judge = [
            await stack.enter_async_context(aclosing(_opened(name, meter, arguments.answers / "answers")))
            for name in (arguments.reader, arguments.judge)
        ]
        recalling = Recalling(
            arguments.answers / "blocks",
            embedder=arguments.embedder or await default_embedder(),
            budget_tokens=arguments.budget_tokens,
            store=arguments.store,
        )
        return await answer_cases(cases, recalling, reader, judge), meter


def _opened(name: str, meter: Meter, cache: Path) -> LanguageModel:
    model = open_model(name, meter=meter, cache=cache)
    if model is None:
        raise ConfigError(f"{name!r} is no language model that could read or judge")
    return model


def _print_wrongly_answered(run: Run) -> None:
    for one in run.answered:
        if not one.is_right:
            given = one.fault or " ".join(one.answer.split())
            print(
                f"{one.case.question_id}\t{one.case.kind}\t{one.case.text}\tgiven: {given}\twanted: {one.case.answer}"
            )


def _print_wrong(asked: Sequence[Asked]) -> None:
    for one in asked:
        missed = [turn for turn in one.question.evidence if turn not in one.found[:5]]
        if missed:
            print(f"{one.question.question_id}\t{one.question.text}\tmissed: {', '.join(missed)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.longmemeval", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="a published file, or with --rebuilt the evidence file")
    parser.add_argument(
        "--rebuilt",
        type=Path,
        metavar="MINI",
        help="rebuild each haystack from the sessions of this small published file",
    )
    parser.add_argument(
        "--facts",
        action="store_true",
        help="retrieval: read the facts of each haystack too (seconds a question; turns are found by themselves)",
    )
    parser.add_argument(
        "--mode",
        type=Mode,
        choices=list(Mode),
        default=Mode.RETRIEVAL,
        help="retrieval: is the evidence found; qa: is the question answered (default: retrieval)",
    )
    answering = parser.add_argument_group("qa")
    answering.add_argument("--reader", metavar="MODEL", help="answers, such as anthropic:claude-haiku-5-5")
    answering.add_argument("--judge", metavar="MODEL", help="says whether an answer is right")
    answering.add_argument(
        "--answers",
        type=Path,
        metavar="DIR",
        default=Path("longmemeval-answers"),
        help="keeps answers and blocks, so that a run that was broken off goes on (default: longmemeval-answers)",
    )
    answering.add_argument(
        "--budget-tokens", type=int, metavar="N", default=_BUDGET_TOKENS, help=f"of a block (default: {_BUDGET_TOKENS})"
    )
    answering.add_argument("--max-cost", type=float, metavar="USD", help="make no call that could cost more altogether")
    add_common_flags(parser)
    add_store_flags(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
