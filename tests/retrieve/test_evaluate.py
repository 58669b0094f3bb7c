"""Queries are answered from the facts, at the moment and in the window they mean."""

from __future__ import annotations

import pytest

from graphmem.errors import InvalidGroup, InvalidQuery
from graphmem.model import Window
from graphmem.retrieve.evaluate import evaluate
from graphmem.retrieve.query import Anchor, Answer, Hop, Position, Query, Slot
from graphmem.timeline.instants import MAX, MIN, to_instant
from tests.retrieve.small_memory import GROUP, Memory, granule, moment

JOB = Memory.of("Ann WORKS_AT Acme, said 2025-02-10", "Ann WORKS_AT Globex, start 2026-05, said 2026-06-03")


def query(slot: Slot, relation: str = "WORKS_AT", *, asked_at: str = "2026-06-10", **fields: object) -> Query:
    given = {"subjects": ("Ann",), "relations": (relation,), **fields}
    return Query(slot=slot, group_ids=(GROUP,), asked_at=moment(asked_at), **given)  # type: ignore[arg-type]


async def ask(memory: Memory, slot: Slot, relation: str = "WORKS_AT", **fields: object) -> Answer:
    return await evaluate(query(slot, relation, **fields), memory, relations=memory.relations)  # type: ignore[arg-type]


def within(text: str) -> Window:
    stretch = granule(text)
    return Window(start=stretch.lo, until=stretch.hi)


async def test_a_state_without_a_time_is_asked_of_now() -> None:
    assert (await ask(JOB, Slot.VALUE)).values == ("Globex",)


async def test_a_window_gives_all_that_held_in_it_in_order() -> None:
    assert (await ask(JOB, Slot.VALUE, window=within("2026"))).values == ("Acme", "Globex")


async def test_what_was_known_then_is_answered_as_of_then() -> None:
    answer = await ask(JOB, Slot.VALUE, window=within("2026-05-15"), known_at=granule("2026-05-20").hi - 1)
    assert answer.values == ("Acme",)


async def test_now_is_not_after_the_moment_of_knowing() -> None:
    assert (await ask(JOB, Slot.VALUE, known_at=granule("2025-12-31").lo)).values == ("Acme",)


async def test_an_event_without_a_time_is_asked_of_all_the_past() -> None:
    memory = Memory.of("Ann VISITED Oslo, start 2024-03", "Ann VISITED Rome, start 2027")
    assert (await ask(memory, Slot.VALUE, "VISITED")).values == ("Oslo",)


async def test_the_first_candidate_with_a_known_fact_is_taken() -> None:
    answer = await ask(JOB, Slot.VALUE, relations=("LIVES_IN", "WORKS_AT"))
    assert answer.values == ("Globex",)


async def test_a_symmetric_fact_is_read_from_either_end() -> None:
    memory = Memory.of("Zoe FRIEND_OF Hal")
    for subject, other in (("Zoe", "Hal"), ("Hal", "Zoe")):
        assert (await ask(memory, Slot.VALUE, "FRIEND_OF", subjects=(subject,))).values == (other,)


async def test_the_object_side_can_be_asked() -> None:
    assert (await ask(JOB, Slot.WHO, subjects=(), objects=("Globex",))).values == ("Ann",)


# ---- not known


async def test_what_was_never_told_is_not_known() -> None:
    answer = await ask(JOB, Slot.VALUE, "LIVES_IN")
    assert (answer.is_known, answer.values, answer.text) == (False, (), "Not known.")


async def test_an_unknown_answer_names_the_nearest_fact() -> None:
    answer = await ask(JOB, Slot.VALUE, window=within("2024"))
    assert not answer.is_known
    assert "Acme" in answer.nearest
    assert answer.text.startswith("Not known.")


async def test_nothing_takes_the_place_of_what_stopped() -> None:
    memory = Memory.of("Ann WORKS_AT Acme, said 2025-01-10", "Ann STOP WORKS_AT Acme, end 2025-07, said 2025-08-01")
    assert not (await ask(memory, Slot.VALUE)).is_known


# ---- anchors


async def test_before_an_event_is_the_instant_before_it_began() -> None:
    anchor = Anchor(position=Position.BEFORE, subjects=("Ann",), relations=("WORKS_AT",), objects=("Globex",))
    assert (await ask(JOB, Slot.VALUE, anchor=anchor)).values == ("Acme",)


