"""Answering a question in words: names of the group → what is known of them → formal query → exact answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from graphmem.model import BEST_KNOWN, Window
from graphmem.ports import Store
from graphmem.retrieve.evaluate import evaluate
from graphmem.retrieve.known_facts import read_known_facts
from graphmem.retrieve.name_spotting import NameIndex
from graphmem.retrieve.query import Answer, FactReader, Query
from graphmem.retrieve.question import QuestionReader
from graphmem.retrieve.reads import read_facts
from graphmem.retrieve.relation_words import RelationWords
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import Instant

__all__ = ["Asker", "reader_of"]

_KEPT_INDEXES = 16
_NOT_UNDERSTOOD = (
    "Not known: the question names nothing that the memory knows, or asks for something it has no facts of."
)


def reader_of(store: Store) -> FactReader:
    """Reads of dated facts from this store."""
    return partial(read_facts, store)


class Asker:
    """Answers questions over one store; what it knows of names and words is kept until the groups change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader = reader_of(store)
        self._names: dict[tuple[str, ...], tuple[tuple[Instant, ...], NameIndex]] = {}
        self._words: tuple[tuple[Relation, ...], RelationWords] | None = None

    async def ask(
        self,
        question: str,
        *,
        group_ids: tuple[str, ...],
        asked_at: datetime,
        zone: str,
        relations: Mapping[str, Relation],
        window: Window | None = None,
        known_at: Instant | None = None,
    ) -> Answer:
        """The answer to a question; `window` and `known_at`, if given, win over what its words say."""
        query = await self.read(
            question,
            group_ids=group_ids,
            asked_at=asked_at,
            zone=zone,
            relations=relations,
            window=window,
            known_at=known_at,
        )
        if query is None:
            return Answer(query=None, text=_NOT_UNDERSTOOD, is_known=False)
        return await evaluate(query, self._reader, relations=relations)

    async def read(
        self,
        question: str,
        *,
        group_ids: tuple[str, ...],
        asked_at: datetime,
        zone: str,
        relations: Mapping[str, Relation],
        window: Window | None = None,
        known_at: Instant | None = None,
    ) -> Query | None:
        """The formal query that the question means, not answered; None where it is not understood."""
        names = await self._names_of(group_ids)
        questions = QuestionReader(names=names, words=self._words_for(relations), relations=relations)
        moments = [known_at or BEST_KNOWN, questions.known_at_of(question, asked_at) or BEST_KNOWN]
        facts = await read_known_facts(
            self._reader, questions.entities_in(question), group_ids=group_ids, known_at=moments
        )
        query = questions.read(question, asked_at=asked_at, group_ids=group_ids, facts=facts, zone=zone)
        if query is None:
            return None
        if window is not None:
            query = replace(query, window=window, anchor=None)
        return query if known_at is None else replace(query, known_at=known_at)

    async def _names_of(self, group_ids: tuple[str, ...]) -> NameIndex:
        taus = tuple([(await self._store.read_timelines(group_id)).tau for group_id in group_ids])
        kept = self._names.get(group_ids)
        if kept is None or kept[0] != taus:
            if len(self._names) >= _KEPT_INDEXES:
                self._names.pop(next(iter(self._names)))
            kept = self._names[group_ids] = (taus, NameIndex(await self._store.list_names(group_ids)))
        return kept[1]

    def _words_for(self, relations: Mapping[str, Relation]) -> RelationWords:
        declared = tuple(relations.values())
        if self._words is None or self._words[0] != declared:
            self._words = (declared, RelationWords.of(relations))
        return self._words[1]
