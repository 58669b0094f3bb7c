"""A model that fails in every way it can: no episode is lost, no half is written, and its job says why."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import (
    AnswerTruncated,
    ConfigError,
    ModelNotAuthorized,
    PromptTooLong,
    RateLimited,
    SpendLimitReached,
)
from graphmem.inference.scripted import ScriptedModel, ScriptedReply
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.by_model import ModelExtractor
from graphmem.ingest.by_model.extractor import MAX_OUTPUT_TOKENS
from graphmem.memory import Memory
from graphmem.model import JobState
from graphmem.ports import ExtractionContext, ModelAnswer, ModelRequest, StopReason
from graphmem.timeline.instants import to_instant
from tests.cases.table import rows_of
from tests.clocks import SetClock
from tests.ingest.by_model.answers import ACME, JUNE, answer, episode, fact, said, thing

CUT = ModelAnswer(text=ACME[:-30], stop=StopReason.MAX_TOKENS)
REFUSED = ModelAnswer(text="", stop=StopReason.REFUSAL, refusal_category="bio")
FULL = ModelAnswer(text="", stop=StopReason.CONTEXT_EXCEEDED)
NOTHING = answer([], [])
NAMES = ("Ahlgren", "Brandt", "Castell", "Dorn", "Eriksen", "Falk", "Grau", "Hauge")


def always(reply: ScriptedReply) -> ScriptedModel:
    return ScriptedModel(lambda _: reply)


async def opened(path: Path, model: ScriptedModel, clock: SetClock, fallback: str = "none") -> Memory:
    return await Memory.open(path / "m.db", model=model, clock=clock, fallback=fallback)


async def tell(memory: Memory, text: str = "I work at Acme.", episode_id: str = "e1") -> JobState:
    return (await memory.add_episode(text, speaker="Ann", episode_id=episode_id, said_at=JUNE)).state


async def job_of(memory: Memory, job_id: str = "e1") -> tuple[JobState, str]:
    (job,) = await memory.jobs(job_ids=[job_id])
    return job.state, job.reason


async def is_found(memory: Memory, word: str = "Acme") -> bool:
    return any(hit.episode is not None for hit in await memory.search(word))


# ---- one episode


async def test_a_cut_answer_is_asked_for_once_more_with_all_the_room() -> None:
    model = ScriptedModel([CUT, ACME])

    extraction = await ModelExtractor(model).extract(episode("I work at Acme."), ExtractionContext())

    assert len(extraction.statements) == 1
    assert extraction.calls == 2
    first, second = (request.max_output_tokens for request in model.requests)
    assert first < 1_200
    assert second == MAX_OUTPUT_TOKENS


async def test_a_long_text_has_all_the_room_at_once_and_twice_as_much_when_it_was_cut() -> None:
    text = "Nothing happened today. " * 130 + "I work at Acme."
    model = ScriptedModel([CUT, ACME])

    await ModelExtractor(model).extract(episode(text), ExtractionContext())

    assert [r.max_output_tokens for r in model.requests] == [MAX_OUTPUT_TOKENS, 2 * MAX_OUTPUT_TOKENS]


async def test_a_model_that_goes_in_circles_is_not_given_more_room() -> None:
    circles = replace(CUT, text=ACME[:-30] + ACME[20:-30] * 20)
    model = always(circles)

    with pytest.raises(AnswerTruncated):
        await ModelExtractor(model).extract(episode("I work at Acme."), ExtractionContext())

    assert len(model.requests) == 1


async def test_forty_different_facts_that_were_cut_off_are_no_circle() -> None:
    people = [f"{first} {last}" for first in ("Ada", "Bo", "Cy", "Dee", "Eli") for last in NAMES]
    many = answer(
        [thing(number, name) for number, name in enumerate(people)],
        [fact("EMPLOYED_BY", number, number + 1, quote=f"{name} joined") for number, name in enumerate(people[:-1])],
    )
    model = ScriptedModel([replace(CUT, text=many), ACME])

    extraction = await ModelExtractor(model).extract(episode("I work at Acme."), ExtractionContext())

    assert len(extraction.statements) == 1


@pytest.mark.parametrize("first", [CUT, FULL, PromptTooLong("too long")], ids=["cut", "full", "too long"])
async def test_a_text_that_never_fits_is_read_in_halves_with_its_quotes_in_place(first: ScriptedReply) -> None:
    text = "Nothing happened today. " * 20 + "I work at Acme."

    def reply(request: ModelRequest) -> ScriptedReply:
        if request.prompt.count("Nothing") > 10:
            return first
        return ACME if "I work at Acme" in request.prompt else NOTHING

    (statement,) = (await ModelExtractor(ScriptedModel(reply)).extract(episode(text), ExtractionContext())).statements

    begin, end = statement.quote or (0, 0)
    assert text[begin:end] == "I work at Acme"


async def test_a_short_text_that_fills_every_answer_is_given_up() -> None:
    with pytest.raises(AnswerTruncated):
        await ModelExtractor(always(CUT)).extract(episode("I work at Acme."), ExtractionContext())


async def test_a_text_over_the_length_of_a_part_is_read_part_by_part(tmp_path: Path) -> None:
    text = "Nothing happened. " * 700 + "I work at Acme."
    model = ScriptedModel(lambda request: ACME if "I work at Acme" in request.prompt else NOTHING)
    async with await opened(tmp_path, model, SetClock(JUNE)) as memory:
        await tell(memory, text)

        (claim,) = await memory.claims()
        begin, end = claim.quote or (0, 0)
        assert text[begin:end] == "I work at Acme"
        assert len(model.requests) == 3


# ---- jobs


@pytest.mark.parametrize(
    ("reply", "reason"),
    [(REFUSED, "refusal: "), (CUT, "truncated: "), (PromptTooLong("no"), "truncated: ")],
    ids=["refused", "cut", "too long"],
)
async def test_what_cannot_be_read_is_set_aside_and_found_as_raw_text(
    tmp_path: Path, reply: ScriptedReply, reason: str
) -> None:
    async with await opened(tmp_path, always(reply), SetClock(JUNE)) as memory:
        assert await tell(memory) is JobState.QUARANTINED
        _, why = await job_of(memory)
        assert why.startswith(reason)
        assert "Acme" not in why
        assert await is_found(memory)
        assert await memory.claims() == []


@pytest.mark.parametrize("row", [pytest.param(row, id=str(row["id"])) for row in rows_of("model_answers")])
async def test_a_case_of_the_table_ends_as_it_says(tmp_path: Path, row: dict[str, dict[str, str]]) -> None:
    given = row["input"]
    text = given.get("text") or answer([thing(1, "A" * int(given["name_of_characters"]))], [])
    clock = SetClock(JUNE)
    async with await opened(tmp_path, always(text), clock) as memory:
        state = await tell(memory, "Alice and B know A.")
        outcome = row["expected"]["outcome"]
        if "matches" not in text and "resolutions" not in text:
            assert state is (JobState.RETRYING if outcome in ("retry", "quarantine") else JobState.DONE)
        for _ in range(5):
            clock.tick(timedelta(minutes=10))
            await memory.run_jobs()
        assert (await job_of(memory))[0] is (JobState.DONE if state is JobState.DONE else JobState.QUARANTINED)
        assert await memory.claims() == []
        assert await memory.verify() == []


async def test_a_model_out_of_reach_never_costs_a_job_its_life(tmp_path: Path) -> None:
    clock, model = SetClock(JUNE), ScriptedModel(lambda _: ACME)
    model.is_down = True
    async with await opened(tmp_path, model, clock) as memory:
        assert await tell(memory) is JobState.RETRYING
        for _ in range(20):
            clock.tick(timedelta(hours=1))
            await memory.run_jobs()
        state, why = await job_of(memory)
        assert state in (JobState.RETRYING, JobState.QUEUED)
        assert why.startswith("ModelUnavailable")
        model.is_down = False
        clock.tick(timedelta(hours=1))
        await memory.run_jobs()
        assert (await job_of(memory))[0] is JobState.DONE
        assert len(await memory.facts(at=JUNE)) == 1


async def test_a_pause_of_a_day_is_kept_by_the_job_and_not_by_the_process(tmp_path: Path) -> None:
    clock, failure = SetClock(JUNE), RateLimited("slow down", retry_after_s=86_400.0)
    async with await opened(tmp_path, always(failure), clock) as memory:
        assert await tell(memory) is JobState.RETRYING
        (job,) = await memory.jobs()
        assert job.run_after - to_instant(JUNE) >= 86_400_000_000


@pytest.mark.parametrize(
    "error", [SpendLimitReached("$5 are spent"), ModelNotAuthorized("no key")], ids=["money", "key"]
)
async def test_a_halted_model_stops_the_work_and_leaves_its_jobs_queued(tmp_path: Path, error: ScriptedReply) -> None:
    model = ScriptedModel(lambda _: error)
    async with await opened(tmp_path, model, SetClock(JUNE)) as memory:
        for n in range(4):
            await memory._ingestion.accept([new_episode(n)])
        for _ in range(7):
            with pytest.raises(type(error)):
                await memory.run_jobs()
        counts = await memory.count_jobs()
        assert counts[JobState.QUEUED] == 4
        assert (await job_of(memory, "n0"))[1].endswith(str(error))
        assert len(model.requests) <= 7 * 4

        model._function = lambda _: NOTHING
        assert await memory.run_jobs() == 4
        assert (await memory.count_jobs())[JobState.DONE] == 4


async def test_telling_a_memory_whose_model_is_halted_says_so_and_keeps_the_episode(tmp_path: Path) -> None:
    async with await opened(tmp_path, always(SpendLimitReached("$5 are spent")), SetClock(JUNE)) as memory:
        with pytest.raises(SpendLimitReached):
            await tell(memory)
        assert (await job_of(memory))[0] is JobState.QUEUED
        assert await is_found(memory)


async def test_an_answer_is_recorded_before_it_is_used(tmp_path: Path) -> None:
    model = ScriptedModel([ACME])
    async with await opened(tmp_path, model, SetClock(JUNE)) as memory:
        await tell(memory)
        (job,) = await memory.jobs()
        assert json.loads(job.answer or "{}")["origin"].startswith("scripted extract@")
        assert (await memory.claims())[0].origin == json.loads(job.answer or "{}")["origin"]


# ---- the rules stand in


async def test_the_rules_stand_in_for_a_model_that_is_down_and_give_way_in_one_transaction(tmp_path: Path) -> None:
    clock = SetClock(JUNE)
    better = answer(
        [thing(1, "Ann", "person", words="I"), thing(2, "Acme"), thing(3, "nurse", "value")],
        [fact(1, "WORKS_AT", 2, "I work at Acme"), fact(1, "HAS_ROLE", 3, "as a nurse")],
    )
    model = ScriptedModel(lambda _: better)
    model.is_down = True
    async with await opened(tmp_path, model, clock, fallback="rules") as memory:
        assert await tell(memory, "I work at Acme as a nurse. I live in Oslo.") is JobState.RETRYING
        by_rules = {f.text for f in await memory.facts(at=JUNE)}
        assert "Ann lives in Oslo" in by_rules
        assert {c.origin for c in await memory.claims()} == {"rules"}
        believed_at = clock.now()

        model.is_down = False
        clock.tick(timedelta(hours=1))
        await memory.run_jobs()

        assert {f.text for f in await memory.facts(at=JUNE)} == {"Ann works at Acme", "Ann is nurse"}
        assert {f.text for f in await memory.facts(at=JUNE, known_at=believed_at)} == by_rules
        claims = await memory.claims()
        taus = {c.tau for c in claims if c.origin != "rules"}
        assert {c.retracted_at for c in claims if c.origin == "rules"} == taus
        assert await memory.verify() == []


async def test_what_both_read_alike_stays_one_version(tmp_path: Path) -> None:
    clock, model = SetClock(JUNE), ScriptedModel(lambda _: ACME)
    model.is_down = True
    async with await opened(tmp_path, model, clock, fallback="rules") as memory:
        await tell(memory)
        (before,) = await memory.facts(at=JUNE)
        model.is_down = False
        clock.tick(timedelta(hours=1))
        await memory.run_jobs()

        assert (await job_of(memory))[0] is JobState.DONE
        assert len(await memory.history(before.fact.fact_id)) == 1


async def test_the_rules_stand_in_once_for_an_episode(tmp_path: Path) -> None:
    clock, model = SetClock(JUNE), ScriptedModel(lambda _: ACME)
    model.is_down = True
    async with await opened(tmp_path, model, clock, fallback="rules") as memory:
        await tell(memory)
        for _ in range(4):
            clock.tick(timedelta(hours=1))
            await memory.run_jobs()
        assert len(await memory.claims()) == 1


@pytest.mark.parametrize("reply", [REFUSED, CUT, "no JSON"], ids=["refused", "cut", "prose"])
async def test_the_rules_stand_in_for_good_where_the_model_never_reads(tmp_path: Path, reply: ScriptedReply) -> None:
    clock = SetClock(JUNE)
    async with await opened(tmp_path, always(reply), clock, fallback="rules") as memory:
        await tell(memory)
        for _ in range(5):
            clock.tick(timedelta(hours=1))
            await memory.run_jobs()
        assert (await job_of(memory))[0] is JobState.QUARANTINED
        assert [f.text for f in await memory.facts(at=JUNE)] == ["Ann works at Acme"]


async def test_a_halted_model_leaves_the_job_queued_and_the_rules_read(tmp_path: Path) -> None:
    async with await opened(tmp_path, always(SpendLimitReached("$5")), SetClock(JUNE), fallback="rules") as memory:
        with pytest.raises(SpendLimitReached):
            await tell(memory)
        assert (await job_of(memory))[0] is JobState.QUEUED
        assert [f.text for f in await memory.facts(at=JUNE)] == ["Ann works at Acme"]


async def test_an_unknown_fallback_is_refused() -> None:
    with pytest.raises(ConfigError, match="rules"):
        await Memory.open(":memory:", fallback="magic")


# ---- words of the model


async def test_no_word_of_a_model_outlives_the_episode_it_was_said_of(tmp_path: Path) -> None:
    told = fact(1, "ENVIES", 2, "envies Bo", sentence="Ann secretly envies Bo")
    reply = answer([thing(1, "Ann", "person", words="I"), thing(2, "Bo", "person")], [told])
    async with await opened(tmp_path, always(reply), SetClock(JUNE)) as memory:
        await tell(memory, "Psst: my brother says Ann envies Bo.", "e1")
        await tell(memory, "Ann envies Bo, yes.", "e2")

        await memory.erase(episode_id="e1")

        assert [f.text for f in await memory.facts(at=JUNE)] == ["Ann envies Bo"]
        assert [job.job_id for job in await memory.jobs()] == ["e2"]
        assert await memory.search("Psst brother") == []


# ---- windows


def chat(request: ModelRequest) -> ScriptedReply:
    """Reads "I work at X." in every message."""
    messages = request.prompt.split("<message ")[1:]
    things, facts = [], []
    for number, message in enumerate(messages, start=1):
        speaker = message.partition('from="')[2].partition('"')[0]
        if "I work at " in message:
            firm = message.partition("I work at ")[2].partition(".")[0]
            first = len(things) + 1
            things += [thing(first, speaker, "person", words="I"), thing(first + 1, firm)]
            facts.append(fact(first, "WORKS_AT", first + 1, f"I work at {firm}", message=number))
    return answer(things, facts)


TURNS = [("Ann", "Hello!"), ("Bo", "I work at Acme."), ("Ann", "I work at Globex."), ("Bo", "Nice."), ("Ann", "Bye.")]


async def told_together(memory: Memory, session_id: str | None) -> None:
    offered = [
        new_episode(n, text=text, speaker=speaker, session_id=session_id) for n, (speaker, text) in enumerate(TURNS)
    ]
    await memory.add_episodes(offered)


async def test_short_messages_of_one_session_are_read_in_one_call_each_fact_with_its_own(tmp_path: Path) -> None:
    model = ScriptedModel(chat)
    async with await opened(tmp_path, model, SetClock(JUNE)) as memory:
        await told_together(memory, "s1")

        assert len(model.requests) == 1
        assert [(c.episode_id, c.quote) for c in await memory.claims()] == [("n1", (0, 14)), ("n2", (0, 16))]
        assert (await memory.count_jobs())[JobState.DONE] == 5
        assert sum(1 for f in await memory.facts(at=JUNE + timedelta(minutes=1)) if "works at" in f.text) == 2


async def test_messages_of_no_session_are_read_one_by_one(tmp_path: Path) -> None:
    model = ScriptedModel(chat)
    async with await opened(tmp_path, model, SetClock(JUNE)) as memory:
        await told_together(memory, None)
        assert len(model.requests) == 5


async def test_a_message_that_is_refused_does_not_take_its_window_along(tmp_path: Path) -> None:
    def reply(request: ModelRequest) -> ScriptedReply:
        return REFUSED if "Nice." in request.prompt.partition("<message ")[2] else chat(request)

    async with await opened(tmp_path, ScriptedModel(reply), SetClock(JUNE)) as memory:
        await told_together(memory, "s1")

        counts = await memory.count_jobs()
        assert (counts[JobState.DONE], counts[JobState.QUARANTINED]) == (4, 1)
        assert len(await memory.claims()) == 2


async def test_a_fact_goes_to_the_message_that_holds_its_quote() -> None:
    window = [
        episode("Hello!", episode_id="a", session_id="s"),
        episode("I work at Acme.", episode_id="b", session_id="s"),
    ]
    first, second = await ModelExtractor(ScriptedModel([ACME])).extract_window(window, ExtractionContext())

    assert first.statements == ()
    assert said(second.statements) == [("HOLD", "Ann", "WORKS_AT", "Acme")]
    assert (first.calls, second.calls) == (1, 0)


def test_a_window_ends_at_its_limit_of_tokens_and_at_a_session() -> None:
    extractor = ModelExtractor(ScriptedModel([]), window_tokens=120)
    some = [episode("word " * 20, episode_id=str(n), session_id="s" if n < 5 else "t") for n in range(7)]

    windows = extractor.windows_of(some)

    assert [[e.episode_id for e in window] for window in windows] == [["0", "1"], ["2", "3"], ["4"], ["5", "6"]]


async def test_windows_are_read_side_by_side(tmp_path: Path) -> None:
    class Slow(ScriptedModel):
        at_once = 0
        most = 0

        async def complete(self, request: ModelRequest) -> ModelAnswer:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            await asyncio.sleep(0.01)
            self.at_once -= 1
            return await super().complete(request)

    model = Slow(lambda _: NOTHING)
    async with await opened(tmp_path, model, SetClock(JUNE)) as memory:
        await told_together(memory, None)
    assert model.most == len(TURNS)


def new_episode(
    n: int, *, text: str = "I work at Acme.", speaker: str = "Ann", session_id: str | None = None
) -> NewEpisode:
    return NewEpisode(
        text=text,
        group_id="default",
        episode_id=f"n{n}",
        speaker=speaker,
        session_id=session_id,
        said_at=JUNE + timedelta(seconds=n),
    )
