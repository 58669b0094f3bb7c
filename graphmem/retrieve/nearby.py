"""What a search finds beside a question that has no exact answer: shown as what is nearest, never as the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.model import DatedFact, Episode, Filter, Scope
from graphmem.ports import SearchTarget
from graphmem.retrieve.fact_dates import day_words, version_dates
from graphmem.retrieve.pipeline import Retrieval, Search
from graphmem.retrieve.query import Answer
from graphmem.retrieve.question_words import own_terms
from graphmem.retrieve.recipes import near_only
from graphmem.retrieve.search import Found
from graphmem.terms import terms
from graphmem.timeline.instants import Instant

__all__ = ["Nearby", "with_nearby"]

SEARCHED = 20
FACTS, TURNS = 2, 2
"""So many of each are shown."""
_ENOUGH_WORDS = 0.5
"""What was found without vectors must share so much of the question's own words."""
_LONGEST_TURN = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class Nearby:
    """Finds what is nearest to a question in some groups, as known at a moment."""

    retrieval: Retrieval
    group_ids: tuple[str, ...]
    known_at: Instant
    asked_at: datetime
    zone: str

    async def found(self, question: str) -> tuple[tuple[DatedFact, ...], tuple[Episode, ...]]:
        """Facts of any time and turns, best first, of trusted sources only; none where nothing is near."""
        hits = await self.retrieval.search(
            Search(
                text=question,
                scope=Scope(group_ids=self.group_ids, known_at=self.known_at, possible=True, filter=Filter()),
                targets=(SearchTarget.FACT, SearchTarget.EPISODE),
                recipe=near_only(self.retrieval.recipe),
                limit=SEARCHED,
                asked_at=self.asked_at,
            )
        )
        near = [hit for hit in hits if hit.nearness is not None or _shares_words(question, hit)]
        facts = [fact for hit in near for fact in hit.facts[-1:] if fact.version.trusted]
        turns = [hit.episode for hit in near if hit.episode is not None and hit.episode.trusted]
        return tuple(facts[:FACTS]), tuple(turns[:TURNS])

    def words(self, facts: Sequence[DatedFact], turns: Sequence[Episode]) -> str:
        """A sentence that says what was found and that it is no answer; "" for nothing."""
        told = [*map(self._fact_words, facts), *map(self._turn_words, turns)]
        return f"Nearest found by search, which may not answer it: {'; '.join(told)}." if told else ""

    def _fact_words(self, fact: DatedFact) -> str:
        dates = version_dates(fact.version, self.zone)
        return f"{fact.text} ({dates})" if dates else fact.text

    def _turn_words(self, turn: Episode) -> str:
        text = " ".join(turn.text.split()).rstrip(".")
        shown = text if len(text) <= _LONGEST_TURN else f"{text[: _LONGEST_TURN - 1].rstrip()}…"
        return f"{turn.speaker or 'somebody'} on {day_words(turn.said_at, self.zone)}: “{shown}”"


async def with_nearby(answer: Answer, question: str, nearby: Nearby) -> Answer:
    """The answer; one that is not known with what is nearest beside it. Its values stay empty."""
    if answer.is_known:
        return answer
    facts, turns = await nearby.found(question)
    words = nearby.words([fact for fact in facts if fact.text not in answer.nearest], turns)
    return replace(
        answer,
        text=f"{answer.text} {words}".strip(),
        nearest=f"{answer.nearest} {words}".strip(),
        nearby_facts=facts,
        nearby_turns=turns,
    )


def _shares_words(question: str, hit: Found) -> bool:
    own = own_terms(question)
    said = {term for fact in hit.facts for term in terms(fact.text)}
    if hit.episode is not None:
        said |= set(terms(f"{hit.episode.speaker or ''} {hit.episode.text}"))
    return len(own & said) >= max(1.0, _ENOUGH_WORDS * len(own))
