"""What is found by looking words up is what the expressions and the sayings themselves would find."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.ingest.rules.needed import Candidates
from graphmem.ingest.rules.patterns import pieces_of
from graphmem.ingest.rules.plain import plain_clause
from graphmem.ingest.rules.sayings import Saying, all_sayings, examples, sayings_among
from graphmem.ingest.rules.sentences import clauses_in
from graphmem.ingest.rules.slots import headed_phrase, slot_body
from graphmem.ingest.rules.spans import Spans

_SAID_AT = datetime(2026, 6, 3, 12, tzinfo=UTC)
_TOKENS = st.sampled_from(
    "the big Bo's piano Piano guitar ·of ·Of ·is Kite 7 , new school School-bus école don't \x86 'x x's 1,5".split(" ")
)


def test_no_saying_that_stands_in_a_clause_is_passed_over() -> None:
    clauses = [plain_clause(raw, _SAID_AT) for example in examples()[::15] for raw in clauses_in(example.text)]
    for clause in clauses:
        spans = Spans(clause.text)
        tried = sayings_among(clause.words, is_bare=bool(spans.bare_starts()))
        assert tried == sorted(tried, key=lambda saying: saying.order)
        others = [saying for saying in all_sayings()[::7] if saying not in tried]
        assert [saying.say for saying in others if _stands_in(saying, spans)] == []


def _stands_in(saying: Saying, spans: Spans) -> bool:
    """Whether a saying stands there with its subject; one whose subject is of a list is not tried where that is left out."""
    first = saying.pattern.first
    return any(first is None or first in found.slots for found in saying.pattern.find(spans))


def test_a_saying_is_tried_where_one_of_the_options_of_each_part_is_there() -> None:
    index = Candidates(map(pieces_of, ["{s} work~ (at|for) {o}", "{s} (set~ up|found~) {o}", "...{s} , {o}"]))
    assert index.among({"she", "worked", "for"}, is_bare=False) == [0, 2]
    assert index.among({"she", "worked", "with"}, is_bare=False) == [2]
    assert index.among({"we", "set", "up"}, is_bare=False) == [1, 2]
    assert index.among({"we", "set", "it"}, is_bare=False) == [2]


def test_be_may_be_left_out_of_a_saying_only_in_a_bare_clause() -> None:
    index = Candidates([pieces_of("{s} be~ on {o}")])
    assert index.among({"on", "iron"}, is_bare=True) == [0]
    assert index.among({"on", "iron"}, is_bare=False) == []


@settings(max_examples=150, deadline=None)
@given(st.lists(_TOKENS, min_size=1, max_size=9), st.sampled_from(["game", "school", "company"]), st.data())
def test_a_headed_phrase_ends_where_its_expression_does(tokens: list[str], kind: str, data: st.DataObject) -> None:
    text = "".join(f"{token} " for token in tokens)
    phrase, expression = headed_phrase(kind), re.compile(slot_body(kind))
    assert phrase is not None
    found = expression.match(text)
    assert phrase.end_of(text, 0) == (found.end() if found is not None else -1)
    end = len("".join(f"{token} " for token in tokens[: data.draw(st.integers(1, len(tokens)))]))
    assert phrase.covers(text, 0, end) == (expression.fullmatch(text, 0, end) is not None)
