"""The stories benchmark: its scoring, and a run over a small set."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.stories.__main__ import main
from benchmarks.stories.answer_score import Reply, is_right, is_right_in_words
from benchmarks.stories.claim_score import BelievedFact, ClaimCounts, EmittedClaim, count_claims
from benchmarks.stories.loading import Story, StoryQuestion, StorySet, fold_of, load_stories, sample_of
from benchmarks.stories.spelling import answer_key, plain

SET = Path(__file__).parent / "stories"


@pytest.fixture(scope="module")
def stories() -> StorySet:
    return load_stories(SET)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# ---- spelling


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("in the shed", "Shed"),
        ("47 kg", "47kg"),
        ("£4.80", "4.80"),
        ("1,200", "1200"),
        ("at 14:30", "14:30"),
        ("Dr Who", "Doctor Who"),
        ("ten per month", "ten"),
        ("06 12 34 56 78", "0612345678"),
        ("O’Neil’s", "O'Neil's"),
    ],
)
def test_spellings_of_one_answer_have_one_key(one: str, other: str) -> None:
    assert answer_key(one) == answer_key(other)


@pytest.mark.parametrize(("one", "other"), [("1.8", "18"), ("2026-05-04", "20260504"), ("5 May", "May"), ("a", "b")])
def test_different_answers_have_different_keys(one: str, other: str) -> None:
    assert answer_key(one) != answer_key(other)


def test_signs_stay_inside_numbers_and_dates_only() -> None:
    assert plain("On 2026-05-04, at 3/4 of the way: A-B!") == "on 2026-05-04 at 3/4 of way b"


# ---- answers


def question(story_type: str, *answers: tuple[str, ...], **given: object) -> StoryQuestion:
    filled: dict[str, object] = {"valid": None, "known_at": None, "granule": None, "durations": (), "probe": None}
    return StoryQuestion(
        n=0, text="?", asked_at=moment("2026-01-01"), type=story_type, answers=answers, **(filled | given)
    )  # type: ignore[arg-type]


def test_a_set_must_be_met_whole_and_alone() -> None:
    asked = question("current", ("Acme", "Acme Ltd"), ("Globex",))
    assert is_right_in_words(asked, ["Globex", "acme ltd"])
    assert not is_right_in_words(asked, ["Acme"])
    assert not is_right_in_words(asked, ["Acme", "Globex", "Umbra"])
    assert not is_right_in_words(asked, ["Acme", "Acme Ltd"])


def test_a_history_must_come_in_order() -> None:
    asked = question("history", ("Acme",), ("Globex",), ("Acme",))
    assert is_right_in_words(asked, ["Acme", "Globex", "Acme"])
    assert not is_right_in_words(asked, ["Globex", "Acme", "Acme"])


def test_to_abstain_is_right_only_where_there_is_no_answer() -> None:
    assert is_right_in_words(question("abstain"), [])
    assert is_right_in_words(question("abstain"), ["unknown"])
    assert not is_right_in_words(question("abstain"), ["Acme"])
    assert not is_right_in_words(question("current", ("Acme",)), [])


def test_a_narrower_date_is_right_only_where_the_wider_one_was_said(stories: StorySet) -> None:
    claims = stories.stories[0].claims
    said = claims[1].start
    assert said is not None
    noon = said[0] + timedelta(hours=12) if said[0] else None
    for granule, is_said in ((said, True), ((said[0], noon), True), ((None, said[1]), False)):
        asked = question("when_start", ("some day",), granule=said)
        assert is_right(asked, Reply(values=("x",), granules=(granule,)), claims) is is_said
    assert not is_right(question("when_start", ("x",), granule=said), Reply(granules=((said[0], noon),)), ())


def test_a_length_is_right_if_every_unit_it_is_given_in_fits() -> None:
    asked = question("duration", ("14 months",), durations=("14m", "1y"))
    year = timedelta(days=365.25)
    assert is_right(asked, Reply(elapsed=(year * 1.1, year * 1.2)), ())
    assert not is_right(asked, Reply(elapsed=(year * 2, year * 2.1)), ())


# ---- claims


def emitted(story: Story, number: int, **changed: object) -> EmittedClaim:
    gold = story.claims[number]
    given: dict[str, object] = {
        "episode_id": gold.episode_id,
        "kind": gold.kind,
        "subject": gold.subject,
        "relation": gold.relation,
        "object": gold.object,
        "start": gold.start,
        "end": gold.end,
    }
    return EmittedClaim(**(given | changed))  # type: ignore[arg-type]


def counted(
    stories: StorySet, number: int, *claims: EmittedClaim, believed: tuple[BelievedFact, ...] = ()
) -> ClaimCounts:
    return count_claims(stories.stories[number], claims, believed, stories.relations)


def test_names_relations_and_dates_are_folded_before_claims_are_matched(stories: StorySet) -> None:
    firms, otter = stories.stories
    counts = counted(stories, 0, emitted(firms, 0, subject="Ada", relation="works at"), emitted(firms, 1, start=None))
    assert (counts.emitted, counts.matched, counts.undated) == (2, 1, 2)
    crossed = emitted(otter, 1, subject="Cleo", object="Bo")
    assert counted(stories, 1, crossed).matched == 1


def test_one_gold_claim_is_matched_once(stories: StorySet) -> None:
    firms = stories.stories[0]
    counts = counted(stories, 0, emitted(firms, 0), emitted(firms, 0), emitted(firms, 0, relation="KNOWS"))
    assert (counts.emitted, counts.outside, counts.matched) == (2, 1, 1)


def test_an_event_told_as_a_hold_of_one_day_is_the_same(stories: StorySet) -> None:
    otter = stories.stories[1]
    told = emitted(otter, 2, kind="HOLD", end=otter.claims[2].start)
    assert counted(stories, 1, told).matched == 1


def test_a_trap_is_taken_by_asserting_it_from_its_episode_only(stories: StorySet) -> None:
    firms = stories.stories[0]
    assert counted(stories, 0, emitted(firms, 1, episode_id="e1")).violated == 1
    assert counted(stories, 0, emitted(firms, 1)).violated == 0
    assert counted(stories, 0, emitted(firms, 1, episode_id="e1", kind="NEVER", start=None)).violated == 0


def test_mistakes_are_told_apart(stories: StorySet) -> None:
    firms = stories.stories[0]
    assert counted(stories, 0, emitted(firms, 0, subject="Globex")).wrong_speaker == 1
    assert counted(stories, 0, emitted(firms, 0, object="Umbra")).invented == 1
    right = counted(stories, 0, emitted(firms, 0))
    assert (right.wrong_speaker, right.invented) == (0, 0)


def test_believed_facts_are_held_against_one_another(stories: StorySet) -> None:
    acme = BelievedFact(subject="Ada", relation="WORKS_AT", object="Acme")
    again = BelievedFact(subject="Ada Brandt", relation="WORKS_AT", object="acme")
    globex = BelievedFact(subject="Ada Brandt", relation="WORKS_AT", object="Globex")
    counts = counted(stories, 0, believed=(acme, again, globex))
    assert (counts.duplicate, counts.contradictory) == (1, 1)


def test_a_fact_that_is_over_by_the_gold_is_stale_when_it_is_still_believed(stories: StorySet) -> None:
    firms = stories.stories[0]
    acme = BelievedFact(subject="Ada", relation="WORKS_AT", object="Acme")
    globex = BelievedFact(subject="Ada Brandt", relation="WORKS_AT", object="Globex")
    unheard = BelievedFact(subject="Ada", relation="WORKS_AT", object="Umbra")
    counts = count_claims(firms, [], [acme, globex, unheard], stories.relations, holding=[globex])
    assert counts.stale == 1


# ---- runs


def run(tmp_path: Path, *flags: str) -> dict[str, object]:
    report = tmp_path / "report.json"
    assert main([str(SET), "--json", str(report), *flags]) == 0
    keys: dict[str, object] = json.loads(report.read_text())
    return keys


def test_gold_claims_and_probes_are_answered_without_a_fault(tmp_path: Path) -> None:
    keys = run(tmp_path, "--claims", "gold", "--questions", "probe", "--markdown", str(tmp_path / "report.md"))
    assert (keys["questions"], keys["right"], keys["left_out"]) == (11, 11, 1)
    assert keys["by_difficulty"] == {
        "plain": {"questions": 8, "right": 8},
        "natural": {"questions": 0, "right": 0},
        "hard": {"questions": 3, "right": 3},
    }
    assert (tmp_path / "report.md").read_text().startswith("# stories")


@pytest.mark.parametrize("questions", ["words", "scoped"])
def test_the_engine_reads_the_text_and_its_claims_are_scored(
    tmp_path: Path, questions: str, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = run(tmp_path, "--questions", questions, "--wrong")
    assert (keys["questions"], keys["left_out"]) == (12, 0)
    assert set(keys["rates"]) == {"duplicate", "contradictory", "stale", "wrong_speaker", "invented", "must_not"}  # type: ignore[call-overload]
    claims = keys["claims"]
    assert isinstance(claims, dict)
    assert claims["gold"] == 6
    assert claims["matched"] >= 2
    wrong = [line for line in capsys.readouterr().out.splitlines() if "\tgiven: " in line]
    assert len(wrong) == int(str(keys["questions"])) - int(str(keys["right"]))


def test_stories_may_share_one_store_and_leave_nothing_in_it(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'shared.db'}"
    for _ in range(2):
        keys = run(tmp_path, "--claims", "gold", "--questions", "probe", "--store", store)
        assert keys["right"] == 11


def test_a_folder_of_another_form_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as end:
        main([str(tmp_path)])
    assert end.value.code == 2


def test_the_fact_block_of_every_question_with_an_answer_is_scored(tmp_path: Path) -> None:
    block = run(tmp_path, "--claims", "gold", "--block")["block"]
    assert isinstance(block, dict)
    assert [block[name]["questions"] for name in ("plain", "natural", "hard")] == [7, 0, 3]
    assert 0 < block["plain"]["held"] <= 7
    assert block["tokens_p50"] > 0


def test_the_folds_of_a_set_are_the_set(stories: StorySet) -> None:
    for folds in (1, 2, 5):
        parts = [fold_of(stories.stories, number, folds) for number in range(1, folds + 1)]
        assert [story for part in parts for story in part] == list(stories.stories)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_fold_is_scored_alone(tmp_path: Path) -> None:
    whole, parts = (
        run(tmp_path, "--claims", "gold"),
        [run(tmp_path, "--claims", "gold", "--fold", f"{k}/2") for k in (1, 2)],
    )
    assert [asked_in(part) for part in parts] != [asked_in(whole)] * 2
    assert sum(asked_in(part) for part in parts) == asked_in(whole)


@pytest.mark.parametrize("fold", ["0/5", "6/5", "2", "one/two"])
def test_what_is_no_part_of_a_whole_is_refused(tmp_path: Path, fold: str) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path, "--fold", fold)


def asked_in(report: dict[str, object]) -> int:
    questions = report["questions"]
    assert isinstance(questions, int)
    return questions


def test_claims_are_counted_by_difficulty(tmp_path: Path) -> None:
    report = run(tmp_path)
    parts, whole = report["claims_by_difficulty"], report["claims"]
    assert isinstance(parts, dict)
    assert isinstance(whole, dict)
    assert {key: sum(part[key] for part in parts.values()) for key in ("emitted", "gold", "matched")} == {
        key: whole[key] for key in ("emitted", "gold", "matched")
    }


def test_a_sample_takes_of_each_difficulty_its_share(stories: StorySet) -> None:
    assert {story.difficulty for story in sample_of(stories.stories, 2, seed=1)} == {"plain", "hard"}
    assert len(sample_of(stories.stories, 1, seed=1)) == 1
