"""What no call can mean is refused with an error of ours that names the argument, and nothing is written: every call, every argument."""

from __future__ import annotations

import inspect
import math
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.errors import ConfigError, InvalidEpisode, InvalidInput, InvalidLimit, InvalidQuery, InvalidTime
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Filter, Source, Window
from graphmem.ontology import EntityType, Ontology, RelationType
from graphmem.retrieve.block_text import parse_block
from graphmem.retrieve.query import Anchor, Hop, Position, Query, Slot
from graphmem.retrieve.recipes import RECIPES, Lane, Relevance
from graphmem.sync import SyncMemory
from graphmem.timeline.claims import Relation, Rivalry, Sensitivity
from graphmem.timeline.granules import Granule
from tests.clocks import SetClock, day

CALLS = {
    name: list(inspect.signature(method).parameters)[1:]
    for name, method in inspect.getmembers(Memory, inspect.iscoroutinefunction)
    if not name.startswith("_") and name != "open"
}
ARGUMENTS = [(call, argument) for call, arguments in CALLS.items() for argument in arguments]

COUNTS = [
    (call, argument) for call, argument in ARGUMENTS if argument in ("limit", "neighbours", "batch", "budget_tokens")
]
NUMBERS = [(call, argument) for call, argument in ARGUMENTS if argument in ("minimum", "timeout_s", "poll_s")]
FLAGS = [(call, argument) for call, argument in ARGUMENTS if argument in ("wait", "possible", "whole_group", "trusted")]
MOMENTS = [
    (call, argument)
    for call, argument in ARGUMENTS
    if argument in ("at", "known_at", "asked_at", "said_at", "since", "until", "known_a", "known_b")
]
TEXTS = [
    (call, argument) for call, argument in ARGUMENTS if argument in ("reason", "question", "name", "entity", "centre")
]

_CALLED = {
    "episodes": ("episodes", "told"),
    "source": ("source",),
    "text": ("text", "search for"),
    "question": ("question",),
    "targets": ("target",),
    "states": ("state",),
    "claims": ("claims",),
    "relation": ("relation",),
    "group_ids": ("group",),
    "group_id": ("group",),
    "episode_id": ("episode_id", "episode id"),
}
"""What the message calls an argument, where it is not by its name."""


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with await Memory.open(tmp_path / "m.db", clock=SetClock(day("2026-06-01"))) as opened:
        await opened.add_episode("I work at Acme.", speaker="Alice", said_at=day("2026-01-01"), episode_id="e1")
        yield opened


async def needed_by(memory: Memory, call: str) -> dict[str, object]:
    """What a call needs to mean something."""
    (fact,) = await memory.facts(subject="Alice")
    given: Mapping[str, object] = {
        "text": "Acme",
        "question": "Where does Alice work?",
        "name": "Alice",
        "entity": "Alice",
        "relation": "BREWED_BY",
        "rivalry": Rivalry.SUBJ,
        "relations": [Relation(name="BREWED_BY")],
        "episodes": [NewEpisode(text="Bo works at Acme.")],
        "claims": [NewClaim(subject="Bo", relation="WORKS_AT", object="Acme")],
        "fact_id": fact.fact.fact_id,
        "episode_ids": ["e1"],
        "job_id": "e1",
        "kept": "Alice",
        "merged": "Acme",
        "merge_id": "e2",
        "known_a": day("2026-01-01"),
        "known_b": day("2026-02-01"),
        "target": "copy.db",
        "query": Query(slot=Slot.VALUE, group_ids=("default",), asked_at=day("2026-06-01"), subjects=("a",)),
    }
    parameters = inspect.signature(getattr(Memory, call)).parameters
    needed = {name: given[name] for name, p in parameters.items() if name != "self" and p.default is p.empty}
    return {**needed, "object": "Initech"} if call == "correct" else needed


async def check_refused(
    memory: Memory, call: str, argument: str, *wrong: object, error: type[InvalidInput] = InvalidInput
) -> None:
    before = await memory.digest()
    needed = await needed_by(memory, call)
    for value in wrong:
        with pytest.raises(error) as refusal:
            await getattr(memory, call)(**{**needed, argument: value})
        assert any(word in str(refusal.value) for word in _CALLED.get(argument, (argument,))), str(refusal.value)
    assert await memory.digest() == before


