"""What an outside channel says, row by row: shown as a claim of its own, it changes nothing of what trusted voices said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import cast

import pytest

from graphmem.memory import Memory
from graphmem.model import Episode
from graphmem.ports import SearchTarget
from graphmem.retrieve.block_text import parse_block
from tests.cases.table import case, rows_of
from tests.clocks import SetClock, day

Row = Mapping[str, object]
NOW = day("2026-06-01")
SPEAKERS = {"user": "Sam", "assistant": "Assistant", "external": "feed-7"}
BY_HAND = "P-048"


def rows_about(*, benign: bool) -> list[object]:
    found = [row for row in rows_of("poison") if row["benign"] is benign and row["id"] != BY_HAND]
    return [pytest.param(row, id=str(row["id"])) for row in found]


def told_in(row: Row) -> Sequence[Mapping[str, str]]:
    return cast("Sequence[Mapping[str, str]]", cast("Mapping[str, object]", row["input"])["episodes"])


def query_of(row: Row) -> str:
    return str(cast("Mapping[str, object]", row["input"])["query"])


async def tell(memory: Memory, episodes: Sequence[Mapping[str, str]]) -> None:
    for number, told in enumerate(episodes):
        await memory.add_episode(
            told["body"],
            episode_id=f"e{number}",
            speaker=SPEAKERS[told["source"]],
            trusted=told["source"] != "external",
            said_at=NOW - timedelta(days=30, hours=-number),
            metadata={key: value for key, value in told.items() if key not in ("source", "body")},
        )


async def trusted_facts(memory: Memory) -> list[tuple[object, ...]]:
    facts = await memory.facts(during=(None, None), possible=True)
    return [(f.text, f.valid_at, f.invalid_at, f.is_certain) for f in facts if f.version.trusted]


@case(*(str(row["id"]) for row in rows_of("poison") if not row["benign"] and row["id"] != BY_HAND))
@pytest.mark.parametrize("row", rows_about(benign=False))
async def test_what_an_outside_channel_says_changes_nothing_that_was_told(row: Row) -> None:
    episodes = told_in(row)
    async with (
        await Memory.open(":memory:", clock=SetClock(NOW)) as alone,
        await Memory.open(":memory:", clock=SetClock(NOW)) as memory,
    ):
        await tell(alone, [told for told in episodes if told["source"] != "external"])
        await tell(memory, episodes)
        assert await trusted_facts(memory) == await trusted_facts(alone)
        assert [group.group_id for group in await memory.groups()] == ["default"]
        kept: list[Episode] = list(await memory.episodes([f"e{n}" for n in range(len(episodes))]))
        assert [episode.text for episode in kept] == [told["body"] for told in episodes]
        assert await memory.merges() == []

        answer = cast("Mapping[str, str]", row["expected"]).get("answer", "")
        values = (await memory.ask(query_of(row), asked_at=NOW)).values
        assert values == (await alone.ask(query_of(row), asked_at=NOW)).values
        assert all(value in answer for value in values)

        block = await memory.context(query_of(row), asked_at=NOW)
        shown = parse_block(block.text)
        outside = {told["body"] for told in episodes if told["source"] == "external"}
        for line in block.text.splitlines():
            if SPEAKERS["external"] in line:
                assert line.startswith(("[f", "[t")), line
                assert line.partition("]")[0].endswith(" external"), line
            else:
                assert not any(body in line for body in outside), line
        assert block.text.count("</recalled>") == block.text.count("</memory>") == 1
        assert len(shown) == sum(line.startswith(("[f", "[p")) for line in block.text.splitlines())


@case(*(str(row["id"]) for row in rows_of("poison") if row["benign"]))
@pytest.mark.parametrize("row", rows_about(benign=True))
async def test_plain_talk_that_sounds_like_an_order_is_served_like_any_other(row: Row) -> None:
    async with await Memory.open(":memory:", clock=SetClock(NOW)) as memory:
        await tell(memory, told_in(row))
        block = await memory.context(query_of(row), asked_at=NOW)
        wanted = cast("Mapping[str, str]", row["expected"])
        expected = wanted.get("answer_contains", wanted.get("answer", ""))
        lines = [line for line in block.text.splitlines() if line.startswith("[") and expected in line]
        assert lines
        assert not any("external]" in line for line in lines)


@case(BY_HAND)
async def test_what_one_feed_said_is_taken_out_as_if_it_had_never_been_read() -> None:
    shared = ["Alice works at Acme.", "Bob lives in Oslo.", "Carol owns a boat."]
    async with (
        await Memory.open(":memory:", clock=SetClock(NOW)) as memory,
        await Memory.open(":memory:", clock=SetClock(NOW)) as alone,
    ):
        for opened in (memory, alone):
            for n, text in enumerate(shared):
                await opened.add_episode(text, episode_id=f"u{n}", speaker="Sam", said_at=NOW - timedelta(days=9))
        for n, text in enumerate([*shared, "Dan works at Evil Corp.", "Alice left Acme."]):
            await memory.add_episode(text, episode_id=f"feed{n}", speaker="feed-7", trusted=False, said_at=NOW)
        (fact,) = await memory.facts(subject="Bob")
        assert [one.episode.speaker for one in await memory.why(fact.fact.fact_id)] == ["Sam", "feed-7"]
        for n in range(5):
            await memory.erase(episode_id=f"feed{n}")
        assert await trusted_facts(memory) == await trusted_facts(alone)
        assert {f.episode_ids for f in await memory.facts()} == {("u0",), ("u1",), ("u2",)}
        assert await memory.search("Evil Corp Dan feed-7", targets=list(SearchTarget)) == []
        assert await memory.verify() == []
