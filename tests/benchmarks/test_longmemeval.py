"""The LongMemEval benchmark over made-up files of its forms."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from benchmarks.evidence.figures import Asked, ndcg
from benchmarks.evidence.turns import Question, Split
from benchmarks.longmemeval.__main__ import main
from benchmarks.longmemeval.loading import FILLERS, excluded, load_published, load_rebuilt
from benchmarks.longmemeval.ranking import sessions_of

DATE = "2023/05/20 (Sat) 00:37"


def said(role: str, text: str, has_answer: bool | None = None) -> dict[str, object]:
    return {"role": role, "content": text, **({} if has_answer is None else {"has_answer": has_answer})}


def published(question_id: str, *, has_answer: bool = True) -> dict[str, object]:
    return {
        "question_id": question_id,
        "question_type": "single-session-user",
        "question": "Which bird did I adopt?",
        "answer": "a parrot",
        "question_date": DATE,
        "haystack_dates": [DATE, DATE],
        "haystack_session_ids": ["answer_1", "talk_2"],
        "haystack_sessions": [
            [said("user", "Hello there."), said("assistant", "Hi."), said("user", "I adopted a parrot.", has_answer)],
            [said("user", "How do I bake bread?")],
        ],
        "answer_session_ids": ["answer_1"],
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.json"
    path.write_text(json.dumps([published("q1"), published("q2_abs"), published("q3", has_answer=False)]))
    return path


def test_the_user_s_turns_are_numbered_within_their_session(file: Path) -> None:
    haystack = load_published(file)[0].haystack()
    assert haystack is not None
    assert [turn.turn_id for turn in haystack.turns] == ["answer_1_1", "answer_1_3", "talk_2_1"]
    assert haystack.questions[0].evidence == ("answer_1_3",)


def test_abstention_and_questions_without_evidence_are_excluded_and_counted(file: Path) -> None:
    cases = load_published(file)
    assert cases[1].is_abstention
    assert [case.haystack() is None for case in cases] == [False, True, True]
    assert excluded(cases) == {"abstention": 1, "no evidence turn of the user": 1}


@pytest.fixture
def evidence(tmp_path: Path) -> tuple[Path, Path]:
    own = {
        "question_id": "e1",
        "question_type": "multi-session",
        "question": "Which bird did I adopt?",
        "answer": ["a parrot"],
        "question_date": DATE,
        "evidence_sessions": [{"date": DATE, "turns": [said("user", "I adopted a parrot.")]}],
    }
    many = published("q1")
    many["haystack_session_ids"] = ["answer_1", *(f"talk_{n}" for n in range(60)), "talk_0"]
    many["haystack_dates"] = [DATE] * 62
    many["haystack_sessions"] = [
        [said("user", "I adopted a dog.", True)],
        *([said("user", f"Bread {n}?")] for n in range(61)),
    ]
    (tmp_path / "evidence.json").write_text(json.dumps([own, {**own, "question_id": "e2_abs"}]))
    (tmp_path / "mini.json").write_text(json.dumps([many]))
    return tmp_path / "evidence.json", tmp_path / "mini.json"


def test_a_rebuilt_haystack_is_the_same_every_time_and_holds_each_filler_once(evidence: tuple[Path, Path]) -> None:
    (case,) = load_rebuilt(*evidence)
    names = [session.session_id for session in case.sessions]

    assert load_rebuilt(*evidence) == [case]
    assert len(names) == len(set(names)) == FILLERS + 1
    assert "answer_1" not in names
    assert case.evidence_turns() == ("answer_e1_0_1",)


def test_a_session_stands_where_its_first_turn_stands() -> None:
    question = Question(question_id="q", text="?", kind="k", evidence=("a_1", "a_3"))
    asked = Asked(
        question=question, split=Split.HELD_OUT, found=("b_2", "a_3", "b_1", "c_1", "a_1"), seconds=0.1, characters=1
    )
    assert sessions_of(asked).found == ("b", "a", "c")
    assert sessions_of(asked).question.evidence == ("a",)


def test_gain_is_counted_as_upstream_counts_it() -> None:
    question = Question(question_id="q", text="?", kind="k", evidence=("a", "b"))
    asked = Asked(question=question, split=Split.HELD_OUT, found=("x", "a", "b"), seconds=0.1, characters=1)
    assert ndcg(asked, 5) == pytest.approx((1 / math.log2(2) + 1 / math.log2(3)) / 2)


def test_a_run_reports_turns_and_sessions(file: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"

    assert main([str(file), "--json", str(report), "--embedder", "none", "--wrong"]) == 0

    keys = json.loads(report.read_text())
    full = keys["recipes"]["full"]
    assert full["turn"]["recall_all"]["at_5"] == full["session"]["recall_all"]["at_5"] == 100
    assert set(full["session"]) == {"recall_any", "recall_all", "fraction", "ndcg"}
    assert (keys["n"], keys["excluded"]) == (1, {"abstention": 1, "no evidence turn of the user": 1})


def test_a_rebuilt_run_finds_what_was_said(evidence: tuple[Path, Path], tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    file, mini = evidence
    assert main([str(file), "--rebuilt", str(mini), "--json", str(report), "--embedder", "none"]) == 0
    assert json.loads(report.read_text())["recipes"]["fts"]["turn"]["recall_all"]["at_5"] == 100


def test_another_file_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "other.json")])
    assert ended.value.code == 2