@pytest.mark.parametrize(("position", "last"), [(Position.BEFORE, "Ann"), (Position.AFTER, "Cy")])
async def test_before_and_after_reach_across_a_gap(position: Position, last: str) -> None:
    memory = Memory.of(
        "Club LED_BY Ann, start 2020, end 2020-06, said 2026-01-01",
        "Club LED_BY Bo, start 2021, end 2022-06, said 2026-01-01",
        "Club LED_BY Cy, start 2023, said 2026-01-01",
    )
    anchor = Anchor(position=position, subjects=("Club",), relations=("LED_BY",), objects=("Bo",))
    assert (await ask(memory, Slot.VALUE, "LED_BY", subjects=("Club",), anchor=anchor)).values == (last,)


async def test_without_rivalry_nothing_is_before_or_after() -> None:
    memory = Memory.of(
        "Ann PLAYS_WITH Bo, start 2020, end 2020-06, said 2026-01-01",
        "Ann PLAYS_WITH Cy, start 2021, end 2022-06, said 2026-01-01",
    )
    anchor = Anchor(position=Position.BEFORE, subjects=("Ann",), relations=("PLAYS_WITH",), objects=("Cy",))
    assert not (await ask(memory, Slot.VALUE, "PLAYS_WITH", anchor=anchor)).is_known


async def test_an_event_that_is_not_known_dates_nothing() -> None:
    anchor = Anchor(position=Position.BEFORE, subjects=("Ann",), relations=("WORKS_AT",), objects=("Umbra",))
    answer = await ask(JOB, Slot.VALUE, anchor=anchor)
    assert not answer.is_known
    assert "event" in answer.nearest


async def test_when_she_left_is_the_last_instant_before_the_end() -> None:
    memory = Memory.of(
        "Ann LIVES_IN Oslo, start 2020, said 2026-01-01",
        "Ann WORKS_AT Acme, start 2019, end 2021-03-05, said 2026-01-01",
        "Ann LIVES_IN Rome, start 2021-03-06, said 2026-01-01",
    )
    anchor = Anchor(position=Position.END, subjects=("Ann",), relations=("WORKS_AT",), objects=("Acme",))
    assert (await ask(memory, Slot.VALUE, "LIVES_IN", anchor=anchor)).values == ("Oslo",)


# ---- histories and numbers


async def test_a_history_keeps_a_return_and_merges_repeats() -> None:
    memory = Memory.of(
        "Ann WORKS_AT Acme, start 2015, said 2016-01-01",
        "Ann WORKS_AT Umbra, start 2018, said 2019-01-01",
        "Ann WORKS_AT Acme, start 2022, said 2023-01-01",
    )
    assert (await ask(memory, Slot.HISTORY)).values == ("Acme", "Umbra", "Acme")
    assert (await ask(memory, Slot.COUNT)).count == 2
    assert (await ask(memory, Slot.SPELLS)).count == 3
    assert (await ask(memory, Slot.NTH, n=-1)).values == ("Acme",)
    assert not (await ask(memory, Slot.NTH, n=5)).is_known


async def test_the_past_is_what_held_once_and_no_longer() -> None:
    memory = Memory.of("Ann PAST PLAYS harp, said 2025-01-01", "Ann PLAYS cello, said 2025-01-01")
    assert (await ask(memory, Slot.PAST, "PLAYS")).values == ("harp",)


# ---- dates


async def test_a_date_is_rendered_as_exact_as_it_was_said() -> None:
    answer = await ask(JOB, Slot.START, objects=("Globex",))
    assert (answer.values, answer.granules) == (("May 2026",), (granule("2026-05"),))


async def test_a_start_nobody_stated_is_not_known() -> None:
    assert not (await ask(JOB, Slot.START, objects=("Acme",))).is_known


async def test_a_fact_cut_by_its_rival_ended_when_the_rival_began() -> None:
    answer = await ask(JOB, Slot.END, objects=("Acme",))
    assert answer.granules == (granule("2026-05"),)


async def test_a_stated_end_is_not_replaced_by_a_rival_that_begins_there() -> None:
    memory = Memory.of(
        "Ann WORKS_AT Acme, said 2025-02-10",
        "Ann STOP WORKS_AT Acme, end 2026-04, said 2026-06-01",
        "Ann WORKS_AT Globex, start 2026-05, said 2026-06-03",
    )
    assert (await ask(memory, Slot.END, objects=("Acme",))).granules == (granule("2026-04"),)


async def test_the_end_by_a_rival_whose_start_nobody_stated_is_exact() -> None:
    memory = Memory.of("Ann WORKS_AT Acme, said 2025-02-10", "Ann WORKS_AT Globex, said 2026-06-03")
    (end,) = (await ask(memory, Slot.END, objects=("Acme",))).granules
    assert end.lo == end.hi == to_instant(moment("2026-06-03"))


async def test_what_goes_on_has_no_end() -> None:
    assert not (await ask(JOB, Slot.END, objects=("Globex",))).is_known


