"""Tells one story to a memory of its own and asks its questions, everything at the time it happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from benchmarks.stories.answer_score import Reply, is_right
from benchmarks.stories.block_score import BlockScore, score_block
from benchmarks.stories.claim_score import BelievedFact, ClaimCounts, EmittedClaim, count_claims
from benchmarks.stories.loading import GoldClaim, Story, StoryEpisode, StoryQuestion
from benchmarks.stories.moments import span_of
from benchmarks.stories.probe import query_of
from benchmarks.stories.spelling import plain
from graphmem import Answer, EntityKind, JobState, Memory, NewClaim, NewEpisode, Receipt, Relation

__all__ = ["Asked", "ClaimSource", "Phrasing", "SetClock", "StoryResult", "tell_story"]


class ClaimSource(StrEnum):
    """Where the claims come from."""

    OWN = "own"
    """The engine reads the text."""
    GOLD = "gold"
    """The story's claims go in as they are."""
    MODEL = "model"
    """A language model reads the text."""


class Phrasing(StrEnum):
    """How a question is put."""

    WORDS = "words"
    SCOPED = "scoped"
    """Words, with the window and the moment of knowing given."""
    PROBE = "probe"


class SetClock:
    """The clock of a story: it stands where the story has got to."""

    def __init__(self) -> None:
        self._moment = datetime(1970, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self._moment

    def set(self, moment: datetime) -> None:
        self._moment = moment.astimezone(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One question with what came back; no reply: it was left out."""

    question: StoryQuestion
    reply: Reply | None
    is_right: bool
    block: BlockScore | None = None
    """None: not asked for, or there is no answer that a block could hold."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoryResult:
    story: Story
    asked: tuple[Asked, ...]
    """In the order of the set."""
    claims: ClaimCounts
    emitted: tuple[EmittedClaim, ...]
    calls: int
    tokens: int
    episodes: int = 0
    read: int = 0
    """Episodes whose answer could be used."""
    left_out: int = 0
    """Facts and entities of answers that were not believed, and why-notes beside them."""


async def tell_story(
    story: Story,
    memory: Memory,
    clock: SetClock,
    *,
    group_id: str,
    source: ClaimSource,
    phrasing: Phrasing,
    relations: Mapping[str, Relation],
    with_block: bool = False,
) -> StoryResult:
    """Episodes go in at the moment they are learned, questions are asked in between, as the story has them."""
    teller = _Teller(
        story=story,
        memory=memory,
        clock=clock,
        group_id=group_id,
        source=source,
        phrasing=phrasing,
        with_block=with_block,
    )
    waiting = list(story.episodes)
    receipts: list[Receipt] = []
    asked: list[Asked] = []
    for question in sorted(story.questions, key=lambda q: q.asked_at):
        while waiting and waiting[0].learned_at <= question.asked_at:
            receipts += await teller.tell(waiting.pop(0))
        asked.append(await teller.ask(question))
    for episode in waiting:
        receipts += await teller.tell(episode)
    emitted, believed = await teller.emitted(), await teller.believed()
    holding = believed if source is ClaimSource.GOLD else await _facts_of_gold(story, relations)
    return StoryResult(
        story=story,
        asked=tuple(sorted(asked, key=lambda a: a.question.n)),
        claims=count_claims(story, emitted, believed, relations, holding),
        emitted=tuple(emitted),
        calls=sum(receipt.calls for receipt in receipts),
        tokens=sum(receipt.tokens for receipt in receipts),
        episodes=len(receipts),
        read=sum(receipt.state is JobState.DONE for receipt in receipts),
        left_out=sum(len(receipt.ignored) for receipt in receipts),
    )


async def _facts_of_gold(story: Story, relations: Mapping[str, Relation]) -> list[BelievedFact]:
    """What holds at the end of the story by its gold claims."""
    clock = SetClock()
    async with await Memory.open(":memory:", relations=relations.values(), clock=clock) as memory:
        teller = _Teller(
            story=story,
            memory=memory,
            clock=clock,
            group_id=story.group_id,
            source=ClaimSource.GOLD,
            phrasing=Phrasing.WORDS,
            with_block=False,
        )
        for episode in story.episodes:
            await teller.tell(episode)
        clock.set(max([story.episodes[-1].learned_at, *(question.asked_at for question in story.questions)]))
        return await teller.believed()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Teller:
    story: Story
    memory: Memory
    clock: SetClock
    group_id: str
    source: ClaimSource
    phrasing: Phrasing
    with_block: bool

    async def tell(self, episode: StoryEpisode) -> list[Receipt]:
        """Tell an episode, or the gold claims it makes; one that makes none is then left out."""
        self.clock.set(episode.learned_at)
        if self.source is not ClaimSource.GOLD:
            return [await self._tell_text(episode)]
        claims = [_new_claim(c) for c in self.story.claims if c.episode_id == episode.episode_id]
        return [await self._tell_claims(episode, claims)] if claims else []

    async def _tell_text(self, episode: StoryEpisode) -> Receipt:
        return await self.memory.add_episode(
            episode.text,
            group_id=self.group_id,
            episode_id=episode.episode_id,
            source=episode.source,
            speaker=episode.speaker,
            said_at=episode.said_at,
        )

    async def _tell_claims(self, episode: StoryEpisode, claims: Sequence[NewClaim]) -> Receipt:
        source = NewEpisode(
            text=episode.text,
            group_id=self.group_id,
            episode_id=episode.episode_id,
            source=episode.source,
            speaker=episode.speaker,
            said_at=episode.said_at,
        )
        return await self.memory.add_claims(claims, group_id=self.group_id, episode=source)

    async def ask(self, question: StoryQuestion) -> Asked:
        self.clock.set(question.asked_at)
        if self.phrasing is Phrasing.PROBE:
            reply = await self._probed(question)
        else:
            reply = _reply(await self._answer(question))
        right = reply is not None and is_right(question, reply, self.story.claims)
        return Asked(question=question, reply=reply, is_right=right, block=await self._block(question))

    async def _block(self, question: StoryQuestion) -> BlockScore | None:
        if not self.with_block or not question.answers:
            return None
        block = await self.memory.context(question.text, group_ids=self.group_id, asked_at=question.asked_at)
        return score_block(question, block, _reply(block.answer) if block.answer else Reply(), self.story.claims)

    async def _answer(self, question: StoryQuestion) -> Answer:
        scoped = self.phrasing is Phrasing.SCOPED
        return await self.memory.ask(
            question.text,
            group_ids=self.group_id,
            asked_at=question.asked_at,
            during=question.valid if scoped else None,
            known_at=question.known_at if scoped else None,
        )

    async def _probed(self, question: StoryQuestion) -> Reply | None:
        if question.probe is None:
            return None
        query = await query_of(question, question.probe, self.memory, self.group_id, self.story.names)
        return Reply() if query is None else _reply(await self.memory.query(query))

    async def emitted(self) -> list[EmittedClaim]:
        """Every claim that was made, in names."""
        stored = await self.memory.claims(group_id=self.group_id)
        names = await self._names({end for one in stored for end in (one.claim.subject, one.claim.object)})
        return [
            EmittedClaim(
                episode_id=one.episode_id or "",
                kind=str(one.claim.kind),
                subject=names[one.claim.subject],
                relation=one.claim.relation,
                object=names[one.claim.object],
                start=None if one.claim.start is None else span_of(one.claim.start),
                end=None if one.claim.end is None else span_of(one.claim.end),
            )
            for one in stored
        ]

    async def believed(self) -> list[BelievedFact]:
        """What holds when the last thing of the story has happened."""
        facts = await self.memory.facts(group_ids=self.group_id, limit=100_000)
        return [
            BelievedFact(subject=fact.subject.name, relation=fact.relation, object=fact.object.name) for fact in facts
        ]

    async def _names(self, entity_ids: set[str]) -> dict[str, str]:
        names: dict[str, str] = {}
        for entity_id in entity_ids:
            for entity in await self.memory.entities(entity_id, group_ids=self.group_id):
                names[entity.entity_id] = entity.name
        return names


def _new_claim(claim: GoldClaim) -> NewClaim:
    """The claim for a program to tell; what is called as its subject is called is a name, not the thing itself."""
    is_name = plain(claim.subject) == plain(claim.object)
    return NewClaim(
        subject=claim.subject,
        relation=claim.relation,
        object=claim.object,
        kind=claim.kind,
        start=claim.start,
        end=None if claim.kind == "EVENT" else claim.end,
        object_kind=EntityKind.VALUE if is_name else EntityKind.THING,
    )


def _reply(answer: Answer) -> Reply:
    if not answer.is_known:
        return Reply()
    elapsed = None
    if answer.elapsed is not None:
        elapsed = (
            timedelta(microseconds=answer.elapsed.shortest),
            timedelta(microseconds=answer.elapsed.longest),
        )
    return Reply(values=answer.values, granules=tuple(span_of(g) for g in answer.granules), elapsed=elapsed)
