"""Questions are checked before anything is loaded, and tied to what was said. Rows: D4."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lab.evaluation.datasets.questions import read_evaluation_set
from memory_platform.kernel.errors import InvalidInput
from tests.lab.evaluation.dataset import bilingual, write_dataset


def change_question(**question: Any) -> dict[str, Any]:
    content = bilingual()
    content["subjects"][0]["questions"][0].update(question)
    return content


def faults_of(path: Path) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refused:
        read_evaluation_set(path)
    return {fault.field: fault.code for fault in refused.value.faults}


def test_questions_without_evidence_are_counted_not_asked(tmp_path: Path) -> None:
    found = read_evaluation_set(write_dataset(tmp_path), skipped=frozenset({"5"}))

    asked = {subject.subject_id: [question.id for question in subject.questions] for subject in found.subjects}
    assert asked == {"lin": ["q1", "q2", "q3"], "mei": ["m1", "m2", "m3"]}
    assert found.left_out == {"no_evidence": 1, "category": 1}


def test_categories_narrow_what_is_asked(tmp_path: Path) -> None:
    found = read_evaluation_set(write_dataset(tmp_path), categories=frozenset({"multi"}))

    assert found.questions == 1


def test_evidence_that_nobody_said_is_left_out(tmp_path: Path) -> None:
    found = read_evaluation_set(write_dataset(tmp_path, change_question(evidence=["c1-0", "c9-9", "c1-0"])))

    assert found.subjects[0].questions[0].evidence == ("c1-0",)


def test_a_question_without_a_time_is_asked_a_day_after_the_last_turn(tmp_path: Path) -> None:
    found = read_evaluation_set(write_dataset(tmp_path, change_question(asked_at="2026-05-01T00:00:00+08:00")))

    first, second = found.subjects[0].questions[:2]
    assert first.asked_at == datetime(2026, 4, 30, 16, tzinfo=UTC)
    assert second.asked_at == datetime(2026, 3, 3, 10, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"query": ""}, "query"),
        ({"evidence": "c1-0"}, "evidence"),
        ({"asked_at": "2026-05-01T00:00:00"}, "asked_at"),
        ({"asked_at": "soon"}, "asked_at"),
    ],
)
def test_a_fault_is_named_by_its_place(tmp_path: Path, question: dict[str, Any], field: str) -> None:
    assert list(faults_of(write_dataset(tmp_path, change_question(**question)))) == [f"subjects.0.questions.0.{field}"]


def test_questions_that_are_no_objects_are_refused(tmp_path: Path) -> None:
    content = bilingual()
    content["subjects"][0]["questions"] = ["Where?"]
    content["subjects"][1]["questions"] = "Where?"

    assert set(faults_of(write_dataset(tmp_path, content))) == {"subjects.0.questions.0", "subjects.1.questions"}


def test_a_file_without_questions_is_refused(tmp_path: Path) -> None:
    content = bilingual()
    for subject in content["subjects"]:
        del subject["questions"]

    assert faults_of(write_dataset(tmp_path, content)) == {"subjects": "no_questions"}


def test_evidence_must_be_one_message(tmp_path: Path) -> None:
    content = bilingual()
    content["subjects"][0]["conversations"][1]["messages"][0]["message_id"] = "c1-0"

    assert faults_of(write_dataset(tmp_path, content)) == {"questions.evidence": "ambiguous"}


def test_the_file_is_named_by_its_content(tmp_path: Path) -> None:
    before = read_evaluation_set(write_dataset(tmp_path)).sha256

    assert read_evaluation_set(write_dataset(tmp_path)).sha256 == before
    assert read_evaluation_set(write_dataset(tmp_path, change_question(answer="Bergen"))).sha256 != before


def test_what_is_said_after_a_question_is_no_evidence(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, change_question(asked_at="2026-03-01T12:00:00+00:00", evidence=["c1-0", "c2-0"]))

    assert read_evaluation_set(path).subjects[0].questions[0].evidence == ("c1-0",)
    assert read_evaluation_set(path, afterwards=True).subjects[0].questions[0].evidence == ("c1-0", "c2-0")


def test_afterwards_is_a_day_after_the_last_turn_whatever_the_question_says(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, change_question(asked_at="2026-03-01T12:00:00+00:00"))

    (first, *_) = read_evaluation_set(path, afterwards=True).subjects[0].questions
    assert first.asked_at == datetime(2026, 3, 3, 10, 1, tzinfo=UTC)
