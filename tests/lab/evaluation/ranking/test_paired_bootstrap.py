"""How sure a difference is. Rows: D4."""

from dataclasses import replace

import numpy as np
import pytest

from lab.evaluation.config import BOOTSTRAP
from lab.evaluation.ranking.paired_bootstrap import Difference, compute_differences, compute_interval
from lab.evaluation.ranking.runner import QuestionRow


def rows(*values: float, subject: str = "lin") -> list[QuestionRow]:
    return [QuestionRow(subject, str(i), "", {"mrr": value}) for i, value in enumerate(values)]


def test_the_same_gain_on_every_question_is_certain() -> None:
    found = compute_differences(rows(0.5, 0.75, 1), rows(0.25, 0.5, 0.75))["mrr"]

    assert found == Difference(0.25, 0.25, 0.25)


def test_questions_are_compared_with_themselves() -> None:
    ahead = [*rows(1, 0), *rows(1, subject="mei")]
    behind = list(reversed([*rows(0, 1), *rows(1, subject="mei")]))  # another order, the same questions

    assert compute_differences(ahead, behind)["mrr"].mean == 0


def test_what_only_one_side_answered_does_not_count() -> None:
    assert compute_differences(rows(1, 1), rows(0))["mrr"].mean == 1
    assert compute_differences(rows(1), []) == {}


def test_the_interval_is_that_of_the_mean() -> None:
    values = np.random.default_rng(7).normal(0.1, 1, size=(400, 1))
    low, high = compute_interval(values)

    error = values.std() / 20  # of the mean of 400
    assert low[0] == pytest.approx(values.mean() - 1.96 * error, abs=error / 4)
    assert high[0] == pytest.approx(values.mean() + 1.96 * error, abs=error / 4)


def test_a_lower_level_gives_a_narrower_interval() -> None:
    values = np.random.default_rng(7).normal(size=(50, 1))
    wide, narrow = compute_interval(values), compute_interval(values, replace(BOOTSTRAP, level=0.5))

    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_equal_rows_give_equal_intervals() -> None:
    values = np.random.default_rng(7).normal(size=(50, 3))

    assert np.array_equal(compute_interval(values), compute_interval(values))


def test_a_gain_on_one_question_of_many_is_not_sure() -> None:
    gain = compute_differences(rows(1, *[0.5] * 30), rows(*[0.5] * 31))["mrr"]
    assert gain.low <= 0 <= gain.high