def test_every_call_is_looked_at() -> None:
    assert {"add_episode", "correct", "facts", "search", "context", "query", "reembed", "backup"} <= set(CALLS)
    assert set(CALLS) <= {name for name in dir(SyncMemory) if not name.startswith("_")}
    assert min(map(len, (COUNTS, NUMBERS, FLAGS, MOMENTS, TEXTS))) > 2


@pytest.mark.parametrize(("call", "argument"), ARGUMENTS)
async def test_what_no_argument_can_be_is_refused(memory: Memory, call: str, argument: str) -> None:
    await check_refused(memory, call, argument, object(), b"x")


@pytest.mark.parametrize(("call", "argument"), COUNTS)
async def test_a_count_is_a_whole_number_within_its_bounds(memory: Memory, call: str, argument: str) -> None:
    wrong = ("3", 0.5, True, math.nan, math.inf, -1, [], "")
    await check_refused(memory, call, argument, *wrong, error=InvalidLimit)
    if argument != "budget_tokens":  # which has no upper bound
        await check_refused(memory, call, argument, 10**400, error=InvalidLimit)


@pytest.mark.parametrize(("call", "argument"), NUMBERS)
async def test_a_number_is_finite_and_no_text(memory: Memory, call: str, argument: str) -> None:
    wrong = ("0.4", True, math.nan, math.inf, -math.inf, 10**400, [])
    await check_refused(memory, call, argument, *wrong, error=InvalidLimit)


@pytest.mark.parametrize(("call", "argument"), FLAGS)
async def test_a_switch_is_true_or_false(memory: Memory, call: str, argument: str) -> None:
    await check_refused(memory, call, argument, None, 0, 1, "no", [])


@pytest.mark.parametrize(("call", "argument"), MOMENTS)
async def test_a_moment_is_an_aware_datetime(memory: Memory, call: str, argument: str) -> None:
    await check_refused(
        memory, call, argument, 0, "", [], "2026-01-01", day("2026-01-01").replace(tzinfo=None), error=InvalidTime
    )


@pytest.mark.parametrize(("call", "argument"), TEXTS)
async def test_a_text_is_a_str(memory: Memory, call: str, argument: str) -> None:
    await check_refused(memory, call, argument, 5, True, ["Alice"], {"a": 1})


@pytest.mark.parametrize(
    ("call", "argument"), [("correct", "object"), ("merge", "kept"), ("erase", "entity"), ("facts", "relation")]
)
async def test_a_name_that_is_acted_on_is_not_blank(memory: Memory, call: str, argument: str) -> None:
    await check_refused(memory, call, argument, "", " ")


async def test_one_id_may_be_given_by_itself(memory: Memory) -> None:
    assert [e.episode_id for e in await memory.episodes("e1")] == ["e1"]
    assert [c.episode_id for c in await memory.claims(episode_ids="e1")] == ["e1"]
    assert [j.job_id for j in await memory.jobs(job_ids="e1")] == ["e1"]


async def test_half_a_character_in_a_speaker_is_replaced(memory: Memory) -> None:
    await memory.add_episode("I like tea.", speaker="Bo\ud800", session_id="s\ud800", episode_id="e2")
    await memory.add_episode("I like coffee.", speaker="Bo\ud800", session_id="s\ud800")
    assert {e.speaker for e in await memory.recent(limit=2)} == {"Bo\ufffd"}


# ---- what calls are given


@pytest.mark.parametrize(
    "wrong",
    [
        {"session_id": 5},
        {"speaker": ["Alice"]},
        {"source": "post"},
        {"metadata": "a"},
        {"metadata": {"a": {"$ne": ""}}},
        {"metadata": {1: "b"}},
    ],
)
@pytest.mark.parametrize("call", [call for call, argument in ARGUMENTS if argument == "filter"])
async def test_a_filter_of_wrong_values_is_refused(memory: Memory, call: str, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidQuery, match=next(iter(wrong))):
        await getattr(memory, call)(**{**await needed_by(memory, call), "filter": Filter(**wrong)})  # type: ignore[arg-type]


