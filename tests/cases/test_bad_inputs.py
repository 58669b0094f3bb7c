"""Bad input, row by row: an error of ours and nothing written, or taken as it is and found again."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

import pytest

from graphmem import errors
from graphmem.errors import GraphmemError
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import Episode, JobState
from graphmem.ports import Extraction, ExtractionContext, SearchTarget
from graphmem.terms import terms
from tests.cases.table import rows_of
from tests.clocks import SetClock, day

NOW = day("2026-06-01")
TEXT_SECONDS = 10.0
QUERY_SECONDS = 2.0
_HALF = re.compile("[\ud800-\udfff]")

Row = Mapping[str, object]


class ReadsNothing:
    """For texts of megabytes, of which the store and not the rules are tried."""

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        return Extraction()


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with await Memory.open(tmp_path / "m.db", clock=SetClock(NOW)) as opened:
        yield opened


def rows_about(*subs: str) -> list[object]:
    return [pytest.param(row, id=str(row["id"])) for row in rows_of("bad_inputs") if row["sub"] in subs]


def args_of(row: Row) -> dict[str, object]:
    """The arguments of a row, those that JSON cannot hold made."""
    given = cast("dict[str, object]", row["input"])
    args = dict(cast("dict[str, object]", given.get("args", {})))
    generated = cast("dict[str, object] | None", given.get("gen"))
    if generated is not None:
        args["query" if given["op"] == "search" else "body"] = _generated(generated)
    if isinstance(args.get("body"), dict):
        args["body"] = bytes.fromhex(cast("dict[str, str]", args["body"])["bytes_hex"])
    metadata = args.get("metadata")
    if isinstance(metadata, dict):
        args["metadata"] = {k: {"a", "b"} if v == "__set__" else v for k, v in metadata.items()}
    if "reference_time" in args:
        args["reference_time"] = _moment(args["reference_time"], cast("str | None", args.pop("tz", None)))
    return args


def _generated(spec: Mapping[str, object]) -> str:
    if "nest" in spec:
        return str(spec["nest"]) * int(str(spec["depth"]))
    piece, size = str(spec["repeat"]), int(str(spec["to_bytes"]))
    return (piece * (size // len(piece) + 1))[:size]


def _moment(given: object, zone: str | None) -> object:
    """A datetime where Python reads one, else what was given, as a careless caller would pass it on."""
    if not isinstance(given, str):
        return given
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        return given
    return moment if zone is None else moment.replace(tzinfo=ZoneInfo(zone))


async def told(memory: Memory, args: Mapping[str, object]) -> str:
    """The id of the episode told with a row's arguments."""
    names = {"type": "source", "reference_time": "said_at", "metadata": "metadata"}
    named = {names[key]: value for key, value in args.items() if key in names}
    receipt = await memory.add_episode(args.get("body"), speaker="Alice", **named)  # type: ignore[arg-type]
    assert receipt.state is JobState.DONE
    return receipt.episode_id


async def check_refused(memory: Memory, row: Row, call: Awaitable[object]) -> None:
    before = await memory.digest()
    expected = getattr(errors, str(cast("dict[str, object]", row["expected"])["error"]))
    with pytest.raises(GraphmemError) as refusal:
        await call
    assert type(refusal.value) is expected
    assert await memory.digest() == before


# ---- telling


@pytest.mark.parametrize("row", rows_about("text", "json", "time", "metadata"))
async def test_an_episode_is_refused_whole_or_kept_as_it_came(memory: Memory, tmp_path: Path, row: Row) -> None:
    args = args_of(row)
    outcome = cast("dict[str, str]", row["expected"])["outcome"]
    if outcome == "reject":
        await check_refused(memory, row, told(memory, args))
        return
    if isinstance(args.get("reference_time"), str):  # a leap second: Python has none, so it is no datetime
        with pytest.raises(errors.InvalidTime):
            await told(memory, args)
        return
    if "gen" in cast("dict[str, object]", row["input"]):
        await check_megabytes(tmp_path / "big.db", str(args["body"]))
        return
    await memory.add_episode("I work at Acme.", speaker="Alice", said_at=day("2020-01-01"))
    episode_id = await told(memory, args)
    [episode] = await memory.episodes([episode_id])
    assert episode.text == _HALF.sub("\ufffd", str(args["body"]))
    assert await memory.verify() == []
    for fact in await memory.facts(during=(None, None), possible=True):
        assert await memory.episodes(fact.episode_ids)
    if row["id"] in CHECKS:
        await CHECKS[str(row["id"])](memory, episode)


