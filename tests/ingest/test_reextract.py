"""Reading again: new claims in place of the old ones in one transaction, what was believed before kept, broken off and gone on."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import SpendLimitReached
from graphmem.inference.scripted import ScriptedModel, ScriptedReply
from graphmem.ingest import reextract
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Filter, JobState
from graphmem.ports import ModelRequest
from tests.clocks import SetClock
from tests.ingest.by_model.answers import JUNE, answer, fact, thing

LATER = JUNE + timedelta(days=30)


def reader(relation: str) -> ScriptedModel:
    """A model that reads "NAME and THING." as one fact of this relation."""

    def reply(request: ModelRequest) -> str:
        text = request.prompt.rpartition("<message ")[2].partition(">")[2].partition(".</message>")[0]
        name, _, other = text.partition(" and ")
        return answer([thing(1, name, "person"), thing(2, other)], [fact(1, relation, 2, text)])

    return ScriptedModel(reply, name=f"reads-{relation.lower()}")


async def tell(path: Path, clock: SetClock, count: int = 3) -> None:
    async with await Memory.open(path, model=reader("KNOWS"), clock=clock) as memory:
        for n in range(count):
            await memory.add_episode(
                f"Ann{n} and Bo{n}.", episode_id=f"e{n}", speaker=f"S{n % 2}", said_at=JUNE + timedelta(days=n)
            )


async def facts_of(memory: Memory, **scope: object) -> list[str]:
    return sorted(f.text for f in await memory.facts(**scope))  # type: ignore[arg-type]


async def test_a_better_model_replaces_what_was_read_and_the_past_stays_as_it_was(tmp_path: Path) -> None:
    clock = SetClock(LATER)
    await tell(tmp_path / "m.db", clock)
    clock.tick(timedelta(hours=1))
    async with await Memory.open(tmp_path / "m.db", model=reader("LIKES"), clock=clock) as memory:
        assert await memory.reextract() == 3

        assert await facts_of(memory) == ["Ann0 likes Bo0", "Ann1 likes Bo1", "Ann2 likes Bo2"]
        assert await facts_of(memory, known_at=LATER + timedelta(minutes=1)) == [
            f"Ann{n} knows Bo{n}" for n in range(3)
        ]
        assert await memory.verify() == []
        assert (await memory.count_jobs())[JobState.DONE] == 3


async def test_reading_again_with_the_same_model_and_prompt_asks_nothing(tmp_path: Path) -> None:
    clock = SetClock(LATER)
    await tell(tmp_path / "m.db", clock)
    model = reader("KNOWS")
    async with await Memory.open(tmp_path / "m.db", model=model, clock=clock) as memory:
        before = await memory.digest()
        assert await memory.reextract() == 0
        assert model.requests == []
        assert await memory.digest() == before


async def test_a_run_that_was_broken_off_goes_on_where_it_was(tmp_path: Path) -> None:
    clock = SetClock(LATER)
    await tell(tmp_path / "m.db", clock, count=6)
    asked: list[ModelRequest] = []
    likes = reader("LIKES")

    def until_the_money_is_gone(request: ModelRequest) -> ScriptedReply:
        asked.append(request)
        return SpendLimitReached("gone") if len(asked) > 2 else likes._reply(request)

    model = ScriptedModel(until_the_money_is_gone, name=likes.name)
    async with await Memory.open(tmp_path / "m.db", model=model, clock=clock) as memory:
        with pytest.raises(SpendLimitReached):
            await memory.reextract()
        assert len([f for f in await facts_of(memory) if "likes" in f]) == 2
        assert len(await facts_of(memory)) == 6
    async with await Memory.open(tmp_path / "m.db", model=likes, clock=clock) as memory:
        await memory.reextract()
        assert len([f for f in await facts_of(memory) if "likes" in f]) == 6
        assert len(likes.requests) == 4


async def test_only_what_was_said_then_and_passes_the_filter_is_read_again(tmp_path: Path) -> None:
    clock = SetClock(LATER)
    await tell(tmp_path / "m.db", clock, count=6)
    async with await Memory.open(tmp_path / "m.db", model=reader("LIKES"), clock=clock) as memory:
        until = JUNE + timedelta(days=5)
        assert await memory.reextract(since=JUNE + timedelta(days=1), until=until, filter=Filter(speaker="S0")) == 2
        assert [f for f in await facts_of(memory) if "likes" in f] == ["Ann2 likes Bo2", "Ann4 likes Bo4"]


async def test_what_a_program_told_is_left_alone(tmp_path: Path) -> None:
    async with await Memory.open(":memory:", model=reader("LIKES"), clock=SetClock(LATER)) as memory:
        await memory.add_claims([NewClaim(subject="Ann", relation="KNOWS", object="Bo")], said_at=JUNE)
        assert await memory.reextract() == 0
        assert await facts_of(memory) == ["Ann knows Bo"]


async def test_many_episodes_of_one_moment_are_all_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reextract, "_PAGE", 2)
    clock = SetClock(LATER)
    async with await Memory.open(tmp_path / "m.db", model=reader("KNOWS"), clock=clock) as memory:
        for n in range(7):
            said_at = JUNE if n < 5 else JUNE + timedelta(days=n)
            await memory.add_episode(f"Ann{n} and Bo{n}.", episode_id=f"e{n}", said_at=said_at)
    async with await Memory.open(tmp_path / "m.db", model=reader("LIKES"), clock=clock) as memory:
        assert await memory.reextract() == 7
        assert len([f for f in await facts_of(memory) if "likes" in f]) == 7


async def test_the_rules_give_way_to_a_model_and_back(tmp_path: Path) -> None:
    clock = SetClock(LATER)
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        await memory.add_episode("I work at Acme.", speaker="Ann", said_at=JUNE)
    nothing = ScriptedModel(lambda _: answer([], []))
    async with await Memory.open(tmp_path / "m.db", model=nothing, clock=clock) as memory:
        assert await memory.reextract() == 1
        assert await facts_of(memory) == []
    async with await Memory.open(tmp_path / "m.db", clock=clock) as memory:
        assert await memory.reextract() == 1
        assert await facts_of(memory) == ["Ann works at Acme"]
        assert await memory.verify() == []
