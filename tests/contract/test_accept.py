"""Accepting episodes: verdicts, jobs, and what is kept of a text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.errors import InvalidGroup, InvalidInput
from graphmem.model import Erasure, Job, JobState, Source, Tombstone
from graphmem.ports import SearchTarget, Store, Verdict
from graphmem.terms import terms
from graphmem.timeline.instants import MAX, MIN

from .build import GROUP, day, episode, scope


async def test_a_new_episode_is_kept_and_queued(store: Store) -> None:
    told = episode(
        "ep-1",
        "Alice works at Acme.\nSince May.",
        source=Source.TEXT,
        said_at=day("2026-05-04"),
        zone="Europe/Lisbon",
        speaker="Bob",
        session_id="s1",
        metadata={"b": "2", "a": "1"},
        trusted=False,
        learned_at=day("2026-05-05"),
    )

    [acceptance] = await store.accept([told], 77)

    queued = Job(job_id="ep-1", group_id=GROUP, state=JobState.QUEUED, seq=1, run_after=77, accepted_at=77)
    assert acceptance.verdict is Verdict.NEW
    assert acceptance.job == queued
    assert await store.episodes(GROUP, ["ep-1"]) == [told]
    assert await store.jobs() == [queued]


async def test_the_same_text_again_is_the_same_and_nothing_is_written(store: Store) -> None:
    [first] = await store.accept([episode("ep-1")], 1)
    digest = await store.digest()

    [second] = await store.accept([episode("ep-1")], 2)

    assert (second.verdict, second.job) == (Verdict.SAME, first.job)
    assert await store.digest() == digest


async def test_another_text_under_an_id_is_a_conflict_and_nothing_is_written(store: Store) -> None:
    await store.accept([episode("ep-1", "Alice works at Acme.")], 1)
    digest = await store.digest()

    [second] = await store.accept([episode("ep-1", "Alice works at Globex.")], 2)

    assert second.verdict is Verdict.CONFLICT
    assert second.job is not None
    assert second.job.job_id == "ep-1"
    assert await store.digest() == digest


async def test_it_is_the_digest_that_tells_a_retry_from_a_conflict(store: Store) -> None:
    await store.accept([episode("ep-1", "my card is [card]", digest=b"one card")], 1)

    retry = episode("ep-1", "my card is [card]", digest=b"one card")
    other = episode("ep-1", "my card is [card]", digest=b"another card")

    assert [a.verdict for a in await store.accept([retry, other], 2)] == [Verdict.SAME, Verdict.CONFLICT]


async def test_an_id_twice_in_one_call_is_the_same_or_a_conflict_the_second_time(store: Store) -> None:
    given = [episode("ep-1", "a"), episode("ep-1", "a"), episode("ep-1", "b"), episode("ep-2", "a")]

    verdicts = [a.verdict for a in await store.accept(given, 1)]

    assert verdicts == [Verdict.NEW, Verdict.SAME, Verdict.CONFLICT, Verdict.NEW]
    assert [job.job_id for job in await store.jobs()] == ["ep-1", "ep-2"]


async def test_an_erased_id_is_told_so_and_nothing_is_written(store: Store) -> None:
    await store.accept([episode("ep-1")], 1)
    tombstone = Tombstone(group_id=GROUP, target_id="ep-1", kind="episode", tau=5)
    await store.erase(Erasure(group_id=GROUP, based_on=MIN, tau=5, tombstones=(tombstone,), episode_ids=("ep-1",)))
    digest = await store.digest()

    [again] = await store.accept([episode("ep-1")], 9)

    assert (again.verdict, again.job) == (Verdict.ERASED, None)
    assert await store.digest() == digest


async def test_a_tombstone_of_another_kind_does_not_block_an_episode(store: Store) -> None:
    tombstone = Tombstone(group_id=GROUP, target_id="ep-1", kind="fact", tau=5)
    await store.erase(Erasure(group_id=GROUP, based_on=MIN, tau=5, tombstones=(tombstone,)))

    [acceptance] = await store.accept([episode("ep-1")], 9)

    assert acceptance.verdict is Verdict.NEW


async def test_the_order_of_acceptance_is_the_order_given(store: Store) -> None:
    await store.accept([episode("ep-b"), episode("ep-a")], 1)
    await store.accept([episode("ep-c", group_id="bob"), episode("ep-0")], 1)

    assert [(job.seq, job.job_id) for job in await store.jobs()] == [
        (1, "ep-b"),
        (2, "ep-a"),
        (3, "ep-c"),
        (4, "ep-0"),
    ]


async def test_a_recorded_answer_comes_with_a_new_job_only(store: Store) -> None:
    answers = {"ep-1": '{"statements": []}'}

    [first] = await store.accept([episode("ep-1")], 1, answers)
    [again] = await store.accept([episode("ep-1")], 2, {"ep-1": "other"})

    assert first.job is not None
    assert first.job.answer == answers["ep-1"]
    assert again.job == first.job


async def test_the_text_is_searchable_at_once(store: Store) -> None:
    await store.accept([episode("ep-1", "The pancake recipe", speaker="Zoë")], 1)

    for words in ("pancakes", "zoe"):
        [hit] = await store.search_text(SearchTarget.EPISODE, terms(words), scope(), limit=5)
        assert hit.item_id == "ep-1"


@pytest.mark.parametrize(
    "text",
    [
        "a\0b",
        "line\r\nbreak \t",
        "“quotes” ' \" ; -- %_",
        "日本語のテキスト",
        "e\u0301 vs é",
        "👩‍👩‍👧 x\u200by",
        " ",
        "x" * 100_000,
    ],
)
async def test_a_text_is_read_back_as_it_was_given(store: Store, text: str) -> None:
    await store.accept([episode("ep-1", text, speaker="a'\"b")], 1)

    [kept] = await store.episodes(GROUP, ["ep-1"])

    assert (kept.text, kept.speaker) == (text, "a'\"b")


@pytest.mark.parametrize("said_at", [MIN, MIN + 1, -1, 0, MAX - 1, MAX])
async def test_any_instant_can_be_a_reference_time(store: Store, said_at: int) -> None:
    await store.accept([episode("ep-1", said_at=said_at, zone="+14:00")], 1)

    [kept] = await store.episodes(GROUP, ["ep-1"])

    assert kept.said_at == said_at


@pytest.mark.parametrize(
    "bad",
    [
        episode("ep-2", "half a pair: \ud800"),
        episode("ep-2", speaker="\udfff"),
        episode("ep-2", metadata={"k": "\ud83d"}),
        episode("ep-2", metadata={"k": "a\0b"}),
        episode("ep-2", metadata={"a\0b": "v"}),
        episode("ep\0", "text"),
    ],
    ids=["text", "speaker", "metadata", "nul-value", "nul-key", "nul-id"],
)
async def test_what_cannot_be_kept_is_refused_and_nothing_of_the_call_is_written(store: Store, bad: object) -> None:
    digest = await store.digest()

    with pytest.raises(InvalidInput):
        await store.accept([episode("ep-1"), bad], 1)  # type: ignore[list-item]

    assert await store.digest() == digest


async def test_a_group_id_of_other_signs_is_refused(store: Store) -> None:
    for group_id in ("", "a b", "a'b", "ä", "*", "g" * 129):
        with pytest.raises(InvalidGroup):
            await store.accept([replace(episode("ep-1"), group_id=group_id)], 1)
    assert await store.groups() == []
