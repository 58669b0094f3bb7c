"""`python -m benchmarks.locomo FILE`: tells LoCoMo's conversations to a memory and looks for the turns that answer."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rank_bm25 import BM25Okapi

from benchmarks.locomo.figures import CUTS, Asked, interval_keys, recipe_keys, spread_ms, tables_of
from benchmarks.locomo.loading import Conversation, Turn, corrections_of, load_locomo
from benchmarks.report import add_common_flags, add_store_flags, write_report
from graphmem import GraphmemError, Memory, NewEpisode, SearchTarget

__all__ = ["main"]

SEED = 20230508
LIMIT = max(CUTS)
RECIPES = {"fts": "words", "vector": "vectors", "rrf": "rrf", "full": "full"}
"""Names of the report and the memory's recipes; `bm25` is rank-bm25 over the lines, without a memory."""
CHARACTERS_A_TOKEN = 4
LOCAL, NONE = "local", "none"
_WORD = re.compile(r"\w+")


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        corrections = corrections_of(arguments.audit) if arguments.audit else None
        conversations, skipped = load_locomo(arguments.file, with_captions=arguments.captions, corrections=corrections)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.file} is no LoCoMo file: {type(error).__name__}: {error}")
    print(f"seed {SEED}", file=sys.stderr)
    with TemporaryDirectory(prefix="locomo-") as folder:
        url = arguments.store or str(Path(folder) / "locomo.db")
        embedder = arguments.embedder or asyncio.run(_default_embedder())
        print(f"embedder {embedder}", file=sys.stderr)
        by_recipe = asyncio.run(_run(conversations[: arguments.limit], url, embedder))
    if arguments.wrong:
        _print_wrong(by_recipe["full"])
    keys = {
        "seed": SEED,
        "recipes": {name: recipe_keys(asked) for name, asked in by_recipe.items()},
        "intervals": {name: interval_keys(asked, SEED) for name, asked in by_recipe.items()},
        "latency_ms": {
            **spread_ms([one.seconds for one in by_recipe["full"]]),
            "by_recipe": {name: spread_ms([one.seconds for one in asked]) for name, asked in by_recipe.items()},
        },
        "context_tokens_p50": _median([one.characters // CHARACTERS_A_TOKEN for one in by_recipe["full"]]),
        "skipped": dict(sorted(skipped.items())),
    }
    write_report("locomo", arguments, keys, tables_of(by_recipe))
    return 0


async def _default_embedder() -> str:
    """The local one where it is installed."""
    try:
        async with await Memory.open(":memory:", embedder=LOCAL):
            return LOCAL
    except GraphmemError:
        return NONE


async def _run(conversations: Sequence[Conversation], url: str, embedder: str) -> dict[str, list[Asked]]:
    by_recipe: dict[str, list[Asked]] = {name: [] for name in ("bm25", *RECIPES)}
    async with await Memory.open(url, embedder=embedder) as memory:
        for conversation in conversations:
            began = time.perf_counter()
            await _tell(memory, conversation)
            if embedder != NONE:
                await memory.reembed()  # what the telling left for later
            by_recipe["bm25"] += _asked_flat(conversation)
            for name, recipe in RECIPES.items():
                by_recipe[name] += await _asked(memory, conversation, recipe)
            seconds = time.perf_counter() - began
            print(f"{conversation.conversation_id}: {len(conversation.turns)} turns, {seconds:.0f} s", file=sys.stderr)
    return by_recipe


async def _tell(memory: Memory, conversation: Conversation) -> None:
    group_id = conversation.conversation_id
    await memory.add_episodes(
        NewEpisode(
            text=turn.text,
            group_id=group_id,
            episode_id=turn.turn_id,
            speaker=turn.speaker,
            session_id=turn.session_id,
            said_at=turn.said_at,
        )
        for turn in conversation.turns
        if turn.text.strip()
    )


async def _asked(memory: Memory, conversation: Conversation, recipe: str) -> list[Asked]:
    asked = []
    for question in conversation.questions:
        began = time.perf_counter()
        found = await memory.search(
            question.text,
            group_ids=conversation.conversation_id,
            targets=[SearchTarget.EPISODE],
            recipe=recipe,
            limit=LIMIT,
        )
        asked.append(
            Asked(
                question=question,
                is_held_out=conversation.is_held_out,
                found=tuple(hit.item_id for hit in found),
                seconds=time.perf_counter() - began,
                characters=sum(len(hit.episode.text) for hit in found if hit.episode),
            )
        )
    return asked


def _asked_flat(conversation: Conversation) -> list[Asked]:
    turns = conversation.turns
    index = BM25Okapi([_words(turn.line) for turn in turns])
    asked = []
    for question in conversation.questions:
        began = time.perf_counter()
        scores = index.get_scores(_words(question.text))
        best: list[Turn] = [turns[at] for at in sorted(range(len(turns)), key=lambda at: -scores[at])[:LIMIT]]
        asked.append(
            Asked(
                question=question,
                is_held_out=conversation.is_held_out,
                found=tuple(turn.turn_id for turn in best),
                seconds=time.perf_counter() - began,
                characters=sum(len(turn.text) for turn in best),
            )
        )
    return asked


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _median(numbers: Sequence[int]) -> int:
    return sorted(numbers)[len(numbers) // 2] if numbers else 0


def _print_wrong(asked: Sequence[Asked]) -> None:
    for one in asked:
        missed = [turn for turn in one.question.evidence if turn not in one.found]
        if missed:
            print(f"{one.question.category}\t{one.question.text}\tmissed: {', '.join(missed)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.locomo", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="locomo10.json")
    parser.add_argument("--audit", type=Path, metavar="DIR", help="apply the corrected evidence of this folder")
    parser.add_argument("--captions", action="store_true", help="a turn with a picture says what the picture shows")
    add_common_flags(parser)
    add_store_flags(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
