"""Questions put to a ranking, and the figures of each: pure once everything is loaded."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from lab.evaluation.config import COUNTING
from lab.evaluation.ranking.inputs import LoadedQuestion, LoadedSubject
from lab.evaluation.ranking.metrics import (
    all_at,
    coverage_within,
    hit_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)
from lab.evaluation.ranking.rankers import Ranker

# By name: ``recall@10``, ``hit@10``, ``mrr``, ``ndcg@10``, ``all@10``, ``coverage@500``; each between 0 and 1.
Metrics = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class AskingPlan:
    """How every question is asked: the answer's length in memories, the token budgets it is read within.

    ``afterwards`` says that all were asked after the last turn, whatever time they have.
    """

    top_k: int = 100
    budgets: tuple[int, ...] = (500, 1000, 2000)
    afterwards: bool = False


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """The figures of one question; without any text."""

    subject: str
    id: str
    category: str
    figures: Metrics


def ask_all(
    subjects: Iterable[LoadedSubject],
    rank: Ranker,
    plan: AskingPlan,
    *,
    advance: Callable[[int], object] = lambda _: None,
) -> list[QuestionRow]:
    """Put all questions to ``rank`` and return their rows in order; without those that it has nothing to go by for."""
    rows = []
    for subject in subjects:
        for asked in subject.questions:
            answer = rank(subject, asked, plan.top_k)
            if answer is not None:
                rows.append(_make_row(subject, asked, answer, plan))
            advance(1)
    return rows


def compute_figures(
    subject: LoadedSubject, loaded_question: LoadedQuestion, answer: Sequence[UUID], plan: AskingPlan
) -> Metrics:
    """Return every figure of one answer, best memory first."""
    wanted = len(loaded_question.needs)
    nothing = (0,) * wanted
    brought = [loaded_question.brought.get(memory, frozenset()) for memory in answer]
    tokens = [subject.memories[memory].tokens for memory in answer]
    occurring = [loaded_question.occurring.get(memory, nothing) for memory in answer]
    covered = coverage_within(plan.budgets, tokens, occurring, loaded_question.needs)
    return {
        **{f"recall@{k}": recall_at(brought, wanted, k) for k in COUNTING.depths},
        **{f"hit@{k}": hit_at(brought, k) for k in COUNTING.depths},
        "mrr": reciprocal_rank(brought),
        f"ndcg@{COUNTING.judged_depth}": ndcg_at(brought, wanted, COUNTING.judged_depth),
        f"all@{COUNTING.judged_depth}": all_at(brought, wanted, COUNTING.judged_depth),
        **{f"coverage@{budget}": share for budget, share in covered.items()},
    }


def mean_figures(rows: Sequence[QuestionRow]) -> Metrics:
    """Return the mean of each figure over ``rows``; empty without rows."""
    if not rows:
        return {}
    return {name: sum(row.figures[name] for row in rows) / len(rows) for name in rows[0].figures}


def group_rows(rows: Sequence[QuestionRow], key: Callable[[QuestionRow], str]) -> Mapping[str, list[QuestionRow]]:
    found: dict[str, list[QuestionRow]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return dict(sorted(found.items()))


def _make_row(
    subject: LoadedSubject, loaded_question: LoadedQuestion, answer: Sequence[UUID], plan: AskingPlan
) -> QuestionRow:
    question = loaded_question.question
    return QuestionRow(
        subject.subject_id, question.id, question.category, compute_figures(subject, loaded_question, answer, plan)
    )
