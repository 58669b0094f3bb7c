"""The BEAM benchmark over a made-up folder of its form."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.ablation import LEVERS
from benchmarks.ablation import main as ablation
from benchmarks.beam.__main__ import main
from benchmarks.beam.loading import Renewal, load_beam


def message(number: int, role: str, text: str, anchor: str | None = None) -> dict[str, object]:
    return {"id": number, "role": role, "content": text, **({"time_anchor": anchor} if anchor else {})}


CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [
                message(0, "user", "My kiln reaches 900 degrees. ->-> 1,1", "March-15-2024"),
                message(1, "assistant", "Nice."),
            ],
            [message(2, "user", "I fire on Tuesdays. ->-> 1,2"), message(3, "assistant", "Good.")],
        ],
    },
    {
        "batch_number": 2,
        "turns": [[message(4, "user", "The kiln reaches 1,050 degrees since the repair.", "April-02-2024")]],
    },
]
PROBES = {
    "information_extraction": [
        {"question": "When do I fire?", "source_chat_ids": [2, 3]},
        {"question": "What did you say?", "source_chat_ids": [1]},
    ],
    "knowledge_update": [
        {"question": "How hot does my kiln get?", "source_chat_ids": {"original_info": [0], "updated_info": [4]}}
    ],
    "contradiction_resolution": [
        {"question": "Is it hot?", "source_chat_ids": {"first_statement": [4], "second_statement": [0]}}
    ],
    "summarization": [{"question": "Sum it up.", "source_chat_ids": {"bullet 1": [0, 2]}}],
    "abstention": [{"question": "Who sold it?"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("2", "10"):
        (tmp_path / name / "probing_questions").mkdir(parents=True)
        (tmp_path / name / "chat.json").write_text(json.dumps(CHAT))
        (tmp_path / name / "probing_questions" / "probing_questions.json").write_text(json.dumps(PROBES))
    return tmp_path


def test_chats_come_in_the_order_of_their_numbers_with_the_user_s_messages_dated(folder: Path) -> None:
    beam = load_beam(folder)

    assert [haystack.haystack_id for haystack in beam.haystacks] == ["beam-2", "beam-10"]
    first, second, third = beam.haystacks[0].turns
    assert (first.turn_id, first.text) == ("0", "My kiln reaches 900 degrees.")
    assert first.said_at == datetime(2024, 3, 15, 9, tzinfo=UTC)
    assert first.said_at < second.said_at < third.said_at == datetime(2024, 4, 2, 9, tzinfo=UTC)


def test_only_messages_of_the_user_are_evidence_and_the_rest_is_counted(folder: Path) -> None:
    beam = load_beam(folder)

    assert [(q.kind, q.evidence) for q in beam.haystacks[0].questions] == [
        ("information_extraction", ("2",)),
        ("knowledge_update", ("0", "4")),
        ("contradiction_resolution", ("4", "0")),
    ]
    assert beam.skipped == {
        "messages of the assistant": 4,
        "questions without a message of the user": 4,
        "summaries": 2,
    }


def test_the_later_of_two_values_is_the_new_one_whichever_is_named_first(folder: Path) -> None:
    renewals = load_beam(folder).renewals
    assert renewals["2-contradiction_resolution-0"] == Renewal(old=frozenset({"0"}), new=frozenset({"4"}))


def test_a_run_counts_how_often_the_new_value_is_above_the_old(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"

    assert main([str(folder), "--json", str(report), "--embedder", "none", "--wrong"]) == 0

    keys = json.loads(report.read_text())
    assert set(keys["recipes"]) == {"bm25", "fts", "vector", "rrf", "full"}
    assert keys["recipes"]["fts"]["all"]["at_5"] > 60
    assert keys["new_over_old"]["all"]["questions"] == 4
    assert set(keys["new_over_old"]["by_recipe"]) == set(keys["recipes"])


def test_another_folder_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path)])
    assert ended.value.code == 2


def test_an_ablation_leaves_out_one_lever_after_another(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "ablation.json"
    assert ablation(["beam", str(folder), "--embedder", "none", "--json", str(report)]) == 0

    levers = json.loads(report.read_text())["levers"]
    assert list(levers) == list(LEVERS)
    assert levers["full"]["fraction"]["all"]["at_5"] == 66.67  # one question shares no word with its message
    assert all(found["new_over_old"] in (0, 50, 100) for found in levers.values())


def test_every_lever_left_out_changes_the_recipe() -> None:
    whole, *others = LEVERS.values()
    assert all(other != whole for other in others)
