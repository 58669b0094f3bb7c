"""Every example of the tables of sayings/ is run: the text must give the claims that stand beside it, and no other."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.ingest.rules import RuleExtractor
from graphmem.ingest.rules.sayings import Example, all_sayings, examples
from graphmem.ingest.rules.spans import Spans
from graphmem.model import Episode
from graphmem.ports import ExtractionContext
from graphmem.timeline.instants import to_instant

_SAID_AT = to_instant(datetime(2026, 6, 3, 12, tzinfo=UTC))


@pytest.mark.parametrize("example", examples(), ids=lambda e: e.text)
def test_an_example_gives_its_claims_and_no_other(example: Example) -> None:
    episode = Episode(
        episode_id="e1", group_id="g", text=example.text, said_at=_SAID_AT, learned_at=_SAID_AT, speaker="Ann"
    )
    read = RuleExtractor().read(episode, ExtractionContext())
    assert sorted(f"{s.kind} {s.subject} {s.relation} {s.object}" for s in read.statements) == sorted(example.claims)


def test_every_row_of_the_table_has_a_pattern_that_can_be_looked_for() -> None:
    nothing = Spans("")
    assert [found for saying in all_sayings() for found in saying.pattern.find(nothing)] == []
