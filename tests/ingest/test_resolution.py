"""Who is meant: names settled by a model only where there is doubt, merges that can be undone, namesakes kept apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.errors import InvalidInput, ModelUnavailable, NotFound, PromptTooLong
from graphmem.inference.scripted import ScriptedModel, ScriptedReply
from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.likeness import are_alike
from graphmem.ingest.new_claims import NewClaim
from graphmem.memory import Memory
from graphmem.model import EntityKind, JobState
from graphmem.ports import ModelAnswer, ModelRequest, StopReason
from graphmem.terms import name_key
from graphmem.timeline.claims import Kind, Relation, Rivalry
from tests.clocks import SetClock
from tests.ingest.by_model.answers import JUNE, answer, fact, thing

LATER = JUNE + timedelta(days=1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Notice SN-2031-041", "Notice SN-2031-042"),
        ("Python 3.11", "Python 3.12"),
        ("Terminal 1", "Terminal 2"),
        ("user_name", "user_names"),
        ("anna@acme.com", "anne@acme.com"),
        ("김서준", "김서진"),
        ("Аnna Berg", "Anna Berg"),  # the first letter is Cyrillic
        ("Jonas Weber", "Jonas Brandt"),
        ("C++", "C#"),
        ("Mia", "Mio"),
        ("main.py", "main.rs"),
    ],
)
def test_what_must_not_be_taken_for_the_same_is_not_even_proposed(one: str, other: str) -> None:
    assert not are_alike(name_key(one), name_key(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("J. Okafor", "Jane Okafor"),
        ("Globex Corp", "Globex Corporation"),
        ("Globex", "Globex Corporation"),
        ("Jon Haverkamp", "John Haverkamp"),
        ("Zoë Lindqvist", "Zoe Lindquist"),
    ],
)
def test_what_may_be_the_same_is_proposed(one: str, other: str) -> None:
    assert are_alike(name_key(one), name_key(other))


def test_blanks_do_not_matter_in_scripts_that_may_do_without() -> None:
    assert name_key("스타랩스") == name_key("스타 랩스")
    assert name_key("김서준") != name_key("김서진")


# ---- the second call


class TwoCalls:
    """A model that reads "NAME works at FIRM." and settles names as it is told."""

    def __init__(self, settles: ScriptedReply | Callable[[ModelRequest], ScriptedReply]) -> None:
        self._settles = settles
        self.model = ScriptedModel(self._reply)

    def asked(self, stage: str) -> list[ModelRequest]:
        return [request for request in self.model.requests if request.stage == stage]

    def _reply(self, request: ModelRequest) -> ScriptedReply:
        if request.stage != "extract":
            return self._settles(request) if callable(self._settles) else self._settles
        text = request.prompt.rpartition("<message ")[2].partition(">")[2].partition("</message>")[0]
        things, facts = [], []
        for sentence in text.strip(" .").split("; "):
            name, _, firm = sentence.partition(" works at ")
            first = len(things) + 1
            things += [thing(first, name, "person"), thing(first + 1, firm)]
            facts.append(fact(first, "WORKS_AT", first + 1, sentence))
        return answer(things, facts)


def same_as(*choices: int) -> str:
    return json.dumps({"matches": [{"n": n, "same_as": choice} for n, choice in enumerate(choices, start=1)]})


async def tell(memory: Memory, *texts: str) -> None:
    for number, text in enumerate(texts):
        receipt = await memory.add_episode(text, episode_id=f"e{number}", said_at=JUNE + timedelta(minutes=number))
        assert receipt.state is JobState.DONE


async def facts_of(memory: Memory, name: str) -> set[str]:
    return {f.text for f in await memory.timeline(name)}


async def test_a_name_that_resembles_a_known_one_is_settled_in_one_more_call() -> None:
    scripted = TwoCalls(same_as(1))
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(memory, "Jane Okafor works at Acme.", "J. Okafor works at Globex.")

        assert len(scripted.asked("extract")) == 2
        (asked,) = scripted.asked("settle")
        assert "Acme" in asked.prompt
        assert "2026-06-03" in asked.prompt
        assert "Jane Okafor works at Globex" in await facts_of(memory, "J. Okafor")
        (merge,) = await memory.merges()
        assert (merge.kept.name, merge.name, merge.is_undone) == ("Jane Okafor", "J. Okafor", False)
        assert merge.origin.startswith("scripted")


async def test_what_a_model_took_for_the_same_can_be_told_apart_again() -> None:
    scripted = TwoCalls(same_as(1))
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(memory, "Jane Okafor works at Acme.", "J. Okafor works at Globex.")
        (merge,) = await memory.merges()

        assert await memory.unmerge(merge.merge_id) == 1

        assert {f.text for f in await memory.facts()} == {"Jane Okafor works at Acme", "J. Okafor works at Globex"}
        assert await facts_of(memory, "J. Okafor") == {"J. Okafor works at Globex"}
        (merge,) = await memory.merges()
        assert merge.is_undone
        assert await memory.verify() == []


async def test_a_known_name_needs_no_second_call() -> None:
    scripted = TwoCalls(ModelUnavailable("nobody may ask"))
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(memory, "Jane Okafor works at Acme.", "Jane Okafor works at Globex.", "Jane works at Initech.")

        assert scripted.asked("settle") == []
        assert {e.name for e in await memory.entities("Jane")} == {"Jane Okafor"}


async def test_all_doubtful_names_of_an_episode_are_settled_at_once() -> None:
    scripted = TwoCalls(same_as(1, 0))
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(
            memory,
            "Jane Okafor works at Acme; Peter Haverkamp works at Acme.",
            "J. Okafor works at Globex; P. Haverkamp works at Globex.",
        )

        assert len(scripted.asked("settle")) == 1
        assert "Jane Okafor works at Globex" in await facts_of(memory, "Jane Okafor")
        (apart,) = await memory.entities("P. Haverkamp")
        assert apart.name == "P. Haverkamp"


async def test_identifiers_are_never_asked_about() -> None:
    scripted = TwoCalls(same_as(1, 1))
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(memory, "Robot SN-2031-041 works at Acme.", "Robot SN-2031-042 works at Globex.")

        assert scripted.asked("settle") == []
        assert await facts_of(memory, "Robot SN-2031-041") == {"Robot SN-2031-041 works at Acme"}


async def test_what_an_untrusted_channel_says_is_never_taken_for_a_known_name() -> None:
    scripted = TwoCalls(same_as(1))
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(memory, "Jane Okafor works at Acme.")
        await memory.add_episode("J. Okafor works at Globex.", said_at=JUNE, trusted=False)

        assert scripted.asked("settle") == []
        assert await memory.merges() == []


async def test_names_of_one_batch_are_settled_among_themselves() -> None:
    scripted = TwoCalls(same_as(1))
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await memory.add_episodes(
            [
                NewEpisode(text=text, said_at=JUNE + timedelta(minutes=n))
                for n, text in enumerate(("Jane Okafor works at Acme.", "J. Okafor works at Globex."))
            ]
        )
        assert "new as well" in scripted.asked("settle")[0].prompt
        assert "Jane Okafor works at Globex" in await facts_of(memory, "Jane Okafor")


async def test_two_people_of_one_name_are_kept_apart_by_context() -> None:
    def settles(request: ModelRequest) -> str:
        candidates = request.prompt.split("  candidate ")[1:]
        colleague = [n for n, candidate in enumerate(candidates, start=1) if "Globex" in candidate]
        return same_as(colleague[0] if "at Globex Labs" in request.prompt else 0)

    scripted = TwoCalls(settles)
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(
            memory,
            "Jonas Weber works at Acme; Jonas Brandt works at Globex.",
            "Jonas works at Globex Labs.",
            "J. Weber works at Initech.",
        )

        assert len(scripted.asked("settle")) == 2
        assert "Jonas Brandt works at Globex Labs" in await facts_of(memory, "Jonas Brandt")
        assert await facts_of(memory, "Jonas Weber") == {"Jonas Weber works at Acme"}
        assert await facts_of(memory, "J. Weber") == {"J. Weber works at Initech"}


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON at all",
        ModelAnswer(text="", stop=StopReason.REFUSAL),
        PromptTooLong("too long"),
        json.dumps({"matches": 5}),
        json.dumps({"matches": [{"n": 1, "same_as": 99}]}),
        json.dumps({"matches": [{"n": 7, "same_as": 1}]}),
        json.dumps({"matches": [{"n": 1, "same_as": 0}, {"n": 1, "same_as": 1}]}),
        json.dumps({"matches": [{"n": 1}]}),
    ],
    ids=str,
)
async def test_a_verdict_that_cannot_be_used_leaves_the_names_apart_and_says_so(reply: ScriptedReply) -> None:
    scripted = TwoCalls(reply)
    async with await Memory.open(":memory:", model=scripted.model, clock=SetClock(LATER)) as memory:
        await tell(memory, "Jane Okafor works at Acme.")
        receipt = await memory.add_episode("J. Okafor works at Globex.", said_at=JUNE)

        assert receipt.state is JobState.DONE
        assert receipt.ignored
        assert await facts_of(memory, "J. Okafor") == {"J. Okafor works at Globex"}
        assert await memory.merges() == []


async def test_a_model_that_goes_away_between_its_calls_is_not_asked_the_first_one_again(tmp_path: Path) -> None:
    scripted, clock = TwoCalls(ModelUnavailable("gone")), SetClock(LATER)
    async with await Memory.open(tmp_path / "m.db", model=scripted.model, clock=clock) as memory:
        await tell(memory, "Jane Okafor works at Acme.")
        receipt = await memory.add_episode("J. Okafor works at Globex.", said_at=JUNE)
        assert receipt.state is JobState.RETRYING
        scripted._settles = same_as(1)
        clock.tick(timedelta(hours=1))
        await memory.run_jobs()

        assert len(scripted.asked("extract")) == 2
        assert len(scripted.asked("settle")) == 2
        assert "Jane Okafor works at Globex" in await facts_of(memory, "Jane Okafor")


# ---- merging by hand


async def okafors(memory: Memory) -> None:
    for name, firm, n in (("Jane Okafor", "Acme", 0), ("J. Okafor", "Globex", 1)):
        claim = NewClaim(subject=name, relation="OWNS", object=firm, subject_kind=EntityKind.PERSON)
        await memory.add_claims([claim], said_at=JUNE + timedelta(minutes=n))


async def test_a_merge_moves_what_was_told_and_an_unmerge_brings_it_back_as_it_was() -> None:
    clock = SetClock(LATER)
    async with await Memory.open(":memory:", clock=clock) as memory:
        await okafors(memory)
        before = {f.text for f in await memory.facts()}
        clock.tick()
        merge = await memory.merge("Jane Okafor", "J. Okafor", reason="same badge")

        assert await facts_of(memory, "J. Okafor") >= {"Jane Okafor owns Acme", "Jane Okafor owns Globex"}
        assert {f.text for f in await memory.facts(known_at=LATER + timedelta(seconds=0.5))} == before
        assert [m.merge_id for m in await memory.merges()] == [merge.merge_id]
        owned = await memory.facts(subject="Jane Okafor", relation="OWNS", object="Globex")
        assert [e.text for e in await memory.episodes(owned[0].episode_ids)] == ["J. Okafor OWNS Globex"]
        assert await memory.verify() == []
        clock.tick()

        assert await memory.unmerge(merge.merge_id) == 1

        assert {f.text for f in await memory.facts()} == before
        assert [f.text for f in await memory.facts(subject="J. Okafor")] == ["J. Okafor owns Globex"]
        assert [f.text for f in await memory.facts(subject="Jane Okafor")] == ["Jane Okafor owns Acme"]
        assert await memory.verify() == []
        with pytest.raises(NotFound):
            await memory.unmerge(merge.merge_id)


async def test_a_merge_can_be_made_undone_and_made_again() -> None:
    clock = SetClock(LATER)
    async with await Memory.open(":memory:", clock=clock) as memory:
        await okafors(memory)
        for _ in range(3):
            clock.tick()
            merge = await memory.merge("Jane Okafor", (await memory.entities("J. Okafor"))[0].entity_id)
            clock.tick()
            await memory.unmerge(merge.merge_id)
        assert {f.text for f in await memory.facts()} == {"Jane Okafor owns Acme", "J. Okafor owns Globex"}
        assert [m.is_undone for m in await memory.merges()] == [True, True, True]
        assert await memory.verify() == []


async def test_what_is_told_of_the_merged_name_afterwards_is_told_of_the_one_that_stays() -> None:
    clock = SetClock(LATER)
    async with await Memory.open(":memory:", clock=clock) as memory:
        await okafors(memory)
        clock.tick()
        await memory.merge("Jane Okafor", "J. Okafor")
        clock.tick()
        third = NewClaim(subject="J. Okafor", relation="OWNS", object="Initech", subject_kind=EntityKind.PERSON)
        await memory.add_claims([third], said_at=LATER)

        assert {f.subject.name for f in await memory.facts(relation="OWNS")} == {"Jane Okafor"}


async def test_facts_between_the_two_that_are_one_vanish_with_the_merge() -> None:
    async with await Memory.open(":memory:", clock=SetClock(LATER)) as memory:
        await okafors(memory)
        await memory.add_claims(
            [NewClaim(subject="J. Okafor", relation="FRIEND_OF", object="Jane Okafor")], said_at=JUNE
        )
        merge = await memory.merge("Jane Okafor", "J. Okafor")
        assert await memory.facts(relation="FRIEND_OF") == []
        await memory.unmerge(merge.merge_id)
        assert len(await memory.facts(relation="FRIEND_OF")) == 1


async def test_a_merge_names_two_different_known_things() -> None:
    async with await Memory.open(":memory:", clock=SetClock(LATER)) as memory:
        await okafors(memory)
        with pytest.raises(InvalidInput):
            await memory.merge("Jane Okafor", "Jane Okafor")
        with pytest.raises(NotFound):
            await memory.merge("Jane Okafor", "Nobody")
        with pytest.raises(NotFound):
            await memory.unmerge("no-such-merge")


# ---- facts of open relations


def mentors(request: ModelRequest, *, ends: bool | str) -> ScriptedReply:
    if request.stage != "extract":
        return ends if isinstance(ends, str) else json.dumps({"matches": [], "pairs": [{"n": 1, "ends": ends}]})
    text = request.prompt.rpartition("<message ")[2].partition(">")[2].partition("</message>")[0]
    name = text.rpartition(" ")[2]
    start = text.partition(",")[0] if "," in text else ""
    return answer([thing(1, "Tom", "person"), thing(2, name, "person")], [fact(1, "SPONSORS", 2, text, start=start)])


async def sponsored(memory: Memory, *texts: str) -> list[str]:
    for n, text in enumerate(texts):
        receipt = await memory.add_episode(text, said_at=JUNE + timedelta(days=n), episode_id=f"s{n}")
        assert receipt.state is JobState.DONE
    return [f.object.name for f in await memory.facts(relation="SPONSORS", at=JUNE + timedelta(days=len(texts)))]


async def test_a_fact_of_an_open_relation_ends_the_older_one_where_the_model_says_so_as_one_more_claim() -> None:
    model = ScriptedModel(lambda request: mentors(request, ends=True))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        assert await sponsored(memory, "Tom sponsors Ann", "Tom now sponsors Bo") == ["Bo"]

        assert [r.stage for r in model.requests] == ["extract", "extract", "settle"]
        assert "older: 2026-06-03 to …: Tom sponsors Ann" in model.requests[-1].prompt
        (stop,) = [c for c in await memory.claims() if c.claim.kind is Kind.STOP]
        assert (stop.claim.inferred, stop.episode_id) == (True, "s1")
        assert [f.object.name for f in await memory.facts(relation="SPONSORS", at=JUNE)] == ["Ann"]

        await memory.retract(claim_ids=[stop.claim.claim_id], reason="he sponsors both")
        at = JUNE + timedelta(days=2)
        assert {f.object.name for f in await memory.facts(relation="SPONSORS", at=at)} == {"Ann", "Bo"}


async def test_where_both_can_hold_both_stay_and_it_is_not_asked_again() -> None:
    model = ScriptedModel(lambda request: mentors(request, ends=False))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        found = await sponsored(memory, "Tom sponsors Ann", "Tom sponsors Bo", "Tom sponsors Cy", "Tom sponsors Ann")
        assert sorted(found) == ["Ann", "Bo", "Cy"]
        assert [r.stage for r in model.requests].count("settle") == 1


async def test_an_older_fact_ends_when_the_new_one_begins() -> None:
    model = ScriptedModel(lambda request: mentors(request, ends=True))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        await sponsored(memory, "Tom sponsors Ann", "since 4 June 2026, Tom sponsors Bo")
        (stop,) = [c for c in await memory.claims() if c.claim.kind is Kind.STOP]
        assert stop.claim.end is not None
        assert stop.phrase == "since 4 June 2026"


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "no JSON",
            "[]",
            '{"pairs": 3}',
            '{"pairs": [{"n": 9, "ends": true}]}',
            '{"pairs": [{"n": 0, "ends": true}]}',
        ),
        *('{"relations": 3}', '{"relations": [{"n": 9, "one": true}]}', '{"relations": [{"n": 1, "one": "no idea"}]}'),
        *('{"relations": [{"n": 0, "one": true}]}', '{"relations": [1, null, {}, {"one": true}]}'),
    ],
)
async def test_a_verdict_on_facts_that_cannot_be_used_ends_nothing(reply: str) -> None:
    model = ScriptedModel(lambda request: mentors(request, ends=reply))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        assert sorted(await sponsored(memory, "Tom sponsors Ann", "Tom sponsors Bo")) == ["Ann", "Bo"]
        assert await memory.rivalries() == []


async def test_a_relation_that_is_declared_is_not_asked_about() -> None:
    model = ScriptedModel(lambda request: mentors(request, ends=True))
    declared = [Relation(name="SPONSORS", rivalry=Rivalry.SUBJ)]
    async with await Memory.open(":memory:", model=model, relations=declared, clock=SetClock(LATER)) as memory:
        assert await sponsored(memory, "Tom sponsors Ann", "Tom sponsors Bo") == ["Bo"]
        assert [r.stage for r in model.requests] == ["extract", "extract"]


# ---- what an open relation is, told by the model once


def ruling(request: ModelRequest, *, one: bool, ends: bool = False) -> ScriptedReply:
    if request.stage != "extract":
        ruled = [{"n": 1, "one": one}] if "Relation 1:" in request.prompt else []
        return json.dumps({"matches": [], "pairs": [{"n": 1, "ends": ends}], "relations": ruled})
    return mentors(request, ends=ends)


async def rivalry_of(memory: Memory) -> tuple[str, bool, str | None]:
    (known,) = await memory.rivalries()
    return known.rivalry.value, known.claim.claim.inferred, known.claim.episode_id


async def test_what_a_relation_is_is_asked_once_and_kept_as_a_claim_that_folds_its_facts() -> None:
    model = ScriptedModel(lambda request: ruling(request, one=True, ends=True))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        assert await sponsored(memory, "Tom sponsors Ann", "Tom sponsors Bo", "Tom sponsors Cy") == ["Cy"]

        assert [r.stage for r in model.requests] == ["extract", "extract", "settle", "extract"]
        assert "Relation 1: SPONSORS, as in: Tom SPONSORS Bo" in model.requests[2].prompt
        assert await rivalry_of(memory) == ("subj", True, "s1")
        assert [c.claim.kind for c in await memory.claims()] == [Kind.HOLD] * 4
        (known,) = await memory.rivalries()
        assert known.claim.origin.startswith("scripted extract@")
        assert "settle@" in known.claim.origin
        assert await memory.verify() == []


async def test_a_correction_outweighs_what_a_model_concluded_before_and_after() -> None:
    clock = SetClock(LATER)
    model = ScriptedModel(lambda request: ruling(request, one=True))
    async with await Memory.open(":memory:", model=model, clock=clock) as memory:
        await sponsored(memory, "Tom sponsors Ann", "Tom sponsors Bo")
        clock.tick()
        corrected = await memory.set_rivalry("SPONSORS", "none", reason="he has several")
        at = JUNE + timedelta(days=3)
        assert {f.object.name for f in await memory.facts(relation="SPONSORS", at=at)} == {"Ann", "Bo"}
        assert await rivalry_of(memory) == ("none", False, corrected.episode_id)

        clock.tick()
        await memory.retract(episode_id=corrected.episode_id)
        assert [f.object.name for f in await memory.facts(relation="SPONSORS", at=at)] == ["Bo"]


async def test_a_relation_whose_values_stand_side_by_side_may_still_have_one_ended_by_what_is_said() -> None:
    model = ScriptedModel(lambda request: ruling(request, one=False, ends=True))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        assert await sponsored(memory, "Tom sponsors Ann", "Tom sponsors Bo", "Tom sponsors Cy") == ["Cy"]
        assert await rivalry_of(memory) == ("none", True, "s1")
        assert ["Relation 1:" in r.prompt for r in model.requests if r.stage == "settle"] == [True, False]


async def test_a_relation_is_asked_about_once_in_a_batch() -> None:
    model = ScriptedModel(lambda request: ruling(request, one=True))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        await sponsored(memory, "Tom sponsors Ann")
        await memory.add_episodes(
            NewEpisode(text=f"Tom sponsors {name}", said_at=JUNE + timedelta(days=n), episode_id=f"b{n}")
            for n, name in ((2, "Bo"), (3, "Cy"))
        )
        assert [r.stage for r in model.requests].count("settle") == 1
        facts = await memory.facts(relation="SPONSORS", at=JUNE + timedelta(days=4))
        assert [f.object.name for f in facts] == ["Cy"]


async def test_what_is_told_late_asks_about_what_began_since_then() -> None:
    model = ScriptedModel(lambda request: ruling(request, one=True))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        await memory.add_episode("since 1 June 2026, Tom sponsors Bo", said_at=JUNE)
        await memory.add_episode("Tom sponsors Ann", said_at=JUNE - timedelta(days=60))
        assert "Pair" not in model.requests[-1].prompt
        assert [f.object.name for f in await memory.facts(relation="SPONSORS", at=JUNE)] == ["Bo"]


@pytest.mark.parametrize("one", [True, False])
async def test_reading_an_episode_again_keeps_what_ends_the_older_fact(tmp_path: Path, one: bool) -> None:
    clock = SetClock(LATER)
    first = ScriptedModel(lambda request: ruling(request, one=one, ends=True))
    async with await Memory.open(tmp_path / "m.db", model=first, clock=clock) as memory:
        await sponsored(memory, "Tom sponsors Ann", "Tom sponsors Bo")
    clock.tick()
    other = ScriptedModel(lambda request: ruling(request, one=one, ends=True), name="other")
    async with await Memory.open(tmp_path / "m.db", model=other, clock=clock) as memory:
        assert await memory.reextract() == 2

        assert [r.stage for r in other.requests] == ["extract", "extract", "settle"]
        facts = await memory.facts(relation="SPONSORS", at=JUNE + timedelta(days=3))
        assert [f.object.name for f in facts] == ["Bo"]
        assert await rivalry_of(memory) == ("subj" if one else "none", True, "s1")
        assert await memory.verify() == []


# ---- cases from the field


async def test_notices_with_neighbouring_numbers_stay_two(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "m.db", clock=SetClock(LATER)) as memory:
        for number, what in (("041", "pumps"), ("042", "valves")):
            claim = NewClaim(subject=f"Notice SN-2031-{number}", relation="COVERS", object=what)
            await memory.add_claims([claim], said_at=JUNE)
        assert await facts_of(memory, "Notice SN-2031-041") == {"Notice SN-2031-041 covers pumps"}
        assert await facts_of(memory, "Notice SN-2031-042") == {"Notice SN-2031-042 covers valves"}


async def test_korean_names_are_told_apart_by_letters_and_not_by_blanks() -> None:
    async with await Memory.open(":memory:", clock=SetClock(LATER)) as memory:
        for n, name in enumerate(("스타랩스", "스타 랩스", "김서준", "김서진")):
            await memory.add_claims([NewClaim(subject=name, relation="OWNS", object=f"Robot {n}")], said_at=JUNE)
        assert len(await facts_of(memory, "스타랩스")) == 2
        assert len(await facts_of(memory, "김서준")) == 1


async def test_other_key_names_of_an_answer_are_understood() -> None:
    told = {
        "extracted_entities": [
            {"entity_name": "Grace Hopper", "id": 0, "kind": "Person"},
            {"entity_name": "Navy", "id": 1},
        ],
        "edges": [
            {
                "source": 0,
                "target": 1,
                "kind": "hold",
                "relation": "works at",
                "quote": "Grace Hopper works at the Navy",
            }
        ],
    }
    model = ScriptedModel(lambda _: json.dumps(told))
    async with await Memory.open(":memory:", model=model, clock=SetClock(LATER)) as memory:
        await memory.add_episode("Grace Hopper works at the Navy.", said_at=JUNE)
        assert [f.text for f in await memory.facts()] == ["Grace Hopper works at Navy"]


async def test_an_attribute_with_an_object_inside_costs_only_itself() -> None:
    odd = fact(1, "HISTORY", 2, "Ann works at Acme", sentence={"history": [{"y": 2020}]})
    told = answer([thing(1, "Ann", "person"), thing(2, "Acme")], [odd, fact(1, "WORKS_AT", 2, "Ann works at Acme")])
    async with await Memory.open(":memory:", model=ScriptedModel(lambda _: told), clock=SetClock(LATER)) as memory:
        receipt = await memory.add_episode("Ann works at Acme.", said_at=JUNE)
        assert [f.text for f in await memory.facts()] == ["Ann works at Acme"]
        assert len(receipt.ignored) == 1


async def test_five_ways_of_saying_one_fact_are_one_fact_with_five_sources() -> None:
    def reply(request: ModelRequest) -> str:
        text = request.prompt.rpartition("<message ")[2].partition(">")[2].partition("</message>")[0]
        return answer([thing(1, "Gil", "person"), thing(2, "Hana", "person")], [fact(1, "KNOWS", 2, text)])

    async with await Memory.open(":memory:", model=ScriptedModel(reply), clock=SetClock(LATER)) as memory:
        for n, text in enumerate(
            ("Gil knows Hana", "Hana is known to Gil", "Gil met Hana", "Gil and Hana talk", "Gil: Hana!")
        ):
            await memory.add_episode(text, said_at=JUNE + timedelta(minutes=n))
        (known,) = await memory.facts(relation="KNOWS")
        assert len(known.episode_ids) == 5