async def test_a_filter_may_name_its_source_by_a_word(memory: Memory) -> None:
    assert len(await memory.recent(filter=Filter(source="message"))) == 1  # type: ignore[arg-type]
    assert await memory.recent(filter=Filter(source=Source.JSON)) == []


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("subject_id", 5),
        ("object_id", ["e"]),
        ("subject_kind", "alien"),
        ("object_kind", None),
        ("inferred", "no"),
        ("told_by", 5),
        ("kind", 5),
        ("start", 2020),
        ("end", ["a"]),
    ],
)
async def test_a_claim_of_wrong_values_is_refused(memory: Memory, argument: str, wrong: object) -> None:
    before = await memory.digest()
    named = {"told_by": "who says so", "subject_kind": "kind", "object_kind": "kind"}.get(argument, argument)
    claim = NewClaim(**{"subject": "Bo", "relation": "WORKS_AT", "object": "Acme", argument: wrong})  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=named):
        await memory.add_claims([claim])
    assert await memory.digest() == before


async def test_a_claim_may_name_its_kinds_by_words(memory: Memory) -> None:
    claim = NewClaim(subject="Bo", relation="WORKS_AT", object="Initech", subject_kind="person")  # type: ignore[arg-type]
    await memory.add_claims([claim])
    assert [e.kind for e in await memory.entities("Bo")] == ["person"]


@pytest.mark.parametrize("wrong", [5, "x", [1], {}])
async def test_statements_are_statements(memory: Memory, wrong: object) -> None:
    with pytest.raises(InvalidEpisode, match="statements"):
        await memory.add_episodes([NewEpisode(text="x", statements=wrong)])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"slot": "value"},
        {"group_ids": "default"},
        {"group_ids": ("a b",)},
        {"asked_at": "2026"},
        {"subjects": "Alice"},
        {"relations": "WORKS_AT"},
        {"objects": (5,)},
        {"path": "WORKS_AT"},
        {"path": ("WORKS_AT",)},
        {"n": "1"},
        {"n": True},
        {"anchor": "then"},
        {"window": (None, None)},
        {"known_at": day("2026-01-01")},
        {"known_since": "2026"},
        {"possible": "no"},
        {"step": "day"},
        {"zone": 5},
    ],
)
def test_a_query_of_wrong_values_is_refused(wrong: dict[str, object]) -> None:
    right: dict[str, object] = {
        "slot": Slot.VALUE,
        "group_ids": ("g",),
        "asked_at": day("2026-01-01"),
        "subjects": ("a",),
    }
    with pytest.raises(InvalidInput, match=next(iter(wrong)).replace("group_ids", "group")):
        Query(**{**right, **wrong})  # type: ignore[arg-type]


def test_an_anchor_and_a_step_of_wrong_values_are_refused() -> None:
    with pytest.raises(InvalidQuery, match="position"):
        Anchor(position="during")  # type: ignore[arg-type]
    with pytest.raises(InvalidQuery, match="subjects"):
        Anchor(position=Position.DURING, subjects="Alice")  # type: ignore[arg-type]
    with pytest.raises(InvalidQuery, match="relations"):
        Hop(relations="WORKS_AT")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("name", ""),
        ("name", "  "),
        ("name", None),
        ("name", 5),
        ("rivalry", "sometimes"),
        ("rivalry", None),
        ("symmetric", "no"),
        ("event", 1),
        ("timeless", None),
        ("sensitivity", "secret"),
        ("phrase", None),
    ],
)
def test_a_relation_of_wrong_values_is_refused(argument: str, wrong: object) -> None:
    with pytest.raises(InvalidInput, match=argument):
        Relation(**{"name": "BREWED_BY", argument: wrong})  # type: ignore[arg-type]


def test_a_relation_may_name_its_rivalry_by_a_word() -> None:
    relation = Relation(name="BREWED_BY", rivalry="subj", sensitivity="health")  # type: ignore[arg-type]
    assert (relation.rivalry, relation.sensitivity) == (Rivalry.SUBJ, Sensitivity.HEALTH)
    assert type(relation.rivalry) is Rivalry