async def check_megabytes(path: Path, text: str) -> None:
    async with await Memory.open(path, extractor=ReadsNothing()) as memory:
        began = time.process_time()
        receipt = await memory.add_episode(text)
        assert time.process_time() - began < TEXT_SECONDS
        [episode] = await memory.episodes([receipt.episode_id])
        assert episode.text == text
        if " " in text:
            assert await episodes_found(memory, " ".join(text.split(maxsplit=3)[:2])) == [receipt.episode_id]


async def episodes_found(memory: Memory, query: str) -> list[str]:
    return [found.item_id for found in await memory.search(query, targets=[SearchTarget.EPISODE])]


def is_found_by(*queries: str) -> Callable[[Memory, Episode], Awaitable[None]]:
    async def check(memory: Memory, episode: Episode) -> None:
        for query in queries:
            assert episode.episode_id in await episodes_found(memory, query), query

    return check


async def check_names_are_plain(memory: Memory, episode: Episode) -> None:
    for fact in await memory.facts(during=(None, None), possible=True):
        assert not re.search("[\u202a-\u202e\u200b]", fact.subject.name + fact.object.name)


async def check_one_alice(memory: Memory, episode: Episode) -> None:
    assert len(await memory.entities("Alice")) == 1
    assert len(await memory.entities("Ali\u200bce")) == 1


async def check_look_alike_is_somebody_else(memory: Memory, episode: Episode) -> None:
    [alice] = await memory.entities("Alice")
    assert alice not in await memory.entities("\u0410lice")


async def check_nothing_was_read(memory: Memory, episode: Episode) -> None:
    assert await memory.claims(episode_ids=[episode.episode_id]) == []


async def check_commands_nothing(memory: Memory, episode: Episode) -> None:
    for fact in await memory.facts(during=(None, None), possible=True):
        assert not {"Admin", "root"} & {fact.subject.name, fact.object.name}


async def check_is_last(memory: Memory, episode: Episode) -> None:
    assert (await memory.recent())[-1].episode_id == episode.episode_id


async def check_microseconds(memory: Memory, episode: Episode) -> None:
    assert episode.said_at % 1_000_000 == 123_456


async def check_is_not_now(memory: Memory, episode: Episode) -> None:
    now = await memory.facts(subject="Alice")
    assert all(episode.episode_id not in fact.episode_ids for fact in now)


async def check_claims_no_trust(memory: Memory, episode: Episode) -> None:
    assert dict(episode.metadata) == {"source": "user", "trust": "verified"}
    assert (episode.source, episode.trusted) == ("message", True)


CHECKS: Mapping[str, Callable[[Memory, Episode], Awaitable[None]]] = {
    "B-009": is_found_by("caf\u00e9 Zo\u00eb"),
    "B-010": check_names_are_plain,
    "B-011": check_one_alice,
    "B-012": check_look_alike_is_somebody_else,
    "B-013": is_found_by("nickname"),
    "B-016": is_found_by("istanbul", "strasse ag"),
    "B-017": is_found_by("finance", "Alice"),
    "B-035": check_nothing_was_read,
    "B-036": check_commands_nothing,
    "B-039": check_is_last,
    "B-049": check_microseconds,
    "B-056": check_is_not_now,
    "B-188": check_claims_no_trust,
}


# ---- intervals


async def test_b063_a_fact_without_a_start_ended_when_it_was_said_to(memory: Memory) -> None:
    claim = NewClaim(subject="Alice", relation="WORKS_AT", object="Acme", end=day("2024-05-01"))
    await memory.add_claims([claim], said_at=day("2024-06-01"))
    before = await memory.facts(subject="Alice", at=day("2024-04-01"), possible=True)
    assert [(f.object.name, f.is_certain, f.valid_at) for f in before] == [("Acme", False, None)]
    assert await memory.facts(subject="Alice", at=day("2024-06-02"), possible=True) == []


