"""The data set that comes with the code: whole, bilingual, and answered through the product's own path. Rows: D4."""

from collections import Counter
from io import StringIO
from pathlib import Path

import orjson
import pytest
from django.core.management import call_command

from lab.evaluation.datasets.questions import read_evaluation_set

PATH = Path(__file__).resolve().parents[3] / "data" / "four-lives.json"


def test_every_question_can_be_asked() -> None:
    found = read_evaluation_set(PATH)

    assert found.left_out == {}
    assert found.questions == 72
    told = orjson.loads(PATH.read_bytes())["subjects"]
    evidence = {subject["subject_id"]: [len(one["evidence"]) for one in subject["questions"]] for subject in told}
    for subject in found.subjects:  # none was dropped because nobody had said it by then
        assert [len(question.evidence) for question in subject.questions] == evidence[subject.subject_id]


def test_two_languages_and_every_kind_of_question() -> None:
    found = read_evaluation_set(PATH)
    asked = [question for subject in found.subjects for question in subject.questions]

    chinese = sum(any("\u4e00" <= character <= "\u9fff" for character in question.query) for question in asked)
    assert chinese == 35
    kinds = Counter(question.category for question in asked)
    assert set(kinds) == {"direct", "paraphrase", "time", "multi", "two speakers"}
    assert min(kinds.values()) >= 5


@pytest.mark.usefixtures("database")
@pytest.mark.slow
def test_it_is_evaluated_like_any_other(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    call_command("evaluate", str(PATH), "--budgets", "125,250,500", "--json", str(out), stdout=StringIO())
    run = orjson.loads(out.read_bytes())

    assert run["asked"]["questions"] == 72
    assert set(run["figures"]["by_subject"]) == {"nora", "desmond", "chenyu", "xiaohe"}
    # Words alone, for the hashing model knows no meaning: half of the evidence is among the ten best.
    assert run["figures"]["overall"]["recall@10"] > 0.5
