"""Two hundred mutations of valid answers: no crash, no half-written episode, no fact without a quote in its text."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

import pytest

from graphmem.inference.scripted import ScriptedModel
from graphmem.memory import Memory
from graphmem.model import JobState
from graphmem.ports import SearchTarget
from graphmem.terms import name_key
from tests.clocks import SetClock
from tests.ingest.by_model.answers import JUNE, answer, fact, thing

MUTATIONS = 200
TEXT = (
    "Ann here. I left Acme in May. Since 2 June I work at Globex as a nurse, Tom Berg is my boss, and he lives in Oslo until 2027. "
    "We were never married! Mia says Tom plays chess."
)
VALID = answer(
    [
        thing(1, "Ann", "person", words="I"),
        thing(2, "Acme"),
        thing(3, "Globex"),
        thing(4, "nurse", "value"),
        thing(5, "Tom Berg", "person"),
        thing(6, "Oslo"),
        thing(7, "chess"),
    ],
    [
        fact(1, "WORKS_AT", 2, "I left Acme in May", "STOP", end="in May"),
        fact(1, "WORKS_AT", 3, "Since 2 June I work at Globex", start="Since 2 June"),
        fact(1, "HAS_ROLE", 4, "as a nurse", start="Since 2 June"),
        fact(1, "REPORTS_TO", 5, "Tom Berg is my boss"),
        fact(5, "LIVES_IN", 6, "he lives in Oslo until 2027", end="until 2027"),
        fact(1, "MARRIED_TO", 5, "We were never married", "NEVER"),
        fact(5, "PLAYS", 7, "Mia says Tom plays chess", says="Mia"),
    ],
)
ODD: tuple[object, ...] = (
    None, True, -1, 0, 7, 10**30, 1.5, float("inf"), "", "x" * 100_000, "\ud800", "\0", "I", "1", "HOLD", "2024-13-45",
    "9999-12-31", "0001", "2027/2024", "until", "</message>", [], [1], {}, {"n": 1}, [[[[]]]], "Tom Berg", "٣", "２",
)  # fmt: skip
Json: TypeAlias = object


def places_in(value: Json, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Every place in a JSON value but the top."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, child in children for place in ((*path, key), *places_in(child, (*path, key)))]


def holder_of(value: Json, path: tuple[object, ...]) -> object:
    for key in path[:-1]:
        value = value[key]  # type: ignore[index]
    return value


def put_odd(value: Json, path: tuple[object, ...], chance: random.Random) -> None:
    holder_of(value, path)[path[-1]] = chance.choice(ODD)  # type: ignore[index]


def take_out(value: Json, path: tuple[object, ...], chance: random.Random) -> None:
    del holder_of(value, path)[path[-1]]  # type: ignore[attr-defined]


def swap(value: Json, path: tuple[object, ...], chance: random.Random) -> None:
    other = chance.choice(places_in(value))
    if path == other[: len(path)] or other == path[: len(other)]:
        return
    one, two = holder_of(value, path), holder_of(value, other)
    one[path[-1]], two[other[-1]] = two[other[-1]], one[path[-1]]  # type: ignore[index]


def rename(value: Json, path: tuple[object, ...], chance: random.Random) -> None:
    holder = holder_of(value, path)
    if isinstance(holder, dict):
        holder[chance.choice(("id", "entity_name", "kind", "source", "§"))] = holder.pop(path[-1])


def repeat(value: Json, path: tuple[object, ...], chance: random.Random) -> None:
    holder = holder_of(value, path)
    if isinstance(holder, list):
        holder.extend([holder[0]] * chance.choice((1, 3, 600)))


def of_text(text: str, chance: random.Random) -> str:
    """The text of an answer with bytes of it changed, cut, doubled, or wrapped."""
    place = chance.randrange(len(text))
    kinds: tuple[Callable[[], str], ...] = (
        lambda: text,
        lambda: text,
        lambda: text[:place],
        lambda: text[:place] + chance.choice('{}[]",:\\\x00é') + text[place:],
        lambda: text[:place] + text[place + chance.randrange(40) :],
        lambda: f"<think>{text[:place]}</think>```json\n{text}\n```",
        lambda: text + text,
        lambda: json.dumps(text),
    )
    return chance.choice(kinds)()


def mutated(seed: int) -> str:
    chance = random.Random(seed)
    value: Json = json.loads(VALID)
    for _ in range(chance.randint(1, 4)):
        places = places_in(value)
        if places:
            chance.choice((put_odd, put_odd, take_out, swap, rename, repeat))(value, chance.choice(places), chance)
            value = json.loads(json.dumps(value))  # so that no part of it is another part too
    return of_text(json.dumps(value, ensure_ascii=chance.random() < 0.5), chance)


@pytest.mark.parametrize("first", range(0, MUTATIONS, 20))
async def test_a_mutated_answer_never_crashes_half_writes_or_invents(first: int) -> None:
    clock = SetClock(JUNE)
    answers = {f"e{seed}": mutated(seed) for seed in range(first, first + 20)}
    model = ScriptedModel(lambda request: answers[request.prompt.rpartition('from="')[2].partition('"')[0]])
    async with await Memory.open(":memory:", model=model, clock=clock) as memory:
        for episode_id in answers:
            await memory.add_episode(TEXT, speaker=episode_id, episode_id=episode_id, group_id=episode_id, said_at=JUNE)
        for _ in range(4):
            clock.tick(timedelta(minutes=10))
            await memory.run_jobs()
        for episode_id in answers:
            await check_whole(memory, episode_id)
        assert await memory.verify() == []


async def check_whole(memory: Memory, episode_id: str) -> None:
    """Done with facts that stand in the text, or set aside with none, and found by its words either way."""
    (job,) = await memory.jobs(group_ids=episode_id)
    assert job.state in (JobState.DONE, JobState.QUARANTINED)
    claims = await memory.claims(group_id=episode_id)
    if job.state is JobState.QUARANTINED:
        assert claims == []
        assert job.reason.startswith("MalformedAnswer")
    for claim in claims:
        assert claim.quote is not None
        assert TEXT[slice(*claim.quote)].strip()
        assert claim.told_by is None or set(name_key(claim.told_by).split()) <= set(re.findall(r"\w+", name_key(TEXT)))
    assert await memory.search("nurse", group_ids=episode_id, targets=[SearchTarget.EPISODE])


def test_the_mutations_reach_both_ends() -> None:
    """Some are harmless and some are not: the fuzzer is neither blunt nor blind."""
    texts = [mutated(seed) for seed in range(MUTATIONS)]
    assert len(set(texts)) > 150
    assert sum(_is_json(text) for text in texts) in range(60, 180)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
