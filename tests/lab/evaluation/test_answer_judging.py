"""Answers judged by a model over real HTTP: what is counted, and what a bad judge costs. Rows: D4, L1."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from pytest_django.fixtures import Settings

from lab.evaluation.answer_judging import JudgedRun, choose_questions, judge_all
from lab.evaluation.judge_prompts import ENGLISH, VERSION
from lab.evaluation.ranking.inputs import LoadedSubject
from lab.evaluation.ranking.rankers import make_policy_ranker
from memory_platform.providers.registry import chat_model
from snapshots.recall.config import DEFAULT_RECALL
from tests.lab.evaluation.judge import JUDGED, WRITTEN, instructions_of, judge_configured, reply
from tests.lab.evaluation.memories import subject
from tests.model_server import ModelServer, Reply, Request, completion


def subject_of(answer: str | None) -> LoadedSubject:
    turns = ["My cousin plays the cello in Ghent.", "The cello was made in 1910."]
    return subject("lin", turns, {"Where is the cello played?": [0]}, answer=answer)


def request_body(request: Request) -> dict[str, Any]:
    shown = orjson.loads(request.body["messages"][-1]["content"])
    assert isinstance(shown, dict)
    return shown


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with judge_configured(settings) as running:
        yield running


def judge_subject(of: LoadedSubject) -> JudgedRun:
    model = chat_model("judge")
    assert model is not None
    return judge_all(choose_questions([of], 5), make_policy_ranker(DEFAULT_RECALL), model)


def test_shares_are_counted_here_from_the_model_s_verdicts(server: ModelServer) -> None:
    found = judge_subject(subject_of("In Ghent"))

    assert (found.model, found.prompts, found.failed) == ("openai:judge-1", VERSION, 0)
    assert found.rows[0].figures == {
        "faithfulness": 0.5,
        "answer_relevancy": 0.5,
        "context_relevancy": 0.5,  # one of two memories; a number that no memory has does not count
        "context_recall": 1.0,
        "accuracy": 1.0,
    }
    assert found.figures["faithfulness"] == {"mean": 0.5, "questions": 1}


def test_without_a_right_answer_accuracy_is_left_out(server: ModelServer) -> None:
    found = judge_subject(subject_of(None))

    assert set(found.figures) == {"faithfulness", "answer_relevancy", "context_relevancy"}
    assert len(server.requests) == 2


def test_the_judge_sees_what_was_recalled_and_the_writer_not_the_reference(server: ModelServer) -> None:
    judge_subject(subject_of("In Ghent"))

    writer, judge, comparer = map(request_body, server.requests)
    assert writer["question"] == "Where is the cello played?"
    assert [memory["number"] for memory in writer["memories"]] == [1, 2]
    assert "reference" not in writer
    assert "reference" not in judge
    assert judge["answer"] == WRITTEN["answer"]
    assert comparer["reference"] == "In Ghent"


def test_a_chinese_question_is_judged_in_chinese(server: ModelServer) -> None:
    judge_subject(subject("mei", ["我妈妈在杭州开茶馆。"], {"茶馆在哪里?": [0]}))

    assert all("记忆" in instructions_of(request) for request in server.requests)


@pytest.mark.parametrize(
    "wrong",
    [
        {**JUDGED, "addresses": 3},
        {**JUDGED, "addresses": "1"},
        {**JUDGED, "score": 1},
        {**JUDGED, "statements": [{"statement": "Ghent"}]},
    ],
)
def test_an_answer_out_of_shape_is_repaired_once_then_given_up(server: ModelServer, wrong: dict[str, Any]) -> None:
    def badly(request: Request) -> Reply:
        return completion(orjson.dumps(wrong).decode()) if ENGLISH.judge in instructions_of(request) else reply(request)

    server.answer = badly
    found = judge_subject(subject_of("In Ghent"))

    assert (found.failed, list(found.rows), dict(found.figures)) == (1, [], {})
    assert len(server.requests) == 3  # the answer, the judgement, its repair


def test_a_judge_that_is_away_costs_its_questions_only(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=400)

    assert judge_subject(subject_of("In Ghent")).failed == 1


def test_questions_are_chosen_evenly() -> None:
    of = subject("lin", ["One cello."], {f"Which cello {i}?": [0] for i in range(10)})

    assert [asked.question.id for _, asked in choose_questions([of], 3)] == ["q0", "q3", "q6"]
    assert len(choose_questions([of], 99)) == 10
    assert choose_questions([], 3) == []
