"""The benchmark of minimum scores over a made-up file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.irrelevance import main
from graphmem.inference import embedders
from graphmem.inference.scripted import HashingEmbedder


def conversation(name: str, *texts: str) -> dict[str, object]:
    turns = [{"dia_id": f"D1:{n}", "speaker": "Ann", "text": text} for n, text in enumerate(texts, start=1)]
    questions = [{"question": texts[0], "answer": "yes", "evidence": ["D1:1"], "category": 4}]
    told = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    return {"sample_id": name, "conversation": told, "qa": questions}


def test_what_is_kept_of_the_evidence_and_of_another_conversation_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedders, "open_embedder", lambda name: HashingEmbedder(dimension=512))
    file, report = tmp_path / "locomo.json", tmp_path / "report.json"
    told = [conversation("conv-26", "I paint big lighthouses."), conversation("conv-30", "Quantum lattices converge.")]
    file.write_text(json.dumps(told))

    assert main([str(file), "--json", str(report)]) == 0

    found = json.loads(report.read_text())["recipes"]
    kept = found["full, development"]
    assert (kept["questions"], kept["evidence_at_20"], kept["elsewhere_nothing"]) == (2, 100.0, 100.0)
    without = found["full without a minimum, development"]
    assert (without["evidence_at_20"], without["elsewhere_nothing"], without["elsewhere_hits_of_10"]) == (
        100.0,
        0.0,
        1.0,
    )


def test_another_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(SystemExit):
        main([str(tmp_path / "x.json")])
    assert "no LoCoMo file" in capsys.readouterr().err
