"""The comparison with other memories on the same facts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from benchmarks.peers.__main__ import main
from benchmarks.peers.graphmem_system import by_model, by_rules
from benchmarks.peers.hashing import vector_of
from benchmarks.peers.measuring import measure
from benchmarks.peers.world import NOW, world_of


def test_the_world_is_the_same_every_time_and_told_in_the_order_it_was_said() -> None:
    world = world_of(200)
    assert world == world_of(200)
    assert len(world.facts) == 200
    assert [fact.said_at for fact in world.facts] == sorted(fact.said_at for fact in world.facts)
    assert len({fact.person for fact in world.facts}) == 40
    assert all(fact.said_at < NOW for fact in world.facts)


def test_every_answer_is_a_place_that_held_on_the_day_that_is_asked_of() -> None:
    world = world_of(200)
    for question in world.questions:
        day = question.at or NOW
        begun = [
            fact
            for fact in world.facts
            if (fact.person, fact.relation) == (question.person, question.relation) and fact.since <= day
        ]
        assert max(begun, key=lambda fact: fact.since).place == question.right


def test_some_facts_are_told_late_and_some_as_over() -> None:
    facts = world_of(200).facts
    assert sum(fact.until is not None for fact in facts) == 10
    assert sum(fact.said_at > fact.since for fact in facts) == 20


def test_texts_that_share_words_are_near_one_another() -> None:
    def nearness(one: str, other: str) -> float:
        return sum(a * b for a, b in zip(vector_of(one), vector_of(other), strict=True))

    assert math.isclose(nearness("Ann works at Acme", "Ann works at Acme"), 1)
    assert nearness("Where does Ann work?", "Ann works at Acme") > nearness("Where does Ann work?", "It rains in Oslo")
    assert vector_of("") == [0.0] * len(vector_of("x"))


@pytest.mark.parametrize(("opened", "calls"), [(by_model, 20), (by_rules, 0)])
async def test_graphmem_answers_every_question_of_the_past_and_of_now(
    tmp_path: Path, opened: type[object], calls: int
) -> None:
    figures = await measure(opened(tmp_path), world_of(20))
    assert figures["as_of"] == figures["current"] == {"questions": 8, "right": 8}
    assert figures["calls"] == calls


def test_a_peer_that_cannot_run_is_skipped_and_the_table_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "out.json"
    nowhere = str(tmp_path / "python")
    assert main(["--facts", "5", "--python", nowhere, "--json", str(report)]) == 0
    systems = json.loads(report.read_text())["systems"]
    assert systems["graphmem, model"]["current"]["right"] == 2
    assert systems["mem0ai"] == {"skipped": "python does not run: No such file or directory"}
    assert "skipped: python does not run" in capsys.readouterr().out


def test_fewer_facts_than_one_person_has_are_wrong_use() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--facts", "4"])
    assert ended.value.code == 2
