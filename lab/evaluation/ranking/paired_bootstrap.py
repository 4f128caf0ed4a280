"""How sure a difference between two policies is: a paired bootstrap over the questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.evaluation.config import BOOTSTRAP, BootstrapConfig
from lab.evaluation.ranking.runner import QuestionRow


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference between two rankings, and its bootstrap interval."""

    mean: float
    low: float
    high: float


def compute_differences(
    ahead: Sequence[QuestionRow], behind: Sequence[QuestionRow], config: BootstrapConfig = BOOTSTRAP
) -> Mapping[str, Difference]:
    """Return, per figure, the gain of ``ahead`` over ``behind`` on the questions that both answered; empty for none.

    Questions are drawn with replacement, both sides together. Source: Efron and Tibshirani, "An Introduction to the
    Bootstrap", 1993, percentile interval. Questions to one subject count as independent.
    """
    other = {(row.subject, row.id): row.figures for row in behind}
    pairs = [(row.figures, other[row.subject, row.id]) for row in ahead if (row.subject, row.id) in other]
    if not pairs:
        return {}
    names = list(pairs[0][0])
    gained = np.array([[here[name] - there[name] for name in names] for here, there in pairs])
    low, high = compute_interval(gained, config)
    means = gained.mean(axis=0)
    return {name: Difference(*map(float, (means[i], low[i], high[i]))) for i, name in enumerate(names)}


def compute_interval(
    values: npt.NDArray[np.float64], config: BootstrapConfig = BOOTSTRAP
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the ends of the interval around the mean of each column of ``values``, shape (n, f)."""
    n = len(values)
    drawn = np.random.default_rng(config.seed).multinomial(n, np.full(n, 1 / n), size=config.resamples)
    means = drawn @ values / n
    tail = (1 - config.level) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return low, high
