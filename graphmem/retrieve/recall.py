"""What a question brings to mind, best first: the exact answer, the facts it was read from, what the search finds beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.model import BEST_KNOWN, DatedFact, Episode, Filter, Scope, Window
from graphmem.ports import SearchTarget
from graphmem.retrieve.ask import AskedQuestion, Asker, reader_of
from graphmem.retrieve.evaluate import evaluate
from graphmem.retrieve.follow_up import FollowUp, Shift, TimeOf
from graphmem.retrieve.pipeline import Retrieval, Search
from graphmem.retrieve.query import Anchor, Answer, FactReader, Position, Query, Slot
from graphmem.retrieve.search import Found
from graphmem.timeline.claims import Relation
from graphmem.timeline.instants import MAX, MIN, Instant, to_instant
from graphmem.timeline.scope import read_scope

__all__ = ["Recall", "Recalled"]

SEARCHED = 40
"""So many facts and turns are asked of the search."""
NEIGHBOURS_OF = 5
"""The turns around so many of the best turns come along, last of all: what is said there often goes on about the same."""
_MOST_READ = 200
_LONGEST_ASKED = 400
_LONGEST_SEARCHED = 10_000
_OF_NOW = frozenset([Slot.VALUE, Slot.WHO, Slot.PATH, Slot.YES_NO])


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What came to mind."""

    answer: Answer | None
    """The exact answer, also where it is not known; None: the question was not understood."""
    facts: tuple[DatedFact, ...]
    """Best first; versions that are over only where the question is of more than the present."""
    episodes: tuple[Episode, ...]
    """Best first, trusted ones before others."""
    known_at: Instant
    """As the memory knew it then."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """Recalls what one scope holds for a question."""

    asker: Asker
    retrieval: Retrieval
    relations: Mapping[str, Relation]
    group_ids: tuple[str, ...]
    filter: Filter

    async def of(self, follow_up: FollowUp, asked_at: datetime, zone: str, known_at: Instant | None) -> Recalled:
        """What the question brings to mind; `known_at` wins over what its words say."""
        reads = _Reads(reader=reader_of(self.retrieval.store), filter=self.filter, read=[])
        query = await self._query(follow_up, asked_at, zone, known_at, reads)
        if query is not None:
            known_at = query.known_at
        elif known_at is None:
            known_at = read_scope(_asked_in(follow_up.question), asked_at).known_at
        known = BEST_KNOWN if known_at is None else known_at
        answer = None if query is None else await self._answer(query, follow_up.shifts, reads)
        now = min(to_instant(asked_at), known)
        is_of_now = answer is not None and answer.is_known and _is_of_now(answer.query)
        window = Window.at(now) if is_of_now else Window()
        found = await self.retrieval.search(
            self._search(follow_up.question, window, known, asked_at, is_of_now=is_of_now)
        )
        answered = () if answer is None else answer.facts
        near = [fact for fact in reads.read[:_MOST_READ] if not is_of_now or _is_in(fact, window)]
        searched = [fact for one in found for fact in one.facts]
        return Recalled(
            answer=answer,
            facts=_trusted_first(answered, _each_once([*answered, *_alike(near, answered), *searched, *near])),
            episodes=await self._episodes(answered, _with_neighbours(found), known),
            known_at=known,
            notes=found.notes,
        )

    async def _query(
        self, follow_up: FollowUp, asked_at: datetime, zone: str, known_at: Instant | None, reader: FactReader
    ) -> Query | None:
        """What is asked, at the time that is meant; None where either is not known."""
        asked = AskedQuestion(
            text=_asked_in(follow_up.question),
            group_ids=self.group_ids,
            asked_at=asked_at,
            zone=zone,
            relations=self.relations,
            known_at=known_at,
        )
        query = await self.asker.read(asked)
        if query is None or follow_up.when is None:
            return query
        before = await self._query(follow_up.when.question, asked_at, zone, known_at, reader)
        answer = None if before is None else await self._answer(before, follow_up.when.question.shifts, reader)
        window = None if answer is None else _window_of(answer.facts, follow_up.when)
        return None if window is None else replace(query, window=window, anchor=None)

    async def _answer(self, query: Query, shifts: Sequence[Shift], reader: FactReader) -> Answer:
        relations = await self.asker.relations_at(self.relations, group_ids=self.group_ids, known_at=query.known_at)
        answer = await evaluate(query, reader, relations=relations)
        for shift in shifts:
            if not answer.facts or answer.query is None:
                break
            answer = await _shifted(answer.query, answer.facts, shift, reader, relations)
        return answer

    def _search(self, text: str, window: Window, known_at: Instant, asked_at: datetime, *, is_of_now: bool) -> Search:
        return Search(
            text=text[:_LONGEST_SEARCHED],
            scope=Scope(
                group_ids=self.group_ids,
                window=window,
                known_at=known_at,
                possible=not is_of_now,
                filter=self.filter,
            ),
            targets=(SearchTarget.FACT, SearchTarget.EPISODE),
            recipe=self.retrieval.recipe,
            limit=SEARCHED,
            neighbours=1,
            asked_at=asked_at,
        )

    async def _episodes(
        self, answered: Sequence[DatedFact], found: Sequence[Episode], known_at: Instant
    ) -> tuple[Episode, ...]:
        """Those that support the answer, then those that the search found."""
        behind: list[Episode] = []
        for group_id in dict.fromkeys(fact.fact.group_id for fact in answered):
            ids = [i for fact in answered if fact.fact.group_id == group_id for i in reversed(fact.episode_ids)]
            behind += await self.retrieval.store.episodes(group_id, list(dict.fromkeys(ids)))
        seen = [one for one in behind if one.learned_at <= known_at and self.filter.matches(one)]
        turns: dict[tuple[str, str], Episode] = {}
        for one in (*seen, *found):
            turns.setdefault((one.group_id, one.episode_id if one.trusted else _gist(one.text)), one)
        return tuple(sorted(turns.values(), key=lambda one: not one.trusted))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reads:
    """Reads facts for an evaluation, within the filter, and remembers them."""

    reader: FactReader
    filter: Filter
    read: list[DatedFact]

    async def __call__(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[DatedFact]:
        facts = await self.reader(
            replace(scope, filter=self.filter),
            subjects=subjects,
            relations=relations,
            objects=objects,
            touching=touching,
            limit=limit,
        )
        self.read.extend(facts)
        return facts


async def _shifted(
    query: Query, facts: Sequence[DatedFact], shift: Shift, reader: FactReader, relations: Mapping[str, Relation]
) -> Answer:
    """What held just before the facts of an answer began, or just after they were over, also across a gap (R28a)."""
    is_back = shift is Shift.BEFORE
    version = facts[0].version if is_back else facts[-1].version
    begins = MIN if version.valid_at is None else version.valid_at
    moment = begins - 1 if is_back else version.invalid_at
    plain = replace(query, slot=Slot.VALUE if query.slot not in _OF_NOW else query.slot, n=None, edge=None, anchor=None)
    if MIN <= moment < MAX:
        answer = await evaluate(replace(plain, window=Window.at(moment)), reader, relations=relations)
        if answer.is_known:
            return answer
    anchor = Anchor(
        position=Position.BEFORE if is_back else Position.AFTER,
        subjects=(version.subject,),
        relations=(version.relation,),
        objects=(version.object,),
    )
    return await evaluate(replace(plain, anchor=anchor, window=None), reader, relations=relations)


def _window_of(facts: Sequence[DatedFact], when: TimeOf) -> Window | None:
    """The time of an answer by these facts; None where it is open on the side that is asked for."""
    if not facts:
        return None
    begins, ends = facts[0].version.valid_at, facts[-1].version.invalid_at
    if when.shift is None:
        return Window(start=MIN if begins is None else begins, until=ends)
    moment = ends if when.shift is Shift.AFTER else MIN if begins is None else begins - 1
    return Window.at(moment) if MIN < moment < MAX else None


def _asked_in(message: str) -> str:
    """The message, or the last question in a long one; "" where it holds none that is short enough to be read."""
    if len(message) <= _LONGEST_ASKED:
        return message
    questions = [
        part.strip() for part in re.findall(r"[^.!?\n]+[.!?\n]", message[-_LONGEST_SEARCHED:]) if part[-1] == "?"
    ]
    return questions[-1] if questions and len(questions[-1]) <= _LONGEST_ASKED else ""


def _gist(text: str) -> str:
    """Equal for copies that differ in numbers and punctuation: from an untrusted channel they are one voice."""
    return "".join(character for character in text.casefold() if character.isalpha())


def _with_neighbours(found: Sequence[Found]) -> list[Episode]:
    turns = [one for one in found if one.episode is not None]
    around = [turn for one in turns[:NEIGHBOURS_OF] for turn in (*one.after, *one.before)]
    return [*(one.episode for one in turns if one.episode is not None), *around]


def _is_of_now(query: Query | None) -> bool:
    return query is not None and query.slot in _OF_NOW and query.anchor is None and query.window is None


def _is_in(fact: DatedFact, window: Window) -> bool:
    return window.meets(fact.version.valid_at, fact.version.invalid_at)


def _alike(near: Iterable[DatedFact], answered: Sequence[DatedFact]) -> list[DatedFact]:
    """Facts of the relation of an answer, its rivals first of all."""
    ends = {(fact.relation, end) for fact in answered for end in (fact.fact.subject, fact.fact.object)}
    return [fact for fact in near if {(fact.relation, fact.fact.subject), (fact.relation, fact.fact.object)} & ends]


def _each_once(facts: Iterable[DatedFact]) -> list[DatedFact]:
    """Each version once, where it stands first."""
    once: dict[str, DatedFact] = {}
    for fact in facts:
        once.setdefault(fact.version.version_id, fact)
    return list(once.values())


def _trusted_first(answered: Sequence[DatedFact], facts: Sequence[DatedFact]) -> tuple[DatedFact, ...]:
    head = len(_each_once(answered))
    return (*facts[:head], *sorted(facts[head:], key=lambda fact: not fact.version.trusted))
