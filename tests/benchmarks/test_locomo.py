"""The LoCoMo benchmark over a made-up file of its form, traps included."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.evidence.figures import Asked
from benchmarks.evidence.turns import Question, Split
from benchmarks.locomo.__main__ import main
from benchmarks.locomo.figures import intervals_of, recipe_keys
from benchmarks.locomo.loading import corrections_of, load_locomo


def turn(turn_id: str, speaker: str, text: str, **rest: str) -> dict[str, str]:
    return {"dia_id": turn_id, "speaker": speaker, "text": text, **rest}


CONVERSATION = {
    "speaker_a": "Ann",
    "session_2_date_time": "12:05 am on 9 June, 2023",
    "session_2": [turn("D2:1", "Bob", "I adopted a parrot."), turn("D2:2", "Ann", "Look", blip_caption="a blue kayak")],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [turn("D1:1", "Ann", "I paint lighthouses."), turn("D1:2", "Bob", "Nice.")],
}
QUESTIONS = [
    {"question": "What does Ann paint?", "answer": "lighthouses", "evidence": ["D1:1"], "category": 4},
    {"question": "Which bird did Bob adopt?", "answer": 1, "evidence": ["D2:1; D1:2", "D", "D2:1"], "category": 1},
    {"question": "Is Ann happy?", "answer": "yes", "evidence": [], "category": 3},
    {"question": "Who sails?", "adversarial_answer": "Ann", "evidence": ["D1:1"], "category": 5},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    conversations = [
        {"sample_id": name, "conversation": CONVERSATION, "qa": QUESTIONS} for name in ("conv-26", "conv-50")
    ]
    path.write_text(json.dumps(conversations))
    return path


def test_turns_are_dated_in_order_of_their_sessions(file: Path) -> None:
    (conversation, held_out), _ = load_locomo(file)

    assert [t.turn_id for t in conversation.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert conversation.turns[0].said_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert conversation.turns[2].said_at == datetime(2023, 6, 9, 0, 5, tzinfo=UTC)
    assert conversation.turns[0].line == "Ann, 8 May 2023: I paint lighthouses."
    assert (conversation.split, held_out.split) == (Split.DEVELOPMENT, Split.HELD_OUT)


def test_evidence_is_split_and_what_cannot_be_scored_is_counted(file: Path) -> None:
    (conversation, _), skipped = load_locomo(file)

    assert [(q.kind, q.evidence) for q in conversation.questions] == [("4", ("D1:1",)), ("1", ("D2:1", "D1:2"))]
    assert skipped == {"unknown turn ids": 2, "without evidence": 2, "adversarial": 2}


def test_captions_come_where_they_are_asked_for(file: Path) -> None:
    assert load_locomo(file)[0][0].turns[3].text == "Look"
    assert load_locomo(file, with_captions=True)[0][0].turns[3].text == "Look (shares a blue kayak)"


def test_an_audit_replaces_evidence(file: Path, tmp_path: Path) -> None:
    error = {"question_id": "locomo_0_qa0", "cited_evidence": ["D1:1"], "correct_evidence": ["D1:2"]}
    (tmp_path / "errors.json").write_text(json.dumps([error, {"question_id": "locomo_0_qa1"}]))

    (first, second), _ = load_locomo(file, corrections=corrections_of(tmp_path))

    assert first.questions[0].evidence == ("D1:2",)
    assert second.questions[0].evidence == ("D1:1",)


def test_a_score_is_the_share_of_the_evidence_among_the_first() -> None:
    def asked(evidence: tuple[str, ...], found: tuple[str, ...], split: Split) -> Asked:
        question = Question(question_id="q", text="?", kind="1", evidence=evidence)
        return Asked(question=question, split=split, found=found, seconds=0.1, characters=1)

    many = tuple(f"x{n}" for n in range(6))
    both = [asked(("a", "b"), ("a", *many, "b"), Split.DEVELOPMENT), asked(("c",), many, Split.HELD_OUT)]
    keys = recipe_keys(both)

    assert keys["development"] == {"at_5": 50.0, "at_10": 100.0, "at_20": 100.0}
    assert keys["held_out"] == {"at_5": 0.0, "at_10": 0.0, "at_20": 0.0}
    assert keys["all"] == {"at_5": 25.0, "at_10": 50.0, "at_20": 50.0}
    assert keys["any"]["development"]["at_5"] == 100.0  # type: ignore[index]
    assert keys["all_of_it"]["development"]["at_5"] == 0.0  # type: ignore[index]
    assert intervals_of(both, 1) == intervals_of(both, 1)


def test_a_run_sets_every_recipe_side_by_side(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"

    assert main([str(file), "--json", str(report), "--embedder", "none", "--wrong"]) == 0

    keys = json.loads(report.read_text())
    assert set(keys["recipes"]) == {"bm25", "fts", "vector", "rrf", "full"}
    assert keys["recipes"]["full"]["development"]["at_5"] >= 75
    assert keys["recipes"]["vector"]["all"]["at_20"] == 0
    assert keys["skipped"]["adversarial"] == 2
    assert set(keys["latency_ms"]) == {"p50", "p95", "by_recipe"}
    assert "held out" in capsys.readouterr().out


def test_another_file_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('[{"a": 1}]')
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "other.json")])
    assert ended.value.code == 2