@pytest.mark.parametrize("wrong", [None, 5, "BREWED_BY", ["BREWED_BY"], [{"name": "BREWED_BY"}], {"name": "BREWED_BY"}])
async def test_what_is_declared_are_relations(memory: Memory, wrong: object) -> None:
    with pytest.raises(InvalidInput, match="relations"):
        await memory.declare(wrong)  # type: ignore[arg-type]
    assert await memory.relations() == []


# ---- opening

PARTS = [p for p in inspect.signature(Memory.open).parameters if p not in ("vectors", "fallback")]


@pytest.mark.parametrize("part", PARTS)
async def test_a_part_that_is_none_is_refused_before_anything_is_made(tmp_path: Path, part: str) -> None:
    path = tmp_path / "m.db"
    with pytest.raises(InvalidInput, match=part):
        await Memory.open(**{"url": path, part: object()})  # type: ignore[arg-type]
    assert not path.exists()


@pytest.mark.parametrize("part", ["embedder", "model", "fallback", "vectors"])
@pytest.mark.parametrize("name", ["no such thing", "~nobody9/x", "x" * 300, "\ud800"])
async def test_a_part_of_a_name_that_is_none_is_a_wrong_setting(tmp_path: Path, part: str, name: str) -> None:
    with pytest.raises(ConfigError):
        await Memory.open(tmp_path / "m.db", **{part: name})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["no such thing", "~nobody9/x", "x" * 300, "\ud800"])
async def test_a_counter_of_a_name_that_is_none_is_a_wrong_setting(memory: Memory, name: str) -> None:
    with pytest.raises(ConfigError):
        await memory.context("Where does Alice work?", count_tokens=name)


# ---- searching


@pytest.mark.parametrize(
    "knob", [{"hops": 50}, {"offset": -5}]
)  # B-159, B-162: nobody asks a search for more than it does
async def test_a_search_has_no_knob_that_it_does_not_heed(memory: Memory, knob: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=next(iter(knob))):
        await memory.search("Alice", **knob)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"depth": 0},
        {"depth": -5},
        {"depth": 10**6},
        {"depth": "100"},
        {"depth": True},
        {"rerank_depth": 1.5},
        {"diversity": math.nan},
        {"word_share": "0.3"},
        {"session_share": None},
        {"newest_share": math.inf},
        {"lanes": {Lane.KEYWORD: -1.0}},
        {"lanes": {Lane.KEYWORD: math.nan}},
        {"lanes": {"keyword": 1.0}},
        {"lanes": [Lane.KEYWORD]},
        {"signals": None},
        {"rerank": "maxsim"},
        {"reranked": 0.3},
        {"by_vector": None},
    ],
)
def test_a_recipe_of_wrong_values_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        replace(RECIPES["full"], **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["0.3", math.nan, None, True])
def test_a_relevance_of_wrong_values_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidLimit, match="hit"):
        Relevance(hit=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidLimit, match="best"):
        Relevance(best=wrong)  # type: ignore[arg-type]


# ---- values that a program makes itself


@pytest.mark.parametrize("wrong", ["2026", None, 1.5, day("2026-01-01"), object()])
def test_windows_and_bounds_are_made_of_instants(wrong: object) -> None:
    for make in (
        lambda: Window(start=wrong),  # type: ignore[arg-type]
        lambda: Window(until=wrong),  # type: ignore[arg-type]
        lambda: Window.at(wrong),  # type: ignore[arg-type]
        lambda: Granule(lo=wrong, hi=5),  # type: ignore[arg-type]
        lambda: Granule(lo=1, hi=wrong),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidTime, match="instants"):
            make()


@pytest.mark.parametrize("wrong", [None, 5, b"<memory>"])
def test_the_text_of_a_block_is_a_str(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="block"):
        parse_block(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [5, [5], ["Person"], [object], [RelationType]])
def test_an_ontology_is_made_of_types(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="entities"):
        Ontology(entities=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="relations"):
        Ontology(entities=[], relations=[EntityType])  # type: ignore[list-item]
