"""Answers judged by a chat model: do the memories suffice, and is the answer true to them?

A model writes an answer from the recalled memories, then judges it. Its own words are never stored: it lists statements
with a yes or no each, and the shares are counted here. Metrics after Es et al., "RAGAS", EACL 2024, and, for accuracy,
Maharana et al., "LoCoMo", ACL 2024.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict

from lab.evaluation.config import COUNTING
from lab.evaluation.judge_prompts import VERSION, get_prompts
from lab.evaluation.ranking.inputs import LoadedMemory, LoadedQuestion, LoadedSubject
from lab.evaluation.ranking.rankers import Ranker
from memory_platform.kernel.text import detect_language
from memory_platform.providers.contracts import ChatModel, ChatUnavailable

ChosenQuestions = Sequence[tuple[LoadedSubject, LoadedQuestion]]


class StrictModel(BaseModel):
    """An answer of the model: no other fields, no converted types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class WrittenAnswer(StrictModel):
    """The answer to a question."""

    answer: str


class SupportedClaim(StrictModel):
    """One claim of an answer, and whether the memories support it."""

    statement: str
    supported: bool


class ReferenceFact(StrictModel):
    """One fact of the reference, and whether the memories hold it."""

    fact: str
    supported: bool


class AnswerJudgement(StrictModel):
    """The judgement of an answer without the right one; ``useful`` holds numbers of memories, from 1."""

    statements: list[SupportedClaim]
    addresses: Literal[0, 1, 2]
    useful: list[int]


class AnswerComparison(StrictModel):
    """The judgement of an answer beside the right one."""

    facts: list[ReferenceFact]
    correct: bool


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """The figures of one question, each between 0 and 1; one that does not apply is missing. No text."""

    subject: str
    id: str
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """All rows of one judge; ``failed`` counts the questions to which it gave no valid answer."""

    model: str
    prompts: int
    failed: int
    # By name: the mean, and over how many ``questions``.
    figures: Mapping[str, Mapping[str, float]]
    rows: Sequence[JudgedRow]


def choose_questions(subjects: Sequence[LoadedSubject], limit: int) -> ChosenQuestions:
    """Return at most ``limit`` questions, evenly spread over all."""
    every = [(subject, question) for subject in subjects for question in subject.questions]
    count = min(limit, len(every))
    return [every[place * len(every) // count] for place in range(count)]


def judge_all(
    questions: ChosenQuestions, rank: Ranker, model: ChatModel, *, advance: Callable[[int], object] = lambda _: None
) -> JudgedRun:
    """Have ``model`` answer and judge each question from its best ten memories. No transaction may be open."""
    rows, failed = [], 0
    for subject, asked in questions:
        try:
            figures = judge_question(subject, asked, rank, model)
        except ChatUnavailable:
            failed += 1
        else:
            rows.append(JudgedRow(subject.subject_id, asked.question.id, figures))
        advance(1)
    return JudgedRun(model.name, VERSION, failed, _mean_figures(rows), rows)


def judge_question(
    subject: LoadedSubject, loaded_question: LoadedQuestion, rank: Ranker, model: ChatModel
) -> Mapping[str, float]:
    """Return the figures of one question: two calls, three where the right answer is known. Raises ChatUnavailable."""
    question = loaded_question.question
    prompts = get_prompts(detect_language(question.query))
    memories = [subject.memories[found] for found in rank(subject, loaded_question, COUNTING.judged_depth) or ()]
    shown: dict[str, Any] = {"question": question.query, "memories": _number_memories(memories)}
    written = model.answer(prompts.answer, _render_json(shown), WrittenAnswer)
    shown["answer"] = written.answer
    figures = _compute_answer_figures(model.answer(prompts.judge, _render_json(shown), AnswerJudgement), len(memories))
    if question.answer is None:
        return figures
    shown["reference"] = question.answer
    return {
        **figures,
        **_compute_accuracy_figures(model.answer(prompts.compare, _render_json(shown), AnswerComparison)),
    }


def _compute_answer_figures(judgement: AnswerJudgement, memories: int) -> dict[str, float]:
    figures = {"answer_relevancy": judgement.addresses / 2}
    if judgement.statements:
        figures["faithfulness"] = _share([statement.supported for statement in judgement.statements])
    if memories:
        figures["context_relevancy"] = len(set(judgement.useful) & set(range(1, memories + 1))) / memories
    return figures


def _compute_accuracy_figures(compared: AnswerComparison) -> dict[str, float]:
    figures = {"accuracy": float(compared.correct)}
    if compared.facts:
        figures["context_recall"] = _share([fact.supported for fact in compared.facts])
    return figures


def _share(verdicts: Sequence[bool]) -> float:
    return sum(verdicts) / len(verdicts)


def _number_memories(memories: Sequence[LoadedMemory]) -> list[dict[str, object]]:
    return [
        {
            "number": number,
            "date": memory.said_at.date().isoformat() if memory.said_at else None,
            "speaker": memory.name,
            "text": memory.text,
        }
        for number, memory in enumerate(memories, start=1)
    ]


def _render_json(value: Mapping[str, Any]) -> str:
    return orjson.dumps(value).decode()


def _mean_figures(rows: Sequence[JudgedRow]) -> Mapping[str, Mapping[str, float]]:
    names = sorted({name for row in rows for name in row.figures})
    held = {name: [row.figures[name] for row in rows if name in row.figures] for name in names}
    return {name: {"mean": sum(values) / len(values), "questions": len(values)} for name, values in held.items()}
