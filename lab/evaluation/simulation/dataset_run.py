"""Contexts for the questions of a data set of real talk, beside the prompts of a product without memory."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from lab.evaluation.datasets.questions import DatasetQuestion, EvaluationSet
from lab.evaluation.simulation.baselines import RawHistory
from lab.evaluation.simulation.simulated_days import Asker, EvidenceCoverage, build_context_for, find_covered_evidence
from snapshots.context.pipeline import COUNTER

PROMPT = "You answer questions about what was said."


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """One question: its category, tokens of its context and of the full history, and each evidence turn's fate."""

    subject: str
    id: str
    category: str
    context: int
    full_history: int
    covered: tuple[EvidenceCoverage, ...]


def ask_dataset(
    tenant_id: UUID, asked: EvaluationSet, *, memory: int | None = None, advance: Callable[[int], object]
) -> list[AnsweredQuestion]:
    """Return a context's figures for every question, asked after all was said; ``advance`` hears of each.

    ``memory``: tokens of the memory section; None leaves them to the question's intent.
    """
    found = []
    for subject in asked.subjects:
        raw = raw_history(asked, subject.subject_id)
        asker = Asker(subject.subject_id, PROMPT, memory)
        for question in subject.questions:
            found.append(
                _measure_question(tenant_id, asker, question, [subject.turns[one] for one in question.evidence], raw)
            )
            advance(1)
    return found


def raw_history(asked: EvaluationSet, subject_id: str) -> RawHistory:
    """Return the subject's conversations, each turn with its speaker's name."""
    raw = RawHistory(COUNTER)
    for conversation in asked.dataset.conversations:
        if conversation.subject_id == subject_id:
            for message in conversation.messages:
                raw.add(f"{message.name}: {message.text}" if message.name else message.text)
    return raw


def mean_shares(answers: list[AnsweredQuestion]) -> dict[str, float]:
    """Return, for each way, the mean over questions of the share of evidence turns that it brings."""
    names = ("memory", "latest", "bm25", "bm25_same")
    return {
        name: sum(sum(getattr(one, name) for one in each.covered) / len(each.covered) for each in answers)
        / len(answers)
        for name in names
    }


def _measure_question(
    tenant_id: UUID, asker: Asker, question: DatasetQuestion, evidence: list[str], raw: RawHistory
) -> AnsweredQuestion:
    built = build_context_for(tenant_id, asker, question.query, None)
    covered = find_covered_evidence(built, raw, question.query, evidence)
    tokens = built.context.tokens
    return AnsweredQuestion(
        asker.subject, question.id, question.category, tokens.total, tokens.full_history, tuple(covered)
    )
