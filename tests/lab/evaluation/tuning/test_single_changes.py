"""Numbers of a policy and optimisations are tried alone, on the same questions. Rows: D4."""

from dataclasses import fields, replace

from lab.evaluation.ranking.ablation import ABLATIONS
from lab.evaluation.ranking.rankers import make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, ask_all, mean_figures
from lab.evaluation.tuning.single_changes import (
    ALTERNATIVES,
    list_alternative_policies,
    measure_worth_of_each,
    sweep_values,
)
from lab.evaluation.tuning.tunables import list_tunables
from snapshots.recall.config import DEFAULT_RECALL, RankingPolicy, RecallPolicy
from tests.lab.evaluation.memories import subject

LIN = subject(
    "lin",
    ["Do you still see the harbour from your window?", "Yes, every morning.", "The soup was cold.", "I like rain."],
    {"What about the harbour window?": [1], "Which soup?": [2]},
)
PLAN = AskingPlan(top_k=4, budgets=(8,))


def differing(one: RecallPolicy, other: RecallPolicy) -> set[str]:
    return {
        field.name
        for part in ("scoring", "ranking")
        for field in fields(getattr(one, part))
        if getattr(getattr(one, part), field.name) != getattr(getattr(other, part), field.name)
    }


def test_one_field_differs_and_none_stays_as_it_is() -> None:
    for field, value, tried in list_alternative_policies([LIN], DEFAULT_RECALL):
        assert differing(DEFAULT_RECALL, tried) == {field.partition(":")[0]}, (field, value)


def test_no_name_stands_for_two_values() -> None:
    names = [(field, value) for field, value, _ in list_alternative_policies([LIN], DEFAULT_RECALL)]

    assert len(names) == len(set(names))
    assert {field for field, _ in names} == set(list_tunables([LIN])) | {
        name.partition(".")[2] for name in ALTERNATIVES
    }


def test_the_figures_are_those_of_the_other_policy() -> None:
    found = sweep_values([LIN], DEFAULT_RECALL, PLAN, ["mrr", "coverage@8"])

    for field, value, tried in list_alternative_policies([LIN], DEFAULT_RECALL):
        figures = mean_figures(ask_all([LIN], make_policy_ranker(tried), PLAN))
        assert found[field][value] == {"mrr": figures["mrr"], "coverage@8": figures["coverage@8"]}


def test_every_value_is_heard_of() -> None:
    tried: list[int] = []
    sweep_values([LIN], DEFAULT_RECALL, PLAN, ["mrr"], advance=tried.append)

    assert sum(tried) == len(list(list_alternative_policies([LIN], DEFAULT_RECALL)))


def test_a_view_that_finds_the_answer_is_worth_what_is_lost_without_it() -> None:
    plan = AskingPlan(top_k=4, budgets=(8,))
    # The answer shares no word with the question: its neighbour's words find it, or nothing does.
    policy = replace(DEFAULT_RECALL, scoring=replace(DEFAULT_RECALL.scoring, dense_dated=0.0, dense_continued=0.0))
    rows = ask_all([LIN], make_policy_ranker(policy), plan)

    worth = measure_worth_of_each([LIN], policy, rows, plan, ["mrr"])

    window = worth["keyword: window of neighbours"]
    assert window is not None
    without = ask_all([LIN], make_policy_ranker(ABLATIONS["keyword: window of neighbours"](policy)), plan)
    assert window["mrr"].mean == rows[0].figures["mrr"] - without[0].figures["mrr"]


def test_what_is_off_already_has_no_worth() -> None:
    policy = replace(DEFAULT_RECALL, ranking=RankingPolicy(use_recency=False))

    worth = measure_worth_of_each(
        [LIN], policy, ask_all([LIN], make_policy_ranker(policy), AskingPlan()), AskingPlan(), ["mrr"]
    )

    assert worth["factor: recency"] is None
    assert worth["factor: confidence"] is not None


def test_every_optimisation_is_tried() -> None:
    tried: list[int] = []
    rows = ask_all([LIN], make_policy_ranker(DEFAULT_RECALL), AskingPlan())
    worth = measure_worth_of_each([LIN], DEFAULT_RECALL, rows, AskingPlan(), ["mrr", "recall@10"], advance=tried.append)

    assert list(worth) == list(ABLATIONS)
    assert all(set(held) == {"mrr", "recall@10"} for held in worth.values() if held)
    assert sum(tried) == len(ABLATIONS)
