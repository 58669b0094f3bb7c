"""Telling haystacks to a memory and asking it, by each recipe and by rank-bm25 alone."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence

from rank_bm25 import BM25Okapi

from benchmarks.evidence.figures import Asked
from benchmarks.evidence.turns import Haystack, Turn
from graphmem import GraphmemError, Memory, NewEpisode, SearchTarget
from graphmem.ports import Embedder, Extractor
from graphmem.retrieve.recipes import Recipe

__all__ = ["FLAT", "NONE", "RECIPES", "default_embedder", "search_by_recipe", "tell"]

FLAT = "bm25"
"""rank-bm25 over the lines, without a memory: LongMemEval's own baseline."""
RECIPES = {"fts": "words", "vector": "vectors", "rrf": "rrf", "full": "full"}
"""Names in the reports, and the memory's recipes."""
LOCAL, NONE = "local", "none"
_WORD = re.compile(r"\w+")


async def default_embedder() -> str:
    """The local one where it is installed."""
    try:
        async with await Memory.open(":memory:", embedder=LOCAL):
            return LOCAL
    except GraphmemError:
        return NONE


async def search_by_recipe(
    haystacks: Sequence[Haystack],
    url: str,
    embedder: str | Embedder,
    *,
    limit: int,
    recipes: Mapping[str, str | Recipe] = RECIPES,
    extractor: Extractor | None = None,
    is_quiet: bool = False,
) -> dict[str, list[Asked]]:
    """The questions of all haystacks as rank-bm25 and each recipe answer them: the first `limit` turns found.

    A haystack is told to a group of its own, its facts read by `extractor` (the memory's own where None); progress goes to
    stderr unless `is_quiet`.
    """
    by_recipe: dict[str, list[Asked]] = {name: [] for name in (FLAT, *recipes)}
    async with await Memory.open(url, embedder=embedder, extractor=extractor) as memory:
        for haystack in haystacks:
            began = time.perf_counter()
            await tell(memory, haystack)
            if embedder != NONE:
                await memory.reembed()  # what the telling left for later
            by_recipe[FLAT] += _asked_flat(haystack, limit)
            for name, recipe in recipes.items():
                by_recipe[name] += await _asked(memory, haystack, recipe, limit)
            if is_quiet:
                continue
            seconds = time.perf_counter() - began
            print(f"{haystack.haystack_id}: {len(haystack.turns)} turns, {seconds:.0f} s", file=sys.stderr)
    return by_recipe


async def tell(memory: Memory, haystack: Haystack) -> None:
    """Tell the turns of a haystack to a group of its own."""
    await memory.add_episodes(
        NewEpisode(
            text=turn.text,
            group_id=haystack.haystack_id,
            episode_id=turn.turn_id,
            speaker=turn.speaker,
            session_id=turn.session_id,
            said_at=turn.said_at,
        )
        for turn in haystack.turns
        if turn.text.strip()
    )


async def _asked(memory: Memory, haystack: Haystack, recipe: str | Recipe, limit: int) -> list[Asked]:
    asked = []
    for question in haystack.questions:
        began = time.perf_counter()
        found = await memory.search(
            question.text,
            group_ids=haystack.haystack_id,
            targets=[SearchTarget.EPISODE],
            recipe=recipe,
            limit=limit,
            asked_at=question.asked_at or haystack.said_until,
        )
        asked.append(
            Asked(
                question=question,
                split=haystack.split,
                found=tuple(hit.item_id for hit in found),
                seconds=time.perf_counter() - began,
                characters=sum(len(hit.episode.text) for hit in found if hit.episode),
            )
        )
    return asked


def _asked_flat(haystack: Haystack, limit: int) -> list[Asked]:
    turns = haystack.turns
    index = BM25Okapi([_words(turn.line) for turn in turns])
    asked = []
    for question in haystack.questions:
        began = time.perf_counter()
        scores = index.get_scores(_words(question.text))
        best: list[Turn] = [turns[at] for at in sorted(range(len(turns)), key=lambda at: -scores[at])[:limit]]
        asked.append(
            Asked(
                question=question,
                split=haystack.split,
                found=tuple(turn.turn_id for turn in best),
                seconds=time.perf_counter() - began,
                characters=sum(len(turn.text) for turn in best),
            )
        )
    return asked


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
