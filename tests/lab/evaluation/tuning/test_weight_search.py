"""Weights are chosen on some subjects and judged on the others. Rows: D4."""

from dataclasses import fields, replace

import pytest

from lab.evaluation.config import GridConfig, TuningConfig
from lab.evaluation.ranking.ablation import disable_optimisations
from lab.evaluation.ranking.inputs import LoadedSubject
from lab.evaluation.ranking.rankers import make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, ask_all, mean_figures
from lab.evaluation.tuning.tunables import DENSE_WEIGHT, Tunable, TunedValues, apply_values, list_tunables
from lab.evaluation.tuning.weight_search import (
    FIXED,
    PLAIN,
    CoordinateSearch,
    Trials,
    TuningResult,
    split_subjects,
    tune_weights,
)
from memory_platform.kernel.errors import InvalidInput
from snapshots.recall.config import DEFAULT_RECALL, RankingPolicy, RecallPolicy
from tests.lab.evaluation.memories import subject
from tests.snapshots.recall.world import EMBEDDER

QUICK = TuningConfig(rounds=1)
PLAN = AskingPlan(top_k=4, budgets=(20,))


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
TUNABLES = list_tunables(SUBJECTS)


@pytest.fixture(scope="module")
def tuned_plan() -> TuningResult:
    return tune_weights(SUBJECTS, DEFAULT_RECALL, PLAN, how=QUICK)


def a_search(trials: Trials, policy: RecallPolicy = DEFAULT_RECALL, how: TuningConfig = QUICK) -> CoordinateSearch:
    return CoordinateSearch(trials, policy, TUNABLES, how)


def point_of(policy: RecallPolicy) -> TunedValues:
    return {name: tunable.read(policy) for name, tunable in TUNABLES.items()}


def test_each_subject_is_held_out_once(tuned_plan: TuningResult) -> None:
    for search in tuned_plan.searches.values():
        assert sorted(name for fold in search.folds for name in fold.held_out) == ["a", "b", "c"]
        assert all(set(fold.weights) == set(TUNABLES) for fold in search.folds)


def test_the_fixed_policy_is_judged_on_the_same_questions(tuned_plan: TuningResult) -> None:
    assert tuned_plan.fixed == mean_figures(ask_all(SUBJECTS, make_policy_ranker(DEFAULT_RECALL), PLAN))
    for search in tuned_plan.searches.values():
        for name, gain in search.gains.items():
            assert gain.mean == pytest.approx(search.figures[name] - tuned_plan.fixed[name])


def test_one_search_begins_at_the_policy_and_one_at_plain_words(tuned_plan: TuningResult) -> None:
    assert set(tuned_plan.searches) == {FIXED, PLAIN}
    assert tuned_plan.searches[FIXED].begun == tuned_plan.fixed
    assert tuned_plan.searches[PLAIN].begun != tuned_plan.fixed


def test_plain_words_hold_nothing_that_was_fitted() -> None:
    found = apply_values(DEFAULT_RECALL, TUNABLES, {name: tunable.plain for name, tunable in TUNABLES.items()})
    rows = ask_all(SUBJECTS, make_policy_ranker(found), PLAN)
    words = disable_optimisations(DEFAULT_RECALL, keyword_own=1.0, bm25_b=DEFAULT_RECALL.scoring.bm25_b)

    assert rows == ask_all(SUBJECTS, make_policy_ranker(words), PLAN)


def test_the_search_never_ends_below_where_it_began() -> None:
    trials = Trials(PLAN, lambda _: None)
    search = a_search(trials, how=TuningConfig())
    chosen = search.policy_at(search.find_best(point_of(DEFAULT_RECALL), SUBJECTS))

    assert trials.objective(chosen, SUBJECTS) >= trials.objective(DEFAULT_RECALL, SUBJECTS)


def test_the_search_finds_a_weight_that_helps() -> None:
    plain = disable_optimisations(DEFAULT_RECALL, keyword_own=0.35)
    trials = Trials(PLAN, lambda _: None)
    search = a_search(trials, plain)

    chosen = search.policy_at(search.find_best(point_of(plain), SUBJECTS))

    assert trials.objective(plain, SUBJECTS) < trials.objective(chosen, SUBJECTS)


