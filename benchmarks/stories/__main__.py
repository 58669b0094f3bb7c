"""`python -m benchmarks.stories DIR`: tells every story to a memory of its own and scores the answers."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.model_keys import missing_key
from benchmarks.report import add_common_flags, write_report
from benchmarks.stories.figures import StoryFigures, figures_of, model_keys, model_table, report_keys, tables_of
from benchmarks.stories.loading import Story, StorySet, fold_of, load_stories, sample_of
from benchmarks.stories.readers import ModelReader
from benchmarks.stories.telling import Asked, ClaimSource, Phrasing, SetClock, StoryResult, tell_story
from graphmem import Memory

__all__ = ["main"]

SEED = 20260603
_SHOWN_EVERY = 20


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        story_set = load_stories(arguments.folder)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.folder} is no folder of stories: {type(error).__name__}: {error}")
    stories = fold_of(story_set.stories, *arguments.fold)[: arguments.limit]
    if arguments.sample is not None:
        print(f"seed {SEED}", file=sys.stderr)
        stories = tuple(sample_of(stories, arguments.sample, SEED))
    if arguments.model and (variable := missing_key(arguments.model)):
        print(f"{variable} is not set, so {arguments.model} cannot be asked: skipped")
        return 0
    reader = ModelReader(name=arguments.model, cache=arguments.cache) if arguments.model else None
    source = ClaimSource.MODEL if reader else arguments.claims
    figures, results = _measured(stories, story_set, arguments, source, reader)
    if arguments.wrong:
        _print_wrong(results)
    with_claims = source is not ClaimSource.GOLD
    keys = {"seed": SEED, **report_keys(figures, with_claims=with_claims)}
    tables = tables_of(figures, with_claims=with_claims)
    if reader and not reader.is_scripted:
        by_rules, _ = _measured(stories, story_set, arguments, ClaimSource.OWN, None)
        keys |= {"model": model_keys(figures, results, reader.meter), "rules": report_keys(by_rules, with_claims=True)}
        tables += [model_table(figures, results, by_rules, reader.meter)]
    write_report("stories", arguments, keys, tables)
    return 0


def _measured(
    stories: Sequence[Story],
    story_set: StorySet,
    arguments: argparse.Namespace,
    source: ClaimSource,
    reader: ModelReader | None,
) -> tuple[StoryFigures, list[StoryResult]]:
    began = time.perf_counter()
    with _stores(arguments.store) as stores:
        results = asyncio.run(
            _run(stories, story_set, stores, source, arguments.questions, reader, with_block=arguments.block)
        )
    return figures_of(results, time.perf_counter() - began), results


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stores:
    """Where the stories are told: each in a file of its own, or each in a group of its own of one store."""

    shared: str | None
    folder: Path
    run_id: str
    """Part of the group ids in a shared store, so that a run never meets the stories of an earlier one."""

    def url(self, story: Story) -> str | Path:
        return self.shared or self.folder / f"{story.story_id}.db"

    def group_id(self, story: Story) -> str:
        return f"{story.group_id}-{self.run_id}" if self.shared else story.group_id

    @asynccontextmanager
    async def memory(
        self, story: Story, clock: SetClock, relations: StorySet | None, reader: ModelReader | None
    ) -> AsyncIterator[Memory]:
        """A memory for the story, without what was told to it in a shared store afterwards."""
        declared = None if relations is None else relations.relations.values()
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(reader.model(story)) if reader else None
            opened = await Memory.open(self.url(story), relations=declared, clock=clock, model=model)
            memory = await stack.enter_async_context(opened)
            yield memory
            if self.shared and any(group.group_id == self.group_id(story) for group in await memory.groups()):
                await memory.erase(group_id=self.group_id(story), whole_group=True, reason="benchmark over")


@contextmanager
def _stores(shared: str | None) -> Iterator[_Stores]:
    with TemporaryDirectory(prefix="stories-") as folder:
        yield _Stores(shared=shared, folder=Path(folder), run_id=f"{time.time_ns():x}")


async def _run(
    stories: Sequence[Story],
    story_set: StorySet,
    stores: _Stores,
    source: ClaimSource,
    phrasing: Phrasing,
    reader: ModelReader | None,
    *,
    with_block: bool,
) -> list[StoryResult]:
    results: list[StoryResult] = []
    declares = source is ClaimSource.GOLD or (reader is not None and reader.is_scripted)
    for number, story in enumerate(stories, start=1):
        clock = SetClock()
        async with stores.memory(story, clock, story_set if declares else None, reader) as memory:
            results.append(
                await tell_story(
                    story,
                    memory,
                    clock,
                    group_id=stores.group_id(story),
                    source=source,
                    phrasing=phrasing,
                    relations=story_set.relations,
                    with_block=with_block,
                )
            )
        if number % _SHOWN_EVERY == 0 or number == len(stories):
            print(f"{number} of {len(stories)} stories", file=sys.stderr, flush=True)
    return results


def _print_wrong(results: Sequence[StoryResult]) -> None:
    for result in results:
        for asked in result.asked:
            if asked.reply is not None and not asked.is_right:
                print(f"{result.story.story_id}\t{asked.question.n}\t{_told_apart(asked)}")
            if asked.block is not None and not asked.block.is_held:
                print(f"{result.story.story_id}\t{asked.question.n}\tblock lacks it\t{_told_apart(asked)}")


def _told_apart(asked: Asked) -> str:
    question = asked.question
    given = "; ".join(asked.reply.values) if asked.reply else ""
    wanted = "; ".join(aliases[0] for aliases in question.answers)
    return f"{question.type}\t{question.text}\tgiven: {given or 'not known'}\twanted: {wanted or 'not known'}"


def _fold(text: str) -> tuple[int, int]:
    number, folds = (int(part) for part in text.split("/"))
    if not 1 <= number <= folds:
        raise ValueError(f"{text} is no part of a whole")
    return number, folds


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stories", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder with stories.jsonl and relations.json")
    parser.add_argument(
        "--claims",
        type=ClaimSource,
        choices=[ClaimSource.OWN, ClaimSource.GOLD],
        default=ClaimSource.OWN,
        help="own: the engine reads the text; gold: the story's claims go in (default: own)",
    )
    parser.add_argument(
        "--model",
        metavar="NAME|URL",
        help="a language model reads the text: scripted-gold (perfect answers made of the gold claims), the URL of an"
        " OpenAI-compatible endpoint, or a name such as anthropic:claude-haiku-5-5",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="FOLDER",
        help="keep the model's answers here, so that a run that was broken off goes on where it stopped",
    )
    parser.add_argument(
        "--questions",
        type=Phrasing,
        choices=list(Phrasing),
        default=Phrasing.WORDS,
        help="words alone, words with their scope given, or the formal probe (default: words)",
    )
    parser.add_argument(
        "--fold",
        type=_fold,
        default=(1, 1),
        metavar="K/N",
        help="only part K of the N equal parts of the set, in file order: rules grown on the others are scored on it",
    )
    parser.add_argument("--sample", type=int, metavar="N", help="N stories, of each difficulty its share")
    parser.add_argument("--block", action="store_true", help="also: does the fact block hold the right answer")
    parser.add_argument("--store", metavar="URL", help="store to use (default: a temporary SQLite file a story)")
    add_common_flags(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
