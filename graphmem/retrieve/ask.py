"""Answering a question in words: names of the group → what is known of them → formal query → exact answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from graphmem.model import BEST_KNOWN, StoredClaim, Window
from graphmem.open_relations import read_rivalry_claims, with_open_relations
from graphmem.ports import Store
from graphmem.retrieve.evaluate import evaluate
from graphmem.retrieve.known_facts import read_known_facts
from graphmem.retrieve.query import Answer, FactReader, Query
from graphmem.retrieve.reads import read_facts
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import Instant

if (
    TYPE_CHECKING
):  # imported with the first question: their tables take long to build, and telling and listing need none
    from graphmem.retrieve.name_spotting import NameIndex
    from graphmem.retrieve.relation_words import RelationWords

__all__ = ["AskedQuestion", "Asker", "reader_of"]

_KEPT_INDEXES = 16
_NOT_UNDERSTOOD = (
    "Not known: the question names nothing that the memory knows, or asks for something it has no facts of."
)
_NO_TIME = (
    "Not known: it asks about the time of something said before, and nothing was."
    " Name the time, or give the turns before it."
)


def reader_of(store: Store) -> FactReader:
    """Reads of dated facts from this store."""
    return partial(read_facts, store)


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedQuestion:
    """A question in words, and of what, when and by which relations it is to be read."""

    text: str
    group_ids: tuple[str, ...]
    asked_at: datetime
    zone: str
    relations: Mapping[str, Relation]
    window: Window | None = None
    """If given, it wins over what the words say; so does `known_at`."""
    known_at: Instant | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    """What is known of some groups as of their transaction times."""

    taus: tuple[Instant, ...]
    names: NameIndex
    rivalries: tuple[Sequence[StoredClaim], ...]
    """By group: the claims about the rivalry of open relations."""


class Asker:
    """Answers questions over one store; what it knows of names and words is kept until the groups change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader = reader_of(store)
        self._kept: dict[tuple[str, ...], _Kept] = {}
        self._words: tuple[tuple[Relation, ...], RelationWords] | None = None

    async def ask(self, asked: AskedQuestion) -> Answer:
        """The answer to a question."""
        kept = await self._kept_of(asked.group_ids)
        query = await self._read(kept, asked)
        if query is None:
            return Answer(query=None, text=_reason(asked.text), is_known=False)
        relations = _as_known(asked.relations, kept.rivalries, query.known_at)
        return await evaluate(query, self._reader, relations=relations)

    async def relations_at(
        self, relations: Mapping[str, Relation], *, group_ids: tuple[str, ...], known_at: Instant | None
    ) -> Mapping[str, Relation]:
        """These relations, and the open ones of the groups, as known at a moment (None: as known best)."""
        return _as_known(relations, await self._rivalries_of(group_ids), known_at)

    async def read(self, asked: AskedQuestion) -> Query | None:
        """The formal query that a question means, not answered; None where it is not understood."""
        return await self._read(await self._kept_of(asked.group_ids), asked)

    async def _read(self, kept: _Kept, asked: AskedQuestion) -> Query | None:
        from graphmem.retrieve.question import QuestionReader

        known = _as_known(asked.relations, kept.rivalries, asked.known_at)
        questions = QuestionReader(names=kept.names, words=self._words_for(asked.relations), relations=known)
        moments = [asked.known_at or BEST_KNOWN, questions.known_at_of(asked.text, asked.asked_at) or BEST_KNOWN]
        facts = await read_known_facts(
            self._reader, questions.entities_in(asked.text), group_ids=asked.group_ids, known_at=moments
        )
        query = questions.read(
            asked.text, asked_at=asked.asked_at, group_ids=asked.group_ids, facts=facts, zone=asked.zone
        )
        if query is None:
            return None
        if asked.window is not None:
            query = replace(query, window=asked.window, anchor=None)
        return query if asked.known_at is None else replace(query, known_at=asked.known_at)

    async def _kept_of(self, group_ids: tuple[str, ...]) -> _Kept:
        from graphmem.retrieve.name_spotting import NameIndex

        taus = tuple([(await self._store.read_timelines(group_id)).tau for group_id in group_ids])
        kept = self._kept.get(group_ids)
        if kept is None or kept.taus != taus:
            if len(self._kept) >= _KEPT_INDEXES:
                self._kept.pop(next(iter(self._kept)))
            names = NameIndex(await self._store.list_names(group_ids))
            rivalries = await self._rivalries_of(group_ids)
            kept = self._kept[group_ids] = _Kept(taus=taus, names=names, rivalries=rivalries)
        return kept

    async def _rivalries_of(self, group_ids: tuple[str, ...]) -> tuple[Sequence[StoredClaim], ...]:
        return tuple([await read_rivalry_claims(self._store, group_id) for group_id in group_ids])

    def _words_for(self, relations: Mapping[str, Relation]) -> RelationWords:
        from graphmem.retrieve.relation_words import RelationWords

        declared = tuple(relations.values())
        if self._words is None or self._words[0] != declared:
            self._words = (declared, RelationWords.of(relations))
        return self._words[1]


def _as_known(
    relations: Mapping[str, Relation], rivalries: Sequence[Sequence[StoredClaim]], known_at: Instant | None
) -> Mapping[str, Relation]:
    """With what was known of open relations at a moment (None: as known best)."""
    return with_open_relations(relations, rivalries, BEST_KNOWN if known_at is None else known_at)


def _reason(question: str) -> str:
    """Why a question was not understood."""
    from graphmem.retrieve.question import refers_back

    return _NO_TIME if refers_back(question) else _NOT_UNDERSTOOD
