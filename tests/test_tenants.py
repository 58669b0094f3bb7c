"""Two groups in one memory, told of the same names: nothing that is asked or done in one shows or touches the other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import cast

import pytest

from graphmem.errors import InvalidClaim, InvalidGroup, InvalidMetadata, NotFound
from graphmem.inference.scripted import HashingEmbedder
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Episode
from graphmem.ports import SearchTarget, Verdict
from graphmem.retrieve.recipes import RECIPES
from tests.cases.table import case, rows_of
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


@case("T-001", "T-003", "T-008", "T-009", "T-027")
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


@case("T-010")
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


@case("T-012")
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


@case("T-021")
async def test_erasing_a_name_in_one_group_leaves_its_namesake_in_the_other(memory: Memory) -> None:
    before = await digests(memory)
    await memory.erase(entity="Tom", group_id="a")
    assert await memory.entities("Tom", group_ids="a") == []
    assert await digests(memory) == before


@case("T-024")
async def test_of_two_groups_read_at_once_everything_says_whose_it_is(memory: Memory) -> None:
    found = await memory.search("Tom", group_ids=["a", "b"], targets=[SearchTarget.EPISODE], limit=20)
    episodes: list[Episode] = [one.episode for one in found if one.episode is not None]
    assert {episode.group_id for episode in episodes} == {"a", "b"}
    assert all((CANARY in episode.text) == (episode.group_id == "b") for episode in episodes if "says" in episode.text)
    assert {f.fact.group_id for f in await memory.facts(group_ids=["a", "b"])} == {"a", "b"}


@case("T-086", "T-088")
async def test_what_another_group_is_told_by_the_hundred_changes_no_rank_here(memory: Memory) -> None:
    async def ranked() -> list[str]:
        return [one.item_id for one in await memory.search("Does Alice own Tom?", group_ids="a", limit=20)]

    before = await ranked()
    for n in range(100):
        await memory.add_episode(f"Alice owns Tom, and Alice owns Tom {n}.", group_id="b", said_at=day("2026-02-01"))
    assert await ranked() == before


@case("T-007")
async def test_a_walk_from_a_thing_of_the_other_group_is_from_nowhere(memory: Memory) -> None:
    (theirs,) = await memory.entities("Tom", group_ids="b")
    with pytest.raises(NotFound):
        await memory.search("Tom", group_ids="a", centre=theirs.entity_id, recipe="graph")


@case("T-018")
async def test_a_group_is_counted_by_itself(memory: Memory) -> None:
    counts = {group.group_id: (group.episodes, group.claims) for group in await memory.groups()}
    assert set(counts) == {"a", "b"}
    await memory.erase(group_id="b", whole_group=True)
    assert {g.group_id: (g.episodes, g.claims) for g in await memory.groups()} == {"a": counts["a"]}


@case("T-022")
async def test_without_a_group_only_the_default_one_is_read(memory: Memory) -> None:
    for read in (memory.search("Tom Alice"), memory.facts(during=(None, None)), memory.recent()):
        assert list(await read) == []
    with pytest.raises(InvalidGroup):
        await memory.search("Tom Alice", group_ids=[])


@case("T-023")
@pytest.mark.parametrize("recipe", RECIPES)
async def test_the_same_question_asked_in_the_other_group_before_changes_nothing(memory: Memory, recipe: str) -> None:
    async def found(group_id: str) -> list[str]:
        hits = await memory.search(f"Tom {CANARY}", group_ids=group_id, recipe=recipe, targets=list(SearchTarget))
        return [one.item_id for one in hits]

    alone = await found("a")
    theirs = await found("b")
    assert await found("a") == alone
    assert not set(alone) & set(theirs)


@case("T-025")
async def test_twenty_groups_told_at_once_through_one_memory_hold_their_own_only(memory: Memory) -> None:
    async def tell(group_id: str) -> None:
        for n in range(5):
            await memory.add_episode(f"I work at Firm{group_id}.", group_id=group_id, speaker=f"{group_id} {n}")

    groups = [f"g{n}" for n in range(20)]
    await asyncio.gather(*map(tell, groups))
    for group_id in groups:
        facts = await memory.facts(group_ids=group_id)
        assert {fact.object.name for fact in facts} == {f"Firm{group_id}"}
        assert {fact.subject.name for fact in facts} == {f"{group_id} {n}" for n in range(5)}


@case("T-029")
async def test_an_id_of_an_episode_is_of_its_group(memory: Memory) -> None:
    for group_id in ("a", "b"):
        receipt = await memory.add_episode(f"Said in {group_id}.", group_id=group_id, episode_id="k1")
        assert receipt.verdict is Verdict.NEW
    assert [e.text for e in await memory.episodes(["k1"], group_id="a")] == ["Said in a."]


# ---- what is asked for, and by whom, as text


def rows_about(sub: str) -> list[object]:
    return [pytest.param(row, id=str(row["id"])) for row in rows_of("tenants") if row["sub"] == sub]


def args_of(row: dict[str, object]) -> dict[str, object]:
    return dict(cast("dict[str, dict[str, object]]", row["input"])["args"])


@case(*(str(row["id"]) for row in rows_of("tenants") if row["sub"] == "query-injection"))
@pytest.mark.parametrize("row", rows_about("query-injection"))
async def test_a_query_is_words_and_nothing_else(memory: Memory, row: dict[str, object]) -> None:
    await memory.add_episode(f"Alice has a salary of 100k, {CANARY}.", group_id="b")
    before = await memory.digest()
    for recipe in RECIPES:
        found = await memory.search(
            str(args_of(row)["query"]), group_ids="a", recipe=recipe, targets=list(SearchTarget), limit=100
        )
        assert {one.group_id for one in found} <= {"a"}
        assert CANARY not in repr(found)
    assert await memory.digest() == before
    assert await memory.verify() == []


_SPELLED = {
    "acme_1 (with groups acme_1 and acmeX1)": ("acme_1", "acmeX1"),
    "team-a-b (with group team)": ("team-a-b", "team"),
    "A versus a": ("A", "a"),
    "00000000-0000-0000-0000-000000000001": ("00000000-0000-0000-0000-000000000001", "b"),
}
"""The groups of a row that is about two of them: the one asked for, and the other."""


@case(*(str(row["id"]) for row in rows_of("tenants") if row["sub"] == "group-id"))
@pytest.mark.parametrize("row", rows_about("group-id"))
async def test_a_group_is_named_exactly_or_refused(memory: Memory, row: dict[str, object]) -> None:
    given = args_of(row)["group"]
    asked, other = _SPELLED.get(given if isinstance(given, str) else "", (given, None))
    if other is not None:
        for group_id in (str(asked), other):
            await memory.add_episode(f"The salary in {group_id}.", group_id=group_id, episode_id=f"of-{group_id}")
        found = await memory.search("salary", group_ids=str(asked), targets=[SearchTarget.EPISODE])
        assert [one.item_id for one in found] == [f"of-{asked}"]
    elif given == ["a", "b"]:  # a call that names two groups reads two
        assert {one.group_id for one in await memory.search("Tom", group_ids=["a", "b"])} == {"a", "b"}
    else:
        with pytest.raises(InvalidGroup):
            await memory.search("salary", group_ids=given)  # type: ignore[arg-type]


@case("T-052", "T-065", "T-066")
@pytest.mark.parametrize("kind", ["x` WITH n MATCH (m) DETACH DELETE m //", "X" * 10_000, "__Entity__"])
async def test_a_kind_of_thing_is_one_of_a_list(memory: Memory, kind: str) -> None:
    before = await memory.digest()
    claim = NewClaim(subject="Alice", relation="OWNS", object="Tom", subject_kind=kind)  # type: ignore[arg-type]
    with pytest.raises(InvalidClaim):
        await memory.add_claims([claim], group_id="a")
    assert await memory.digest() == before


@case("T-058", "T-064")
@pytest.mark.parametrize("name", ["由...组成", "Alice\\", "a'b\"c`d", "KNOWS]->(m) RETURN m //"])
async def test_any_name_is_only_a_name(memory: Memory, name: str) -> None:
    claim = NewClaim(subject=name, relation=name, object=f"{name} 2")
    await memory.add_claims([claim], group_id="a", said_at=day("2026-01-03"))
    for found in (
        await memory.facts(group_ids="a", subject=name),
        await memory.facts(group_ids="a", relation=name),
        await memory.facts(group_ids="a", object=f"{name} 2"),
    ):
        assert [(f.subject.name, f.relation, f.object.name) for f in found] == [(name, name, f"{name} 2")]
    assert await memory.facts(group_ids="b", subject=name) == []
    assert await memory.verify() == []


@case("T-061")
async def test_a_key_that_graphmem_sets_is_nobody_elses(memory: Memory) -> None:
    with pytest.raises(InvalidMetadata):
        await memory.add_episode("x", group_id="a", metadata={"uuid": "b0"})
