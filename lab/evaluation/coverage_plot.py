"""Coverage against the token budget as a picture: recall beside simple ways to rank the same memories."""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lab.evaluation.ranking.inputs import LoadedSubject
from lab.evaluation.ranking.rankers import (
    Ranker,
    make_own_vectors_policy,
    make_own_words_policy,
    make_policy_ranker,
    rank_most_recent,
)
from lab.evaluation.ranking.runner import AskingPlan, ask_all, mean_figures
from memory_platform.kernel.errors import Unavailable
from snapshots.recall.config import RecallPolicy

BUDGETS = (125, 250, 500, 750, 1000, 1500, 2000, 3000)
RECALL = "recall"
INCHES = (7.0, 4.5)
DOTS_PER_INCH = 150

# Coverage by budget, of each way to rank.
Curves = Mapping[str, Mapping[int, float]]


class PlottingMissing(Unavailable):
    """The packages that draw are not installed."""

    code = "plotting_missing"


def require_plotting() -> None:
    """Raise PlottingMissing when the packages of the group "evaluation" are not there."""
    if find_spec("matplotlib") is None:
        raise PlottingMissing("--plot needs matplotlib: run `make evaluation`, then the same command again")


def build_rankers(policy: RecallPolicy) -> Mapping[str, Ranker]:
    return {
        RECALL: make_policy_ranker(policy),
        "BM25, own words": make_policy_ranker(make_own_words_policy(policy)),
        "dense, own words": make_policy_ranker(make_own_vectors_policy(policy)),
        "most recent first": rank_most_recent,
    }


def compute_curves(
    subjects: Sequence[LoadedSubject],
    policy: RecallPolicy,
    top_k: int,
    *,
    advance: Callable[[int], object] = lambda _: None,
) -> Curves:
    """Return the curves of all rankers; ``advance`` hears of each question put to one of them."""
    plan = AskingPlan(top_k, BUDGETS)
    found = {}
    for name, rank in build_rankers(policy).items():
        figures = mean_figures(ask_all(subjects, rank, plan, advance=advance))
        found[name] = {budget: figures[f"coverage@{budget}"] for budget in BUDGETS}
    return found


def draw(run: Mapping[str, Any], path: Path) -> None:
    """Draw the curves of a run into a picture whose format follows from its name. Raises OSError, PlottingMissing.

    Raises ValueError for a format that matplotlib does not know.
    """
    require_plotting()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional package; no pyplot, so no window and no state

    figure = Figure(figsize=INCHES, layout="constrained")
    axes = figure.subplots()
    for name, curve in run["curves"].items():
        budgets = [int(budget) for budget in curve]
        width = 2.5 if name == RECALL else 1.2
        axes.plot(budgets, list(curve.values()), label=name, marker="o", markersize=3, linewidth=width)
    axes.set(
        xlabel="tokens the memories may take",
        ylabel="evidence coverage",
        title=f"{run['dataset']['name']}, {run['asked']['questions']:,} questions",
        ylim=(0, 1),
        xlim=(0, None),
    )
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="lower right")
    figure.text(0.995, 0.005, f"run {run['run_id']}", ha="right", va="bottom", fontsize=6, alpha=0.6)
    figure.savefig(path, dpi=DOTS_PER_INCH)
