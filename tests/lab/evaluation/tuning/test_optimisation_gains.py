"""What an optimisation is worth is measured on the same questions. Rows: D4."""

from dataclasses import replace

from lab.evaluation.ranking.ablation import ABLATIONS
from lab.evaluation.ranking.rankers import make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, ask_all
from lab.evaluation.tuning.optimisation_gains import worth_of_each
from snapshots.recall.config import DEFAULT_RECALL, RankingPolicy
from tests.lab.evaluation.memories import subject

LIN = subject(
    "lin",
    ["Do you still see the harbour from your window?", "Yes, every morning.", "The soup was cold.", "I like rain."],
    {"What about the harbour window?": [1]},
)


def test_a_view_that_finds_the_answer_is_worth_what_is_lost_without_it() -> None:
    plan = AskingPlan(top_k=4, budgets=(8,))
    # The answer shares no word with the question: its neighbour's words find it, or nothing does.
    policy = replace(DEFAULT_RECALL, scoring=replace(DEFAULT_RECALL.scoring, dense_dated=0.0, dense_continued=0.0))
    rows = ask_all([LIN], make_policy_ranker(policy), plan)

    worth = worth_of_each([LIN], policy, rows, plan, ["mrr"])

    window = worth["keyword: window of neighbours"]
    assert window is not None
    without = ask_all([LIN], make_policy_ranker(ABLATIONS["keyword: window of neighbours"](policy)), plan)
    assert window["mrr"].mean == rows[0].figures["mrr"] - without[0].figures["mrr"]


def test_what_is_off_already_has_no_worth() -> None:
    policy = replace(DEFAULT_RECALL, ranking=RankingPolicy(use_recency=False))

    worth = worth_of_each(
        [LIN], policy, ask_all([LIN], make_policy_ranker(policy), AskingPlan()), AskingPlan(), ["mrr"]
    )

    assert worth["factor: recency"] is None
    assert worth["factor: confidence"] is not None


def test_every_optimisation_is_tried() -> None:
    tried: list[int] = []
    rows = ask_all([LIN], make_policy_ranker(DEFAULT_RECALL), AskingPlan())
    worth = worth_of_each([LIN], DEFAULT_RECALL, rows, AskingPlan(), ["mrr", "recall@10"], advance=tried.append)

    assert list(worth) == list(ABLATIONS)
    assert all(set(held) == {"mrr", "recall@10"} for held in worth.values() if held)
    assert sum(tried) == len(ABLATIONS)
