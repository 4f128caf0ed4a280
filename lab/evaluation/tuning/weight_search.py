"""A search for better weights that is judged on subjects it has not seen. It prints; it never writes a policy.

Weights that were chosen on the questions they are judged by always look better. So each fold of subjects is left out
once, weights are chosen on the others, and only the left-out questions count. The policy itself may have been fitted to
these very subjects, and a search that begins there has seen them too. So a second search begins at plain BM25.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.evaluation.config import TUNING, TuningConfig
from lab.evaluation.ranking.inputs import LoadedSubject
from lab.evaluation.ranking.paired_bootstrap import Difference, compute_differences
from lab.evaluation.ranking.rankers import make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, Metrics, QuestionRow, ask_all, mean_figures
from lab.evaluation.tuning.tunables import Tunable, TunedValues, apply_values, list_tunables
from memory_platform.kernel.errors import InvalidInput
from memory_platform.management.base_command import Advance
from snapshots.recall.config import RecallPolicy

FIXED = "fixed policy"
# Where a search begins: at the policy, or at BM25 over each memory's own words with nothing beside it.
PLAIN = "plain words"


@dataclass(frozen=True, slots=True)
class Fold:
    """One turn: the subjects left out, the weights chosen on the others, and how they do on those left out."""

    held_out: tuple[str, ...]
    weights: TunedValues
    figures: Metrics


@dataclass(frozen=True, slots=True)
class SearchResult:
    """All folds of one search.

    ``begun`` are the figures of its beginning, ``figures`` those of the weights chosen where they had to be guessed;
    ``gains`` is their difference to the fixed policy.
    """

    folds: tuple[Fold, ...]
    begun: Metrics
    figures: Metrics
    gains: Mapping[str, Difference]


@dataclass(frozen=True, slots=True)
class TuningResult:
    fixed: Metrics
    searches: Mapping[str, SearchResult]


class Trials:
    """The scores of policies by subject. The folds try the same policies on the same subjects, so each is kept."""

    def __init__(self, plan: AskingPlan, advance: Advance) -> None:
        self._plan = plan
        self._advance = advance
        self._known: dict[tuple[RecallPolicy, str], float] = {}

    def ask_all(self, policy: RecallPolicy, subjects: Sequence[LoadedSubject]) -> list[QuestionRow]:
        return ask_all(subjects, make_policy_ranker(policy), self._plan)

    def objective(self, policy: RecallPolicy, subjects: Sequence[LoadedSubject]) -> float:
        """Return the figure that the search maximises: the mean coverage over all budgets."""
        total = sum(self._total_coverage(policy, subject) for subject in subjects)
        return total / (sum(len(subject.questions) for subject in subjects) * len(self._plan.budgets))

    def _total_coverage(self, policy: RecallPolicy, subject: LoadedSubject) -> float:
        key = (policy, subject.subject_id)
        if key not in self._known:
            names = [f"coverage@{budget}" for budget in self._plan.budgets]
            self._known[key] = sum(row.figures[name] for row in self.ask_all(policy, [subject]) for name in names)
            self._advance(1)
        return self._known[key]


class CoordinateSearch:
    """A coordinate search over one policy's tunables: each in turn, the others fixed."""

    def __init__(
        self, trials: Trials, policy: RecallPolicy, tunables: Mapping[str, Tunable], how: TuningConfig
    ) -> None:
        self._trials = trials
        self._policy = policy
        self._tunables = tunables
        self._how = how

    def policy_at(self, point: TunedValues) -> RecallPolicy:
        return apply_values(self._policy, self._tunables, point)

    def find_best(self, begin: TunedValues, training: Sequence[LoadedSubject]) -> TunedValues:
        """Return the best point found on ``training``; never one that does worse there than ``begin``."""
        best, reached = begin, self._objective(begin, training)
        for number in range(self._how.rounds):
            before = best
            for name in self._tunables:
                tried = self._try_values(best, name, training, near=number > 0)
                ahead, score = max(tried, key=lambda one: one[1])
                if score >= reached + self._how.least_gain:
                    best, reached = ahead, score
            if best == before:
                break
        return best

    def _try_values(
        self, point: TunedValues, name: str, training: Sequence[LoadedSubject], *, near: bool
    ) -> list[tuple[TunedValues, float]]:
        tried = [{**point, name: value} for value in self._tunables[name].list_values(point[name], near=near)]
        return [(other, self._objective(other, training)) for other in tried]

    def _objective(self, point: TunedValues, training: Sequence[LoadedSubject]) -> float:
        return self._trials.objective(self.policy_at(point), training)


def tune_weights(
    subjects: Sequence[LoadedSubject],
    policy: RecallPolicy,
    plan: AskingPlan,
    *,
    how: TuningConfig = TUNING,
    advance: Advance = lambda _: None,
) -> TuningResult:
    """Return how weights chosen on other subjects do on each; ``advance`` hears of each policy tried on a subject.

    Raises InvalidInput for fewer than two subjects: nothing could be held out.
    """
    if len(subjects) < 2:  # noqa: PLR2004 - one to learn from, one to judge by
        raise InvalidInput("Tuning needs at least two subjects with questions: one is left out to judge by.")
    tunables = list_tunables(subjects)
    trials = Trials(plan, advance)
    search = CoordinateSearch(trials, policy, tunables, how)
    begins = {
        FIXED: {name: tunable.read(policy) for name, tunable in tunables.items()},
        PLAIN: {name: tunable.plain for name, tunable in tunables.items()},
    }
    fixed = trials.ask_all(policy, subjects)
    parts = split_subjects(subjects, how.folds)
    found = {name: _search_folds(search, trials, begin, parts, fixed) for name, begin in begins.items()}
    return TuningResult(mean_figures(fixed), found)


def split_subjects(subjects: Sequence[LoadedSubject], folds: int) -> list[list[LoadedSubject]]:
    """Return the subjects in at most ``folds`` parts, dealt out by the number of their questions; no part is empty."""
    parts: list[list[LoadedSubject]] = [[] for _ in range(min(folds, len(subjects)))]
    for subject in sorted(subjects, key=lambda subject: (-len(subject.questions), subject.subject_id)):
        min(parts, key=lambda part: sum(len(held.questions) for held in part)).append(subject)
    return parts


def _search_folds(
    search: CoordinateSearch,
    trials: Trials,
    begin: TunedValues,
    parts: Sequence[Sequence[LoadedSubject]],
    fixed: Sequence[QuestionRow],
) -> SearchResult:
    subjects = [subject for part in parts for subject in part]
    folds, rows = [], []
    for held_out in parts:
        chosen = search.find_best(begin, [subject for subject in subjects if subject not in held_out])
        judged = trials.ask_all(search.policy_at(chosen), held_out)
        rows += judged
        folds.append(Fold(tuple(subject.subject_id for subject in held_out), chosen, mean_figures(judged)))
    begun = mean_figures(trials.ask_all(search.policy_at(begin), subjects))
    return SearchResult(tuple(folds), begun, mean_figures(rows), compute_differences(rows, fixed))
