"""Each number of a policy is tried beside its neighbours, alone. Rows: D4."""

from dataclasses import fields

from lab.evaluation.ranking.rankers import make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, ask_all, mean_figures
from lab.evaluation.tuning.sweep import ALTERNATIVES, alternative_policies, sweep_values
from lab.evaluation.tuning.tunables import tunables_of
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy
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
    for field, value, tried in alternative_policies([LIN], DEFAULT_RECALL):
        assert differing(DEFAULT_RECALL, tried) == {field.partition(":")[0]}, (field, value)


def test_no_name_stands_for_two_values() -> None:
    names = [(field, value) for field, value, _ in alternative_policies([LIN], DEFAULT_RECALL)]

    assert len(names) == len(set(names))
    assert {field for field, _ in names} == set(tunables_of([LIN])) | {name.partition(".")[2] for name in ALTERNATIVES}


def test_the_figures_are_those_of_the_other_policy() -> None:
    found = sweep_values([LIN], DEFAULT_RECALL, PLAN, ["mrr", "coverage@8"])

    for field, value, tried in alternative_policies([LIN], DEFAULT_RECALL):
        figures = mean_figures(ask_all([LIN], make_policy_ranker(tried), PLAN))
        assert found[field][value] == {"mrr": figures["mrr"], "coverage@8": figures["coverage@8"]}


def test_every_value_is_heard_of() -> None:
    tried: list[int] = []
    sweep_values([LIN], DEFAULT_RECALL, PLAN, ["mrr"], advance=tried.append)

    assert sum(tried) == len(list(alternative_policies([LIN], DEFAULT_RECALL)))
