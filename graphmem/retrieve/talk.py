"""What the talk around a turn says about it: who replies to whom, what its session holds, who speaks. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graphmem.model import Episode
from graphmem.ports import ItemKey, Turn
from graphmem.retrieve.asked_for import (
    asks_about_the_talk,
    asks_for_advice,
    asks_of_the_present,
    is_instruction,
    is_preference,
    named_speaker,
)
from graphmem.retrieve.fusion import Ranked
from graphmem.retrieve.recipes import Recipe

__all__ = ["Talk", "best_turns_anew", "newest_first", "with_shares"]

_NEWEST_OF = 3
"""So many of the best turns are put in another order for being newer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Talk:
    """The turns among some hits, with what was said just before and after each."""

    turns: Mapping[ItemKey, Turn]

    def replied(self, key: ItemKey) -> tuple[ItemKey | None, ItemKey | None]:
        """The turn before that this one replies to, and the one after that replies to it; None where there is none.

        A reply is somebody else's: what one person says twice running is about two things as often as about one.
        """
        turn = self.turns.get(key)
        if turn is None:
            return None, None
        speaker, before, after = turn.episode.speaker, turn.before, turn.after
        return self._by_another(speaker, before), self._by_another(speaker, after)

    def _by_another(self, speaker: str | None, other: ItemKey | None) -> ItemKey | None:
        beside = None if other is None else self.turns.get(other)
        return None if beside is None or beside.episode.speaker == speaker else other


def with_shares(
    recipe: Recipe, talk: Talk, question: str, scores: Mapping[ItemKey, float], words: Mapping[ItemKey, float]
) -> dict[ItemKey, float]:
    """The scores with the shares that a recipe gives to replies, sessions, words, speakers and kinds of statement.

    `words`: scores by words, up to 1. What is no turn takes its share of a session of its own.
    """
    mean = sum(scores.values()) / len(scores) if scores else 0.0
    sessions = _best_of_sessions(talk, scores)
    said_by = {turn.episode.speaker for turn in talk.turns.values()}
    speaker = named_speaker(question, {name for name in said_by if name})
    wants_advice, is_of_talk = asks_for_advice(question), asks_about_the_talk(question)
    found = {}
    for key, score in scores.items():
        there = talk.turns.get(key)
        if there is None:
            found[key] = score + recipe.session_share * score + recipe.word_share * words.get(key, 0.0)
            continue
        turn = there.episode
        before, after = talk.replied(key)
        total = _with_replies(recipe, scores, score, before, after, mean)
        total += recipe.session_share * sessions.get(_session(key, turn), score)
        total += recipe.word_share * _with_replied_words(recipe, words, key, before, after)
        total -= recipe.speaker_share * (speaker is not None and turn.speaker != speaker)
        total += recipe.instruction_share * (not is_of_talk and is_instruction(turn.text))
        total += recipe.preference_share * (wants_advice and is_preference(turn.text))
        found[key] = total
    return found


def newest_first(recipe: Recipe, talk: Talk, question: str, hits: Sequence[Ranked]) -> list[Ranked]:
    """The hits; of a question about the present the best few turns in an order to which their age counts."""
    if not recipe.newest_share or not asks_of_the_present(question):
        return list(hits)

    def by_worth(best: Sequence[Ranked]) -> list[Ranked]:
        said_at = {hit.key: talk.turns[hit.key].episode.said_at for hit in best}
        said = sorted(said_at.values())
        worth = {h.key: h.score + recipe.newest_share * said.index(said_at[h.key]) / (len(said) - 1) for h in best}
        return sorted(best, key=lambda hit: -worth[hit.key])

    return best_turns_anew(talk, hits, _NEWEST_OF, by_worth)


def best_turns_anew(
    talk: Talk, hits: Sequence[Ranked], count: int, order: Callable[[Sequence[Ranked]], Sequence[Ranked]]
) -> list[Ranked]:
    """The hits, so many of the best turns in another order.

    They keep the places and the scores that they have together, so that nothing else moves.
    """
    found = list(hits)
    places = list(islice((place for place, hit in enumerate(found) if hit.key in talk.turns), count))
    if len(places) < 2:
        return found
    best = [found[place] for place in places]
    for place, hit, score in zip(places, order(best), [hit.score for hit in best], strict=True):
        found[place] = hit._replace(score=score)
    return found


def _with_replies(
    recipe: Recipe,
    scores: Mapping[ItemKey, float],
    score: float,
    before: ItemKey | None,
    after: ItemKey | None,
    mean: float,
) -> float:
    """An answer often lacks the words of its question."""
    of_before = mean if before is None else scores.get(before, mean)
    of_after = mean if after is None else scores.get(after, mean)
    total = score + recipe.share_before * of_before + recipe.share_after * of_after
    return total / (1 + recipe.share_before + recipe.share_after)


def _with_replied_words(
    recipe: Recipe, words: Mapping[ItemKey, float], key: ItemKey, before: ItemKey | None, after: ItemKey | None
) -> float:
    of_before = 0.0 if before is None else words.get(before, 0.0)
    of_after = 0.0 if after is None else words.get(after, 0.0)
    return words.get(key, 0.0) + recipe.words_before * of_before + recipe.words_after * of_after


def _best_of_sessions(talk: Talk, scores: Mapping[ItemKey, float]) -> dict[tuple[str, str | None], float]:
    best: dict[tuple[str, str | None], float] = {}
    for key, turn in talk.turns.items():
        if turn.episode.session_id is not None:
            session = _session(key, turn.episode)
            best[session] = max(best.get(session, scores[key]), scores[key])
    return best


def _session(key: ItemKey, turn: Episode) -> tuple[str, str | None]:
    return key.group_id, turn.session_id
