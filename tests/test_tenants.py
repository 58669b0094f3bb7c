"""Two groups in one memory, told of the same names: nothing that is asked or done in one shows or touches the other."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from graphmem.errors import NotFound
from graphmem.inference.scripted import HashingEmbedder
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Episode
from graphmem.ports import SearchTarget
from graphmem.retrieve.recipes import RECIPES
from tests.clocks import SetClock, day

CANARY = "canary77"


class SeesAll:
    """A cross-encoder that notes what it is shown."""

    name = "sees-all"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.seen += texts
        return [1.0] * len(texts)


@pytest.fixture
def scorer() -> SeesAll:
    return SeesAll()


@pytest.fixture
async def memory(tmp_path: Path, scorer: SeesAll) -> AsyncIterator[Memory]:
    clock = SetClock(day("2026-06-01"))
    async with await Memory.open(tmp_path / "m.db", clock=clock, embedder=HashingEmbedder(), reranker=scorer) as opened:
        for group_id, what in (("a", "a grey cat"), ("b", f"a {CANARY}")):
            for n in range(2):
                await opened.add_episode(
                    f"Tom is {what}, says Alice ({n}).",
                    group_id=group_id,
                    episode_id=f"{group_id}{n}",
                    speaker=f"{CANARY} Bo" if group_id == "b" else "Ann",
                    session_id="s",
                    said_at=day("2026-01-01"),
                )
            await opened.add_claims(
                [
                    NewClaim(subject="Alice", relation="OWNS", object="Tom"),
                    NewClaim(subject="Tom", relation="KNOWN_FOR", object=f"{what} in {group_id}"),
                ],
                group_id=group_id,
                said_at=day("2026-01-02"),
            )
        yield opened


Read = Callable[[Memory], Awaitable[object]]

READS: dict[str, Read] = {
    "facts": lambda m: m.facts(group_ids="a", during=(None, None), possible=True),
    "facts of a name": lambda m: m.facts(group_ids="a", touching="Tom", during=(None, None)),
    "timeline": lambda m: m.timeline("Tom", group_ids="a"),
    "entities": lambda m: m.entities("Tom", group_ids="a"),
    "recent": lambda m: m.recent(group_ids="a"),
    "ask": lambda m: m.ask(f"Does Alice own {CANARY}?", group_ids="a"),
    "context": lambda m: m.context(f"What is Tom, {CANARY}?", group_ids="a"),
    "diff": lambda m: m.diff(day("2020-01-01"), day("2027-01-01"), group_ids="a"),
    "jobs": lambda m: m.jobs(group_ids="a"),
    "merges": lambda m: m.merges(group_id="a"),
    "claims": lambda m: m.claims(group_id="a"),
    **{
        f"search {recipe}": lambda m, recipe=recipe: m.search(  # type: ignore[misc]
            f"Tom Alice cat {CANARY}", group_ids="a", recipe=recipe, targets=list(SearchTarget), neighbours=2, limit=50
        )
        for recipe in RECIPES
    },
}


@pytest.mark.parametrize("name", READS)
async def test_what_is_read_in_one_group_holds_nothing_of_the_other(
    memory: Memory, scorer: SeesAll, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        shown = await READS[name](memory)
    words_of_the_question = 1 if name in ("context", "ask") else 0
    assert repr(shown).count(CANARY) <= words_of_the_question * repr(shown).count(f"{CANARY}?")
    assert "'b'" not in repr(shown)
    assert CANARY not in caplog.text
    assert not any(CANARY in text for text in scorer.seen)


async def test_the_graph_of_one_group_has_no_node_of_the_other(memory: Memory) -> None:
    graph = await memory.graph(group_ids="a")
    assert CANARY not in repr(list(graph.nodes(data=True))) + repr(list(graph.edges(data=True)))
    assert graph.number_of_edges() == 2


ACTS: dict[str, Callable[[Memory, str], Awaitable[object]]] = {
    "why": lambda m, fact_id: m.why(fact_id, group_id="a"),
    "history": lambda m, fact_id: m.history(fact_id, group_id="a"),
    "correct": lambda m, fact_id: m.correct(fact_id, object="x", group_id="a"),
    "retract": lambda m, fact_id: m.retract(fact_id=fact_id, group_id="a"),
    "erase": lambda m, fact_id: m.erase(fact_id=fact_id, group_id="a"),
}
EPISODE_ACTS: dict[str, Callable[[Memory, str], Awaitable[object]]] = {
    "retract": lambda m, episode_id: m.retract(episode_id=episode_id, group_id="a"),
    "erase": lambda m, episode_id: m.erase(episode_id=episode_id, group_id="a"),
    "retry_job": lambda m, job_id: m.retry_job(job_id, group_id="a"),
    "drop_job": lambda m, job_id: m.drop_job(job_id, group_id="a"),
}


async def digests(memory: Memory) -> object:
    theirs = await memory.facts(group_ids="b", during=(None, None), possible=True)
    return theirs, await memory.recent(group_ids="b"), await memory.jobs(group_ids="b")


@pytest.mark.parametrize("act", ACTS)
async def test_a_fact_of_the_other_group_is_as_one_that_does_not_exist(memory: Memory, act: str) -> None:
    theirs = (await memory.facts(group_ids="b", during=(None, None)))[0].fact.fact_id
    before = await digests(memory)
    messages = []
    for fact_id in (theirs, "f_" + "0" * 24):
        with pytest.raises(NotFound) as refusal:
            await ACTS[act](memory, fact_id)
        messages.append(str(refusal.value).replace(fact_id, "ID"))
    assert messages[0] == messages[1]
    assert await digests(memory) == before


@pytest.mark.parametrize("act", EPISODE_ACTS)
async def test_an_episode_of_the_other_group_is_as_one_that_does_not_exist(memory: Memory, act: str) -> None:
    before = await digests(memory)
    messages = []
    for episode_id in ("b0", "x0"):
        with pytest.raises(NotFound) as refusal:
            await EPISODE_ACTS[act](memory, episode_id)
        messages.append(str(refusal.value).replace(episode_id, "ID"))
    assert messages[0] == messages[1]
    assert await digests(memory) == before
    assert await memory.episodes(["b0"], group_id="a") == []


async def test_erasing_a_name_in_one_group_leaves_its_namesake_in_the_other(memory: Memory) -> None:
    before = await digests(memory)
    await memory.erase(entity="Tom", group_id="a")
    assert await memory.entities("Tom", group_ids="a") == []
    assert await digests(memory) == before


async def test_of_two_groups_read_at_once_everything_says_whose_it_is(memory: Memory) -> None:
    found = await memory.search("Tom", group_ids=["a", "b"], targets=[SearchTarget.EPISODE], limit=20)
    episodes: list[Episode] = [one.episode for one in found if one.episode is not None]
    assert {episode.group_id for episode in episodes} == {"a", "b"}
    assert all((CANARY in episode.text) == (episode.group_id == "b") for episode in episodes if "says" in episode.text)
    assert {f.fact.group_id for f in await memory.facts(group_ids=["a", "b"])} == {"a", "b"}


async def test_what_another_group_is_told_by_the_hundred_changes_no_rank_here(memory: Memory) -> None:
    async def ranked() -> list[str]:
        return [one.item_id for one in await memory.search("Does Alice own Tom?", group_ids="a", limit=20)]

    before = await ranked()
    for n in range(100):
        await memory.add_episode(f"Alice owns Tom, and Alice owns Tom {n}.", group_id="b", said_at=day("2026-02-01"))
    assert await ranked() == before