def test_a_gain_too_small_to_mean_anything_is_not_learnt() -> None:
    plain = disable_optimisations(DEFAULT_RECALL, keyword_own=0.35)
    search = a_search(Trials(PLAN, lambda _: None), plain, replace(QUICK, least_gain=1.0))

    assert search.find_best(point_of(plain), SUBJECTS) == point_of(plain)


def test_the_objective_is_the_mean_coverage_of_the_rows() -> None:
    plan = AskingPlan(top_k=4, budgets=(10, 20))
    trials = Trials(plan, lambda _: None)
    figures = mean_figures(trials.ask_all(DEFAULT_RECALL, SUBJECTS))

    found = trials.objective(DEFAULT_RECALL, SUBJECTS)

    assert found == pytest.approx((figures["coverage@10"] + figures["coverage@20"]) / 2)


def test_a_policy_is_tried_once_on_each_subject() -> None:
    tried: list[int] = []
    trials = Trials(PLAN, tried.append)
    for _ in range(3):
        trials.objective(DEFAULT_RECALL, SUBJECTS)
    trials.objective(RecallPolicy(lane_depth=60), SUBJECTS)

    assert sum(tried) == 2 * len(SUBJECTS)


def test_one_subject_leaves_nothing_to_judge_by() -> None:
    with pytest.raises(InvalidInput, match="at least two subjects"):
        tune_weights(SUBJECTS[:1], DEFAULT_RECALL, PLAN)


def test_subjects_are_dealt_out_evenly() -> None:
    parts = split_subjects([*SUBJECTS, talk("d", "Ghent"), talk("e", "Porto")], 2)

    assert sorted(len(part) for part in parts) == [2, 3]
    assert len(split_subjects(SUBJECTS, 5)) == 3


@pytest.mark.parametrize("name", TUNABLES)
def test_a_tunable_changes_what_it_names_and_nothing_else(name: str) -> None:
    tunable = TUNABLES[name]
    other = tunable.list_values(tunable.read(DEFAULT_RECALL), near=False)[0]
    changed = tunable.put(DEFAULT_RECALL, other)
    field = name.partition(":")[0]

    ranking = any(one.name == field for one in fields(RankingPolicy))
    differing = {
        one.name
        for part in ("scoring", "ranking")
        for one in fields(getattr(changed, part))
        if getattr(getattr(changed, part), one.name) != getattr(getattr(DEFAULT_RECALL, part), one.name)
    }
    assert differing == {field}
    assert ranking or tunable.read(changed) == other


def test_a_point_of_the_policy_is_the_policy() -> None:
    assert apply_values(DEFAULT_RECALL, TUNABLES, point_of(DEFAULT_RECALL)) == DEFAULT_RECALL


def test_every_space_in_use_has_a_weight() -> None:
    tunable = TUNABLES[f"{DENSE_WEIGHT}: {EMBEDDER.name}"]

    assert tunable.read(DEFAULT_RECALL) == 1.0
    assert dict(tunable.put(DEFAULT_RECALL, 2.0).scoring.dense_weights)[EMBEDDER.name] == 2.0
    kept = dict(DEFAULT_RECALL.scoring.dense_weights).items()
    assert kept <= dict(tunable.put(DEFAULT_RECALL, 2.0).scoring.dense_weights).items()


def test_later_rounds_try_the_next_values_only() -> None:
    tunable = Tunable((0.0, 1.0, 2.0, 3.0), 0.0, read=lambda _: 0.0, put=lambda policy, _: policy)

    assert tunable.list_values(2.0, near=False) == [0.0, 1.0, 3.0]
    assert tunable.list_values(2.0, near=True) == [1.0, 3.0]
    assert tunable.list_values(1.1, near=True) == [1.0, 2.0]
    assert tunable.list_values(0.0, near=True) == [1.0]


def test_grids_rise() -> None:
    grids = GridConfig()
    for one in fields(grids):
        grid = getattr(grids, one.name)
        assert list(grid) == sorted(set(grid)), one.name
