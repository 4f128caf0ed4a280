"""A search finds what recall would find, though it works out less. Rows: D4."""

from dataclasses import replace

import pytest

from lab.evaluation.ranking.prepared_questions import KEPT, prepare
from lab.evaluation.ranking.rankers import by_policy
from lab.evaluation.ranking.runner import Plan, ask_all
from lab.evaluation.tuning.sweep import alternative_policies
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from tests.lab.evaluation.memories import subject

TURNS = [
    "Do you still see the harbour from your window?",
    "Yes, every morning at six o'clock.",
    "The soup was cold today. Was yours?",
    "I like rain. I like the harbour in the rain most.",
    "Last week we had soup at the harbour with my aunt.",
    "今天去公园散步。",
]
LIN = subject(
    "lin", TURNS, {"When did we have soup? And where was it?": [4], "今天做了什么？": [5], "Who sees it?": [1]}
)


@pytest.fixture(scope="module")
def policies() -> list[RecallPolicy]:
    return [DEFAULT_RECALL, *(tried for _, _, tried in alternative_policies([LIN], DEFAULT_RECALL))]


def test_any_policy_finds_the_same_after_any_other(policies: list[RecallPolicy]) -> None:
    questions = prepare(LIN, 4)
    answers = set()

    for policy in (*policies, *reversed(policies)):
        for question in questions:
            found = tuple(LIN.image.id(row) for row in question.best_rows(policy).tolist())
            assert list(found) == by_policy(policy)(LIN, question.asked, 4)
            answers.add(found)
    assert len(answers) > 2 * len(questions)  # or the policies would prove nothing


def test_coverage_is_that_of_the_rows(policies: list[RecallPolicy]) -> None:
    plan = Plan(top_k=4, budgets=(8, 16))
    questions = prepare(LIN, 4)

    for policy in policies:
        rows = ask_all([LIN], by_policy(policy), plan)
        for question, row in zip(questions, rows, strict=True):
            expected = row.figures["coverage@8"] + row.figures["coverage@16"]
            assert question.coverage(policy, plan.budgets) == expected


def test_it_keeps_a_few_only() -> None:
    question = prepare(LIN, 4)[0]
    for step in range(3 * KEPT):
        question.best_rows(
            replace(DEFAULT_RECALL, scoring=replace(DEFAULT_RECALL.scoring, sentence_decay=1 / (1 + step)))
        )

    assert all(len(made) <= KEPT for made in question._made.values())
