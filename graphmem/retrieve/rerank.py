"""Ranking the best anew: late interaction over token vectors, or a cross-encoder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from graphmem.item_texts import entity_text, episode_text, fact_text
from graphmem.ports import Floats, ItemKey, PairScorer, SearchTarget, Store
from graphmem.retrieve.fusion import Ranked, Ranking, in_order
from graphmem.retrieve.recipes import Recipe
from graphmem.retrieve.renewal import renewed_first
from graphmem.retrieve.said_when import with_time
from graphmem.retrieve.scoring import score_texts
from graphmem.retrieve.talk import Talk, newest_first, with_shares
from graphmem.timeline.instants import Instant

__all__ = ["by_late_interaction", "by_reading_pairs", "late_interaction", "read_texts"]


def by_late_interaction(
    recipe: Recipe,
    question: str,
    pool: Sequence[Ranked],
    words: Sequence[Ranking],
    nearest: Mapping[ItemKey, Floats],
    talk: Talk,
    named: tuple[Instant, Instant] | None = None,
) -> list[Ranked]:
    """The pool by MaxSim of its token vectors with the question's, and what words and the talk around say (`with_shares`).

    `words`: what the lane of words found; `nearest`: see `Store.nearest_tokens`; `named`: see `time_named`. What has no token
    vectors yet is taken to be as near as the mean of the pool.
    """
    weighed, plain = late_interaction(list(nearest.values()))
    scores = _filled(dict(zip(nearest, weighed, strict=True)), pool)
    scores = with_shares(recipe, talk, question, scores, _word_scores(words))
    scores = with_time(recipe, talk, named, scores)
    ranked = in_order(scores, nearness=dict(zip(nearest, plain, strict=True)))
    return renewed_first(recipe, talk, question, newest_first(recipe, talk, question, ranked))


async def by_reading_pairs(store: Store, scorer: PairScorer, question: str, pool: Sequence[Ranked]) -> list[Ranked]:
    """The pool by what a cross-encoder says of question and text. Raises ModelError."""
    texts = await read_texts(store, [hit.key for hit in pool])
    there = [hit for hit in pool if hit.key in texts]
    scores = await score_texts(scorer, question, [texts[hit.key] for hit in there])
    by_key = {hit.key: score for hit, score in zip(there, scores, strict=True)}
    return in_order(by_key, nearness=by_key)


def late_interaction(nearest: Sequence[Floats]) -> tuple[list[float], list[float]]:
    """For each text the mean, over the question's tokens, of the cosine of its nearest token (ColBERT's MaxSim), twice.

    Khattab and Zaharia, SIGIR 2020. First with weights: a token of the question counts the more, the more its best match
    stands out among the texts: one that every text answers alike ("the", "did") tells them apart as little as a word that is
    in all of them. Then with every token counting alike: a nearness that does not depend on the other texts.
    """
    if not nearest:
        return [], []
    import numpy as np

    cosines = np.concatenate(nearest).reshape(len(nearest), -1)  # np.stack takes three times as long
    outstanding = cosines.max(axis=0) - cosines.mean(axis=0)
    total = float(outstanding.sum())
    weights = outstanding / total if total > 0 else np.full(cosines.shape[1], 1 / cosines.shape[1])
    return np.round(cosines @ weights, 6).tolist(), np.round(cosines.mean(axis=1), 6).tolist()


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


def _word_scores(rankings: Sequence[Ranking]) -> dict[ItemKey, float]:
    """The scores of the lane of words, the best of each kind of thing being 1."""
    found: dict[ItemKey, float] = {}
    for ranking in rankings:
        best = ranking.hits.scores[0] if ranking.hits else 0.0
        if best > 0:
            found.update(zip(ranking.hits.keys, [score / best for score in ranking.hits.scores], strict=True))
    return found


def _filled(scores: Mapping[ItemKey, float], pool: Sequence[Ranked]) -> dict[ItemKey, float]:
    mean = sum(scores.values()) / len(scores) if scores else 0.0
    return {hit.key: scores.get(hit.key, mean) for hit in pool}


def _by_place(keys: Sequence[ItemKey]) -> dict[tuple[SearchTarget, str], list[str]]:
    places: defaultdict[tuple[SearchTarget, str], list[str]] = defaultdict(list)
    for key in keys:
        places[key.target, key.group_id].append(key.item_id)
    return places