async def test_a_length_of_time_lies_between_its_shortest_and_longest() -> None:
    memory = Memory.of("Ann WORKS_AT Acme, start 2024-01, end 2025-01, said 2026-01-01")
    answer = await ask(memory, Slot.SPAN, objects=("Acme",))
    assert answer.elapsed is not None
    day = 86_400_000_000
    assert (answer.elapsed.shortest // day, answer.elapsed.longest // day) == (335, 397)
    assert answer.values == ("12 months",)


# ---- yes and no


@pytest.mark.parametrize(("employer", "verdict"), [("Globex", ("yes",)), ("Acme", ("no",)), ("Umbra", ("no",))])
async def test_a_rival_that_holds_means_no(employer: str, verdict: tuple[str, ...]) -> None:
    assert (await ask(JOB, Slot.YES_NO, objects=(employer,))).values == verdict


async def test_what_no_fact_speaks_of_is_neither_yes_nor_no() -> None:
    assert not (await ask(JOB, Slot.YES_NO, "LIVES_IN", objects=("Rome",))).is_known


# ---- walks, everything, changes


async def test_a_walk_uses_one_window_for_all_steps() -> None:
    memory = Memory.of(
        "Ann REPORTS_TO Bo, start 2024, said 2026-01-01",
        "Ann REPORTS_TO Cy, start 2026-03, said 2026-04-01",
        "Bo LIVES_IN Oslo, start 2020, said 2026-01-01",
        "Cy LIVES_IN Rome, start 2020, said 2026-01-01",
    )
    path = (Hop(relations=("REPORTS_TO",)), Hop(relations=("LIVES_IN",)))
    assert (await ask(memory, Slot.PATH, path=path)).values == ("Rome",)
    assert (await ask(memory, Slot.PATH, path=path, window=within("2025"))).values == ("Oslo",)


async def test_a_walk_may_lead_to_the_subject_of_another_question() -> None:
    memory = Memory.of("Ann REPORTS_TO Bo, start 2024", "Bo LIVES_IN Oslo, start 2020")
    path = (Hop(relations=("REPORTS_TO",)),)
    assert (await ask(memory, Slot.START, "LIVES_IN", path=path)).values == ("2020",)


async def test_without_a_relation_all_facts_are_told_from_either_end() -> None:
    memory = Memory.of("Ann WORKS_AT Acme", "Bo REPORTS_TO Ann")
    answer = await ask(memory, Slot.VALUE, relations=())
    assert len(answer.facts) == 2


async def test_changes_are_what_began_or_ended_in_the_window() -> None:
    answer = await ask(JOB, Slot.CHANGES, relations=(), window=within("2026-05"))
    assert {fact.object.name for fact in answer.facts} == {"Acme", "Globex"}


async def test_what_was_learned_since_then_is_the_difference_of_two_states_of_knowledge() -> None:
    since = to_instant(moment("2026-06-01"))
    answer = await ask(JOB, Slot.CHANGES, relations=(), known_since=since)
    assert sorted(fact.object.name for fact in answer.facts) == ["Acme", "Acme", "Globex"]


# ---- answers


async def test_an_answer_names_its_entities_its_facts_its_episodes_and_its_scope() -> None:
    answer = await ask(JOB, Slot.VALUE, window=within("2026-05-15"))
    assert [entity.name for entity in answer.value_entities] == ["Globex"]
    assert [fact.object.name for fact in answer.facts] == ["Globex"]
    assert answer.episode_ids == ("c1",)
    assert answer.scope == "valid on 15 May 2026, as known now"


async def test_a_value_is_told_with_its_dates() -> None:
    assert (await ask(JOB, Slot.VALUE)).text == "Globex (since May 2026)."


# ---- queries that mean nothing


def test_a_query_needs_a_group() -> None:
    with pytest.raises(InvalidGroup):
        Query(slot=Slot.VALUE, group_ids=(), asked_at=moment("2026-06-10"), subjects=("Ann",))


@pytest.mark.parametrize(
    "fields",
    [{"slot": Slot.VALUE}, {"slot": Slot.PATH, "subjects": ("Ann",)}, {"slot": Slot.NTH, "subjects": ("Ann",)}],
)
def test_a_query_needs_what_its_slot_asks_of(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidQuery):
        Query(group_ids=(GROUP,), asked_at=moment("2026-06-10"), **fields)  # type: ignore[arg-type]


async def test_a_window_open_on_both_sides_reads_all_time() -> None:
    assert (await ask(JOB, Slot.VALUE, window=Window(start=MIN, until=MAX))).values == ("Acme", "Globex")
