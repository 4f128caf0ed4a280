"""A search for better weights that is judged on subjects it has not seen. It prints; it never writes a policy.

Weights that were chosen on the questions they are judged by always look better. So each fold of subjects is left out
once, weights are chosen on the others, and only the left-out questions count.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_platform.evaluation.bootstrap import Difference, differences
from memory_platform.evaluation.loaded import LoadedSubject
from memory_platform.evaluation.policy import TUNING, TuningPolicy
from memory_platform.evaluation.rankers import by_policy
from memory_platform.evaluation.runner import Figures, Plan, QuestionRow, ask_all, mean_figures
from memory_platform.kernel.errors import InvalidInput
from snapshots.recall.policy import RecallPolicy

ANY = math.inf
TUNED: Mapping[str, float] = {
    "keyword_window": ANY,
    "keyword_sitting": ANY,
    "dense_dated": ANY,
    "dense_continued": ANY,
    "smooth_previous": ANY,
    "smooth_next": ANY,
    "named_speaker": ANY,
    "named_time": ANY,
    "said_in_time": ANY,
    "asking": ANY,
    "longer": ANY,
    "related_share": ANY,
    "sentence_decay": 1.0,
}
"""Fields of ScoringPolicy that are searched, each with the most it can mean. The first view stays as it is: of weights
only their ratio counts. BM25's own numbers are promised (R2)."""

Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Fold:
    """One turn: the subjects left out, the weights chosen on the others, and how both policies do on those left out."""

    held_out: tuple[str, ...]
    weights: Mapping[str, float]
    tuned: Figures
    fixed: Figures


@dataclass(frozen=True, slots=True)
class Tuned:
    """All folds; ``gains`` is what the chosen weights score above the fixed ones where they had to be guessed."""

    folds: tuple[Fold, ...]
    tuned: Figures
    fixed: Figures
    gains: Mapping[str, Difference]


class Trials:
    """Rows of policies by subject, each worked out once: the folds try the same policies on the same subjects."""

    def __init__(self, plan: Plan, advance: Advance) -> None:
        self._plan = plan
        self._advance = advance
        self._known: dict[tuple[RecallPolicy, str], list[QuestionRow]] = {}

    def rows(self, policy: RecallPolicy, subjects: Sequence[LoadedSubject]) -> list[QuestionRow]:
        """Return the rows of ``policy`` on all of ``subjects``."""
        return [row for subject in subjects for row in self._rows_of(policy, subject)]

    def objective(self, policy: RecallPolicy, subjects: Sequence[LoadedSubject]) -> float:
        """Return what is searched for the highest of: mean coverage over all budgets."""
        figures = mean_figures(self.rows(policy, subjects))
        return sum(figures[f"coverage@{budget}"] for budget in self._plan.budgets) / len(self._plan.budgets)

    def _rows_of(self, policy: RecallPolicy, subject: LoadedSubject) -> list[QuestionRow]:
        key = (policy, subject.subject_id)
        if key not in self._known:
            self._known[key] = ask_all([subject], by_policy(policy), self._plan)
            self._advance(1)
        return self._known[key]


def tune(
    subjects: Sequence[LoadedSubject],
    policy: RecallPolicy,
    plan: Plan,
    *,
    search: TuningPolicy = TUNING,
    advance: Advance = lambda _: None,
) -> Tuned:
    """Return how weights chosen on other subjects do on each; ``advance`` hears of each policy tried on a subject.

    Raises InvalidInput for fewer than two subjects: nothing could be held out.
    """
    if len(subjects) < 2:  # noqa: PLR2004 - one to learn from, one to judge by
        raise InvalidInput("Tuning needs at least two subjects with questions: one is left out to judge by.")
    trials = Trials(plan, advance)
    folds, tuned_rows = [], []
    for held_out in split(subjects, search.folds):
        training = [subject for subject in subjects if subject not in held_out]
        chosen = choose(trials, policy, training, search)
        rows = trials.rows(chosen, held_out)
        tuned_rows += rows
        folds.append(
            Fold(
                held_out=tuple(subject.subject_id for subject in held_out),
                weights={name: getattr(chosen.scoring, name) for name in TUNED},
                tuned=mean_figures(rows),
                fixed=mean_figures(trials.rows(policy, held_out)),
            )
        )
    fixed_rows = trials.rows(policy, subjects)
    return Tuned(tuple(folds), mean_figures(tuned_rows), mean_figures(fixed_rows), differences(tuned_rows, fixed_rows))


def split(subjects: Sequence[LoadedSubject], folds: int) -> list[list[LoadedSubject]]:
    """Return the subjects in at most ``folds`` parts, dealt out by the number of their questions; none is empty."""
    parts: list[list[LoadedSubject]] = [[] for _ in range(min(folds, len(subjects)))]
    for subject in sorted(subjects, key=lambda subject: (-len(subject.questions), subject.subject_id)):
        min(parts, key=lambda part: sum(len(held.questions) for held in part)).append(subject)
    return parts


def choose(
    trials: Trials, policy: RecallPolicy, training: Sequence[LoadedSubject], search: TuningPolicy
) -> RecallPolicy:
    """Return the best policy that a coordinate search finds on ``training``: each weight in turn, the others fixed."""
    best, reached = policy, trials.objective(policy, training)
    for _ in range(search.rounds):
        before = best
        for name, most in TUNED.items():
            for factor in search.factors:
                tried = _with(best, name, min(getattr(before.scoring, name) * factor, most))
                score = trials.objective(tried, training)
                if score > reached:
                    best, reached = tried, score
        if best == before:
            break
    return best


def _with(policy: RecallPolicy, name: str, value: float) -> RecallPolicy:
    changed: dict[str, Any] = {name: value}
    return replace(policy, scoring=replace(policy.scoring, **changed))
