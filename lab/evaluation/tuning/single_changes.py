"""The figures of a policy with one thing changed: an optimisation off, or a number at another value."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lab.evaluation.ranking.ablation import ABLATIONS
from lab.evaluation.ranking.inputs import LoadedSubject
from lab.evaluation.ranking.paired_bootstrap import Difference, compute_differences
from lab.evaluation.ranking.rankers import make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, Metrics, QuestionRow, ask_all, mean_figures
from lab.evaluation.tuning.tunables import list_tunables
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy

# By figure; above zero where the optimisation helps.
Worth = Mapping[str, Difference]

# By part and field: values that are tried beside those that tuning searches, by name.
ALTERNATIVES: Mapping[str, Mapping[str, Any]] = {
    "scoring.keyword_own": {"0.2": 0.2, "0.5": 0.5, "0.7": 0.7},
    "scoring.fusion": {"ranks": "ranks"},
    "scoring.query_terms": {"24": 24, "32": 32, "64": 64, "all": 1_000_000},
    "scoring.cosine_floors": {"none": ()},
    "scoring.asked_alike": {"0": 0.0, "2": 2.0, "20": 20.0},
    "scoring.alike_cosines": {
        name: tuple((space, least) for space, _ in DEFAULT_RECALL.scoring.alike_cosines)
        for name, least in (("0.5", 0.5), ("0.55", 0.55), ("0.65", 0.65))
    },
    "scoring.related_terms": {"2": 2, "10": 10, "all": 1_000_000},
    "ranking.use_recency": {"off": False},
    "ranking.recency_curve": {"hyperbolic": "hyperbolic", "episode": "episode"},
    "ranking.recency_values": {"steep": (1.2, 1.0, 0.8, 0.6)},
}


def sweep_values(
    subjects: Sequence[LoadedSubject],
    policy: RecallPolicy,
    plan: AskingPlan,
    figures: Sequence[str],
    *,
    advance: Callable[[int], object] = lambda _: None,
) -> Mapping[str, Mapping[str, Metrics]]:
    """Return ``figures`` by field and by the value that it takes, everything else as in ``policy``.

    ``advance`` hears of each policy tried.
    """
    found: dict[str, dict[str, Metrics]] = {}
    for field, value, tried in list_alternative_policies(subjects, policy):
        means = mean_figures(ask_all(subjects, make_policy_ranker(tried), plan))
        found.setdefault(field, {})[value] = {name: means[name] for name in figures}
        advance(1)
    return found


def list_alternative_policies(
    subjects: Sequence[LoadedSubject], policy: RecallPolicy
) -> Iterator[tuple[str, str, RecallPolicy]]:
    """Yield the field, the name of its other value, and ``policy`` with it."""
    for name, tunable in list_tunables(subjects).items():
        for value in tunable.list_values(tunable.read(policy), near=False):
            yield name, f"{value:g}", tunable.put(policy, value)
    for place, values in ALTERNATIVES.items():
        part, _, name = place.partition(".")
        for called, value in values.items():
            changed = replace(getattr(policy, part), **{name: value})
            yield name, called, replace(policy, **{part: changed})


def measure_worth_of_each(
    subjects: Sequence[LoadedSubject],
    policy: RecallPolicy,
    rows: Sequence[QuestionRow],
    plan: AskingPlan,
    figures: Sequence[str],
    *,
    advance: Callable[[int], object] = lambda _: None,
) -> Mapping[str, Worth | None]:
    """Return the worth of every optimisation in ``figures``; None for one that ``policy`` does without already.

    ``rows`` are those of ``policy``; ``advance`` hears of each optimisation tried.
    """
    found: dict[str, Worth | None] = {}
    for name, switch in ABLATIONS.items():
        without = switch(policy)
        if without == policy:
            found[name] = None
        else:
            worth = compute_differences(rows, ask_all(subjects, make_policy_ranker(without), plan))
            found[name] = {figure: worth[figure] for figure in figures}
        advance(1)
    return found
