"""The façade over a real SQLite file: what users see of telling, reading, taking back and erasing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest

from graphmem.errors import (
    Erased,
    GraphmemError,
    IdempotencyConflict,
    InvalidClaim,
    InvalidEpisode,
    InvalidGroup,
    InvalidInput,
    InvalidLimit,
    InvalidQuery,
    InvalidTime,
    NotFound,
)
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import DatedFact, Filter, JobState
from graphmem.ports import Extraction, ExtractionContext, SearchTarget, Verdict
from graphmem.retrieve.provenance import ChangeKind
from graphmem.timeline.claims import Relation, Rivalry
from tests.clocks import CountedIds, SetClock, day

ACME = NewClaim(subject="Alice", relation="WORKS_AT", object="Acme")
GLOBEX = NewClaim(subject="Alice", relation="WORKS_AT", object="Globex", start="at the start of May")


@pytest.fixture
def clock() -> SetClock:
    return SetClock(day("2025-02-10"))


@pytest.fixture
async def memory(tmp_path: Path, clock: SetClock) -> AsyncIterator[Memory]:
    async with await Memory.open(tmp_path / "m.db", clock=clock, ids=CountedIds()) as opened:
        yield opened


async def told(memory: Memory, clock: SetClock, *claims: NewClaim, at: str, **given: object) -> str:
    clock.set(day(at))
    receipt = await memory.add_claims(claims, said_at=day(at), **given)  # type: ignore[arg-type]
    return receipt.episode_id


async def base_case(memory: Memory, clock: SetClock) -> None:
    await told(memory, clock, ACME, at="2025-02-10")
    await told(memory, clock, GLOBEX, at="2026-06-03")


def objects(facts: list[DatedFact]) -> list[str]:
    return [f.object.name for f in facts]


async def employers(memory: Memory, at: str, known: str | None = None, **given: bool) -> list[str]:
    known_at = None if known is None else day(known)
    found = await memory.facts(subject="Alice", relation="WORKS_AT", at=day(at), known_at=known_at, **given)  # type: ignore[arg-type]
    return objects(found)


async def test_the_base_case_has_right_answers_on_both_axes(memory: Memory, clock: SetClock) -> None:
    await base_case(memory, clock)
    assert await employers(memory, "2026-04-15") == ["Acme"]
    assert await employers(memory, "2026-05-15") == ["Globex"]
    assert await employers(memory, "2026-05-15", known="2026-05-20T23:59:59.999999") == ["Acme"]
    assert await employers(memory, "2024-01-01") == []
    assert await employers(memory, "2024-01-01", possible=True) == ["Acme"]
    year = await memory.facts(subject="Alice", during=(day("2026-01-01"), day("2027-01-01")))
    assert objects(year) == ["Acme", "Globex"]


async def test_a_window_is_half_open_at_the_microsecond(memory: Memory, clock: SetClock) -> None:
    await base_case(memory, clock)
    border = day("2026-05-01")
    assert objects(await memory.facts(subject="Alice", at=border)) == ["Globex"]
    assert objects(await memory.facts(subject="Alice", at=border - timedelta(microseconds=1))) == ["Acme"]


async def test_the_order_of_arrival_does_not_matter(tmp_path: Path) -> None:
    stale = NewClaim(subject="Alice", relation="WORKS_AT", object="Acme")
    news = [(ACME, "2025-02-10"), (GLOBEX, "2026-06-03"), (stale, "2026-03-01")]
    seen = set()
    for position, order in enumerate(permutations(news)):
        clock = SetClock(day("2027-01-01"))
        async with await Memory.open(tmp_path / f"{position}.db", clock=clock, ids=CountedIds()) as memory:
            for claim, said in order:
                clock.tick()
                await memory.add_claims([claim], said_at=day(said))
            rows = [(f.object.name, f.valid_at, f.invalid_at) for f in await memory.timeline("Alice")]
            seen.add(tuple(rows))
    assert len(seen) == 1


async def test_a_receipt_says_what_was_added_and_redated(memory: Memory, clock: SetClock) -> None:
    first = await memory.add_claims([ACME], said_at=day("2025-02-10"))
    clock.set(day("2026-06-03"))
    second = await memory.add_claims([GLOBEX], said_at=day("2026-06-03"))
    assert (first.state, first.verdict, len(first.added), first.redated) == (JobState.DONE, Verdict.NEW, 1, ())
    assert len(second.added) == 1
    assert [r.fact_id for r in second.redated] == list(first.added)


async def test_telling_the_same_twice_changes_nothing(memory: Memory) -> None:
    await memory.add_episode("I work at Acme.", speaker="Alice", episode_id="m-17")
    before = await memory.digest()
    again = await memory.add_episode("I work at Acme.", speaker="Alice", episode_id="m-17")
    assert again.verdict is Verdict.SAME
    assert again.state is JobState.DONE
    assert await memory.digest() == before


async def test_an_id_used_for_another_text_is_a_conflict(memory: Memory) -> None:
    await memory.add_episode("I work at Acme.", speaker="Alice", episode_id="m-17")
    before = await memory.digest()
    with pytest.raises(IdempotencyConflict, match="m-17"):
        await memory.add_episode("I work at Globex.", speaker="Alice", episode_id="m-17")
    assert await memory.digest() == before


async def test_a_restatement_adds_support_and_confirms(memory: Memory, clock: SetClock) -> None:
    await told(memory, clock, ACME, at="2025-02-10")
    await told(memory, clock, ACME, at="2025-04-01")
    (fact,) = await memory.facts(subject="Alice")
    assert fact.last_confirmed_at == day("2025-04-01")
    assert len(fact.episode_ids) == 2
    assert len(await memory.history(fact.fact.fact_id)) == 1
    (before,) = await memory.facts(subject="Alice", known_at=day("2025-03-01"))
    assert before.last_confirmed_at == day("2025-02-10")


async def test_a_retraction_unsays_from_then_on(memory: Memory, clock: SetClock) -> None:
    episode_id = await told(memory, clock, ACME, at="2025-02-10")
    clock.set(day("2025-03-01"))
    assert await memory.retract(episode_id=episode_id, reason="source withdrawn") == 1
    assert await employers(memory, "2025-03-02") == []
    assert await employers(memory, "2025-02-20", known="2025-02-20") == ["Acme"]
    with pytest.raises(NotFound):
        await memory.retract(episode_id=episode_id)


async def test_a_correction_replaces_the_object_from_the_old_start(memory: Memory, clock: SetClock) -> None:
    await told(memory, clock, GLOBEX, at="2026-06-03")
    (fact,) = await memory.facts(subject="Alice")
    clock.set(day("2026-06-10"))
    receipt = await memory.correct(fact.fact.fact_id, object="Initech")
    assert receipt.closed == (fact.fact.fact_id,)
    assert await employers(memory, "2026-05-02") == ["Initech"]
    assert await employers(memory, "2026-05-02", known="2026-06-05") == ["Globex"]


async def test_a_correction_of_a_date_moves_the_start(memory: Memory, clock: SetClock) -> None:
    claim = NewClaim(subject="Cy", relation="WORKS_AT", object="Globex", start=day("2026-05-01").date())
    await told(memory, clock, claim, at="2026-06-03")
    (fact,) = await memory.facts(subject="Cy")
    clock.set(day("2026-06-05"))
    await memory.correct(fact.fact.fact_id, start="on May 4")
    assert await memory.facts(subject="Cy", at=day("2026-05-02")) == []
    assert objects(await memory.facts(subject="Cy", at=day("2026-05-02"), known_at=day("2026-06-04"))) == ["Globex"]


async def test_a_corrected_object_was_so_since_the_old_one_was_first_spoken_of(memory: Memory, clock: SetClock) -> None:
    await told(memory, clock, ACME, at="2025-02-10")
    (fact,) = await memory.facts(subject="Alice")
    clock.set(day("2026-06-10"))
    await memory.correct(fact.fact.fact_id, object="Initech")
    assert await employers(memory, "2025-02-10") == ["Initech"]
    assert await employers(memory, "2025-02-10", known="2026-06-09") == ["Acme"]


async def test_a_corrected_object_takes_over_every_stretch(memory: Memory, clock: SetClock) -> None:
    for first, last in (("2010-01-01", "2012-01-01"), ("2018-01-01", "2020-01-01")):
        claim = NewClaim(subject="Cy", relation="WORKS_AT", object="Globex", start=day(first), end=day(last))
        await told(memory, clock, claim, at="2025-02-10")
    fact = (await memory.facts(subject="Cy", during=(None, None)))[0].fact
    clock.set(day("2026-07-01"))
    await memory.correct(fact.fact_id, object="Initech")
    found = await memory.facts(subject="Cy", during=(None, None))
    assert [(f.object.name, f.valid_at, f.invalid_at) for f in found] == [
        ("Initech", day("2010-01-01"), day("2012-01-01")),
        ("Initech", day("2018-01-01"), day("2020-01-01")),
    ]


@pytest.mark.parametrize(
    ("told_start", "told_end", "start", "end", "right"),
    [
        (None, None, None, "in 2024", []),
        (None, None, None, "in March 2025", [("2025-02-10", "2025-04-01")]),
        ("2018-01-01", "2020-01-01", "2021-01-01", "2022-01-01", [("2021-01-01", "2022-01-01")]),
        ("2018-01-01", "2020-01-01", "2019-01-01", "2022-01-01", [("2019-01-01", "2022-01-01")]),
    ],
)
async def test_a_correction_of_dates_leaves_no_others(
    memory: Memory,
    clock: SetClock,
    told_start: str | None,
    told_end: str | None,
    start: str | None,
    end: str,
    right: list[tuple[str, str]],
) -> None:
    bounds = {"start": day(told_start) if told_start else None, "end": day(told_end) if told_end else None}
    await told(memory, clock, NewClaim(subject="Cy", relation="WORKS_AT", object="Globex", **bounds), at="2025-02-10")
    (fact,) = await memory.facts(subject="Cy", during=(None, None))
    clock.set(day("2026-07-01"))
    given = {key: day(value) if "-" in value else value for key, value in (("start", start), ("end", end)) if value}
    await memory.correct(fact.fact.fact_id, **given)  # type: ignore[arg-type]
    dates = [(f.valid_at, f.invalid_at) for f in await memory.facts(subject="Cy", during=(None, None))]
    assert dates == [(day(begun), day(ended)) for begun, ended in right]


async def test_a_correction_of_one_stretch_leaves_the_others(memory: Memory, clock: SetClock) -> None:
    for first, last in (("2010-01-01", "2012-01-01"), ("2018-01-01", "2020-01-01")):
        claim = NewClaim(subject="Cy", relation="WORKS_AT", object="Globex", start=day(first), end=day(last))
        await told(memory, clock, claim, at="2025-02-10")
    fact = (await memory.facts(subject="Cy", during=(None, None)))[0].fact
    clock.set(day("2026-07-01"))
    await memory.correct(fact.fact_id, start=day("2021-01-01"), end=day("2022-01-01"))
    starts = [f.valid_at for f in await memory.facts(subject="Cy", during=(None, None))]
    assert starts == [day("2010-01-01"), day("2021-01-01")]


async def test_claims_with_other_dates_said_at_the_same_moment_are_news(memory: Memory) -> None:
    for begun, ended in (("2010-01-01", "2012-01-01"), ("2018-01-01", "2020-01-01"), ("2010-01-01", "2012-01-01")):
        claim = NewClaim(subject="Cy", relation="WORKS_AT", object="Globex", start=day(begun), end=day(ended))
        await memory.add_claims([claim], said_at=day("2025-02-10"))
    found = await memory.facts(subject="Cy", during=(None, None))
    assert [(f.valid_at, f.invalid_at) for f in found] == [
        (day("2010-01-01"), day("2012-01-01")),
        (day("2018-01-01"), day("2020-01-01")),
    ]
    assert len(await memory.recent()) == 2


async def test_an_end_that_is_an_instant_is_excluded(memory: Memory) -> None:
    claim = NewClaim(subject="Cy", relation="WORKS_AT", object="Globex", start=day("2010-01-01"), end=day("2012-01-01"))
    await memory.add_claims([claim], said_at=day("2025-02-10"))
    assert await memory.facts(subject="Cy", at=day("2012-01-01")) == []
    assert objects(await memory.facts(subject="Cy", at=day("2011-12-31T23:59:59.999999"))) == ["Globex"]


async def test_an_erased_episode_is_as_if_never_told_at_every_moment(tmp_path: Path) -> None:
    async def build(path: Path, with_secret: bool) -> tuple[list[tuple[object, ...]], ...]:
        clock = SetClock(day("2025-02-10"))
        async with await Memory.open(path, clock=clock, ids=CountedIds()) as memory:
            await told(memory, clock, ACME, at="2025-02-10")
            if with_secret:
                await told(
                    memory,
                    clock,
                    NewClaim(subject="Alice", relation="WORKS_AT", object="Initech", start="in June 2025"),
                    at="2025-07-01",
                    episode=NewEpisode(text="Alice joined Initech", episode_id="secret"),
                )
            await told(memory, clock, GLOBEX, at="2026-06-03")
            if with_secret:
                await memory.erase(episode_id="secret")
            views = []
            for known in ("2025-02-11", "2025-08-01", "2026-07-01"):
                facts = await memory.facts(subject="Alice", during=(None, None), known_at=day(known))
                views.append([(f.object.name, f.valid_at, f.invalid_at) for f in facts])
            return tuple(views)

    assert await build(tmp_path / "a.db", True) == await build(tmp_path / "b.db", False)


async def test_erased_content_is_nowhere_and_its_id_cannot_come_back(memory: Memory, tmp_path: Path) -> None:
    await memory.add_episode("I live in Canarytown.", speaker="Zoe", episode_id="z1")
    await memory.add_episode("I work at Acme.", speaker="Alice", episode_id="a1")
    report = await memory.erase(entity="Zoe")
    assert report.episodes == 1
    for file in tmp_path.iterdir():
        assert b"anarytown" not in file.read_bytes()
    assert await memory.search("Canarytown") == []
    assert objects(await memory.facts(subject="Alice")) == ["Acme"]
    with pytest.raises(Erased):
        await memory.add_episode("I live in Canarytown.", speaker="Zoe", episode_id="z1")


async def test_a_whole_group_can_be_erased_and_others_stay(memory: Memory) -> None:
    await memory.add_claims([ACME], group_id="one")
    await memory.add_claims([ACME], group_id="two")
    await memory.erase(group_id="one", whole_group=True)
    assert await memory.facts(group_ids="one", subject="Alice") == []
    assert objects(await memory.facts(group_ids="two", subject="Alice")) == ["Acme"]


async def test_why_gives_the_sentence_that_said_it(memory: Memory) -> None:
    await memory.add_episode("It rained. I work at Acme. Then the sun came out.", speaker="Alice", episode_id="e1")
    (fact,) = await memory.facts(subject="Alice", relation="WORKS_AT")
    (evidence,) = await memory.why(fact.fact.fact_id)
    assert evidence.episode.episode_id == "e1"
    assert "I work at Acme" in evidence.sentence
    assert "rained" not in evidence.sentence


async def test_a_diff_names_what_was_added_and_redated(memory: Memory, clock: SetClock) -> None:
    await base_case(memory, clock)
    changes = await memory.diff(day("2026-06-01"), day("2026-06-04"))
    kinds = {c.kind: c for c in changes}
    assert set(kinds) == {ChangeKind.ADDED, ChangeKind.REDATED}
    assert objects(list(kinds[ChangeKind.ADDED].after)) == ["Globex"]
    assert kinds[ChangeKind.REDATED].after[0].invalid_at == day("2026-05-01")
    assert await memory.diff(day("2026-06-05"), day("2026-06-06")) == []


async def test_the_graph_at_a_moment_holds_only_what_was_true_then(memory: Memory, clock: SetClock) -> None:
    await base_case(memory, clock)
    graph = await memory.graph(at=day("2026-04-01"))
    assert [data["text"] for _, _, data in graph.edges(data=True)] == ["Alice works at Acme"]


async def test_groups_do_not_see_one_another(memory: Memory) -> None:
    await memory.add_claims([ACME], group_id="one")
    await memory.add_claims([NewClaim(subject="Alice", relation="WORKS_AT", object="Globex")], group_id="two")
    assert objects(await memory.facts(group_ids="one", subject="Alice")) == ["Acme"]
    assert sorted(objects(await memory.facts(group_ids=["one", "two"], subject="Alice"))) == ["Acme", "Globex"]
    with pytest.raises(InvalidGroup):
        await memory.facts(group_ids=[])


async def test_filters_select_by_what_the_supporting_episodes_carry(memory: Memory) -> None:
    await memory.add_claims([ACME], episode=NewEpisode(text="a", session_id="s1", metadata={"app": "mail"}))
    await memory.add_claims(
        [NewClaim(subject="Alice", relation="LIVES_IN", object="Oslo")], episode=NewEpisode(text="b", session_id="s2")
    )
    assert objects(await memory.facts(filter=Filter(session_id="s1"))) == ["Acme"]
    assert objects(await memory.facts(filter=Filter(metadata={"app": "mail"}))) == ["Acme"]
    assert await memory.facts(filter=Filter(session_id="s1", metadata={"app": "chat"})) == []


async def test_a_declaration_that_changes_folds_the_facts_again(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    claims = [
        NewClaim(subject="tia", relation="MASCOT", object=o, start=s)
        for o, s in (("owl", "in 2020"), ("fox", "in 2024"))
    ]
    async with await Memory.open(path) as memory:
        await memory.add_claims(claims)
        assert sorted(objects(await memory.facts(subject="tia"))) == ["fox", "owl"]
    async with await Memory.open(path, relations=[Relation(name="MASCOT", rivalry=Rivalry.SUBJ)]) as memory:
        assert objects(await memory.facts(subject="tia")) == ["fox"]
    async with await Memory.open(path) as memory:
        assert objects(await memory.facts(subject="tia")) == ["fox"]


async def test_an_untrusted_channel_never_closes_what_trusted_ones_said(memory: Memory, clock: SetClock) -> None:
    await told(memory, clock, ACME, at="2025-02-10")
    await told(memory, clock, GLOBEX, at="2026-06-03", trusted=False)
    assert await employers(memory, "2026-06-04") == ["Acme"]


async def test_what_cannot_be_a_claim_is_refused_whole(memory: Memory) -> None:
    before = await memory.digest()
    with pytest.raises(InvalidClaim, match="claim 1"):
        await memory.add_claims([ACME, NewClaim(subject="", relation="WORKS_AT", object="x")])
    with pytest.raises(InvalidInput, match="ends before"):
        await memory.add_claims(
            [NewClaim(subject="a", relation="R", object="b", start=day("2026-05-02"), end=day("2026-05-01"))]
        )
    assert await memory.digest() == before


@pytest.mark.parametrize("limit", [0, -1, 2.5, True, "10; DROP TABLE fact"])
async def test_a_limit_must_be_a_whole_number(memory: Memory, limit: object) -> None:
    with pytest.raises(InvalidLimit):
        await memory.search("alice", limit=limit)  # type: ignore[arg-type]


async def test_twenty_first_mentions_at_once_make_one_person(memory: Memory) -> None:
    said = [memory.add_episode("I work at Acme.", speaker="Alice", episode_id=f"e{n}") for n in range(20)]
    await asyncio.gather(*said)
    assert len(await memory.entities("Alice")) == 1
    (fact,) = await memory.facts(subject="Alice")
    assert len(fact.episode_ids) == 20


async def test_without_waiting_the_work_is_done_in_the_background(memory: Memory) -> None:
    receipt = await memory.add_episode("I work at Acme.", speaker="Alice", wait=False)
    assert receipt.state is JobState.QUEUED
    for _ in range(200):
        if (await memory.count_jobs())[JobState.DONE]:
            break
        await asyncio.sleep(0.01)
    assert objects(await memory.facts(subject="Alice")) == ["Acme"]


async def test_a_poison_episode_is_set_aside_and_the_others_go_on(tmp_path: Path) -> None:
    class Choosy:
        async def extract(self, episode: object, context: ExtractionContext) -> Extraction:
            if "poison" in episode.text:  # type: ignore[attr-defined]
                raise ZeroDivisionError("a bug")
            return Extraction()

    clock = SetClock()
    async with await Memory.open(tmp_path / "m.db", clock=clock, extractor=Choosy()) as memory:
        texts = ["one", "poison", "three"]
        for text in texts:
            await memory.add_episode(text, episode_id=text)
        states = {j.job_id: j.state for j in await memory.jobs()}
        assert (states["one"], states["three"]) == (JobState.DONE, JobState.DONE)
        for _ in range(6):
            clock.tick(timedelta(minutes=10))
            await memory.run_jobs()
        (job,) = await memory.jobs(states=[JobState.QUARANTINED])
        assert job.job_id == "poison"
        assert "ZeroDivisionError" in job.reason
        assert "a bug" not in job.reason
        found = await memory.search("poison", targets=[SearchTarget.EPISODE])
        assert [f.item_id for f in found] == ["poison"]
        await memory.drop_job("poison")
        assert (await memory.count_jobs())[JobState.DROPPED] == 1


async def test_the_transaction_time_rises_under_a_clock_that_goes_backwards(memory: Memory, clock: SetClock) -> None:
    taus: list[datetime] = []
    for step, moment in enumerate(["2026-01-01", "2026-01-01", "2025-12-31", "2036-01-01", "2026-01-02"]):
        clock.set(day(moment))
        await memory.add_claims([NewClaim(subject="a", relation="LIKES", object=f"o{step}")], said_at=day("2025-01-01"))
        created = [f.created_at for f in await memory.facts(subject="a", at=day("2040-01-01"))]
        taus.append(max(c for c in created if c is not None))
    assert taus == sorted(set(taus))


async def test_a_lone_surrogate_in_a_name_is_replaced_and_never_a_foreign_error(memory: Memory) -> None:
    await memory.add_claims(
        [NewClaim(subject="Al\ud800ice", relation="LIKES", object="te\udfffa", start="in \ud800 May 2020")]
    )
    (fact,) = await memory.facts(relation="LIKES")
    assert (fact.subject.name, fact.object.name) == ("Al\ufffdice", "te\ufffda")


async def test_a_question_that_is_too_long_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidQuery, match="too long"):
        await memory.ask("where does Alice work " * 60)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda m: m.facts(at="2026-01-01"), InvalidTime),
        (lambda m: m.facts(known_at="2026"), InvalidTime),
        (lambda m: m.facts(during=(day("2026-01-01"),)), InvalidQuery),
        (lambda m: m.facts(during="2026"), InvalidQuery),
        (lambda m: m.facts(subject=5), InvalidQuery),
        (lambda m: m.facts(filter={"speaker": "Al"}), InvalidQuery),
        (lambda m: m.timeline(5), InvalidQuery),
        (lambda m: m.entities(None), InvalidQuery),
        (lambda m: m.ask(None), InvalidQuery),
        (lambda m: m.ask("Where does Al work?", known_at="2026"), InvalidTime),
        (lambda m: m.context(None), InvalidQuery),
        (lambda m: m.search(None), InvalidQuery),
        (lambda m: m.search("x", centre=5), InvalidQuery),
        (lambda m: m.search("x", targets=["facts"]), InvalidQuery),
        (lambda m: m.search("x", targets=[]), InvalidQuery),
        (lambda m: m.search("x", at=day("2026-01-01"), during=(day("2026-01-01"), None)), InvalidQuery),
        (lambda m: m.jobs(states=["lost"]), InvalidQuery),
        (lambda m: m.diff("2025", "2026"), InvalidTime),
        (lambda m: m.add_episode("x", speaker=5), InvalidEpisode),
        (lambda m: m.add_episodes([{"text": "x"}]), InvalidEpisode),
        (lambda m: m.add_claims([{"subject": "Al"}]), InvalidClaim),
        (lambda m: m.add_claims([NewClaim(subject="Al", relation="OWNS", object="x", start=2020)]), InvalidTime),
    ],
)
async def test_a_wrong_type_is_an_error_of_ours_and_writes_nothing(
    memory: Memory, call: Callable[[Memory], Awaitable[object]], error: type[GraphmemError]
) -> None:
    before = await memory.digest()
    with pytest.raises(error):
        await call(memory)
    assert await memory.digest() == before


async def test_one_target_may_be_given_by_itself(memory: Memory) -> None:
    await memory.add_episode("I work at Acme.", speaker="Al", episode_id="e1")
    assert [one.item_id for one in await memory.search("Acme", targets=SearchTarget.EPISODE)] == ["e1"]
