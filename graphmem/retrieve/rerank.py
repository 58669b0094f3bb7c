"""Ranking the best anew: late interaction over token vectors, or a cross-encoder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from graphmem.item_texts import entity_text, episode_text, fact_text
from graphmem.model import Scope
from graphmem.ports import Floats, ItemKey, PairScorer, SearchTarget, Store
from graphmem.retrieve.fusion import Ranked
from graphmem.retrieve.recipes import Lane, Recipe

__all__ = ["by_late_interaction", "by_reading_pairs", "late_interaction", "read_texts"]


async def by_late_interaction(
    store: Store,
    scope: Scope,
    recipe: Recipe,
    question: Floats,
    pool: Sequence[Ranked],
) -> list[Ranked]:
    """The pool by MaxSim of its token vectors with the question's, a share of the turns around, and a share for words.

    What has no token vectors yet is taken to be as near as the mean of the pool.
    """
    nearest = {
        ItemKey(group_id=group_id, target=target, item_id=item_id): cosines
        for (target, group_id), ids in _by_place([hit.key for hit in pool]).items()
        for item_id, cosines in (await store.nearest_tokens(target, group_id, ids, question)).items()
    }
    scores = _filled(late_interaction(nearest), pool)
    if recipe.share_before or recipe.share_after:
        scores = await _with_turns_around(store, scope, recipe, scores)
    words = _word_scores(pool)
    return _ranked(pool, {key: score + recipe.word_share * words.get(key, 0.0) for key, score in scores.items()})


async def by_reading_pairs(store: Store, scorer: PairScorer, question: str, pool: Sequence[Ranked]) -> list[Ranked]:
    """The pool by what a cross-encoder says of question and text. Raises ModelError."""
    texts = await read_texts(store, [hit.key for hit in pool])
    there = [hit for hit in pool if hit.key in texts]
    scores = await scorer.score(question, [texts[hit.key] for hit in there])
    return _ranked(there, {hit.key: score for hit, score in zip(there, scores, strict=True)})


def late_interaction(nearest: Mapping[ItemKey, Floats]) -> dict[ItemKey, float]:
    """For each text the mean, over the question's tokens, of the cosine of its nearest token (ColBERT's MaxSim).

    Khattab and Zaharia, SIGIR 2020. A token of the question counts the more, the more its best match stands out among the
    texts: one that every text answers alike ("the", "did") tells them apart as little as a word that is in all of them.
    """
    if not nearest:
        return {}
    cosines = np.stack(list(nearest.values()))
    outstanding = cosines.max(axis=0) - cosines.mean(axis=0)
    total = float(outstanding.sum())
    weights = outstanding / total if total > 0 else np.full(cosines.shape[1], 1 / cosines.shape[1])
    return dict(zip(nearest, np.round(cosines @ weights, 6).tolist(), strict=True))


async def read_texts(store: Store, keys: Sequence[ItemKey]) -> dict[ItemKey, str]:
    """The texts of those that are there."""
    texts: dict[ItemKey, str] = {}
    for (target, group_id), ids in _by_place(keys).items():
        match target:
            case SearchTarget.FACT:
                found = {fact.fact_id: fact_text(fact) for fact in await store.facts(group_id, ids)}
            case SearchTarget.ENTITY:
                found = {entity.entity_id: entity_text(entity) for entity in await store.entities(group_id, ids)}
            case SearchTarget.EPISODE:
                found = {episode.episode_id: episode_text(episode) for episode in await store.episodes(group_id, ids)}
        texts.update((ItemKey(group_id=group_id, target=target, item_id=i), text) for i, text in found.items())
    return texts


async def _with_turns_around(
    store: Store, scope: Scope, recipe: Recipe, scores: Mapping[ItemKey, float]
) -> dict[ItemKey, float]:
    """Episodes with a share of the scores of the turns before and after: an answer often lacks the words of its question."""
    mean = sum(scores.values()) / len(scores) if scores else 0.0
    shared = dict(scores)
    episodes = [key for key in scores if key.target is SearchTarget.EPISODE]
    for (target, group_id), ids in _by_place(episodes).items():
        for item_id, adjacent in (await store.adjacent_episodes(scope, group_id, ids)).items():
            key = ItemKey(group_id=group_id, target=target, item_id=item_id)
            before, after = (
                mean if near is None else scores.get(key._replace(item_id=near), mean)
                for near in (adjacent.before, adjacent.after)
            )
            weighed = scores[key] + recipe.share_before * before + recipe.share_after * after
            shared[key] = weighed / (1 + recipe.share_before + recipe.share_after)
    return shared


def _word_scores(pool: Sequence[Ranked]) -> dict[ItemKey, float]:
    """The scores of the lane of words, the best of each kind of thing being 1."""
    seen = {hit.key: found.score for hit in pool if (found := hit.rank_in(Lane.KEYWORD)) is not None}
    best: defaultdict[SearchTarget, float] = defaultdict(float)
    for key, score in seen.items():
        best[key.target] = max(best[key.target], score)
    return {key: score / best[key.target] for key, score in seen.items() if best[key.target] > 0}


def _filled(scores: Mapping[ItemKey, float], pool: Sequence[Ranked]) -> dict[ItemKey, float]:
    mean = sum(scores.values()) / len(scores) if scores else 0.0
    return {hit.key: scores.get(hit.key, mean) for hit in pool}


def _ranked(pool: Sequence[Ranked], scores: Mapping[ItemKey, float]) -> list[Ranked]:
    scored = [Ranked(key=hit.key, score=scores[hit.key], lanes=hit.lanes) for hit in pool]
    return sorted(scored, key=lambda hit: (-hit.score, hit.key))


def _by_place(keys: Sequence[ItemKey]) -> dict[tuple[SearchTarget, str], list[str]]:
    places: defaultdict[tuple[SearchTarget, str], list[str]] = defaultdict(list)
    for key in keys:
        places[key.target, key.group_id].append(key.item_id)
    return places
