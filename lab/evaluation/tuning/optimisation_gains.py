"""The worth of each optimisation: the figures with it less those without it, on the same questions."""

from collections.abc import Callable, Mapping, Sequence

from lab.evaluation.ranking.ablation import ABLATIONS
from lab.evaluation.ranking.bootstrap import Difference, compute_differences
from lab.evaluation.ranking.inputs import LoadedSubject
from lab.evaluation.ranking.rankers import make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, QuestionRow, ask_all
from snapshots.recall.config import RecallPolicy

# By figure; above zero where the optimisation helps.
Worth = Mapping[str, Difference]


def worth_of_each(
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
