"""`python -m benchmarks.irrelevance FILE`: what recipes' minimum scores keep, and what they keep out.

Each question of LoCoMo is asked of its own conversation, where its evidence is to be found, and of the one told before, where
nothing is. How near hits must be was chosen by this on every third question of the development conversations.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.evidence.asking import default_embedder, tell
from benchmarks.evidence.turns import Haystack, Split
from benchmarks.locomo.loading import load_locomo
from benchmarks.report import Table, add_common_flags, add_store_flags, write_report
from graphmem import Memory, SearchTarget
from graphmem.retrieve.recipes import RECIPES, Recipe, with_minimum

__all__ = ["main"]

NAMES = ("full", "vectors")
DEPTH = 20
SHOWN = 10
OPEN = -1.0
"""A minimum that keeps nothing out."""


@dataclass(kw_only=True)
class _Kept:
    """What one recipe found for some questions."""

    evidence: list[float] = field(default_factory=list)
    """For each question the share of its evidence among the first 20, in its own conversation."""
    elsewhere: list[int] = field(default_factory=list)
    """For each question how many of 10 hits come from the conversation it is not about."""

    @property
    def keys(self) -> dict[str, float]:
        nothing = [float(not hits) for hits in self.elsewhere]
        return {
            "questions": len(self.evidence),
            "evidence_at_20": round(100 * _mean(self.evidence), 2),
            "elsewhere_nothing": round(100 * _mean(nothing), 2),
            "elsewhere_hits_of_10": round(_mean(self.elsewhere), 2),
        }


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.irrelevance", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="locomo10.json")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth question")
    add_common_flags(parser)
    add_store_flags(parser)
    arguments = parser.parse_args(argv)
    try:
        conversations, _ = load_locomo(arguments.file)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{arguments.file} is no LoCoMo file: {type(error).__name__}: {error}")
    with TemporaryDirectory(prefix="irrelevance-") as folder:
        url = arguments.store or str(Path(folder) / "locomo.db")
        chosen = conversations[: arguments.limit]
        kept = asyncio.run(_run(chosen, url, arguments.embedder or asyncio.run(default_embedder()), arguments.every))
    keys = {name: found.keys for name, found in kept.items()}
    write_report("irrelevance", arguments, {"recipes": keys}, [_table(kept)])
    return 0


async def _run(conversations: Sequence[Haystack], url: str, embedder: str, every: int) -> dict[str, _Kept]:
    kept: dict[str, _Kept] = {}
    async with await Memory.open(url, embedder=embedder) as memory:
        earlier: Haystack | None = None
        for conversation in conversations:
            await tell(memory, conversation)
            await memory.reembed()
            for name, recipe in _recipes(conversation.split).items():
                found = kept.setdefault(name, _Kept())
                await _ask(memory, conversation, earlier, recipe, every, found)
            earlier = conversation
    return kept


def _recipes(split: Split) -> dict[str, Recipe]:
    of = split.value.replace("_", " ")
    named = {f"{name}, {of}": RECIPES[name] for name in NAMES}
    return named | {f"{name} without a minimum, {of}": with_minimum(RECIPES[name], OPEN) for name in NAMES}


async def _ask(
    memory: Memory,
    conversation: Haystack,
    earlier: Haystack | None,
    recipe: Recipe,
    every: int,
    kept: _Kept,
) -> None:
    for question in conversation.questions[::every]:
        found = await _found(memory, question.text, conversation, recipe, DEPTH)
        kept.evidence.append(len(set(question.evidence) & set(found)) / len(question.evidence))
        if earlier is not None:
            kept.elsewhere.append(len(await _found(memory, question.text, earlier, recipe, SHOWN)))


async def _found(memory: Memory, text: str, where: Haystack, recipe: Recipe, limit: int) -> list[str]:
    hits = await memory.search(
        text, group_ids=where.haystack_id, targets=[SearchTarget.EPISODE], recipe=recipe, limit=limit
    )
    return [hit.item_id for hit in hits]


def _table(kept: dict[str, _Kept]) -> Table:
    rows: list[tuple[str, ...]] = [
        ("recipe", "questions", "evidence @20", "elsewhere: nothing", "elsewhere: hits of 10")
    ]
    for name, found in kept.items():
        keys = found.keys
        rows.append((name, *(str(keys[key]) for key in keys)))
    return Table(
        title="What minimum scores keep of the evidence, and of a conversation that is not meant, %", rows=tuple(rows)
    )


if __name__ == "__main__":
    sys.exit(main())
