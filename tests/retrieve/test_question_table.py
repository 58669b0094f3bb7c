"""The questions that stand as examples in questions.toml are understood as they say."""

from __future__ import annotations

import pytest

from graphmem.relations import builtin_relations
from graphmem.retrieve.relation_words import question_examples
from tests.retrieve.small_memory import Memory

EXAMPLES = list(question_examples())


@pytest.mark.parametrize(("relation", "slot", "question"), EXAMPLES)
def test_an_example_of_the_table_is_understood(relation: str, slot: str, question: str) -> None:
    memory = Memory.of(f"Ada Quill {relation} Norvik")
    query = memory.read(question.replace("{s}", "Ada Quill").replace("{o}", "Norvik"))
    assert query is not None
    assert (query.slot, query.relations) == (slot, (relation,))
    named = {"subjects": "{s}" in question, "objects": "{o}" in question}
    if not builtin_relations()[relation].symmetric:
        assert {"subjects": bool(query.subjects), "objects": bool(query.objects)} == named


def test_every_built_in_relation_has_examples() -> None:
    assert {relation for relation, _, _ in EXAMPLES} == set(builtin_relations())