async def test_b064_a_fact_without_dates_holds_from_when_it_was_said(memory: Memory) -> None:
    claim = NewClaim(subject="Alice", relation="WORKS_AT", object="Acme")
    await memory.add_claims([claim], said_at=day("2024-06-01"))
    [fact] = await memory.facts(subject="Alice")
    assert (fact.valid_at, fact.version.start_stated) == (day("2024-06-01"), False)


async def test_b065_at_a_handover_only_the_new_fact_holds(memory: Memory) -> None:
    old = NewClaim(subject="Alice", relation="WORKS_AT", object="Acme", start=day("2023-01-01"), end=day("2024-05-01"))
    new = NewClaim(subject="Alice", relation="WORKS_AT", object="Beta", start=day("2024-05-01"))
    await memory.add_claims([old, new], said_at=day("2024-06-01"))
    [fact] = await memory.facts(subject="Alice", at=day("2024-05-01"))
    assert fact.object.name == "Beta"


async def test_b066_late_old_news_does_not_close_the_newer_fact(memory: Memory) -> None:
    for said, firm in (("2024-06-01", "Beta"), ("2024-03-01", "Acme")):
        claim = NewClaim(subject="Alice", relation="WORKS_AT", object=firm, start=day(said))
        await memory.add_claims([claim], said_at=day(said))
    found = await memory.facts(subject="Alice", during=(None, None))
    assert [(f.object.name, f.valid_at, f.invalid_at) for f in found] == [
        ("Acme", day("2024-03-01"), day("2024-06-01")),
        ("Beta", day("2024-06-01"), None),
    ]


async def test_b067_a_later_episode_is_not_seen_at_an_earlier_moment(memory: Memory) -> None:
    await memory.add_claims([NewClaim(subject="Alice", relation="WORKS_AT", object="Acme")], said_at=day("2024-03-01"))
    assert await memory.facts(subject="Alice", at=day("2024-02-01")) == []
    assert await memory.facts(subject="Alice", known_at=NOW - timedelta(days=1)) == []


# ---- searching

_NAMES = {"query": "text", "group": "group_ids", "as_of": "at", "limit": "limit"}


@pytest.mark.parametrize("row", rows_about("query", "limit", "group"))
async def test_a_search_is_refused_or_means_the_plain_words_in_it(memory: Memory, row: Row) -> None:
    receipt = await memory.add_episode("Alice and Bob like word games.", episode_id="e1")
    args = {_NAMES[key]: value for key, value in args_of(row).items()}
    outcome = cast("dict[str, str]", row["expected"])["outcome"]
    if outcome == "reject":
        await check_refused(memory, row, memory.search(**args))  # type: ignore[arg-type]
        return
    began = time.process_time()
    found = [one.item_id for one in await memory.search(**args)]  # type: ignore[arg-type]
    assert time.process_time() - began < QUERY_SECONDS
    is_meant = bool({*terms("Alice Bob word")} & {*terms(str(args["text"])[:100])}) and "group_ids" not in args
    assert found == ([receipt.episode_id] if is_meant else [])
    assert outcome == "ok" or not found


# ---- paths


@pytest.mark.parametrize("row", rows_about("path"))
async def test_a_copy_is_not_made_where_none_can_be(memory: Memory, tmp_path: Path, row: Row) -> None:
    given = str(args_of(row)["path"])
    target = tmp_path / ("kept" if given == "existing file" else given)
    if given == "existing file":
        target.write_text("kept")
    await check_refused(memory, row, memory.backup(target))
    assert target.name != "kept" or target.read_text() == "kept"


def test_every_row_has_a_test() -> None:
    tested = {"text", "json", "time", "metadata", "query", "limit", "group", "path"}
    by_hand = {"B-063", "B-064", "B-065", "B-066", "B-067"}
    left = {row["id"] for row in rows_of("bad_inputs") if row["sub"] not in tested}
    assert left == by_hand
    assert json.dumps(sorted(CHECKS)) == json.dumps(sorted(set(CHECKS) & {str(r["id"]) for r in rows_of("bad_inputs")}))
