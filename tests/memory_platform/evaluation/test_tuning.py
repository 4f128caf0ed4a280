"""Weights are chosen on some subjects and judged on the others. Rows: D4."""

from dataclasses import replace

import pytest

from memory_platform.evaluation.ablation import bare
from memory_platform.evaluation.loaded import LoadedSubject
from memory_platform.evaluation.policy import TuningPolicy
from memory_platform.evaluation.rankers import by_policy
from memory_platform.evaluation.runner import Plan, ask_all, mean_figures
from memory_platform.evaluation.tuning import TUNED, Trials, choose, split, tune
from memory_platform.kernel.errors import InvalidInput
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from tests.memory_platform.evaluation.memories import subject

QUICK = TuningPolicy(factors=(0.0, 2.0), rounds=1)
PLAN = Plan(top_k=4, budgets=(20,))


def talk(subject_id: str, place: str) -> LoadedSubject:
    """The answer stands behind the turn that shares the question's words: only smoothing and window can lift it."""
    turns = [
        f"Did you ever visit the {place} museum of glass?",
        "Yes, twice, with my aunt.",
        "The train was late again.",
        f"A {place} postcard hangs in my kitchen.",
    ]
    return subject(subject_id, turns, {f"Who visited the {place} museum?": [1], f"Which {place} postcard?": [3]})


SUBJECTS = [talk("a", "Oslo"), talk("b", "Turin"), talk("c", "Bergen")]


def test_each_subject_is_held_out_once() -> None:
    found = tune(SUBJECTS, DEFAULT_RECALL, PLAN, search=QUICK)

    assert sorted(name for fold in found.folds for name in fold.held_out) == ["a", "b", "c"]
    assert all(set(fold.weights) == set(TUNED) for fold in found.folds)


def test_the_fixed_policy_is_judged_on_the_same_questions() -> None:
    found = tune(SUBJECTS, DEFAULT_RECALL, PLAN, search=QUICK)

    assert found.fixed == mean_figures(ask_all(SUBJECTS, by_policy(DEFAULT_RECALL), PLAN))
    for name, gain in found.gains.items():
        assert gain.mean == pytest.approx(found.tuned[name] - found.fixed[name])


def test_the_search_never_ends_below_where_it_began() -> None:
    trials = Trials(PLAN, lambda _: None)
    chosen = choose(trials, DEFAULT_RECALL, SUBJECTS, TuningPolicy())

    assert trials.objective(chosen, SUBJECTS) >= trials.objective(DEFAULT_RECALL, SUBJECTS)


def test_the_search_finds_a_weight_that_helps() -> None:
    crippled = bare(DEFAULT_RECALL, keyword_own=1.0, smooth_previous=0.001)
    trials = Trials(PLAN, lambda _: None)
    before = trials.objective(crippled, SUBJECTS)

    chosen = choose(trials, crippled, SUBJECTS, TuningPolicy(factors=(0.0, 1_000.0)))

    assert before < trials.objective(chosen, SUBJECTS)


def test_only_the_weights_of_the_list_change() -> None:
    chosen = choose(Trials(PLAN, lambda _: None), DEFAULT_RECALL, SUBJECTS, QUICK)

    back = replace(chosen.scoring, **{name: getattr(DEFAULT_RECALL.scoring, name) for name in TUNED})
    assert replace(chosen, scoring=back) == DEFAULT_RECALL


def test_a_policy_is_tried_once_on_each_subject() -> None:
    tried: list[int] = []
    trials = Trials(PLAN, tried.append)
    for _ in range(3):
        trials.rows(DEFAULT_RECALL, SUBJECTS)
    trials.rows(RecallPolicy(lane_depth=60), SUBJECTS)

    assert sum(tried) == 2 * len(SUBJECTS)


def test_one_subject_leaves_nothing_to_judge_by() -> None:
    with pytest.raises(InvalidInput, match="at least two subjects"):
        tune(SUBJECTS[:1], DEFAULT_RECALL, PLAN)


def test_subjects_are_dealt_out_evenly() -> None:
    parts = split([*SUBJECTS, talk("d", "Ghent"), talk("e", "Porto")], 2)

    assert sorted(len(part) for part in parts) == [2, 3]
    assert len(split(SUBJECTS, 5)) == 3
