"""rivalry and rivalries through the command line."""

from __future__ import annotations

import json

from graphmem import NewClaim, SyncMemory
from tests.cli.calls import Graphmem
from tests.clocks import day


def test_a_rivalry_is_set_listed_as_known_then_and_taken_back(told: Graphmem) -> None:
    with SyncMemory.open("memory.db") as memory:
        for said_at, name in (("2026-01-01", "Bo"), ("2026-02-01", "Cy")):
            mentor = NewClaim(subject="Ann", relation="MENTORED_BY", object=name)
            memory.add_claims([mentor], said_at=day(said_at))
    both = told("facts --subject Ann --at 2026-06-01").out
    assert ("Bo" in both, "Cy" in both) == (True, True)
    assert "their values stand side by side" in told("rivalries").out

    receipt = told("rivalry MENTORED_BY subj --reason 'one mentor each' --json")
    assert receipt.code == 0
    only = told("facts --subject Ann --at 2026-06-01").out
    assert ("Bo" in only, "Cy" in only) == (False, True)
    (row,) = json.loads(told("rivalries --json").out)["rows"]
    assert (row["relation"], row["rivalry"], row["origin"]) == ("MENTORED_BY", "subj", "program")
    assert json.loads(told("rivalries --known-at 2020 --json").out)["rows"] == []

    assert told(f"retract --episode {row['episode_id']}").code == 0
    assert told("facts --subject Ann --at 2026-06-01").out == both


def test_a_rivalry_of_a_relation_that_is_built_in_is_refused(told: Graphmem) -> None:
    refused = told("rivalry WORKS_AT none")
    assert refused.code == 2
    assert "no open relation" in refused.err
    assert told("rivalry MENTORED_BY sometimes").code == 2


def test_facts_of_a_relation_are_listed_by_any_spelling_of_its_name(told: Graphmem) -> None:
    named = told("facts --subject Alice --relation WORKS_AT --json").out
    assert json.loads(named)["rows"]
    for spelled in ("works_at", "'works at'", "WorksAt"):
        assert (
            json.loads(told(f"facts --subject Alice --relation {spelled} --json").out)["rows"]
            == (json.loads(named)["rows"])
        )
    assert "WORKS_AT" in told("rivalry 'works at' none").err
